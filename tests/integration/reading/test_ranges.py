"""Ranges of commits: what their names mean, where a branch began, and what changed since."""

from __future__ import annotations

import pytest

from entire.git import ranges
from entire.git.ranges import Counted
from tests.integration.story import Story


@pytest.fixture
def forked(story: Story) -> tuple[str, str, str]:
    """Return where topic began, its tip, and what main is since."""
    fork = story.head()
    story.git("checkout", "-q", "-b", "topic")
    story.write("日本 a.txt", "1\n2\n")
    story.write("logo.bin", b"\0\1")
    story.git("mv", "README.md", "READ ME.md")
    story.commit("Topic")
    tip = story.head()
    story.git("checkout", "-q", "main")
    story.write("main.txt", "1\n")
    story.commit("Main")
    return fork, tip, story.head()


def test_names(story: Story, forked: tuple[str, str, str]) -> None:
    fork, tip, main = forked
    top = str(story.root)
    assert ranges.parse(top, "main..topic") == (main, tip)
    assert ranges.parse(top, "main...topic") == (fork, tip)
    assert ranges.parse(top, "topic") == (tip, main)
    assert ranges.parse(top, "topic..") == (tip, main)
    assert ranges.parse(top, "..topic") == (main, tip)
    assert ranges.parse(top, "nothing..topic") == ("", tip)
    assert ranges.parse(top, "--all..topic") == ("", tip)


def test_where_a_branch_began(story: Story, forked: tuple[str, str, str]) -> None:
    fork, tip, main = forked
    top = str(story.root)
    assert ranges.since_fork(top) == ("", main), "main began nowhere"
    story.git("checkout", "-q", "topic")
    assert ranges.since_fork(top) == (fork, tip)
    story.git("update-ref", "refs/remotes/origin/main", tip)
    assert ranges.since_fork(top) == (fork, tip), "pushed work is still the branch's"
    story.git("checkout", "-q", "--detach")
    assert ranges.since_fork(top) == (fork, tip)
    story.git("checkout", "-q", "-B", "main", tip)
    story.git("update-ref", "refs/remotes/origin/main", fork)
    assert ranges.since_fork(top) == (fork, tip), "what origin lacks of main"


def test_what_changed(story: Story, forked: tuple[str, str, str]) -> None:
    _, tip, main = forked
    assert sorted(ranges.counted(str(story.root), main, tip), key=lambda found: found.path) == [
        Counted(path="READ ME.md", old_path="README.md", added=0, removed=0),
        Counted(path="logo.bin", old_path="logo.bin", added=None, removed=None),
        Counted(path="日本 a.txt", old_path="日本 a.txt", added=2, removed=0),
    ]
