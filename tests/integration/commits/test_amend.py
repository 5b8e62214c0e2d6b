"""`git commit --amend`: the id stays; without new content so does every byte of the checkpoint."""

from __future__ import annotations

import pytest

from tests.integration.kept import folder, input_tokens, lines, reason, slot_of, start, unlinked
from tests.integration.story import Session, Story

WAYS = {
    "m": ["-m", "Reworded"],
    "F": ["-F", "-"],
    "C": ["-C", "HEAD"],
    "no-edit": ["--no-edit"],
    "editor": [],
    "date": ["--no-edit", "--date=2001-01-01T00:00:00Z"],
    "author": ["-m", "Reworded", "--author=Eve <eve@example.com>"],
    "reset-author": ["-m", "Reworded", "--reset-author"],
    "only": ["-m", "Reworded", "--only"],
}


def amend(story: Story, *args: str, **env: str) -> str:
    story.git("commit", "-q", "--amend", *args, stdin="From a file\n", env={"GIT_EDITOR": "true", **env})
    return story.head()


def linked(story: Story) -> Session:
    """A linked commit of a.txt, while b.txt (two lines) stays open."""
    a = story.session()
    a.start()
    with a.turn("Make a and b"):
        a.write("a.txt", "a1\n")
        a.write("b.txt", "b1\nb2\n")
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    return a


@pytest.mark.parametrize("way", WAYS)
def test_without_new_content(story: Story, way: str) -> None:
    a = linked(story)
    ids, before, old = story.ids(), folder(story), story.head()
    assert len(ids) == 1
    assert amend(story, *WAYS[way]) != old or way in ("C", "no-edit", "editor")
    assert story.ids() == ids
    assert folder(story) == before
    assert a.state()["files_touched"] == ["b.txt"]
    assert reason(story) == ""

    story.commit("b")
    slot = slot_of(story, a)
    assert story.ids() != ids
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["b.txt"], (2, 0, 0, 0, 2), 0, 0)
    assert story.log_errors() == []


@pytest.mark.parametrize("way", [way for way in WAYS if way != "only"])
def test_with_new_content(story: Story, way: str) -> None:
    a = linked(story)
    ids, old = story.ids(), story.head()
    story.git("add", "b.txt")
    amend(story, *WAYS[way])
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["a.txt", "b.txt"], (3, 0, 0, 0, 3))
    assert (input_tokens(slot), start(slot)) == (7, 0)
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == [old, story.head()]
    assert not a.state().get("files_touched")
    assert story.log_errors() == []


def test_only_keeps_what_is_staged_open(story: Story) -> None:
    a = linked(story)
    ids, before = story.ids(), folder(story)
    story.git("add", "b.txt")
    amend(story, "-m", "Reworded", "--only")
    assert (story.ids(), folder(story)) == (ids, before)
    story.commit("b", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["b.txt"], (2, 0, 0, 0, 2), 0)
    assert story.log_errors() == []


def test_with_the_work_of_a_later_turn_tokens_are_summed(story: Story) -> None:
    a = linked(story)
    ids = story.ids()
    with a.turn("More a"):
        a.edit("a.txt", "a1\n", "a1\na2\n")
    story.git("add", "a.txt")
    amend(story, "--no-edit")
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (2, 0, 0, 0, 2), 31, 0)
    assert slot["prompts"] == ["Make a and b", "More a"]
    assert a.state()["files_touched"] == ["b.txt"]
    story.commit("b")
    assert input_tokens(slot_of(story, a)) == 0
    assert story.log_errors() == []


def test_twice(story: Story) -> None:
    a = linked(story)
    ids = story.ids()
    commits = [story.head()]
    for n in (2, 3):
        with a.turn(f"More a {n}"):
            a.edit("a.txt", "a1\n", f"a1\na{n}\n")
        commits.append(amend(story, "-a", "-m", f"Again {n}"))
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (lines(slot), input_tokens(slot), start(slot)) == ((3, 0, 0, 0, 3), 127, 0)
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == commits
    assert story.log_errors() == []


def test_with_a_persons_lines_only(story: Story) -> None:
    a = linked(story)
    ids = story.ids()
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    amend(story, "--no-edit")
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot)) == (["a.txt"], 7)
    assert a.state()["files_touched"] == ["b.txt"]
    assert story.log_errors() == []


def test_by_the_agent_in_a_later_turn(story: Story) -> None:
    a = linked(story)
    ids, old = story.ids(), story.head()
    a.prompt("Amend it with b")
    with a.shell("git commit --amend"):
        story.git("add", "b.txt")
        amend(story, "--no-edit", CLAUDE_CODE_SESSION_ID=a.id)
    assert story.ids() == ids
    a.stop()
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (
        ["a.txt", "b.txt"],
        (3, 0, 0, 0, 3),
        31,
        0,
    )
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == [old, story.head()]
    assert story.log_errors() == []


