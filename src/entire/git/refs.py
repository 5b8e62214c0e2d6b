"""Reads, lists and atomically moves refs, each only if no other process has moved it."""

from __future__ import annotations

import os

from entire import files
from entire.errors import GitError, RefMovedError
from entire.git import ref_locks, run
from entire.model.ids import Argument
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RefMove(Value):
    """A change to a ref. ``old``: '' = must not exist, None = any value; ``new``: '' = delete."""

    ref: str
    new: str
    old: str | None = None


def read(where: str, *names: str) -> dict[str, str]:
    """Return the object ids of those refs that exist, by name. One git process."""
    wanted = set(names)
    return {name: oid for name, oid in find(where, *names).items() if name in wanted}


def find(where: str, *patterns: str) -> dict[str, str]:
    """Return all refs that match the patterns (as in ``git for-each-ref``), name to object id."""
    oids = {}
    for line in run.lines(where, "for-each-ref", "--format=%(objectname) %(refname)", *map(Argument, patterns)):
        oid, _, name = line.partition(" ")
        oids[name] = oid
    return oids


def names(common_dir: str, folder: str) -> list[str]:
    """Return the refs in a folder (``refs/heads/x``), as plain files tell them (none with reftable). Starts no git."""
    try:
        loose = os.listdir(os.path.join(common_dir, folder))
    except OSError:
        loose = []
    packed = files.read(os.path.join(common_dir, "packed-refs")) or b""
    prefix = f"{folder}/"
    lines = packed.splitlines() if prefix.encode() in packed else ()
    listed = (os.fsdecode(line.partition(b" ")[2]) for line in lines)
    return sorted({*(prefix + name for name in loose), *(ref for ref in listed if ref.startswith(prefix))})


def holding(where: str, commits: Sequence[str], *patterns: str) -> list[str]:
    """Return the refs that match the patterns and reach any of these commits, without symbolic ones."""
    if not commits:
        return []
    options = [f"--contains={oid}" for oid in commits]
    rows = run.lines(where, "for-each-ref", "--format=%(refname) %(symref)", *options, *map(Argument, patterns))
    return [name for name, _, target in (row.partition(" ") for row in rows) if not target]


def move(where: str, moves: Sequence[RefMove], *, reason: str = "") -> None:
    """Apply all moves or none; raises RefMovedError if a ref does not have its expected value. ``reason`` is for the
    reflogs.
    """
    if not moves:
        return
    zero = "0" * max(len(change.new or change.old or "") for change in moves) or "0" * 40
    commands = ["start"]
    for change in moves:
        if change.new:
            expected = "" if change.old is None else f" {change.old or zero}"
            commands.append(f"update {change.ref} {change.new}{expected}")
        else:
            commands.append(f"delete {change.ref}" + (f" {change.old}" if change.old else ""))
    commands += ["prepare", "commit", ""]
    options = ["-m", reason] if reason else []
    try:
        with ref_locks.LockNote(where, [change.ref for change in moves]):
            run.git(where, "update-ref", *options, "--stdin", stdin="\n".join(commands).encode())
    except GitError as error:
        raise RefMovedError(error.message, hint="another process moved it at the same time; try again") from error


def moved_at(where: str, ref: str) -> float:
    """Return when a ref was last moved here, as its reflog says; 0.0 if that is not known."""
    done = run.git(where, "reflog", "show", "-1", "--date=unix", "--format=%gd", Argument(ref), "--", ok=(0, 128))
    moment = done.stdout.decode("ascii", "replace").strip().rpartition("@{")[2].rstrip("}")
    return float(moment) if moment.isdigit() else 0.0


def forget_moves(where: str, names: Sequence[str]) -> None:
    """Empty the reflogs of refs, which keep what the refs held before from garbage collection."""
    for name in names:
        run.git(
            where, "reflog", "expire", "--expire=all", "--expire-unreachable=all", Argument(name), ok=(0, 1, 128, 255)
        )
