"""Whose lines are not committed yet, and that asking leaves no trace."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire import layout, settings
from entire.directory import AgentDirectory
from entire.model.origins import PERSON, TURN, UNKNOWN, FileOrigins, Origin, WhyRequest
from entire.model.value import replace
from entire.origins import uncommitted
from entire.origins.uncommitted import UncommittedFile
from entire.recording.context import Context
from entire.workspace import Workspace
from tests.integration.story import Session, Story
from tests.trees import tree

__all__ = ["story"]

from tests.integration.story import story


@contextlib.contextmanager
def context(top: Path) -> Iterator[Context]:
    place = layout.find(str(top))
    assert place is not None
    found = Context(place, settings.load(place) or settings.Settings(enabled=False), AgentDirectory.without_plugins())
    try:
        yield found
    finally:
        found.close()


def files(story: Story, path: str = "", top: Path | None = None) -> list[UncommittedFile]:
    """Return the answer; asking changes no byte of the worktree and of the git directory."""
    root = top or story.root
    before = tree(root), tree(story.root / ".git")
    with context(root) as known:
        found = uncommitted.find(known, path)
    assert (tree(root), tree(story.root / ".git")) == before
    return found


def owners(story: Story, path: str, top: Path | None = None) -> list[str]:
    """Return who wrote each uncommitted line: ``number name``, where a turn's name is its session and number."""
    names = {}
    for at, session in enumerate(SESSIONS.get(story, [])):
        names[session.id] = "ABC"[at]
    found = []
    for file in files(story, path, top):
        for part in file.ranges:
            who = part.reason if part.owner == uncommitted.UNKNOWN else str(part.owner)
            if part.owner.is_turn:
                who = ("old " if not part.owner.is_new else "") + names[part.owner.session_id]
            found += [f"{number} {who}" for number in range(part.first, part.last + 1)]
    return found


SESSIONS: dict[Story, list[Session]] = {}


def started(story: Story) -> Session:
    session = story.started()
    SESSIONS.setdefault(story, []).append(session)
    return session


def test_lines_of_turns_and_of_people_between_them(story: Story) -> None:
    story.write("a.txt", "one\ntwo\n")
    story.commit("a")
    session = started(story)
    with session.turn("add three"):
        session.write("a.txt", "one\ntwo\nthree\n")
    story.write("a.txt", "mine\none\ntwo\nthree\n")
    with session.turn("add four"):
        session.write("a.txt", "mine\none\ntwo\nthree\nfour\n")
    story.write("a.txt", "mine\none\ntwo\nthree\nfour\nlate\n")
    assert owners(story, "a.txt") == ["1 person", "4 A", "5 A", "6 person"]
    assert [(file.path, file.status, file.text) for file in files(story)] == [
        ("a.txt", "M", b"mine\none\ntwo\nthree\nfour\nlate\n")
    ]


def test_in_a_running_turn_only_what_its_tools_report_is_its_own(story: Story) -> None:
    session = started(story)
    session.prompt("write")
    session.write("told.txt", "told\n")
    story.write("typed.txt", "typed\n")
    assert owners(story, "typed.txt") == ["1 person"], "no tool that runs programs was at work"
    with session.shell():
        story.write("untold.txt", "untold\n")
    assert owners(story, "told.txt") == ["1 A"]
    assert owners(story, "untold.txt") == ["1 changed while a turn ran, and no tool reports the file"]


def test_when_two_turns_report_a_file_nobody_knows_whose_line_it_is(story: Story) -> None:
    one, other = started(story), started(story)
    one.prompt("write")
    other.prompt("write")
    one.write("a.txt", "one\n")
    one.write("b.txt", "one\n")
    other.write("b.txt", "one\ntwo\n")
    assert owners(story, "a.txt") == ["1 A"]
    reason = "changed while 2 turns ran, and the tools of 2 of them report the file"
    assert owners(story, "b.txt") == [f"1 {reason}", f"2 {reason}"]


