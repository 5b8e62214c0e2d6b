"""Sessions go on in another clone, under another home and another path, or where they were."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire.directory import AgentDirectory
from entire.layout import METADATA_BRANCH
from entire.model.ids import CheckpointId
from tests import forks
from tests.forks import BIN
from tests.integration.kept import PERSON, answers, tokens
from tests.integration.story import Session, Story

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
pytestmark = pytest.mark.usefixtures("answers_nothing")


class Clone(Story):
    """A second clone: its own home, its own path, the hooks installed, nothing fetched but what a clone fetches."""

    def __init__(self, origin: Path, root: Path, home: Path, *, args: tuple[str, ...] = ()) -> None:
        self.root = root
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text((Path(os.environ["HOME"]) / ".gitconfig").read_text())
        self.env = {**os.environ, "PATH": forks.path(), "ENTIRE_LOG_LEVEL": "debug",
                    "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}  # fmt: skip
        root.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", *args, str(origin), str(root)], check=True, env=self.env)
        self.projects = Path(self.folder())
        assert self.entire("enable", "--agent", "claude-code") == 0

    def folder(self) -> str:
        agent: Any = AgentDirectory.without_plugins().make("claude-code")
        agent._env = {"HOME": str(self.home)}
        before = os.environ["HOME"]
        os.environ["HOME"] = str(self.home)
        try:
            return str(agent.session_dir(str(self.root)))
        finally:
            os.environ["HOME"] = before

    def entire(self, *args: str, cwd: Path | None = None) -> int:
        before = {name: os.environ.get(name) for name in ("HOME", "XDG_CONFIG_HOME")}
        os.environ.update({"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")})
        try:
            return super().entire(*args, cwd=cwd)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def again(self, session: Session) -> Session:
        """Return the session as its agent continues it here."""
        found = self.session(session.id)
        last = json.loads(found.file.read_text().splitlines()[-1])
        found.parent, found.answers = last["uuid"], session.answers
        return found


@pytest.fixture
def answers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody be there to answer: standard input is not a terminal."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


@pytest.fixture
def origin(tmp_path: Path, story: Story) -> Path:
    bare = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    story.git("remote", "add", "origin", str(bare))
    story.git("push", "-q", "-u", "origin", "main")
    return bare


def push(story: Story, *branches: str) -> None:
    story.git("push", "-q", "--no-verify", "origin", "entire/checkpoints/v1", *branches)


@pytest.fixture
def second(tmp_path: Path) -> Any:
    return lambda origin, *args: Clone(origin, tmp_path / "deep" / "other place", tmp_path / "home of bob", args=args)


def work(story: Story, name: str = "hello.py", *, branch: str = "") -> Session:
    """Let a session write a file in one turn, and a person commit it."""
    if branch:
        story.git("switch", "-q", "-c", branch)
    session = story.session()
    session.start()
    with session.turn(f"Create {name}, the key is {SECRET}"):
        session.write(name, "print(1)\n")
    story.commit(f"Add {name}", env=PERSON)
    return session


def resumed(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    capsys.readouterr()
    assert story.entire("resume", *args, "--json") == 0, capsys.readouterr().err
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


def failed(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert story.entire("resume", *args) == 1
    found = capsys.readouterr()
    assert found.out == ""
    return found.err


def said(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert story.entire("resume", *args) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def whats(value: dict[str, Any]) -> dict[str, str]:
    return {session["session_id"]: session["what"] for session in value["sessions"]}


# ---------------------------------------------------------------- in a second clone


def test_a_second_clone_goes_on_and_counts_only_what_is_new(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story, branch="feature")
    push(story, "feature")
    clone = second(origin)
    out = said(clone, capsys, "feature")
    assert f"Session: {mine.id}\n" in out
    assert f"    claude -r {mine.id}\n" in out
    assert clone.git("branch", "--show-current") == "feature\n"
    assert clone.git("rev-parse", "--abbrev-ref", "feature@{upstream}") == "origin/feature\n"
    again = clone.again(mine)
    assert again.file.stat().st_mode & 0o777 == 0o600
    assert again.file.read_text() == mine.file.read_text().replace(SECRET, "[REDACTED:github-token]")
    assert again.file.parent != mine.file.parent

    old = clone.linked()["slots"] if clone.git("branch", "--list", "entire/checkpoints/v1") else {}
    assert not old  # the local checkpoints branch was not made for reading
    again.hook("session-start", source="resume")
    with again.turn("Say goodbye too"):
        again.edit("hello.py", "print(1)\n", "print(1)\nprint(2)\n")
    clone.commit("Say goodbye", env=PERSON)
    record = clone.linked()["slots"][mine.id]
    assert tokens(record) == answers(2, 3)
    assert record["prompts"] == ["Create hello.py, the key is [REDACTED:github-token]", "Say goodbye too"]
    turns = clone.linked()["lineage"]["turns"][mine.id]
    assert turns[0]["turn"] == story.linked()["lineage"]["turns"][mine.id][0]["turn"]
    assert turns[0]["token_usage"] == story.linked()["lineage"]["turns"][mine.id][0]["token_usage"]
    assert turns[0]["prompt_position"] == 0
    assert record["checkpoint_transcript_start"] == turns[1]["prompt_position"] > 0
    assert record["initial_attribution"]["agent_lines"] == 1
    assert clone.log_errors() == []


def test_and_back_in_the_first_clone(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first machine's transcript, secrets included, is continued by what the second one added."""
    mine = work(story, branch="feature")
    push(story, "feature")
    clone = second(origin)
    said(clone, capsys, "feature")
    again = clone.again(mine)
    with again.turn("Say goodbye too"):
        again.edit("hello.py", "print(1)\n", "print(1)\nprint(2)\n")
    clone.commit("Say goodbye", env=PERSON)
    clone.git("push", "-q", "--no-verify", "origin", "entire/checkpoints/v1:entire/checkpoints/v1", "feature")

    story.git("pull", "-q", "origin", "feature")
    before = mine.file.read_text()
    value = resumed(story, capsys)
    assert whats(value) == {mine.id: "written"}
    text = mine.file.read_text()
    assert text.startswith(before)
    assert SECRET in text
    assert text == before + again.file.read_text()[len(before.replace(SECRET, "[REDACTED:github-token]")) :]
    mine.answers, mine.parent = again.answers, again.parent
    with mine.turn("And now"):
        mine.write("third.py", "3\n")
    story.commit("Third", env=PERSON)
    record = story.linked()["slots"][mine.id]
    assert tokens(record) == answers(4, 5)
    assert len(record["prompts"]) == 3


