"""Every stage of every golden world through the commands: no error, and what is shown is what is stored."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import golden
from tests.integration.commandline import Repo

BRANCH = "refs/heads/entire/checkpoints/v1"
_USAGE = ("input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count")


class Stored:
    """What is stored in a repository, read by git alone."""

    def __init__(self, top: Path) -> None:
        self.top = top
        names = self.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()
        asked = "".join(f"{BRANCH}:{name}\n" for name in names).encode()
        command = ["git", "-C", str(top), "cat-file", "--batch"]
        data = subprocess.run(command, input=asked, check=True, capture_output=True).stdout
        self.files: dict[str, str] = {}
        for name in names:
            head, _, data = data.partition(b"\n")
            size = int(head.split()[2])
            self.files[name], data = data[:size].decode(), data[size + 1 :]
        self.roots = {
            name[:2] + name[3:13]: json.loads(text)
            for name, text in self.files.items()
            if name.endswith("/metadata.json") and name.count("/") == 2
        }
        self.commits = self.git("log", "--format=%H", "HEAD").split()

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", "-C", str(self.top), *args], check=True, capture_output=True, text=True)
        return done.stdout

    def slots(self, checkpoint_id: str) -> list[dict[str, Any]]:
        """Return the records of a checkpoint; with ``shown``, the prompts of its part, and ``prompts``, all of them."""
        folder = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}"
        found = []
        for number in range(len(self.roots[checkpoint_id]["sessions"])):
            record: dict[str, Any] = json.loads(self.files[f"{folder}/{number}/metadata.json"])
            start = record.get("checkpoint_transcript_start", 0)
            record["shown"] = prompts(self.files[f"{folder}/{number}/full.jsonl"], start)
            stored = self.files.get(f"{folder}/{number}/prompt.txt")  # a task of auto-commit has none
            record["prompts"] = stored.split("\n\n---\n\n") if stored is not None else None
            found.append(record)
        return found

    def ids(self, commit: str) -> list[str]:
        """Return the ids that a commit carries (the Go CLI glued one of them under the subject)."""
        lines = self.git("log", "-1", "--format=%B", commit).splitlines()
        return [line.split()[1] for line in lines if line.startswith("Entire-Checkpoint: ")]


def prompts(transcript: str, start: int) -> list[str]:
    """Return what people said from a record on: Claude Code's lines or Gemini's document."""
    try:
        messages = json.loads(transcript)["messages"]
    except (ValueError, KeyError):
        records = [json.loads(line) for line in transcript.splitlines()]
        messages = [
            record.get("message", {}) | {"type": record["type"], "meta": record.get("isMeta")} for record in records
        ]
    return [
        message["content"]
        for message in messages[start:]
        if message.get("type") == "user" and isinstance(message.get("content"), str) and not message.get("meta")
    ]


def usage(value: dict[str, Any] | None) -> list[int]:
    return [(value or {}).get(name, 0) for name in _USAGE]


@pytest.fixture(params=golden.STAGES)
def repos(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[Repo, Stored]]:
    """The worktrees of a stage with what is stored there; linked ones too."""
    home = golden.unpack(request.param, tmp_path)
    monkeypatch.setenv("PAGER", "cat")
    tops = [path.parent for path in sorted(home.glob("*/.git"))]
    return [(Repo(top, capsys), Stored(top)) for top in tops]


def open_paths(state: dict[str, Any]) -> list[str]:
    """Return the paths of a state that are not committed: the Go CLI leaves committed ones there."""
    touched = state.get("files_touched") or []
    if not touched:
        return []
    git = ["git", "--no-optional-locks", "-C", state["worktree_path"]]
    given = ["status", "--porcelain", "-z", "-uall", "--no-renames", "--", *touched]
    output = subprocess.run([*git, *given], check=True, capture_output=True, text=True).stdout
    changed = {entry[3:] for entry in output.split("\0")}
    return [path for path in touched if path in changed]


def test_status(repos: list[tuple[Repo, Stored]], monkeypatch: pytest.MonkeyPatch) -> None:
    for repo, stored in repos:
        monkeypatch.chdir(repo.top)
        before = repo.files()
        status = repo.json("status")
        assert status["enabled"] is True
        assert status["checkpoints"] == len(stored.roots)
        common = Path(stored.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        states = [json.loads(path.read_text()) for path in (common / "entire-sessions").glob("*.json")]
        told = {
            session["session_id"]: [
                session["phase"].removesuffix("_committed"),
                *(session[key] for key in ("steps", "open_files")),
            ]
            for session in status["sessions"]
        }
        assert told == {
            state["session_id"]: [
                state.get("phase", "idle"),
                state["checkpoint_count"],
                open_paths(state),
            ]
            for state in states
        }
        main = str(repo.top) if common == repo.top / ".git" else ""  # auto-commit names no worktree: the main state
        here = {state["session_id"] for state in states if state.get("worktree_path", main) == str(repo.top)}
        assert {session["session_id"] for session in status["sessions"] if session["is_here"]} == here
        assert repo.ok("status", "--detailed")
        assert repo.files() == before


def test_the_listing(repos: list[tuple[Repo, Stored]], monkeypatch: pytest.MonkeyPatch) -> None:
    for repo, stored in repos:
        monkeypatch.chdir(repo.top)
        listed = repo.json("explain", "--limit", "0")
        wanted = {checkpoint_id for commit in stored.commits for checkpoint_id in stored.ids(commit)}
        shown = {checkpoint["id"]: checkpoint for checkpoint in listed["checkpoints"]}
        assert set(shown) >= wanted
        for name, checkpoint in shown.items():
            assert checkpoint["is_stored"] == (name in stored.roots)
            if name in stored.roots:
                slots = stored.slots(name)
                assert checkpoint["session_ids"] == [slot["session_id"] for slot in slots]
                assert checkpoint["files"] == (stored.roots[name]["files_touched"] or [])
        assert repo.ok("explain", "--no-pager")
        for session_id in {slot["session_id"] for name in stored.roots for slot in stored.slots(name)}:
            mine = repo.json("explain", "--session", session_id, "--limit", "0")
            having = {
                name for name in stored.roots if session_id in [slot["session_id"] for slot in stored.slots(name)]
            }
            assert {checkpoint["id"] for checkpoint in mine["checkpoints"]} == having
            assert repo.ok("explain", "--session", session_id, "--no-pager")


@pytest.mark.parametrize("repos", golden.WHOLE, indirect=True)
def test_every_commit(repos: list[tuple[Repo, Stored]], monkeypatch: pytest.MonkeyPatch) -> None:
    for repo, stored in repos:
        monkeypatch.chdir(repo.top)
        for commit in stored.commits:
            told = repo.json("explain", "--commit", commit)
            ids = stored.ids(commit)
            assert told["commit"]["checkpoint_ids"] == ids
            assert [checkpoint["id"] for checkpoint in told["checkpoints"]] == [
                name for name in ids if name in stored.roots
            ]
            assert told["missing"] == [name for name in ids if name not in stored.roots]
        assert repo.ok("explain", "HEAD", "--no-pager")


@pytest.mark.parametrize("repos", golden.WHOLE, indirect=True)
def test_every_checkpoint(repos: list[tuple[Repo, Stored]], monkeypatch: pytest.MonkeyPatch) -> None:
    for repo, stored in repos:
        monkeypatch.chdir(repo.top)
        for name, root in stored.roots.items():
            told = repo.json("explain", "--checkpoint", name)
            assert told["files"] == (root["files_touched"] or [])
            assert usage(told["tokens"]) == usage(root.get("token_usage"))
            slots = stored.slots(name)
            assert len(told["parts"]) == len(slots)
            for part, slot in zip(told["parts"], slots, strict=True):
                assert part["session_id"] == slot["session_id"]
                assert part["files"] == (slot["files_touched"] or [])
                assert usage(part["tokens"]) == usage(slot.get("token_usage"))
                assert part["start"] == slot.get("checkpoint_transcript_start", 0)
                texts = [prompt["text"] for prompt in part["prompts"]]
                assert texts == slot["shown"]
                if slot["prompts"] is not None:
                    assert texts == slot["prompts"][len(slot["prompts"]) - len(texts) :]
                attribution = slot.get("initial_attribution")
                assert (part["lines"] or {}).get("agent_lines") == (attribution or {}).get("agent_lines")
            assert told["problems"] == []
            for form in ("--short", "--full", "--transcript"):
                assert repo.ok("explain", name, form, "--no-pager")
            folder = f"{name[:2]}/{name[2:]}/{len(slots) - 1}"
            assert repo.ok("explain", name, "--raw-transcript", "--no-pager") == stored.files[f"{folder}/full.jsonl"]
