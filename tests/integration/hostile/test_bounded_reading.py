"""Checkpoints of others, of any size: each command answers in bounded memory, and says what it leaves out."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping

import pytest

from entire.git import bulk, read
from entire.store import checkpoints, transcript_ends
from tests.integration import memory
from tests.integration.shown import Shown, show
from tests.integration.story import Story

__all__ = ["show"]

ID, SESSION = "aabbccddeeff", "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"
FOLDER = f"{ID[:2]}/{ID[2:]}"
COMMANDS = (["show", "HEAD"], ["explain", "-c", ID], ["search", "answer"], ["story", "HEAD~1..HEAD"])
_DIGITS = "9" * 4000


def root(sessions: int = 1) -> dict[str, object]:
    pointers = [{"metadata": f"/{FOLDER}/{number}/metadata.json"} for number in range(sessions)]
    return {"checkpoint_id": ID, "strategy": "manual-commit", "files_touched": ["made.py"], "sessions": pointers}


def record(session_id: str = SESSION) -> dict[str, object]:
    return {"checkpoint_id": ID, "session_id": session_id, "strategy": "manual-commit", "agent": "Claude Code",
            "created_at": "2026-11-01T00:00:00Z", "files_touched": ["made.py"]}  # fmt: skip


def said(turns: int, first: int = 0) -> bytes:
    """Return a transcript of Claude Code with so many turns."""
    lines = []
    for number in range(first, first + turns):
        lines += [
            {"type": "user", "uuid": f"u{number}", "parentUuid": f"a{number - 1}" if number else None,
             "promptSource": "typed", "message": {"role": "user", "content": f"prompt {number}"}},
            {"type": "assistant", "uuid": f"a{number}", "parentUuid": f"u{number}",
             "message": {"id": f"m{number}", "role": "assistant",
                         "content": [{"type": "text", "text": f"answer {number}"}]}},
        ]  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def foreign(story: Story, files: Mapping[str, bytes]) -> None:
    """Make a commit with a checkpoint that holds these files, in a pack as a fetch would bring it."""
    story.write("made.py", "made = 1\n")
    story.git("add", ".")
    story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", f"Made\n\nEntire-Checkpoint: {ID}")
    parts = [b"commit refs/heads/entire/checkpoints/v1\ncommitter A <a@b> 1790000000 +0000\ndata 1\nx\n"]
    for path, data in files.items():
        parts += [f"M 100644 inline {FOLDER}/{path}\ndata {len(data)}\n".encode(), data, b"\n"]
    cheap = ("-c", "pack.compression=0", "-c", "core.bigFileThreshold=1m")
    subprocess.run(["git", "-C", story.root, *cheap, "fast-import", "--quiet"], input=b"".join(parts), check=True)


def texts(files: Mapping[str, object]) -> dict[str, bytes]:
    return {path: value if isinstance(value, bytes) else json.dumps(value).encode() for path, value in files.items()}


def test_the_last_records_of_a_long_transcript(story: Story, show: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_ends, "RECORDS", 20)
    foreign(story, texts({"metadata.json": root(), "0/metadata.json": record(), "0/full.jsonl": said(300)}))
    printed = show("HEAD")
    assert "580 records" in printed
    assert "prompt 290" in printed
    assert "prompt 289" not in printed
    view = show.json("HEAD", "--full")["conversations"][0]
    assert [turn["position"] for turn in view["turns"]][:2] == [580, 582]
    assert view["messages"][0]["at"] == 580
    (part,) = show.json("HEAD")["checkpoints"][0]["parts"]
    prompts = part["prompts"]
    assert "580 records" in part["left_out"]
    assert part["left_out"] in " ".join(show("-c", ID, command="explain").split())
    assert (prompts[0]["text"], prompts[0]["position"]) == ("prompt 290", 580)
    printed, note = show.noted('"answer 299"', command="search")
    assert "of which only the last 48 MB and 20 records are searched" in note
    found = re.findall(r"entire show (\S+)", printed)
    assert found
    assert "answer 299" in show(found[0])


def test_many_sessions_in_one_checkpoint(story: Story, show: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "MAX_SLOTS", 3)
    files: dict[str, object] = {"metadata.json": root(9)}
    for number in range(9):
        files |= {f"{number}/metadata.json": record(f"session-{number}"), f"{number}/full.jsonl": said(1, number)}
    foreign(story, texts(files))
    assert "6 of its sessions are left out" in show("-c", ID, command="explain")
    assert "session-2" in show("HEAD", "--json")
    assert "session-3" not in show("HEAD", "--json")


@pytest.mark.parametrize("name", ["metadata.json", "0/metadata.json", "0/prompt.txt"])
def test_metadata_that_is_too_large(story: Story, show: Shown, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(read, "SMALL", 4096)
    monkeypatch.setattr(bulk, "SMALL", 4096)
    monkeypatch.setattr(checkpoints, "SMALL", 4096)
    files = texts({"metadata.json": root(), "0/metadata.json": record(), "0/prompt.txt": b"prompt 0",
                   "0/full.jsonl": said(2)})  # fmt: skip
    foreign(story, {**files, name: files[name] + b" " * 5000})
    printed = show("-c", ID, command="explain")
    if name.endswith(".json"):
        assert f"{name} is larger than any metadata of a checkpoint" in printed
    assert ID in show(command="log")
    assert "prompt 0" in show("prompt", command="search") or name == "0/metadata.json"


def test_numbers_of_any_size(story: Story, show: Shown) -> None:
    usage = {"input_tokens": 0, "output_tokens": 4, "api_call_count": 1}
    lines = {"agent_lines": 4, "total_committed": 4, "agent_percentage": 4}
    own = json.dumps(record() | {"token_usage": usage, "initial_attribution": lines}).replace(" 4", f" {_DIGITS}")
    whole = json.dumps(root() | {"token_usage": usage}).replace(" 4", f" {_DIGITS}")
    spoken = said(2).replace(b'"id": "m1"', b'"usage": {"input_tokens": ' + _DIGITS.encode() + b'}, "id": "m1"')
    foreign(story, {"metadata.json": whole.encode(), "0/metadata.json": own.encode(), "0/full.jsonl": spoken})
    for command in (["log"], ["show", "HEAD"], ["explain", "HEAD"], ["story", "HEAD~1..HEAD"]):
        assert "999999" not in show(*command[1:], command=command[0])


LONG = 120 << 20
"""Bytes: whoever holds that much has no bound."""
LARGE: dict[str, Callable[[], dict[str, bytes]]] = {
    "a long line": lambda: texts({
        "metadata.json": root(), "0/metadata.json": record(), "0/full.jsonl": said(1) + b'{"type": "user", "message": '
        b'{"role": "user", "content": "' + b"x" * (LONG) + b'"}}\n' + said(2, 1)}),
    "long metadata": lambda: texts({
        "metadata.json": json.dumps(root()).encode() + b" " * (LONG), "0/metadata.json": record(),
        "0/full.jsonl": said(2)}),
    "2,000 sessions": lambda: texts({"metadata.json": root(2_000), "0/full.jsonl": said(2)} | {
        f"{number}/metadata.json": record(f"session-{number}") for number in range(2_000)}),
}  # fmt: skip


@pytest.mark.parametrize("what", LARGE)
def test_memory_has_a_bound(story: Story, what: str) -> None:
    foreign(story, LARGE[what]())
    for command in COMMANDS:
        done, peak = memory.peak(story, command)
        has_note = command[0] == "search" and what == "a long line"
        assert (command, done.returncode, b"very long" in done.stderr) == (command, 0, has_note)
        assert has_note or done.stderr == b""
        assert peak < LONG < memory.MOST, command
