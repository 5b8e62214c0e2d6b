"""The shapes of what an agent sent and wrote in a story: what `make agents-latest` compares between two versions."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver import Driver

FOLDER = "ENTIRE_E2E_SHAPES"
"""Names the folder in which stories note the shapes; without it, they note nothing."""


def note(agent: Driver) -> None:
    """Note the shapes of an agent's hook payloads and records."""
    if folder := os.environ.get(FOLDER):
        found = sorted({f"{agent.type}: {shape}" for shape in _shapes(agent)})
        (Path(folder) / f"{uuid.uuid4().hex}.json").write_text(json.dumps(found))


def read(folder: Path) -> set[str]:
    """Return all shapes that were noted in a folder."""
    return {shape for path in folder.glob("*.json") for shape in json.loads(path.read_bytes())}


def _shapes(agent: Driver) -> Iterator[str]:
    for event in agent.events():
        yield from _keys(f"hook {event.get('hook_event_name')}", event)
    for path in Path(agent.environment["HOME"]).rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # its writer was killed
                continue
            if isinstance(record, dict):
                yield from _record(record)


def _record(record: dict[str, Any]) -> Iterator[str]:
    """Yield the shapes of a record, and of what Codex wraps in it."""
    yield from _keys(f"record {_kind(record)}", record)
    for name in ("payload", "item"):
        inner = record.get(name)
        if not isinstance(inner, dict):
            return
        yield from _keys(f"{name} of {_kind(record)}", inner)
        record = inner


def _kind(record: dict[str, Any]) -> str:
    inner = record.get("attachment") or record.get("payload") or record.get("item")
    kind = inner.get("type") if isinstance(inner, dict) else record.get("subtype")
    return "/".join(str(name) for name in (record.get("type"), kind) if name)


def _keys(what: str, value: dict[str, Any]) -> Iterator[str]:
    yield what
    yield from (f"{what} has `{key}`" for key in value)
