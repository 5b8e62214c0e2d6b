"""A resume is planned and shown, then carried out with decisions: as a program asks for it."""

from __future__ import annotations

import json
import time

import pytest

import entire
from entire.errors import EntireError
from entire.recording.context import Context
from entire.workspace import Workspace
from tests.integration.kept import PERSON
from tests.integration.story import Session, Story


@pytest.fixture
def mine(story: Story) -> Session:
    """A session whose work is committed on ``feature``; ``main`` is checked out."""
    story.git("switch", "-q", "-c", "feature")
    session = story.session()
    session.start()
    with session.turn("Create hello.py"):
        session.write("hello.py", "print(1)\n")
    story.commit("Add hello.py", env=PERSON)
    session.end()
    story.git("switch", "-q", "main")
    return session


def cut(session: Session) -> tuple[str, str]:
    """Let the local transcript lack its end; return what it has then, and what it had."""
    whole = session.file.read_text()
    session.file.write_text("".join(whole.splitlines(keepends=True)[:2]))
    return session.file.read_text(), whole


def go_apart(session: Session) -> str:
    """Replace the local transcript by a newer one that went another way; return it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 60))
    other = {"type": "user", "uuid": "other", "timestamp": stamp, "sessionId": session.id,
             "message": {"role": "user", "content": "another way"}}  # fmt: skip
    lines = session.file.read_text().splitlines(keepends=True)
    session.file.write_text("".join(lines[:2]) + json.dumps(other) + "\n")
    return session.file.read_text()


def test_a_plan_shows_and_changes_nothing(story: Story, mine: Session) -> None:
    short, _ = cut(mine)
    story.write("README.md", "mine\n")
    said: list[str] = []
    workspace = Workspace.find(story.root)
    with workspace.sessions.resume(entire.ResumeRequest(target="feature"), said.append) as planned:
        view = planned.view
    assert (view.branch, view.switches, view.changed, view.undo_id) == ("feature", True, ("README.md",), "")
    assert (view.commit, view.subject) == (story.git("rev-parse", "feature").strip(), "Add hello.py")
    (session,) = view.sessions
    assert (session.session_id, session.what, session.path) == (mine.id, "written", str(mine.file))
    assert (workspace.branch, mine.file.read_text(), said) == ("main", short, [])


def test_uncommitted_changes_go_along_only_where_that_is_decided(story: Story, mine: Session) -> None:
    short, whole = cut(mine)
    story.write("README.md", "mine\n")
    workspace = Workspace.find(story.root)
    with workspace.sessions.resume(entire.ResumeRequest(target="feature")) as planned:
        with pytest.raises(EntireError, match=r"1 file with uncommitted changes \(README.md\): feature was not"):
            planned.carry_out()
        assert (workspace.branch, mine.file.read_text()) == ("main", short)
        done = planned.carry_out(take_changes=True)
    assert (workspace.branch, mine.file.read_text()) == ("feature", whole)
    assert done == planned.view
    undone = workspace.undo.resume()
    assert (undone.undone, undone.session_ids) == (done.undo_id, (mine.id,))
    assert str(mine.file) in undone.paths
    assert mine.file.read_text() == short


@pytest.mark.parametrize("force", [True, False])
def test_newer_transcripts_are_replaced_only_where_that_is_decided(story: Story, mine: Session, force: bool) -> None:
    stored = mine.file.read_text()
    local = go_apart(mine)
    workspace = Workspace.find(story.root)
    request = entire.ResumeRequest(target="feature", force=force)
    with workspace.sessions.resume(request) as planned:
        assert [(session.what, session.is_newer) for session in planned.view.sessions] == [
            ("written" if force else "kept", True)
        ]
        done = planned.carry_out()
    assert [session.what for session in done.sessions] == ["written" if force else "kept"]
    assert mine.file.read_text() == (stored if force else local)
    if not force:
        assert done.undo_id == ""
        with workspace.sessions.resume(entire.ResumeRequest()) as planned:
            planned.carry_out(overwrite=[mine.id])
        assert mine.file.read_text() == stored


def test_what_cannot_be_planned_leaves_no_process_behind(
    story: Story, mine: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    close = Context.close

    def note(context: Context) -> None:
        closed.append(context.place.top)
        close(context)

    monkeypatch.setattr(Context, "close", note)
    with pytest.raises(EntireError, match="is not a branch, commit, checkpoint or session here"):
        Workspace.find(story.root).sessions.resume(entire.ResumeRequest(target="nonsense"))
    assert closed == [str(story.root)]
