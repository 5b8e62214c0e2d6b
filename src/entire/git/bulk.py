"""Reads thousands of objects at once: all names are sent before the first answer is read."""

from __future__ import annotations

from entire.git import run
from entire.git.read import SMALL, Object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BATCH = 4096  # limits memory, as the next one does
_BATCH_BYTES = 32 << 20
_UNKNOWN = "too-large"


def get(where: str, names: Sequence[str]) -> Iterator[Object | None]:
    """Return the object of each name in order, None if git has none, or one larger than ``SMALL``: for trees and
    metadata.
    """
    for batch in _batches(where, names):
        request = "\n".join(batch).encode("utf-8", "surrogateescape") + b"\n"
        answer = run.at_once(where, "cat-file", "--batch", "--buffer", stdin=request)
        yield from _parse(answer, len(batch))


def _batches(where: str, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names in batches whose objects are not too large together; a name that git does not know stands for a
    large object.
    """
    for start in range(0, len(names), _BATCH):
        batch: list[str] = []
        together = 0
        known = sizes(where, names[start : start + _BATCH])
        for name in names[start : start + _BATCH]:
            size = known.get(name, 0)
            if size > SMALL:
                name, size = _UNKNOWN, 0
            if together + size > _BATCH_BYTES:
                yield batch
                batch, together = [], 0
            batch.append(name)
            together += size
        yield batch


def missing(where: str, names: Sequence[str]) -> list[str]:
    """Return the names for which git has no object, without reading the objects."""
    absent = []
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        request = "\n".join(batch).encode("utf-8", "surrogateescape") + b"\n"
        answer = run.git(where, "cat-file", "--batch-check", "--buffer", stdin=request).stdout
        absent += [name for name, line in zip(batch, answer.split(b"\n"), strict=False) if line.endswith(b" missing")]
    return absent


def sizes(where: str, names: Sequence[str]) -> dict[str, int]:
    """Return the sizes of the objects that git has here, by name, without reading any."""
    request = "\n".join(names).encode("utf-8", "surrogateescape") + b"\n"
    query = ("cat-file", "--batch-check=%(objectsize)", "--buffer")
    answer = run.git(where, *query, stdin=request, ok=(0, 128)).stdout
    return {name: int(line) for name, line in zip(names, answer.split(b"\n"), strict=False) if line.isdigit()}


def fetches_missing(where: str) -> bool:
    """Tell whether git fetches missing objects when they are read: this is a partial clone."""
    query = ("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    return run.git(where, *query, ok=(0, 1)).status == 0


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
    """Return the object id of each name in order, '' if git has none of that kind (``blob``, ``tree``, ...).

    Reads no content. Each name that contains a line break costs a process of its own.
    """
    oids: list[str] = []
    for start in range(0, len(names), _BATCH):
        batch = [name if "\n" not in name else _resolve(where, name) for name in names[start : start + _BATCH]]
        request = "".join(f"{name}\n" for name in batch).encode("utf-8", "surrogateescape")
        done = run.git(where, "cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", stdin=request)
        for line in done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]:
            oid, _, found_kind = line.rpartition(" ")
            oids.append(oid if found_kind not in ("missing", "ambiguous") and kind in ("", found_kind) else "")
    return oids


def _resolve(where: str, name: str) -> str:
    done = run.git(where, "rev-parse", "--quiet", "--verify", "--end-of-options", name, ok=(0, 1, 128))
    return done.stdout.decode("ascii", "replace").strip() if done.status == 0 else ""
