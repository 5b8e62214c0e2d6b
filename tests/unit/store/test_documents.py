"""Documents that grow: the same bytes as if each were redacted as a whole, and only what is new is redacted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.git.read import Object, Objects
from entire.git.write import blob_id
from entire.model.session import Session
from entire.redact import Redacted, Redactor, Sources
from entire.store import transcripts

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Blobs(Objects):
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, name: str, most: int | None = None) -> Object | None:
        return Object(oid=name, type="blob", data=self.kept[name]) if name in self.kept else None


class Noting(Redactor):
    """Notes how much it redacted."""

    scanned = 0

    def redact_json(self, data: bytes) -> Redacted:
        self.scanned += len(data)
        return super().redact_json(data)


class Growing:
    """A session's document, stored turn by turn; ``scanned`` is how much was redacted last."""

    def __init__(self, folder: Path, *, indent: int | None) -> None:
        self.indent = indent
        self.session, self.blobs, self.scanned = Session("s"), Blobs(), 0
        self.redactor = Noting(Sources(memory=str(folder / "memory")))

    def store(self, messages: list[Any], **around: str) -> bytes:
        data = json.dumps({"id": "1", **around, "messages": messages, "kind": "main"}, indent=self.indent).encode()
        before = self.redactor.scanned
        (part,) = transcripts.store_whole(self.session, [data], self.blobs, self.redactor).parts
        self.scanned = self.redactor.scanned - before
        if isinstance(part, Redacted):
            self.blobs.kept[blob_id(part, self.session.oid_size)] = part
            return bytes(part)
        return self.blobs.kept[part]

    def whole(self, messages: list[Any], **around: str) -> bytes:
        value = {"id": "1", **around, "messages": messages, "kind": "main"}
        return Redactor.redact_json(self.redactor, json.dumps(value, indent=self.indent).encode())


@pytest.mark.parametrize("indent", [None, 2])
def test_only_what_is_new_is_redacted(indent: int | None, tmp_path: Path) -> None:
    growing = Growing(tmp_path, indent=indent)
    messages = [{"text": f"{number} " + "word " * 50, "key": SECRET if number == 3 else ""} for number in range(40)]
    for count in (1, 2, 10, 40):
        around = {"updated": f"2026-01-01T10:{count:02}"}
        assert growing.store(messages[:count], **around) == growing.whole(messages[:count], **around)
    assert growing.scanned < 0.8 * len(growing.whole(messages))
    growing.store([*messages, {"text": "new"}])
    assert 0 < growing.scanned < 200
    growing.store([*messages, {"text": "new"}])
    assert growing.scanned == 0, "the same document is not redacted again"


def test_messages_that_were_changed_are_redacted(tmp_path: Path) -> None:
    growing = Growing(tmp_path, indent=2)
    growing.store([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    for changed in ([{"text": "a"}, {"text": SECRET}, {"text": "c"}], [{"text": SECRET}], [], [{"text": "a"}]):
        assert growing.store(changed) == growing.whole(changed)
        assert SECRET.encode() not in growing.store(changed)


def test_what_a_new_message_reveals_goes_from_the_earlier_ones(tmp_path: Path) -> None:
    growing = Growing(tmp_path, indent=2)
    word = "k9Xv2QpL7mWz4RtB8nYc"
    growing.store([{"text": f"use {word} for it"}])
    stored = growing.store([{"text": f"use {word} for it"}, {"text": f"export DB_PASSWORD={word}"}])
    assert word.encode() not in stored


def test_without_the_last_one_everything_is_redacted(tmp_path: Path) -> None:
    growing = Growing(tmp_path, indent=2)
    growing.store([{"text": SECRET}])
    growing.blobs.kept.clear()
    assert growing.store([{"text": SECRET}, {"text": "b"}]) == growing.whole([{"text": SECRET}, {"text": "b"}])
