"""``entire clean``: what nobody needs goes, with a way back; nothing else does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire import layout
from entire.layout import Place
from entire.maintenance import clean as cleaning
from entire.maintenance import repository
from entire.model.session import GROUPS, Process
from entire.model.value import replace
from entire.store import sessions
from entire.store.journal import Journal
from tests.integration.commandline import Command
from tests.integration.kept import checkpoints, elsewhere, shadows
from tests.integration.story import Session, Story

DAY = 86400.0


def place_of(story: Story) -> Place:
    place = layout.find(str(story.root))
    assert place is not None
    return place


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def change_state(story: Story, session: Session, **values: Any) -> None:
    """Change what is remembered of a session."""
    place = place_of(story)
    state = sessions.find(place, session.id)
    assert state is not None
    for name, value in values.items():
        group = next((group for group, fields in GROUPS.items() if name in fields), "")
        if group:
            setattr(state, group, replace(getattr(state, group), **{GROUPS[group][name]: value}))
        else:
            setattr(state, name, value)
    sessions.save(place, state)


def close_agent(story: Story, session: Session, **values: Any) -> None:
    """Let a session's agent be gone: until then it is this process, which runs."""
    change_state(story, session, process=Process(pid=dead_pid(), started="1"), **values)


def everything(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file below a folder with its mode and bytes; the log left out."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name != "entire.log":
            found[str(path.relative_to(root))] = (path.lstat().st_mode, path.read_bytes())
    return found


def refs(story: Story) -> dict[str, str]:
    lines = story.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ", 1) for line in lines)


class Clean(Command):
    def items(self, *args: str) -> list[tuple[str, str]]:
        found = json.loads(self("--json", *args))
        assert found["dry_run"] is ("-f" not in args)
        return [(one["kind"], one["name"]) for one in found["items"]]


@pytest.fixture
def clean(story: Story, capsys: pytest.CaptureFixture[str]) -> Clean:
    return Clean(story, capsys, "clean")


def orphan(story: Story) -> tuple[str, str]:
    """Leave steps on which nobody stands: their session's state is lost, and HEAD went on. Return branch and tip."""
    session = story.session()
    session.start()
    with session.turn("Write a file"):
        session.write("a.py", "a = 1\n")
    (name,) = shadows(story)
    tip = story.git("rev-parse", name).strip()
    sessions.remove(place_of(story), session.id)
    story.git("commit", "-q", "--allow-empty", "-m", "The person goes on")
    return name, tip


def test_nothing_to_clean(story: Story, clean: Clean) -> None:
    assert clean() == "Nothing to clean up.\n"
    assert clean("-f") == "Nothing to clean up.\n"
    assert clean.items() == []


def test_steps_on_which_nobody_stands_go_and_come_back(story: Story, clean: Clean) -> None:
    name, tip = orphan(story)
    said = clean()
    assert name in said
    assert "no worktree is at" in said
    assert shadows(story) == [name]
    assert "Deleted 1 item" in clean("--force")
    assert shadows(story) == []
    assert "Restored: 1 ref." in clean("--undo")
    assert story.git("rev-parse", name).strip() == tip
    assert ("steps", name) in clean.items()
    assert story.log_errors() == []


def test_a_dry_run_writes_nothing(story: Story, clean: Clean) -> None:
    orphan(story)
    (story.root / ".git/entire/journal.json.broken").write_text("{")
    before = everything(story.root)
    assert len(clean.items()) == 2
    clean("--dry-run", "--force")
    clean("--all")
    assert everything(story.root) == before


def test_a_removed_branch_does_not_come_back_with_its_old_steps(story: Story, clean: Clean) -> None:
    """The journal remembers tips to save asking git."""
    base = story.head()
    name, tip = orphan(story)
    clean("-f")
    story.git("checkout", "-q", base)
    session = story.session()
    session.start()
    with session.turn("Again"):
        session.write("b.py", "b = 1\n")
    assert shadows(story) == [name]
    assert tip not in story.git("rev-list", name).split()
    assert story.log_errors() == []


def test_a_persons_branch_that_looks_like_ours_stays(story: Story, clean: Clean) -> None:
    story.git("branch", "entire/1234567-abcdef")
    story.git("branch", "entire/7654321")
    story.git("commit", "-q", "--allow-empty", "-m", "About trailers\n\nEntire-Session: they look like this")
    story.git("branch", "entire/1111111-e3b0c4")
    before = refs(story)
    assert clean("-f") == "Nothing to clean up.\n"
    assert refs(story) == before


def test_a_branch_that_is_checked_out_stays(story: Story, clean: Clean) -> None:
    name, _ = orphan(story)
    story.git("worktree", "add", "-q", "--force", str(story.root.parent / "look"), name)
    assert clean.items() == []


def test_steps_of_a_session_stay_wherever_head_is(story: Story, clean: Clean) -> None:
    session = story.session()
    session.start()
    with session.turn("Write"):
        session.write("a.py", "a = 1\n")
    steps = shadows(story)
    story.git("switch", "-q", "-c", "other")
    story.git("commit", "-q", "--allow-empty", "-m", "Elsewhere")
    close_agent(story, session, last_seen=time.time() - 400 * DAY)
    assert clean.items() == []
    session.prompt("Go on")
    assert clean.items() == []
    assert shadows(story) == steps
    session.stop()


def test_steps_wait_for_a_commit_that_is_being_made(story: Story, clean: Clean) -> None:
    orphan(story)
    (story.root / ".git/entire/pending.json").write_text("{}")
    assert clean.items() == []


def test_stale_states_go_and_come_back(story: Story, clean: Clean) -> None:
    old, alive, recent, working = (story.session() for _ in range(4))
    for session in (old, alive, recent):
        session.start()
        with session.turn("Only a question"):
            pass
    working.start()
    with working.turn("Work"):
        working.write("a.py", "a = 1\n")
    long_ago = time.time() - 15 * DAY
    close_agent(story, old, last_seen=long_ago)
    change_state(story, alive, last_seen=long_ago, process=_this_process())
    close_agent(story, recent)
    close_agent(story, working, last_seen=long_ago)
    assert clean.items() == [("session", old.id)]
    before = everything(story.root / ".git")
    clean("-f")
    assert old.id not in sessions.ids(place_of(story))
    assert {alive.id, recent.id, working.id} <= set(sessions.ids(place_of(story)))
    assert "Restored: 3 files." in clean("--undo")
    after = everything(story.root / ".git")
    assert {name: after.get(name) for name in before} == before


def _this_process() -> Process:
    from entire import process

    found = process.look(os.getpid())
    assert found is not None
    return Process(pid=found.pid, started=found.started)


def test_what_was_removed_does_not_come_back_over_a_session_that_went_on(story: Story, clean: Clean) -> None:
    session = story.session()
    session.start()
    with session.turn("Only a question"):
        pass
    close_agent(story, session, last_seen=time.time() - 15 * DAY)
    clean("-f")
    with session.turn("Back again"):
        session.write("a.py", "a = 1\n")
    before = sessions.find(place_of(story), session.id)
    clean("--undo", status=1)
    after = sessions.find(place_of(story), session.id)
    assert before is not None and after is not None
    assert after.work.steps == before.work.steps == 1


def test_undo_goes_back_step_by_step(story: Story, clean: Clean) -> None:
    name, _ = orphan(story)
    clean("-f")
    broken = story.root / ".git/entire/sessions/x.json.broken"
    broken.write_text("{")
    clean("-f")
    clean("--undo")
    assert broken.exists() and shadows(story) == []
    clean("--undo")
    assert shadows(story) == [name]
    clean("--undo", status=1)


class TestRemovedWorktree:
    def test_its_steps_states_and_looks_go(self, story: Story, clean: Clean) -> None:
        session = self.work(story)
        (name,) = shadows(story)
        close_agent(story, session)
        assert clean.items() == []
        story.git("worktree", "remove", "--force", "../linked")
        kinds = dict(clean.items())
        assert kinds["steps"] == name
        assert kinds["session"] == session.id
        assert kinds["snapshots"].startswith("entire/journal/")
        clean("-f")
        assert [ref for ref in refs(story) if "entire" in ref] == []
        clean("--undo")
        assert shadows(story) == [name]
        assert session.id in sessions.ids(place_of(story))

    def test_not_while_its_agent_runs(self, story: Story, clean: Clean) -> None:
        session = self.work(story)
        change_state(story, session, process=_this_process())
        session.story.git("worktree", "remove", "--force", "../linked")
        assert ("session", session.id) not in clean.items()

    def test_a_worktree_that_is_only_away_is_not_gone(self, story: Story, clean: Clean) -> None:
        session = self.work(story)
        close_agent(story, session, last_seen=time.time() - 30 * DAY)
        (story.root.parent / "linked").rename(story.root.parent / "moved")
        found = json.loads(clean("--json"))
        assert found["items"] == []
        assert "git worktree prune" in found["notes"][0]

    @staticmethod
    def work(story: Story) -> Session:
        session = elsewhere(story)
        with session.turn("Work here"):
            (session.cwd / "a.py").write_text("a = 1\n")
        assert len(shadows(story)) == 1
        return session


def test_a_guest_in_another_worktree_stays(story: Story, clean: Clean) -> None:
    """What its tools wrote there is not committed yet."""
    linked = story.root.parent / "linked"
    story.git("worktree", "add", "-q", "-b", "side", str(linked))
    session = story.session()
    session.start()
    with session.turn("Write over there"):
        session.write(str(linked / "b.py"), "b = 1\n")
    assert list(Journal(layout.find(str(linked)) or place_of(story)).attribution.visiting_sessions) == [session.id]
    close_agent(story, session, last_seen=time.time() - 15 * DAY, steps=0, open_files=[])
    assert clean.items() == []


class TestKeptSteps:
    def kept(self, story: Story) -> list[str]:
        return [ref for ref in refs(story) if ref.startswith("refs/entire/kept/")]

    def test_they_go_and_come_back_and_checkpoints_stay(self, story: Story, clean: Clean) -> None:
        session = story.session()
        session.start()
        with session.turn("Work"):
            session.write("a.py", "a = 1\n")
        story.commit("Commit it")
        before, stored = refs(story), checkpoints(story)
        assert len(self.kept(story)) == 1
        lines = Journal(place_of(story)).retention.steps
        assert len(lines) == 1
        clean("-f")
        assert self.kept(story) == []
        assert Journal(place_of(story)).retention.steps == []
        assert checkpoints(story) == stored != set()
        clean("--undo")
        assert refs(story) == before
        assert Journal(place_of(story)).retention.steps == lines
        assert story.log_errors() == []

    def test_not_those_of_a_session_at_work(self, story: Story, clean: Clean) -> None:
        session = story.session()
        session.start()
        with session.turn("Work"):
            session.write("a.py", "a = 1\n")
        story.commit("Commit it")
        session.prompt("Go on")
        change_state(story, session, process=_this_process())
        assert clean.items() == []
        session.stop()
        assert [kind for kind, _ in clean.items()] == ["retained steps"]


def test_leftovers_of_processes_that_are_gone(story: Story, clean: Clean) -> None:
    session = story.session()
    session.start()
    session.prompt("Working")
    change_state(story, session, process=_this_process())
    own, mine, gone = story.root / ".git/entire", os.getpid(), dead_pid()
    to_go = [
        own / f"journal.json.tmp{gone}",
        own / "snapshot.json.broken",
        own / f"index.{gone}",
        own / f"index.{gone}.lock",
        own / f"sessions/x.json.tmp{gone}",
        story.root / f".git/entire-sessions/x.json.tmp{gone}",
        story.root / f".git/hooks/post-commit.tmp{gone}",
        story.root / ".entire/settings.json.broken",
        story.root / ".entire/tmp/pre-prompt-someone.json",
    ]
    to_stay = [
        own / f"journal.json.tmp{mine}",
        own / f"index.{mine}",
        own / "notes.txt",
        story.root / f".git/hooks/my-hook.tmp{gone}",
        story.root / ".entire/my.broken",
        story.root / f".entire/my.tmp{gone}",
        story.root / f".entire/tmp/pre-prompt-{session.id}.json",
        story.root / ".entire/tmp/pre-task-x.json",
        story.root / ".entire/tmp/transcript.jsonl",
        story.root / f"journal.json.tmp{gone}",
    ]
    for path in (*to_go, *to_stay):
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    assert {kind for kind, _ in clean.items()} == {"leftover"}
    assert "2 B" in clean()
    clean("-f")
    assert [path for path in to_go if path.exists()] == []
    assert [path for path in to_stay if not path.exists()] == []
    clean("--undo")
    assert [path for path in to_go if path.read_text() != "{}"] == []
    session.stop()


def test_nothing_behind_symbolic_links_goes(story: Story, clean: Clean) -> None:
    elsewhere = story.root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pre-prompt-x.json").write_text("mine")
    (story.root / ".entire/tmp").symlink_to(elsewhere)
    (story.root / ".git/entire/a.broken").symlink_to(elsewhere / "pre-prompt-x.json")
    assert clean.items() == []


def test_scratch_refs_of_processes_that_are_gone(story: Story, clean: Clean) -> None:
    for pid in (os.getpid(), dead_pid()):
        story.git("update-ref", f"refs/entire/writing/{pid}-abcd", "HEAD")
    clean("-f")
    assert [ref for ref in refs(story) if "writing" in ref] == [f"refs/entire/writing/{os.getpid()}-abcd"]


def test_backups_of_branches_stay_for_two_weeks(story: Story, clean: Clean) -> None:
    moment = int(time.time() * 1000)
    story.git("update-ref", f"refs/entire/backup/feature/x/{moment}", "HEAD")
    assert clean.items() == []
    story.git("update-ref", f"refs/entire/backup/feature/x/{moment - 15 * 86_400_000}", "HEAD")
    assert clean.items("-f") == [("backup", f"entire/backup/feature/x/{moment - 15 * 86_400_000}")]
    assert [ref for ref in refs(story) if "backup" in ref] == [f"refs/entire/backup/feature/x/{moment}"]


def test_old_undo_points_go_for_good_and_all_of_them_where_asked(story: Story, clean: Clean) -> None:
    orphan(story)
    clean("-f")
    folder = story.root / ".git/entire/undo"
    assert len(list(folder.iterdir())) == 1
    assert clean.items() == []
    found = cleaning.find(place_of(story), now=time.time() + 15 * DAY)
    assert [one.kind for one in found.items] == ["undo point"]
    assert "cannot be restored" in clean("--all")
    assert [kind for kind, _ in clean.items("--all")] == ["undo point"]
    assert "--undo" not in clean("--all", "-f")
    assert list(folder.iterdir()) == []


def test_only_what_was_shown_is_removed(story: Story) -> None:
    place = place_of(story)
    (story.root / ".git/entire/a.json.broken").write_text("{")
    shown = cleaning.find(place, now=time.time()).items
    (story.root / ".git/entire/b.json.broken").write_text("{")
    removed = cleaning.remove(place, shown, now=time.time())
    assert [one.name for one in removed.items] == [".git/entire/a.json.broken"]
    assert (story.root / ".git/entire/b.json.broken").exists()


def test_a_branch_that_moves_meanwhile_stays(story: Story) -> None:
    name, _ = orphan(story)
    place = place_of(story)
    shown = cleaning.find(place, now=time.time()).items
    story.git("update-ref", f"refs/heads/{name}", f"{name}~0^{{commit}}")
    story.git("branch", "-f", name, "HEAD")
    assert cleaning.remove(place, shown, now=time.time()).items == ()
    assert shadows(story) == [name]


def test_it_works_from_a_linked_worktree(story: Story, clean: Clean) -> None:
    name, _ = orphan(story)
    linked = story.root.parent / "linked"
    story.git("worktree", "add", "-q", "-b", "side", str(linked))
    assert name in clean(cwd=linked)
    clean("-f", cwd=linked)
    assert shadows(story) == []
    clean("--undo", cwd=linked)
    assert shadows(story) == [name]


def test_outside_of_a_repository_and_with_a_strange_command_line(
    story: Story, clean: Clean, tmp_path: Path
) -> None:  # fmt: skip
    clean(status=3, cwd=tmp_path)
    clean("--undo", "-f", status=2)
    clean("--undo", status=1)


def test_the_ground_knows_worktrees_by_their_ids(story: Story) -> None:
    story.git("worktree", "add", "-q", "-b", "x", str(story.root.parent / "feature-x"))
    found = repository.Repository(place_of(story), time.time())
    assert found.ids == {"e3b0c4", "c791eb"}
    assert {one.branch for one in found.worktrees} == {"refs/heads/main", "refs/heads/x"} == found.checked_out
    assert found.heads == {story.head()}
    assert set(found.places) == found.ids
