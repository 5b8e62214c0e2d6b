"""What happens while the repository's own hooks run for the commit of a turn: nothing is harmed, and the reason is
noted if the turn is kept as a step.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forks import BIN
from tests.integration.kept import PERSON
from tests.integration.story import Session, Story
from tests.integration.turn_commits import enable

SLOW = """#!/bin/sh
[ -e {folder}/pause ] || [ -e {folder}/fail ] || exit 0
[ -e {folder}/pause ] || exit 1
rm {folder}/pause
touch {folder}/running
while [ ! -e {folder}/go ]; do sleep 0.02; done
rm {folder}/go
"""
PATIENCE = 60.0


class Slow:
    """A repository whose pre-commit hook waits, and a session whose turn's end waits for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.story = Story(folder / "repo", enable=False)
        enable(self.story)
        self.story.write("mine.txt", "mine\n")
        self.story.commit("Enable entire", env=PERSON)
        path = self.story.root / ".git/hooks/pre-commit"
        path.write_text(SLOW.format(folder=folder))
        path.chmod(0o755)
        self.session = self.story.started()
        self.session.prompt("one")
        self.session.write("a.txt", "a\n")

    @contextmanager
    def stopping(self, session: Session) -> Iterator[None]:
        """Let a session's turn end, and its commit wait in the hook."""
        (self.folder / "pause").touch()
        session.answer({"type": "text", "text": "Done."})
        payload = {"session_id": session.id, "transcript_path": str(session.file), "cwd": str(session.cwd),
                   "hook_event_name": "stop", "prompt_id": session.prompt_id, "last_assistant_message": "Done.",
                   "stop_hook_active": False}  # fmt: skip
        child = subprocess.Popen([str(BIN / "entire"), "hooks", "claude-code", "stop"], cwd=self.story.root,
                                 env=self.story.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)  # fmt: skip
        assert child.stdin is not None
        child.stdin.write(json.dumps(payload).encode())
        child.stdin.close()
        child.stdin = None
        self.wait_for(lambda: (self.folder / "running").exists() or child.poll() is not None)
        try:
            assert child.poll() is None, "it did not wait for the hook"
            (self.folder / "running").unlink()
            yield
        finally:
            self.go()
            _, err = child.communicate(timeout=PATIENCE)
        assert (child.returncode, err) == (0, b"")

    def go(self) -> None:
        (self.folder / "go").touch()
        self.wait_for(lambda: not (self.folder / "go").exists())

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def uncommitted(self, session: Session) -> str:
        path = self.story.root / ".git/entire/sessions" / f"{session.id}.json"
        return str(json.loads(path.read_text())["uncommitted"])

    def subjects(self) -> list[str]:
        return self.story.git("log", "--format=%s").splitlines()

    def check(self, head: list[str], staged: str, status: str) -> None:
        """Check what is committed, and that nothing of ours is left behind."""
        assert self.subjects()[: len(head)] == head
        assert self.story.git("diff", "--cached", "--name-status") == staged
        assert self.story.git("status", "--porcelain", "-uall") == status
        assert self.story.git("fsck", "--connectivity-only", "--no-dangling") == ""
        assert not (self.story.root / ".git/index.lock").exists()
        assert not (self.story.root / ".git/entire/pending.json").exists()
        assert list((self.story.root / ".git/entire/commit").iterdir()) == []
        assert self.story.log_errors() == []


@pytest.fixture
def slow(tmp_path: Path) -> Slow:
    return Slow(tmp_path)


