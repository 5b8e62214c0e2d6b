"""Patches made without git: for models of a worktree that hold its files as lists of lines."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence

from entire.git.diff import FileChange, FilePatch, Hunk

FILE, NO_FILE, ZERO = "100644", "000000", "0" * 40
Files = dict[str, list[str]]


def object_id(lines: Sequence[str] | None) -> str:
    """Return an id that equal content shares, as a blob's does."""
    return ZERO if lines is None else hashlib.sha1("".join(lines).encode()).hexdigest()


def hunks(old: Sequence[str], new: Sequence[str], context: int = 3) -> tuple[Hunk, ...]:
    """Return the hunks that lead from ``old`` to ``new``, numbered as git numbers them."""
    found = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        lines = []
        for word, a, b, c, d in group:
            if word == "equal":
                lines += [(b" ", text.encode()) for text in old[a:b]]
            else:
                lines += [(b"-", text.encode()) for text in old[a:b]] + [(b"+", text.encode()) for text in new[c:d]]
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        found.append(
            Hunk(
                old_start=a + (b > a),
                old_count=b - a,
                new_start=c + (d > c),
                new_count=d - c,
                lines=tuple(lines),
            )
        )
    return tuple(found)


def patch(
    name: str, old: Sequence[str] | None, new: Sequence[str] | None, *, old_name: str = "", context: int = 3
) -> FilePatch:
    """Return the patch of one path; None stands for a file that does not exist."""
    status = "A" if old is None else "D" if new is None else "R" if old_name else "M"
    change = FileChange(
        path=name,
        old_path=old_name or name,
        status=status,
        old_mode=NO_FILE if old is None else FILE,
        new_mode=NO_FILE if new is None else FILE,
        old_oid=object_id(old),
        new_oid=object_id(new),
    )
    return FilePatch(change=change, binary=False, hunks=hunks(old or [], new or [], context))


def between(old: Files, new: Files, *, context: int = 3) -> list[FilePatch]:
    """Return the patches from one tree to another; a file with half of its lines the same is moved, as in git."""
    gone = [name for name in sorted(old) if name not in new]
    sources: dict[str, str] = {}
    for name in sorted(new):
        if name in old:
            continue
        for source in gone:
            common = len(set(old[source]) & set(new[name]))
            if source not in sources.values() and 2 * common > max(len(old[source]), len(new[name])):
                sources[name] = source
                break
    found = []
    for name in sorted(old.keys() | new.keys()):
        if name in sources.values() or (name in old and name in new and old[name] == new[name]):
            continue
        source = sources.get(name, "")
        before = old[source] if source else old.get(name)
        found.append(patch(name, before, new.get(name), old_name=source, context=context))
    return found


def partly(old: Sequence[str], new: Sequence[str], wanted: Sequence[bool]) -> list[str]:
    """Return ``old`` with some of its differences from ``new`` applied, as ``git add -p`` does."""
    found: list[str] = []
    answers = list(wanted)
    for word, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        take = word == "equal" or not answers or answers.pop(0)
        found += new[c:d] if take else old[a:b]
    return found


def added_lines(patch_: FilePatch) -> list[int]:
    """Return the numbers of the lines that a patch adds."""
    found = []
    for hunk in patch_.hunks:
        number = hunk.new_start + (hunk.new_count == 0)
        for kind, _ in hunk.lines:
            if kind == b"+":
                found.append(number)
            number += kind != b"-"
    return found


def removed_count(patch_: FilePatch) -> int:
    """Return how many lines a patch removes."""
    return sum(kind == b"-" for hunk in patch_.hunks for kind, _ in hunk.lines)
