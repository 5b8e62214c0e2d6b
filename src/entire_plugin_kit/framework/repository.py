"""A real repository in which an agent works: the framework's side of the promises."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire import Workspace, cli
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire import CheckpointView, PartView, PointView, SessionView
    from entire_plugin_kit.rig import Player, Rig


class Repository:
    """A repository with one commit and Entire enabled. Hooks run in this process, which knows the rig's agent."""

    def __init__(self, rig: Rig, folder: Path) -> None:
        self.rig = rig
        self.folder = folder
        self.root = (folder / "repo").resolve()
        self.root.mkdir(parents=True)
        self.log = self.root / ".git/entire/logs/entire.log"
        self.times = 1
        """How often each hook call of the agent is delivered."""
        self.git("init", "-q", "-b", "main")
        self.write("README.md", "start\n")
        self.enable()
        self.git("add", "-A")
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Start")

    def enable(self) -> None:
        agent = ("--agent", self.rig.entry.name) if self.rig.has("hook_installer") else ()
        self.entire("enable", "--skip-push-sessions", *agent)

    def clone(self) -> Repository:
        """Return another clone with the same checkpoints, but none of the agent's files."""
        other = Repository(self.rig, self.folder / "other")
        other.git("fetch", "-q", str(self.root), "main", "entire/checkpoints/v1:entire/checkpoints/v1")
        other.git("reset", "-q", "--hard", "FETCH_HEAD")
        return other

    # ------------------------------------------------------------ the person

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", "-C", str(self.root), *args], timeout=60, capture_output=True)
        same(done.returncode, 0, (args, done.stderr))
        return done.stdout.decode("utf-8", "surrogateescape")

    def entire(self, *args: str, stdin: bytes = b"") -> bytes:
        """Run a command or hook in this process; return what it prints."""
        before = Path.cwd(), sys.stdin, sys.stdout
        printed = io.BytesIO()
        os.chdir(self.root)
        sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(stdin)), io.TextIOWrapper(printed)
        try:
            same(cli.main(list(args)), 0, args)
            sys.stdout.flush()
            return printed.getvalue()
        finally:
            folder, sys.stdin, sys.stdout = before
            os.chdir(folder)

    def write(self, name: str, text: str) -> str:
        """Write a file of the worktree; return its path."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def commit(self, message: str) -> CheckpointView:
        """Commit everything, with git's hooks, and return the checkpoint that the commit is linked to."""
        self.git("add", "-A")
        (self.root / ".git" / "MESSAGE").write_text(message + "\n")
        self.entire("hooks", "git", "prepare-commit-msg", ".git/MESSAGE", "message")
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", ".git/MESSAGE")
        self.entire("hooks", "git", "post-commit")
        explained = self.workspace().history.explain("HEAD")
        assert explained.reason is None
        (checkpoint,) = explained.checkpoints
        return checkpoint

    # ------------------------------------------------------------ the agent

    def hook(self, verb: str, payload: bytes) -> None:
        for _ in range(self.times):
            self.entire("hooks", self.rig.entry.name, verb, stdin=payload)

    def play(self, session_id: str = "a-session") -> Player:
        """Return a session at work here: a new one, or a known one that the agent continues."""
        player = self.rig.play(self.root, session_id, self.hook)
        player.start()
        return player

    def turn(self, player: Player, prompt: str, **files: str) -> bytes:
        """Play a turn in which tools write files (``one="text"`` writes ``one.txt``); return the transcript then."""
        player.prompt(prompt)
        for name, text in files.items():
            player.change(self.write(f"{name}.txt", text))
        player.answer(f"Did: {prompt}")
        player.stop()
        return self.transcript(player)

    def transcript(self, player: Player) -> bytes:
        return self.rig.adapter().transcript(player.ref).snapshot()

    def transcript_at_stop(self, player: Player) -> bytes:
        """Return what was there when the hook ran that ended the last turn."""
        if not player.late:
            return self.transcript(player)
        transcript = self.rig.adapter().transcript(player.ref)
        return transcript.cut(transcript.at(transcript.end().count - player.late))

    # ------------------------------------------------------------ what was recorded

    def workspace(self) -> Workspace:
        os.chdir(self.root)
        return Workspace.find(self.root)

    def session(self, session_id: str = "a-session") -> SessionView:
        (session,) = (one for one in self.workspace().sessions.listing() if one.session_id == session_id)
        return session

    def steps(self) -> list[PointView]:
        """Return the steps, oldest first."""
        return [point for point in self.workspace().points.listing() if point.kind == "step"][::-1]

    def step_transcript(self, step: PointView) -> bytes:
        """Return the transcript that a step holds."""
        folder = f"{step.id}:.entire/metadata/{step.session_id}"
        names = self.git("ls-tree", "--name-only", folder).split()
        parts = sorted(name for name in names if name.startswith("full.jsonl"))
        chunks = [self.git("show", f"{folder}/{name}").encode("utf-8", "surrogateescape") for name in parts]
        return self.rig.adapter().reassemble_transcript(chunks)

    def part(self, checkpoint: CheckpointView, session_id: str = "a-session") -> PartView:
        """Return one session's part of a checkpoint."""
        (own,) = (part for part in checkpoint.parts if part.session_id == session_id)
        return own

    def problems(self) -> list[str]:
        """Return the warnings and errors in the log."""
        log = self.root / ".git/entire/logs/entire.log"
        lines: list[dict[str, Any]] = (
            [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        )
        return [line["msg"] for line in lines if line["level"] in ("ERROR", "WARN")]

    def forget_problems(self) -> None:
        self.log.unlink(missing_ok=True)


@contextmanager
def open_repository(rig: Rig, folder: Path) -> Iterator[Repository]:
    """Return a repository, and check at the end that no hook has logged a problem."""
    repository = Repository(rig, folder)
    yield repository
    same(repository.problems(), [])
