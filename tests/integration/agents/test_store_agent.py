"""Conversations in a database go back, come back and go on elsewhere, by commands of their agent."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from entire.model.positions import SessionRef
from entire.undo import commands
from tests import faults
from tests.integration import store_agent
from tests.integration.story import Story

SESSION = "store-session"
SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"


class Store:
    """A repository and the database beside it, with one session."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
        self.story = story
        self.database = story.root.parent / "agent.db"
        self.ref = SessionRef.of_rows(str(self.database), SESSION)
        self._capsys = capsys

    def content(self) -> bytes:
        return store_agent.read(self.ref)

    def put(self, content: bytes) -> None:
        subprocess.run([sys.executable, store_agent.PROGRAM, "put", self.database, SESSION], input=content, check=True)

    def say(self, **record: object) -> None:
        self.put(self.content() + json.dumps(record).encode() + b"\n")

    def hook(self, verb: str, **more: object) -> None:
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(
            io.BytesIO(json.dumps({"session_id": SESSION, "session_ref": self.ref, **more}).encode())
        )
        try:
            assert self.story.entire("hooks", "bare", verb) == 0
        finally:
            sys.stdin = before

    def turn(self, prompt: str, name: str, text: str) -> None:
        self.hook("turn-start", prompt=prompt)
        self.say(prompt=prompt)
        self.story.write(name, text)
        self.say(file=name)
        self.say(answer=f"Did: {prompt}")
        self.hook("turn-end")

    def play(self) -> None:
        self.hook("session-start")
        self.turn(f"Create one.txt with {SECRET}", "one.txt", "1\n")
        self.turn("Create two.txt", "two.txt", "2\n")

    def commit(self, message: str) -> None:
        self.story.git("add", "-A", "--", "*.txt")
        file = self.story.root / ".git/MESSAGE"
        file.write_text(message + "\n")
        assert self.story.entire("hooks", "git", "prepare-commit-msg", ".git/MESSAGE", "message") == 0
        self.story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", ".git/MESSAGE")
        assert self.story.entire("hooks", "git", "post-commit") == 0

    def run(self, *args: str) -> tuple[int, str, str]:
        """Run a command; return its status and what it printed to both streams."""
        self._capsys.readouterr()
        status = self.story.entire(*args)
        out, err = self._capsys.readouterr()
        return status, out, err

    def ok(self, *args: str) -> str:
        status, out, err = self.run(*args)
        assert (status, err) == (0, ""), (args, status, err)
        return out

    def json(self, *args: str) -> Any:
        return json.loads(self.ok(*args, "--json"))

    def point(self, prompt: str) -> str:
        """Return the point at the end of the turn with a prompt that starts so."""
        found = [point["id"] for point in json.loads(self.ok("rewind", "--list")) if point["prompt"].startswith(prompt)]
        return str(found[0])

    def look(self) -> tuple[bytes, list[str], str]:
        names = sorted(path.name for path in self.story.root.glob("*.txt"))
        return self.content(), names, self.story.git("status", "--porcelain")


