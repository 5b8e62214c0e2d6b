"""The real agent continues sessions in which the model thought: its service takes a thought only as it was signed."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import pytest

from anthropic_dialect import signature
from claude import Claude, NewestClaude
from repo import CHECKPOINTS
from script import answer, text, thought, turn
from stories import dialogue

if TYPE_CHECKING:
    from conftest import World
    from repo import Repo

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Claude, NewestClaude], indirect=True)]

FIRST, SECOND = "It needs a file.", "It is there."


def thinking_turn(world: World, prompt: str, name: str) -> None:
    """Let the model think, write a file, and think again."""
    write = world.agent.write(world.path(name), f"{name}\n")
    world.server.script.add(
        turn(
            prompt, answer(thought(FIRST), text("I write it."), write), answer(thought(SECOND), text(f"{prompt}: done"))
        )
    )


def thoughts(world: World, prompt: str) -> list[str]:
    """Return the thoughts in the newest request of a turn; the server has refused those that were changed."""
    (*_, exchange) = (e for e in world.server.scripted() if e.turn is not None and e.turn.fits(prompt))
    blocks = [b for m in exchange.body["messages"] for b in m["content"] if isinstance(b, dict)]
    return [block["thinking"] for block in blocks if block.get("type") == "thinking"]


def break_seals(repo: Repo, session: str) -> None:
    """Redact the signatures in the stored transcript, as earlier versions did."""
    (identity,) = repo.checkpoint_ids()
    slot = f"{identity[:2]}/{identity[2:]}/0"
    stored = repo.checkpoint(identity).session(session).transcript
    whole = stored
    for said in (FIRST, SECOND):
        whole = whole.replace(signature(said).encode(), b"[REDACTED:alibaba-sts-token]")
    assert whole != stored
    digest = b"sha256:" + hashlib.sha256(whole).hexdigest().encode()
    repo.replace(CHECKPOINTS, {f"{slot}/full.jsonl": whole, f"{slot}/content_hash.txt": digest})


def test_a_session_goes_on_elsewhere_with_its_thoughts(world: World) -> None:
    world.enable("--push-sessions")
    origin = world.share()
    thinking_turn(world, "write a", "a.txt")
    session = world.agent.headless("write a", world.repo.path).session
    world.repo.commit("Add a")
    world.repo.git("push", "-q", "origin", "main")
    there = world.elsewhere(origin)
    there.repo.resume("main")
    assert there.agent.transcript(session).read_bytes().count(b'"signature":"CAIS') == 2
    thinking_turn(there, "write b", "b.txt")
    assert there.agent.headless("write b", there.repo.path, resume=session).status == 0
    assert thoughts(world, "write b") == [FIRST, SECOND, FIRST]


def test_a_session_whose_signatures_were_redacted_goes_on_without_those_thoughts(world: World) -> None:
    world.enable("--push-sessions")
    origin = world.share()
    thinking_turn(world, "write a", "a.txt")
    session = world.agent.headless("write a", world.repo.path).session
    world.repo.commit("Add a")
    break_seals(world.repo, session)
    world.repo.git("push", "-q", "origin", "main")

    there = world.elsewhere(origin)
    repo, agent = there.repo, there.agent
    (found,) = repo.resume("main")["sessions"]
    assert found["what"] == "written"
    restored = agent.transcript(session).read_bytes()
    own = world.agent.transcript(session).read_bytes()
    without = re.sub(rb'\{"type":"thinking"[^}]*\}', b"", own)
    assert own.count(b'"type":"thinking"') == 2
    assert without.startswith(restored)
    (found,) = repo.resume("main")["sessions"]
    assert (found["what"], found["is_newer"]) == ("unchanged", False)

    thinking_turn(there, "write b", "b.txt")
    assert agent.headless("write b", repo.path, resume=session).status == 0
    history = ["> write a", "I write it.", "write a: done", "> write b", "I write it."]
    assert dialogue(world.server.last("write b")) == history
    assert thoughts(world, "write b") == [FIRST]
    kept = repo.linked(repo.commit("Add b")).session(session)
    assert (kept.prompts, kept.metadata["files_touched"]) == (["write a", "write b"], ["b.txt"])
    assert agent.transcript(session).read_bytes().startswith(kept.transcript)
