"""Runs of lines with the same owner, and reading them in parts."""

from __future__ import annotations

from entire.attribution import owner_runs
from entire.attribution.owner_runs import REST, OwnerReader
from entire.model.turns import BASE, PERSON, Owner

A = Owner("s1/t1")


def test_lines_of_the_same_owner_are_one_run() -> None:
    runs: list[tuple[Owner, int]] = [(A, 2)]
    owner_runs.extend(runs, [(A, 1), (PERSON, 0), (A, 1), (PERSON, 3)])
    assert runs == [(A, 4), (PERSON, 3)]


def test_a_reader_splits_runs_where_it_is_asked_to() -> None:
    reader = OwnerReader([(A, 3), (PERSON, 1), (BASE, REST)])
    assert reader.pieces(2) == [(A, 2)]
    assert reader.peek() == A
    assert reader.take() == A
    assert reader.take() == PERSON
    copied = [(BASE, 1)]
    reader.copy(2, copied)
    assert copied == [(BASE, 3)]


def test_beyond_the_end_nothing_is_written() -> None:
    reader = OwnerReader([(A, 1)])
    assert reader.pieces(5) == [(A, 1)]
    assert (reader.peek(), reader.take()) == (BASE, BASE)
