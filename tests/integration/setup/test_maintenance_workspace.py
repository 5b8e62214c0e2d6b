"""Doctor, clean and reset as a library user asks for them: a request in, a view out."""

from __future__ import annotations

import time

import pytest

from entire.errors import EntireError
from entire.model.requests import CleanRequest, DoctorRequest, ResetRequest
from entire.model.value import replace
from entire.model.views.changes import UndoneView
from entire.model.views.maintenance import CleanView, DoctorView, FindingView
from entire.workspace import Workspace
from tests.integration.kept import shadows
from tests.integration.setup.test_clean import DAY, close_agent, everything, orphan, refs
from tests.integration.setup.test_reset import worked
from tests.integration.story import Story

# ---------------------------------------------------------------- doctor


def test_the_doctor_only_looks_unless_asked(story: Story) -> None:
    (story.root / ".git/hooks/post-commit").unlink()
    before = everything(story.root)
    found = Workspace.find(story.root).maintenance.doctor()
    assert everything(story.root) == before
    assert not found.is_healthy
    (one,) = found.findings
    assert (one.check, one.severity, one.fixable, one.fixed) == ("git hooks", "error", True, False)
    assert found.fixable == (one,)
    assert found.failed == ()


def test_the_doctor_returns_what_it_repaired(story: Story) -> None:
    workspace = Workspace.find(story.root)
    (problem,) = _broken(story, workspace)
    done = workspace.maintenance.doctor(DoctorRequest(fix=True))
    assert done.findings == (replace(problem, fixed=True),)
    assert done.is_healthy
    assert workspace.maintenance.doctor() == workspace.maintenance.doctor(DoctorRequest(fix=True)) == DoctorView()


def _broken(story: Story, workspace: Workspace) -> tuple[FindingView, ...]:
    (story.root / ".git/hooks/post-commit").unlink()
    return workspace.maintenance.doctor().findings


def test_a_note_is_no_problem(story: Story) -> None:
    workspace = Workspace.find(story.root)
    workspace.setup.disable()
    found = workspace.maintenance.doctor()
    assert [one.severity for one in found.findings] == ["note"]
    assert found.is_healthy


def test_settings_that_the_doctor_repaired_count_at_once(story: Story) -> None:
    (story.root / ".entire/settings.json").write_text("{ broken")
    workspace = Workspace.find(story.root)
    assert workspace.maintenance.status().warnings
    assert workspace.maintenance.doctor(DoctorRequest(fix=True)).is_healthy
    assert workspace.maintenance.status().warnings == ()


# ---------------------------------------------------------------- clean


def test_clean_in_two_steps_and_back(story: Story) -> None:
    name, tip = orphan(story)
    workspace = Workspace.find(story.root)
    before = refs(story)
    shown = workspace.maintenance.clean(CleanRequest(dry_run=True))
    assert [(one.kind, one.name, one.ref, one.oid) for one in shown.items] == [
        ("steps", name, f"refs/heads/{name}", tip)
    ]
    assert (shown.removed, shown.undo_id) == ((), "")
    assert refs(story) == before
    done = workspace.maintenance.clean(CleanRequest())
    assert done.items == done.removed == shown.items
    assert shadows(story) == []
    back = workspace.undo.clean()
    assert back == UndoneView(
        undo_id=back.undo_id, undoes=done.undo_id, title="unused data (1)", refs=(f"refs/heads/{name}",)
    )
    assert back.undo_id not in ("", done.undo_id)
    assert refs(story) == before
    with pytest.raises(EntireError, match="to undo"):
        workspace.undo.clean()


