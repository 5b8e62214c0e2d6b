"""Makes rules of the rows in the modules of this room."""

from __future__ import annotations

from entire_secrets.rules.macros import expand
from entire_secrets.rules.rule import ASSIGNED, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from entire_secrets.rules.macros import RegionRow, Row

    Make = Callable[[], "ListedRule"]

PLACES = ("headers", "commands", "files")
"""Modules whose rows know places. ``generic`` has such rows and those of names; all others are in ``providers``."""

CALL = rb"(?:\.?[A-Za-z]{1,20})?\((?:[\"'][\w-]{1,40}[\"'],[ ]?)?[\"']"
"""A call that takes a key, perhaps behind a name: ``algoliasearch("SHOP", "...")``."""


class ListedRule(Rule):
    """A rule, and what its row tells beside that."""

    __slots__ = ("example", "expression", "facts", "keywords", "source")

    def __init__(
        self,
        row: Row,
        *,
        back: int = 0,
        before: tuple[int, bytes] = (0, b""),
        rank: int = 0,
        is_place: bool = False,
        within: bytes = b"",
    ) -> None:
        name, self.keywords, self.expression, entropy, self.source, self.example = row
        far, needle = before
        is_start = self.expression.startswith((b"%b", b"%B")) and not (back or far)
        pattern, within = expand(self.expression), expand(within)
        self.facts = (name, pattern, entropy, back, far, needle, is_place, is_start, rank, within)
        super().__init__(self.facts)


def region(row: RegionRow) -> ListedRule:
    """Make a row of ``REGIONS`` a rule."""
    name, keywords, pattern, within, entropy, source, example = row
    return ListedRule((name, keywords, pattern, entropy, source, example), within=within, rank=1, is_place=True)


def keyed(row: Row) -> Row:
    """Make a row of ``KEYED`` a whole rule: the provider's name, an operator and the value."""
    name, keywords, value, entropy, source, example = row
    words = b"|".join(keyword.strip() for keyword in keywords)
    pattern = rb"(?i:" + words + rb")(?:%N|[\w .-]{0,40}(?!%Q,)%=|" + CALL + rb")(?P<s>" + value + rb")%E"
    return name, keywords, pattern, entropy, source, example


_made: dict[str, tuple[ListedRule, ...]] = {}


def of_module(name: str) -> tuple[ListedRule, ...]:
    """Return the rules of a module in this room; it is loaded, and they are made, once."""
    if name not in _made:
        _made[name] = tuple(make(row) for row, make in listed(name))
    return _made[name]


def of_keyword(name: str, keyword: bytes) -> Iterator[ListedRule]:
    """Make the rules of a module that have this keyword."""
    return (make(row) for row, make in listed(name) if keyword in row[1])


def file_of(name: str) -> str:
    """Return the file of a module, seen from this room's folder."""
    return f"{name}.py" if name in (*PLACES, "generic") else f"providers/{name}.py"


def listed(name: str) -> Iterator[tuple[Any, Callable[[Any], ListedRule]]]:
    """Yield the rows of a module, each with what makes a rule of it."""
    room = file_of(name).removesuffix(".py").replace("/", ".")
    module = __import__(f"entire_secrets.rules.{room}", fromlist=("ROWS",))
    if name == "generic":
        yield from ((row, _place(module.BEFORE)) for row in module.SENTENCES)
        yield from ((row, _named(module.BEFORE)) for row in module.ROWS)
    elif name in PLACES:
        yield from ((row, _place(getattr(module, "BEFORE", {}))) for row in module.ROWS)
        yield from ((row, region) for row in module.REGIONS)
    else:
        yield from ((row, _provider(module.BACK)) for row in module.ROWS)
        yield from ((row, lambda row: ListedRule(keyed(row))) for row in module.KEYED)


def _place(before: dict[str, tuple[int, bytes]]) -> Callable[[Row], ListedRule]:
    return lambda row: ListedRule(row, before=before.get(row[0], (0, b"")), rank=1, is_place=True)


def _named(before: dict[str, tuple[int, bytes]]) -> Callable[[Row], ListedRule]:
    return lambda row: ListedRule(row, before=before.get(row[0], (0, b"")), rank=2, is_place=row[0] not in ASSIGNED)


def _provider(back: dict[str, int]) -> Callable[[Row], ListedRule]:
    return lambda row: ListedRule(row, back=back.get(row[0], 0))
