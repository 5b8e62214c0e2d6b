"""Where a hook's payload comes from: standard input, else the last argument if it is JSON."""

from __future__ import annotations

import io

import pytest

from entire.commands import hooks


class Terminal(io.TextIOWrapper):
    """A standard input that a person sits at."""

    def isatty(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        raise AssertionError("a hook must never wait for a person")


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b'{"a": 1}\n')
    assert hooks._payload(['{"b": 2}']) == b'{"a": 1}\n'


@pytest.mark.parametrize("empty", [b"", b"\n", b"  \n\n"])
@pytest.mark.parametrize("given", ['{"b": "\u00e9"}', "[1]"])
def test_the_last_argument_if_it_is_json(monkeypatch: pytest.MonkeyPatch, empty: bytes, given: str) -> None:
    standard_input(monkeypatch, empty)
    assert hooks._payload(["agent-turn-complete", given]) == given.encode()


@pytest.mark.parametrize("rest", [[], ["turn-complete"], ['{"b": 2}', "last"]])
def test_other_arguments_are_no_payload(monkeypatch: pytest.MonkeyPatch, rest: list[str]) -> None:
    standard_input(monkeypatch, b"")
    assert hooks._payload(rest) == b""


def test_a_person_at_a_terminal_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(b"typed")))
    assert hooks._payload(["{}"]) == b"{}"


def test_a_closed_standard_input_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert hooks._payload(['{"b": 2}']) == b'{"b": 2}'
