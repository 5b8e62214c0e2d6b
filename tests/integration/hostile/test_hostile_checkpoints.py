"""A checkpoints branch that an attacker wrote: its ids, names and paths are words of no command.

Spies stand on PATH in place of the agents and write down what they were started with.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import forks
from tests.integration.hostile import texts as hostile
from tests.integration.story import Session, Story

SPIES = ("claude", "gemini", "evil")
IDS = (
    "-x",
    '--mcp-config={"mcpServers":{"x":{"command":"touch","args":["owned"]}}}',
    "--dangerously-skip-permissions",
    "a\nb",
    "a\x1b[2Jb",
    "../../outside",
    "x" * 5_000,
    "a b",
    "$(touch owned)",
    "",
)
REASONS = ("would be an option", "has no session ids like", "is no session's id", "holds no session that can be read")
TYPES = {"Claude Code": "-r", "Gemini CLI": "--resume", "Demo Agent": "--resume"}
NAMES = ("--output=owned", "-x\x1b[2J", "../outside", "-")


class World:
    """A repository whose checkpoints branch holds a hostile checkpoint for each hostile session id and agent."""

    def __init__(self, folder: Path) -> None:
        self.story = Story(folder / "repo")
        self.spied = folder / "spied"
        self.bin = folder / "spies"
        self.bin.mkdir()
        for name in SPIES:
            (self.bin / name).write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" >>"{self.spied}"\n')
            (self.bin / name).chmod(0o755)
        self.session = self.story.started()
        with self.session.turn("Write hello"):
            self.session.write("hello.py", "print(1)\n")
        self.story.commit("Add hello")
        self.mine = str(self.story.ids()[0])
        self.evil: dict[str, tuple[str, str]] = {}
        self._write()

    def _write(self) -> None:
        folder = f"{self.mine[:2]}/{self.mine[2:]}"
        known = {path: data for path, data in hostile.stored(self.story).items() if path.startswith(folder)}
        number = 0xE0000000000
        changed: dict[str, bytes] = {}
        for agent in TYPES:
            for session_id in IDS:
                number += 1
                checkpoint = f"{number:012x}"
                self.evil[checkpoint] = (agent, session_id)
                for path, data in known.items():
                    place = path.replace(folder, f"{checkpoint[:2]}/{checkpoint[2:]}")
                    changed[place] = _evil(path, data, checkpoint, session_id, agent)
        hostile.put(self.story, changed)
        lines = "\n".join(f"Entire-Checkpoint: {checkpoint}" for checkpoint in self.evil)
        self.story.write("evil.py", "evil\n")
        self.story.git("add", "evil.py")
        author = "--output=owned <-x@example.com>"
        self.story.git("commit", "-q", "--no-verify", f"--author={author}", "-m", f"Evil\n\n{lines}")
        self.story.git("update-ref", "refs/heads/-x", "HEAD")
        self.story.git("update-ref", "refs/remotes/origin/--upload-pack=touch owned".replace(" ", "_"), "HEAD")

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run a command with the spies first on PATH."""
        env = {**self.story.env, "PATH": f"{self.bin}{os.pathsep}{self.story.env['PATH']}"}
        return subprocess.run([*forks.command(), *args], cwd=self.story.root, env=env, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)  # fmt: skip

    def started(self) -> list[str]:
        """Return the words that spies were started with since the last time."""
        words = self.spied.read_text().splitlines() if self.spied.exists() else []
        self.spied.unlink(missing_ok=True)
        return words

    def outside(self) -> dict[str, bytes]:
        """Return the files around the repository, in it and in the home folder, that must stay as they are."""
        found = {}
        for top in (self.story.root.parent, Path(os.environ["HOME"])):
            for path in top.rglob("*"):
                is_ours = ".git" in path.parts or path == self.spied or ".cache" in path.parts
                if not is_ours and stat.S_ISREG(path.lstat().st_mode):
                    found[str(path)] = path.read_bytes()
        return found


