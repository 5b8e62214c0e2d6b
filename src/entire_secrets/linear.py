"""Runs the patterns of a repository's own rules, which come from people and must not hold up a hook.

RE2 runs them, whose time grows with the text as long as a pattern is small; a pattern that it cannot run is refused.
Where RE2 is not installed, ``re`` runs the same patterns over short lines, and a timer stops it.
"""

from __future__ import annotations

import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol

    class Match(Protocol):
        """What ``re`` and RE2 both return."""

        def span(self, group: int = 0, /) -> tuple[int, int]: ...

    class Pattern(Protocol):
        """What ``re`` and RE2 both compile to."""

        @property
        def groups(self) -> int: ...

        def match(self, text: bytes, /) -> Match | None: ...

        def search(self, text: bytes, /) -> Match | None: ...

        def finditer(self, text: bytes, /) -> Iterator[Match]: ...


LARGEST = 2000
"""Instructions of the largest program: in the worst case, each looks at each byte."""

LONGEST = 1000
"""Bytes of the longest pattern."""

PIECE, OVERLAP = 1 << 16, 1 << 12
"""What is searched at once, and how far a match may reach beyond it."""

_REFUSED = {
    "ASSERT": "a lookahead or lookbehind", "ASSERT_NOT": "a lookahead or lookbehind",
    "GROUPREF": "a reference to a group", "GROUPREF_EXISTS": "a condition", "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repetition",
}  # fmt: skip
_MOST = 1000  # repetitions with a bound, as in RE2


class Budget:
    """The processor time that is left for own rules in this process, how long a line may be where RE2 is not installed,
    and how many bytes they did not see for want of both.
    """

    __slots__ = ("left", "longest_line", "unchecked")

    def __init__(self, seconds: float = 2.0, longest_line: int = 2048) -> None:
        self.renew(seconds, longest_line)

    def renew(self, seconds: float, longest_line: int) -> None:
        """Begin again."""
        self.left = seconds
        self.longest_line = longest_line
        self.unchecked = 0


class _StoppedError(Exception):
    """The time for own rules is over."""


def compiled(expression: bytes) -> Pattern:
    """Compile a pattern. Raises ValueError, which says why it is refused."""
    if len(expression) > LONGEST:
        raise ValueError(f"its pattern is longer than {LONGEST:,} bytes")
    return _by_re(expression) if _re2() is None else _by_re2(expression)


def spans(pattern: Pattern, line: bytes, budget: Budget) -> Iterator[tuple[int, int]]:
    """Yield where a pattern's first group is, or its whole; ``budget`` counts what it did not see for want of time."""
    group = min(pattern.groups, 1)
    parts = _lines(line, budget) if _is_of_re(pattern) else _pieces(line)
    for start, size, part in parts:
        if budget.left <= 0:
            budget.unchecked += size
            continue
        for hit in _within(pattern, part, size, budget):
            low, high = hit.span(group)
            if low < high:
                yield start + low, start + high


def _within(pattern: Pattern, part: bytes, size: int, budget: Budget) -> list[Match]:
    """Return the matches that begin in the first ``size`` bytes of a part."""
    matches = []
    started = time.process_time()
    try:
        with _Timer(budget.left if _is_of_re(pattern) else 0):
            for match in pattern.finditer(part):
                if match.span()[0] >= size:
                    break
                matches.append(match)
                if time.process_time() - started > budget.left:
                    raise _StoppedError
    except _StoppedError:
        budget.unchecked += size
    budget.left -= time.process_time() - started
    return matches


def _is_of_re(pattern: object) -> bool:
    return isinstance(pattern, re.Pattern)


def _pieces(line: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield parts of a line for RE2: where each starts, how much of it is its own, and its bytes."""
    if len(line) <= PIECE + OVERLAP:
        yield 0, len(line) + 1, line
        return
    for start in range(0, len(line), PIECE):
        yield start, min(PIECE, len(line) - start + 1), line[start : start + PIECE + OVERLAP]


def _lines(line: bytes, budget: Budget) -> Iterator[tuple[int, int, bytes]]:
    """Yield parts of a line for ``re``: its lines as a person sees them, but for long ones."""
    start = 0
    for part in line.split(b"\n"):
        if len(part) <= budget.longest_line:
            yield start, len(part) + 1, part
        else:
            budget.unchecked += len(part)
        start += len(part) + 1


# ---------------------------------------------------------------- RE2

_engines: list[Any] = []


def _re2() -> Any:
    """Return the module ``re2``, None where it is not installed."""
    if not _engines:
        try:
            import re2

            _engines.append(re2)
        except ImportError:
            _engines.append(None)
    return _engines[0]


def _by_re2(expression: bytes) -> Pattern:
    engine = _re2()
    options = engine.Options()
    options.encoding = engine.Options.Encoding.LATIN1
    options.log_errors = False
    try:
        pattern: Any = engine.compile(expression, options)
    except engine.error as error:
        reason = error.args[0] if error.args else b""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"its pattern is not a regular expression that RE2 can run: {reason}") from error
    if pattern.programsize > LARGEST:
        raise ValueError("its pattern is too large: repeat less often, or end what is repeated with a separator")
    return pattern  # type: ignore[no-any-return]


# ---------------------------------------------------------------- re


def _by_re(expression: bytes) -> Pattern:
    from re import _parser  # type: ignore[attr-defined]

    try:
        pattern = re.compile(expression)
        for name, argument in _nodes(_parser.parse(expression)):
            if name in _REFUSED:
                raise ValueError(f"its pattern is not a regular expression that RE2 can run: it has {_REFUSED[name]}")
            if name.endswith("_REPEAT") and max(n for n in argument[:2] if n != _parser.MAXREPEAT) > _MOST:
                raise ValueError(f"its pattern is too large: repeat at most {_MOST:,} times")
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"its pattern is not a regular expression: {error}") from error
    return pattern


def _nodes(parsed: Any) -> Iterator[tuple[str, Any]]:
    """Yield the operators of a parsed pattern with their arguments, at any depth."""
    for part in parsed:
        if isinstance(part, tuple | list):
            yield from _nodes(part)
        elif hasattr(part, "data"):
            yield from _nodes(part.data)
    if isinstance(parsed, tuple) and len(parsed) == 2 and hasattr(parsed[0], "name"):
        yield parsed[0].name, parsed[1]


class _Timer:
    """Stops ``re`` after some seconds of processor time, 0 for never. Signals reach only the main thread: in another
    one, nothing is searched.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._before: Callable[..., object] | int | None = None

    def __enter__(self) -> None:
        if self._seconds:
            import signal

            try:
                self._before = signal.signal(signal.SIGVTALRM, _stop)
            except ValueError as error:
                raise _StoppedError from error
            signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._seconds:
            import signal

            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)


def _stop(_number: int, _frame: object) -> None:
    raise _StoppedError
