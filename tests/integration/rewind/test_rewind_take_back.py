"""A rewind that keeps the branch's commits, and commits what takes back those of sessions since the point."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from entire.errors import EntireError, UsageError
from entire.model import reasons
from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


@pytest.fixture
def first(story: Story, session: Session) -> str:
    with session.turn("First"):
        session.write("a.txt", "one\n")
    return story.commit("First")


def second(story: Story, session: Session) -> str:
    with session.turn("Second"):
        session.write("a.txt", "one\ntwo\n")
        session.write("sub/b.txt", "b\n")
    return story.commit("Second")


def tree(story: Story, commit: str = "HEAD") -> dict[str, str]:
    """Return the files of a commit, without those that ``enable`` wrote."""
    names = story.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]
    return {name: story.git("show", f"{commit}:{name}") for name in names if not name.startswith(".")}


def test_a_commit_takes_back_what_sessions_committed(story: Story, session: Session, first: str) -> None:
    head, conversation = second(story, session), session.file.read_bytes()
    view = rewind(story, first, take_back=True)
    assert story.git("log", "--format=%P", "-1").strip() == head
    assert (view.commit, view.taken_back, view.branch, view.moved_to) == (story.head(), (head,), "main", "")
    assert tree(story) == {"README.md": "start\n", "a.txt": "one\n"}
    assert (story.read("a.txt"), story.path("sub").exists()) == ("one\n", False)
    assert story.git("status", "--porcelain") == ""
    assert b"Second" not in session.file.read_bytes()
    undo(story)
    assert (story.head(), story.read("a.txt"), story.read("sub/b.txt")) == (head, "one\ntwo\n", "b\n")
    assert story.git("status", "--porcelain") == ""
    assert session.file.read_bytes() == conversation
    undo(story)
    assert story.head() == view.commit
    assert story.git("status", "--porcelain") == ""
    assert story.log_errors() == []


def test_the_message_says_what_it_takes_back(story: Story, session: Session, first: str) -> None:
    head = second(story, session)
    rewind(story, first, take_back=True)
    assert story.git("log", "--format=%B", "-1") == (
        f'Take back 1 commit since "First"\n\nThis reverts commit {head}\n("Second").\n\n'
    )
    assert story.git("log", "--format=%an <%ae> %cn", "-1") == story.git("log", "--format=%an <%ae> %cn", "-1", head)
    assert story.ids() == []


def test_the_commit_has_a_reason(story: Story, session: Session, first: str) -> None:
    second(story, session)
    view = rewind(story, first, take_back=True)
    assert story.reasons()[view.commit] == reasons.REVERT.text()
    with session.turn("Third"):
        session.write("c.txt", "c\n")
    story.commit("Third")
    assert story.linked()["slots"][session.id]["files_touched"] == ["c.txt"]
    assert story.reasons()[view.commit] == reasons.REVERT.text()
    assert story.recorded(view.commit) == []


def test_what_is_written_again_is_linked_again(story: Story, session: Session, first: str) -> None:
    second(story, session)
    rewind(story, first, take_back=True)
    assert session.state().get("files_touched") is None
    with session.turn("Second again"):
        session.write("a.txt", "one\ntwo\n")
    story.commit("Second again")
    assert story.linked()["slots"][session.id]["files_touched"] == ["a.txt"]
    assert story.linked()["slots"][session.id]["initial_attribution"]["agent_lines"] == 1


def test_files_of_a_persons_commits_stay(story: Story, session: Session, first: str) -> None:
    story.write("mine.txt", "mine\n")
    story.write("README.md", "mine\n")
    story.commit("Mine")
    second(story, session)
    view = rewind(story, first, take_back=True)
    assert tree(story) == {"README.md": "mine\n", "a.txt": "one\n", "mine.txt": "mine\n"}
    assert [(edit.path, edit.what) for edit in view.edits] == [("a.txt", "write"), ("sub/b.txt", "delete")]
    assert view.yours == ()
    assert story.git("status", "--porcelain") == ""


def both(story: Story, session: Session) -> str:
    """Let a person commit a line in a file of the session, before the session changes it again."""
    story.write("a.txt", "mine\none\n")
    story.commit("Mine")
    with session.turn("Second"):
        session.write("a.txt", "mine\none\ntwo\n")
    return story.commit("Second")


def test_a_persons_lines_in_the_same_file_are_named(story: Story, session: Session, first: str) -> None:
    head = both(story, session)
    view = rewind(story, first, take_back=True)
    assert view.yours == ("a.txt",)
    assert (tree(story)["a.txt"], story.read("a.txt")) == ("one\n", "one\n")
    undo(story)
    assert (story.head(), story.read("a.txt")) == (head, "mine\none\ntwo\n")


def test_a_persons_lines_in_the_same_file_are_kept(story: Story, session: Session, first: str) -> None:
    story.write("a.txt", "one\n" + "\n" * 5 + "mine\n")
    story.commit("Mine")
    with session.turn("Second"):
        session.write("a.txt", "two\n" + "\n" * 5 + "mine\n")
    story.commit("Second")
    view = rewind(story, first, take_back=True, keep_mine=True)
    assert view.yours == ("a.txt",)
    assert tree(story)["a.txt"] == story.read("a.txt") == "one\n" + "\n" * 5 + "mine\n"
    assert story.git("status", "--porcelain") == ""


def test_uncommitted_lines_that_are_kept_stay_uncommitted(story: Story, session: Session, first: str) -> None:
    with session.turn("Second"):
        session.write("a.txt", "two\n" + "\n" * 5)
    story.commit("Second")
    with session.turn("Third"):
        session.write("a.txt", "three\n" + "\n" * 5)
    point = story.commit("Third")
    with session.turn("Fourth"):
        session.write("a.txt", "four\n" + "\n" * 5)
    story.commit("Fourth")
    story.write("a.txt", "four\n" + "\n" * 5 + "mine\n")
    rewind(story, point, take_back=True, keep_mine=True)
    assert tree(story)["a.txt"] == "three\n" + "\n" * 5
    assert story.read("a.txt") == "three\n" + "\n" * 5 + "mine\n"
    assert story.git("status", "--porcelain") == " M a.txt\n"


def test_lines_that_conflict_are_not_committed(story: Story, session: Session, first: str) -> None:
    with session.turn("Second"):
        session.write("a.txt", "two\n")
    story.commit("Second")
    story.write("a.txt", "mine\n")
    head = story.commit("Mine")
    with pytest.raises(EntireError, match=r"your own edits of a\.txt conflict .* nothing was changed"):
        rewind(story, first, take_back=True, keep_mine=True)
    assert (story.head(), story.read("a.txt"), story.git("status", "--porcelain")) == (head, "mine\n", "")


def test_a_merge_in_between(story: Story, session: Session, first: str) -> None:
    """What came in by a merge stays: it was not made on top of the point."""
    story.git("checkout", "-q", "-b", "other", "HEAD~1")
    story.write("other.txt", "other\n")
    story.commit("Other")
    with session.turn("On the other branch"):
        session.write("there.txt", "there\n")
    story.commit("There")
    story.git("checkout", "-q", "main")
    head = second(story, session)
    story.git("merge", "-q", "--no-edit", "other")
    view = rewind(story, first, take_back=True)
    assert view.taken_back == (head,)
    assert tree(story) == {"README.md": "start\n", "a.txt": "one\n", "other.txt": "other\n", "there.txt": "there\n"}


def test_staged_files_stay_staged(story: Story, session: Session, first: str) -> None:
    second(story, session)
    story.write("mine.txt", "mine\n")
    story.write("README.md", "staged\n")
    story.git("add", "mine.txt", "README.md")
    story.write("README.md", "changed\n")
    staged = story.git("diff", "--cached")
    rewind(story, first, take_back=True)
    assert story.git("diff", "--cached") == staged
    assert sorted(story.git("status", "--porcelain").splitlines()) == ["A  mine.txt", "MM README.md"]
    undo(story)
    assert story.git("diff", "--cached") == staged
    assert story.read("a.txt") == "one\ntwo\n"


def test_a_staged_file_that_is_taken_back_stays_staged(story: Story, session: Session, first: str) -> None:
    second(story, session)
    story.write("a.txt", "staged\n")
    story.git("add", "a.txt")
    entry = story.git("ls-files", "-s", "a.txt")
    view = rewind(story, first, take_back=True)
    assert view.yours == ("a.txt",)
    assert story.git("ls-files", "-s", "a.txt") == entry
    assert (tree(story)["a.txt"], story.read("a.txt")) == ("one\n", "one\n")
    undo(story)
    assert (story.git("ls-files", "-s", "a.txt"), story.read("a.txt")) == (entry, "staged\n")


def test_uncommitted_work_of_a_person_stays(story: Story, session: Session, first: str) -> None:
    second(story, session)
    story.write("README.md", "changed\n")
    story.write("mine.txt", "mine\n")
    rewind(story, first, take_back=True)
    assert sorted(story.git("status", "--porcelain").splitlines()) == [" M README.md", "?? mine.txt"]


def test_uncommitted_work_of_the_session_goes_with_it(story: Story, session: Session, first: str) -> None:
    second(story, session)
    with session.turn("Third"):
        session.write("c.txt", "c\n")
        session.write("a.txt", "three\n")
    rewind(story, first, take_back=True)
    assert (story.read("a.txt"), story.path("c.txt").exists()) == ("one\n", False)
    assert story.git("status", "--porcelain") == ""
    undo(story)
    assert sorted(story.git("status", "--porcelain").splitlines()) == [" M a.txt", "?? c.txt"]


def test_what_was_uncommitted_at_the_point_is_so_again(story: Story, session: Session) -> None:
    with session.turn("Both"):
        session.write("a.txt", "a\n")
        session.write("b.txt", "b\n")
    story.git("add", "a.txt")
    point = story.commit("One of two", add=False)
    story.commit("The other")
    view = rewind(story, point, take_back=True)
    assert (view.uncommitted, view.edits) == (("b.txt",), ())
    assert story.git("status", "--porcelain") == "?? b.txt\n"
    assert session.state()["files_touched"] == ["b.txt"]
    story.commit("The other again")
    assert story.linked()["slots"][session.id]["files_touched"] == ["b.txt"]


def test_on_a_detached_head(story: Story, session: Session, first: str) -> None:
    story.git("checkout", "-q", "--detach")
    head = second(story, session)
    view = rewind(story, first, take_back=True)
    assert (story.git("rev-parse", "HEAD^").strip(), view.branch) == (head, "")
    assert story.git("symbolic-ref", "-q", "HEAD", ok=False) == ""
    assert story.git("rev-parse", "main").strip() == first
    assert story.git("status", "--porcelain") == ""
    undo(story)
    assert (story.head(), story.read("a.txt")) == (head, "one\ntwo\n")
    assert story.git("status", "--porcelain") == ""


def test_nothing_to_take_back(story: Story, session: Session, first: str) -> None:
    story.write("mine.txt", "mine\n")
    head = story.commit("Mine")
    view = rewind(story, first, take_back=True)
    assert (story.head(), view.commit, view.taken_back, view.undo_id) == (head, "", (), "")


def test_without_a_journal(story: Story, session: Session, first: str) -> None:
    """The journal of another clone is not here; what the commits say is."""
    both(story, session)
    shutil.rmtree(story.root / ".git/entire")
    view = rewind(story, first, take_back=True)
    assert view.yours == ("a.txt",)
    assert tree(story)["a.txt"] == story.read("a.txt") == "one\n"
    assert story.git("status", "--porcelain") == ""


def test_a_commit_that_was_pushed_is_not_undone(story: Story, session: Session, first: str) -> None:
    second(story, session)
    view = rewind(story, first, take_back=True)
    story.git("update-ref", "refs/remotes/origin/main", view.commit)
    with pytest.raises(EntireError, match=r"are also on origin/main; nothing was changed") as raised:
        undo(story)
    assert f"git revert {view.commit[:12]}" in raised.value.hint
    assert story.head() == view.commit


def test_a_commit_in_the_meantime(story: Story, session: Session, first: str) -> None:
    second(story, session)
    with Workspace.find(story.root).points.rewind(RewindRequest(to=first, take_back=True)) as planned:
        story.write("mine.txt", "mine\n")
        mine = story.commit("Mine")
        with pytest.raises(EntireError, match="HEAD was moved in the meantime; nothing was done"):
            planned.carry_out()
    assert (story.head(), story.read("a.txt")) == (mine, "one\ntwo\n")


def test_a_merge_in_progress(story: Story, session: Session, first: str) -> None:
    head = second(story, session)
    story.path(".git/MERGE_HEAD").write_text(f"{first}\n")
    with pytest.raises(EntireError, match="a merge is in progress; nothing was changed"):
        rewind(story, first, take_back=True)
    assert story.head() == head


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        (("user.name", ""), "git does not know who you are"),
        (("gpg.program", "false"), "cannot be signed without asking"),
    ],
)
def test_a_commit_that_git_cannot_make(
    story: Story, session: Session, first: str, setting: tuple[str, str], reason: str
) -> None:
    head = second(story, session)
    story.git("config", "commit.gpgSign", "true")
    story.git("config", *setting)
    with pytest.raises(EntireError, match=reason):
        rewind(story, first, take_back=True)
    assert (story.head(), story.read("a.txt"), story.git("status", "--porcelain")) == (head, "one\ntwo\n", "")
    assert not list(Path(story.root, ".git/entire/undo").glob("*"))


def test_a_signed_commit(story: Story, session: Session, first: str) -> None:
    second(story, session)
    program = story.root.parent / "gpg"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D' >&2\necho SIGNATURE\n")
    program.chmod(0o755)
    story.git("config", "commit.gpgSign", "true")
    story.git("config", "gpg.program", str(program))
    rewind(story, first, take_back=True)
    assert "gpgsig SIGNATURE" in story.git("cat-file", "commit", "HEAD")


def test_only_a_checkpoints_commit(story: Story, session: Session, first: str) -> None:
    with session.turn("Second"):
        session.write("a.txt", "two\n")
    step = next(point for point in Workspace.find(story.root).points.listing() if point.kind == "step")
    with pytest.raises(UsageError, match="--take-back needs a checkpoint's commit"):
        rewind(story, step.id, take_back=True)
    with pytest.raises(UsageError, match="cannot be combined"):
        rewind(story, first, take_back=True, reset=True)


def test_the_command(story: Story, session: Session, first: str, capsys: pytest.CaptureFixture[str]) -> None:
    head = second(story, session)
    assert story.entire("rewind", "--to", first, "--take-back", "--preview") == 0
    shown = capsys.readouterr().out
    assert f"A new commit on main will take back 1 commit:\n  {head[:12]}\n" in shown
    assert story.head() == head
    assert story.entire("rewind", "--to", first, "--take-back", "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["commit"], done["taken_back"]) == (story.head(), [head])
    assert story.entire("rewind", "--undo", "--yes") == 0
    capsys.readouterr()
    assert story.entire("rewind", "--to", first, "--take-back") == 0
    assert f"Commit {story.head()[:12]} on main takes back 1 commit:\n  {head[:12]}\n" in capsys.readouterr().out
