"""Stored transcripts are read block by block, and are what reading them as a whole returns."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from entire import contents
from entire.directory import AgentDirectory
from entire.errors import MissingObjectError
from entire.git import run
from entire.git.read import Objects
from entire.store import checkpoints, stored_contents, transcripts
from entire.store.checkpoints import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.contract import Agent

PARTS = [b'{"a":"first"}\n{"a":"part"}', b'{"a":"second"}', b'{"a":"third"}\n']
DOCUMENTS = [b'{"sessionId":"s","messages":[{"id":"1"}]}', b'{"messages":[{"id":"2"}]}']
GONE = "0" * 39 + "1"


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Objects]:
    monkeypatch.setattr(contents, "MOST", 8)
    monkeypatch.setattr(contents, "_BLOCK", 5)
    run.git(str(tmp_path), "init", "-q")
    with Objects(str(tmp_path)) as found:
        yield found


def slot(where: Path, parts: list[bytes], hashed: bytes | None = None) -> Slot:
    texts = dict(zip(transcripts.part_names(len(parts)), parts, strict=True))
    if hashed is not None:
        texts["content_hash.txt"] = b"sha256:" + hashlib.sha256(hashed).hexdigest().encode()
    files = {name: run.git(str(where), "hash-object", "-w", "--stdin", stdin=text).stdout.decode().strip()
             for name, text in texts.items()}  # fmt: skip
    return Slot(number=0, tree="", files=files, record=None)


def agent(name: str) -> Agent | None:
    return AgentDirectory.without_plugins().make_by_type(name)


@pytest.mark.parametrize("name", ["Claude Code", "Gemini CLI", "unknown"])
@pytest.mark.parametrize("parts", [PARTS, PARTS[:1], DOCUMENTS, DOCUMENTS[:1], []])
@pytest.mark.parametrize("covered", [None, 1, 2])
def test_it_is_what_reading_it_as_a_whole_returns(
    objects: Objects, tmp_path: Path, name: str, parts: list[bytes], covered: int | None
) -> None:
    """Also where a stored hash covers only the first parts."""
    stored = slot(tmp_path, parts, b"\n".join(parts[:covered]) if covered else None)
    reader = agent(name)
    whole = checkpoints.transcript(objects, stored, reader.reassemble_transcript if reader is not None else None)
    assert bytes(stored_contents.of_slot(objects, stored, reader)) == whole
    assert objects.oid(stored.files.get("full.jsonl", GONE)) == stored.files.get("full.jsonl", "")  # git goes on


def test_a_part_that_git_lacks(objects: Objects, tmp_path: Path) -> None:
    stored = slot(tmp_path, PARTS)
    lacking = Slot(number=0, tree="", files={**stored.files, "full.jsonl.001": GONE}, record=None)
    with pytest.raises(MissingObjectError, match=f"full.jsonl.001 is missing in git .object {GONE}"):
        stored_contents.of_slot(objects, lacking, agent("Claude Code"))
    assert bytes(stored_contents.of_parts(objects, list(stored.files.values()), None)) == b"\n".join(PARTS)


def test_blobs_that_git_has(objects: Objects, tmp_path: Path) -> None:
    one, two, _ = slot(tmp_path, PARTS).files.values()
    tree = run.git(str(tmp_path), "write-tree").stdout.decode().strip()
    found = stored_contents.of_blobs(objects, {"one": one, "gone": GONE, "tree": tree, "two": two})
    assert {name: bytes(data) for name, data in found.items()} == {"one": PARTS[0], "two": PARTS[1]}
    assert objects.beginning(one, 7) == PARTS[0][:7]


def test_a_hash_is_compared(objects: Objects, tmp_path: Path) -> None:
    assert stored_contents.hash_matches(objects, slot(tmp_path, PARTS)) is None
    assert stored_contents.hash_matches(objects, slot(tmp_path, PARTS, b"\n".join(PARTS))) is True
    assert stored_contents.hash_matches(objects, slot(tmp_path, PARTS, b"other")) is False