@pytest.fixture
def store(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Store:
    monkeypatch.setitem(registry.BUILTIN, "bare", store_agent.entry())
    found = Store(story, capsys)
    found.play()
    return found


def first_turn(content: bytes) -> bytes:
    return b"".join(content.splitlines(keepends=True)[:3])


def test_a_reference_to_nothing_never_replaces_one_to_a_conversation(store: Store) -> None:
    elsewhere = SessionRef.of_rows(str(store.database), "nothing")
    store.hook("turn-start", prompt="Create three.txt", session_ref=elsewhere)
    store.say(prompt="Create three.txt")
    store.story.write("three.txt", "3\n")
    store.hook("turn-end", session_ref=elsewhere)
    store.commit("All")
    assert store.story.linked()["slots"][SESSION]["transcript"].count("prompt") == 3


def test_its_reference_is_kept_as_it_is(store: Store) -> None:
    for folder in ("entire/sessions", "entire-sessions"):
        state = json.loads(store.story.path(f".git/{folder}/{SESSION}.json").read_text())
        assert state["transcript_path"] == f"rows:{store.database}#{SESSION}"


def test_two_new_messages_cost_kilobytes(store: Store) -> None:
    store.say(note=os.urandom(1 << 20).hex())
    store.turn("Create three.txt", "three.txt", "3\n")
    before = _size(store.story.path(".git/objects"))
    store.turn("Create four.txt", "four.txt", "4\n")
    store.commit("All")
    assert _size(store.story.path(".git/objects")) - before < 60_000
    assert store.story.linked()["slots"][SESSION]["transcript"].encode() == store.content().replace(
        SECRET.encode(), b"[REDACTED:github-token]"
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------- back and forth


def test_a_conversation_goes_back_with_the_files_and_returns(store: Store) -> None:
    before = store.look()
    assert "cut back" in store.ok("rewind", "--to", store.point("Create one.txt"))
    after = store.look()
    assert after[:2] == (first_turn(before[0]), ["one.txt"])
    assert SECRET.encode() in after[0]
    store.ok("rewind", "--undo", "--yes")
    assert store.look() == before
    store.ok("rewind", "--undo", "--yes")
    assert store.look() == after
    assert store.story.log_errors() == []


def test_a_later_point_comes_back_with_its_secrets(store: Store) -> None:
    """The steps hold it redacted; the undo point of the first rewind has it as it was."""
    before, later = store.look(), store.point("Create two.txt")
    store.ok("rewind", "--to", store.point("Create one.txt"))
    store.ok("rewind", "--to", later)
    assert store.look()[:2] == before[:2]


def test_before_the_first_prompt_there_is_no_conversation(store: Store) -> None:
    before = store.look()
    turns = json.loads(store.ok("rewind", "--list"))
    start = next(point["before_prompt"] for point in turns if point["prompt"].startswith("Create one.txt"))
    assert "removed" in store.ok("rewind", "--to", start)
    assert store.look()[:2] == (b"", [])
    store.ok("rewind", "--undo", "--yes")
    assert store.look() == before


def test_it_goes_on_after_a_rewind(store: Store) -> None:
    store.ok("rewind", "--to", store.point("Create one.txt"))
    store.turn("Create three.txt", "three.txt", "3\n")
    store.commit("One and three")
    slot = store.story.linked()["slots"][SESSION]
    assert [prompt.partition(" with ")[0] for prompt in slot["prompts"]] == ["Create one.txt", "Create three.txt"]
    assert slot["transcript"].encode().count(b"\n") == 6
    assert slot["files_touched"] == ["one.txt", "three.txt"]


def test_an_undo_refuses_to_lose_what_was_said_since(store: Store) -> None:
    store.ok("rewind", "--to", store.point("Create one.txt"))
    store.say(prompt="Something else")
    before = store.look()
    status, out, err = store.run("rewind", "--undo", "--yes")
    assert (status, out) == (1, "")
    assert f"session {SESSION} has continued since; nothing was changed" in err
    assert store.look() == before


def test_a_program_that_fails_changes_nothing(store: Store) -> None:
    before, point = store.look(), store.point("Create one.txt")
    Path(f"{store.database}.broken").touch()
    status, out, err = store.run("rewind", "--to", point)
    assert (status, out) == (1, "")
    assert "exited with status 1: database disk image is malformed; everything is as before" in err
    assert store.look() == before
    os.unlink(f"{store.database}.broken")
    store.ok("rewind", "--to", point)
    assert store.look()[0] == first_turn(before[0])


def test_doctor_finishes_what_was_killed(store: Store) -> None:
    before = store.content()
    store.ok("rewind", "--to", store.point("Create one.txt"))
    (done,) = store.story.path(".git/entire/undo").glob("2*")
    (done / "commands/1.next").rename(done / "commands/0.begun")
    done.with_name(done.name + ".applying").touch()
    store.put(before)
    assert "was interrupted" in store.run("doctor")[1]
    store.run("doctor", "--force")
    assert store.content() == first_turn(before)
    assert "was interrupted" not in store.run("doctor")[1]


def test_doctor_names_what_could_not_be_taken_back(store: Store) -> None:
    point = store.point("Create one.txt")
    store.ok("rewind", "--to", point)
    (done,) = store.story.path(".git/entire/undo").glob("2*")
    done.with_name(done.name + ".back").touch()
    Path(f"{store.database}.broken").touch()
    assert "database disk image is malformed" in store.run("rewind", "--to", point, "--preview")[2]
    assert store.ok("rewind", "--to", point, "--preview")
    _, out, _ = store.run("doctor")
    assert "was interrupted and rolled back, but" in out
    assert "database disk image is malformed" in out
    store.run("clean", "--all", "--force")
    assert "malformed" not in store.run("doctor")[1]


def test_a_rewind_that_is_killed_anywhere_is_whole(store: Store, tmp_path: Path) -> None:
    """Before each fourth call that changes something, in the whole command."""
    point, before = store.point("Create one.txt"), store.look()[:2]
    kept = tmp_path / "kept"
    shutil.copytree(store.story.root, kept / "root", symlinks=True)
    shutil.copy(store.database, kept / "agent.db")
    found, count = [], 0
    while faults.killed(count, lambda _: store.story.entire("rewind", "--to", point), lambda: None):
        store.run("rewind", "--to", point, "--preview")
        found.append(store.look()[:2])
        assert found[-1] in (before, (first_turn(before[0]), ["one.txt"])), count
        shutil.rmtree(store.story.root)
        shutil.copytree(kept / "root", store.story.root, symlinks=True)
        shutil.copy(kept / "agent.db", store.database)
        count += 4
    assert found.count(before) > 3
    assert len(found) - found.count(before) > 3


def test_a_rewind_that_was_killed_while_the_program_ran_is_finished(store: Store) -> None:
    point = store.point("Create one.txt")
    pid = os.fork()
    if not pid:
        try:
            commands.CommandRunner._run = lambda *_: os._exit(faults.KILLED)  # type: ignore[method-assign]
            store.story.entire("rewind", "--to", point)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == faults.KILLED
    whole = store.content()
    assert store.look()[1] == ["one.txt"]
    assert len(whole.splitlines()) == 6
    status, _, err = store.run("rewind", "--to", point, "--preview")
    assert (status, err.splitlines()[0].endswith("was interrupted and has now been finished")) == (0, True)
    assert store.content() == first_turn(whole)
    store.ok("rewind", "--undo", "--yes")
    assert store.look()[:2] == (whole, ["one.txt", "two.txt"])


# ---------------------------------------------------------------- resume


def test_a_stored_session_goes_on_where_the_database_is_lost(store: Store) -> None:
    store.commit("Both")
    before = store.content()
    store.database.unlink()
    assert f"store --resume {SESSION}" in store.ok("resume")
    assert store.content() == before.replace(SECRET.encode(), b"[REDACTED:github-token]")
    assert store.ok("resume", "--undo").startswith(f"Restored the previous transcripts: {SESSION}.")
    assert store.content() == b""
    store.ok("resume", "--undo")
    assert len(store.content().splitlines()) == 6


def test_a_program_that_fails_resumes_nothing(store: Store) -> None:
    store.commit("Both")
    store.database.unlink()
    Path(f"{store.database}.broken").touch()
    status, _, err = store.run("resume")
    assert status == 1
    assert "database disk image is malformed; everything is as before" in err
    assert store.content() == b""


def test_a_program_that_fails_after_a_switch_does_not_claim_that_nothing_changed(store: Store) -> None:
    store.story.git("switch", "-q", "-c", "feature")
    store.commit("Both")
    store.story.git("switch", "-q", "-")
    store.database.unlink()
    Path(f"{store.database}.broken").touch()
    status, _, err = store.run("resume", "feature")
    assert status == 1
    assert "everything is as before, but feature is checked out" in err
    assert store.story.git("branch", "--show-current").strip() == "feature"


# ---------------------------------------------------------------- what cannot be put back


@pytest.fixture
def is_open(store: Store) -> Store:
    """The database is open, and the agent cannot change it."""
    Path(f"{store.database}.open").touch()
    return store


PROBLEM = "cannot be put back: its database is open"


def test_a_preview_says_what_cannot_be_put_back(is_open: Store) -> None:
    before, point = is_open.look(), is_open.point("Create one.txt")
    assert f"{PROBLEM}; it stays as it is" in is_open.ok("rewind", "--to", point, "--preview")
    (conversation,) = is_open.json("rewind", "--to", point, "--preview")["conversations"]
    assert (conversation["what"], conversation["problem"]) == ("unchanged", PROBLEM)
    assert is_open.look() == before


def test_files_go_back_without_it_only_if_the_user_says_so(is_open: Store) -> None:
    before, point = is_open.look(), is_open.point("Create one.txt")
    status, out, err = is_open.run("rewind", "--to", point)
    assert (status, out) == (1, "")
    assert f"session {SESSION} {PROBLEM}; nothing was changed" in err
    assert "--yes" in err
    assert is_open.look() == before
    status, out, err = is_open.run("rewind", "--to", point, "--yes")
    assert (status, err) == (0, f"session {SESSION} {PROBLEM}\n")
    assert PROBLEM in out
    assert is_open.look()[:2] == (before[0], ["one.txt"])
    is_open.ok("rewind", "--undo", "--yes")
    assert is_open.look() == before


@pytest.mark.parametrize(("answer", "names"), [("n", ["one.txt", "two.txt"]), ("y", ["one.txt"])])
def test_a_person_sees_it_before_the_question(
    is_open: Store, monkeypatch: pytest.MonkeyPatch, answer: str, names: list[str]
) -> None:
    before = is_open.content()
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"3\nboth\n{answer}\n"))
    status, _, err = is_open.run("rewind")
    assert (status, is_open.look()[:2]) == (0, (before, names))
    assert 0 < err.index(f"{PROBLEM}; it stays as it is") < err.index("Rewind?")


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_a_rewind_of_the_conversation_alone_is_refused(is_open: Store, more: tuple[str, ...]) -> None:
    before, point = is_open.look(), is_open.point("Create one.txt")
    status, out, err = is_open.run("rewind", "--to", point, "--logs-only", *more)
    assert (status, out) == (1, "")
    assert f"{PROBLEM}; nothing was changed" in err
    assert is_open.look() == before


