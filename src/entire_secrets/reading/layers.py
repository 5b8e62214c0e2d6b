"""What each pass over a text changed: tells where a part of the result comes from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match


class Layer:
    """What one pass changed: where each part begins after it."""

    __slots__ = ("_starts",)

    def __init__(self, starts: list[int]) -> None:
        self._starts = starts

    def before(self, start: int, end: int) -> tuple[int, int]:
        """Return where the text from ``start`` to ``end`` began and ended before the pass, in whole parts."""
        raise NotImplementedError


class Replaced(Layer):
    """All occurrences of a literal, replaced by another."""

    __slots__ = ("_less", "_new_size")

    def __init__(self, parts: list[bytes], size: int, new: bytes) -> None:
        """``parts`` stand between the literals, which have ``size`` bytes."""
        between = map(len, parts[:-1])
        super().__init__([end - len(new) for end in accumulate(each + len(new) for each in between)])
        self._less, self._new_size = size - len(new), len(new)

    def before(self, start: int, end: int) -> tuple[int, int]:
        starts, less, size = self._starts, self._less, self._new_size
        number = bisect_right(starts, start)
        if number:
            part = starts[number - 1]
            start = part + (number - 1) * less if start < part + size else start + number * less
        number = bisect_left(starts, end)
        return start, max(end, starts[number - 1] + size) + number * less if number else end


class Matches(Layer):
    """All matches of a pattern, each replaced by its own meaning."""

    __slots__ = ("_spans",)

    def __init__(self, matches: list[Match[bytes]], new: bytes | Callable[[Match[bytes]], bytes]) -> None:
        starts: list[int] = []
        self._spans: list[tuple[int, int, int]] = []  # where a part begins and ends before, and where it ends after it
        shift = 0
        for match in matches:
            start, end = match.span()
            size = len(new if isinstance(new, bytes) else new(match))
            starts.append(start + shift)
            self._spans.append((start, end, start + shift + size))
            shift += size - (end - start)
        super().__init__(starts)

    def before(self, start: int, end: int) -> tuple[int, int]:
        number = bisect_right(self._starts, start)
        if number:
            low, high, new_end = self._spans[number - 1]
            start = low if start < new_end else high + start - new_end
        number = bisect_left(self._starts, end)
        if number:
            _, high, new_end = self._spans[number - 1]
            end = high + max(end - new_end, 0)
        return start, end
