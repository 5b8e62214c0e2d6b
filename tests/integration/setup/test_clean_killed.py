"""``entire clean`` and ``entire reset``, killed before each of their writes and git commands in turn."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from entire import layout
from entire.store import sessions
from entire.undo import completion
from tests.integration import dying
from tests.integration.kept import PERSON, shadows
from tests.integration.setup.test_clean import orphan, place_of
from tests.integration.setup.test_reset import worked
from tests.integration.story import Story
from tests.trees import tree


def killed(story: Story, *args: str) -> list[Path]:
    """Return copies of the repository as the command leaves it that is killed before one of its writes or git commands,
    one for each of these, and as it is at the end. It runs once: what is copied while it waits is what a kill leaves.
    """

    def command() -> None:
        assert story.entire(*args) == 0

    return dying.moments(story.root, command)


def put(story: Story, root: Path) -> None:
    """Put such a copy in the place of the repository."""
    shutil.rmtree(story.root)
    root.rename(story.root)


def each(story: Story, roots: list[Path], check: Callable[[], None]) -> None:
    """Check each of these copies, but of those that equal each other only one: a kill before a git that only reads
    leaves what the one before it left.
    """
    known = []
    for root in dict.fromkeys(roots):
        state = tree(root, but=frozenset())
        if state in known:
            continue
        known.append(state)
        put(story, root)
        try:
            check()
        except AssertionError as error:
            raise AssertionError(f"in {root.name} of {len(roots)}") from error


def test_a_killed_clean_removes_all_or_nothing(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    name, _ = orphan(story)
    broken = ".git/entire/sessions/x.json.broken"
    (story.root / broken).write_text("{")
    outcomes = set()

    def check() -> None:
        place = place_of(story)
        completion.complete(place)
        state = (shadows(story) == [name], (story.root / broken).exists())
        assert state in ((True, True), (False, False))
        outcomes.add(state)
        if not any(state):
            assert story.entire("clean", "--undo") == 0
            assert (shadows(story) == [name], (story.root / broken).exists()) == (True, True)
        assert story.entire("clean", "-f") == 0
        assert shadows(story) == []
        assert story.log_errors() == []

    each(story, killed(story, "clean", "-f"), check)
    assert len(outcomes) == 2


def test_a_killed_reset_can_be_repeated_and_undone(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    session = worked(story)
    outcomes = set()

    def check() -> None:
        place = layout.find(str(story.root))
        assert place is not None
        completion.complete(place)
        state = (bool(shadows(story)), bool(sessions.ids(place)))
        assert state in ((True, True), (False, False))
        outcomes.add(state)
        journal = json.loads((story.root / ".git/entire/journal.json").read_text())
        assert any(entry[2] for entry in journal["entries"]) is all(state), "who made what goes along"
        assert story.read("a.py") == "one = 1\ntwo = 2\n"
        if all(state):
            assert story.entire("reset", "-f") == 0
        capsys.readouterr()
        assert story.entire("doctor", "--json") == 0
        assert [one for one in json.loads(capsys.readouterr().out)["findings"] if one["severity"] != "note"] == []
        assert story.entire("reset", "--undo") == 0
        assert (bool(shadows(story)), sessions.ids(place)) == (True, [session.id])
        assert story.entire("reset", "-f") == 0
        story.commit("A person commits it", env=PERSON)
        assert story.ids() == []
        assert story.log_errors() == []

    each(story, killed(story, "reset", "-f"), check)
    assert len(outcomes) == 2
