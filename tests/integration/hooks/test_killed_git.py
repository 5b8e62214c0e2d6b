"""A git that is killed leaves its locks on our refs: the next event removes them, and no trailer stays without its
checkpoint, whoever holds what.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from entire import layout
from entire.git import ref_locks, refs, running, stale_locks
from entire.snapshots import leftover_steps
from entire.store import steps
from tests.integration.kept import all_ids, checkpoints
from tests.integration.story import Session, Story
from tests.integration.turn_commits import enable

V1 = "refs/heads/entire/checkpoints/v1"
ZERO = "0" * 40


@pytest.fixture
def session(story: Story) -> Session:
    """A session with one linked commit, so that all our refs exist."""
    found = story.session()
    found.start()
    turn(found, "first.py")
    story.commit("first")
    return found


def turn(session: Session, name: str) -> None:
    with session.turn(f"Write {name}"):
        session.write(name, f"{name} = 1\n")


def lock(story: Story, name: str, *, age: float = 0.0) -> Path:
    """Leave a lock as a killed git does."""
    path = story.path(f".git/{name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    moment = time.time() - age
    os.utime(path, (moment, moment))
    return path


def note(story: Story, *refs: str) -> Path:
    """Leave a note as a killed process of ours does."""
    path = story.path(".git/entire/ref-notes/123-abc")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{ref}\n" for ref in refs))
    return path


@contextmanager
def living_git(story: Story, ref: str) -> Iterator[subprocess.Popen[str]]:
    """Run a git that holds the lock of a ref, as one does whose hook for reference transactions takes long."""
    with subprocess.Popen(["git", "update-ref", "--stdin"], cwd=story.root, env=story.env, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:  # fmt: skip
        assert git.stdin is not None and git.stdout is not None
        git.stdin.write(f"start\nupdate {ref} {story.head()}\nprepare\n")
        git.stdin.flush()
        assert [git.stdout.readline(), git.stdout.readline()] == ["start: ok\n", "prepare: ok\n"]
        try:
            yield git
        finally:
            git.kill()


def shadows(story: Story) -> list[str]:
    found = story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split()
    return [ref for ref in found if ref != V1]


def all_linked(story: Story, *commits: str) -> None:
    """Check that each commit has one checkpoint, no trailer is without one, and nothing is left over."""
    for commit in commits:
        assert len({*story.ids(commit), *story.recorded(commit)}) == 1, commit
        story.linked(commit)
    assert all_ids(story) <= checkpoints(story)
    assert not story.path(".git/entire/pending.json").exists()
    assert [*story.path(".git").rglob("*.lock")] == [] and leftovers(story) == []


def leftovers(story: Story) -> list[str]:
    folder = story.path(".git/entire/ref-notes")
    return sorted(os.listdir(folder)) if folder.exists() else []


# ---------------------------------------------------------------- what a lock is decided by


@pytest.mark.parametrize("name", [V1, "refs/entire/journal/e3b0c4", "packed-refs", "reftable/tables.list"])
def test_a_lock_of_a_dead_process_of_ours_is_gone_at_the_next_commit(story: Story, session: Session, name: str) -> None:
    turn(session, "a.py")
    note(story, V1, "refs/entire/journal/e3b0c4")
    lock(story, name)
    commit = story.commit("a")
    assert len(story.ids(commit)) == 1
    all_linked(story, commit)


def test_a_lock_on_a_shadow_branch_too(story: Story, session: Session) -> None:
    turn(session, "a.py")
    (shadow,) = shadows(story)
    note(story, shadow)
    lock(story, shadow)
    turn(session, "b.py")
    assert leftovers(story) == []
    commit = story.commit("both")
    all_linked(story, commit)


def test_what_a_killed_git_leaves_beside_packed_refs_too(story: Story, session: Session) -> None:
    turn(session, "a.py")
    note(story, V1)
    lock(story, "packed-refs")
    story.path(".git/packed-refs.new").touch()
    all_linked(story, story.commit("a"))
    assert not story.path(".git/packed-refs.new").exists()


def test_without_a_note_a_lock_must_be_old(story: Story, session: Session) -> None:
    turn(session, "a.py")
    path = lock(story, V1, age=30)
    commit = story.commit("a")
    assert path.exists() and not story.ids(commit), "no trailer is promised"
    moment = time.time() - 100
    os.utime(path, (moment, moment))
    turn(session, "b.py")
    all_linked(story, commit, story.commit("b"))


def test_a_time_in_the_future_does_not_keep_it(story: Story, session: Session) -> None:
    turn(session, "a.py")
    lock(story, V1, age=-1e6)
    all_linked(story, story.commit("a"))


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_git_cannot_have_made_stays(story: Story, session: Session, kind: str) -> None:
    turn(session, "a.py")
    note(story, V1)
    path = story.path(f".git/{V1}.lock")
    path.mkdir() if kind == "folder" else path.symlink_to(story.path("README.md"))
    commit = story.commit("a")
    assert os.path.lexists(path) and not story.ids(commit)
    assert story.read("README.md") == "start\n"
    path.rmdir() if kind == "folder" else path.unlink()
    session.prompt("Go on")
    session.stop()
    all_linked(story, commit)


def test_a_living_git_keeps_its_lock(story: Story, session: Session) -> None:
    """Even if everything else says that the lock is old and was ours."""
    turn(session, "a.py")
    with living_git(story, V1) as git:
        path = story.path(f".git/{V1}.lock")
        assert path.exists()
        os.utime(path, (0, 0))
        commits = [story.commit("a")]
        turn(session, "b.py")
        commits.append(story.commit("b"))
        assert path.exists() and [story.ids(commit) for commit in commits] == [[], []]
        git.kill()
        git.wait()
        turn(session, "c.py")
    all_linked(story, *commits, story.commit("c"))


def test_a_living_process_of_ours_keeps_its_lock(story: Story, session: Session) -> None:
    turn(session, "a.py")
    path = lock(story, V1)
    with note(story, V1).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.utime(file.name, (0, 0))
        os.utime(path, (1, 1))
        commit = story.commit("a")
        assert path.exists() and not story.ids(commit)
    session.prompt("Go on")
    session.stop()
    all_linked(story, commit)


def test_an_older_lock_on_all_refs_is_not_ours(story: Story, session: Session) -> None:
    """It stood before our process was killed: the user's own `git gc` may have left it."""
    turn(session, "a.py")
    path = lock(story, "packed-refs", age=7200)
    note(story, V1)
    commit = story.commit("a")
    assert path.exists() and not story.ids(commit)
    path.unlink()
    session.prompt("Go on")
    session.stop()
    all_linked(story, commit)


