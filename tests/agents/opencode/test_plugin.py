"""The plugin under a host that stands for OpenCode, with the events that OpenCode really sent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from entire.agents.opencode.agent import OpenCode
from tests.agents.opencode import oracle
from tests.rigs.opencode import CASES

NODE = shutil.which("node")
SESSION, PARENT = "ses_e035203d5ffeZV59Vwug9BG7wx", "ses_e03505992ffe2Fwi9kXzeTxcLC"
ENTIRE = '#!/bin/sh\n{ printf "%s " "$3"; cat; echo; } >> "$RECORD"\nprintf %s "$ANSWER"\n'

needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node to run it")

Step = dict[str, Any]


def captured(name: str) -> Step:
    """Return what OpenCode sent: an event, or the call of a hook."""
    (path,) = (oracle.FIXTURES / "payloads").glob(f"*-{name}.json")
    given = json.loads(path.read_bytes())
    if not name.startswith("hook-"):
        return {"hook": "event", "input": given}
    hook = re.sub(r"-(task|write|tui|subagent)$", "", name.removeprefix("hook-"))
    return {"hook": hook, "input": given["input"], "output": given["output"]}


def about(session: str, step: Step) -> Step:
    """Return a captured call as if it were about another session."""
    text = json.dumps(step)
    return dict(json.loads(re.sub(r"ses_(?!e035051b)\w+", session, text)))


DISPOSE: Step = {"hook": "dispose"}
CREATED, PROMPT = captured("session.created"), captured("hook-chat.message")
BUSY, IDLE, TWIN = captured("session.status-busy"), captured("session.status-idle"), captured("session.idle")
TURN = [about(SESSION, step) for step in (PROMPT, BUSY, IDLE, TWIN)]


class Host:
    """Runs the plugin in an empty folder, with an `entire` that records what it is called with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = folder / "record"
        self.program = folder / "bin" / "entire"
        self.program.parent.mkdir()
        self.program.write_text(ENTIRE)
        self.program.chmod(0o755)
        self.plugins = 1
        self.told: Any = None

    def play(self, *steps: Step, answer: str = "", parents: Mapping[str, str] = {}) -> list[tuple[str, Any]]:
        """Return the reports of a session."""
        paths = [self.folder / f"plugin{number}.mjs" for number in range(self.plugins)]
        for path in paths:
            path.write_text(OpenCode()._table().text)
        given = {"parents": parents, "directory": str(self.folder), "steps": steps}
        env = {"PATH": f"{self.program.parent}:/usr/bin:/bin", "RECORD": str(self.record), "ANSWER": answer}
        host = Path(__file__).with_name("host.mjs")
        done = subprocess.run([str(NODE), host, *paths], input=json.dumps(given).encode(), env=env, timeout=60,
                              capture_output=True)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        self.told = json.loads(done.stdout)
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [(line.partition(" ")[0], json.loads(line.partition(" ")[2])) for line in lines]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def payload(host: Host, name: str) -> Any:
    return {**CASES[name]["payload"], "cwd": str(host.folder)}


def test_it_needs_no_package() -> None:
    text = OpenCode()._table().text
    assert set(re.findall(r"(?:from|import\()\s*\"([^\"]+)\"", text)) == {"node:child_process"}
    assert re.findall(r"^export (\w+) \w+ = async", text, re.MULTILINE) == ["const"]


@needs_node
def test_a_new_session_of_one_turn(host: Host) -> None:
    told = host.play(about(SESSION, CREATED), *TURN, DISPOSE)
    assert told == [
        ("session-start", payload(host, "session-start")),
        ("turn-start", payload(host, "turn-start")),
        ("turn-end", payload(host, "turn-end")),
        ("session-end", payload(host, "session-end")),
    ]


@needs_node
def test_a_resumed_session_is_announced_by_its_prompt(host: Host) -> None:
    told = host.play(*TURN, *TURN)
    assert [event for event, _ in told] == ["session-start", *["turn-start", "turn-end"] * 2]
    assert told[0][1]["source"] == "resume"


