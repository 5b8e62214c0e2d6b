"""The content of transcripts that commands change is found like a private file's."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.layout import Place
from entire.undo import changed_transcripts, inverse, transaction
from entire.undo.changed_transcripts import ChangedTranscript
from entire.undo.draft import Draft
from entire.undo.transaction import Transaction

NOW = 1_770_000_000.0
REF = "agent:///db#s-1"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    git_dir = tmp_path / "work/.git"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    return Place(top=str(tmp_path / "work"), git_dir=str(git_dir), common_dir=str(git_dir))


def change(place: Place, was: bytes, becomes: bytes) -> Transaction:
    draft = Draft(place, "rewind", "rewind to abc", now=NOW)
    draft.note_transcript(REF, was, becomes)
    draft.note_transcript("other", b"", b"new")
    assert (draft.planned(REF), draft.planned("other"), draft.planned("unknown")) == (becomes, b"new", None)
    assert draft.noted() == {REF: was, "other": b""}
    return draft.carry_out()


def kept(place: Place) -> list[bytes]:
    return [Path(copy).read_bytes() for (copy,) in transaction.copies(place, REF) if copy]


def test_an_undo_swaps_before_and_after(place: Place) -> None:
    done = change(place, b"one\ntwo\n", b"one\n")
    assert (done.private, kept(place)) == ((REF, "other"), [b"one\ntwo\n"])
    draft = inverse.of(place, done, now=NOW)
    assert draft.noted() == {REF: b"one\n", "other": b"new"}
    assert (draft.planned(REF), draft.planned("other")) == (b"one\ntwo\n", None)
    draft.carry_out()
    assert kept(place) == [b"one\n", b"one\ntwo\n"]


def test_an_undo_of_several_goes_from_the_last_to_the_first(place: Place) -> None:
    first, second = change(place, b"3", b"2"), change(place, b"2", b"1")
    draft = inverse.of(place, second, first, now=NOW)
    assert (draft.noted()[REF], draft.planned(REF)) == (b"1", b"3")
    draft.discard()


@pytest.mark.parametrize(
    "value",
    [[], ["a", "b"], [1, "transcripts/0.was", "transcripts/0.becomes"], ["a", "../x", "transcripts/0.becomes"],
     ["a", "transcripts/0.was", "/etc/passwd"]],
)  # fmt: skip
def test_what_is_garbled_is_refused(value: list[object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        changed_transcripts.from_json(value)
    fine = ChangedTranscript(ref="a", was="transcripts/0.was", becomes="transcripts/0.becomes")
    assert changed_transcripts.from_json(fine.to_json()) == fine
