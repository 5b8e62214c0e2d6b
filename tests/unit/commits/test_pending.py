"""The pending record is loaded as it was saved; a corrupt one is renamed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.attribution.path_lines import PathLines
from entire.layout import Place
from entire.model.turns import Owner
from entire.recording import pending
from entire.recording.pending import CommitKind, Pending

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
texts = st.lists(text, max_size=3).map(tuple)
number = st.integers(1, 99)
owner = st.builds(Owner, text)
lines = st.builds(
    PathLines, path=text, status=st.sampled_from("ADMRT"), binary=st.booleans(),
    added=st.lists(st.tuples(number, number, owner), max_size=3).map(tuple),
    removed=st.dictionaries(owner, number, max_size=2),
    path_owner=owner, old_path=text,
)  # fmt: skip
records = st.builds(
    Pending, kind=st.sampled_from(list(CommitKind)), head=text, tree=text, moment=st.floats(0, 2e9), id=text,
    update=text, ids=texts,
    sessions=st.dictionaries(text, st.lists(text, max_size=2), max_size=2),
    left=st.dictionaries(text, st.lists(owner), max_size=2),
    lines=st.lists(lines, max_size=3).map(tuple), paths=texts, running=texts, patch_id=text, reason=text,
    task=text, pid=number, started=text,
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


@given(records)
@settings(max_examples=40)
def test_what_was_decided_comes_back(place: Place, record: Pending) -> None:
    pending.save(place, record)
    assert os.path.exists(place.pending_file)
    assert pending.load(place) == record
    pending.drop(place)
    pending.drop(place)
    assert not os.path.exists(place.pending_file)
    assert pending.load(place) is None


@pytest.mark.parametrize("value", ["", "{", "[]", "{}", {"kind": "plain"}, {"lines": [[1]]}, {"lines": 3}])
def test_a_corrupt_record_is_none_and_renamed(place: Place, value: object) -> None:
    path = Path(place.pending_file)
    path.parent.mkdir(parents=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    assert pending.load(place) is None
    assert not path.exists()
    assert Path(f"{path}.broken").exists()


def test_a_name_that_is_no_utf_8(place: Place) -> None:
    record = Pending(kind=CommitKind.PLAIN, head="", tree="", moment=0.0, paths=("\udcff",))
    pending.save(place, record)
    assert pending.load(place) == record
