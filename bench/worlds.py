"""Builds the measured repositories: trees and checkpoints with ``git fast-import``, session states as files."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.agents import CLAUDE_CODE, Agent
from bench.processes import Programs, Spent

BRANCH = "entire/checkpoints/v1"
CALLS = "BENCH_CALLS"
"""The environment variable that names the file for a plugin's calls."""
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
_WHO = b"Bench <bench@example.com> 1767225600 +0000"
_DAY = 86400.0


@dataclass(frozen=True)
class Kind:
    """The size of a repository, and the agent at work in it."""

    name: str
    files: int = 100
    ignored: int = 0
    sessions: int = 0
    checkpoints: int = 0
    transcript: int = 0  # bytes, before the first turn
    growth: int = 10_000  # bytes of transcript per turn
    agent: Agent = CLAUDE_CODE

    @property
    def title(self) -> str:
        """Describe the sizes that are not zero, and an agent other than the first."""
        extra = {
            f"{self.ignored:,} ignored": self.ignored,
            f"{self.sessions:,} sessions": self.sessions,
            f"{self.checkpoints:,} checkpoints": self.checkpoints,
            f"{self.transcript / 1e6:,.0f} MB transcript": self.transcript,
        }
        sizes = " + ".join([f"{self.files:,} files", *(words for words, count in extra.items() if count)])
        return sizes if self.agent is CLAUDE_CODE else f"{sizes}, {self.agent.title}"


class World:
    """A repository with a worktree, in a folder that also holds the agent's transcripts."""

    def __init__(self, folder: Path, programs: Programs, agent: Agent = CLAUDE_CODE) -> None:
        self.folder = folder
        self.root = folder / "repo"
        self.programs = programs
        self.agent = agent
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> str:
        """Run git; return its output."""
        return self.programs.run(["git", *args], cwd=self.root, stdin=stdin, output=True, ok=ok).output.decode()

    def entire(self, *args: str) -> Spent:
        return self.programs.run([self.programs.entire, *args], cwd=self.root, output=True)

    def enable(self, *options: str) -> None:
        """Enable Entire for the agent; allow its plugin, if it has one."""
        if self.agent.plugin:
            self._install_plugin()
            self.entire("plugin", "allow", "--yes", self.agent.name)
        self.entire("enable", "--agent", self.agent.name, *options)

    def _install_plugin(self) -> None:
        """Put the agent's plugin on PATH: a program that also writes its arguments to the file ``CALLS`` names."""
        name, folder = f"entire-agent-{self.agent.name}", self.folder / "plugin"
        if "{template}" in self.agent.plugin:
            self.entire("plugin", "new", self.agent.name, "--into", str(folder))
        line = self.agent.plugin.format(template=folder / name)
        path = self.programs.own_bin / name
        path.write_text(f'#!/bin/sh\n[ -z "${{{CALLS}-}}" ] || printf "%s\\n" "$*" >>"${CALLS}"\n{line}\n')
        path.chmod(0o755)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    # ---------------------------------------------------------------- measured programs

    def status(self) -> Spent:
        """Run `git status` without refreshing the index, so that the next run has the same work to do."""
        argv = ["git", "status", "--porcelain", "-z", "-uall"]
        return self.programs.run(argv, cwd=self.root, env={"GIT_OPTIONAL_LOCKS": "0"})

    def commit(self, message: str, *, env: dict[str, str] | None = None) -> Spent:
        """Commit the staged changes, as a person does."""
        return self.programs.run(["git", "commit", "-q", "-m", message], cwd=self.root, env=env)

    def plain_commit(self, number: int, *, env: dict[str, str] | None = None) -> Spent:
        """Commit a new and a changed file without hooks, then restore the previous state: the floor of a commit."""
        with self._undone():
            for name in ("d0/f1.txt", f"work/plain{number}.py"):
                oid = self.git("hash-object", "-w", "--stdin", stdin=f"{name} {number}\n".encode() * 20).strip()
                self.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{name}")
            argv = ["git", *_NO_HOOKS, "commit", "-q", "-m", f"plain {number}"]
            return self.programs.run(argv, cwd=self.root, env=env)

    def plain_commit_of(self, paths: Sequence[str], *, env: dict[str, str] | None = None) -> Spent:
        """Commit these paths of the worktree without hooks, then restore the previous state."""
        with self._undone():
            self.git("add", "-N", "--", *paths)
            argv = ["git", *_NO_HOOKS, "commit", "-q", "-m", "plain", "--only", "--", *paths]
            return self.programs.run(argv, cwd=self.root, env=env)

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """Restore the index and the branch afterwards."""
        saved = {path: path.read_bytes() if path.exists() else None for path in self._moving()}
        yield
        for path, data in saved.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)

    def _moving(self) -> list[Path]:
        git_dir = self.root / ".git"
        return [git_dir / name for name in ("index", "refs/heads/main", "logs/HEAD", "logs/refs/heads/main")]

    def linked(self) -> str:
        """Return HEAD's checkpoint, which its message names, or the checkpoints branch if git's hooks were off.

        Raises RuntimeError without one, as the figures would be wrong. Asks git only, since a command of ours would
        first link what its hooks left unlinked.
        """
        oid, message = self.git("log", "-1", "--format=%H%n%B").split("\n", 1)
        recorded = self.git("ls-tree", "--name-only", BRANCH, f"links/commits/{oid[:2]}/", ok=(0, 128))
        found = re.search(r"^Entire-Checkpoint: (\w+)$", message, re.M)
        found = found or re.search(rf"/{oid[2:]}-\d+-(\w+)$", recorded, re.M)
        if found is None:
            raise RuntimeError(f"the commit was not linked; the log says: {self.complaints()}")
        return found[1]

    def complaints(self) -> list[str]:
        """Return the errors in Entire's log, and what it noted of plugins."""
        log, problems = self.root / ".git/entire/logs/entire.log", self.root / ".git/entire/plugin-problems.json"
        lines = log.read_text().splitlines() if log.exists() else []
        noted = problems.read_text().splitlines() if problems.exists() else []
        return [*(line for line in lines if '"ERROR"' in line or '"WARN"' in line), *noted]

    # ---------------------------------------------------------------- building

    def fill(self, kind: Kind) -> None:
        """Write and commit the files, then the ignored ones; enable Entire."""
        self.git("fast-import", "--quiet", stdin=b"".join(_tree(kind.files)))
        self.git("read-tree", "--reset", "-u", "HEAD")
        past = time.time() - 3600  # a file older than the index is unchanged for git without reading it
        for name in _names(kind.files):
            os.utime(self.root / name, (past, past))
        folders = max(10, kind.files // 100)
        for number in range(kind.ignored):  # half in a folder that is ignored as a whole, half beside the sources
            folder = f"node_modules/m{number // 200}" if number % 2 else f"d{number // 200 % folders}"
            if number % 200 < 2:
                (self.root / folder).mkdir(parents=True, exist_ok=True)
            (self.root / folder / f"i{number}.o").touch()
        self.enable()
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Enable entire")

    def multiply_sessions(self, session_id: str, count: int) -> None:
        """Copy a committed session ``count`` times, an hour apart, every second copy ended."""
        patterns = [self.folder / "projects", self.root / ".git/entire-sessions", self.root / ".git/entire/sessions"]
        originals = [path for folder in patterns for path in folder.iterdir() if path.name.startswith(session_id)]
        now = time.time()
        for number in range(count):
            other = f"{number:08x}-0000-4000-8000-{number:012x}"
            seen = now - 7200 - number * 3600
            for path in originals:
                text = path.read_text().replace(session_id, other)
                text = re.sub(r'"(last_seen|started)": ?[\d.]+', rf'"\1":{seen}', text)
                if number % 2:
                    text = re.sub(r'"phase": ?"idle"', '"phase":"ended"', text)
                target = path.with_name(path.name.replace(session_id, other))
                target.write_text(text)
                os.utime(target, (seen, seen))
        journal = self.root / ".git/entire/journal.json"
        known = "".join(f'"{number:08x}-0000-4000-8000-{number:012x}",' for number in range(min(count, 22)))
        journal.write_text(re.sub(r'"sessions": ?\[', lambda found: found[0] + known, journal.read_text(), count=1))

    def multiply_checkpoints(self, count: int) -> None:
        """Copy the linked commit HEAD ``count`` times, each with its own checkpoint."""
        known = self.linked()
        folder = f"{known[:2]}/{known[2:]}"
        names = self.git("ls-tree", "-r", "--name-only", BRANCH, folder + "/").split()
        contents = {name: self.git("show", f"{BRANCH}:{name}").encode() for name in names}
        stream = _history(known, contents, self.git("rev-parse", "main", BRANCH).split(), count)
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        self.git("read-tree", "--reset", "-u", "HEAD")


def _tree(count: int) -> Iterator[bytes]:
    """Yield a fast-import stream that commits ``count`` small files, about a hundred per folder."""
    yield b"commit refs/heads/main\ncommitter " + _WHO + b"\ndata 5\nfiles\n"
    yield b"M 100644 inline .gitignore\ndata 18\nnode_modules/\n*.o\n\n"
    for number, name in enumerate(_names(count)):
        data = f"file {number}\n".encode() * 20
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)


