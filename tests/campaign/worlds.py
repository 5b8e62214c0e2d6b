"""A repository with a played session, that can be put back to how it was as often as one likes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.campaign import hurt
from tests.campaign.hurt import UNHURT, Ended, Fault
from tests.integration.kept import PERSON
from tests.integration.story import Session, Story

MINE = frozenset(("README.md", "mine.txt", "staged.txt"))  # what a person changed and no session


_PLAYED: dict[Path, list[dict[str, Any]]] = {}
"""What the sessions are at the end of the beginning, by the world's folder."""


class World:
    """Two sessions with steps and checkpoints, and a person with edits of their own: staged, not staged, untracked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = folder / "base"
        self.kept = folder / "kept"
        shutil.rmtree(self.base, ignore_errors=True)
        self.story = Story(self.base / "repo")
        self.notes: dict[str, Any] = {}  # what a scenario remembers of its preparation
        self._sessions: dict[str, tuple[str | None, str, int]] = {}
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        os.environ["ENTIRE_LOG_LEVEL"] = "debug"
        os.environ.update(PERSON)
        self.a, self.b = self.story.session(), self.story.session()
        self._begin()

    def _begin(self) -> None:
        """Play the beginning, or put back what this process has played in the same folder: paths are in it."""
        played = self.folder / "played"
        known = _PLAYED.get(self.folder)
        if known is None:
            self._play()
            shutil.rmtree(played, ignore_errors=True)
            shutil.copytree(self.base, played, symlinks=True)
            _PLAYED[self.folder] = [dict(vars(session)) for session in (self.a, self.b)]
            return
        for session, values in zip((self.a, self.b), known, strict=True):
            vars(session).update(values | {"story": self.story})
        shutil.rmtree(self.base)
        shutil.copytree(played, self.base, symlinks=True)

    def _play(self) -> None:
        story, a, b = self.story, self.a, self.b
        story.write(".gitignore", "*.log\n")
        story.write("build.log", "ignored\n")
        story.commit("Ignore logs")
        a.start()
        with a.turn("Create greeting"):
            a.write("hello.py", "print(1)\n")
            a.write("old.py", "old\n")
        story.commit("Greeting")
        with a.turn("Improve it"):
            a.edit("hello.py", "print(1)", "print(2)")
            a.write("more.py", "more\n")
        b.start()
        with b.turn("Something else"):
            b.write("b.py", "b\n")
        with a.turn("Once more"):
            a.edit("hello.py", "print(2)", "print(3)")
            a.write("pkg/third.py", "third\n")
        story.write("staged.txt", "staged\n")
        story.git("add", "staged.txt")
        story.write("README.md", "start\nmine\n")
        story.write("mine.txt", "mine\n")

    # ------------------------------------------------------------ back to the start

    def save(self) -> None:
        """Remember how everything is."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.base, self.kept, symlinks=True)
        self._sessions = {
            session.id: (session.parent, session.prompt_id, session.answers) for session in (self.a, self.b)
        }

    def restore(self) -> None:
        """Put everything back to how it was at ``save``."""
        shutil.rmtree(self.base)
        shutil.copytree(self.kept, self.base, symlinks=True)
        for session in (self.a, self.b):
            session.parent, session.prompt_id, session.answers = self._sessions[session.id]

    # ------------------------------------------------------------ what happens in it

    def entire(self, *args: str, stdin: bytes = b"", fault: Fault = UNHURT) -> Ended:
        """Run a command or hook in a child, with a fault."""
        return hurt.call(args, self.story.root, stdin, fault)

    def ok(self, *args: str) -> bytes:
        """Run a command that must succeed; return its output."""
        ended = self.entire(*args)
        assert ended.status == 0, (args, ended.out, ended.err)
        return ended.out

    def payload(self, session: Session, verb: str, **extra: object) -> bytes:
        """Return what the agent says to a hook."""
        value = {"session_id": session.id, "transcript_path": str(session.file), "cwd": str(session.cwd),
                 "hook_event_name": verb, **extra}  # fmt: skip
        return json.dumps({"prompt_id": session.prompt_id, **value} if session.prompt_id else value).encode()

    def hook(self, session: Session, verb: str, fault: Fault = UNHURT, **extra: object) -> Ended:
        """Run an agent's hook in a child, with a fault."""
        return self.entire(*hook(verb), stdin=self.payload(session, verb, **extra), fault=fault)

    def points(self) -> list[dict[str, Any]]:
        """Return the points, newest first."""
        found: list[dict[str, Any]] = json.loads(self.ok("rewind", "--list"))
        return found


def hook(verb: str) -> tuple[str, ...]:
    """Return the words with which an agent starts us."""
    return ("hooks", "claude-code", verb)
