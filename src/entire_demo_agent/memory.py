"""The demo agent's transcript, and what it knows from it.

One JSON object per line, appended, never rewritten. Every record has ``type``, ``id``, ``parent`` (the record before
it) and ``time``. Whatever the agent knows of a conversation it knows from these records alone: so a transcript that was
stored and put back is a conversation that goes on.

==============  =========================================================================================
``session``     ``session_id``, ``cwd``, ``source`` (startup, resume, clear), ``model``, ``version``
``prompt``      ``prompt_id``, ``text``
``answer``      ``prompt_id``, ``text``, ``model``, ``usage``: ``input``, ``cache_write``, ``cache_read``, ``output``
``call``        ``answer`` (id), ``tool``, ``input``; ``helper``: id of the subagent it starts
``result``      ``call`` (id), ``tool``, ``ok``, ``output``; ``path`` (absolute) and ``change`` (created, modified,
                deleted) if the tool changed a file; ``helper``
``compaction``  ``summary``: what came before is no longer in the context (but in the file)
``interrupt``   ``prompt_id``: the person ended the turn
==============  =========================================================================================
"""

from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

MODEL = "obedient-1"
VERSION = "1"

Record = dict[str, Any]


def count_tokens(text: str) -> int:
    """Return what a text costs: a token for every four characters begun, at least one."""
    return max(1, -(-len(text) // 4))


def stamp(seconds: float) -> str:
    """Return a time as ISO 8601 text in UTC with microseconds."""
    micros = int(seconds * 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(micros // 1_000_000)) + f".{micros % 1_000_000:06d}Z"


class Memory:
    """What the agent knows: facts it was told, how many turns there were, how much is in its context."""

    def __init__(self) -> None:
        self.facts: list[str] = []
        self.turns = 0
        self.context = 0  # tokens of everything before the next answer, but for what is new to it
        self.last_output = 0
        self._told: dict[str, str] = {}

    def absorb(self, record: Record) -> None:
        """Learn from one record, be it read or just written."""
        kind = record.get("type")
        if kind == "prompt":
            self.turns += 1
        elif kind == "answer":
            usage = record.get("usage")
            spent = usage if isinstance(usage, dict) else {}
            self.context += _number(spent.get("input")) + _number(spent.get("output"))
            self.last_output = _number(spent.get("output"))
        elif kind == "call" and record.get("tool") == "remember":
            given = record.get("input")
            self._told[str(record.get("id"))] = str(given.get("text", "")) if isinstance(given, dict) else ""
        elif kind == "result" and record.get("ok") is True and str(record.get("call")) in self._told:
            self.facts.append(self._told.pop(str(record.get("call"))))
        elif kind == "compaction":
            self.context = self.last_output = count_tokens(str(record.get("summary", "")))

    def usage(self, new: str, output: str) -> dict[str, int]:
        """Return what an answer costs that sees the text ``new`` for the first time: all else comes from the cache."""
        return {
            "input": count_tokens(new),
            "cache_write": self.last_output,
            "cache_read": self.context - self.last_output,
            "output": count_tokens(output),
        }


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


class Transcript:
    """A file of records that only grows, and the memory that goes with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.memory = Memory()
        self._last: str | None = None
        for record in read_records(path):
            self.memory.absorb(record)
            self._last = str(record.get("id") or self._last or "") or None

    def append(self, kind: str, **fields: object) -> Record:
        """Write one record at the end of the file and learn from it; returns it."""
        now = stamp(time.time())
        record: Record = {
            "type": kind,
            "id": f"{kind}_{secrets.token_hex(8)}",
            "parent": self._last,
            "time": now,
            **fields,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = (
                size and os.pread(handle, 1, size - 1) != b"\n"
            )  # a crash left half a line: let it be a line of its own
            _write_all(handle, b"\n" * bool(torn) + json.dumps(record).encode() + b"\n")
        finally:
            os.close(handle)
        self.memory.absorb(record)
        self._last = str(record["id"])
        return record


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def read_records(path: Path) -> list[Record]:
    """Return the records of a transcript; lines that are none are skipped, a missing file has none."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return []
    records = []
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            records.append(record)
    return records
