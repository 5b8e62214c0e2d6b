"""Back to a point and back again: files and conversation, in real repositories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story


def files(story: Story) -> dict[str, str]:
    """Return what lies in the worktree, our own folder and the agent's left out."""
    found = {}
    for path in sorted(story.root.rglob("*")):
        name = str(path.relative_to(story.root))
        if path.is_file() and not name.startswith((".git/", ".entire/", ".claude/")):
            found[name] = path.read_text()
    return found


@pytest.fixture
def session(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    a = story.session()
    a.start()
    with a.turn("Create greeting"):
        a.write("hello.py", "print(1)\n")
    with a.turn("Improve it"):
        a.write("hello.py", "print(2)\n")
        a.write("more.py", "more\n")
    return a


def test_steps_are_points(story: Story, session: Session) -> None:
    points = Workspace.find(story.root).points.listing()
    assert [(point.kind, point.prompt, point.files, point.added, point.removed) for point in points] == [
        ("step", "Improve it", ("hello.py", "more.py"), 2, 1),
        ("step", "Create greeting", ("hello.py",), 1, 0),
    ]
    assert {point.session_id for point in points} == {session.id}


def test_there_and_back_and_there(story: Story, session: Session) -> None:
    story.write("mine.txt", "mine\n")
    now, conversation = files(story), session.file.read_bytes()
    point = Workspace.find(story.root).points.listing()[1]
    view = rewind(story, point.id)
    assert [(edit.path, edit.what) for edit in view.edits] == [("hello.py", "write"), ("more.py", "delete")]
    then = files(story)
    assert then == {"README.md": "start\n", "hello.py": "print(1)\n", "mine.txt": "mine\n"}
    cut = session.file.read_bytes()
    assert conversation.startswith(cut)
    assert b"Create greeting" in cut
    assert b"Improve it" not in cut
    undo(story)
    assert files(story) == now
    assert session.file.read_bytes() == conversation
    undo(story)
    assert files(story) == then
    assert session.file.read_bytes() == cut
    assert story.log_errors() == []


def test_the_next_turn_continues(story: Story, session: Session) -> None:
    point = Workspace.find(story.root).points.listing()[1]
    rewind(story, point.id)
    with session.turn("Another way"):
        session.write("other.py", "other\n")
    story.commit("Other way")
    record = story.linked()["slots"][session.id]
    assert record["prompts"] == ["Create greeting", "Another way"]
    assert record["files_touched"] == ["hello.py", "other.py"]
    assert record["initial_attribution"]["agent_lines"] == 2
    assert story.log_errors() == []


def test_condensed_steps_stay_points(story: Story, session: Session) -> None:
    story.commit("Both")
    points = Workspace.find(story.root).points.listing()
    assert [(point.kind, point.is_condensed) for point in points] == [
        ("checkpoint", False),
        ("step", True),
        ("step", True),
    ]
    view = rewind(story, points[2].id)
    assert [(edit.path, edit.what) for edit in view.edits] == [("hello.py", "write")]
    assert [(entry.path, entry.reason) for entry in view.left] == [("more.py", "a commit contains it")]
    undo(story)
    assert story.git("status", "--porcelain") == ""


def test_a_turn_without_changes_is_a_point(story: Story, session: Session) -> None:
    with session.turn("Just talk"):
        pass
    with session.turn("Change again"):
        session.write("hello.py", "print(3)\n")
    points = Workspace.find(story.root).points.listing()
    assert [(point.kind, point.prompt) for point in points][:2] == [("step", "Change again"), ("turn", "Just talk")]
    rewind(story, points[1].id)
    assert story.read("hello.py") == "print(2)\n"
    assert b"Just talk" in session.file.read_bytes()
    assert b"Change again" not in session.file.read_bytes()


def test_a_running_turn_refuses(story: Story, session: Session) -> None:
    point = Workspace.find(story.root).points.listing()[1]
    session.prompt("More")
    with pytest.raises(EntireError, match="middle of a turn"):
        rewind(story, point.id)
    assert story.read("hello.py") == "print(2)\n"


def test_own_edits_are_named_or_merged(story: Story, session: Session) -> None:
    with session.turn("Long file"):
        session.write("long.py", "".join(f"line {n}\n" for n in range(20)))
    with session.turn("Change its end"):
        session.edit("long.py", "line 19", "line nineteen")
    story.write("long.py", story.read("long.py").replace("line 2\n", "line two, by me\n"))
    mine = story.read("long.py")
    point = Workspace.find(story.root).points.listing()[1]
    view = rewind(story, point.id)
    assert view.yours == ("long.py",)
    assert "by me" not in story.read("long.py")
    undo(story)
    assert story.read("long.py") == mine
    view = rewind(story, point.id, keep_mine=True)
    assert [(edit.path, edit.what) for edit in view.edits] == [("long.py", "merge")]
    assert "line two, by me\n" in story.read("long.py")
    assert "line 19\n" in story.read("long.py")


def test_only_what_one_session_did(story: Story, session: Session) -> None:
    b = story.session()
    b.start()
    with b.turn("Mine too"):
        b.write("b.py", "b\n")
    point = Workspace.find(story.root).points.listing()[-1]
    rewind(story, point.id, session_id=session.id)
    assert files(story) == {"README.md": "start\n", "hello.py": "print(1)\n", "b.py": "b\n"}


def test_only_some_files(story: Story, session: Session) -> None:
    conversation = session.file.read_bytes()
    point = Workspace.find(story.root).points.listing()[1]
    rewind(story, point.id, paths=("more.py",))
    assert not story.path("more.py").exists()
    assert story.read("hello.py") == "print(2)\n"
    assert session.file.read_bytes() == conversation


def test_by_branch_with_a_backup(story: Story, session: Session) -> None:
    first = story.commit("Both")
    with session.turn("Next"):
        session.write("next.py", "next\n")
    second = story.commit("Next")
    story.write("mine.txt", "mine\n")
    view = rewind(story, first, reset=True)
    assert story.head() == first
    assert not story.path("next.py").exists()
    assert story.git("status", "--porcelain").split() == ["??", "mine.txt"]
    assert story.git("rev-parse", view.backup).strip() == second
    undo(story)
    assert story.head() == second
    assert story.read("next.py") == "next\n"
    assert story.git("status", "--porcelain").split() == ["??", "mine.txt"]


def test_files_of_a_dropped_commit_go_whoever_made_them(story: Story, session: Session) -> None:
    first = story.commit("Both")
    story.write("mine.py", "mine\n")
    story.commit("A person's")
    with session.turn("Next"):
        session.write("next.py", "next\n")
    second = story.commit("Next")
    view = rewind(story, first, reset=True)
    assert [(edit.path, edit.what) for edit in view.edits] == [("mine.py", "delete"), ("next.py", "delete")]
    assert (view.left, view.yours) == ((), ())
    assert story.git("status", "--porcelain") == ""
    undo(story)
    assert (story.head(), story.read("mine.py"), story.read("next.py")) == (second, "mine\n", "next\n")
    assert story.git("status", "--porcelain") == ""


def test_files_of_a_dropped_commit_go_without_a_journal(story: Story, session: Session) -> None:
    """The journal of another clone is not here."""
    first = story.commit("Both")
    with session.turn("Next"):
        session.write("next.py", "next\n")
    story.commit("Next")
    shutil.rmtree(story.root / ".git/entire")
    assert rewind(story, first, reset=True).left == ()
    assert story.git("status", "--porcelain") == ""


@pytest.mark.parametrize("keep_mine", [False, True])
def test_my_edits_of_a_dropped_commits_file_are_named(story: Story, session: Session, keep_mine: bool) -> None:
    first = story.commit("Both")
    story.write("mine.py", "mine\n")
    story.commit("A person's")
    story.write("mine.py", "mine\nmore\n")
    view = rewind(story, first, reset=True, keep_mine=keep_mine)
    assert view.yours == ("mine.py",)
    assert story.git("status", "--porcelain") == ("?? mine.py\n" if keep_mine else "")
    assert [left.path for left in view.left] == (["mine.py"] if keep_mine else [])
    undo(story)
    assert story.read("mine.py") == "mine\nmore\n"
    assert story.git("status", "--porcelain") == " M mine.py\n"


def test_what_was_uncommitted_at_a_commit_is_so_again(story: Story, session: Session) -> None:
    story.git("add", "hello.py")
    first = story.commit("One of two", add=False)
    story.commit("The other")
    view = rewind(story, first, reset=True)
    assert (view.uncommitted, view.edits) == (("more.py",), ())
    assert story.git("status", "--porcelain") == "?? more.py\n"


def test_what_is_uncommitted_again_is_linked_again(story: Story, session: Session) -> None:
    story.git("add", "hello.py")
    first = story.commit("One of two", add=False)
    second = story.commit("The other")
    rewind(story, first, reset=True)
    assert session.state()["files_touched"] == ["more.py"]
    undo(story)
    assert (story.head(), session.state().get("files_touched")) == (second, None)
    rewind(story, first, reset=True)
    story.commit("The other again")
    assert story.linked()["slots"][session.id]["files_touched"] == ["more.py"]
    assert story.ids() != story.ids(second)
    assert session.state().get("files_touched") is None


def test_what_differs_without_a_session_is_told(story: Story, session: Session) -> None:
    with session.turn("Hello"):
        pass
    point = next(point for point in Workspace.find(story.root).points.listing() if point.kind == "turn")
    view = rewind(story, point.id)
    assert (view.untouched, view.logs_only, view.undo_id) == (0, False, "")
    story.write("README.md", "changed\n")
    story.write("mine.txt", "mine\n")
    view = rewind(story, point.id)
    assert (view.edits, view.untouched, view.undo_id) == ((), 2, "")
    assert rewind(story, point.id, paths=("README.md",)).untouched == 1
    assert rewind(story, point.id, logs_only=True).logs_only


def test_the_diff_shows_what_will_change(story: Story, session: Session) -> None:
    point = Workspace.find(story.root).points.listing()[1]
    with Workspace.find(story.root).points.rewind(RewindRequest(to=point.id)) as planned:
        text = planned.diff().decode()
    assert "-print(2)\n+print(1)\n" in text
    assert "deleted file" in text
    assert story.read("hello.py") == "print(2)\n"
    assert not list(Path(story.root, ".git/entire/undo").glob("*"))


def test_what_two_sessions_changed_at_once_is_left(story: Story, session: Session) -> None:
    b = story.session()
    b.start()
    session.prompt("One")
    b.prompt("Other")
    session.write("both.py", "one\n")
    b.write("both.py", "other\n")
    session.write("own.py", "own\n")
    session.stop()
    b.stop()
    point = next(entry for entry in Workspace.find(story.root).points.listing() if entry.prompt == "Improve it")
    view = rewind(story, point.id, session_id=session.id)
    assert [(entry.path, entry.reason) for entry in view.left] == [
        ("both.py", "another session changed it at the same time")
    ]
    assert (story.read("both.py"), story.path("own.py").exists()) == ("other\n", False)


def test_back_before_an_earlier_rewind(story: Story, session: Session) -> None:
    with session.turn("Third"):
        session.write("third.py", "third\n")
        session.write("sub/deep.py", "deep\n")
    story.write("hello.py", "print(2)\n# mine\n")
    workspace = Workspace.find(story.root)
    now, conversation = files(story), session.file.read_bytes()
    _, second, first = workspace.points.listing()
    rewind(story, second.id)
    story.write("hello.py", "print(2)\n# between\n")
    rewind(story, first.id)
    then, cut = files(story), session.file.read_bytes()
    newest, oldest = workspace.undo.points()
    assert [(entry.title, entry.session_ids) for entry in (newest, oldest)] == [
        (f"rewind to {first.id[:7]}", (session.id,)), (f"rewind to {second.id[:7]}", (session.id,)),
    ]  # fmt: skip
    with workspace.undo.rewind(oldest.id) as planned:
        assert sorted(edit.path for edit in planned.view.edits) == ["hello.py", "more.py", "sub/deep.py", "third.py"]
        planned.carry_out()
    assert files(story) == now
    assert session.file.read_bytes() == conversation
    undo(story)
    assert files(story) == then
    assert session.file.read_bytes() == cut
    with workspace.undo.rewind(newest.id) as planned:
        planned.carry_out()
    assert story.read("hello.py") == "print(2)\n# between\n"
    assert story.log_errors() == []


def test_back_before_two_moves_of_the_branch(story: Story, session: Session) -> None:
    heads = [story.commit("Both")]
    for name in ("next", "last"):
        with session.turn(name):
            session.write(f"{name}.py", f"{name}\n")
        heads.append(story.commit(name))
    index = story.git("ls-files", "-s")
    rewind(story, heads[1], reset=True)
    rewind(story, heads[0], reset=True)
    workspace = Workspace.find(story.root)
    with workspace.undo.rewind(workspace.undo.points()[1].id) as planned:
        planned.carry_out()
    assert story.head() == heads[2]
    assert story.git("ls-files", "-s") == index
    assert story.git("status", "--porcelain") == ""
    assert story.git("for-each-ref", "refs/entire/backup") == ""


def test_an_undo_point_that_is_none(story: Story, session: Session) -> None:
    with pytest.raises(EntireError, match="no rewind to undo"):
        undo(story)
    rewind(story, Workspace.find(story.root).points.listing()[1].id)
    with pytest.raises(EntireError, match="no such undo point"):
        Workspace.find(story.root).undo.rewind("1999")


def test_an_undo_that_cannot_be_planned_leaves_nothing(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewind(story, Workspace.find(story.root).points.listing()[1].id)
    folder = Path(story.root, ".git/entire/undo")
    before = sorted(path.name for path in folder.iterdir())

    def fails(*_: object) -> None:
        raise EntireError("it cannot be read")

    monkeypatch.setattr("entire.rewind.undo_sessions.draft_states", fails)
    with pytest.raises(EntireError, match="cannot be read"):
        undo(story)
    assert sorted(path.name for path in folder.iterdir()) == before
