"""The real agents continue sessions whose secrets were replaced: in another clone, from what was pushed."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from typing import TYPE_CHECKING

import pytest

from claude import Claude
from gemini import Gemini
from script import answer, text, turn

if TYPE_CHECKING:
    from conftest import World

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.parametrize("world", [Claude, Gemini], indirect=True, ids=["claude-code", "gemini"]),
]


def token(prefix: str, length: int, seed: int) -> str:
    letters = random.Random(seed)
    return prefix + "".join(letters.choices(string.ascii_letters + string.digits, k=length))


PROMPTED, PRINTED, READ, WRITTEN, NESTED, COOKIE, ENCODED = (
    token(prefix, length, seed)
    for seed, (prefix, length) in enumerate(
        [("ghp_", 36), ("glpat-", 20), ("npm_", 36), ("dop_v1_", 0), ("xoxb-123456789012-", 24), ("", 40), ("", 32)]
    )
)
WRITTEN += "".join(random.Random(9).choices("0123456789abcdef", k=64))
KEY = base64.b64encode(random.Random(10).randbytes(480)).decode()
SECRETS = {
    "in a prompt": PROMPTED,
    "in coloured output": PRINTED,
    "in a file that is read": READ,
    "in an edit": WRITTEN,
    "in JSON inside JSON": NESTED,
    "in a cookie": COOKIE,
    "in base64": base64.b64encode(f"password={ENCODED}".encode()).decode()[12:-4],
    "in a private key": KEY[80:160],
}


def private_key() -> str:
    lines = "\n".join(KEY[at : at + 64] for at in range(0, len(KEY), 64))
    kind = "RSA PRIVATE KEY"
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"


def outputs(world: World) -> str:
    """Write what the session's tools print; return the shell command that prints it."""
    inner = json.dumps({"headers": {"authorization": f"Bearer {NESTED}"}})
    said = [
        f"\x1b[32mGITLAB_TOKEN\x1b[0m=\x1b[1m{PRINTED[:10]}\x1b[0m{PRINTED[10:]}",
        json.dumps({"level": "info", "payload": json.dumps({"body": inner})}),
        f"Set-Cookie: session={COOKIE}; Path=/; HttpOnly",
        "data: " + base64.b64encode(f"password={ENCODED}".encode()).decode(),
        private_key(),
    ]
    (world.repo.path / "printed.log").write_text("\n".join(said))
    (world.repo.path / "settings.env").write_text(f"# settings\nNPM_TOKEN={READ}\nDEBUG=1\n")
    return "cat printed.log"


def test_a_session_with_secrets_in_many_places_goes_on_elsewhere(world: World) -> None:
    world.enable("--push-sessions")
    (world.repo.path / ".gitignore").write_text("*.env\n*.log\n")
    world.repo.commit("Ignore settings")
    origin, agent = world.share(), world.agent
    first = f"write a; the key is {PROMPTED}"
    world.server.script.add(
        turn(
            first,
            answer(text("I look."), agent.shell(outputs(world))),
            answer(agent.read(world.path("settings.env"))),
            answer(agent.edit(world.path("settings.env"), "DEBUG=1", f"DIGITALOCEAN_TOKEN={WRITTEN}")),
            answer(agent.write(world.path("a.txt"), "a\n")),
            answer(text("a is written")),
        ),
    )
    run = agent.headless(first, world.repo.path)
    assert run.status == 0, run.stderr
    own = agent.transcript(run.session).read_text()
    assert leaks(own) == list(SECRETS), "the agent has not written down all of them"
    world.repo.commit("Add a")
    world.repo.git("push", "-q")

    there = world.elsewhere(origin)
    there.repo.resume("main")
    restored = there.agent.transcript(run.session).read_bytes()
    assert b"[REDACTED:" in restored
    assert leaks(restored.decode()) == []
    asked = f"write b in {there.folder.name}"
    world.server.script.add(
        turn(asked, answer(there.agent.write(there.path("b.txt"), "b\n")), answer(text("b is written")))
    )
    again = there.agent.headless(asked, there.repo.path, resume=run.session)
    assert again.status == 0, again.stderr
    request = repr(world.server.last(asked).conversation)
    assert "a is written" in request, "the agent has not loaded its history"
    assert "[REDACTED:" in request
    assert leaks(request) == []
    commit = there.repo.commit("Add b")
    kept = there.repo.linked(commit).session(run.session)
    assert kept.prompts[-1] == asked
    assert leaks(kept.transcript.decode()) == []
    assert there.agent.said(kept.transcript)[-1] == "b is written"


def leaks(stored: str) -> list[str]:
    """Return where the secrets stood that are still in a text, as a person would read it."""
    plain = re.sub(r"(?:\x1b|\\+u001b|\\+x1b)\[[0-9;]*m|\\+n|\\", "", stored)
    return [where for where, secret in SECRETS.items() if secret in plain or secret in stored]