def test_clean_only_what_was_shown(story: Story) -> None:
    workspace = Workspace.find(story.root)
    folder = story.root / ".git/entire"
    (folder / "a.json.broken").write_text("{")
    shown = workspace.maintenance.clean(CleanRequest(dry_run=True))
    (folder / "b.json.broken").write_text("{")
    done = workspace.maintenance.clean(CleanRequest(only=shown.items))
    assert done.items == done.removed == shown.items
    assert not (folder / "a.json.broken").exists()
    assert (folder / "b.json.broken").exists()
    assert workspace.maintenance.clean(CleanRequest(only=shown.items)) == CleanView()
    assert workspace.maintenance.clean(CleanRequest(only=())) == CleanView()
    assert (folder / "b.json.broken").exists()


def test_clean_takes_its_time_from_the_workspace(story: Story) -> None:
    orphan(story)
    Workspace.find(story.root).maintenance.clean(CleanRequest())
    place = Workspace.find(story.root).place
    assert Workspace(place).maintenance.clean(CleanRequest(dry_run=True)).items == ()
    assert [
        one.kind for one in Workspace(place).maintenance.clean(CleanRequest(dry_run=True, everything=True)).items
    ] == ["undo point"]
    later = Workspace(place, now=lambda: time.time() + 15 * DAY).maintenance.clean(CleanRequest(dry_run=True))
    assert [one.kind for one in later.items] == ["undo point"]


def test_clean_is_not_undone_over_a_session_that_went_on(story: Story) -> None:
    session = worked(story)
    story.commit("First", env={"ENTIRE_TEST_TTY": "1"})
    session.end()
    close_agent(story, session, last_seen=time.time() - 20 * DAY, open_files=[], steps=0)
    workspace = Workspace.find(story.root)
    done = workspace.maintenance.clean(CleanRequest())
    assert ("session", session.id) in [(one.kind, one.name) for one in done.removed]
    session.start()
    before = everything(story.root)
    with pytest.raises(EntireError, match=f"{session.id} has continued since"):
        workspace.undo.clean()
    assert everything(story.root) == before


# ---------------------------------------------------------------- reset


def test_reset_in_two_steps_and_back(story: Story) -> None:
    session = worked(story)
    workspace = Workspace.find(story.root)
    before = refs(story)
    plan = workspace.maintenance.reset(ResetRequest(dry_run=True))
    assert refs(story) == before
    (forgotten,) = plan.sessions
    (branch,) = plan.branches
    assert (forgotten.session_id, forgotten.steps, forgotten.open_files) == (session.id, 1, ("a.py",))
    assert (plan.head, plan.at_work, plan.is_empty) == (story.head(), (), False)
    done = workspace.maintenance.reset(ResetRequest())
    assert done == replace(plan, undo_id=done.undo_id)
    assert done.undo_id
    assert workspace.sessions.listing() == []
    assert workspace.maintenance.reset(ResetRequest(dry_run=True)).is_empty
    back = workspace.undo.reset()
    assert (back.undoes, back.refs) == (done.undo_id, (f"refs/heads/{branch.name}",))
    assert back.title == f"the steps on {story.head()[:7]}"
    assert refs(story) == before
    assert workspace.maintenance.reset(ResetRequest(dry_run=True)) == plan


def test_reset_of_one_session(story: Story) -> None:
    one, other = worked(story, "a.py"), worked(story, "b.py")
    workspace = Workspace.find(story.root)
    done = workspace.maintenance.reset(ResetRequest(session=one.id))
    assert [found.session_id for found in done.sessions] == [one.id]
    assert [found.session_id for found in workspace.sessions.listing()] == [other.id]


def test_reset_refuses_near_a_turn_in_progress_unless_forced(story: Story) -> None:
    session = worked(story)
    session.prompt("And more")
    workspace = Workspace.find(story.root)
    assert workspace.maintenance.reset(ResetRequest(dry_run=True)).at_work == (session.id,)
    before = refs(story)
    with pytest.raises(EntireError, match="has a turn in progress"):
        workspace.maintenance.reset(ResetRequest())
    assert refs(story) == before
    assert workspace.maintenance.reset(ResetRequest(force=True)).undo_id
