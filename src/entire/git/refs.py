"""Refs: read, list, and moves that happen all or not at all, each only if nobody moved the ref meanwhile."""

from __future__ import annotations

from entire.errors import GitError, RefMovedError
from entire.git import run
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Move(Value):
    """One wish for a ref: ``old`` '' = must not exist, None = whatever it is; ``new`` '' = delete."""

    ref: str
    new: str
    old: str | None = None


def read(where: str, *names: str) -> dict[str, str]:
    """Return the object ids of exactly those refs that exist (one git process for all of them)."""
    wanted = set(names)
    return {name: oid for name, oid in find(where, *names).items() if name in wanted}


def find(where: str, *patterns: str) -> dict[str, str]:
    """Return all refs below the patterns (as ``git for-each-ref`` matches them), name to object id."""
    found = {}
    for line in run.lines(where, "for-each-ref", "--format=%(objectname) %(refname)", *patterns):
        oid, _, name = line.partition(" ")
        found[name] = oid
    return found


def move(where: str, moves: Sequence[Move]) -> None:
    """Carry out all moves or none; raises RefMovedError if a ref is not where it was expected."""
    if not moves:
        return
    zero = "0" * max(len(one.new or one.old or "") for one in moves) or "0" * 40
    commands = ["start"]
    for one in moves:
        if one.new:
            expected = "" if one.old is None else f" {one.old or zero}"
            commands.append(f"update {one.ref} {one.new}{expected}")
        else:
            commands.append(f"delete {one.ref}" + (f" {one.old}" if one.old else ""))
    commands += ["prepare", "commit", ""]
    try:
        run.git(where, "update-ref", "--stdin", stdin="\n".join(commands).encode())
    except GitError as error:
        raise RefMovedError(error.message, hint="another process wrote at the same time; try again") from error
