"""Scratch worlds for the commands of documentation pages: a home and a repository, as ``make demo`` makes them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from pathlib import Path

from entire_demo_agent import story
from entire_demo_agent.stage import Stage, Teller

PATIENCE = 60
_SUBSTITUTES = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "SESSION"),
    (r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?)?", "TIME"),
    (r', "entire": \{"timestamp": \d{10}\.\d+\}', ""),  # only where seconds in text would lose a fraction
    (r"\b\d{10}\.\d+\b", "SECONDS"),
    (r"\b(?=[a-f]*[0-9])[0-9a-f]{7,40}\b", "ID"),
    (r"\b(\d+ (day|hour|minute)s? ago|just now)\b", "AGO"),
    (r"\b\d+\.\d+\.\d+\S*", "VERSION"),
    (r"\b(\d+m )?\d+s\b", "DURATION"),
    (r"\b[\d,]+ (in|out|cache|tokens)\b", r"N \1"),
    (r"\(\d+ calls?\)", "(N calls)"),
)
"""What differs from run to run, and what stands for it in a comparison."""


class _Closed(Exception):
    """The agent's terminal was closed, so that its session has not ended."""


class World:
    """A repository to run commands in, one after the other."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir()
        self.stage = Stage(folder.resolve(), Teller(io.StringIO()))
        programs = self.stage.home / ".local" / "bin"
        programs.mkdir(parents=True)
        self._env = {**self.stage.environment, "PATH": f"{self.stage.environment['PATH']}{os.pathsep}{programs}",
                     "TZ": "UTC", "NO_COLOR": "1", "COLUMNS": "120"}  # fmt: skip
        self._folder = self.stage.repository
        MAKERS[name](self.stage)

    def run(self, command: str) -> tuple[int, str]:
        """Run a command line; return its exit code and what it printed. A change of folder stays."""
        after = self.stage.folder / "folder"
        script = f'{command}\nstatus=$?; pwd > "$FOLDER_AFTER"; exit $status'
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self._folder,
            env={**self._env, "FOLDER_AFTER": str(after)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        self._folder = Path(after.read_text().rstrip("\n")) if after.exists() else self._folder
        return done.returncode, done.stdout.decode()

    def id_of(self, what: str) -> str:
        """Return the id that a page means by a word: the checkpoint, a point, the commit, the session."""
        commit = self.stage.quiet("git", "rev-parse", "--short", "HEAD")
        if what in ("commit", "point"):
            return commit
        if what == "checkpoint":
            return str(story.TRAILER.findall(self.stage.quiet("git", "log", "-1", "--format=%B"))[0])
        assert what == "session", f"no world has a {what}"
        (state,) = (self.stage.repository / ".git/entire-sessions").glob("*.json")
        return state.stem

    def shown(self, text: str) -> str:
        """Return output as a page can show it: in the home of some user."""
        text = text.replace(str(self.stage.repository), "~/greetings").replace(str(self.stage.home), "~")
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))

    def neutral(self, text: str) -> str:
        """Return output without what differs from run to run."""
        text = self.shown(text)
        for pattern, substitute in _SUBSTITUTES:
            text = re.sub(pattern, substitute, text)
        return text


def new(stage: Stage) -> None:
    """Make a repository with a commit, in which Entire was never enabled."""
    stage.quiet("git", "init", "-q", "--initial-branch=main")
    (stage.repository / "notes.txt").write_text("Notes\n")
    stage.quiet("git", "add", ".")
    stage.quiet("git", "commit", "-q", "-m", "Begin")


def work(stage: Stage) -> None:
    """Let the demo agent work for three turns, and change a line by hand; nothing is committed yet."""
    teller = Teller(io.StringIO())
    story.begin(teller, stage)
    with contextlib.suppress(_Closed), stage.converse() as conversation:
        for number in range(len(story.PROMPTS)):
            story.take_turn(teller, stage, conversation, number)
        raise _Closed
    path = stage.repository / "greet.py"
    path.write_text(story.BY_HAND + path.read_text())


def commit(stage: Stage) -> None:
    """Commit that work, with a checkpoint, also on a branch ``feature``."""
    work(stage)
    stage.quiet("git", "add", ".")
    stage.quiet("git", "commit", "-q", "-m", "Greet people")
    stage.quiet("git", "branch", "feature")


MAKERS = {"new": new, "work": work, "commit": commit}
"""The worlds that a page can ask for."""
