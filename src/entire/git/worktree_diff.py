"""How files of the worktree differ from HEAD, as git prints it, untracked files included. Writes nothing."""

from __future__ import annotations

import os
import stat

from entire.git import history, run
from entire.model.ids import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty",
            "--src-prefix=a/", "--dst-prefix=b/")  # fmt: skip
_LARGEST = 1 << 20
_START = 8000  # bytes in which git looks for a NUL, the mark of a binary file


def of_files(top: str, paths: Sequence[str]) -> bytes:
    """Return the differences of these paths."""
    if not paths:
        return b""
    head = history.resolve(top, "HEAD") or run.git(top, "hash-object", "-t", "tree", "--stdin").stdout.decode().strip()
    tracked = run.git(top, "--literal-pathspecs", *_OPTIONS, Argument(head), "--", *paths, ok=(0, 128)).stdout
    listed = run.git(top, "--literal-pathspecs", "ls-files", "-z", "--others", "--", *paths, ok=(0, 128)).stdout
    names = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return tracked + b"".join(_untracked(top, name) for name in names)


def _untracked(top: str, path: str) -> bytes:
    """Return the difference of a file that HEAD and the index lack."""
    name = path.encode("utf-8", "surrogateescape").replace(b"\n", b"\\n")
    try:
        info = os.lstat(os.path.join(top, path))
        is_link = stat.S_ISLNK(info.st_mode)
        if not is_link and not stat.S_ISREG(info.st_mode):
            return b""
        mode = b"120000" if is_link else b"100755" if info.st_mode & 0o100 else b"100644"
        head = b"diff --git a/%b b/%b\nnew file mode %b\n" % (name, name, mode)
        if info.st_size > _LARGEST:
            return head + b"A file of %d bytes\n" % info.st_size
        data = os.fsencode(os.readlink(os.path.join(top, path))) if is_link else _content(os.path.join(top, path))
    except OSError:
        return b""
    if b"\0" in data[:_START]:
        return head + b"Binary files /dev/null and b/%b differ\n" % name
    lines = data.split(b"\n")
    tail = b"\\ No newline at end of file\n" if lines[-1:] != [b""] else b""
    lines = lines if tail else lines[:-1]
    added = b"".join(b"+" + line + b"\n" for line in lines)
    return head + (b"--- /dev/null\n+++ b/%b\n@@ -0,0 +1,%d @@\n" % (name, len(lines)) + added + tail if lines else b"")


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_LARGEST)
