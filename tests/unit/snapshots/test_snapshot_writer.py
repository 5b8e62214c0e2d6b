"""Snapshots and steps as git objects."""

from __future__ import annotations

from typing import Any

from entire.redact import Redacted, Redactor
from entire.snapshots import snapshot_writer


class Stream:
    """Numbers what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def blob(self, data: bytes) -> str:
        self.written.append(bytes(data))
        return f":{len(self.written)}"


def test_contents_are_written_and_stored_blobs_are_named() -> None:
    stream: Any = Stream()
    files: dict[str, str | Redacted] = {"prompt.txt": Redactor().redact(b"Say hi"), "full.jsonl": "12ab"}
    assert snapshot_writer.blobs(stream, files) == {"prompt.txt": ("100644", ":1"), "full.jsonl": ("100644", "12ab")}
    assert stream.written == [b"Say hi"]
