"""Understands what a person asks about: a file, lines of it, a file in a commit. Names of files may contain colons."""

from __future__ import annotations

import os
import re

from entire.errors import EntireError, UsageError
from entire.git import bulk, history
from entire.model.ids import shell_word
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.model.origins import WhyRequest

    Lines = tuple[int, int] | None  # the first and the last, as they were given; None: all

_HINT = "FILE, FILE:LINE, FILE:FIRST-LAST, or any of them after REV:"
_LINES = re.compile(r"(-?[0-9]{1,99})(?:-([0-9]{1,99}))?")  # also such as there cannot be
_MOST = (1 << 31) - 1  # lines that git counts


class OriginTarget(Value):
    """A file in the worktree (``rev`` '') or in a commit; ``first`` 0 means all lines."""

    path: str
    rev: str = ""  # a commit's id
    first: int = 0
    last: int = 0


def resolve(place: Place, request: WhyRequest) -> OriginTarget:
    """Return what a request means; raises UsageError or EntireError if there is no such file, line or revision."""
    if request.target:
        target, lines = next(_readings(place, request), (None, None))
        if target is None:
            raise _not_found(place, request)
        if not target.rev and _is_folder(os.path.join(place.top, target.path)):
            raise UsageError(f"{target.path} is a folder", hint="give a file in it")
        if not target.rev and (inner := _repository_of(place, target.path)):
            raise UsageError(f"{target.path} is in the repository {inner}", hint=f"run `entire why` in {inner}")
    else:
        target = OriginTarget(path=request.path, rev=_commit(place, request.rev) if request.rev else "")
        lines = (request.first, request.last or request.first) if request.first or request.last else None
    return target if lines is None else _limited(target, *lines)


def _limited(target: OriginTarget, first: int, last: int) -> OriginTarget:
    """Return these lines of a file; raises UsageError if there cannot be such lines."""
    if first < 1:
        raise UsageError(f"{target.path} has no line {first}", hint="count lines from 1")
    if last < first:
        hint = f"give the first line first: {target.path}:{last}-{first}" if last > 0 else "count lines from 1"
        raise UsageError(f"{first}-{last} is not a range of lines", hint=hint)
    return replace(target, first=min(first, _MOST), last=min(last, _MOST))


def _readings(place: Place, request: WhyRequest) -> Iterator[tuple[OriginTarget, Lines]]:
    """Yield the readings of a target that name a file that exists, each with the lines that it names: whole names
    first, so colons can be in them.
    """
    for name, lines in _with_lines(request.target):
        path = _in_worktree(place, request.folder or place.top, name)
        if path and os.path.lexists(os.path.join(place.top, path)):
            yield OriginTarget(path=path), lines
    for name, lines in _with_lines(request.target):
        for at in (at for at, char in enumerate(name) if char == ":"):
            rev = history.resolve(place.top, name[:at]) if at else ""
            path = _in_commit(place, request.folder or place.top, rev, name[at + 1 :]) if rev else ""
            if path:
                yield OriginTarget(path=path, rev=rev), lines


def _with_lines(text: str) -> Iterator[tuple[str, Lines]]:
    """Yield the whole text, and if it ends in a line or a range of lines, the text before it with them."""
    yield text, None
    name, _, lines = text.rpartition(":")
    match = _LINES.fullmatch(lines)
    if name and match:
        yield name, (int(match[1]), int(match[2] or match[1]))


def _in_worktree(place: Place, folder: str, name: str) -> str:
    """Return a name's path relative to the worktree, '' outside of it; a link at its end is not followed."""
    head, tail = os.path.split(os.path.join(folder, name).rstrip("/"))
    relative = os.path.relpath(os.path.join(os.path.realpath(head), tail), place.top)
    return "" if relative in (".", "..") or relative.startswith("../") else relative


def _in_commit(place: Place, folder: str, rev: str, name: str) -> str:
    """Return the path of a file in a commit: from the root as git takes it, or relative to the folder."""
    relative = os.path.relpath(os.path.join(folder, name), place.top) if name else ""
    names = [relative] if name.startswith(("./", "../")) else [name, relative]
    oids = bulk.ids(place.top, [f"{rev}:{path}" for path in names], "blob")
    return next((path for path, oid in zip(names, oids, strict=True) if oid and path), "")


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _repository_of(place: Place, path: str) -> str:
    """Return the submodule, or other repository in this one, that holds a path; '' if there is none."""
    at = [at for at, char in enumerate(path) if char == "/"]
    return next((path[:end] for end in at if os.path.lexists(os.path.join(place.top, path[:end], ".git"))), "")


def _commit(place: Place, rev: str) -> str:
    oid = history.resolve(place.top, rev)
    if not oid:
        raise EntireError(f"commit not found: {rev}")
    return oid


def _not_found(place: Place, request: WhyRequest) -> EntireError:
    for name, _ in _with_lines(request.target):
        path = _in_worktree(place, request.folder or place.top, name)
        if path and bulk.ids(place.top, [f"HEAD:{path}"], "blob")[0]:
            return EntireError(
                f"{path} is not in the worktree", hint=f"run `entire why {shell_word(f'HEAD:{path}', 'HEAD:PATH')}`"
            )
    return UsageError(f"no file here is named {request.target}", hint=f"give {_HINT}")
