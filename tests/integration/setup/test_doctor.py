"""``entire doctor``: finds what is wrong, writes nothing unless asked, and repairs what can be repaired."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire import cli, layout
from entire.maintenance import checks, corruption
from entire.maintenance import doctor as health
from entire.maintenance import repairs as remedies
from entire.model.phases import Phase
from entire.model.session import Process, Session
from entire.model.value import replace
from entire.store import sessions
from entire.undo import transaction
from tests import golden
from tests.integration.dying import in_child
from tests.integration.hostile.test_show_hostile import leave_out
from tests.integration.kept import PERSON, answers, elsewhere, journal, shadows, sole, tokens
from tests.integration.setup.test_clean import change_state, dead_pid, everything, place_of, refs
from tests.integration.setup.test_reset import worked
from tests.integration.story import Story

Findings = list[dict[str, Any]]


class Doctor:
    """The command, and what it says."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
        self.story = story
        self.capsys = capsys
        self.err = ""

    def __call__(self, *args: str, status: int = 0, cwd: Path | None = None) -> str:
        self.capsys.readouterr()
        assert self.story.entire("doctor", *args, cwd=cwd) == status, self.capsys.readouterr()
        out, self.err = self.capsys.readouterr()
        return out

    def json(self, *args: str, status: int = 0) -> Findings:
        found = json.loads(self(*args, "--json", status=status))
        assert found["healthy"] is (status == 0)
        for one in found["findings"]:
            assert list(one) == ["check", "severity", "message", "hint", "fixable", "fixed"]
            assert one["check"] in health.CHECKS
        findings: Findings = found["findings"]
        return findings

    def finds(self, check: str, words: str, *, fixable: bool = True) -> None:
        """Assert that exactly this is wrong, and that looking for it wrote nothing."""
        before = everything(self.story.root)
        found = [one for one in self.json(status=1) if one["severity"] != "note"]
        assert [(one["check"], one["fixable"]) for one in found] == [(check, fixable)], found
        assert words in found[0]["message"]
        assert everything(self.story.root) == before

    def repairs(self, check: str) -> None:
        """Assert that everything is well after the repair, for which it says what it did."""
        found = self.json("--force")
        assert [one["check"] for one in found if one["fixed"]] == [check]
        assert self.json() == [one for one in found if not one["fixed"]]