def test_work_carried_forward_belongs_to_its_turn(story: Story) -> None:
    session = started(story)
    with session.turn("two files"):
        session.write("a.txt", "a\n")
        session.write("b.txt", "b\n")
    story.git("add", "a.txt")
    story.git("commit", "-q", "-m", "only a")
    assert owners(story, "a.txt") == []
    assert owners(story, "b.txt") == ["1 A"]


def test_work_of_a_commit_that_was_taken_back_softly_is_in_its_checkpoint(story: Story) -> None:
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "a\n")
    story.commit("a")
    story.git("reset", "-q", "--soft", "HEAD~1")
    assert owners(story, "a.txt") == ["1 old A"]


def test_a_file_that_was_renamed_is_compared_with_its_old_name(story: Story) -> None:
    story.write("a.txt", "".join(f"line {n}\n" for n in range(20)))
    story.commit("a")
    session = started(story)
    with session.turn("add"):
        session.write("a.txt", story.read("a.txt") + "turn\n")
    os.rename(story.path("a.txt"), story.path("b.txt"))
    story.write("b.txt", story.read("b.txt") + "person\n")
    (file,) = files(story, "b.txt")
    assert (file.path, file.head_path, file.status, file.owner) == ("b.txt", "a.txt", "R", "person")
    assert owners(story, "b.txt") == ["21 A", "22 person"]


def test_a_deleted_file_tells_who_deleted_it(story: Story) -> None:
    story.write("a.txt", "a\n")
    story.write("b.txt", "b\n")
    story.commit("a")
    session = started(story)
    with session.turn("delete"), session.shell("rm a.txt"):
        story.path("a.txt").unlink()
    story.path("b.txt").unlink()
    assert [(file.path, file.status, file.owner.session_id or file.owner, file.removed) for file in files(story)] == [
        ("a.txt", "D", session.id, 1), ("b.txt", "D", "person", 1),
    ]  # fmt: skip


def test_staged_and_unstaged_lines_are_the_same(story: Story) -> None:
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "one\n")
    story.git("add", "a.txt")
    story.write("a.txt", "one\ntwo\n")
    assert owners(story, "a.txt") == ["1 A", "2 person"]


@pytest.mark.parametrize("is_enabled", [True, False])
def test_without_a_journal(tmp_path: Path, is_enabled: bool) -> None:
    story = Story(tmp_path / "repo", enable=is_enabled)
    story.write("a.txt", "a\n")
    assert owners(story, "a.txt") == ["1 person" if is_enabled else "1 Entire is not enabled here"]


def test_line_ends_are_compared_as_git_stores_them(story: Story) -> None:
    story.git("config", "core.autocrlf", "true")
    story.write("a.txt", "one\r\n")
    story.commit("a")
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "one\r\ntwo\r\n")
    assert owners(story, "a.txt") == ["2 A"]


def test_another_worktree_has_its_own_journal(story: Story) -> None:
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "a\n")
    other = story.root.parent / "other"
    story.git("worktree", "add", "-q", "-b", "other", str(other))
    (other / "a.txt").write_text("typed\n")
    assert owners(story, "a.txt", other) == ["1 person"]
    assert owners(story, "a.txt") == ["1 A"]


def test_a_repository_without_commits(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", first_commit=False)
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "a\n")
    story.write("b.txt", "b\n")
    assert owners(story, "a.txt") == ["1 A"]
    assert owners(story, "b.txt") == ["1 person"]


