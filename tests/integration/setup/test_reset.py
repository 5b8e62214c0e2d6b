"""``entire reset``: the steps on HEAD are forgotten, nothing else is; and it can be undone."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire import cli, layout
from entire.errors import EntireError
from entire.git import refs as git_refs
from entire.maintenance import reset as forgetting
from entire.store import sessions, steps
from entire.undo.draft import Draft
from entire.workspace import Workspace
from tests import golden
from tests.integration.commandline import Command
from tests.integration.kept import AGENT, PERSON, all_ids, answers, elsewhere, journal, shadows, sole, tokens, unlinked
from tests.integration.setup.test_clean import _this_process, change_state, everything, place_of, refs
from tests.integration.story import Session, Story


@pytest.fixture
def reset(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys, "reset")


def worked(story: Story, name: str = "a.py") -> Session:
    """Return a session that is waiting, with a step."""
    session = story.session()
    session.start()
    with session.turn(f"Write {name}"):
        session.write(name, "one = 1\ntwo = 2\n")
    return session


def live(story: Story) -> bool:
    return (story.root / ".git/entire/live").exists()


def test_what_was_done_is_forgotten_and_the_files_stay(story: Story, reset: Command) -> None:
    session = worked(story)
    assert live(story)
    said = reset("-f")
    assert session.id in said
    assert "1 step" in said
    assert shadows(story) == []
    assert sessions.ids(place_of(story)) == []
    assert story.read("a.py") == "one = 1\ntwo = 2\n"
    assert not live(story)
    story.commit("A person commits it", env=PERSON)
    assert story.ids() == []
    assert story.log_errors() == []


def test_undo_brings_the_steps_and_the_link_back(story: Story, reset: Command) -> None:
    session = worked(story)
    before = refs(story)
    reset("-f")
    reset("--undo")
    assert refs(story) == before
    assert live(story)
    story.commit("Commit it", env=PERSON)
    record = sole(story, session, ["a.py"])
    assert record["initial_attribution"]["agent_lines"] == 2
    assert tokens(record) == answers(0, 1)
    assert story.log_errors() == []


def test_undo_after_the_forgotten_work_was_committed(story: Story, reset: Command) -> None:
    """The journal went on: what was forgotten comes back, and what is settled stays so."""
    session = worked(story, "a.py")
    (name,) = shadows(story)
    tip = story.git("rev-parse", name)
    reset("-f")
    other = worked(story, "b.py")
    story.commit("Commit both", env=PERSON)
    sole(story, other, ["b.py"])
    reset("--undo")
    assert story.git("rev-parse", name) == tip
    assert session.id in sessions.ids(place_of(story))
    story.write("a.py", "one = 1\ntwo = 2\nthree = 'by a person'\n")
    story.commit("A person's line", env=PERSON)
    assert unlinked(story)
    assert story.log_errors() == []


def test_a_dry_run_writes_nothing(story: Story, reset: Command) -> None:
    session = worked(story)
    before = everything(story.root)
    assert session.id in reset("--dry-run")
    found = json.loads(reset("-n", "--json"))
    assert found["dry_run"] is True
    assert [one["session_id"] for one in found["sessions"]] == [session.id]
    assert [one["name"] for one in found["branches"]] == shadows(story)
    assert reset(status=2) == ""
    assert "--force" in reset.err
    assert everything(story.root) == before


def test_it_asks_where_somebody_answers(
    story: Story, reset: Command, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    worked(story)
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    reset(status=130)
    assert len(shadows(story)) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert "Discarded:" in reset()
    assert shadows(story) == []


def test_nothing_to_forget(story: Story, reset: Command) -> None:
    session = worked(story)
    story.commit("Commit it", env=PERSON)
    assert reset("-f").startswith("Nothing to discard")
    assert reset().startswith("Nothing to discard")
    assert session.id in sessions.ids(place_of(story))


def test_one_of_two_sessions(story: Story, reset: Command) -> None:
    one, other = worked(story, "a.py"), worked(story, "b.py")
    (name,) = shadows(story)
    said = reset("--session", one.id[:8], "-f")
    assert f"kept: {other.id} uses it too" in said
    assert shadows(story) == [name]
    assert sessions.ids(place_of(story)) == [other.id]
    story.commit("Commit both", env=PERSON)
    sole(story, other, ["b.py"])
    assert story.log_errors() == []


def test_the_last_session_takes_the_branch_along(story: Story, reset: Command) -> None:
    one, other = worked(story, "a.py"), worked(story, "b.py")
    reset("--session", one.id, "-f")
    reset("--session", other.id, "-f")
    assert shadows(story) == []
    reset("--undo")
    reset("--undo")
    story.commit("Commit both", env=PERSON)
    assert set(story.linked()["slots"]) == {one.id, other.id}
    assert story.log_errors() == []


def test_a_turn_in_progress(story: Story, reset: Command) -> None:
    session = worked(story)
    session.prompt("More")
    change_state(story, session, process=_this_process())
    session.write("a.py", "one = 1\ntwo = 2\nthree = 3\n")
    before = everything(story.root)
    reset(status=1)
    assert "has a turn in progress" in reset.err
    assert everything(story.root) == before
    reset("-f")
    assert shadows(story) == []
    session.stop()
    assert len(shadows(story)) == 1
    story.commit("Commit it", env=PERSON)
    record = sole(story, session, ["a.py"])
    assert record["initial_attribution"]["agent_lines"] == 1  # what came after
    assert story.log_errors() == []


def test_no_answer_is_counted_twice_after_a_checkpoint(story: Story, reset: Command) -> None:
    session = worked(story)
    story.commit("First", env=PERSON)
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    with session.turn("Write another"):
        session.write("b.py", "b = 1\n")
    assert "checkpoints still count" in reset("-f")
    with session.turn("And one more"):
        session.write("c.py", "c = 1\n")
    story.commit("Second", env=PERSON)
    assert tokens(sole(story, session, ["c.py"])) == answers(2, 3, 4, 5)
    assert story.log_errors() == []


def test_a_session_that_begins_anew_after_a_reset(story: Story, reset: Command) -> None:
    session = worked(story)
    (name,) = shadows(story)
    before = story.git("rev-parse", name).strip()
    reset("-f")
    with session.turn("Once more"):
        session.write("c.py", "c = 1\n")
    assert shadows(story) == [name]
    assert before not in story.git("rev-list", name).split()
    story.commit("Commit it", env=AGENT)
    sole(story, session, ["c.py"])
    assert story.log_errors() == []


def test_a_state_that_went_on_is_not_overwritten(story: Story, reset: Command) -> None:
    session = worked(story)
    reset("-f")
    with session.turn("Once more"):
        session.write("c.py", "c = 1\n")
    before = everything(story.root)
    reset("--undo", status=1)
    assert "has continued since" in reset.err
    after = everything(story.root)
    assert {name: after[name] for name in before} == before


def test_checkpoints_and_commits_stay(story: Story, reset: Command) -> None:
    session = worked(story)
    story.commit("First", env=PERSON)
    with session.turn("Another"):
        session.write("b.py", "b = 1\n")
    head, ids, tip = story.head(), all_ids(story), story.git("rev-parse", "entire/checkpoints/v1")
    reset("-f")
    assert (story.head(), all_ids(story), story.git("rev-parse", "entire/checkpoints/v1")) == (head, ids, tip)


def test_another_worktree_stays(story: Story, reset: Command) -> None:
    session = elsewhere(story)
    with session.turn("Work here"):
        (session.cwd / "a.py").write_text("a = 1\n")
    before = refs(story)
    assert reset("-f").startswith("Nothing to discard")
    reset("-f", "--session", session.id, status=1)
    assert str(session.cwd) in reset.err
    assert refs(story) == before
    here = worked(story)
    reset("-f")
    assert sessions.ids(place_of(story)) == [session.id]
    assert {**before, **refs(story)} == refs(story)
    assert here.id not in journal(story)["sessions"]


def test_not_while_a_commit_is_being_made(story: Story, reset: Command) -> None:
    """Its message names the checkpoint already."""
    worked(story)
    story.git("add", "-A")
    answer = story.root.parent / "editor"
    answer.write_text(
        f'#!/bin/sh\ncp "$(git rev-parse --git-dir)/entire/pending.json" {story.root.parent}/pending\n'
        f'cd {story.root} && "{sys.executable}" -m entire reset -f > {story.root.parent}/said 2>&1\n'
        'echo "By hand" > "$1.new"; cat "$1" >> "$1.new"; mv "$1.new" "$1"\n'
    )
    answer.chmod(0o755)
    story.git("commit", "-q", env={"GIT_EDITOR": str(answer), **PERSON})
    assert (story.root.parent / "pending").exists()
    assert "a commit is in progress" in (story.root.parent / "said").read_text()
    assert story.linked()["files_touched"] == ["a.py"]


def test_unknown_sessions_and_strange_command_lines(story: Story, reset: Command) -> None:
    worked(story)
    reset("--session", "nobody", status=1)
    assert "session not found" in reset.err
    reset("--undo", "-f", status=2)
    reset("--undo", status=1)
    assert "no `entire reset` to undo" in reset.err


def test_what_could_not_be_removed_is_not_forgotten(
    story: Story, reset: Command, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    session = worked(story)

    def refuse(draft: Any) -> None:
        raise EntireError("the disk is full")

    monkeypatch.setattr(Draft, "carry_out", refuse)
    reset("-f", status=1)
    monkeypatch.undo()
    story.commit("Commit it", env=PERSON)
    sole(story, session, ["a.py"])
    assert story.log_errors() == []


def test_a_plan_for_programs(story: Story) -> None:
    one, other = worked(story, "a.py"), worked(story, "b.py")
    plan = forgetting.plan(place_of(story), now=time.time(), session=one.id)
    assert not plan.is_empty
    assert (plan.head, plan.undo_id, plan.at_work) == (story.head(), "", ())
    assert [(found.session_id, found.steps, found.open_files) for found in plan.sessions] == [(one.id, 1, ("a.py",))]
    assert [(found.steps, found.others) for found in plan.branches] == [(2, (other.id,))]
    done = forgetting.forget(place_of(story), now=time.time())
    assert {found.session_id for found in done.sessions} == {one.id, other.id}
    assert forgetting.plan(place_of(story), now=time.time()).is_empty
    assert Workspace(place_of(story)).undo.reset().undoes == done.undo_id


def test_a_commit_without_its_session_says_why(story: Story, reset: Command) -> None:
    worked(story, "a.py")
    other = worked(story, "b.py")
    reset("-f", "--session", story_session(story, but=other))
    story.git("add", "a.py")
    story.git("commit", "-q", "-m", "Only the forgotten part", env=PERSON)
    assert "no session content" in unlinked(story)


def story_session(story: Story, but: Session) -> str:
    (found,) = [one for one in sessions.ids(place_of(story)) if one != but.id]
    return found


@pytest.mark.parametrize("stage", ["manual/02-two-turns", "manual/09-two-sessions", "live/02-idle-after-first-turn"])
def test_steps_of_the_go_cli(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    home = golden.unpack(stage, tmp_path)
    monkeypatch.setenv("HOME", str(home))
    (top,) = golden.repositories(home)
    monkeypatch.chdir(top)
    place = layout.find(str(top))
    assert place is not None
    before = everything(top / ".git/entire-sessions")
    names = set(git_refs.find(str(top), "refs/heads/entire"))
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=top, capture_output=True, text=True).stdout.strip()
    mine = f"refs/heads/{steps.branch_name(head, place.worktree_id)}"
    assert mine in names
    assert cli.main(["reset", "--force"]) == 0
    assert set(git_refs.find(str(top), "refs/heads/entire")) == names - {mine}
    assert [one for one in sessions.list_states(place) if one.worktree.base_commit == head and one.work.steps] == []
    assert cli.main(["reset", "--undo"]) == 0
    assert set(git_refs.find(str(top), "refs/heads/entire")) == names
    assert [one for one in sessions.list_states(place) if one.worktree.base_commit == head and one.work.steps] != []
    assert set(everything(top / ".git/entire-sessions")) == set(before)


def test_a_new_state_that_cannot_be_read_again_is_told_and_changes_nothing(
    reset: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with worked(reset.story).turn("Go on"):  # its state stays
        before = refs(reset.story)
        monkeypatch.setattr(Draft, "planned", lambda *_: b"")
        reset("-f", status=1)
        assert "is not valid JSON" in reset.err
        assert refs(reset.story) == before
