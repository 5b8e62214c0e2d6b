"""While git is kept offline, and only then, it gets the variables for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entire.errors import GitError, PartialCloneError
from entire.git import run
from entire.git.offline import Offline

LACKING = "fatal: could not fetch 1234 from promisor remote"


def is_offline() -> bool:
    return run.environment().get("GIT_ALLOW_PROTOCOL") == "none" and "GIT_NO_LAZY_FETCH" in run.environment()


def test_git_is_offline_until_the_outermost_ends() -> None:
    assert not is_offline()
    with Offline(".", "branch"):
        with Offline(".", "branch"):
            assert is_offline()
        assert is_offline()
    assert not is_offline()


def test_only_then_a_missing_object_has_an_error_of_its_own() -> None:
    with Offline(".", "branch"):
        assert isinstance(run.failure("git log failed", LACKING), PartialCloneError)
        assert not isinstance(run.failure("git log failed", "fatal: bad revision"), PartialCloneError)
    found = run.failure("git log failed", LACKING)
    assert not isinstance(found, PartialCloneError)
    assert found.message == f"git log failed: {LACKING}"


def test_the_steps_of_a_list_are_offline_and_it_is_closed() -> None:
    ended = []

    def rows() -> Iterator[bool]:
        try:
            yield is_offline()
            yield is_offline()
        finally:
            ended.append(True)

    found = Offline(".", "branch").steps(rows())
    assert next(found)
    assert not is_offline()
    assert not ended
    found.close()
    assert ended
    assert list(Offline(".", "branch").steps(rows())) == [True, True]


def test_an_error_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "git", lambda *_, **__: pytest.fail("git was asked"))
    with pytest.raises(GitError), Offline(".", "branch"):
        raise GitError("another one")
    assert not is_offline()
