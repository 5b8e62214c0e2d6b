"""Several processes read long transcripts, and find what one does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from entire import parallel
from tests.integration.commandline import Repo
from tests.integration.reading.test_digest import run
from tests.integration.story import Story


def counting(copied: list[int], fork: Callable[[], int] = os.fork) -> Callable[[], int]:
    def counted() -> int:
        copied.append(0)
        return fork()

    return counted


@pytest.mark.parametrize("words", [["story", "HEAD~2..HEAD", "--json"], ["search", "greet*", "--json", "--limit", "0"]])
def test_several_processes_find_what_one_does(
    story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.chdir(story.root)
    sessions = [story.started() for _ in range(3)]
    for number in range(2):
        for at, session in enumerate(sessions):
            with session.turn(f"Greet {at}, time {number}"):
                session.write(f"greet{at}.py", f"greeting = {number}\n" * 3)
                run(session, f"pytest -k greet{at}", "1 failed", fails=True)
        story.commit(f"Greet, time {number}")
    repo = Repo(story.root, capsys)
    assert not list(story.path(".git/entire/index").glob("*.db"))
    alone = repo.ok(*words)
    copied: list[int] = []
    monkeypatch.setattr(os, "fork", counting(copied))
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    monkeypatch.setattr(parallel, "LONG", 0)
    shutil.rmtree(story.path(".git/entire/index"))
    assert repo.ok(*words) == alone
    assert len(copied) == (3 if words[0] == "story" else 2)
    assert repo.ok(*words) == alone, "what they found is kept"
    assert len(copied) == (3 if words[0] == "story" else 2)
