"""`why` names the tool call that wrote a line, from the transcript of its turn, or says why it cannot."""

from __future__ import annotations

import os
import shutil

from entire.model.origins import LineRange, WhyRequest
from entire.workspace import Workspace
from tests.integration.story import Session, Story, story

__all__ = ["story"]


def ranges(story: Story, target: str) -> list[LineRange]:
    return list(Workspace.find(story.root).origins.why(WhyRequest(target=target)).files[0].ranges)


def calls(story: Story, target: str) -> list[tuple[int, int, str]]:
    """Return first and last line, and the tool with its subject, or the reason."""
    return [
        (part.first, part.last, f"{part.call.name} {os.path.basename(part.call.text)}" if part.call else part.no_call)
        for part in ranges(story, target)
    ]


def work(session: Session) -> None:
    with session.turn("first"):
        session.write("a.txt", "one\ntwo\nthree\nfour\n")
        session.edit("a.txt", "two", "two and a half")
        with session.shell("sed -i s/four/4/ a.txt"):
            session.story.write("a.txt", "one\ntwo and a half\nthree\n4\n")


def test_lines_of_a_commit_and_before_it(story: Story) -> None:
    work(story.started())
    assert [(first, last, what[:4]) for first, last, what in calls(story, "a.txt:1-4")] == [
        (1, 1, "Writ"), (2, 2, "Edit"), (3, 3, "Writ"), (4, 4, "Bash")]  # fmt: skip
    story.commit("a")
    assert [(first, last, what[:4]) for first, last, what in calls(story, "a.txt:1-4")] == [
        (1, 1, "Writ"), (2, 2, "Edit"), (3, 3, "Writ"), (4, 4, "Bash")]  # fmt: skip
    assert [part.call for part in ranges(story, "a.txt")] == [None]


def test_a_turn_in_progress(story: Story) -> None:
    session = story.started()
    session.prompt("go")
    session.write("a.txt", "one\n")
    assert calls(story, "a.txt:1") == [(1, 1, "Write a.txt")]


def test_a_call_of_an_earlier_turn_is_not_named(story: Story) -> None:
    session = story.started()
    work(session)
    with session.turn("second"):
        session.edit("a.txt", "three", "3")
    story.commit("a")
    assert calls(story, "a.txt:3") == [(3, 3, "Edit a.txt")]
    assert ranges(story, "a.txt:3")[0].origin.prompt == "second"
    assert ranges(story, "a.txt:1")[0].origin.prompt == "first"


def test_a_line_after_the_commit_was_rebased(story: Story) -> None:
    start = story.head()
    work(story.started())
    story.commit("a")
    story.git("checkout", "-q", "-b", "other", start)
    story.write("b.txt", "b\n")
    story.commit("b")
    story.git("checkout", "-q", "main")
    story.git("rebase", "-q", "other")
    assert calls(story, "a.txt:2")[0][2] == "Edit a.txt"


def test_no_transcript_no_call(story: Story) -> None:
    session = story.started()
    with session.turn("go"):
        session.write("a.txt", "one\n")
    session.file.unlink()
    shutil.rmtree(story.projects)
    (part,) = ranges(story, "a.txt:1")
    assert part.origin.prompt == "go"
    assert part.call is not None or part.no_call