@needs_node
def test_what_a_subagent_does_is_its_sessions(host: Host) -> None:
    before, after = captured("hook-tool.execute.before-task"), captured("hook-tool.execute.after-task")
    child, task = captured("session.created-child"), captured("hook-chat.message-subagent")
    idle = json.loads(json.dumps(IDLE).replace(IDLE["input"]["properties"]["sessionID"], oracle.CHILD))
    shell = captured("hook-shell.env")
    shell["input"]["sessionID"] = oracle.CHILD
    others = [captured(f"hook-tool.execute.{when}-write") for when in ("before", "after")]
    prompt = about(PARENT, PROMPT)
    told = host.play(prompt, *others, before, child, task, shell, idle, after, DISPOSE, parents={oracle.CHILD: PARENT})
    assert [event for event, _ in told] == ["session-start", "turn-start", "subagent-start", "subagent-end", "turn-end",
                                            "session-end"]  # fmt: skip
    assert told[2:4] == [(name, payload(host, name)) for name in ("subagent-start", "subagent-end")]
    assert {"env": {"OPENCODE_SESSION_ID": PARENT}} in host.told["outputs"]


@needs_node
@pytest.mark.parametrize("idles", [1, 2])
def test_a_stopped_turn_ends_once(host: Host, idles: int) -> None:
    """Between an error and its second end, the error is written down."""
    error = about(SESSION, captured("session.error-MessageAbortedError"))
    told = host.play(*TURN[:2], error, *TURN[2:] * idles, DISPOSE)
    assert told[2:] == [
        ("turn-end", payload(host, "turn-end of a stopped one")),
        ("session-end", payload(host, "session-end")),
    ]


@needs_node
def test_an_idle_session_has_no_turn_that_ends(host: Host) -> None:
    """As after `/undo`."""
    assert host.play(about(SESSION, CREATED), *TURN[2:], DISPOSE)[1:] == [("session-end", payload(host, "session-end"))]


@needs_node
def test_a_compaction_and_a_deletion(host: Host) -> None:
    compacted, deleted = (about(SESSION, captured(name)) for name in ("session.compacted", "session.deleted"))
    told = host.play(*TURN, compacted, deleted, DISPOSE)
    assert [event for event, _ in told[3:]] == ["compaction", "session-end"]
    assert (told[3][1], told[4][1]["reason"]) == (payload(host, "compaction"), "deleted")


@needs_node
def test_project_and_user_report_once(host: Host) -> None:
    host.plugins = 2
    assert [event for event, _ in host.play(*TURN, DISPOSE)] == [
        "session-start",
        "turn-start",
        "turn-end",
        "session-end",
    ]


@needs_node
def test_without_entire_nothing_happens(host: Host) -> None:
    host.program.unlink()
    assert host.play(about(SESSION, CREATED), *TURN, DISPOSE) == []
    assert host.told["toasts"] == []


@needs_node
@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho nonsense\n", "#!/no/interpreter\n"])
def test_a_program_that_fails_breaks_nothing(host: Host, program: str) -> None:
    host.program.write_text(program)
    assert host.play(*TURN, DISPOSE) == []


@needs_node
def test_what_entire_says_is_shown(host: Host) -> None:
    answer = OpenCode().write_hook_response("hello").decode()
    host.play(*TURN, answer=answer)
    assert host.told["toasts"][0] == {"message": "hello", "variant": "info"}


def test_it_is_updated_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of an earlier version, too; a file of the user's stays."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    agent, root = OpenCode(), str(tmp_path)
    for scope, place in (("project", ".opencode/plugins"), ("user", "config/opencode/plugins")):
        path = tmp_path / place / "entire.ts"
        assert agent.hook_config_paths(root, scope) == (str(path),)
        path.parent.mkdir(parents=True)
        path.write_text('// version 0\nspawn("entire", ["hooks", "opencode", event])\n')
        assert agent.hooks_health(root, scope).status.value == "stale"
        assert agent.install_hooks(root, scope, force=False) == 1
        assert agent.hooks_health(root, scope).status.value == "installed"
        assert agent.uninstall_hooks(root, scope) == 1
        assert not path.exists()


@pytest.mark.parametrize("name", [".opencode", "opencode.json", "opencode.jsonc", "home/.config/opencode"])
def test_where_it_is_used(tmp_path: Path, name: str) -> None:
    agent = OpenCode(env={"HOME": str(tmp_path / "home")})
    assert not agent.detect(str(tmp_path))
    (tmp_path / name).mkdir(parents=True)
    assert agent.detect(str(tmp_path))
