"""What a change notes for its undo: fields in the JSON of its plan, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from entire.errors import CorruptError
from entire.undo.notes import Notes
from entire.undo.transaction import Transaction


class Several(Notes):
    commit: str
    reason: Mapping[str, str] | None
    sessions: tuple[str, ...] = ()
    moment: float = 0.0
    is_merged: bool = False


FULL = Several(undoes="one", commit="c", reason={"why": "x"}, sessions=("s", "t"), moment=2.5, is_merged=True)
JSON = {"undoes": "one", "commit": "c", "reason": {"why": "x"}, "sessions": ["s", "t"], "moment": 2.5,
        "is_merged": True}  # fmt: skip


def transaction(notes: dict[str, Any]) -> Transaction:
    return Transaction(
        id="1", command="x", title="the x", time=0.0, state="done", notes=notes, paths=(), private=(), refs=()
    )


@pytest.mark.parametrize(
    ("notes", "value"),
    [(FULL, JSON), (Several(commit="", reason=None), {"commit": "", "reason": None}), (Notes(), {})],
    ids=["all", "defaults are left out", "none"],
)
def test_notes_are_read_as_they_were_written(notes: Notes, value: dict[str, Any]) -> None:
    assert notes.to_json() == value
    assert type(notes).of(transaction(value)) == notes


def test_what_another_version_noted_besides_is_ignored() -> None:
    assert Several.of(transaction({**JSON, "later": 1})) == FULL
    assert Several.of(transaction({**JSON, "moment": 2})).moment == 2  # as JSON writers shorten it


@pytest.mark.parametrize(
    "value",
    [{}, {"commit": "c"}, {**JSON, "sessions": "s"}, {**JSON, "moment": "2.5"}, {**JSON, "is_merged": "yes"},
     {**JSON, "undoes": None}],
    ids=str,
)  # fmt: skip
def test_other_notes_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(CorruptError, match=r"the notes of the x cannot be used: .*nothing was changed") as refused:
        Several.of(transaction(value))
    assert refused.value.hint == "it stays as the undo point 1"
