"""Lists every blob that a history ever held, and the commit that brought it to each path. One git process."""

from __future__ import annotations

from entire.git import run
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OPTIONS = ("--reverse", "--topo-order", "--raw", "-r", "-m", "--root", "-z", "--no-abbrev", "--no-renames",
            "--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--full-history",
            "--sparse", "--encoding=UTF-8", "--format=%x00+%x00%H%x00%ct%x00%B%x00")  # fmt: skip
_BLOBS = ("100644", "100755", "120000")


class Added(Value):
    """A commit, and what its tree has that a parent's has not: (path, blob id), in the order of paths."""

    commit: str
    time: float
    message: str
    blobs: tuple[tuple[str, str], ...] = ()


def find(where: str, tips: Sequence[str], folders: Sequence[str] = ()) -> Iterator[Added]:
    """Yield all commits that the tips reach, oldest first; with ``folders``, the blobs in these only.

    Raises GitError if git cannot read the history.
    """
    if not tips:
        return
    stdin = "".join(f"{tip}\n" for tip in tips)
    output = run.at_once(where, "-c", "log.follow=false", "-c", "diff.relative=false", "log", *_OPTIONS, "--stdin",
                         "--", *folders, stdin=stdin.encode())  # fmt: skip
    words = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    commit: Added | None = None
    blobs: list[tuple[str, str]] = []
    for word in words:
        if word == "+":
            if commit is not None:
                yield _merged(commit, blobs)
            commit, blobs = Added(commit=next(words), time=float(next(words) or 0), message=next(words)), []
        elif word.lstrip("\n").startswith(":"):
            _, mode, _, oid, _ = word.lstrip("\n").split(" ", 4)
            path = next(words)
            if mode in _BLOBS:
                blobs.append((path, oid))
    if commit is not None:
        yield _merged(commit, blobs)


def _merged(commit: Added, blobs: list[tuple[str, str]]) -> Added:
    return Added(commit=commit.commit, time=commit.time, message=commit.message, blobs=tuple(dict.fromkeys(blobs)))