@pytest.fixture
def doctor(story: Story, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(story, capsys)


def test_all_is_well(story: Story, doctor: Doctor) -> None:
    before = everything(story.root)
    assert doctor() == "No problems found.\n"
    assert doctor.json() == []
    assert doctor("--force") == "No problems found.\n"
    assert everything(story.root) == before


def test_all_is_well_with_work_in_progress(story: Story, doctor: Doctor) -> None:
    session = worked(story)
    story.commit("First", env=PERSON)
    with session.turn("More"):
        session.write("b.py", "b = 1\n")
    session.prompt("And more")
    assert doctor.json() == []
    session.stop()


class TestHooks:
    def test_a_missing_git_hook(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".git/hooks/post-commit").unlink()
        doctor.finds("git hooks", "post-commit is missing")
        assert "Run `entire doctor --fix` to repair it" in doctor(status=1)
        doctor.repairs("git hooks")
        session = worked(story)
        story.commit("It is linked", env=PERSON)
        sole(story, session, ["a.py"])

    def test_a_hook_that_somebody_replaced_runs_after_ours(self, story: Story, doctor: Doctor) -> None:
        hook = story.root / ".git/hooks/pre-push"
        hook.write_text("#!/bin/sh\nexit 0\n")
        doctor.finds("git hooks", "replaced by another program")
        doctor.repairs("git hooks")
        assert (story.root / ".git/hooks/pre-push.pre-entire").read_text() == "#!/bin/sh\nexit 0\n"

    def test_a_hook_that_cannot_be_executed(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".git/hooks/post-commit").chmod(0o644)
        doctor.finds("git hooks", "not executable")
        doctor.repairs("git hooks")

    def test_a_folder_of_hooks_that_is_not_ours_to_write(self, story: Story, doctor: Doctor) -> None:
        story.git("config", "--global", "core.hooksPath", str(story.root.parent / "hooks"))
        found = [one for one in doctor.json(status=1) if one["check"] == "git hooks"]
        assert len([one for one in found if "does not call entire" in one["message"]]) == 4
        assert not any(one["fixable"] for one in found if "does not call entire" in one["message"])
        doctor("--fix", "--yes", status=1)
        assert not (story.root.parent / "hooks").exists()

    def test_agent_hooks_of_which_a_part_is_missing(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".claude/settings.json"
        whole = path.read_text()
        value = json.loads(whole)
        del value["hooks"]["Stop"]
        path.write_text(json.dumps(value))
        doctor.finds("agent hooks", "Claude Code")
        doctor.repairs("agent hooks")
        assert json.loads(path.read_text()) == json.loads(whole)

    def test_no_agent_at_all(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".claude/settings.json").unlink()
        doctor.finds("agent hooks", "no agent has hooks in this repository", fixable=False)

    def test_agent_settings_that_are_no_json(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".claude/settings.json"
        path.write_text(path.read_text() + "}")
        before = path.read_bytes()
        doctor.finds("agent hooks", "Claude Code", fixable=False)
        assert "is not valid JSON and was not changed" in doctor("--force", status=1)
        assert path.read_bytes() == before


class TestSettings:
    def test_broken_settings_are_put_aside(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".entire/settings.json"
        path.write_text('{"enabled": ')
        doctor.finds("settings", "is not a JSON object")
        doctor.repairs("settings")
        assert path.with_name("settings.json.broken").read_text() == '{"enabled": '
        assert json.loads(path.read_text())["enabled"] is True
        assert json.loads(path.read_text())["strategy_options"] == {"push_sessions": False}

    def test_a_conflict_is_the_persons_to_resolve(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".entire/settings.json"
        path.write_text("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n")
        doctor.finds("settings", "is not a JSON object", fixable=False)
        doctor("--force", status=1)
        assert path.read_text().startswith("<<<<<<<")

    def test_broken_local_settings_and_options(self, story: Story, doctor: Doctor) -> None:
        for name in ("settings.local.json", "entire.json"):
            (story.root / ".entire" / name).write_text("[]")
            doctor.finds("settings", name)
            doctor.repairs("settings")
            assert not (story.root / ".entire" / name).exists()

    def test_unknown_keys_are_told(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".entire/settings.local.json").write_text('{"colour": 1}')
        doctor.finds("settings", "unknown key 'colour'", fixable=False)


class TestBrokenFiles:
    @pytest.mark.parametrize("content", ["", "{", "[]", "\xff\xfe", '{"entries": 3}', '{"entries": [[1]]}'])
    def test_the_journal(self, story: Story, doctor: Doctor, content: str) -> None:
        worked(story)
        path = story.root / ".git/entire/journal.json"
        path.write_text(content, encoding="latin-1")
        doctor.finds("broken files", str(path))
        doctor.repairs("broken files")
        assert path.with_name("journal.json.broken").read_text(encoding="latin-1") == content

    def test_the_snapshot(self, story: Story, doctor: Doctor) -> None:
        session = worked(story)
        (story.root / ".git/entire/snapshot.json").write_text("{")
        doctor.finds("broken files", "snapshot.json")
        doctor.repairs("broken files")
        story.commit("It is linked all the same", env=PERSON)
        sole(story, session, ["a.py"])

    @pytest.mark.parametrize("content", ["", "{", '{"session_id": "other"}', '{"session_id": 7}', '{"process": 3}'])
    def test_a_state(self, story: Story, doctor: Doctor, content: str) -> None:
        session = worked(story)
        path = story.root / f".git/entire/sessions/{session.id}.json"
        path.write_text(content)
        doctor.finds("broken files", str(path))
        doctor.repairs("broken files")
        assert sessions.ids(place_of(story)) == [session.id]

    def test_the_shared_state(self, story: Story, doctor: Doctor) -> None:
        session = worked(story)
        (story.root / f".git/entire-sessions/{session.id}.json").write_text("{]")
        doctor.finds("broken files", "entire-sessions")
        doctor.repairs("broken files")

    def test_the_record_of_a_commit(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".git/entire/pending.json").write_text("x")
        doctor.finds("broken files", "pending.json")
        doctor.repairs("broken files")

    def test_a_folder_in_place_of_a_file(self, story: Story, doctor: Doctor) -> None:
        worked(story)
        path = story.root / ".git/entire/journal.json"
        path.unlink()
        path.mkdir()
        assert doctor.json(status=1) != []
        doctor("--force", status=0)
        assert path.with_name("journal.json.broken").is_dir()

    def test_a_file_in_place_of_our_folder(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".git/entire"
        shutil.rmtree(path)
        path.write_text("what is this")
        doctor.finds("permissions", "is not a folder", fixable=False)


class TestPermissions:
    """The tests may run as root, whom no mode stops."""

    def test_a_folder_that_cannot_be_written(
        self, story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
    ) -> None:  # fmt: skip
        path = str(story.root / ".git/objects")
        real = os.access
        monkeypatch.setattr(os, "access", lambda one, mode, **more: one != path and real(one, mode, **more))
        doctor.finds("permissions", f"{path} is not writable", fixable=False)

    def test_a_file_of_somebody_else(
        self, story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
    ) -> None:  # fmt: skip
        session = worked(story)
        path = str(story.root / f".git/entire/sessions/{session.id}.json")
        real = os.access
        monkeypatch.setattr(os, "access", lambda one, mode, **more: one != path and real(one, mode, **more))
        doctor.finds("permissions", f"{path} is not readable and writable", fixable=False)

    def test_what_cannot_be_read_is_a_finding(
        self, story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
    ) -> None:  # fmt: skip
        from entire import files

        real = files.read

        def read(path: str) -> bytes | None:
            if "/.git/entire" in path:
                raise PermissionError(13, "Permission denied", path)
            return real(path)

        session = worked(story)
        with monkeypatch.context() as patch:  # what the fixtures have set stays
            patch.setattr(files, "read", read)
            found = doctor.json(status=1)
        assert any("could not be checked" in one["message"] and "Permission denied" in one["message"] for one in found)
        assert doctor.json() == []
        assert session.id in sessions.ids(place_of(story))


def test_a_lock_that_is_held_for_long(story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corruption, "_LOCKED", 0.1)
    with (story.root / ".git/entire/lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        doctor.finds("lock", "has held Entire's lock", fixable=False)
        if os.path.exists("/proc/locks"):
            assert str(os.getpid()) in doctor.json(status=1)[0]["message"]
    assert doctor.json() == []


class TestSessions:
    def test_a_turn_whose_agent_is_gone_is_saved(self, story: Story, doctor: Doctor) -> None:
        session = story.session()
        session.start()
        session.prompt("Work")
        session.write("a.py", "a = 1\n")
        change_state(story, session, process=Process(pid=dead_pid(), started="1"))
        doctor.finds("sessions", session.id)
        assert "To be repaired" not in doctor("--fix", "--dry-run", status=1)
        assert shadows(story) == []
        doctor.repairs("sessions")
        assert len(shadows(story)) == 1
        story.commit("Commit it", env=PERSON)
        sole(story, session, ["a.py"])
        assert story.log_errors() == []

    def test_a_silent_one_whose_process_nobody_knows(self, story: Story, doctor: Doctor) -> None:
        session = story.session()
        session.start()
        session.prompt("Work")
        session.write("a.py", "a = 1\n")
        change_state(story, session, process=Process(), last_seen=time.time() - 600)
        assert doctor.json() == []
        change_state(story, session, last_seen=time.time() - 4000)
        doctor.finds("sessions", "its agent exited during a turn")
        doctor.repairs("sessions")
        assert len(shadows(story)) == 1

    def test_checkpoints_that_wait_for_the_end_of_a_turn(self, story: Story, doctor: Doctor) -> None:
        session = story.session()
        session.start()
        session.prompt("Work and commit")
        session.write("a.py", "a = 1\n")
        session.commit("The agent commits")
        session.answer({"type": "text", "text": "Done."})
        change_state(story, session, process=Process(pid=dead_pid(), started="1"))
        doctor.finds("sessions", session.id)
        doctor.repairs("sessions")
        record = sole(story, session, ["a.py"])
        assert tokens(record) == answers(*range(session.answers))

    def test_in_a_worktree_that_is_gone(self, story: Story, doctor: Doctor) -> None:
        session = elsewhere(story)
        session.prompt("Work")
        change_state(story, session, process=Process(pid=dead_pid(), started="1"))
        story.git("worktree", "remove", "--force", str(session.cwd))
        doctor.finds("sessions", session.id)
        doctor.repairs("sessions")
        state = sessions.find(place_of(story), session.id)
        assert state is not None and state.phase is Phase.IDLE

    def test_an_agent_that_nobody_knows(self, story: Story, doctor: Doctor) -> None:
        session = story.session()
        session.start()
        session.prompt("Work")
        change_state(story, session, process=Process(pid=dead_pid(), started="1"), agent="x", agent_type="X")
        doctor.finds("sessions", session.id)
        doctor.repairs("sessions")


class TestCommits:
    def test_a_commit_whose_hook_was_killed(self, story: Story, doctor: Doctor) -> None:
        session = worked(story)
        hook = story.root / ".git/hooks/post-commit"
        content = hook.read_text()
        hook.write_text("#!/bin/sh\n# Entire CLI hooks\n")
        story.commit("Its hook did nothing", env=PERSON)
        hook.write_text(content)
        pending = story.root / ".git/entire/pending.json"
        assert pending.exists()
        value = json.loads(pending.read_text())
        assert value["id"] in story.ids()
        found = {(one["check"], one["fixable"]) for one in doctor.json(status=1)}
        assert found == {("commits", True), ("links", False)}
        assert {one["check"] for one in doctor.json("-f") if one["fixed"]} == {"commits", "links"}
        assert not pending.exists()
        sole(story, session, ["a.py"])

    def test_a_commit_that_was_never_made(self, story: Story, doctor: Doctor) -> None:
        """Aborted, or killed before git made it: there is nothing to repair, and the work stays uncommitted."""
        session = worked(story)
        hook = story.root / ".git/hooks/commit-msg"
        content = hook.read_text()
        hook.write_text("#!/bin/sh\n# Entire CLI hooks\nexit 1\n")
        story.git("add", "-A")
        story.git("commit", "-q", "-m", "Refused", ok=False, env=PERSON)
        hook.write_text(content)
        assert (story.root / ".git/entire/pending.json").exists()
        doctor.finds("commits", "the record of a commit that was never made, or not linked, is left over")
        said = doctor("--force")
        assert "dropped  commits: the record of a commit that was never made" in said
        assert said.endswith("No problems are left.\n")
        assert "repaired" not in said
        assert "fixed" not in said
        assert not (story.root / ".git/entire/pending.json").exists()
        story.commit("Made", env=PERSON)
        sole(story, session, ["a.py"])

    def test_a_record_of_another_form(self, story: Story, doctor: Doctor) -> None:
        (story.root / ".git/entire/pending.json").write_text('{"kind": "unheard of"}')
        doctor.finds("broken files", "pending.json")
        doctor.repairs("broken files")

    def test_not_while_git_runs(self, story: Story, doctor: Doctor) -> None:
        from entire import process

        worked(story)
        me = process.look(os.getpid())
        assert me is not None
        value = {"pid": me.pid, "started": me.started}
        (story.root / ".git/entire/pending.json").write_text(json.dumps(value))
        assert doctor.json() == []


class TestTransactions:
    def test_one_that_was_killed_is_brought_to_its_end(self, story: Story, doctor: Doctor) -> None:
        worked(story)
        (name,) = shadows(story)

        def forget() -> None:
            story.entire("reset", "-f")

        for count in range(200):
            if in_child(count, forget):
                pytest.fail("nothing was killed half-way")
            if [one for one in transaction.find_all(place_of(story)) if one.state == "applying"]:
                break
        doctor.finds("transactions", "`entire reset` was interrupted")
        doctor.repairs("transactions")
        assert name not in shadows(story)
        assert story.entire("reset", "--undo") == 0
        assert shadows(story) == [name]


class TestRefs:
    def test_steps_that_point_nowhere(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".git/refs/heads/entire/1234567-e3b0c4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1" * 40 + "\n")
        doctor.finds("refs", "points to a commit that is missing")
        doctor.repairs("refs")
        assert not path.exists()

    @pytest.mark.parametrize("content", [b"", b"\0" * 41, b"0" * 40 + b"\n", b"garbage\n"])
    def test_a_ref_that_holds_no_object_id(self, story: Story, doctor: Doctor, content: bytes) -> None:
        path = story.root / ".git/refs/heads/entire/1234567-e3b0c4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        doctor.finds("refs", "holds no object id")
        doctor.repairs("refs")
        assert not path.exists()

    def test_a_lock_that_a_killed_git_left(self, story: Story, doctor: Doctor) -> None:
        worked(story)
        path = story.root / ".git/refs/heads" / (shadows(story)[0] + ".lock")
        path.touch()
        assert doctor.json() == []
        os.utime(path, (time.time() - 7200, time.time() - 7200))
        doctor.finds("git's locks", "is a stale lock")
        doctor.repairs("git's locks")
        assert not path.exists()

    def test_other_refs_are_none_of_our_business(self, story: Story, doctor: Doctor) -> None:
        for name in ("main2", "entire/idea", "entire/12345"):
            path = story.root / ".git/refs/heads" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1" * 40 + "\n")
        assert doctor.json() == []

    def test_an_old_lock_of_the_index_is_told(self, story: Story, doctor: Doctor) -> None:
        path = story.root / ".git/index.lock"
        path.touch()
        os.utime(path, (time.time() - 7200, time.time() - 7200))
        doctor.finds("git's locks", f"{path} is 2 hours old; git refuses to work while it exists", fixable=False)


class TestJournal:
    def test_its_ref_is_written_again(self, story: Story, doctor: Doctor) -> None:
        worked(story)
        before = refs(story)
        story.git("update-ref", "-d", "refs/entire/journal/e3b0c4")
        doctor.finds("journal", "is missing: git may collect")
        doctor.repairs("journal")
        assert refs(story) == before

    def test_looks_that_git_has_collected_are_forgotten(self, story: Story, doctor: Doctor) -> None:
        session = worked(story)
        for name in ("refs/entire/journal/e3b0c4", "refs/heads/" + shadows(story)[0]):
            story.git("update-ref", "-d", name)
        story.git("reflog", "expire", "--expire=now", "--all")
        story.git("gc", "-q", "--prune=now")
        found = [one for one in doctor.json(status=1) if one["severity"] == "error"]
        assert {(one["check"], one["fixable"]) for one in found} == {("journal", True)}
        said = " ".join(one["message"] for one in found)
        for words in ("snapshots of the worktree", "of the last snapshot", "the last step on", "stored transcript"):
            assert words in said
        doctor("--force")
        assert doctor.json() == []
        with session.turn("Go on"):
            session.write("b.py", "b = 1\n")
        story.commit("Commit it", env=PERSON)
        sole(story, session, ["b.py"])
        assert journal(story)["entries"]
        assert story.log_errors() == []


class TestObjects:
    def test_files_and_folders_that_git_lacks_are_named_whichever_are_looked_up_together(
        self, story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(3):
            with (session := story.started()).turn(f"Write {number}"):
                session.write(f"{number}.py", f"{number}\n")
            story.commit(f"Commit {number}")
        names = [story.ids(f"HEAD~{number}")[0] for number in range(3)]
        branch = "entire/checkpoints/v1"
        lacking = {f"{names[0].path}/metadata.json", f"{names[1].path}/0", f"{names[2].path}/0/full.jsonl"}
        for path in lacking:
            leave_out(story, story.git("rev-parse", f"{branch}:{path}").strip())
        told = []
        for folders in (1, 2, 256):
            monkeypatch.setattr(corruption, "_FOLDERS", folders)
            told.append(sorted(one["message"] for one in doctor.json(status=1) if one["check"] == "objects"))
        assert told[0] == told[1] == told[2]
        assert {message.partition(" is missing")[0].rpartition(":")[2] for message in told[0]} == lacking


class TestLinks:
    def test_a_checkpoint_that_is_nowhere(self, story: Story, doctor: Doctor) -> None:
        story.commit("By hand\n\nEntire-Checkpoint: a1b2c3d4e5f6", "--allow-empty")
        head = story.head()
        doctor.finds("links", f"commit {head[:7]} names checkpoint a1b2c3d4e5f6", fixable=False)
        doctor("--force", status=1)
        assert story.head() == head

    def test_it_is_fetched_from_a_remote(self, story: Story, doctor: Doctor) -> None:
        session = worked(story)
        story.commit("Linked", env=PERSON)
        bare = story.root.parent / "bare.git"
        subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
        story.git("push", "-q", "--no-verify", str(bare), "main", "entire/checkpoints/v1")
        story.git("update-ref", "-d", "refs/heads/entire/checkpoints/v1")
        doctor.finds("links", story.ids()[0], fixable=False)
        story.git("remote", "add", "origin", str(bare))
        doctor.finds("links", story.ids()[0])
        doctor.repairs("links")
        assert "refs/remotes/origin/entire/checkpoints/v1" in refs(story)
        with session.turn("More"):
            session.write("b.py", "b = 1\n")
        story.commit("Second", env=PERSON)
        sole(story, session, ["b.py"])

    def test_a_remote_without_it(self, story: Story, doctor: Doctor) -> None:
        story.commit("By hand\n\nEntire-Checkpoint: a1b2c3d4e5f6", "--allow-empty")
        story.git("remote", "add", "origin", str(story.root.parent / "nowhere.git"))
        doctor.finds("links", "a1b2c3d4e5f6")
        said = doctor("--force", status=1)
        assert "could not be repaired: links: origin" in said
        assert "1 problem left." in said


def test_a_damaged_checkpoint(story: Story, doctor: Doctor) -> None:
    worked(story)
    story.commit("Linked", env=PERSON)
    one = story.ids()[0]
    story.git("read-tree", "entire/checkpoints/v1", env={"GIT_INDEX_FILE": "other"})
    story.git("rm", "-q", "--cached", f"{one.path}/0/metadata.json", env={"GIT_INDEX_FILE": "other"})
    tree = story.git("write-tree", env={"GIT_INDEX_FILE": "other"}).strip()
    (story.root / "other").unlink(missing_ok=True)
    commit = story.git("commit-tree", tree, "-p", "entire/checkpoints/v1", "-m", "damage").strip()
    story.git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
    doctor.finds("checkpoints", f"checkpoint {one}: the session folder 0 has no readable", fixable=False)


def test_clutter_and_logged_errors_are_notes(story: Story, doctor: Doctor) -> None:
    (story.root / ".git/entire/x.broken").write_text("{")
    (story.root / ".git/entire/logs").mkdir(exist_ok=True)
    with (story.root / ".git/entire/logs/entire.log").open("a") as log:
        log.write('{"time": "x", "level": "ERROR", "msg": "oh"}\n')
    found = {one["check"]: one for one in doctor.json()}
    assert found["clutter"]["severity"] == found["log"]["severity"] == "note"
    assert "entire clean" in found["clutter"]["hint"]


class TestWhereItIsNotEnabled:
    @pytest.mark.parametrize("enable", [False])
    def test_never_enabled(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], enable: bool) -> None:
        story = Story(tmp_path / "other", enable=enable)
        doctor = Doctor(story, capsys)
        before = everything(story.root)
        assert "Entire is not enabled in this repository" in doctor()
        assert [one["severity"] for one in doctor.json("--force")] == ["note"]
        assert everything(story.root) == before

    def test_disabled(self, story: Story, doctor: Doctor) -> None:
        assert story.entire("disable") == 0
        (story.root / ".git/hooks/post-commit").unlink()
        assert "Entire is disabled in this repository" in doctor()

    def test_outside_of_a_repository(self, story: Story, doctor: Doctor, tmp_path: Path) -> None:
        doctor(status=3, cwd=tmp_path)

    def test_without_git(self, story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(story.root))
        found = doctor.json(status=1)
        assert len(found) == 1
        assert "cannot start git" in found[0]["message"]


def test_an_old_git_is_told(story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entire.git.program.version", lambda _: (2, 20, 1))
    doctor.finds("git", "git 2.20.1 is too old", fixable=False)


def test_it_asks_before_it_repairs(story: Story, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    (story.root / ".git/hooks/post-commit").unlink()
    before = everything(story.root)
    doctor("--fix", status=2)
    assert "--yes" in doctor.err
    doctor("--yes", status=2)
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr(sys, "stdin", io.StringIO("no\n"))
    doctor("--fix", status=130)
    assert everything(story.root) == before
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert "All problems are repaired." in doctor("--fix")
    assert (story.root / ".git/hooks/post-commit").exists()


@pytest.mark.parametrize("stage", golden.STAGES)
def test_nothing_dramatic_in_repositories_of_the_go_cli(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """The archives hold no git hooks, and their sessions' agents are gone; nothing is lost or broken."""
    home = golden.unpack(stage, tmp_path)
    monkeypatch.setenv("HOME", str(home))
    for top in golden.repositories(home):
        monkeypatch.chdir(top)
        before = everything(top)
        found = json.loads(_said(capsys, "doctor", "--json"))["findings"]
        assert [one for one in found if one["severity"] == "error" and one["check"] != "git hooks"] == []
        expected = {"settings", "git hooks", "agent hooks", "sessions", "links"}  # an agent we know not yet
        assert {one["check"] for one in found if one["severity"] == "warning"} <= expected
        assert everything(top) == before
        place = layout.find(str(top))
        assert place is not None
        steps = [one for one in json.loads(_said(capsys, "clean", "--json"))["items"] if one["kind"] == "steps"]
        held = {state.worktree.base_commit[:7] for state in sessions.list_states(place) if state.work.steps}
        assert {one["name"].removeprefix("entire/")[:7] for one in steps} & held == set()
        json.loads(_said(capsys, "doctor", "--json", "--force"))
        left = json.loads(_said(capsys, "doctor", "--json"))["findings"]
        assert {one["check"] for one in left} <= {"settings", "agent hooks", "links", "clutter"}
        assert not [one for one in left if one["severity"] == "error" or one["fixable"]]


def _said(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    cli.main(args)
    return capsys.readouterr().out


def test_the_table_of_checks() -> None:
    """A check that can be repaired says so by its remedy, and all of them have names that scripts may rely on."""
    assert [name for name, (_, remedy) in health.CHECKS.items() if remedy is None] == [
        "git",
        "foreign files",
        "redaction",
        "permissions",
        "lock",
        "agents",
        "recording",
        "objects",
        "checkpoints",
        "clutter",
        "log",
    ]


@pytest.mark.parametrize(
    ("phase", "pid", "silent", "stuck"),
    [
        (Phase.ACTIVE, 0, 3700.0, True),
        (Phase.ACTIVE_COMMITTED, 0, 3700.0, True),
        (Phase.ACTIVE, 0, 3500.0, False),
        (Phase.ACTIVE, 1 << 22, 1.0, True),
        (Phase.IDLE, 0, 3700.0, False),
        (Phase.ENDED, 1 << 22, 3700.0, False),
    ],
)
def test_when_a_session_is_stuck(phase: Phase, pid: int, silent: float, stuck: bool) -> None:
    session = Session("s")
    session.phase = phase
    session.process = Process(pid=pid, started="never")
    session.times = replace(session.times, last_seen=10_000.0)
    assert checks.is_stuck(session, 10_000.0 + silent) is stuck


def test_a_remedy_looks_again(story: Story) -> None:
    """What was repaired meanwhile, or was never wrong, stays as it is."""
    session = worked(story)
    before = everything(story.root)
    case = checks.Case(place_of(story), time.time())
    for remedy in (
        remedies.settings_files,
        remedies.broken_files,
        remedies.unfinished,
        remedies.broken_refs,
        remedies.stuck_sessions,
        remedies.git_hooks,
        remedies.agent_hooks,
        remedies.dangling_links,
    ):
        remedy(case)
    case.close()
    after = everything(story.root)
    assert {name for name in before if after.get(name) != before[name]} == set()
    story.commit("Commit it", env=PERSON)
    sole(story, session, ["a.py"])


def test_what_a_killed_process_left_of_a_hook_goes_when_it_is_written_again(story: Story) -> None:
    hook = story.path(".git/hooks/post-commit")
    text = hook.read_text()
    hook.unlink()
    gone, running = (hook.with_name(f"post-commit.tmp{pid}") for pid in (2**22 + 1, os.getppid()))
    gone.write_text("#!/bin/sh\n")
    running.write_text("#!/bin/sh\n")
    assert story.entire("doctor", "--fix", "--yes") == 0
    assert (hook.read_text(), gone.exists(), running.exists()) == (text, False, True)
