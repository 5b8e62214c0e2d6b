"""Literals are found the same with and without what is compiled."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets import literals

LITERALS = (b"''", b"'\"'", b"&#", b"\r", b"\xc2\xad")


@pytest.fixture(autouse=True)
def _compiled_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(literals, "COMPILED_FROM", 0)


def plainly(text: bytes) -> set[int]:
    """Return where a literal stands."""
    return {at for at in range(len(text)) if text.startswith(LITERALS, at)}


@given(text=st.lists(st.sampled_from((*LITERALS, b"'", b'"', b"x", b" "))).map(b"".join))
def test_every_literal_is_found_but_one_that_overlaps(text: bytes) -> None:
    found, wanted = literals.places(text, LITERALS), plainly(text)
    assert found == sorted(found) and set(found) <= wanted
    assert all(any(place <= at < place + 3 for place in found) for at in wanted)
    assert literals.occur(text, LITERALS) == bool(wanted)


def test_a_literal_far_behind_occurs() -> None:
    text = b"x" * (literals._SAMPLE + 100)
    assert not literals.occur(text, LITERALS)
    assert literals.occur(text + b"&#", LITERALS) and literals.occur(text + b"\r", LITERALS)


def test_without_the_package_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a '' b &#39; \r c \xc2\xad"
    wanted = literals.places(text, LITERALS)
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    monkeypatch.setattr(literals, "_automata", {})
    assert literals.places(text, LITERALS) == wanted == sorted(plainly(text))
