"""Regular expressions of a repository's own rules, which come from people and must not stop a hook.

Python's ``re`` has no limit of time. So a repetition has a bound (``MOST``), and a pattern is refused if something
within a repetition can match the same text in several ways, which takes exponentially long.
"""

from __future__ import annotations

import re
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Pattern
    from typing import Any

    Node = tuple[Any, Any]

MOST = 4096
"""How often ``+``, ``*`` and ``{n,}`` repeat at most."""

_ALL = (1 << 256) - 1
_REPEATS = tuple(
    getattr(_constants, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(_constants, name)
)
_BYTES = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
_ASSERTIONS = (_constants.ASSERT, _constants.ASSERT_NOT)


def compiled(expression: bytes) -> Pattern[bytes]:
    """Compile a pattern whose repetitions all have a bound. Raises as ``re.compile`` does."""
    parsed = _parser.parse(expression)
    _bound(parsed)
    pattern: Pattern[bytes] = _compiler.compile(parsed)
    return pattern


def _bound(nodes: Any) -> None:
    for number, (operator, argument) in enumerate(nodes):
        if operator in _REPEATS and argument[1] == _constants.MAXREPEAT:
            nodes[number] = (operator, (argument[0], max(MOST, argument[0]), argument[2]))
        for part in _parts(argument):
            _bound(part)


def _parts(argument: Any) -> Iterable[Any]:
    """Yield the sequences that a node consists of."""
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for item in argument:
            yield from _parts(item)


def may_take_for_ever(expression: bytes) -> bool:
    """Tell whether a repetition contains a choice that the next character does not decide."""
    return _is_unclear(list(_parser.parse(expression)), 0, inside=False)


def _is_unclear(nodes: list[Node], follow: int, *, inside: bool) -> bool:
    """Judge a sequence. ``follow``: the bytes, as bits, that can come after it; ``inside``: of a repetition."""
    for operator, argument in reversed(nodes):
        if operator in _REPEATS:
            low, high, body = argument
            first, can_be_empty = _first(body)
            loops = high > 1
            if loops and can_be_empty:
                return True
            if inside and low != high and first & follow:
                return True
            after = follow | first if loops else follow
            if _is_unclear(list(body), after, inside=inside or loops):
                return True
        elif operator is _constants.BRANCH:
            if inside and _overlap(argument[1], follow):
                return True
            if any(_is_unclear(list(branch), follow, inside=inside) for branch in argument[1]):
                return True
        else:
            after = 0 if operator in _ASSERTIONS else follow
            if any(_is_unclear(list(part), after, inside=inside) for part in _parts(argument)):
                return True
        first, can_be_empty = _first([(operator, argument)])
        follow = first | follow if can_be_empty else first
    return False


def _overlap(branches: list[Any], follow: int) -> bool:
    words = [bytes(byte for _, byte in branch) for branch in branches if _is_word(branch)]
    if len(words) == len(branches) and not any(a != b and a.startswith(b) for a in words for b in words):
        return len(set(words)) < len(words)
    seen = 0
    for branch in branches:
        first, can_be_empty = _first(branch)
        first |= follow if can_be_empty else 0
        if seen & first:
            return True
        seen |= first
    return False


def _is_word(branch: Any) -> bool:
    return bool(branch) and all(operator is _constants.LITERAL for operator, _ in branch)


def _first(nodes: Iterable[Node]) -> tuple[int, bool]:
    """Return the bytes that a sequence can begin with, as bits, and whether it can be empty."""
    found = 0
    for operator, argument in nodes:
        first, can_be_empty = _first_of(operator, argument)
        found |= first
        if not can_be_empty:
            return found, False
    return found, True


def _first_of(operator: Any, argument: Any) -> tuple[int, bool]:
    if operator in _BYTES:
        return _accepted(operator, argument), False
    if operator in _REPEATS:
        first, can_be_empty = _first(argument[2])
        return first, can_be_empty or argument[0] == 0
    if operator is _constants.BRANCH:
        found = [_first(branch) for branch in argument[1]]
        return _union(first for first, _ in found), any(can_be_empty for _, can_be_empty in found)
    if operator in (_constants.AT, *_ASSERTIONS):
        return 0, True
    parts = list(_parts(argument))
    if operator is _constants.SUBPATTERN or (len(parts) == 1 and operator is not _constants.GROUPREF_EXISTS):
        return _first(parts[-1])
    return _ALL, True  # a reference to a group


def _union(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def _accepted(operator: Any, argument: Any) -> int:
    """Return the bytes that a node for a single one accepts, as bits; letters in both cases."""
    node = _parser.SubPattern(_parser.State(), [(operator, argument)])
    found = 0
    for flags in (re.DOTALL, re.DOTALL | re.IGNORECASE):
        match = _compiler.compile(node, flags).match
        found |= _union(1 << byte for byte in range(256) if match(bytes((byte,))))
    return found