@pytest.mark.parametrize(
    "name", ["index", "HEAD", "config", "refs/heads/main", "refs/heads/entire/idea", "packed-refs"]
)
def test_locks_of_the_user_are_never_removed(story: Story, session: Session, name: str) -> None:
    note(story, "HEAD", "refs/heads/main")
    path = lock(story, name, age=7200)
    turn(session, "a.py")
    session.end()
    assert path.exists()


# ---------------------------------------------------------------- promises while a lock stands


def test_commits_behind_a_lock_are_linked_once_it_is_gone(story: Story, session: Session) -> None:
    path = lock(story, V1)
    commits = []
    for name in ("a.py", "b.py", "c.py"):
        turn(session, name)
        commits.append(story.commit(name))
        os.utime(path)
    assert [story.ids(commit) for commit in commits] == [[], [], []]
    path.unlink()
    turn(session, "d.py")
    all_linked(story, *commits, story.commit("d"))


def test_a_promise_that_was_made_is_kept(story: Story, session: Session) -> None:
    """The lock comes between the two hooks of a commit, and stays for another commit."""
    turn(session, "a.py")
    hook = story.path(".git/hooks/commit-msg")
    before = hook.read_bytes()
    hook.write_text(f"#!/bin/sh\ntouch .git/{V1}.lock\n")
    first = story.commit("a")
    hook.write_bytes(before)
    assert len(story.ids(first)) == 1 and story.path(".git/entire/pending.json").exists()
    turn(session, "b.py")
    second = story.commit("b")
    assert not story.ids(second) and story.path(".git/entire/pending.json").exists()
    story.path(f".git/{V1}.lock").unlink()
    turn(session, "c.py")
    all_linked(story, first, second, story.commit("c"))


def test_a_promise_is_kept_if_head_has_left_the_commit(story: Story, session: Session) -> None:
    turn(session, "a.py")
    story.git("checkout", "-q", "-b", "topic")
    hook = story.path(".git/hooks/commit-msg")
    before = hook.read_bytes()
    hook.write_text(f"#!/bin/sh\ntouch .git/{V1}.lock\n")
    commit = story.commit("a")
    hook.write_bytes(before)
    story.git("checkout", "-q", "main")
    story.path(f".git/{V1}.lock").unlink()
    story.session().start()
    assert len(story.ids(commit)) == 1
    all_linked(story, commit)