def test_by_the_agent_in_the_turn_of_the_commit(story: Story) -> None:
    a = story.session()
    a.start()
    a.prompt("Make a, commit, make b, amend")
    a.write("a.txt", "a\n")
    a.commit("a")
    ids = story.ids()
    a.write("b.txt", "b\n")
    with a.shell("git commit --amend"):
        story.git("add", "-A")
        amend(story, "-m", "a and b", CLAUDE_CODE_SESSION_ID=a.id)
    a.stop()
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (
        ["a.txt", "b.txt"],
        (2, 0, 0, 0, 2),
        31,
        0,
    )
    assert story.log_errors() == []


def test_by_the_agent_without_new_content(story: Story) -> None:
    """The checkpoint stays as it was; the turn's tokens wait for the next commit."""
    a = linked(story)
    ids, before = story.ids(), folder(story)
    with a.turn("Reword it"), a.shell("git commit --amend"):
        amend(story, "-m", "Better words", CLAUDE_CODE_SESSION_ID=a.id)
    assert (story.ids(), folder(story)) == (ids, before)
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 8 + 16, 0)
    assert story.log_errors() == []


def test_of_an_unlinked_commit(story: Story) -> None:
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    a = story.session()
    a.start()
    with a.turn("Make a"):
        a.write("a.txt", "a1\n")
    amend(story, "-m", "Mine, reworded")
    assert story.ids() == []
    assert a.state()["files_touched"] == ["a.txt"]
    story.git("add", "a.txt")
    amend(story, "--no-edit")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (1, 1, 0, 0, 2), 3, 0)
    assert story.log_errors() == []


@pytest.mark.parametrize("way", WAYS)
def test_with_no_session_alive(story: Story, way: str) -> None:
    a = linked(story)
    story.commit("b")
    a.end()
    assert not story.path(".git/entire/live").exists()
    ids, before = story.ids(), folder(story)
    amend(story, *WAYS[way])
    assert (story.ids(), folder(story)) == (ids, before)
    story.write("mine.txt", "mine\n")
    story.git("add", "-A")
    amend(story, "-m", "With mine")
    assert story.ids() == ids
    assert not story.path(".git/entire/pending.json").exists()
    assert story.log_errors() == []


def test_another_session_joins(story: Story) -> None:
    a = linked(story)
    ids = story.ids()
    b = story.session()
    b.start()
    with b.turn("Make c"):
        b.write("c.txt", "c1\nc2\n")
    story.git("add", "c.txt")
    amend(story, "--no-edit")
    assert story.ids() == ids
    checkpoint = story.linked()
    assert checkpoint["files_touched"] == ["a.txt", "c.txt"]
    assert sorted(checkpoint["slots"]) == sorted([a.id, b.id])
    assert input_tokens(checkpoint) == 7 + 3
    assert checkpoint["slots"][a.id]["files_touched"] == ["a.txt"]
    assert checkpoint["slots"][b.id]["files_touched"] == ["c.txt"]
    assert lines(checkpoint["slots"][b.id]) == (2, 0, 0, 0, 3)
    assert story.log_errors() == []


def test_a_part_is_taken_out_again(story: Story) -> None:
    """What an amend takes out of the commit is open work again, and linked when it is committed."""
    a = story.session()
    a.start()
    with a.turn("Make a and b"):
        a.write("a.txt", "a1\n")
        a.write("b.txt", "b1\nb2\n")
    story.commit("Both")
    ids = story.ids()
    story.git("rm", "-q", "--cached", "b.txt")
    amend(story, "-m", "Only a")
    assert story.ids() == ids
    story.commit("b by itself")
    assert len(story.ids()) == 1
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["b.txt"], (2, 0, 0, 0, 2), 0)
    assert story.log_errors() == []


def test_with_the_message_of_another_commit(story: Story) -> None:
    """The id stays the commit's own, whatever the message says."""
    linked(story)
    ids = story.ids()
    amend(story, "-m", "No trailer in these words\n\nand a body\n\nSigned-off-by: A <a@example.com>")
    assert story.ids() == ids
    assert story.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)").strip() == ids[0]
    assert story.log_errors() == []


def test_trailer_removed_in_the_editor_of_an_amend(story: Story) -> None:
    linked(story)
    amend(story, GIT_EDITOR="sed -i '/^Entire-Checkpoint/d'")
    assert "by hand" in unlinked(story)
    assert story.log_errors() == []


def test_a_file_that_is_taken_out_and_thrown_away_is_not_open(story: Story) -> None:
    a = story.session()
    a.start()
    with a.turn("Make a and b"):
        a.write("a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.commit("Both")
    story.git("rm", "-q", "b.txt")
    amend(story, "--no-edit")
    assert slot_of(story, a)["files_touched"] == ["a.txt"]
    assert a.state().get("files_touched", []) == []
    assert story.log_errors() == []
