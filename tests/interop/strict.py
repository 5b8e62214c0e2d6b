"""A strict model of what the Go Entire CLI reads: key order, keys left out, escapes (formats.md 2.3, 2.4, 5)."""

from __future__ import annotations

import json
import re
from typing import Any

from entire.store import gojson

ROOT = (
    "cli_version?",
    "checkpoint_id",
    "strategy",
    "branch?",
    "checkpoints_count",
    "files_touched",
    "sessions",
    "token_usage?",
)
POINTERS = ("metadata", "transcript", "context", "content_hash", "prompt")
SESSION = (
    "cli_version?", "checkpoint_id", "session_id", "strategy", "created_at", "branch?", "checkpoints_count",
    "files_touched", "agent?", "turn_id?", "is_task?", "tool_use_id?", "transcript_identifier_at_start?",
    "checkpoint_transcript_start?", "transcript_lines_at_start?", "token_usage?", "summary?", "initial_attribution?",
)  # fmt: skip
USAGE = (
    "input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count", "subagent_tokens?"
)  # fmt: skip
ATTRIBUTION = (
    "calculated_at", "agent_lines", "human_added", "human_modified", "human_removed", "total_committed",
    "agent_percentage",
)  # fmt: skip
STATE = (
    "session_id", "cli_version?", "base_commit", "attribution_base_commit?", "worktree_path?", "worktree_id?",
    "started_at", "ended_at?", "phase?", "turn_id?", "turn_checkpoint_ids?", "last_interaction_time?",
    "checkpoint_count", "checkpoint_transcript_start?", "untracked_files_at_start?", "files_touched?",
    "last_checkpoint_id?", "agent_type?", "token_usage?", "transcript_identifier_at_start?", "transcript_path?",
    "first_prompt?", "prompt_attributions?", "pending_prompt_attribution?", "entire_py?",
)  # fmt: skip
ID = re.compile(r"[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?(Z|[+-]\d\d:\d\d)")


def keys(value: dict[str, Any], wanted: tuple[str, ...]) -> None:
    """Assert the keys and their order; those with a ``?`` are there only if they say something."""
    order = [name.rstrip("?") for name in wanted]
    assert [name for name in order if name in value] == list(value), list(value)
    for name in wanted:
        if name.endswith("?"):
            assert value.get(name[:-1], 1), f"{name} says nothing and must be left out"
        else:
            assert name in value, name


def text(data: str) -> dict[str, Any]:
    """Parse a file; its bytes must be those that Go would print."""
    value: dict[str, Any] = json.loads(data)
    assert gojson.dumps(value).decode() == data
    assert data.endswith("}\n")
    assert not set("<>&\u2028\u2029") & set(data)
    return value


def usage(value: dict[str, Any] | None) -> None:
    if value is None:
        return
    keys(value, USAGE)
    assert all(isinstance(number, int) and number >= 0 for name, number in value.items() if name != "subagent_tokens")
    usage(value.get("subagent_tokens"))


def root(data: str, checkpoint_id: str) -> dict[str, Any]:
    """Check a checkpoint's summary; return it."""
    value = text(data)
    keys(value, ROOT)
    assert value["checkpoint_id"] == checkpoint_id
    assert ID.fullmatch(checkpoint_id)
    assert value["files_touched"] == sorted(set(value["files_touched"]))
    folder = f"/{checkpoint_id[:2]}/{checkpoint_id[2:]}"
    for number, entry in enumerate(value["sessions"]):
        keys(entry, POINTERS)
        assert all(path == "" or path.startswith(f"{folder}/{number}/") for path in entry.values())
    usage(value.get("token_usage"))
    assert "subagent_tokens" not in (value.get("token_usage") or {})
    return value


def session(data: str, checkpoint_id: str) -> dict[str, Any]:
    """Check a session's record; return it."""
    value = text(data)
    keys(value, SESSION)
    assert value["checkpoint_id"] == checkpoint_id
    assert TIME.fullmatch(value["created_at"])
    assert value["created_at"].endswith("Z")
    assert value.get("checkpoint_transcript_start") == value.get("transcript_lines_at_start")
    assert isinstance(value["files_touched"], list)
    usage(value.get("token_usage"))
    if "initial_attribution" in value:
        keys(value["initial_attribution"], ATTRIBUTION)
        assert 0 <= value["initial_attribution"]["agent_percentage"] <= 100
    return value


def state(data: str) -> dict[str, Any]:
    """Check a session state; return it."""
    value = text(data)
    keys(value, STATE)
    assert value["phase"] in ("active", "idle", "ended")
    assert re.fullmatch("[0-9a-f]{40}", value["base_commit"])
    for name in ("started_at", "ended_at", "last_interaction_time"):
        assert TIME.fullmatch(value.get(name, "2026-01-01T00:00:00Z")), value[name]
    assert all(ID.fullmatch(checkpoint_id) for checkpoint_id in value.get("turn_checkpoint_ids", []))
    return value
