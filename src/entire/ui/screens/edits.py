"""What a tool call wrote into files, as counts and as a coloured diff."""

from __future__ import annotations

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.transcripts import Edit

_COMPARED = 400  # lines; more are shown as removed and added without comparing them
_CONTEXT = 2
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def counts(edits: Sequence[Edit]) -> str:
    """Return how many lines were added and removed, such as ``+3 -1``."""
    changes = [line[:1] for edit in edits for line in _changes(edit)]
    return f"+{changes.count('+'):,} -{changes.count('-'):,}"


def lines(edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield the changed lines of an edit with a little context, each with its colour ('': none)."""
    for line in _changes(edit):
        yield text.plain(line.replace("\r", "^M").expandtabs(4)), _COLOURS.get(line[:1], "")


def _changes(edit: Edit) -> list[str]:
    old, new = _lines(edit.old), _lines(edit.new)
    if not old or not new or len(old) + len(new) > _COMPARED:
        return _replaced(old, new)
    import difflib

    unified = list(difflib.unified_diff(old, new, lineterm="", n=_CONTEXT))[2:]
    return ["@@" if line.startswith("@@") else line for line in unified][1:]


def _replaced(old: list[str], new: list[str]) -> list[str]:
    """Return all lines between the first and the last that differ as removed and added."""
    before = _same(old, new)
    after = _same(old[before:][::-1], new[before:][::-1])
    removed, added = old[before : len(old) - after], new[before : len(new) - after]
    return [*("-" + line for line in removed), *("+" + line for line in added)]


def _same(one: list[str], other: list[str]) -> int:
    """Return how many lines at the start are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (left, right) in pairs if left != right), min(len(one), len(other)))


def _lines(written: str) -> list[str]:
    return written.removesuffix("\n").split("\n") if written else []
