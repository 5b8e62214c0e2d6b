"""Patterns from people: what may take for ever is refused, and what repeats has a bound."""

from __future__ import annotations

import re
import time

import pytest

from entire.redact import patterns

SLOW = (
    r"(a+)+$", r"(a|a)*b", r"(a|aa)+x", r"(\w*)*x", r"([a-z]+)*[0-9]", r"(.*a){20}", r"(x+x+)+y", r"^(\d+)*$",
    r"(a{1,100}){1,100}b", r"(?:a?){30}a{30}", r"(a|b|ab)*c", r"(?:a+b?)+c", r"(?=(a+)+b)a", r"(?i)(?:a+A)+b",
    r"(x)(?:\1?x)+y",
)  # fmt: skip
QUICK = (
    r"acme_[a-z0-9]{12}", r"ACME-[A-Z0-9]+", r"(?:[a-z]{1,63}\.){1,8}com", r"([A-Z0-9]{4}-){3}[A-Z0-9]{4}",
    r"(foo|bar|baz)+!", r"x(?:[a-z]*[0-9])*b", r"(?i)emp-\d{6}", r"(?:[a-z]-?)+x", r"\bp-(?:dev|prod)-[0-9a-f]{8,}\b",
    r"(?P<q>['\"])k(.*?)(?P=q)", r"v\d+(?:\.\d+)*",
)  # fmt: skip


@pytest.mark.parametrize("pattern", SLOW)
def test_what_may_take_for_ever_is_refused(pattern: str) -> None:
    assert patterns.may_take_for_ever(pattern.encode())


@pytest.mark.parametrize("pattern", QUICK)
def test_what_is_clear_is_taken(pattern: str) -> None:
    assert not patterns.may_take_for_ever(pattern.encode())
    patterns.compiled(pattern.encode()).search(b"ab1." * 2000 + b"x" * 2000)  # ends


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"a+", b"a"), (r"(?:a,)*", b"a,"), (r"a{3,}?$", b"a"), (r"[^b]*", b"c")]
)
def test_a_repetition_has_a_bound(pattern: str, text: bytes) -> None:
    text *= 3 * patterns.MOST
    found = patterns.compiled(pattern.encode()).match(text)
    whole = re.match(pattern.encode(), text)
    assert found is None or len(found[0]) < len(text)
    assert whole is not None
    assert len(whole[0]) == len(text)


def test_a_bounded_pattern_means_the_same() -> None:
    text = b"key ACME-AB12 and 'kxx' v1.2.30, foobarbaz!"
    for pattern in QUICK:
        assert [m.span() for m in patterns.compiled(pattern.encode()).finditer(text)] == [
            m.span() for m in re.finditer(pattern.encode(), text)
        ], pattern


def test_judging_is_quick() -> None:
    started = time.process_time()
    patterns.may_take_for_ever(b"(?:" + b"|".join(b"w%d[a-z]" % n for n in range(50)) + b")+")
    assert time.process_time() - started < 5
