"""Each kind of change that can be undone is a line of the table, with notes and an undo in its own room."""

from __future__ import annotations

import inspect

import pytest

from entire.forgetting.planning import ForgetNotes
from entire.linking.repair import LinkNotes, UnlinkNotes
from entire.maintenance.clean import CleanNotes
from entire.maintenance.reset import ResetNotes
from entire.resume.restore import ResumeNotes
from entire.rewind.plan import RewindNotes
from entire.undo import kinds
from entire.undo.kinds import KINDS, Kind

NOTES = {notes.command: notes for notes in
         (CleanNotes, ForgetNotes, LinkNotes, ResetNotes, ResumeNotes, RewindNotes, UnlinkNotes)}  # fmt: skip


def test_each_kind_has_notes_of_its_own() -> None:
    assert NOTES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_kind_is_undone_with_a_context(kind: Kind) -> None:
    assert next(iter(inspect.signature(kind.load()).parameters)) == "context"


def test_only_what_puts_conversations_back_is_undone_and_redone() -> None:
    assert [command for command in (*KINDS, "of another version") if kinds.can_redo(command)] == ["rewind", "resume"]
