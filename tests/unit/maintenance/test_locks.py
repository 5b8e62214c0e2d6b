"""What people are told about a lock."""

from __future__ import annotations

import pytest

from entire.maintenance.locks import StandingLock

BASIS = StandingLock(path="/r/.git/index.lock", is_ours=False, is_stale=False, is_old=True, age=60.0)


AGES = {
    0.4: "is 0 seconds old",
    1: "is 1 second old",
    150: "is 2 minutes old",
    7200: "is 2 hours old",
    90000: "is 1 day old",
    -7200: "is dated 2 hours in the future",
}


@pytest.mark.parametrize(("age", "words"), AGES.items())
def test_the_age_is_in_words(age: float, words: str) -> None:
    lock = StandingLock(**{**BASIS.__dict__, "age": age})
    assert lock.problem == f"/r/.git/index.lock {words}; git refuses to work while it exists"


def test_a_path_can_be_pasted_into_a_shell() -> None:
    lock = StandingLock(**{**BASIS.__dict__, "path": "/it's mine/.git/index.lock"})
    assert lock.remedy == """if no git process is running: rm '/it'"'"'s mine/.git/index.lock'"""
