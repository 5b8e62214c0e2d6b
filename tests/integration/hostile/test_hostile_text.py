"""Every command in a repository where every text is hostile: nothing commands the terminal, and nothing is hidden."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterable
from pathlib import Path

import pytest

from entire.commands import TABLE
from tests.integration.hostile import texts as hostile
from tests.integration.hostile.texts import EVIL, LETTERS, NAME
from tests.integration.shown import begun
from tests.integration.story import Story

BRANCH = f"evil\x9b31m\u202e\u200b{LETTERS}"
PATH = f"evil{NAME}\n.py".replace("/", "")
PAGED = ("log", "show", "explain", "why", "blame")
COMMANDS = [
    ["enable", "--agent", EVIL], ["disable", EVIL], ["status"], ["status", "--detailed"], ["log"], ["log", "-p"],
    ["log", "--session", NAME], ["rewind", "--list"], ["rewind", "--before-last-prompt", "--preview"],
    ["rewind", "--to", NAME], ["resume", BRANCH], ["resume", NAME], ["show", "HEAD"], ["show", "HEAD~2", "--full"],
    ["show", "--uncommitted"], ["show", NAME], ["explain"], ["explain", "HEAD", "--short"],
    ["explain", "HEAD~2", "--full"], ["explain", "-c", NAME], ["explain", "HEAD", "--generate", "--with", NAME],
    ["why", "hello.py"], ["why", PATH], ["why", "--uncommitted"], ["blame", "hello.py"], ["blame", NAME],
    ["link", "-n", "HEAD~3"], ["link", NAME], ["unlink", "-n", "HEAD~2"], ["undo", "--list"], ["search", "evil"],
    ["search", "red", "--file", PATH],
    ["story", "HEAD~2..HEAD"], ["clean", "--all"], ["reset", "-n"], ["doctor"], ["plugin", "list"], ["agent", "list"],
    ["agent", "add", NAME], ["agent", "remove", NAME],
    ["plugin", "allow", "evil"], ["plugin", "check", NAME], ["completion", NAME], ["help", NAME], ["version", NAME],
    ["--no-such" + NAME], [NAME], ["audit"], ["redact", "--test", PATH, NAME], ["redact", "--session", NAME],
    ["redact", "--rules", "--no-pager"], ["forget", "--session", NAME], ["forget", "--checkpoint", NAME],
]  # fmt: skip


class Stream(io.TextIOWrapper):
    """A terminal or a pipe."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def seen(self) -> str:
        self.flush()
        data: bytes = self.buffer.getvalue()  # type: ignore[attr-defined]
        return data.decode()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Story]:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_AUTHOR_NAME", NAME)
        patch.setenv("GIT_COMMITTER_NAME", NAME)
        patch.setenv("GIT_AUTHOR_EMAIL", "a@b\x9b31m\u202e")
        patch.setenv("GIT_COMMITTER_EMAIL", "a@b\x9b31m\u202e")
        story = Story(folder / "repo")
        session = begun(story)
        session.write(PATH, f"# {NAME}\n")
        story.git("checkout", "-q", "-b", BRANCH)
        session.stop()
        story.commit(f"Evil {NAME}")
        story.git("tag", "tag\x9b31m\u202e\u200b")
        session.prompt(f"more {EVIL}")
        session.write("hello.py", f"open {NAME}\n")
        session.stop(EVIL)
        hostile.poison_checkpoints(story)
        hostile.poison_states(story)
        plugin = folder / "entire-agent-evil"
        info = {"protocol_version": 1, "name": "evil", "type": "Evil", "description": NAME, "hook_names": [EVIL]}
        (folder / "info").write_text(json.dumps(info))
        plugin.write_text(f"#!/bin/sh\ncat {folder}/info; printf '\\033[2J\\233' >&2\n")
        plugin.chmod(0o755)
        yield story


def run(
    world: Story, monkeypatch: pytest.MonkeyPatch, words: list[str], *, is_terminal: bool = False
) -> tuple[int, str, str]:
    out, err = Stream(is_terminal=is_terminal), Stream(is_terminal=is_terminal)
    with monkeypatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setenv("PATH", f"{world.root.parent}{os.pathsep}{os.environ['PATH']}")
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        status = world.entire(*words, *["--no-pager"] * (words[0] in PAGED))
    return status, out.seen(), err.seen()


