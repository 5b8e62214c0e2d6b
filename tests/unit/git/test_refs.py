"""Refs move all or not at all, and only from where they were expected."""

from __future__ import annotations

import threading

import pytest

from entire.errors import RefMovedError
from entire.git import refs
from entire.git.refs import RefMove
from entire.git.write import ImportStream
from tests.unit.git.repo import Repo

AUTHOR = "Ada <ada@example.com> 1700000000 +0100"


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    stream = ImportStream(repo.top)
    marks = [stream.commit(message=b"%d" % n, author=AUTHOR, changes={}) for n in range(3)]
    written = stream.write()
    return [written[mark] for mark in marks]


def test_a_ref_is_made_moved_and_deleted(repo: Repo, commits: list[str]) -> None:
    first, second, _ = commits
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=first, old="")])
    assert refs.read(repo.top, "refs/entire/x", "refs/entire/none") == {"refs/entire/x": first}
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=second, old=first)])
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=first)])
    assert refs.find(repo.top, "refs/entire") == {"refs/entire/x": first}
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new="", old=first)])
    assert refs.find(repo.top, "refs/entire") == {}
    refs.move(repo.top, [])


def test_reading_a_ref_does_not_find_those_below_it(repo: Repo, commits: list[str]) -> None:
    refs.move(repo.top, [RefMove(ref="refs/entire/x/y", new=commits[0])])
    assert refs.read(repo.top, "refs/entire/x") == {}
    assert refs.find(repo.top, "refs/entire/x") == {"refs/entire/x/y": commits[0]}


@pytest.mark.parametrize(("new", "old"), [(0, 1), (0, None), ("", 1), (1, 2)])
def test_a_ref_that_is_elsewhere_stops_all_moves(repo: Repo, commits: list[str], new: object, old: object) -> None:
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=commits[2] if old != 2 else commits[0])])
    before = refs.find(repo.top, "refs/entire")
    request = RefMove(
        ref="refs/entire/x",
        new=commits[new] if isinstance(new, int) else "",
        old=commits[old] if isinstance(old, int) else "",
    )
    with pytest.raises(RefMovedError):
        refs.move(repo.top, [RefMove(ref="refs/entire/other", new=commits[0], old=""), request])
    assert refs.find(repo.top, "refs/entire") == before


def test_of_many_writers_none_loses_an_update(repo: Repo, commits: list[str]) -> None:
    """Each adds a commit on top of what it saw, until nobody was faster."""
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=commits[0], old="")])

    def add(name: str) -> None:
        while True:
            tip = refs.read(repo.top, "refs/entire/x")["refs/entire/x"]
            stream = ImportStream(repo.top)
            mark = stream.commit(message=name.encode(), author=AUTHOR, parents=(tip,), changes={})
            new = stream.write()[mark]
            try:
                refs.move(repo.top, [RefMove(ref="refs/entire/x", new=new, old=tip)])
            except RefMovedError:
                continue
            return

    threads = [threading.Thread(target=add, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = repo.line("log", "--format=%s", "refs/entire/x").splitlines()
    assert sorted(told[:-1]) == ["0", "1", "2", "3"]
