"""Transcripts of every agent that hold a given text where agents hold such texts.

Each is made of records that real sessions left in ``tests/fixtures``: a slot names a file, a record in it, and the
strings of this record that give way to the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TALKS = "conversations"
# What a slot's strings stand for: the text, what it replaces, a patch as text, a patch as a list of lines.
TEXT, OLD, PATCH, LINES = "text", "old", "patch", "lines"
# Where a slot of an agent is missing, its text stands in the next.
INSTEAD = {
    "patch": "edit",
    "thinking": "answer",
    "read": "output",
    "output": "answer",
    "edit": "write",
    "write": "command",
    "command": "answer",
    "answer": "prompt",
}


@dataclass(frozen=True)
class Slot:
    """A record (a line of the file, or the path of a part in its document), and its strings that give way."""

    file: str
    at: int
    strings: Mapping[str, str]


@dataclass(frozen=True)
class Agent:
    """How the transcript of an agent is built: lines of JSON, one JSON document, or plain text."""

    name: str
    form: str  # "lines" | "document" | "text"
    folder: str = ""
    slots: Mapping[str, Slot] = field(default_factory=dict)

    def slot(self, name: str) -> Slot:
        """Return the slot, or what this agent has instead."""
        while name not in self.slots:
            name = INSTEAD[name]
        return self.slots[name]


def _claude_code() -> Agent:
    first, second = "headless-after-turn1.jsonl", "headless-after-turn2-resumed.jsonl"
    return Agent("claude-code", "lines", "claude_code/transcripts", {
        "prompt": Slot(first, 2, {"create greeting file": TEXT}),
        "answer": Slot(first, 5, {"I will create the file.": TEXT}),
        "thinking": Slot("interactive-native-rewind-fork.jsonl", 41, {"Let me think about it.": TEXT}),
        "command": Slot(first, 8, {"python3 hello.py": TEXT}),
        "output": Slot(first, 9, {"hello": TEXT}),
        "write": Slot(first, 6, {"print('hello')\n": TEXT}),
        "edit": Slot(second, 17, {"hello": OLD, "goodbye": TEXT}),
        "patch": Slot(second, 18, {"hello": OLD, "goodbye": TEXT, "-print('hello')": LINES}),
    })  # fmt: skip


def _gemini(name: str, form: str) -> Agent:
    file = "02-four-turns-resumed-within-the-same-minute.jsonl"
    output = (
        "<untrusted_context>\nOutput: README.md\nhello.txt\nshell.txt\nProcess Group PGID: 29917\n</untrusted_context>"
    )
    return Agent(name, form, f"{TALKS}/gemini-cli", {
        "prompt": Slot(file, 2, {"create hello please": TEXT}),
        "answer": Slot(file, 9, {"Created hello.txt with a greeting.": TEXT}),
        "thinking": Slot(file, 4, {"I will write the file.": TEXT}),
        "command": Slot(file, 24, {"echo shell >> shell.txt; ls": TEXT}),
        "output": Slot(file, 24, {output: TEXT, "README.md\nhello.txt\nshell.txt": TEXT}),
        "write": Slot(file, 6, {"hello world\n": TEXT}),
        "edit": Slot(file, 19, {"hello world": OLD, "hello moon": TEXT, "Index: hello.txt": PATCH}),
    })  # fmt: skip


def _codex() -> Agent:
    file = "two-turns.jsonl"
    return Agent("codex", "lines", f"{TALKS}/codex", {
        "prompt": Slot(file, 7, {"first task": TEXT}),
        "answer": Slot(file, 12, {"I will create hello.py and edit notes.": TEXT}),
        "thinking": Slot(file, 10, {"**Planning** the edit": TEXT}),
        "command": Slot(file, 18, {"python3 hello.py > out.txt; cat out.txt": TEXT}),
        "output": Slot(file, 20, {"hello\n": TEXT}),
        "write": Slot(file, 15, {"print('hello')\n": TEXT}),
        "edit": Slot(file, 13, {"*** Begin Patch": PATCH}),
        "patch": Slot(file, 15, {"@@ -1,3 +1,3 @@": PATCH}),
    })  # fmt: skip


def _copilot() -> Agent:
    file = "first-turn.jsonl"
    return Agent("copilot-cli", "lines", f"{TALKS}/copilot-cli", {
        "prompt": Slot(file, 8, {"first task": TEXT}),
        "answer": Slot(file, 48, {"First task finished.": TEXT}),
        "command": Slot(file, 24, {"python3 hello.py > out.txt; cat out.txt": TEXT}),
        "output": Slot(file, 20, {"Created file /home/dev/project/hello.py with 15 characters": TEXT}),
        "write": Slot(file, 12, {"print('hello')\n": TEXT}),
        "edit": Slot(file, 36, {"two": OLD, "TWO": TEXT}),
        "patch": Slot(file, 40, {"\ndiff --git": PATCH}),
    })  # fmt: skip


def _pi() -> Agent:
    file = "01-print-then-continue.jsonl"
    return Agent("pi", "lines", f"{TALKS}/pi", {
        "prompt": Slot(file, 3, {"create hello": TEXT}),
        "answer": Slot(file, 12, {"Created hello.txt.": TEXT}),
        "command": Slot(file, 8, {"cat hello.txt && echo made > bash-made.txt": TEXT}),
        "output": Slot(file, 9, {"hello world\n": TEXT}),
        "write": Slot(file, 4, {"hello\n": TEXT}),
        "edit": Slot(file, 6, {"hello": OLD, "hello world": TEXT}),
        "patch": Slot(file, 7, {"-1 hello\n": PATCH}),
    })  # fmt: skip


def _cursor() -> Agent:
    file = "described-shape-not-observed.jsonl"
    return Agent("cursor", "lines", f"{TALKS}/cursor", {
        "prompt": Slot(file, 0, {"<user_query>\nfirst task please\n</user_query>": TEXT}),
        "answer": Slot(file, 3, {"First task finished.": TEXT}),
        "write": Slot(file, 1, {"print('hello')\n": TEXT}),
        "edit": Slot(file, 2, {"two": OLD, "TWO": TEXT}),
    })  # fmt: skip


def _demo() -> Agent:
    file = "a-session.jsonl"
    return Agent("demo", "lines", "demo", {
        "prompt": Slot(file, 1, {"create a.txt with one then append two to a.txt; create ../no with x": TEXT}),
        "answer": Slot(file, 2, {"I write a.txt.": TEXT}),
        "write": Slot(file, 3, {"one": TEXT}),
        "output": Slot(file, 4, {"created a.txt (1 line)": TEXT}),
    })  # fmt: skip


def _opencode() -> Agent:
    file = "turn2-same-session.json"
    return Agent("opencode", "document", f"{TALKS}/opencode", {
        "prompt": Slot(file, 0, {'"please do the first task"': TEXT}),
        "answer": Slot(file, 1, {"I will write a.txt.": TEXT}),
        "write": Slot(file, 1, {"alpha\n": TEXT}),
        "command": Slot(file, 2, {"echo hi > b.txt && cat b.txt": TEXT}),
        "output": Slot(file, 2, {"hi\n": TEXT}),
        "edit": Slot(file, 3, {"alpha": OLD, "alpha beta": TEXT, "Index: ": PATCH}),
    })  # fmt: skip


AGENTS = (
    _claude_code(), _codex(), _gemini("gemini", "lines"), _gemini("gemini (document)", "document"), _opencode(), _pi(),
    _cursor(), _copilot(), _demo(), Agent("plain text", "text"),
)  # fmt: skip


@dataclass(frozen=True)
class Planted:
    """What stands in a record: the text, the text that it replaces in an edit, and the edit as a patch."""

    text: str
    old: str = "pass\n"

    def patch(self, head: str) -> str:
        """Return the change as a unified diff below its first line."""
        return "\n".join((head.split("\n", 1)[0], "@@ -1,2 +1,9 @@", " # settings", *self.lines(), ""))

    def lines(self) -> list[str]:
        """Return the change as the lines of a hunk."""
        return [f"-{line}" for line in self.old.splitlines()] + [f"+{line}" for line in self.text.split("\n")]


def record(agent: Agent, slot: str, planted: Planted) -> str:
    """Return one record of the agent as it stands in its transcript, with the text in it."""
    if agent.form == "text":
        return planted.text
    chosen = agent.slot(slot)
    tree = _replaced(_record(agent.folder, chosen.file, chosen.at), chosen.strings, planted)
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def transcript(agent: Agent, records: Sequence[str]) -> bytes:
    """Return a transcript of these records."""
    if agent.form == "lines":
        text = "".join(f"{line}\n" for line in records)
    elif agent.form == "document":
        text = '{"sessionId":"7f3a1c52-9d4e-4b6a-8c21-5e0f9a7b3d10","messages":[' + ",\n".join(records) + "]}\n"
    else:
        text = "\n".join(records) + "\n"
    return text.encode("utf-8", "surrogateescape")


@cache
def _record(folder: str, file: str, at: int) -> Any:
    text = (FIXTURES / folder / file).read_text()
    return json.loads(text)["messages"][at] if file.endswith(".json") else json.loads(text.splitlines()[at])


def _replaced(tree: Any, strings: Mapping[str, str], planted: Planted) -> Any:
    if isinstance(tree, dict):
        return {key: _replaced(value, strings, planted) for key, value in tree.items()}
    if isinstance(tree, list):
        if tree and isinstance(tree[0], str) and strings.get(tree[0]) == LINES:
            return planted.lines()
        return [_replaced(value, strings, planted) for value in tree]
    return _string(tree, strings, planted) if isinstance(tree, str) else tree


def _string(value: str, strings: Mapping[str, str], planted: Planted) -> str:
    role = strings.get(value)
    if role == TEXT:
        return planted.text
    if role == OLD:
        return planted.old
    for marker, role in strings.items():
        if role == PATCH and value.startswith(marker):
            return planted.patch(value)
        if role == TEXT and value.startswith("{") and marker in value:  # arguments of a call are JSON of their own
            return json.dumps(_replaced(json.loads(value), strings, planted))
    return value