def problems(status: int, out: str, err: str, *, in_colour: bool) -> list[str]:
    found = hostile.commanding(out, in_colour=in_colour) + hostile.commanding(err, in_colour=in_colour)
    return found + [text for text in (out, err) if "internal error" in text] + [str(status)] * (status not in (0, 1, 2))


@pytest.mark.parametrize("mode", ["pipe", "terminal", "json"])
def test_no_text_commands_the_terminal(world: Story, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    said, wrong = "", {}
    for words in COMMANDS:
        asked = [*words, *["--json"] * (mode == "json")]
        status, out, err = run(world, monkeypatch, asked, is_terminal=mode == "terminal")
        text = out.partition("\ndiff --git ")[0] if mode == "pipe" else out  # a pipe gets a diff as it is
        found = problems(status, text, err, in_colour=mode == "terminal")
        if found:
            wrong[" ".join(words)] = found
        said += out + err
    assert wrong == {}
    assert said.count(LETTERS) > 50  # ordinary letters of hostile texts, which were shown
    if mode == "terminal":
        assert "\x1b[1mSessions\x1b[0m" in said


def test_every_command_is_tried() -> None:
    assert set(TABLE) <= {words[0] for words in COMMANDS}


def test_json_keeps_the_values(world: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, _ = run(world, monkeypatch, ["explain", "HEAD~2", "--json"])
    part = json.loads(out)["checkpoints"][0]["parts"][0]
    assert (status, part["agent"], part["files"]) == (0, f"Claude Code{EVIL}", [f"hello.py{EVIL}"])


def test_exact_bytes_are_for_pipes(world: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["explain", "HEAD~2", "--raw-transcript"], ["blame", "--porcelain", PATH]):
        _, exact, _ = run(world, monkeypatch, words)
        _, shown, _ = run(world, monkeypatch, words, is_terminal=True)
        assert "\x9d0;t\x9c" in exact
        assert hostile.commanding(shown, in_colour=True) == []


def test_hostile_settings(world: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    file = world.path(".entire/settings.local.json")
    values = {"strategy": EVIL, "log_level": EVIL, EVIL: EVIL, "strategy_options": {"push_sessions": EVIL, EVIL: EVIL},
              "external_agents": EVIL, "enabled": True}  # fmt: skip
    for field, value in values.items():
        file.write_text(json.dumps({field: value}))
        for words in (["status"], ["status", "--detailed"], ["doctor"], ["status", "--json"]):
            for is_terminal in (False, True):
                status, out, err = run(world, monkeypatch, words, is_terminal=is_terminal)
                assert problems(status, out, err, in_colour=is_terminal) == [], (field, words)
    file.unlink()


def test_hostile_candidates_are_not_completed(world: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ENTIRE_COMPLETE", "zsh_complete")
    for line in ("entire resume ", "entire show ", "entire explain --session ", "entire plugin allow "):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        status, out, err = run(world, monkeypatch, [""])
        assert problems(status, out, err, in_colour=False) == []
        assert out.strip(), line


def test_a_real_terminal_gets_only_our_colours(world: Story) -> None:
    for words in (["status"], ["explain", "HEAD~2", "--full"], ["status", "--json"], ["show", NAME]):
        shown = on_a_terminal(world.root, [*words, *["--no-pager"] * (words[0] in PAGED)])
        assert hostile.commanding(shown, in_colour=True) == []
        assert ("\x1b[1m" in shown) is (words[-1] in ("status", "--full"))


def on_a_terminal(folder: Path, words: list[str]) -> str:
    """Run a command whose streams are a terminal; return what it printed there."""
    main, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    command = [sys.executable, "-m", "entire", *words]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, "TERM": "xterm", "PAGER": "cat", "LESS": "FRX"},
                               stdin=terminal, stdout=terminal, stderr=terminal)  # fmt: skip
    os.close(terminal)
    seen = b""
    try:
        while data := os.read(main, 65536):
            seen += data
    except OSError:  # its other end is closed
        pass
    os.close(main)
    process.wait(timeout=60)
    return seen.decode().replace("\r\n", "\n")
