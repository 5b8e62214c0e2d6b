"""Sessions that were not recorded, because their agent did not find ``entire``: commits and commands say so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire.agents import transcripts
from entire.directory import AgentDirectory
from entire.model.requests import EnableRequest
from entire.workspace import Workspace
from tests.forks import BIN
from tests.integration.story import Story

SESSION = "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"
REASON = f"made by session {SESSION} of Claude Code, which was not recorded (is entire on the agent's PATH?)"
BY_AGENT = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}


# ---------------------------------------------------------------- commits


def test_a_commit_of_an_unrecorded_session_gets_that_reason(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.write("a.py", "a = 1\n")
    commit = story.commit("Add a", env=BY_AGENT)
    assert story.reasons() == {commit: REASON}
    assert not story.path(".git/entire/live").exists()
    assert not story.path(".git/entire/pending.json").exists()
    assert story.entire("status") == 0
    assert f"{commit[:7]}  Add a  {REASON}" in capsys.readouterr().out
    assert story.entire("explain", "--commit", commit) == 0
    assert REASON in capsys.readouterr().out
    assert story.log_errors() == []


def test_also_without_entire_on_the_path_of_git(story: Story) -> None:
    story.env["PATH"] = os.environ["PATH"]
    story.write("a.py", "a = 1\n")
    commit = story.commit("Add a", env=BY_AGENT)
    assert story.reasons() == {commit: REASON}


def test_the_demo_agent_names_its_session_too(story: Story) -> None:
    story.write("a.py", "a = 1\n")
    commits = [story.commit("Add a", "--allow-empty", env={"DEMO_AGENT_SESSION_ID": "d1"}) for _ in range(2)]
    assert list(story.reasons()) == commits  # the second one is empty
    assert all(reason.startswith("made by session d1 of Demo Agent, which") for reason in story.reasons().values())


def test_beside_a_live_session_and_with_its_content(story: Story) -> None:
    session = story.session()
    session.start()
    story.write("a.py", "a = 1\n")
    session.prompt("Write b")
    session.write("b.py", "b = 1\n")
    story.git("add", "a.py")
    other = story.commit("Add a", add=False, env=BY_AGENT)
    assert story.reasons() == {other: REASON}
    linked = story.commit("Add b", env=BY_AGENT)
    assert list(story.linked(linked)["slots"]) == [session.id]
    assert story.reasons() == {other: REASON}


def test_a_known_session_and_a_person_get_no_such_reason(story: Story) -> None:
    session = story.session()
    session.start()
    story.write("a.py", "a = 1\n")
    story.commit("Add a", env={"CLAUDE_CODE_SESSION_ID": session.id})
    story.write("a.py", "a = 2\n")
    story.commit("A person's", env={**BY_AGENT, "ENTIRE_TEST_TTY": "1"})
    story.write("a.py", "a = 3\n")
    story.commit("Another", env={"CLAUDE_CODE_SESSION_ID": "../x"})
    assert not [reason for reason in story.reasons().values() if reason.startswith("made by")]


def test_an_amend_gets_the_reason_too(story: Story) -> None:
    story.write("a.py", "a = 1\n")
    story.commit("Add a", env=BY_AGENT)
    story.write("a.py", "a = 2\n")
    amended = story.commit("Add a", "--amend", env=BY_AGENT)
    assert story.reasons()[amended] == REASON


def test_where_entire_is_disabled_nothing_is_recorded(story: Story) -> None:
    assert story.entire("disable") == 0
    story.write("a.py", "a = 1\n")
    story.commit("Add a", env=BY_AGENT)
    assert story.reasons() == {}


# ---------------------------------------------------------------- sessions' files

PROMPT = {"type": "user", "promptSource": "sdk", "message": {"role": "user", "content": "Write a file"}}
ANSWER = {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]}}


class Kept:
    """The folder in which the agent keeps the sessions of a story's repository."""

    def __init__(self, story: Story) -> None:
        self.story = story
        name = "".join(char if char.isalnum() else "-" for char in str(story.root.resolve()))
        self.folder = Path.home() / ".claude" / "projects" / name
        self.folder.mkdir(parents=True)

    def add(self, *records: dict[str, Any], session_id: str = SESSION, age: float = 0.0) -> Path:
        path = self.folder / f"{session_id}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        os.utime(path, (time.time() - age,) * 2)
        return path

    def missing(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what status finds: agents and sessions. ``doctor`` must find the same."""
        workspace = Workspace.find(self.story.root)
        found = workspace.maintenance.status().unrecorded
        said = [one for one in workspace.maintenance.doctor().findings if one.check == "recording"]
        assert [(one.message, one.hint) for one in said] == [(one.problem, one.hint) for one in found]
        return [(one.agent, one.session_ids) for one in found]


@pytest.fixture
def kept(story: Story) -> Kept:
    return Kept(story)


def test_a_session_without_hooks_is_named_with_the_remedy(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    kept.add(PROMPT, ANSWER)
    problem = f"1 session of Claude Code was not recorded since `entire enable`: {SESSION}"
    hint = (
        f"the agent probably does not find `entire` on its PATH: add {BIN} to the PATH that it starts with;"
        " restart it if it ran before `entire enable`"
    )
    assert kept.missing() == [("Claude Code", (SESSION,))]
    assert kept.story.entire("status") == 0
    assert f"Needs attention\n  {problem}: {hint}\n" in capsys.readouterr().out
    assert kept.story.entire("doctor") == 1
    out = capsys.readouterr().out
    assert problem in out
    assert hint in out
    assert kept.story.entire("status", "--json") == 0
    (view,) = json.loads(capsys.readouterr().out)["unrecorded"]
    assert view == {"agent": "Claude Code", "session_ids": [SESSION], "problem": problem, "hint": hint}


def test_several_are_counted_the_latest_first(kept: Kept) -> None:
    for number in range(5):
        kept.add(PROMPT, session_id=f"s{number}", age=-number)
    (found,) = Workspace.find(kept.story.root).maintenance.status().unrecorded
    assert found.problem.endswith(
        "5 sessions of Claude Code were not recorded since `entire enable`: s4, s3, s2 and 2 more"
    )
    assert found.session_ids == ("s4", "s3", "s2", "s1", "s0")


@pytest.mark.parametrize(
    "records",
    [
        [],
        [{"type": "mode", "mode": "default"}, {"type": "last-prompt", "lastPrompt": "x"}],
        [{"type": "user", "message": {"content": "<command-name>/clear</command-name>"}}],
        [{"type": "user", "isMeta": True, "message": {"content": "Caveat"}}],
        [{"type": "assistant", "isApiErrorMessage": True, "message": {"model": "<synthetic>", "content": []}}],
        [{"type": "attachment", "attachment": {"type": "hook_success"}}, ["no record"]],
    ],
)
def test_a_session_without_a_prompt_is_no_evidence(kept: Kept, records: list[dict[str, Any]]) -> None:
    kept.add(*records)
    assert kept.missing() == []


def test_what_is_no_session_of_this_repository_since_enable(kept: Kept) -> None:
    kept.add(PROMPT, age=3600)  # before enable
    kept.add(PROMPT, session_id="agent-a1b2c3")  # a subagent's, as older versions kept them
    (kept.folder / "notes.txt").write_text("x")
    (kept.folder / "folder.jsonl").mkdir()
    other = kept.folder.with_name("-another-repository")
    other.mkdir()
    (other / "s1.jsonl").write_text(json.dumps(PROMPT) + "\n")
    assert kept.missing() == []


def test_a_recorded_session_is_not_missing(kept: Kept) -> None:
    session = kept.story.session()
    session.file = kept.folder / f"{session.id}.jsonl"
    session.start()
    assert kept.missing() == []
    with session.turn("Write a file"):
        session.write("a.py", "a = 1\n")
    kept.story.commit("Add a")
    session.end()
    assert kept.missing() == []


def test_a_session_that_was_reset_was_recorded(kept: Kept) -> None:
    session = kept.story.session()
    session.file = kept.folder / f"{session.id}.jsonl"
    session.start()
    with session.turn("Write a file"):
        session.write("a.py", "a = 1\n")
    assert kept.story.entire("reset", "--force") == 0
    assert not kept.story.path(f".git/entire-sessions/{session.id}.json").exists()
    assert kept.missing() == []


def test_a_session_of_a_checkpoint_from_elsewhere_was_recorded(kept: Kept) -> None:
    session = kept.story.session()
    session.start()
    with session.turn("Write a file"):
        session.write("a.py", "a = 1\n")
    kept.story.commit("Add a")
    for folder in ("entire-sessions", "entire/sessions"):  # as in a clone that fetched the checkpoint and resumed it
        shutil.rmtree(kept.story.path(f".git/{folder}"))
    kept.add(PROMPT, session_id=session.id)
    assert kept.missing() == []


def test_enable_again_counts_from_then_on(kept: Kept) -> None:
    kept.add(PROMPT, age=-5)
    assert kept.missing() != []
    kept.add(PROMPT, age=1)
    os.utime(kept.story.path(".git/entire/enabled"), (time.time() - 60,) * 2)
    assert kept.missing() != []
    assert kept.story.entire("enable", "--agent", "claude-code") == 0
    assert kept.missing() == []


def test_only_agents_with_hooks_here_are_expected(story: Story, tmp_path: Path) -> None:
    kept = Kept(story)
    kept.add(PROMPT)
    assert Workspace.find(story.root).setup.enable(EnableRequest(agents=("demo",), only_these=True)).removed
    os.utime(story.path(".git/entire/enabled"), (time.time() - 60,) * 2)
    assert kept.missing() == []
    folder = AgentDirectory.without_plugins().make("demo").session_dir(str(story.root))  # type: ignore[attr-defined]
    os.makedirs(folder)
    Path(folder, "d0.jsonl").write_text('{"type": "start"}\n')
    assert kept.missing() == []
    Path(folder, "d1.jsonl").write_text('{"type": "start"}\n{"type": "prompt", "text": "x"}\n')
    assert kept.missing() == [("Demo Agent", ("d1",))]


def test_where_entire_is_disabled_or_never_ran_nothing_is_missing(kept: Kept) -> None:
    kept.add(PROMPT)
    assert kept.story.entire("disable") == 0
    assert Workspace.find(kept.story.root).maintenance.status().unrecorded == ()
    assert kept.story.entire("enable", "--agent", "claude-code") == 0
    kept.add(PROMPT, age=-5)
    kept.story.path(".git/entire/enabled").unlink()
    assert kept.missing() == []


def test_a_long_beginning_counts_and_few_files_are_read(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.add({"type": "attachment", "text": "x" * 70_000}, PROMPT)
    assert kept.missing() == [("Claude Code", (SESSION,))]
    for number in range(60):
        kept.add(PROMPT, session_id=f"s{number}", age=-5)
    read: list[str] = []
    real = transcripts.beginning

    def beginning(path: str) -> tuple[bytes, bool]:
        read.append(path)
        return real(path)

    monkeypatch.setattr(transcripts, "beginning", beginning)
    (found,) = Workspace.find(kept.story.root).maintenance.status().unrecorded
    assert len(read) == len(found.session_ids) == 20


def test_a_harness_says_where_sessions_are(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(tmp_path))
    (tmp_path / "s1.jsonl").write_text(json.dumps(PROMPT) + "\n")
    (found,) = Workspace.find(story.root).maintenance.status().unrecorded
    assert found.session_ids == ("s1",)


def test_a_real_agent_without_entire_on_its_path(story: Story, tmp_path: Path) -> None:
    """The demo agent runs its hooks through a shell, like the real ones."""
    assert story.entire("enable", "--agent", "demo") == 0
    story.commit("Enable the demo agent")
    poor = {**story.env, "PATH": "/usr/bin:/bin"}
    agent = [sys.executable, "-m", "entire_demo_agent", "-p", "create a file a.py with a = 1"]
    subprocess.run(agent, cwd=story.root, env=poor, check=True, capture_output=True)
    (found,) = Workspace.find(story.root).maintenance.status().unrecorded
    assert (found.agent, len(found.session_ids)) == ("Demo Agent", 1)
    subprocess.run(agent, cwd=story.root, env=story.env, check=True, capture_output=True)
    assert Workspace.find(story.root).maintenance.status().unrecorded == (found,)
