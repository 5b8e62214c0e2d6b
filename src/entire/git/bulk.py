"""Thousands of objects at once: all questions are asked before the first answer is read."""

from __future__ import annotations

from entire.git import run
from entire.git.read import Object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_AT_ONCE = 4096  # bounds what is held in memory


def get(where: str, names: Sequence[str]) -> Iterator[Object | None]:
    """Return the object of each name in order, None where git knows none. Meant for small objects (trees, metadata)."""
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        asked = "\n".join(some).encode("utf-8", "surrogateescape") + b"\n"
        answer = run.git(where, "cat-file", "--batch", "--buffer", stdin=asked).stdout
        yield from _parse(answer, len(some))


def missing(where: str, names: Sequence[str]) -> list[str]:
    """Return those of the names that git knows no object of, without reading the objects."""
    found = []
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        asked = "\n".join(some).encode("utf-8", "surrogateescape") + b"\n"
        answer = run.git(where, "cat-file", "--batch-check", "--buffer", stdin=asked).stdout
        found += [name for name, line in zip(some, answer.split(b"\n"), strict=False) if line.endswith(b" missing")]
    return found


def _parse(answer: bytes, count: int) -> Iterator[Object | None]:
    at = 0
    for _ in range(count):
        end = answer.index(b"\n", at)
        words = answer[at:end].rsplit(b" ", 2)
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            yield Object(oid=words[0].decode("ascii"), type=words[1].decode("ascii"), data=answer[at : at + size])
            at += size + 1
        else:
            yield None


def ids(where: str, names: Sequence[str], kind: str = "") -> list[str]:
    """Return the object id of each name in order, '' where git knows none of that kind (``blob``, ``tree``, ...).

    Reads no content. A name with a line break in it costs processes of its own.
    """
    found: list[str] = []
    for start in range(0, len(names), _AT_ONCE):
        some = [name if "\n" not in name else _of_name(where, name) for name in names[start : start + _AT_ONCE]]
        asked = "".join(f"{name}\n" for name in some).encode("utf-8", "surrogateescape")
        done = run.git(where, "cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", stdin=asked)
        for line in done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]:
            oid, _, what = line.rpartition(" ")
            found.append(oid if what not in ("missing", "ambiguous") and kind in ("", what) else "")
    return found


def _of_name(where: str, name: str) -> str:
    done = run.git(where, "rev-parse", "--quiet", "--verify", "--end-of-options", name, ok=(0, 1, 128))
    return done.stdout.decode("ascii", "replace").strip() if done.status == 0 else ""