def test_the_turns_stay_known_if_the_conversation_stays(is_open: Store) -> None:
    is_open.run("rewind", "--to", is_open.point("Create one.txt"), "--yes")
    os.unlink(f"{is_open.database}.open")
    is_open.turn("Create three.txt", "three.txt", "3\n")
    is_open.commit("One and three")
    prompts = is_open.story.linked()["slots"][SESSION]["prompts"]
    assert len(prompts) == 3


def test_another_conversation_goes_back_without_it(is_open: Store) -> None:
    other = is_open.story.session()
    with other.turn("Create four.txt"):
        other.write("four.txt", "4\n")
    is_open.commit("All")
    commit, whole = is_open.story.head(), is_open.content()
    with other.turn("Create five.txt"):
        other.write("five.txt", "5\n")
    is_open.turn("Create six.txt", "six.txt", "6\n")
    later = other.file.read_bytes()
    status, out, err = is_open.run("rewind", "--to", commit, "--yes")
    assert (status, err) == (0, f"session {SESSION} {PROBLEM}\n")
    assert f"{PROBLEM}; it stays as it is" in out
    assert (b"five" in other.file.read_bytes(), is_open.content().startswith(whole)) == (False, True)
    assert b"six" in is_open.content()
    is_open.ok("rewind", "--undo", "--yes")
    assert other.file.read_bytes() == later


def test_resume_refuses_if_nothing_can_be_put_back(is_open: Store) -> None:
    is_open.commit("Both")
    is_open.database.unlink()
    status, out, err = is_open.run("resume")
    assert (status, out) == (1, "")
    assert f"session {SESSION}: {PROBLEM}" in err


def test_resume_names_what_cannot_be_put_back(is_open: Store) -> None:
    """Another session of the same commit goes on."""
    other = is_open.story.session()
    with other.turn("Create four.txt"):
        other.write("four.txt", "4\n")
    is_open.commit("All")
    is_open.database.unlink()
    other.file.unlink()
    status, out, err = is_open.run("resume", "--json")
    assert (status, err) == (0, f"session {SESSION}: {PROBLEM}\n")
    (found,) = json.loads(out)["sessions"]
    assert [session["reason"] for session in json.loads(out)["skipped"]] == [PROBLEM]
    assert found["session_id"] == other.id
    assert Path(found["path"]).exists()
    assert f"Skipped session {SESSION}: {PROBLEM}" in is_open.run("resume")[1]
