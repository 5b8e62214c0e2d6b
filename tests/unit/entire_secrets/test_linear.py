"""Patterns of own rules: RE2 runs them in linear time, and without RE2 a timer stops them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from entire_secrets import linear
from entire_secrets.linear import Budget

ACCEPTED = (
    r"acme_[a-z0-9]{12}", r"ACME-[A-Z0-9]+", r"(?:[a-z]{1,63}\.){1,8}com", r"([A-Z0-9]{4}-){3}[A-Z0-9]{4}",
    r"(foo|bar|baz)+!", r"x(?:[a-z]*[0-9])*b", r"(?i)emp-\d{6}", r"\bp-(?:dev|prod)-[0-9a-f]{8,}\b", r"v\d+(?:\.\d+)*",
)  # fmt: skip
REFUSED = {
    r"(?=a)b": "RE2 can run", r"(?<!a)b": "RE2 can run", r"(a)\1": "RE2 can run", r"(?P<q>a)(?P=q)": "RE2 can run",
    r"a++b": "RE2 can run", r"(?>a)b": "RE2 can run", r"(a)?(?(1)b|c)": "RE2 can run", r"a(": "not a regular expr",
    r".{0,4096}.{0,4096}.{0,4096}Q": "RE2 can run|too large", r"(?:a{60}){60}": "RE2 can run|too large",
    "a" * 1001: "longer than 1,000 bytes",
}  # fmt: skip
SLOW = (r"(a+)+$", r"(a|a)*b", r"(x+x+)+y", r".{0,150}.{0,150}Q", r"a[^Q]*Q|a")


@pytest.fixture(params=["RE2", "re"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "re":
        monkeypatch.setattr(linear, "_engines", [None])
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize("pattern", ACCEPTED)
def test_both_engines_find_the_same(engine: str, pattern: str) -> None:
    text = b"acme_abcdef012345 ACME-AB12\na.b.com ABCD-EFGH-1234-5678 foobar! x1b emp-123456 p-dev-0123abcd v1.2.30"
    found = list(linear.spans(linear.compiled(pattern.encode()), text, Budget()))
    assert len(found) == 1
    import re

    whole = re.search(pattern.encode(), text)
    assert whole is not None
    assert found == [whole.span(min(whole.re.groups, 1))]


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_re2_cannot_run_is_refused_on_every_machine(engine: str, pattern: str) -> None:
    if engine == "re" and pattern == r"(?:a{60}){60}":
        return  # the timer stops it
    with pytest.raises(ValueError, match=REFUSED[pattern]):
        linear.compiled(pattern.encode())


@pytest.mark.parametrize("pattern", SLOW)
def test_no_pattern_takes_more_than_its_budget(engine: str, pattern: str) -> None:
    budget = Budget(0.2)
    line = b"a" * 1999 + b"x\n"
    text = line * 50 if engine == "re" else line * 50 + b"ax" * 100_000
    started = time.process_time()
    for _ in linear.spans(linear.compiled(pattern.encode()), text, budget):
        pass
    assert time.process_time() - started < 3
    assert budget.unchecked if budget.left <= 0 else not budget.unchecked


def test_what_is_late_is_counted(engine: str) -> None:
    budget = Budget(0)
    assert list(linear.spans(linear.compiled(b"a"), b"a" * 10, budget)) == []
    assert budget.unchecked == 11


def test_a_long_line_is_searched_in_pieces_that_overlap() -> None:
    pattern = linear.compiled(b"key_[0-9]{8}")
    for at in (linear.PIECE - 4, linear.PIECE, 2 * linear.PIECE + linear.OVERLAP - 6):
        line = b"." * at + b"key_12345678" + b"." * linear.PIECE
        assert list(linear.spans(pattern, line, Budget())) == [(at, at + 12)]


def test_without_re2_long_lines_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_engines", [None])
    pattern, budget = linear.compiled(b"acme_[0-9]+"), Budget()
    long = b"x" * budget.longest_line + b" acme_1"
    last = len(long) + 9
    assert list(linear.spans(pattern, b"acme_22\n" + long + b"\nacme_3", budget)) == [(0, 7), (last, last + 6)]
    assert budget.unchecked == len(long)
    audit = Budget(10.0, len(long))
    assert len(list(linear.spans(pattern, b"acme_22\n" + long, audit))) == 2


def test_without_re2_and_in_another_thread_nothing_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_engines", [None])
    pattern, budget = linear.compiled(b"a"), Budget()
    found: list[tuple[int, int]] = []
    thread = threading.Thread(target=lambda: found.extend(linear.spans(pattern, b"a", budget)))
    thread.start()
    thread.join()
    assert (found, budget.unchecked) == ([], 2)