def test_a_person_stages_other_files(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.write("mine.txt", "staged\n")
        slow.story.write("new.txt", "new\n")
        slow.story.git("add", "mine.txt", "new.txt")
        before = slow.story.git("ls-files", "-s", "mine.txt", "new.txt")
        slow.story.write("mine.txt", "typed\n")
    assert slow.story.git("ls-files", "-s", "mine.txt", "new.txt") == before
    slow.check(["One", "Enable entire"], "M\tmine.txt\nA\tnew.txt\n", "MM mine.txt\nA  new.txt\n")
    assert slow.story.git("show", "--format=", "--name-only") == "a.txt\n"
    assert slow.story.read("mine.txt") == "typed\n"


def test_a_person_stages_other_content_of_the_sessions_file(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.write("a.txt", "a\nperson\n")
        slow.story.git("add", "a.txt")
    slow.check(["Enable entire"], "A\ta.txt\n", "A  a.txt\n")
    assert slow.story.git("show", ":a.txt") == "a\nperson\n"
    assert slow.uncommitted(slow.session) == "a.txt was changed while the pre-commit hook ran"


def test_a_person_stages_part_of_the_sessions_file(slow: Slow) -> None:
    with slow.stopping(slow.session):
        blob = slow.story.git("hash-object", "-w", "--stdin", stdin="part\n").strip()
        slow.story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a.txt")
    slow.check(["Enable entire"], "A\ta.txt\n", "AM a.txt\n")
    assert slow.story.git("show", ":a.txt") == "part\n"
    assert slow.uncommitted(slow.session) == "a.txt (other content of it is staged)"


def test_a_person_commits(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.write("mine.txt", "by hand\n")
        slow.story.git("commit", "-q", "-m", "By hand", "mine.txt", env=PERSON)
    slow.check(["By hand", "Enable entire"], "", "?? a.txt\n")
    assert slow.uncommitted(slow.session) == "HEAD has moved while the hooks ran"
    with slow.session.turn("two"):
        slow.session.write("b.txt", "b\n")
    slow.check(["Two", "By hand", "Enable entire"], "", "")
    assert slow.uncommitted(slow.session) == ""


def test_a_person_commits_the_same_content(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.commit("By hand", env=PERSON)
    slow.check(["By hand", "Enable entire"], "", "")
    assert slow.story.linked()["files_touched"] == ["a.txt"]
    with slow.session.turn("two"):
        slow.session.write("b.txt", "b\n")
    slow.check(["Two", "By hand"], "", "")


def test_a_person_switches_to_another_commit(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.git("checkout", "-q", "-b", "other", "HEAD^")
        before = slow.story.head()
    assert slow.story.head() == before
    assert slow.uncommitted(slow.session) == "HEAD has moved while the hooks ran"
    assert slow.story.git("log", "--format=%s", "main").splitlines() == ["Enable entire", "init"]
    assert slow.story.read("a.txt") == "a\n"


def test_a_person_switches_to_another_branch_at_the_same_commit(slow: Slow) -> None:
    before = slow.story.head()
    with slow.stopping(slow.session):
        slow.story.git("checkout", "-q", "-b", "other")
    assert slow.story.git("rev-parse", "main", "other").split() == [before, before]
    assert slow.uncommitted(slow.session) == "HEAD has moved while the hooks ran"


def test_a_person_starts_a_rebase(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.story.git("rebase", "-q", "-i", "HEAD^", env={"GIT_SEQUENCE_EDITOR": "sed -i -e 1ibreak", **PERSON})
        before = slow.story.head()
    assert slow.story.head() == before
    assert slow.uncommitted(slow.session)
    slow.story.git("rebase", "--continue", env={"GIT_EDITOR": "true", **PERSON})
    slow.check(["Enable entire", "init"], "", "?? a.txt\n")


def test_another_session_works_meanwhile(slow: Slow) -> None:
    """Our lock is not held while the hooks run: the other session's hooks do not wait for them."""
    other = slow.story.started()
    with slow.stopping(slow.session):
        began = time.monotonic()
        with other.turn("other"):
            other.write("b.txt", "b\n")
        assert time.monotonic() - began < 15
    slow.check(["Other", "Enable entire"], "", "?? a.txt\n")
    assert slow.story.linked()["files_touched"] == ["b.txt"]
    assert slow.uncommitted(slow.session) == "HEAD has moved while the hooks ran"
    with slow.session.turn("two"):
        pass
    slow.check(["Two", "Other"], "", "")
    assert slow.story.linked()["files_touched"] == ["a.txt"]


def test_another_turn_that_is_not_committed_ends_meanwhile(slow: Slow) -> None:
    """Each commit is prepared in a folder of its own."""
    other = slow.story.started()
    other.prompt("other")
    other.write("b.txt", "b\n")
    with slow.stopping(slow.session):
        slow.story.write("mine.txt", "staged\n")
        slow.story.git("add", "mine.txt")
        (slow.folder / "fail").touch()
        other.stop()
        assert slow.uncommitted(other) == "the pre-commit hook failed with status 1"
    assert slow.uncommitted(slow.session) == ""
    slow.check(["One", "Enable entire"], "M\tmine.txt\n", "M  mine.txt\n?? b.txt\n")
    assert slow.story.git("show", "--format=", "--name-only") == "a.txt\n"


def test_what_another_session_is_writing_waits_for_its_own_turn(slow: Slow) -> None:
    other, story = slow.story.started(), slow.story
    other.prompt("other")
    other.write("b.txt", "b\n")
    slow.session.write("mine.txt", "by the first\n")
    slow.session.stop()
    slow.check(["One", "Enable entire"], "", "?? b.txt\n")
    assert story.linked()["files_touched"] == ["a.txt", "mine.txt"]
    assert slow.uncommitted(slow.session) == ""
    other.write("c.txt", "c\n")
    other.stop()
    slow.check(["Other", "One"], "", "")
    slots = [story.linked(commit)["slots"] for commit in ("HEAD^", "HEAD")]
    assert [list(found) for found in slots] == [[slow.session.id], [other.id]]
    assert slots[1][other.id]["files_touched"] == ["b.txt", "c.txt"]
    for session, found in zip((slow.session, other), slots, strict=True):
        assert found[session.id]["token_usage"]["input_tokens"] == 2**session.answers - 1


def test_a_file_of_a_turn_that_another_session_has_rewritten_waits_for_that_ones_turn(slow: Slow) -> None:
    other, story = slow.story.started(), slow.story
    slow.session.write("mine.txt", "mine\nby the first\n")
    other.prompt("other")
    other.write("mine.txt", "mine\nby the other\n")
    other.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input={"prompt": "help"})  # a snapshot
    slow.session.stop()
    slow.check(["One", "Enable entire"], "", " M mine.txt\n")
    assert story.linked()["files_touched"] == ["a.txt"]
    other.stop()
    slow.check(["Other", "One"], "", "")
    assert {name: slot["files_touched"] for name, slot in story.linked()["slots"].items()} == {other.id: ["mine.txt"]}


GPG = """#!/bin/sh
cat >/dev/null
echo staged >{root}/mine.txt
git -C {root} add mine.txt
printf '\n[GNUPG:] SIG_CREATED \n' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nnone\n-----END PGP SIGNATURE-----\n'
"""


def test_a_person_stages_while_the_commit_is_signed(slow: Slow) -> None:
    gpg = slow.folder / "gpg"
    gpg.write_text(GPG.format(root=slow.story.root))
    gpg.chmod(0o755)
    slow.story.git("config", "gpg.program", str(gpg))
    slow.story.git("config", "commit.gpgSign", "true")
    slow.session.stop()
    slow.check(["One", "Enable entire"], "M\tmine.txt\n", "M  mine.txt\n")
    assert "gpgsig" in slow.story.git("cat-file", "commit", "HEAD")


def test_the_sessions_next_prompt_comes(slow: Slow) -> None:
    with slow.stopping(slow.session):
        slow.session.prompt("two")
    assert slow.subjects()[0] == "Enable entire"
    assert slow.uncommitted(slow.session) == "the next turn began while the hooks ran"
    slow.session.write("b.txt", "b\n")
    slow.session.stop()
    slow.check(["Two", "Enable entire"], "", "")
    assert slow.story.git("show", "--format=", "--name-only").split() == ["a.txt", "b.txt"]
    slots = slow.story.linked()["slots"]
    assert slots[slow.session.id]["token_usage"]["input_tokens"] == 2**slow.session.answers - 1


def test_a_person_writes_the_message_of_a_commit(slow: Slow) -> None:
    """Their commit would fail if HEAD moved under it, and what was decided about it must not be lost."""
    editor = slow.folder / "editor"
    editor.write_text(SLOW.format(folder=slow.folder).replace("/pause", "/write") + 'echo "By hand" >"$1"\n')
    editor.chmod(0o755)
    (slow.folder / "write").touch()
    slow.story.write("mine.txt", "by hand\n")
    slow.story.git("add", "mine.txt")
    child = subprocess.Popen(["git", "commit", "-q"], cwd=slow.story.root,
                             env={**slow.story.env, **PERSON, "GIT_EDITOR": str(editor)})  # fmt: skip
    slow.wait_for(lambda: (slow.folder / "running").exists())
    slow.session.stop()
    assert slow.uncommitted(slow.session) == "another commit is being made"
    slow.go()
    assert child.wait(PATIENCE) == 0
    slow.check(["By hand", "Enable entire"], "", "?? a.txt\n")
