"""The auto-commit strategy of the Go Entire CLI: what it left is read by every command, and its bytes are ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.model import trailers
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.session import SubagentTask
from entire.redact import trusted
from entire.store import checkpoint_writer, steps
from entire.store.checkpoint_writer import SlotContent, TaskContent
from tests import golden
from tests.integration.commandline import Repo

SESSION = "9d791d40-978f-4338-8edf-4183c0a7d164"
FIRST, TASK, LAST = "002e24c6fa54", "b0cbf7a11f84", "2156db21c7b0"
TOOL_USE, SUBAGENT = "toolu_1a1fe02d99f000400scripted", "a2601ff26f8fe7762"
TASK_SUBJECT = "Completed 'general-purpose' agent: Write a note (toolu_1a1fe0)"
SUBJECTS = {LAST: "Change greeting", TASK: TASK_SUBJECT, FIRST: "Create greeting file"}
PROMPTS = {LAST: "change greeting", TASK: "", FIRST: "create greeting file"}
BRANCH = "refs/heads/entire/checkpoints/v1"


@pytest.fixture
def repo(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The last stage: three turns, a commit for each and one for the subagent's task."""
    golden.unpack("auto/03-third-turn", tmp_path)
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(tmp_path / ".claude/projects/-home-dev-auto"))
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.chdir(tmp_path / "auto")
    return Repo(tmp_path / "auto", capsys)


def test_the_commits_of_turns_and_tasks_in_the_log(repo: Repo) -> None:
    listed = [row for row in repo.json("log") if row["checkpoint_ids"]]
    assert [(row["checkpoint_ids"], row["subject"], row["prompt"]) for row in listed] == [
        ([name], subject, PROMPTS[name]) for name, subject in SUBJECTS.items()
    ]
    assert [(row["tokens"] or {}).get("input_tokens") for row in listed] == [300, None, 3300]
    assert {row["reason"] for row in listed} == {""}
    assert {tuple(row["session_ids"]) for row in listed} == {(SESSION,)}
    shown = repo.ok("log").splitlines()
    assert [any(name in line for line in shown) for name in SUBJECTS] == [True] * 3


def test_the_list_of_explain_and_its_filters(repo: Repo) -> None:
    for args in (["explain"], ["explain", "--session", SESSION[:8]], ["explain", "--search-all"]):
        assert {row["id"] for row in repo.json(*args)["checkpoints"]} == set(SUBJECTS)
    out = repo.ok("explain", "--no-pager", "--session", SESSION[:8])
    assert "Branch: main" in out
    assert "Checkpoints: 3" in out
    assert f"Filtered by session: {SESSION}" in out


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_checkpoint_by_each_of_its_names(repo: Repo, name: str) -> None:
    commit = repo.git("log", "-1", "--format=%H", f"--grep=Entire-Checkpoint: {name}", "main")
    told = repo.json("explain", "--checkpoint", name[:6])
    assert told["strategy"] == "auto-commit"
    assert told["branch"] == "main"
    assert [linked["oid"] for linked in told["commits"]] == [commit]
    assert repo.json("explain", "--commit", commit)["checkpoints"] == [told]
    assert [one["id"] for one in repo.json("show", commit)["checkpoints"]] == [name]
    assert [one["id"] for one in repo.json("show", name)["checkpoints"]] == [name]
    for form in ([], ["--short"], ["--full"]):
        out = repo.ok("explain", "--commit", commit, "--no-pager", *form)
        assert f"Checkpoint {name}" in out
        assert SUBJECTS[name] in out
        assert "(auto-commit)" in out
    raw = repo.ok("explain", "--checkpoint", name, "--raw-transcript", "--no-pager")
    assert raw.strip() == repo.git("show", f"{BRANCH}:{CheckpointId(name).path}/0/full.jsonl")


def test_the_checkpoint_of_a_task(repo: Repo) -> None:
    """Its record is at the checkpoint's root; the slot has neither files nor prompts nor tokens."""
    told = repo.json("explain", "--checkpoint", TASK)
    (task,) = told["tasks"]
    assert (task["tool_use_id"], task["agent_id"], task["session_id"]) == (TOOL_USE, SUBAGENT, SESSION)
    assert (task["description"], task["has_transcript"]) == ("Write a note", False)
    assert (told["files"], told["tokens"], told["lines"], told["problems"]) == ([], None, None, [])
    assert [prompt["text"] for prompt in told["parts"][0]["prompts"]] == ["create greeting file", "use a helper"]


def test_what_is_not_recorded_is_unknown(repo: Repo) -> None:
    for path, name in (("hello.py", LAST), ("note.txt", TASK)):
        assert f"checkpoint {name} was written by the Go CLI" in repo.ok("why", path)
        (file,) = repo.json("why", path)["files"]
        assert [answer["origin"]["kind"] for answer in file["ranges"]] == ["unknown"]


def test_prompts_and_tool_calls_are_found(repo: Repo) -> None:
    found = repo.json("search", "greeting")["findings"]
    assert {(finding["checkpoint_id"], finding["turn"]) for finding in found} == {(FIRST, 1), (LAST, 3)}
    assert f"checkpoint {TASK}" in repo.ok("search", "Write a note")


