"""Sessions that were not recorded, because their agent did not find ``entire``: commits and commands say so."""

from __future__ import annotations

import os

import pytest

from tests.integration.story import Story

SESSION = "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"
REASON = f"made by session {SESSION} of Claude Code, which was not recorded (is `entire` on the agent's PATH?)"
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