def test_a_lock_that_goes_between_the_hooks_of_a_later_commit(story: Story, session: Session) -> None:
    turn(session, "a.py")
    hook = story.path(".git/hooks/commit-msg")
    before = hook.read_bytes()
    hook.write_text(f"#!/bin/sh\ntouch .git/{V1}.lock\n")
    first = story.commit("a")
    turn(session, "b.py")
    hook.write_text(f"#!/bin/sh\nrm .git/{V1}.lock\n")
    second = story.commit("b")
    hook.write_bytes(before)
    all_linked(story, first, second)


def test_a_turn_with_a_commit_of_its_own_is_finalised_later(story: Story, session: Session) -> None:
    session.prompt("Commit it")
    session.write("a.py", "a = 1\n")
    commit = session.commit("a")
    path = lock(story, V1)
    session.stop()
    path.unlink()
    session.prompt("Go on")
    session.stop()
    all_linked(story, commit)
    slot = story.linked(commit)["slots"][session.id]
    assert "Go on" not in slot["transcript"] and session.file.read_text().startswith(slot["transcript"])


def test_locks_are_in_the_common_folder_of_linked_worktrees(story: Story, session: Session) -> None:
    other = story.root.parent / "other"
    story.git("worktree", "add", "-q", str(other))
    turn(session, "a.py")
    note(story, V1)
    lock(story, V1)
    lock(story, "worktrees/other/HEAD")
    (other / "x.txt").write_text("x\n")
    session.cwd = other
    turn(session, "b.py")
    assert not story.path(f".git/{V1}.lock").exists() and leftovers(story) == []
    assert story.path(".git/worktrees/other/HEAD.lock").exists()


def test_no_turn_is_committed_while_its_checkpoint_cannot_be_written(story: Story, session: Session) -> None:
    enable(story)  # a file that git tracks only proposes it
    head, path = story.head(), lock(story, V1)
    turn(session, "a.py")
    assert story.head() == head
    path.unlink()
    turn(session, "b.py")
    assert story.head() != head
    all_linked(story, story.head())


