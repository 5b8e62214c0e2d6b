"""Names, subjects and messages of steps."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.store import steps

MAIN, FEATURE_X, WT2 = "e3b0c4", "c791eb", "745b01"


@pytest.mark.parametrize("worktree", [MAIN, FEATURE_X, WT2])
def test_branch_names(worktree: str) -> None:
    assert steps.branch_name("0123456789" * 4, worktree) == f"entire/0123456-{worktree}"
    assert steps.branch_name("", worktree) == f"entire/0000000-{worktree}"


@pytest.mark.parametrize(
    ("prompt", "subject"),
    [
        ("Create hello.py", "Create hello.py"),
        ("please create hello.py", "Create hello.py"),
        ("Can you please add a test?", "Add a test"),
        ("hey can you fix\n\nthe bug??", "Fix the bug"),
        ("", "Agent step"),
        ("   \n", "Agent step"),
        ("please", "Please"),
        ("x" * 100, "X" + "x" * 68 + "..."),
        ("élan", "Élan"),
    ],
)
def test_subjects(prompt: str, subject: str) -> None:
    assert steps.subject(prompt) == subject


def test_a_subject_leaves_out_whom_the_prompt_speaks_to() -> None:
    assert steps.subject("hey robin please add a test", ["robin"]) == "Add a test"
    assert steps.subject("hey robin please add a test") == "Robin please add a test"


@given(st.text())
def test_any_prompt_gives_one_short_line(prompt: str) -> None:
    subject = steps.subject(prompt)
    assert subject.strip()
    assert len(subject) <= 73, "a first letter may become two in upper case"
    assert "\n" not in subject


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip))
def test_git_reads_the_trailers_of_a_step(title: str) -> None:
    message = steps.message(steps.subject(title), "s-1", strategy="manual-commit")
    assert message.endswith(
        b"\n\nEntire-Metadata: .entire/metadata/s-1\nEntire-Session: s-1\nEntire-Strategy: manual-commit\n"
    )
    assert message.count(b"\n\n") == 1


def test_git_reads_the_trailers_of_a_tasks_step() -> None:
    message = steps.message(
        steps.task_subject("Explore", "Look around", "toolu_0123456789"),
        "s-1",
        strategy="manual-commit",
        tool_use_id="toolu_1",
    )
    read = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=message, capture_output=True, check=True
    ).stdout
    assert read.decode().splitlines() == [
        "Entire-Metadata-Task: .entire/metadata/s-1/tasks/toolu_1",
        "Entire-Session: s-1",
        "Entire-Strategy: manual-commit",
    ]
    assert message.startswith(b"Completed 'Explore' agent: Look around (toolu_012345)\n")


def test_a_task_record_has_no_final_newline_and_always_an_agent() -> None:
    record = steps.task_record("s", "toolu_1", "", "")
    assert not record.endswith(b"\n")
    assert list(json.loads(record)) == ["session_id", "tool_use_id", "checkpoint_uuid", "agent_id"]


def test_a_long_description_is_cut() -> None:
    assert steps.task_subject("", "word " * 40, "t") == "Completed 'task' agent: " + ("word " * 12)[:57] + "... (t)"
