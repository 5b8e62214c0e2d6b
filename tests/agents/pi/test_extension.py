"""Our extension: how it comes and goes, and what it reports, played by a stub of Pi."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from entire.agents.pi import extension
from entire.agents.pi.agent import Pi
from entire.errors import EntireError, UsageError
from entire.model.health import HookStatus

HOST = Path(__file__).parent / "host.mjs"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node, and so no Pi")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def with_pi(folder: Path, version: str, name: str = "@mariozechner/pi-coding-agent") -> dict[str, str]:
    """Return an environment whose PATH has a Pi of a version, linked as npm links it."""
    package = folder / "lib" / "pi-coding-agent"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": name, "version": version}))
    program = package / "dist" / "cli.js"
    program.write_text("")
    program.chmod(0o755)
    (folder / "bin").mkdir()
    (folder / "bin" / "pi").symlink_to(program)
    return {"HOME": str(folder), "PATH": f"{folder}/bin"}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------- installing


@pytest.mark.parametrize(
    ("version", "place"),
    [("0.73.1", extension.EXTENSION), ("0.35.0", extension.EXTENSION), ("0.34.2", extension.HOOK),
     ("0.27.9", extension.HOOK), ("1.0.0", extension.EXTENSION), ("what", extension.EXTENSION)],
)  # fmt: skip
def test_it_goes_where_the_installed_pi_loads_it(tmp_path: Path, root: Path, version: str, place: str) -> None:
    agent = Pi(env=with_pi(tmp_path, version))
    assert agent.install_hooks(str(root), "project", force=False) == 1
    assert files(root) == [f".pi/{place}"]
    assert agent.hooks_health(str(root), "project").status is HookStatus.INSTALLED
    assert agent.hook_config_paths(str(root), "project") == (str(root / ".pi" / place),)
    assert agent.hook_config_paths(str(root), "user") == (str(tmp_path / ".pi/agent" / place),)
    assert agent.uninstall_hooks(str(root), "project") == 1
    assert list(root.iterdir()) == []


def test_another_program_of_that_name_says_nothing(tmp_path: Path, root: Path) -> None:
    agent = Pi(env=with_pi(tmp_path, "0.1.0", name="pi"))
    assert agent.hook_config_paths(str(root), "project")[0] == str(root / ".pi" / extension.EXTENSION)


def test_it_moves_with_an_update_of_pi(tmp_path: Path, root: Path) -> None:
    """A later Pi asks its user about what is in the old place."""
    Pi(env=with_pi(tmp_path / "old", "0.27.9")).install_hooks(str(root), "project", force=False)
    agent = Pi(env=with_pi(tmp_path / "new", "0.73.1"))
    assert agent.hooks_health(str(root), "project").status is HookStatus.STALE
    assert agent.install_hooks(str(root), "project", force=False) == 2
    assert files(root) == [f".pi/{extension.EXTENSION}"]
    assert agent.hooks_health(str(root), "project").status is HookStatus.INSTALLED


def test_an_older_one_is_updated(tmp_path: Path, root: Path) -> None:
    agent = Pi(env={"HOME": str(tmp_path), "PATH": ""})
    agent.install_hooks(str(root), "project", force=False)
    path = root / ".pi" / extension.EXTENSION
    current = path.read_text()
    path.write_text(current.replace("version 1", "version 0"))
    assert agent.hooks_health(str(root), "project").status is HookStatus.STALE
    assert agent.install_hooks(str(root), "project", force=False) == 1
    assert path.read_text() == current


@needs_node
def test_a_damaged_one_is_not_written(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pi would not start with it."""
    broken = extension.file()
    monkeypatch.setattr(extension, "file", lambda: type(broken)(text=broken.text[:-30], agent="pi"))
    agent = Pi(env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    with pytest.raises(EntireError, match="damaged"):
        agent.install_hooks(str(root), "project", force=False)
    assert list(root.iterdir()) == []


def test_other_scopes_there_are_none(root: Path) -> None:
    with pytest.raises(UsageError):
        Pi(env={}).hook_config_paths(str(root), "world")


def test_it_is_detected_by_its_folders(tmp_path: Path, root: Path) -> None:
    agent = Pi(env={"HOME": str(tmp_path)})
    assert not agent.detect(str(root))
    (root / ".pi").mkdir()
    assert agent.detect(str(root))
    (tmp_path / ".pi/agent").mkdir(parents=True)
    (root / ".pi").rmdir()
    assert agent.detect(str(root))


def test_the_file_is_small_and_says_its_version() -> None:
    text = extension.file().text
    assert len(text.splitlines()) < 150
    assert "version 1" in text.splitlines()[0]


# ---------------------------------------------------------------- reporting


class Host:
    """A stub of Pi with our extension, and an ``entire`` that keeps what it is told."""

    def __init__(self, folder: Path, *, scopes: int = 1, answer: str = "") -> None:
        self.folder, self.told = folder, folder / "told"
        self.told.mkdir()
        (folder / "bin").mkdir()
        program = folder / "bin" / "entire"
        program.write_text(f"""\
#!/bin/sh
n=$(ls "{self.told}" | wc -l)
{{ echo "$*"; cat; }} > "{self.told}/$n"
printf %s '{answer}'
""")
        program.chmod(0o755)
        self.copies = [folder / f"copy{number}.mjs" for number in range(scopes)]
        for copy in self.copies:
            copy.write_text(extension.file().text)
        self.path = f"{folder}/bin:/usr/bin:/bin"
        self.said: list[str] = []

    def play(self, *steps: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Play events; return what was reported."""
        script = self.folder / "script.json"
        script.write_text(json.dumps(steps))
        assert NODE is not None
        words = [NODE, str(HOST), ",".join(map(str, self.copies)), str(script)]
        env = {"PATH": self.path}
        done = subprocess.run(words, env=env, cwd=self.folder, capture_output=True, text=True, check=True)
        self.said = json.loads(done.stdout)
        return list(self.calls())

    def calls(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for path in sorted(self.told.iterdir(), key=lambda path: int(path.name)):
            command, _, payload = path.read_text().partition("\n")
            assert command.startswith("hooks pi ")
            yield command.removeprefix("hooks pi "), json.loads(payload)


START = {"event": "session_start", "reason": "startup"}
PROMPT = {"event": "before_agent_start", "prompt": "go"}
BEGIN, END = {"event": "agent_start"}, {"event": "agent_end"}
QUIT = {"event": "session_shutdown", "reason": "quit"}


def verbs(calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [verb for verb, _ in calls]


@needs_node
def test_a_turn(tmp_path: Path) -> None:
    calls = Host(tmp_path).play(START, PROMPT, BEGIN, {"ctx": {"leaf": "b2", "entries": [{"id": "b2"}]}}, END, QUIT)
    assert verbs(calls) == ["session-start", "turn-start", "turn-end", "session-end"]
    about = {"session_id": "s1", "transcript_path": "/s/t_s1.jsonl", "cwd": str(tmp_path), "model": "m"}
    for _, told in calls:
        assert told.items() >= about.items()
        assert told["pid"] > 0 < told["timestamp"]
    start, end = calls[1][1], calls[2][1]
    assert (start["prompt"], start["leaf"], end["leaf"], end["last"]) == ("go", "a1", "b2", "b2")
    assert start["turn_id"] == end["turn_id"]
    assert calls[3][1]["reason"] == "quit"


@needs_node
def test_a_start_that_is_told_twice_is_one(tmp_path: Path) -> None:
    """RPC mode does so after a new session; the same session may still start again later."""
    new = {"event": "session_start", "reason": "new"}
    calls = Host(tmp_path).play(START, QUIT, {"ctx": {"file": "/s/t_s2.jsonl"}}, new, new, QUIT, new)
    assert verbs(calls) == ["session-start", "session-end", "session-start", "session-end", "session-start"]


@needs_node
def test_a_session_without_a_file_is_not_reported(tmp_path: Path) -> None:
    """It is a subagent's, as a rule."""
    assert Host(tmp_path).play({"ctx": {"file": None}}, START, PROMPT, BEGIN, END, QUIT) == []


@needs_node
def test_a_turns_end_may_come_after_the_sessions(tmp_path: Path) -> None:
    """Print mode does not wait for handlers; ctx throws by then."""
    calls = Host(tmp_path).play(START, PROMPT, BEGIN, QUIT, {"stale": True}, END)
    assert verbs(calls) == ["session-start", "turn-start", "session-end", "turn-end"]
    assert calls[3][1]["session_id"] == "s1"
    assert "leaf" not in calls[3][1]
    assert calls[3][1]["turn_id"] == calls[1][1]["turn_id"]


@needs_node
def test_what_pi_begins_by_itself_is_a_turn_without_a_prompt(tmp_path: Path) -> None:
    """After an error, it tries again."""
    calls = Host(tmp_path).play(START, PROMPT, BEGIN, END, BEGIN, END)
    assert verbs(calls) == ["session-start", "turn-start", "turn-end", "turn-start", "turn-end"]
    assert (calls[3][1]["automatic"], "prompt" in calls[3][1]) == (True, False)


@needs_node
def test_two_scopes_report_once(tmp_path: Path) -> None:
    reload = {"event": "session_shutdown", "reason": "reload"}
    calls = Host(tmp_path, scopes=2).play(START, PROMPT, BEGIN, END, reload, {"load": True}, PROMPT, BEGIN, END)
    assert verbs(calls) == ["session-start", "turn-start", "turn-end", "turn-start", "turn-end"]


@needs_node
def test_branches_compactions_and_subagents(tmp_path: Path) -> None:
    run = {"agent": "worker", "task": "sub", "messages": [{"role": "user"}]}
    results = [{"toolCallId": "c1"}, {"toolCallId": "c2", "details": {"results": [run]}},
               {"toolCallId": "c3", "details": {"results": ["words"]}}]  # fmt: skip
    calls = Host(tmp_path).play(
        START,
        {"event": "turn_end", "toolResults": results},
        {"event": "session_compact"},
        {"ctx": {"leaf": None, "entries": [{"id": "a1"}, {"id": "b2"}]}},
        {"event": "session_tree"},
    )
    assert verbs(calls) == ["session-start", "subagent-end", "compaction", "tree"]
    told = calls[1][1]
    assert (told["tool_use_id"], told["agent"], told["task"]) == ("c2", "worker", "sub")
    assert (calls[3][1]["leaf"], calls[3][1]["last"]) == (None, "b2")


@needs_node
def test_what_a_hook_says_is_shown(tmp_path: Path) -> None:
    host = Host(tmp_path, answer='{"systemMessage": "recorded"}')
    host.play(START, PROMPT)
    assert host.said == ["info: recorded"] * 2
    host.play(START, PROMPT, {"stale": True}, END)  # there is nobody left to see it
    assert host.said == ["info: recorded"] * 2


@needs_node
@pytest.mark.parametrize("answer", ["no JSON", "null", "[]", "7"])
def test_an_answer_that_makes_no_sense_is_ignored(tmp_path: Path, answer: str) -> None:
    host = Host(tmp_path, answer=answer)
    assert verbs(host.play(START, PROMPT)) == ["session-start", "turn-start"]
    assert host.said == []


@needs_node
def test_without_entire_on_the_path_nothing_happens(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.path = "/nonexistent"
    assert host.play(START, PROMPT, BEGIN, END, {"ctx": {"cwd": "/gone"}}, PROMPT, QUIT) == []


@needs_node
def test_the_events_of_pi_before_its_extensions(tmp_path: Path) -> None:
    """It has one event for all that happens to a session, and none that tells the prompt."""
    session = {"event": "session", "entries": []}
    calls = Host(tmp_path).play(
        {"old": True, "ctx": {"file": "/s/2026_s1.jsonl"}},
        {**session, "reason": "start"}, BEGIN, {"event": "turn_end", "toolResults": []}, END,
        {**session, "reason": "before_compact"}, {**session, "reason": "compact"},
        {"ctx": {"file": "/s/2026_s2.jsonl"}}, {**session, "reason": "branch"}, BEGIN, END,
        {**session, "reason": "shutdown"},
    )  # fmt: skip
    assert [(verb, told["session_id"]) for verb, told in calls] == [
        ("session-start", "s1"), ("turn-start", "s1"), ("turn-end", "s1"), ("compaction", "s1"),
        ("session-end", "s1"), ("session-start", "s2"), ("turn-start", "s2"), ("turn-end", "s2"), ("session-end", "s2"),
    ]  # fmt: skip
    assert calls[1][1]["automatic"] is False
