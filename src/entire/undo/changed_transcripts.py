"""Transcripts that commands change: their content before and after is noted, since no file of the plan holds it."""

from __future__ import annotations

import os

from entire import contents
from entire.model.value import Value
from entire.undo import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from entire.model.transcripts import Content

_FOLDER = "transcripts"


class ChangedTranscript(Value):
    """A transcript by its agent's reference, with copies of it in the transaction's folder."""

    ref: str
    was: str
    becomes: str

    def to_json(self) -> list[Any]:
        return [self.ref, self.was, self.becomes]


def from_json(value: list[Any]) -> ChangedTranscript:
    """Return what ``ChangedTranscript.to_json`` wrote; raises ValueError or TypeError for anything else."""
    ref, was, becomes = value
    if not isinstance(ref, str) or any(os.path.dirname(copy) != _FOLDER for copy in (was, becomes)):
        raise ValueError("invalid transcript")
    return ChangedTranscript(ref=ref, was=was, becomes=becomes)


def note(folder: str, number: int, ref: str, was: Content, becomes: Content) -> ChangedTranscript:
    """Copy a transcript's content before and after into a transaction's folder."""
    noted = ChangedTranscript(ref=ref, was=f"{_FOLDER}/{number}.was", becomes=f"{_FOLDER}/{number}.becomes")
    backups.write_copy(os.path.join(folder, noted.was), was, 0o600)
    backups.write_copy(os.path.join(folder, noted.becomes), becomes, 0o600)
    return noted


def read(folder: str, copy: str) -> Content:
    return contents.of_file(os.path.join(folder, copy))


def way_back(groups: Iterable[tuple[str, Sequence[ChangedTranscript]]]) -> Mapping[str, tuple[Content, Content]]:
    """Return the content before and after the undo of some groups, the newest first; each comes with its folder."""
    by_ref: dict[str, tuple[Content, Content]] = {}
    for folder, group in groups:
        for noted in group:
            present, _ = by_ref.get(noted.ref) or (read(folder, noted.becomes), b"")
            by_ref[noted.ref] = (present, read(folder, noted.was))
    return by_ref
