"""What the captured rollouts really hold, read off the files by eye; and a second, plain reading of their tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
SESSIONS = FIXTURES / "sessions"
PROJECT = "/home/dev/project"
TWO_TURNS, REVERTED = "two-turns", "two-turns-the-second-taken-back"
COMPACTED, FORK = "compacted-inside-a-turn", "its-fork"
CHILD_V1, PARENT_V1, CHILD_V2, PARENT_V2 = "subagent-v1", "session-with-it-v1", "subagent-v2", "session-with-it-v2"
SCRIPTED, INTERRUPTED, OLDER, NEWER = "code-mode", "interrupted-turn", "0.118.0", "0.171.0"
MIXED = "0.118.0-resumed-by-0.171.0"
OLDER_PARENT, OLDER_CHILD = "0.118.0-with-a-subagent-of-0.171.0", "that-subagent"
FIRST, ONCE, TWICE, FORK_OF_IT = "first-and-wrong", "its-last-prompt-taken-back", "and-again", "fork-of-what-is-left"

_NAMES = {
    PARENT_V1: "2026-11-21T06-18-14-01a1fcc1-610f-7700-8950-32ad8d3aaddb",
    CHILD_V1: "2026-11-21T06-18-14-01a1fcc1-6329-77b0-b5a4-2612d230d5c2",
    PARENT_V2: "2026-11-21T06-19-44-01a1fcc2-c106-79d0-8774-d109f4a46b2f",
    CHILD_V2: "2026-11-21T06-19-44-01a1fcc2-c2d2-7261-a582-b824f8c81555",
    COMPACTED: "2026-11-21T06-20-06-01a1fcc3-18aa-7c10-bf8e-4dbfb084ed31",
    FORK: "2026-11-21T06-20-36-01a1fcc3-8e2a-76c1-b8c4-fa562ff14dd7",
    TWO_TURNS: "2026-11-21T06-21-55-01a1fcc4-c1a3-72f3-8d7c-b9f4362a98d8",
    REVERTED: "2026-11-21T06-21-58-01a1fcc4-c1a3-72f3-8d7c-b9f4362a98d8_01a1fcc4-cd54-7a31-9c2e-5b0d6f7a8e91",
    INTERRUPTED: "2026-11-21T06-28-02-01a1fcca-5d22-7323-870b-cfee5dfb7aa9",
    OLDER: "2026-11-21T06-31-24-01a1fccd-6ec9-7d03-a112-bea566d4173d",
    NEWER: "2026-11-28T00-54-01-01a21fa5-10d1-7fa1-b5fd-266929cb69f0",
    SCRIPTED: "2026-11-21T06-39-22-01a1fcd4-bc9f-7781-b01e-5716c2cdbdd0",
    OLDER_PARENT: "2026-11-28T04-52-45-01a2207f-a3fe-7ae3-91c2-b5a6f8a0c0cc",
    OLDER_CHILD: "2026-11-28T04-52-46-01a2207f-a876-7e52-9be3-b2ce68b2e26d",
    MIXED: "2026-11-28T01-15-58-01a21fb9-2ba8-7273-b49f-7f4fc4a8eb68",
    FIRST: "2026-11-28T01-46-39-01a21fd5-4139-71d3-9b9f-54b461cbe1b7",
    ONCE: "2026-11-28T01-46-41-01a21fd5-4139-71d3-9b9f-54b461cbe1b7_01a21fd5-4944-74c2-8444-a26230fee5d7",
    TWICE: "2026-11-28T01-46-43-01a21fd5-4139-71d3-9b9f-54b461cbe1b7_01a21fd5-52db-7453-a2b6-053bf6c6c4cc",
    FORK_OF_IT: "2026-11-28T01-46-45-01a21fd5-596e-76f1-9b4d-a1a156873b03",
}
BASES = {
    REVERTED: (TWO_TURNS, 29),
    FORK: (COMPACTED, 46),
    ONCE: (FIRST, 15),
    TWICE: (ONCE, 27),
    FORK_OF_IT: (TWICE, 38),
}
"""In which rollout others begin, and after how many of its records."""

PROMPTS: dict[str, list[str]] = {
    PARENT_V1: ["please delegate"],
    CHILD_V1: [],
    PARENT_V2: ["delegate v2"],
    CHILD_V2: [],
    COMPACTED: ["second task", "first task"],
    FORK: ["second task", "first task", "third task"],
    TWO_TURNS: ["first task", "second task"],
    REVERTED: ["first task", "third task"],
    INTERRUPTED: ["slow turn"],
    OLDER: ["first task"],
    NEWER: ["Add a greeting", "Tidy up"],
    SCRIPTED: ["codemode turn"],
    OLDER_PARENT: ["Say hello", "Delegate it"],
    OLDER_CHILD: [],
    MIXED: ["Add a greeting", "Say more"],
    FIRST: ["first task", "wrong task"],
    ONCE: ["first task", "second task", "wrong again"],
    TWICE: ["first task", "second task", "third task"],
    FORK_OF_IT: ["first task", "second task", "third task", "forked task"],
}
FILES: dict[str, list[str]] = {
    CHILD_V1: ["sub.txt"],
    CHILD_V2: ["sub.txt"],
    COMPACTED: ["hello.py"],
    FORK: ["hello.py"],
    TWO_TURNS: ["hello.py", "notes.txt", "moved.txt"],
    REVERTED: ["hello.py", "notes.txt"],
    OLDER: ["hello.py", "notes.txt"],
    NEWER: ["notes.txt", "hello.py", "old.txt", "greet.py"],
    SCRIPTED: ["notes.txt", "cm.txt"],
    OLDER_CHILD: ["note.txt"],
    MIXED: ["hello.py"],
}
SUBAGENTS = {PARENT_V1: CHILD_V1, PARENT_V2: CHILD_V2, OLDER_PARENT: OLDER_CHILD}
LAST_TEXT = {
    PARENT_V1: "Delegation finished.",
    TWO_TURNS: "Second task finished.",
    REVERTED: "Third task: nothing to edit.",
    INTERRUPTED: "",
    OLDER: "First task finished.",
    NEWER: "All is tidy.",
    SCRIPTED: "Code mode turn finished.",
}
PARTLY_OLDER = (MIXED, OLDER_PARENT)
"""Where 0.118.0 wrote a part, which tells nothing of what was written to a cache."""


def names() -> list[str]:
    return sorted(_NAMES)


def path_of(name: str) -> Path:
    return SESSIONS / _NAMES[name][:10].replace("-", "/") / f"rollout-{_NAMES[name]}.jsonl"


def id_of(name: str) -> str:
    return _NAMES[name].partition("_")[0][20:]


def load(name: str) -> list[dict[str, Any]]:
    """Return the records of a whole history."""
    own = [json.loads(line) for line in path_of(name).read_text().splitlines()]
    if name not in BASES:
        return own
    base, count = BASES[name]
    return load(base)[:count] + own[1:]


def tokens(name: str) -> tuple[int, int | None, int, int, int, int]:
    """Return (input, written to a cache, read from it, output, calls, reasoning): each response's own figures, or the
    last sums. None: no record tells.
    """
    records = load(name)
    used = [record["payload"]["usage"] for record in records if record["type"] == "token_usage_record"]
    if "ordinal" not in records[0]:
        infos = [record["payload"].get("info") for record in records if record["payload"].get("type") == "token_count"]
        sums = [info["total_token_usage"] for info in infos if info]
        used, calls = sums[-1:], len({each["total_tokens"] for each in sums})
    else:
        calls = len(used)
    keys = ("input_tokens", "cache_write_input_tokens", "cached_input_tokens", "output_tokens")
    given, written, cached, output = (sum(each.get(key, 0) for each in used) for key in keys)
    thoughts = sum(each["reasoning_output_tokens"] for each in used)
    is_told = any("cache_write_input_tokens" in each for each in used) and (written or name not in PARTLY_OLDER)
    return given - cached - written, written if is_told else None, cached, output, calls, thoughts
