"""Commands called in process, in temporary repositories."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire import cli
from entire.index import digests
from tests.integration.story import Story


class Repo:
    """A repository that is the current folder, and the command line in it."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top = top
        self.out = ""
        self.err = ""
        self._capsys = capsys

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", "-C", str(self.top), *args], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def entire(self, *args: str) -> int:
        """Run a command; what it said is in ``out`` and ``err``."""
        self._capsys.readouterr()
        status = cli.main(args)
        self.out, self.err = self._capsys.readouterr()
        return status

    def ok(self, *args: str) -> str:
        """Run a command that must succeed; return its output."""
        status = self.entire(*args)
        assert (status, self.err) == (0, ""), (args, status, self.err)
        return self.out

    def json(self, *args: str) -> Any:
        return json.loads(self.ok(*args, "--json"))

    def read_json(self, name: str) -> Any:
        return json.loads((self.top / name).read_text())

    def put(self, path: str, text: str, message: str = "Update") -> None:
        """Write a file on the checkpoints branch by git alone, as another tool would."""
        env = {**os.environ, "GIT_INDEX_FILE": str(self.top / ".git/other-index")}

        def git(*args: str, stdin: str = "") -> str:
            command = ["git", "-C", str(self.top), *args]
            return subprocess.run(command, check=True, capture_output=True, text=True, env=env, input=stdin).stdout

        branch = "entire/checkpoints/v1"
        git("read-tree", branch)
        blob = git("hash-object", "-w", "--stdin", stdin=text).strip()
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        commit = git("commit-tree", git("write-tree").strip(), "-p", branch, "-m", message).strip()
        git("update-ref", f"refs/heads/{branch}", commit)

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Return every file and folder below the top, git's own included, with its mode and bytes; without what was
        found in transcripts, which commands keep for each other.
        """
        found = {}
        for path in sorted(self.top.rglob("*")):
            if not path.is_dir() and path.name != digests.NAME:
                data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
                found[str(path.relative_to(self.top))] = (path.lstat().st_mode, data)
        return found


class Command:
    """Commands that begin with the same words, and what they say."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.story = story
        self.capsys = capsys
        self.words = words
        self.err = ""

    def __call__(self, *args: str, status: int = 0, cwd: Path | None = None) -> str:
        self.capsys.readouterr()
        assert self.story.entire(*self.words, *args, cwd=cwd) == status, self.capsys.readouterr()
        out, self.err = self.capsys.readouterr()
        return out

    def json(self, *args: str) -> Any:
        return json.loads(self(*args, "--json"))