def _names(count: int) -> Iterator[str]:
    """Yield ``count`` file names."""
    folders = max(10, count // 100)
    for number in range(count):
        yield f"d{number % folders}/f{number}.txt"


def _history(known: str, contents: dict[str, bytes], tips: list[str], count: int) -> Iterator[bytes]:
    """Yield a fast-import stream that repeats a linked commit and its checkpoint with other ids."""
    ids = random.Random(1)
    old = (known.encode(), f"{known[:2]}/{known[2:]}".encode())
    for number in range(count):
        checkpoint = f"{ids.getrandbits(48):012x}"
        new = (checkpoint.encode(), f"{checkpoint[:2]}/{checkpoint[2:]}".encode())
        start = b"from %s\n" % tips[1].encode() if not number else b""
        message = b"Checkpoint: %s\n" % new[0]
        yield (
            b"commit refs/heads/%s\ncommitter %s\ndata %d\n%s" % (BRANCH.encode(), _WHO, len(message), message) + start
        )
        for name, data in contents.items():
            data = data.replace(old[0], new[0]).replace(old[1], new[1])
            path = name.encode().replace(old[1], new[1])
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data)
        start = b"from %s\n" % tips[0].encode() if not number else b""
        message = b"Change %d\n\nEntire-Checkpoint: %s\n" % (number, new[0])
        yield b"commit refs/heads/main\ncommitter %s\ndata %d\n%s" % (_WHO, len(message), message) + start
        text = b"change %d\n" % number
        yield b"M 100644 inline history/%02d.txt\ndata %d\n%s\n" % (number % 100, len(text), text)
