"""Redaction finds what the corpus holds, in every carrier, and nothing in text that holds no secrets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.secrets import clean, kinds, pages, table
from tests.secrets.carriers import CARRIERS
from tests.secrets.table import Result
from tests.secrets.transcripts import AGENTS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "secrets.md"
STEP = 12
"""Of the pairs of kind and carrier, one in so many is tried here; the page has four times as many."""

PROVIDERS, PLACES, UNKNOWN = 0.99, 0.97, 0.97
"""The part that must be found: of providers' kinds and of places, and of values that no rule knows."""


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return table.judge(table.every_case(step=STEP))


def shortfall(results: Sequence[Result], bound: float, *, spare: int = 0) -> bool:
    """Tell whether more is missed than ``bound`` allows; ``spare`` misses say nothing in a small sample."""
    return sum(bool(result.problem) for result in results) > max(spare, (1 - bound) * len(results))


def of(results: Sequence[Result], chosen: Callable[[Result], bool]) -> list[Result]:
    return [result for result in results if chosen(result)]


def test_providers_and_places_are_found(results: list[Result]) -> None:
    providers, places = of(results, pages.is_provider), of(results, lambda result: pages.column(result) == "places")
    unknown = of(results, lambda result: pages.column(result) == "generic")
    assert len(providers) > 2000 and len(places) > 300
    assert not shortfall(providers, PROVIDERS), pages.missed(providers)
    assert not shortfall(places, PLACES), pages.missed(places)
    assert not shortfall(unknown, UNKNOWN), pages.missed(unknown)


@pytest.mark.parametrize("names", [[c.name for c in CARRIERS], [a.name for a in AGENTS]])
def test_no_carrier_and_no_agent_hides_them(results: list[Result], names: list[str]) -> None:
    short = []
    for name in names:
        these = [result for result in results if name in (result.case.carrier.name, result.case.agent.name)]
        providers, places = of(these, pages.is_provider), of(these, lambda result: pages.column(result) == "places")
        # The sample has ten places of each carrier: one miss says nothing.
        if shortfall(providers, PROVIDERS) or shortfall(places, PLACES, spare=1):
            short.append(name)
    assert short == [], pages.missed(results)


def test_nothing_is_found_in_ids_hashes_and_placeholders() -> None:
    assert clean.findings() == []


def test_the_page_has_every_kind_and_carrier() -> None:
    page = PAGE.read_text()
    assert [kind.name for kind in kinds.every() if f"`{kind.name}`" not in page] == []
    assert [carrier.name for carrier in CARRIERS if carrier.name not in page] == []