def test_only_the_checkpoints_are_fetched(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = second(origin)
    mine = work(story)
    push(story, "main")
    story.git("push", "-q", "--no-verify", "origin", "main:other")
    clone.git("fetch", "-q", "origin", "main")
    clone.git("merge", "-q", "--ff-only", "FETCH_HEAD")
    assert whats(resumed(clone, capsys)) == {mine.id: "written"}
    refs = clone.git("for-each-ref", "--format=%(refname)", "refs/remotes").split()
    assert "refs/remotes/origin/entire/checkpoints/v1" in refs
    assert "refs/remotes/origin/other" not in refs


def test_a_branch_that_is_on_the_remote_only(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = second(origin)
    mine = work(story, branch="fix/late one".replace(" ", "-"))
    push(story, "fix/late-one")
    value = resumed(clone, capsys, "fix/late-one")
    assert (value["branch"], value["switched"], whats(value)) == ("fix/late-one", True, {mine.id: "written"})
    assert clone.read("hello.py") == "print(1)\n"


@pytest.mark.parametrize("kind", ["commit", "checkpoint", "checkpoint prefix", "session", "session prefix"])
def test_every_kind_of_name(
    kind: str, story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story)
    push(story, "main")
    clone = second(origin, "--single-branch")
    target = {
        "commit": story.head()[:9],
        "checkpoint": story.ids()[0],
        "checkpoint prefix": story.ids()[0][:6],
        "session": mine.id,
        "session prefix": mine.id[:8],
    }[kind]
    value = resumed(clone, capsys, target)
    assert not value["switched"]
    (session,) = value["sessions"]
    assert session == {
        "session_id": mine.id, "agent": "Claude Code", "checkpoint_id": story.ids()[0],
        "path": str(clone.projects / f"{mine.id}.jsonl"), "command": f"claude -r {mine.id}", "what": "written",
        "kept": False, "is_newer": False, "prompt": "Create hello.py, the key is [REDACTED:github-token]",
    }  # fmt: skip
    assert Path(session["path"]).is_file()


def test_offline_it_says_what_it_could_not_ask(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    work(story)
    story.git("push", "-q", "--no-verify", "origin", "main")
    clone = second(origin)
    missing = story.ids()[0]
    err = failed(clone, capsys)
    assert f"checkpoint {missing} is not stored here" in err
    assert "it is not on origin either" in err
    os.rename(origin, origin.with_name("gone"))
    err = failed(clone, capsys)
    assert f"checkpoint {missing} is not stored here" in err
    assert "cannot reach origin: " in err
    err = failed(clone, capsys, "no-such-thing")
    assert "'no-such-thing' is not a branch, commit, checkpoint or session here" in err
    assert "cannot reach origin: " in err
    assert not list(clone.projects.glob("*"))


def test_subagents_come_too_and_are_not_counted_again(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = story.session()
    mine.start()
    helper = mine.file.with_suffix("") / "subagents" / "agent-a1b2.jsonl"
    with mine.turn("Ask a helper"):
        call = "toolu_01helper"
        mine.answer({"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": "p", "description": "d",
                                                                               "subagent_type": "x"}})  # fmt: skip
        mine.hook("pre-task", tool_use_id=call, tool_input={"prompt": "p", "description": "d", "subagent_type": "x"})
        helper.parent.mkdir(parents=True)
        helper.write_text(json.dumps({
            "type": "assistant", "uuid": "u1", "isSidechain": True, "agentId": "a1b2", "sessionId": mine.id,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"id": "msg_h1", "role": "assistant", "content": [{"type": "text", "text": f"key {SECRET}"}],
                        "usage": {"input_tokens": 1000, "output_tokens": 1}}}) + "\n")  # fmt: skip
        mine.record("user", message={"role": "user", "content": [
            {"tool_use_id": call, "type": "tool_result", "content": "done"}]},
            toolUseResult={"agentId": "a1b2", "status": "completed", "content": []})  # fmt: skip
        mine.hook("post-task", tool_use_id=call, tool_input={}, tool_response={"agentId": "a1b2"})
        mine.write("x.py", "1\n")
    story.commit("With help", env=PERSON)
    assert story.linked()["slots"][mine.id]["token_usage"]["subagent_tokens"]["input_tokens"] == 1000
    push(story, "main")
    clone = second(origin)
    assert whats(resumed(clone, capsys)) == {mine.id: "written"}
    there = clone.projects / mine.id / "subagents" / "agent-a1b2.jsonl"
    assert there.read_text() == helper.read_text().replace(SECRET, "[REDACTED:github-token]")
    again = clone.again(mine)
    with again.turn("Ask it again"):
        again.record("user", message={"role": "user", "content": [
            {"tool_use_id": "toolu_02", "type": "tool_result", "content": "done"}]},
            toolUseResult={"agentId": "a1b2", "status": "completed", "content": []})  # fmt: skip
        again.write("y.py", "2\n")
    clone.commit("More", env=PERSON)
    assert "subagent_tokens" not in clone.linked()["slots"][mine.id]["token_usage"]


# ---------------------------------------------------------------- several sessions, several checkpoints


def test_two_sessions_in_one_checkpoint(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    first, other = story.session(), story.session()
    for number, session in enumerate((first, other)):
        session.start()
        with session.turn(f"Write {number}"):
            session.write(f"{number}.py", "x\n")
    story.commit("Both", env=PERSON)
    push(story, "main")
    clone = second(origin)
    out = said(clone, capsys, "main")
    assert "Restoring 2 sessions\n" in out
    assert out.index(f"Session: {first.id}\n") < out.index(f"Session: {other.id}\n")
    assert out.count("claude -r ") == 2
    assert said(clone, capsys, "main").count("transcript already here") == 2


def test_a_squash_has_several_checkpoints_and_each_session_its_latest_transcript(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story, branch="feature")
    with mine.turn("More"):
        mine.write("more.py", "2\n")
    story.commit("More", env=PERSON)
    other = work(story, "other.py")
    ids = [story.ids(f"HEAD~{n}")[0] for n in (2, 1, 0)]
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    story.git(
        "commit",
        "-q",
        "-m",
        "All of it\n\n" + "".join(f"Entire-Checkpoint: {checkpoint_id}\n" for checkpoint_id in ids),
        env=PERSON,
    )
    assert story.ids() == ids
    push(story, "main")
    clone = second(origin)
    value = resumed(clone, capsys, "main")
    assert whats(value) == {mine.id: "written", other.id: "written"}
    assert [session["checkpoint_id"] for session in value["sessions"]] == ids[1:]
    text = (clone.projects / f"{mine.id}.jsonl").read_text()
    assert text.count("\n") == mine.file.read_text().count("\n")


def test_some_checkpoints_of_a_squash_are_missing(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    """An error before anything changes, with a way to continue what is stored."""
    mine = work(story, branch="feature")
    (checkpoint_id,) = story.ids()
    message = story.git("log", "-1", "--format=%B") + "Entire-Checkpoint: 00112233aabb\n"
    story.git("commit", "-q", "--amend", "-m", message, env={**PERSON, "GIT_EDITOR": "true"})
    assert "00112233aabb" in story.ids()
    story.git("switch", "-q", "main")
    local = mine.file.read_text().splitlines(keepends=True)[0]
    mine.file.write_text(local)
    err = failed(story, capsys, "feature")
    assert "checkpoint 00112233aabb is not stored here; nothing was changed" in err
    assert f"to continue without it, run `entire resume {checkpoint_id}`" in err
    assert (story.git("branch", "--show-current").strip(), mine.file.read_text()) == ("main", local)
    assert whats(resumed(story, capsys, checkpoint_id)) == {mine.id: "written"}


def test_a_checkpoint_without_its_session(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    """The checkpoint's folder is there, but the session's record in it is not."""
    work(story, branch="feature")
    (checkpoint_id,) = story.ids()
    story.git("switch", "-q", "main")
    env = {"GIT_INDEX_FILE": str(story.root / ".git/scratch-index")}
    story.git("read-tree", METADATA_BRANCH, env=env)
    story.git("rm", "-q", "-r", "--cached", f"{checkpoint_id.path}/0", env=env)
    tree = story.git("write-tree", env=env).strip()
    commit = story.git("commit-tree", tree, "-p", METADATA_BRANCH, "-m", "Damaged").strip()
    story.git("update-ref", f"refs/heads/{METADATA_BRANCH}", commit)
    assert f"checkpoint {checkpoint_id} holds no session that can be read" in failed(story, capsys, "feature")
    assert story.git("branch", "--show-current").strip() == "main"


# ---------------------------------------------------------------- which commit of a branch


def test_merges_at_the_tip_are_skipped_and_newer_commits_are_told(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story, branch="feature")
    linked = story.head()
    mine.end()
    story.git("switch", "-q", "main")
    theirs = work(story, "main.py")
    theirs.end()
    story.git("switch", "-q", "feature")
    story.git("merge", "-q", "--no-edit", "main", env=PERSON)
    assert story.git("rev-list", "--count", "--merges", "HEAD~1..HEAD").strip() == "1"
    value = resumed(story, capsys)
    assert (value["commit"], whats(value)) == (linked, {mine.id: "unchanged"})
    assert "newer commit" not in said(story, capsys)
    story.write("by-hand.txt", "x\n")
    story.commit("By hand", env=PERSON)
    expected = "1 newer commit without a checkpoint; the newest commit with a checkpoint is " + linked[:7]
    assert expected in said(story, capsys)


def test_a_branch_without_a_checkpoint_of_its_own(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = work(story)
    mine.end()
    linked = story.head()
    story.git("switch", "-q", "-c", "empty")
    story.write("by-hand.txt", "x\n")
    story.commit("By hand", env=PERSON)
    story.git("switch", "-q", "main")
    out = said(story, capsys, "empty")
    assert "No Entire checkpoint found on branch empty\n" in out
    assert linked[:10] in out
    assert story.git("branch", "--show-current") == "empty\n"
    value = resumed(story, capsys)
    assert (value["sessions"], value["branch"], value["undo_id"]) == ([], "empty", None)
    story.git("switch", "-q", "--detach")
    assert "No Entire checkpoint found on commit " in said(story, capsys)


def test_a_branch_that_was_merged_is_still_found(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = work(story, branch="feature")
    mine.end()
    story.write("by-hand.txt", "x\n")
    story.commit("By hand", env=PERSON)
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--no-ff", "--no-edit", "feature", env=PERSON)
    assert whats(resumed(story, capsys, "feature")) == {mine.id: "unchanged"}


def test_a_repository_without_a_commit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(tmp_path / "new", first_commit=False)
    assert "No Entire checkpoint found on branch main" in said(story, capsys)


# ---------------------------------------------------------------- the worktree


def test_a_dirty_tree_stays_as_it_is(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    work(story, branch="feature").end()
    story.git("switch", "-q", "main")
    story.write("README.md", "mine\n")
    head = story.head()
    err = failed(story, capsys, "feature")
    assert "uncommitted" in err
    assert "README.md" in err
    story.git("add", "README.md")
    assert "uncommitted" in failed(story, capsys, "feature")
    assert (story.head(), story.read("README.md")) == (head, "mine\n")
    assert resumed(story, capsys, "feature", "--force")["switched"]
    assert story.read("README.md") == "mine\n"
    story.git("switch", "-q", "main")
    story.git("checkout", "-q", "HEAD", "--", "README.md")
    story.write("untracked.txt", "u\n")
    assert resumed(story, capsys, "feature")["switched"]


def test_git_refuses_what_would_be_lost(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    work(story, branch="feature").end()
    story.git("switch", "-q", "main")
    story.write("hello.py", "an untracked file of mine\n")
    err = failed(story, capsys, "feature")
    assert "hello.py" in err
    assert story.git("branch", "--show-current") == "main\n"
    assert story.read("hello.py") == "an untracked file of mine\n"


def test_a_person_may_say_yes(
    story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work(story, branch="feature").end()
    story.git("switch", "-q", "main")
    story.write("README.md", "mine\n")
    monkeypatch.setenv("ACCESSIBLE", "1")
    for answer, branch in (("n\n", "main\n"), ("y\n", "feature\n")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        story.entire("resume", "feature")
        assert "uncommitted" in capsys.readouterr().err
        assert story.git("branch", "--show-current") == branch


# ---------------------------------------------------------------- local transcripts


def apart(mine: Session, when: float) -> str:
    """Replace the local transcript by one that went another way at some time; return it."""
    lines = mine.file.read_text().splitlines(keepends=True)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))
    other = {"type": "user", "uuid": "other", "timestamp": stamp, "sessionId": mine.id,
             "message": {"role": "user", "content": "another way"}}  # fmt: skip
    mine.file.write_text("".join(lines[:2]) + json.dumps(other) + "\n")
    return mine.file.read_text()


def stored(story: Story, mine: Session) -> str:
    text: str = story.linked()["slots"][mine.id]["transcript"]
    return text


def with_secrets(text: str) -> str:
    """Return a stored transcript whose beginning, where the secret was said, is still on this disk."""
    return text.replace("[REDACTED:github-token]", SECRET)


def test_a_newer_local_transcript_is_kept_unless_forced_and_undo_brings_it_back(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story)
    local = apart(mine, time.time() + 60)
    state = mine.state()
    value = resumed(story, capsys)
    assert [(session["what"], session["kept"], session["is_newer"]) for session in value["sessions"]] == [
        ("kept", True, True)
    ]
    assert value["undo_id"] is None
    assert "kept the newer local transcript" in said(story, capsys)
    assert (mine.file.read_text(), mine.state()) == (local, state)
    value = resumed(story, capsys, "--force")
    assert whats(value) == {mine.id: "written"}
    assert mine.file.read_text() == with_secrets(stored(story, mine))
    assert resumed(story, capsys, "--undo")["undone"] == value["undo_id"]
    assert (mine.file.read_text(), mine.state()) == (local, state)
    said(story, capsys, "--undo")
    assert mine.file.read_text() == with_secrets(stored(story, mine))


def test_a_person_is_asked_about_a_newer_one(
    story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = work(story)
    local = apart(mine, time.time() + 60)
    monkeypatch.setenv("ACCESSIBLE", "1")
    for answer, kept in (("no\n", True), ("yes\n", False)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert resumed(story, capsys)["sessions"][0]["kept"] == kept
        assert (mine.file.read_text() == local) == kept


def test_an_older_one_that_went_another_way_is_replaced(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = work(story)
    local = apart(mine, time.time() - 3600)
    assert whats(resumed(story, capsys)) == {mine.id: "written"}
    assert mine.file.read_text() == stored(story, mine)
    said(story, capsys, "--undo")
    assert mine.file.read_text() == local


def test_one_without_times_that_went_another_way_is_replaced(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is newer than the checkpoint, but nothing in it says so."""
    mine = work(story)
    local = '{"type":"summary","summary":"elsewhere","leafUuid":"x"}\n'
    mine.file.write_text(local)
    value = resumed(story, capsys)
    assert [(session["what"], session["kept"], session["is_newer"]) for session in value["sessions"]] == [
        ("written", False, False)
    ]
    assert mine.file.read_text() == stored(story, mine)
    said(story, capsys, "--undo")
    assert mine.file.read_text() == local


def test_one_that_only_went_on_stays_and_can_be_put_back(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = work(story)
    at_commit = mine.file.read_text()
    with mine.turn("Just talk"):
        pass
    went_on = mine.file.read_text()
    value = resumed(story, capsys)
    assert [(session["what"], session["kept"], session["is_newer"]) for session in value["sessions"]] == [
        ("unchanged", False, True)
    ]
    assert mine.file.read_text() == went_on
    assert whats(resumed(story, capsys, "-f")) == {mine.id: "cut"}
    assert mine.file.read_text() == at_commit
    assert SECRET in at_commit
    said(story, capsys, "--undo")
    assert mine.file.read_text() == went_on


def test_after_an_undo_in_the_clone_nothing_is_left(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story)
    push(story, "main")
    clone = second(origin)
    git_dir = clone.root / ".git"
    said(clone, capsys)
    assert list(git_dir.glob(f"entire*/**/{mine.id}*"))
    said(clone, capsys, "--undo")
    assert not (clone.projects / f"{mine.id}.jsonl").exists()
    assert not [path for path in git_dir.glob(f"entire*/**/{mine.id}*") if "undo" not in path.parts]


def test_undo_refuses_where_the_session_went_on(
    story: Story, origin: Path, second: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story)
    assert "there is no resume to undo" in failed(story, capsys, "--undo")
    push(story, "main")
    clone = second(origin)
    said(clone, capsys)
    again = clone.again(mine)
    with again.turn("Go on"):
        again.write("z.py", "1\n")
    text = again.file.read_text()
    assert "has continued since" in failed(clone, capsys, "--undo")
    assert again.file.read_text() == text


def test_a_session_at_work_is_left_alone(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = work(story)
    mine.prompt("Go on")
    apart(mine, time.time() - 3600)
    text = mine.file.read_text()
    for args in ((), ("--force",)):
        assert "a turn is in progress" in failed(story, capsys, *args)
    assert mine.file.read_text() == text


def test_agents_that_are_not_known_here_do_not_stop_the_others(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = work(story)
    ids = story.ids()
    rename(story, ids[0], "Claude Code", "Somebody Else")
    err = failed(story, capsys)
    assert "unknown agent 'Somebody Else'" in err
    other = work(story, "other.py")
    both = f"Both\n\nEntire-Checkpoint: {ids[0]}\nEntire-Checkpoint: {story.ids()[0]}\n"
    story.git("commit", "-q", "--amend", "-m", both, env=PERSON)
    value = resumed(story, capsys)
    assert whats(value) == {other.id: "unchanged"}
    assert [session["session_id"] for session in value["skipped"]] == [mine.id]
    assert f"Skipped session {mine.id}: " in said(story, capsys)


def rename(story: Story, checkpoint: str, old: str, new: str) -> None:
    """Let a stored checkpoint name another agent."""
    path = f"{CheckpointId(checkpoint).path}/0/metadata.json"
    ref = "refs/heads/entire/checkpoints/v1"
    text = story.git("cat-file", "-p", f"{ref}:{path}").replace(old, new)
    oid = story.git("hash-object", "-w", "--stdin", stdin=text).strip()
    env = {"GIT_INDEX_FILE": str(story.root / ".git" / "scratch-index")}
    story.git("read-tree", ref, env=env)
    story.git("update-index", "--cacheinfo", f"100644,{oid},{path}", env=env)
    tree = story.git("write-tree", env=env).strip()
    story.git("update-ref", ref, story.git("commit-tree", tree, "-p", ref, "-m", "x").strip())


# ---------------------------------------------------------------- sessions that are in no checkpoint


def test_a_session_without_a_checkpoint(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = story.session()
    mine.start()
    with mine.turn("Write it"):
        mine.write("a.py", "1\n")
    value = resumed(story, capsys, mine.id[:9])
    assert (whats(value), value["sessions"][0]["checkpoint_id"]) == ({mine.id: "unchanged"}, None)
    text = mine.file.read_text()
    mine.file.unlink()
    os.environ["CLAUDE_CONFIG_DIR"] = str(story.root.parent / "config")
    try:
        value = resumed(story, capsys, mine.id)
    finally:
        del os.environ["CLAUDE_CONFIG_DIR"]
    assert whats(value) == {mine.id: "written"}
    path = Path(value["sessions"][0]["path"])
    assert path.is_relative_to(story.root.parent / "config")
    assert path.read_text() == text
    mine.file = path
    with mine.turn("Go on"):
        mine.write("b.py", "2\n")
    story.commit("Both files", env=PERSON)
    assert tokens(story.linked()["slots"][mine.id]) == answers(0, 1, 2, 3)


def test_a_session_whose_transcript_is_gone(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    mine = story.session()
    mine.start()
    mine.end()
    assert "no transcript of it is stored or on this machine" in failed(story, capsys, mine.id)


def test_names_of_several_things(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("aaaa-1", "aaaa-2"):
        session = story.session(name)
        session.start()
        with session.turn("x"):
            session.write(f"{name}.py", "1\n")
    assert "several sessions start with 'aaaa'" in failed(story, capsys, "aaaa")
    assert "this repository has no remote to fetch from" in failed(story, capsys, "--", "-x")
    assert "holds Entire's own data" in failed(story, capsys, "entire/checkpoints/v1")


# ---------------------------------------------------------------- starting the agent


def test_run_starts_the_agent_of_the_session_that_went_on_last(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = story.session(), story.session()
    for number, session in enumerate((first, other)):
        session.start()
        with session.turn(f"Write {number}"):
            session.write(f"{number}.py", "x\n")
    story.commit("Both", env=PERSON)
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (bin_dir / "claude").write_text('#!/bin/sh\necho "at $PWD: $@"\nexit 7\n')
    (bin_dir / "claude").chmod(0o755)
    folder = story.root / "sub"
    folder.mkdir()
    env = {**story.env, "PATH": f"{bin_dir}{os.pathsep}{story.env['PATH']}"}
    done = subprocess.run([str(BIN / "entire"), "resume", "--run"], cwd=folder, env=env, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 7, done.stderr
    assert done.stdout.endswith(f"at {story.root}: -r {other.id}\n")
    assert "Restoring 2 sessions" in done.stdout
    monkeypatch.setenv("PATH", os.path.dirname(subprocess.run(["sh", "-c", "command -v git"], check=True,
                                                              capture_output=True, text=True).stdout))  # fmt: skip
    assert story.entire("resume", "--run") == 1


@pytest.mark.parametrize("args", [("--undo", "main"), ("--undo", "--force"), ("--run", "--json")])
def test_what_cannot_be_combined(args: tuple[str, ...], story: Story) -> None:
    assert story.entire("resume", *args) == 2


# ---------------------------------------------------------------- where it was never enabled, and in a harness


def test_a_clone_where_entire_was_never_enabled(
    story: Story, origin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = work(story)
    push(story, "main")
    clone = tmp_path / "plain"
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(origin), str(clone)], check=True)
    story.git("-C", str(clone), "sparse-checkout", "set", "--no-cone", "/hello.py")
    story.git("-C", str(clone), "checkout", "-q", "main")
    assert not (clone / ".entire").exists()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    capsys.readouterr()
    assert story.entire("resume", mine.id, "--json", cwd=clone) == 0
    value = json.loads(capsys.readouterr().out)
    assert whats(value) == {mine.id: "written"}
    assert Path(value["sessions"][0]["path"]).is_relative_to(tmp_path / "config")
    assert story.git("-C", str(clone), "status", "--porcelain") == ""


def test_in_a_harness_that_names_the_folder(
    story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transcript of the hooks lies in the repository, in the old short form without times."""
    folder = tmp_path / "given"
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(folder))
    story.git("switch", "-q", "-c", "feature")
    mine = story.session("harness-1")
    mine.file = story.root / ".entire" / "tmp" / "harness-1.jsonl"
    mine.file.parent.mkdir()
    mine.hook("user-prompt-submit")
    story.write("a.py", "1\n")
    records: list[dict[str, Any]] = [
        {"type": "user", "uuid": "1", "message": {"content": "Write a"}},
        {"type": "assistant", "uuid": "2", "message": {"content": [
            {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": str(story.root / "a.py")}}]}},
        {"type": "user", "uuid": "3", "message": {"content": [{"type": "tool_result", "tool_use_id": "t"}]}},
    ]  # fmt: skip
    mine.file.write_text("".join(json.dumps(record) + "\n" for record in records))
    mine.hook("stop")
    story.commit("Add a", env=PERSON)
    story.git("switch", "-q", "main")
    text = mine.file.read_text()
    out = said(story, capsys, "feature")
    assert "Session: harness-1\n" in out
    assert "claude -r harness-1\n" in out
    target = folder / "harness-1.jsonl"
    assert target.read_text() == text

    for moment, kept in ((time.time() - 86400, False), (time.time() + 86400, True)):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
        local = json.dumps({"type": "human", "timestamp": stamp, "message": {"content": "local work"}}) + "\n"
        target.write_text(local)
        value = resumed(story, capsys, "feature")
        assert [session["kept"] for session in value["sessions"]] == [kept]
        assert target.read_text() == (local if kept else text)
    said(story, capsys, "feature", "--force")
    assert target.read_text() == text


def test_a_repository_that_was_moved(
    story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent looks by path: the transcript is copied to where it looks now, with all that was said since."""
    mine = work(story)
    with mine.turn("Just talk"):
        pass
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    story.root.rename(tmp_path / "moved")
    story.root = mine.cwd = tmp_path / "moved"
    (session,) = resumed(story, capsys)["sessions"]
    path = Path(session["path"])
    assert path.parent.parent == tmp_path / "config" / "projects"
    assert path.parent.name.endswith("-moved")
    assert (session["what"], path.read_bytes()) == ("written", mine.file.read_bytes())
    mine.file = path
    with mine.turn("Go on"):
        mine.write("b.py", "2\n")
    story.commit("Add b", env=PERSON)
    record = story.linked()["slots"][mine.id]
    assert tokens(record) == answers(2, 3, 4)
    assert record["prompts"][1:] == ["Just talk", "Go on"]