def test_the_state_that_the_go_cli_left(repo: Repo) -> None:
    """It names no worktree, and its base commit never moves; a step of it is a commit."""
    told = repo.json("status")
    assert (told["strategy"], told["checkpoints"], told["unlinked"]) == ("manual-commit", 3, [])
    (session,) = told["sessions"]
    assert [session[key] for key in ("session_id", "phase", "steps", "open_files")] == [SESSION, "ended", 2, []]
    assert session["is_here"] is True
    assert repo.ok("status").split("\n")[0] == "Enabled (manual-commit)"  # its settings are committed: agree once more
    assert "`entire enable --strategy auto-commit` agrees" in repo.ok("status")
    repo.ok("enable", "--agent", "claude-code", "--strategy", "auto-commit")
    assert repo.ok("status").split("\n")[0] == "Enabled (auto-commit)"


def test_the_points_of_a_rewind(repo: Repo) -> None:
    listed = json.loads(repo.ok("rewind", "--list"))
    assert [(point["condensation_id"], point["message"]) for point in listed] == list(SUBJECTS.items())
    assert [(point["is_task_checkpoint"], point["tool_use_id"]) for point in listed] == [
        (False, ""),
        (True, TOOL_USE),
        (False, ""),
    ]
    assert [point["is_logs_only"] for point in listed] == [True] * 3
    assert [point["session_prompt"] for point in listed] == list(PROMPTS.values())
    assert [point["files"] for point in listed] == [["hello.py"], ["note.txt"], ["hello.py"]]


def test_the_session_is_resumed(repo: Repo, tmp_path: Path) -> None:
    local = tmp_path / f".claude/projects/-home-dev-auto/{SESSION}.jsonl"
    local.unlink()
    out = repo.ok("resume", "main")
    assert f"Session: {SESSION}" in out
    assert f"claude -r {SESSION}" in out
    assert local.read_text() == repo.git("show", f"{BRANCH}:21/56db21c7b0/0/full.jsonl") + "\n"


def test_the_story_of_the_branch(repo: Repo) -> None:
    out = repo.ok("story", "main~3..main")
    assert [out.index(f"`{name}`") for name in (FIRST, TASK, LAST)] == sorted(
        out.index(f"`{name}`") for name in SUBJECTS
    )
    assert "  1. use a helper" in out


def test_doctor_finds_nothing_wrong_in_the_data(repo: Repo) -> None:
    repo.entire("doctor", "--json")
    found = {finding["check"] for finding in json.loads(repo.out)["findings"]}
    assert found <= {"settings", "git hooks", "agent hooks"}  # the hooks are left out of the golden worlds


# ---------------------------------------------------------------- what ours writes in the same places


def test_the_subjects_of_commits() -> None:
    assert steps.subject("create greeting file") == SUBJECTS[FIRST]
    task = SubagentTask(kind="general-purpose", description="Write a note")
    assert steps.task_subject(task.type, task.description, TOOL_USE) == TASK_SUBJECT


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_message_of_a_checkpoint(repo: Repo, name: str) -> None:
    """No shadow branch is named; a task's has the subject of its commit, and names its record last."""
    commit = repo.git("log", "-1", "--format=%H", f"--grep=^Checkpoint: {name}", BRANCH)
    pairs = [
        (trailers.SESSION, SESSION),
        (trailers.STRATEGY, "auto-commit"),
        (trailers.AGENT, "Claude Code"),
        (trailers.EPHEMERAL_BRANCH, ""),
    ]
    subject = ""
    if name == TASK:
        pairs.append((trailers.METADATA_TASK, checkpoint_writer.task_folder(CheckpointId(TASK), TOOL_USE)))
        subject = TASK_SUBJECT
    written = checkpoint_writer.new_message(CheckpointId(name), pairs, subject)
    assert repo.git("cat-file", "commit", commit).partition("\n\n")[2] + "\n" == written.decode()


def test_the_files_of_a_tasks_checkpoint(repo: Repo) -> None:
    stored = {name: repo.git("show", f"{BRANCH}:{CheckpointId(TASK).path}/{name}") for name in
              ("metadata.json", "0/metadata.json", f"tasks/{TOOL_USE}/checkpoint.json")}  # fmt: skip
    told = json.loads(stored["0/metadata.json"])
    record = SessionRecord(
        cli_version="dev", checkpoint_id=TASK, session_id=SESSION, strategy="auto-commit", branch="main",
        created_at=told["created_at"], agent="Claude Code", is_task=True, tool_use_id=TOOL_USE,
    )  # fmt: skip
    task = TaskContent(tool_use_id=TOOL_USE, session_id=SESSION, agent_id=SUBAGENT)
    changes = checkpoint_writer.compose([SlotContent(record=record, parts=(trusted(b"{}"),))], tasks=[task])
    for name, text in stored.items():
        entry = changes[f"{CheckpointId(TASK).path}/{name}"]
        assert entry is not None
        assert isinstance(entry[1], bytes)
        # The Go CLI leaves a list without files out of its slot.
        assert entry[1].decode() == text.replace('"files_touched": null', '"files_touched": []') + "\n"
