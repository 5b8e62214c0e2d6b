"""Remotes are talked to without questions, and what git says about them holds no secret."""

from __future__ import annotations

import pytest

from entire.errors import EntireError, GitError
from entire.git import remote
from tests.unit.git.repo import Repo


@pytest.fixture
def origin(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    other = Repo(tmp_path_factory.mktemp("origin"), "--bare")
    repo.git("remote", "add", "origin", other.top)
    repo.git("commit", "-q", "--allow-empty", "-m", "one")
    return other


def test_a_commit_goes_there_and_comes_back(repo: Repo, origin: Repo) -> None:
    head = repo.line("rev-parse", "HEAD")
    remote.push(repo.top, "origin", head, "refs/heads/entire/x", 60)
    assert origin.line("rev-parse", "refs/heads/entire/x") == head
    remote.fetch(repo.top, "origin", "refs/heads/entire/x", "refs/entire/fetched", 60)
    assert repo.line("rev-parse", "refs/entire/fetched") == head
    assert remote.is_named(repo.top, "origin")
    assert not remote.is_named(repo.top, origin.top)


def test_nothing_is_forced(repo: Repo, origin: Repo) -> None:
    first = repo.line("rev-parse", "HEAD")
    repo.git("commit", "-q", "--allow-empty", "-m", "two")
    second = repo.line("rev-parse", "HEAD")
    remote.push(repo.top, "origin", second, "refs/heads/x", 60)
    with pytest.raises(GitError, match="rejected"):
        remote.push(repo.top, "origin", first, "refs/heads/x", 60)
    assert origin.line("rev-parse", "refs/heads/x") == second
    assert remote.is_ancestor(repo.top, first, second)
    assert remote.is_ancestor(repo.top, first, first)
    assert not remote.is_ancestor(repo.top, second, first)


def test_a_password_in_the_address_is_not_told(repo: Repo) -> None:
    repo.git("remote", "add", "gone", "file://user:secret@/no/such/place")
    with pytest.raises(GitError) as caught:
        remote.push(repo.top, "gone", "HEAD", "refs/heads/x", 60)
    assert "secret" not in f"{caught.value} {caught.value.stderr}"


def test_without_time_nothing_is_tried(repo: Repo, origin: Repo) -> None:
    with pytest.raises(EntireError, match="timed out"):
        remote.push(repo.top, "origin", "HEAD", "refs/heads/x", 0)
    assert origin.git("for-each-ref") == b""
