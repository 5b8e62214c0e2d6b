"""Understands what a person asks about: a file, lines of it, a file in a commit. Names of files may contain colons."""

from __future__ import annotations

import os

from entire.errors import EntireError, UsageError
from entire.git import bulk, history
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.model.origins import WhyRequest

_HINT = "FILE, FILE:LINE, FILE:FIRST-LAST, or any of them after REV:"


class Target(Value):
    """A file in the worktree (``rev`` '') or in a commit; ``first`` 0 means all lines."""

    path: str
    rev: str = ""  # a commit's id
    first: int = 0
    last: int = 0


def resolve(place: Place, request: WhyRequest) -> Target:
    """Return what a request means; raises UsageError or EntireError if there is no such file, line or revision."""
    if request.target:
        found = next(_readings(place, request), None)
        if found is None:
            raise _not_found(place, request)
        if not found.rev and _is_folder(os.path.join(place.top, found.path)):
            raise UsageError(f"{found.path} is a folder", hint="give a file in it")
        if not found.rev and (inner := _repository_of(place, found.path)):
            raise UsageError(f"{found.path} is in the repository {inner}", hint=f"run `entire why` in {inner}")
    else:
        found = Target(path=request.path, rev=_commit(place, request.rev) if request.rev else "",
                       first=request.first, last=request.last or request.first)  # fmt: skip
    if found.first < 0 or found.last < found.first or (found.last and not found.first):
        raise UsageError(f"{found.first}-{found.last} is not a range of lines", hint="lines are counted from 1")
    return found


def _readings(place: Place, request: WhyRequest) -> Iterator[Target]:
    """Yield the readings of a target that name a file that exists: whole names first, so that colons can be in them."""
    for name, first, last in _with_lines(request.target):
        path = _in_worktree(place, request.folder or place.top, name)
        if path and os.path.lexists(os.path.join(place.top, path)):
            yield Target(path=path, first=first, last=last)
    for name, first, last in _with_lines(request.target):
        for at in (at for at, char in enumerate(name) if char == ":"):
            rev = history.resolve(place.top, name[:at]) if at else ""
            path = _in_commit(place, request.folder or place.top, rev, name[at + 1 :]) if rev else ""
            if path:
                yield Target(path=path, rev=rev, first=first, last=last)


def _with_lines(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the whole text, and if it ends in a line or a range of lines, the text before it with them."""
    yield text, 0, 0
    name, colon, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    if colon and _is_number(first) and (_is_number(last) if dash else True):
        yield name, int(first), int(last or first)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 1 << 31 if len(text) < 12 else False


def _in_worktree(place: Place, folder: str, name: str) -> str:
    """Return a name's path relative to the worktree, '' outside of it; a link at its end is not followed."""
    head, tail = os.path.split(os.path.join(folder, name).rstrip("/"))
    found = os.path.relpath(os.path.join(os.path.realpath(head), tail), place.top)
    return "" if found in (".", "..") or found.startswith("../") else found


def _in_commit(place: Place, folder: str, rev: str, name: str) -> str:
    """Return the path of a file in a commit: from the root as git takes it, or relative to the folder."""
    relative = os.path.relpath(os.path.join(folder, name), place.top) if name else ""
    names = [relative] if name.startswith(("./", "../")) else [name, relative]
    found = bulk.ids(place.top, [f"{rev}:{path}" for path in names], "blob")
    return next((path for path, oid in zip(names, found, strict=True) if oid and path), "")


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _repository_of(place: Place, path: str) -> str:
    """Return the submodule, or other repository in this one, that holds a path; '' if there is none."""
    at = [at for at, char in enumerate(path) if char == "/"]
    return next((path[:end] for end in at if os.path.lexists(os.path.join(place.top, path[:end], ".git"))), "")


def _commit(place: Place, rev: str) -> str:
    found = history.resolve(place.top, rev)
    if not found:
        raise EntireError(f"commit not found: {rev}")
    return found


def _not_found(place: Place, request: WhyRequest) -> EntireError:
    for name, _, _ in _with_lines(request.target):
        path = _in_worktree(place, request.folder or place.top, name)
        if path and bulk.ids(place.top, [f"HEAD:{path}"], "blob")[0]:
            return EntireError(f"{path} is not in the worktree", hint=f"run `entire why HEAD:{path}`")
    return UsageError(f"no file here is named {request.target}", hint=f"give {_HINT}")
