"""Times that people give, against git's own reading of the same words."""

from __future__ import annotations

import time

import pytest

from entire.git import history
from tests.unit.git.repo import Repo


@pytest.mark.parametrize(
    ("age", "seconds"),
    [("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("90D", 90 * 86_400), (" 2w ", 1_209_600), ("0d", 0)],
)
def test_a_short_age_is_counted_from_now(repo: Repo, age: str, seconds: int) -> None:
    assert abs(history.moment(str(repo.top), age) - (time.time() - seconds)) < 3 + 3600 * (
        seconds > 86_400
    )  # summer time


@pytest.mark.parametrize("text", ["2026-05-31", "yesterday", "3 days ago", "d", "", "-7d", "1.5d", "7d ago", "²d"])
def test_any_other_time_is_left_to_git(text: str) -> None:
    assert history.dated(text) == text


def test_what_is_no_time_is_none(repo: Repo) -> None:
    assert history.moment(str(repo.top), "when it rained") == 0.0
