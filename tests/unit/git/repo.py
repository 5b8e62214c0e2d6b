"""A repository in a temporary folder, and files for it as strange as git allows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hypothesis import strategies as st

WEIRD = [
    "plain.txt",
    "dir/in dir.txt",
    "dir/deep/x",
    "tab\there",
    'quo"te',
    "back\\slash",
    "é ü.txt",
    "new\nline",
    "-dash",
    ":colon",
    "*star",
    "[br]",
    "a b",
    " lead",
    "trail ",
    "\x01ctl",
    "\udcff.bin",
    "#hash",
    "~t",
    "'q'",
]
TEXTS = [
    b"",
    b"one\n",
    b"one\ntwo\nthree\n",
    b"no newline",
    b"a\r\nb\r\n",
    b"\0binary\0",
    b"x\n" * 40,
    b"one\ntwo\nthree\nfour\n",
    b"  blanks\t\n",
    b"\xff\xfe not utf-8\n",
    b"@@ -1 +1 @@\n",
    b"diff --git a/x b/x\n",
    b"\\ No newline at end of file\n",
    b"-- \n+++ b\n",
    b"\n\n\n",
    b"x\ry\n",
    b"\x0c\n",
]

names = st.sampled_from(WEIRD)
texts = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c c\n", b"d", b"\n"]), max_size=12).map(b"".join),
)
kinds = st.sampled_from(["100644", "100644", "100644", "100755", "120000"])
contents = st.tuples(kinds, texts)
trees = st.dictionaries(names, contents, max_size=6)
Tree = dict[str, tuple[str, bytes]]


class Repo:
    """A repository, driven by the user's own git."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.top = os.path.realpath(folder)
        self.git("init", "-q", *options)

    def git(self, *args: str | bytes, data: bytes = b"", env: dict[str, str] | None = None, ok: bool = True) -> bytes:
        done = subprocess.run(
            ["git", *args],
            cwd=self.top,
            input=data,
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        assert done.returncode == 0 or not ok, done.stderr
        return done.stdout

    def line(self, *args: str | bytes, data: bytes = b"", env: dict[str, str] | None = None) -> str:
        return self.git(*args, data=data, env=env).decode("ascii").strip()

    def blob(self, data: bytes) -> str:
        return self.line("hash-object", "-w", "--stdin", data=data)

    def tree(self, files: Tree) -> str:
        """Write a tree; a target of a link is never empty and has no NUL, as on a disk."""
        index = os.path.join(self.top, ".git", "scratch-index")
        if os.path.exists(index):
            os.unlink(index)
        lines = b""
        for name, (mode, data) in files.items():
            data = (data.replace(b"\0", b"0") or b"target") if mode == "120000" else data
            lines += f"{mode} {self.blob(data)}\t".encode() + os.fsencode(name) + b"\0"
        env = {"GIT_INDEX_FILE": index}
        self.git("update-index", "-z", "--index-info", data=lines, env=env)
        return self.line("write-tree", env=env)

    def path(self, name: str) -> bytes:
        return os.path.join(os.fsencode(self.top), os.fsencode(name))

    def write(self, name: str, mode: str, data: bytes) -> None:
        """Put a file, or a link, into the worktree, whatever is in its way."""
        path = self.path(name)
        self.remove(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if mode == "120000":
            os.symlink(data.replace(b"\0", b"0") or b"target", path)
            return
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o755 if mode == "100755" else 0o644)

    def remove(self, name: str) -> None:
        if os.path.lexists(self.path(name)):
            os.unlink(self.path(name))