def test_where_processes_cannot_be_seen_a_lock_must_be_older(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = layout.find(str(story.root))
    assert place is not None
    monkeypatch.setattr(running, "find", lambda _: None)
    now, path = time.time(), lock(story, V1, age=3000)
    assert stale_locks.find(place, steps.is_ours, now) == []
    assert stale_locks.find(place, steps.is_ours, now + 1000) == [str(path)]


def test_only_the_lock_that_was_examined_is_removed(story: Story, session: Session) -> None:
    """Another git may make a new one between the examination and the removal: that is put back."""
    path = lock(story, V1, age=100)
    examined = stale_locks.StaleLock(path=str(path), ref=V1, is_ours=True, facts=path.lstat())
    path.unlink()
    path.write_text("another's")
    assert not stale_locks.remove(examined, str(story.path(".git/entire/ref-notes")))
    assert path.read_text() == "another's" and leftovers(story) == []


# ---------------------------------------------------------------- what people are told


@pytest.mark.parametrize(
    "name", ["index", "HEAD", "config", "packed-refs", "refs/heads/main", "refs/heads/entire/idea"]
)
def test_an_old_lock_of_the_user_is_named_with_its_remedy(
    story: Story, session: Session, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lock(story, name, age=600)
    said = f"{path} is 10 minutes old; git refuses to work while it exists"
    remedy = f"if no git process is running: rm {shlex.quote(str(path))}"
    assert warnings(story, capsys) == [f"{said}: {remedy}"]
    story.entire("status")
    assert "if no git process is running" in " ".join(capsys.readouterr().out.split())
    assert story.entire("doctor", "--fix", "--force", "--json") == 1
    (found,) = problems(capsys)
    assert (found["message"], found["hint"], found["fixed"]) == (said, remedy, False)
    assert path.exists()


def test_a_young_lock_of_the_user_is_a_note_of_doctor(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    lock(story, "index")
    assert warnings(story, capsys) == []
    assert story.entire("doctor", "--json") == 0
    (found,) = problems(capsys)
    assert found["severity"] == "note" and "index.lock is 0 seconds old" in found["message"]


def test_a_lock_that_a_living_git_may_hold_is_named_with_that(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    with living_git(story, "refs/heads/idea") as git:
        path = story.path(".git/refs/heads/idea.lock")
        os.utime(path, (time.time() - 600, time.time() - 600))
        assert warnings(story, capsys) == [], "its hook may take long"
        os.utime(path, (time.time() + 7300, time.time() + 7300))
        assert warnings(story, capsys) == [
            f"{path} is dated 2 hours in the future; git refuses to work while it exists: "
            f"wait for the git process {git.pid}; if it hangs, end it, then: rm {path}"
        ]


def test_what_is_in_the_way_of_checkpoints_is_named(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    path = story.path(f".git/{V1}.lock")
    path.mkdir()
    assert warnings(story, capsys) == [
        f"{path} is 0 seconds old; checkpoints wait while it exists: "
        f"move it away, since git did not make this folder: mv {path} {path}.old"
    ]
    path.rmdir()
    lock(story, V1, age=600)
    assert warnings(story, capsys) == [], "the next hook removes it"
    assert story.entire("doctor", "--fix", "--force", "--json") == 0
    assert [found["fixed"] for found in problems(capsys)] == [True]
    assert [*story.path(".git").rglob("*.lock")] == []


def warnings(story: Story, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert story.entire("status", "--json") == 0
    found: list[str] = json.loads(capsys.readouterr().out)["warnings"]
    return found


def problems(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return doctor's findings about locks."""
    found = json.loads(capsys.readouterr().out)["findings"]
    return [finding for finding in found if finding["check"] == "git's locks"]


def test_locks_on_head_and_a_branch_that_our_dead_process_noted_are_gone_at_the_next_event(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Auto-commit moves them, and a push a remote-tracking branch. Without such a note, or where no git can be seen,
    they are the user's.
    """
    head, main = lock(story, "HEAD"), lock(story, "refs/heads/main")
    session.prompt("No note")
    assert head.exists() and main.exists()
    os.unlink(head)
    os.unlink(main)
    tracking = "refs/remotes/origin/entire/checkpoints/v1"
    note(story, "HEAD", "refs/heads/main", tracking)
    fetched = lock(story, tracking)
    lock(story, "HEAD")
    lock(story, "refs/heads/main")
    with monkeypatch.context() as patch:
        patch.setattr(running, "find", lambda _place: None)
        session.prompt("Nothing can be seen")
        assert head.exists() and main.exists()
    session.prompt("Go on")
    assert not head.exists() and not main.exists() and not fetched.exists()
    assert leftovers(story) == []


def test_the_note_of_a_moved_head_names_it_and_its_branch(story: Story, session: Session, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    story.git("worktree", "add", "-q", str(linked), "-b", "side")
    story.path(".git/worktrees/linked/reftable").mkdir()
    story.path(".git/worktrees/linked/reftable/tables.list").touch()
    seen: list[str] = []
    for where in (story.root, linked):
        with ref_locks.LockNote(str(where), ["HEAD"]):
            (path,) = ref_locks.notes(str(story.path(".git")))
            seen.append(Path(path).read_text())
    assert seen == [
        "HEAD\nrefs/heads/main\n",
        "worktrees/linked/HEAD\nworktrees/linked/reftable/tables.list\nrefs/heads/side\n",
    ]


def test_the_lock_of_a_remote_tracking_branch_is_only_named(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lock(story, "refs/remotes/origin/entire/checkpoints/v1", age=600)
    turn(session, "a.py")
    all_ids_of = story.ids(story.commit("a"))
    assert len(all_ids_of) == 1 and path.exists(), "no hook of a turn or commit moves it"
    assert warnings(story, capsys) == [
        f"{path} is 10 minutes old; checkpoints wait while it exists: if no git process is running: rm {path}"
    ]


# ---------------------------------------------------------------- shadow branches that nothing needs


@pytest.fixture
def leftover(story: Story, session: Session) -> str:
    """A shadow branch as a kill leaves it: with a step, on a commit that HEAD has left, and in no session's state."""
    turn(session, "a.py")
    (shadow,) = shadows(story)
    tip = story.git("rev-parse", shadow).strip()
    story.commit("a")
    assert shadows(story) == []
    story.git("update-ref", shadow, tip)
    return shadow


def retained(story: Story) -> set[str]:
    return set(story.git("for-each-ref", "--format=%(objectname)", "refs/entire/kept").split())


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("is_retained", [False, True])
def test_a_shadow_branch_that_nothing_needs_is_deleted_when_a_session_starts(
    story: Story, leftover: str, is_packed: bool, is_retained: bool
) -> None:
    tip, before = story.git("rev-parse", leftover).strip(), retained(story)
    if not is_retained:
        tip = story.git("commit-tree", "-p", tip, "-F", "-", f"{tip}^{{tree}}",
                        stdin=story.git("log", "-1", "--format=%B", tip)).strip()  # fmt: skip
        story.git("update-ref", leftover, tip)
    if is_packed:
        story.git("pack-refs", "--all")
    story.started()
    assert (shadows(story), retained(story)) == ([], {*before, tip})
    assert story.log_errors() == []


def test_it_is_deleted_at_the_next_commit(story: Story, session: Session, leftover: str) -> None:
    story.write("by-hand.txt", "x\n")
    story.commit("by hand")
    turn(session, "b.py")
    story.commit("b")
    assert shadows(story) == []


def test_branches_that_are_needed_stay(story: Story, session: Session, leftover: str) -> None:
    """A session's steps on another commit; the user's branch with such a name; another worktree's."""
    head = story.head()
    story.git("update-ref", "-d", leftover)
    turn(session, "b.py")
    used = shadows(story)
    first = story.git("rev-list", "--max-parents=0", "HEAD")[:7]
    story.git("branch", f"entire/{first}-e3b0c4", head)
    story.git("update-ref", "refs/heads/entire/1234567-abcdef", used[0])
    story.git("checkout", "-q", "-b", "elsewhere", "HEAD~1")
    names = shadows(story)
    story.started()
    assert shadows(story) == names and set(used) < set(names)


def test_a_branch_that_moves_meanwhile_stays(story: Story, leftover: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = refs.read

    def outdated(where: str, *names: str) -> dict[str, str]:
        found = read(where, *names)
        story.git("update-ref", leftover, story.head())
        return found

    monkeypatch.setattr(leftover_steps, "refs", SimpleNamespace(read=outdated, move=refs.move))
    before = retained(story)
    story.started()
    assert (shadows(story), retained(story)) == ([leftover], before)
    assert story.log_errors() == []


def test_a_branch_in_a_turn_that_was_killed_is_saved_first(story: Story, session: Session) -> None:
    """The kill came between the step and the session's state: the step is the next turn's parent, not a leftover."""
    session.prompt("Write a.py")
    session.write("a.py", "a = 1\n")
    state = story.path(f".git/entire-sessions/{session.id}.json"), story.path(f".git/entire/sessions/{session.id}.json")
    before = [path.read_bytes() for path in state]
    session.stop()
    for path, data in zip(state, before, strict=True):
        path.write_bytes(data)
    story.started()
    assert len(shadows(story)) == 1
    commit = story.commit("a")
    story.started()
    assert shadows(story) == []
    all_linked(story, commit)


# ---------------------------------------------------------------- real kills

_HOOK = """#!/bin/sh
if [ "$1" = prepared ] && [ -e "{stop}" ] && grep -q "{ref}"; then
    rm "{stop}"
    touch "{there}"
    sleep 60
fi
"""


class Trap:
    """Makes git stop while it holds the lock of a ref, so that it can be killed there with all above it."""

    def __init__(self, story: Story, folder: Path, ref: str) -> None:
        self.there, stop = folder / "there", folder / "stop"
        stop.touch()
        hook = story.path(".git/hooks/reference-transaction")
        hook.write_text(_HOOK.format(stop=stop, there=self.there, ref=ref))
        hook.chmod(0o755)
        self._story = story

    def kill(self, *args: str, group: bool = True, stdin: str = "") -> None:
        """Run a program and kill it, with its group or alone, once git has stopped."""
        none = subprocess.DEVNULL
        with subprocess.Popen(args, cwd=self._story.root, env=self._story.env, start_new_session=True, text=True,
                              stdin=subprocess.PIPE, stdout=none, stderr=none) as program:  # fmt: skip
            assert program.stdin is not None
            program.stdin.write(stdin)
            program.stdin.close()
            deadline = time.monotonic() + 30
            while not self.there.exists():
                assert time.monotonic() < deadline and program.poll() is None, "git did not stop"
                time.sleep(0.01)
            (os.killpg if group else os.kill)(program.pid, signal.SIGKILL)


def test_the_group_is_killed_in_post_commit(story: Story, session: Session, tmp_path: Path) -> None:
    turn(session, "a.py")
    story.git("add", "-A")
    Trap(story, tmp_path, V1).kill("git", "commit", "-q", "-m", "a")
    assert story.path(f".git/{V1}.lock").exists() and len(leftovers(story)) == 1
    first = story.head()
    assert len(story.ids(first)) == 1
    turn(session, "b.py")
    second = story.commit("b")
    assert len(story.ids(second)) == 1
    all_linked(story, first, second)


def test_the_group_is_killed_at_the_end_of_a_turn(story: Story, session: Session, tmp_path: Path) -> None:
    session.prompt("Write a.py")
    session.write("a.py", "a = 1\n")
    payload = session.payload("stop")
    Trap(story, tmp_path, "refs/heads/entire/").kill("entire", "hooks", "claude-code", "stop", stdin=payload)
    assert [*story.path(".git/refs/heads/entire").rglob("*.lock")]
    session.prompt("Go on")
    session.stop()
    all_linked(story, story.commit("a"))
    assert shadows(story) == []