def test_what_enable_wrote_is_nobodys(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo")
    story.git("reset", "-q", "--soft", "HEAD~1")
    session = started(story)
    with session.turn("a"):
        session.write("a.txt", "a\n")
    assert {line.partition(" ")[2] for line in owners(story, ".claude/settings.json")} == {"`entire enable` wrote it"}


def origins(story: Story, path: str, top: Path | None = None) -> FileOrigins:
    root = top or story.root
    before = tree(root)
    (file,) = Workspace.find(root).origins.why(WhyRequest(target=path, is_uncommitted=True)).files
    assert tree(root) == before
    return file


def prompts(story: Story, path: str, top: Path) -> list[str]:
    """Return each uncommitted line's prompt, or its kind."""
    return [
        part.origin.prompt or part.origin.kind
        for part in origins(story, path, top).ranges
        for _ in range(part.first, part.last + 1)
    ]


@pytest.mark.parametrize("is_known", [True, False], ids=["known there", "new there"])
def test_lines_of_a_stash_from_another_worktree_are_their_writers(story: Story, *, is_known: bool) -> None:
    other = story.root.parent / "other"
    story.git("worktree", "add", "-q", "-b", "other", str(other))
    if is_known:
        side = Story.__new__(Story)
        side.__dict__.update(story.__dict__, root=other)
        with side.started().turn("over there"):
            Session.write(started(side), "there.txt", "there\n")
    with started(story).turn("here"):
        SESSIONS[story][-1].write("a.txt", "one\ntwo\n")
    story.git("stash", "push", "-q", "-u")
    story.git("-C", str(other), "stash", "pop", "-q")
    (other / "a.txt").write_text("one\nmine\ntwo\n")
    assert prompts(story, "a.txt", other) == ["here", PERSON, "here"]


def test_a_turn_is_described_by_its_prompt_also_while_it_runs(story: Story) -> None:
    session = started(story)
    with session.turn("first"):
        session.write("a.txt", "one\n")
    session.prompt("second")
    session.edit("a.txt", "one\n", "one\ntwo\n")
    story.write("b.txt", "typed\r\n")
    found = origins(story, "a.txt")
    assert [(part.first, part.last, part.origin.kind, part.origin.prompt) for part in found.ranges] == [
        (1, 1, TURN, "first"), (2, 2, TURN, "second"),
    ]  # fmt: skip
    assert found.lines == ("one", "two") and found.status == "A"
    assert {(part.origin.session_id, part.origin.agent, part.origin.checkpoint_id) for part in found.ranges} == {
        (session.id, "Claude Code", "")
    }
    assert all(part.origin.started > 0 for part in found.ranges)
    session.stop()
    story.write("b.txt", "typed\r\n")
    other = origins(story, "b.txt")
    assert other.lines == ("typed",)


def test_old_content_leads_to_its_checkpoint_also_when_the_session_is_forgotten(story: Story) -> None:
    session = started(story)
    with session.turn("first"):
        session.write("a.txt", "one\n")
    story.commit("a")
    (checkpoint_id,) = story.ids()
    story.git("reset", "-q", "--soft", "HEAD~1")
    found = origins(story, "a.txt").ranges[0].origin
    assert (found.checkpoint_id, found.prompt) == (checkpoint_id, "first")
    for path in (story.root / ".git").rglob(f"{session.id}.*"):
        path.unlink()
    again = origins(story, "a.txt").ranges[0].origin
    assert again == replace(found, started=again.started)


def test_people_and_the_unknown_have_no_turn(story: Story) -> None:
    session = started(story)
    story.write("typed.txt", "typed\n")
    assert origins(story, "typed.txt").change == Origin(kind=PERSON, path="typed.txt")
    session.prompt("do")
    with session.shell():
        story.write("when.txt", "when\n")
    reason = "changed while a turn ran, and no tool reports the file"
    assert origins(story, "when.txt").ranges[0].origin == Origin(kind=UNKNOWN, reason=reason, path="when.txt")


def test_a_file_too_large_for_a_snapshot_is_nobodys(story: Story) -> None:
    story.write(".entire/entire.json", '{"max_untracked_bytes": 4}')
    session = started(story)
    with session.turn("big"):
        session.write("big.txt", "one\ntwo")
        session.write("less", "a\n")
    assert owners(story, "big.txt") == [
        "1 the file is too large for a snapshot",
        "2 the file is too large for a snapshot",
    ]
    assert [(file.path, file.ranges == (), file.reason) for file in files(story)] == [
        ("big.txt", True, "the file is too large for a snapshot"), ("less", False, ""),
    ]  # fmt: skip


def test_a_file_with_committed_and_uncommitted_lines(story: Story) -> None:
    session = started(story)
    with session.turn("first"):
        session.write("a.txt", "".join(f"line {n}\n" for n in range(10)))
    first = story.commit("a")
    with session.turn("second"):
        session.edit("a.txt", "line 5\n", "line 5\nfresh\n")
    for name in ("a.txt", "b.txt"):
        if name == "b.txt":
            os.rename(story.path("a.txt"), story.path("b.txt"))
        (file,) = Workspace.find(story.root).origins.why(WhyRequest(target=name)).files
        assert [(part.first, part.last, part.origin.prompt, part.origin.commit) for part in file.ranges] == [
            (1, 6, "first", first), (7, 7, "second", ""), (8, 11, "first", first),
        ]  # fmt: skip
    (file,) = Workspace.find(story.root).origins.why(WhyRequest(target="b.txt:7-8")).files
    assert (file.lines, file.status, file.old_path) == (("fresh", "line 6"), "R", "a.txt")
    (file,) = Workspace.find(story.root).origins.why(WhyRequest(is_uncommitted=True)).files
    assert (file.path, file.lines) == ("b.txt", ("fresh",))
    assert (
        Workspace.find(story.root).origins.why(WhyRequest(target="b.txt:1-3", is_uncommitted=True)).files[0].ranges
        == ()
    )


def test_lines_moved_out_of_a_file_are_followed_before_they_are_committed(story: Story) -> None:
    story.write("a.txt", "".join(f"a rather long line number {n}\n" for n in range(9)))
    first = story.commit("a")
    session = started(story)
    with session.turn("move"), session.shell("python move.py"):
        lines = story.read("a.txt").splitlines(keepends=True)
        story.write("a.txt", "".join(lines[:3]))
        story.write("b.txt", "fresh\n" + "".join(lines[3:]))
    (file,) = Workspace.find(story.root).origins.why(WhyRequest(target="b.txt")).files
    assert [(part.first, part.last, part.origin.prompt, part.origin.commit) for part in file.ranges] == [
        (1, 1, "move", ""), (2, 7, "", first),
    ]  # fmt: skip


def test_a_deleted_file_is_listed_with_who_deleted_it(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.path("README.md").unlink()
    assert shown(story, capsys) == "README.md\ndeleted by a person\n"


def shown(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert story.entire("why", "--uncommitted", *args) == 0
    return capsys.readouterr().out


def test_nothing_uncommitted_is_said(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    none = "There are no uncommitted changes.\n"
    assert shown(story, capsys) == shown(story, capsys, "README.md") == shown(story, capsys, "README.md:1") == none
    assert json.loads(shown(story, capsys, "--json"))["files"] == []


def test_a_change_that_adds_no_line_is_said(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.write("a.txt", "one\ntwo\nthree\n")
    story.commit("a")
    story.write("a.txt", "one\nthree\n")
    only = "Uncommitted changes only remove lines.\n"
    assert shown(story, capsys) == f"a.txt\n{only}"
    assert shown(story, capsys, "a.txt") == only
    story.write("a.txt", "one\nthree\nfour\n")
    assert shown(story, capsys, "a.txt:1-2") == "No uncommitted change is in these lines.\n"
    story.write("a.txt", "zero\none\nthree\nfour\n")
    assert [line.strip() for line in shown(story, capsys, "a.txt:1-4").splitlines() if line.startswith("  ")] == [
        "zero", "four",
    ]  # fmt: skip
