"""The part of a text that shows best why it was found."""

from __future__ import annotations

from bisect import bisect_left

from entire.index import expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_WIDTH = 240
_LEAD = 60  # characters before the first match
_SEARCHED = 200_000  # of a huge text, in which matches are looked for
_MOST = 2000  # matches


def snippet(text: str, patterns: Sequence[re.Pattern[str]]) -> tuple[str, tuple[tuple[int, int], ...], bool]:
    """Return a part of a text, where in it the matches are, and whether it is only a part."""
    places = expression.places(text[:_SEARCHED], patterns)[:_MOST]
    start = _start(text, places)
    end = min(len(text), start + _WIDTH)
    if end < len(text):
        end = max(text.rfind(" ", start + _WIDTH - 30, end), text.rfind("\n", start + _WIDTH - 30, end), 0) or end
    marks = tuple((max(at, start) - start, min(to, end) - start) for at, to in places if at < end and to > start)
    return text[start:end], marks, start > 0 or end < len(text)


def _start(text: str, places: Sequence[tuple[int, int]]) -> int:
    """Return where the part starts that has most matches; the first of several, at the start of a word."""
    if len(text) <= _WIDTH or not places:
        return 0
    starts = [at for at, _ in places]
    best = max(range(len(starts)), key=lambda n: (bisect_left(starts, starts[n] + _WIDTH - _LEAD) - n, -n))
    start = max(0, min(starts[best] - _LEAD, len(text) - _WIDTH))
    if start == 0:
        return 0
    line = text.rfind("\n", start, starts[best])
    blank = text.find(" ", start, starts[best])
    return max(line, blank) + 1 if max(line, blank) >= 0 else start