def _evil(path: str, data: bytes, checkpoint: str, session_id: str, agent: str) -> bytes:
    """Return a stored file with another session's id, and names that would be options."""
    if not path.endswith(".json"):
        return data
    value: Any = json.loads(data)
    if isinstance(value, dict):
        names = {"session_id": session_id, "checkpoint_id": checkpoint, "agent": agent, "model": "--output=owned",
                 "branch": "--output=owned"}  # fmt: skip
        value |= {key: name for key, name in names.items() if key in value}
        value |= {"files_touched": list(NAMES)} if "files_touched" in value else {}
        value |= {"session_ids": [session_id]} if "session_ids" in value else {}
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("hostile"))


def test_the_session_of_a_good_checkpoint_is_continued(world: World) -> None:
    """The proof that the spies see what they would see."""
    done = world.run("resume", world.mine, "--run")
    assert done.returncode == 0, done.stderr
    assert world.started() == [str(world.bin / "claude"), "-r", world.session.id]


@pytest.mark.parametrize("agent", TYPES)
def test_no_hostile_id_reaches_an_agent(world: World, agent: str) -> None:
    before = world.outside()
    for checkpoint, (evil_agent, session_id) in world.evil.items():
        if evil_agent != agent:
            continue
        done = world.run("resume", checkpoint, "--run")
        assert (done.returncode, world.started()) == (1, []), (session_id, done.stdout, done.stderr)
        assert "internal error" not in done.stderr
        assert any(reason in done.stderr for reason in REASONS), (session_id, done.stderr)
    assert world.outside() == before


@pytest.mark.parametrize("words", [
    ["status"], ["log"], ["log", "-p"], ["rewind", "--list"], ["search", "hello"], ["search", "--json", "hello"],
    ["doctor"], ["audit"], ["story", "HEAD~1..HEAD"], ["explain", "HEAD"], ["explain", "HEAD", "--full"],
    ["show", "HEAD"], ["why", "hello.py"], ["blame", "hello.py"], ["link", "-n", "HEAD"], ["unlink", "-n", "HEAD"],
    ["resume"], ["resume", "--", "-x"], ["resume", "--", "--upload-pack=touch_owned"], ["clean"], ["forget", "-n", "x"],
], ids=" ".join)  # fmt: skip
def test_reading_commands_run_nothing_and_write_nothing_outside(world: World, words: list[str]) -> None:
    before = world.outside()
    done = world.run(*words)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert world.started() == []
    assert world.outside() == before


def test_every_hostile_checkpoint_can_be_looked_at(world: World) -> None:
    before = world.outside()
    for checkpoint, (agent, session_id) in world.evil.items():
        if agent == "Claude Code":
            for words in (["explain", "-c", checkpoint], ["show", checkpoint]):
                done = world.story.entire(*words)
                assert done in (0, 1), (session_id, words)
    assert world.started() == []
    assert world.outside() == before


def test_a_model_that_would_be_an_option_is_refused(world: World) -> None:
    done = world.run("explain", world.mine, "--generate", "--with", "claude-code", "--model=--mcp-config=x")
    assert (done.returncode, world.started()) == (1, []), done.stdout
    assert "the model's name cannot stand on a command line: '--mcp-config=x' would be an option" in done.stderr


def test_a_transcript_gives_no_session_another_id(tmp_path: Path) -> None:
    """An old record's id may be taken from its transcript: from a hostile one, an option."""
    world = World(tmp_path)
    evil = "--dangerously-skip-permissions"
    folder = f"{world.mine[:2]}/{world.mine[2:]}"
    changed = {}
    for path, data in hostile.stored(world.story).items():
        if path.startswith(folder):
            dated = data.replace(world.session.id.encode(), f"2026-01-05-{world.session.id}".encode())
            if "full.jsonl" in path:
                dated = data.replace(world.session.id.encode(), evil.encode())
            changed[path] = dated
    hostile.put(world.story, changed)
    done = world.run("resume", world.mine, "--run")
    assert (done.returncode, world.started()) == (1, []), done.stdout
    assert "cannot stand on a command line" in done.stderr


def test_a_rewind_prints_no_command_with_a_hostile_id(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(story, "--mcp-config=x")
    session.start()
    with session.turn("Write a"):
        session.write("a.py", "a\n")
    with session.turn("Write b"):
        session.write("b.py", "b\n")
    capsys.readouterr()
    assert story.entire("rewind", "--before-last-prompt", "--preview") == 0
    out = capsys.readouterr().out
    assert "claude" not in out.split("diff --git")[0].replace("Claude Code", "")
    assert not story.path("owned").exists()
