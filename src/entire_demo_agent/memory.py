"""The demo agent's transcript, and the memory it derives from it.

A transcript has one JSON object per line and is only appended to. Every record has ``type``, ``id``, ``parent`` (the
record before it) and ``time``. The agent knows a conversation from these records only, so it can continue one whose
transcript was stored and restored.

==============  =========================================================================================
``session``     ``session_id``, ``cwd``, ``source`` (startup, resume, clear), ``model``, ``version``
``prompt``      ``prompt_id``, ``text``
``answer``      ``prompt_id``, ``text``, ``model``, ``usage``: ``input``, ``cache_write``, ``cache_read``, ``output``
``call``        ``answer`` (id), ``tool``, ``input``; ``helper``: id of the subagent it starts
``result``      ``call`` (id), ``tool``, ``ok``, ``output``; ``path`` (absolute) and ``change`` (created, modified,
                deleted) if the tool changed a file; ``helper``
``compaction``  ``summary``: the records before it are no longer in the context
``interrupt``   ``prompt_id``: the user interrupted the turn
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
    """Return the tokens of a text: one for every four characters, rounded up, at least one."""
    return max(1, -(-len(text) // 4))


def stamp(seconds: float) -> str:
    """Format seconds since the epoch as ISO 8601 in UTC, with microseconds."""
    micros = int(seconds * 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(micros // 1_000_000)) + f".{micros % 1_000_000:06d}Z"


class Memory:
    """What the agent remembers: facts, the number of turns, and the size of its context."""

    def __init__(self) -> None:
        self.facts: list[str] = []
        self.turns = 0
        self.context = 0  # tokens before the next answer, without its new input
        self.last_output = 0
        self._pending_facts: dict[str, str] = {}  # by the id of the tool call

    def absorb(self, record: Record) -> None:
        """Update the memory from a record that was read or just written."""
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
            self._pending_facts[str(record.get("id"))] = str(given.get("text", "")) if isinstance(given, dict) else ""
        elif kind == "result" and record.get("ok") is True and str(record.get("call")) in self._pending_facts:
            self.facts.append(self._pending_facts.pop(str(record.get("call"))))
        elif kind == "compaction":
            self.context = self.last_output = count_tokens(str(record.get("summary", "")))

    def usage(self, new: str, output: str) -> dict[str, int]:
        """Return the tokens of an answer to the input ``new``; the rest of the context comes from the cache."""
        return {
            "input": count_tokens(new),
            "cache_write": self.last_output,
            "cache_read": self.context - self.last_output,
            "output": count_tokens(output),
        }


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


class Transcript:
    """An append-only file of records, and the memory derived from it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.memory = Memory()
        self._last: str | None = None
        for record in read_records(path):
            self.memory.absorb(record)
            self._last = str(record.get("id") or self._last or "") or None

    def append(self, kind: str, **fields: object) -> Record:
        """Append a record to the file, update the memory and return the record."""
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
            # After a crash the last line may be incomplete: end it, so the record gets its own line.
            torn = size and os.pread(handle, 1, size - 1) != b"\n"
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
    """Return the records of a transcript, without invalid lines; a missing file has none."""
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
