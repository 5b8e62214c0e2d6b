"""The end of a stored transcript: the same records as in the whole, with the same numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.errors import MissingObjectError
from entire.git.read import Objects
from entire.store import checkpoints, transcript_ends
from entire.store.checkpoints import Slot
from tests.unit.git.repo import Repo

lines = st.binary(max_size=12).map(lambda data: data.replace(b"\n", b""))
parts = st.lists(st.lists(lines, min_size=1, max_size=6).map(b"\n".join), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(tmp_path_factory.mktemp("ends") / "repo")


def slot(repo: Repo, contents: list[bytes]) -> Slot:
    names = ["full.jsonl", *(f"full.jsonl.{number:03}" for number in range(1, len(contents)))]
    files = {name: repo.blob(data) for name, data in zip(names, contents, strict=True)}
    return Slot(number=0, tree="", files=files, record=None)


@given(parts, st.integers(0, 60), st.integers(1, 12))
@settings(max_examples=25)
def test_what_is_left_out_is_whole_records_from_the_beginning(
    repo: Repo, contents: list[bytes], most: int, records: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, Objects(repo.top) as objects:
        patch.setattr(transcript_ends, "BYTES", most)
        patch.setattr(transcript_ends, "RECORDS", records)
        stored = slot(repo, contents)
        whole = checkpoints.transcript(objects, stored)
        end = transcript_ends.read(objects, stored)
    numbered = dict(enumerate(whole.split(b"\n")))
    shown = dict(enumerate(end.data.split(b"\n"), end.first)) if end.data else {}
    assert shown.items() <= numbered.items()
    assert end.left_out == len(whole) - len(end.data)
    assert len(end.data) <= most + len(contents) or not end.left_out
    assert bool(end.note) == bool(end.left_out)
    if len(whole) < most and whole.count(b"\n") + (not whole.endswith(b"\n")) <= records:
        assert end.data == whole


def test_a_document_is_shown_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_ends, "RECORDS", 2)
    document = b'{\n  "messages": [\n    1,\n    2\n  ]\n}\n'
    assert transcript_ends.cut(document).data == document
    monkeypatch.setattr(transcript_ends, "_DOCUMENT_LINES", 3)
    end = transcript_ends.cut(document)
    assert (end.data, end.left_out) == (b"", len(document))


def test_a_part_that_git_lacks(repo: Repo) -> None:
    lost = Slot(number=0, tree="", files={"full.jsonl": "12" * 20}, record=None)
    with Objects(repo.top) as objects, pytest.raises(MissingObjectError):
        transcript_ends.read(objects, lost)
