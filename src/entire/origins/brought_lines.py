"""Uncommitted lines of commits that ``git reset`` took back, or that a merge, squash or pick in progress brings: they
are their writers', as the commits' checkpoints say.

The journal knows them too, but only where the worktree had it when they were committed: not in a linked worktree that
was added since, nor in a clone.
"""

from __future__ import annotations

from entire.attribution.replay import is_trivial
from entire.errors import GitError
from entire.git import blame, operation, reflog
from entire.model import trailers
from entire.model.turns import PERSON, Owner
from entire.model.value import replace
from entire.origins import line_origins
from entire.origins.owners import Owners
from entire.origins.stored import StoredCheckpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.git.read import Objects
    from entire.layout import Place
    from entire.origins.uncommitted import OwnedRange, UncommittedFile
    from entire.store.catalog import Catalog


class BroughtLines:
    """Knows the newest commits of what was taken back or is brought."""

    def __init__(self, place: Place, objects: Objects, catalog: Catalog) -> None:
        self._place = place
        self._objects = objects
        self._catalog = catalog
        state = operation.state(place)
        tips = (reflog.reset_from(place), *state.merge_heads, state.picked, *state.squashed[-1:])
        self._tips = [tip for tip in (*tips, *self._picked(state.message)) if tip]

    def _picked(self, message: str) -> Iterator[str]:
        """Yield the commits of the checkpoints that a pick without a commit names."""
        ids = trailers.trailing_ids(message)
        stored = StoredCheckpoints(self._objects, self._catalog.commits)
        stored.load(ids)
        for checkpoint_id in ids:
            lineage = stored.lineage(checkpoint_id)
            if lineage is not None:
                yield lineage.numbered_in

    def give_back(self, file: UncommittedFile) -> UncommittedFile:
        """Return a file in which the lines of turns that nothing else tells of have their owners."""
        persons = [part for part in file.ranges if part.owner == PERSON]
        writers = self._writers(file.path) if self._tips and persons and not file.is_binary else {}
        if not writers:
            return file
        texts = file.text.split(b"\n")
        ranges = [
            again for part in file.ranges for again in (_divided(part, texts, writers) if part in persons else [part])
        ]
        return replace(file, ranges=tuple(ranges))

    def _writers(self, path: str) -> dict[bytes, list[Owner]]:
        """Return who wrote the file's lines there, by text, in their order."""
        writers: dict[bytes, list[Owner]] = {}
        for tip in self._tips:
            try:
                blamed = blame.of(self._place.top, [], path, tip)
            except GitError:
                continue  # it was not there
            owners = Owners(self._place, self._objects, self._catalog.commits)
            owners.prepare(blamed.groups)
            for entry in line_origins.pieces(owners, blamed):
                for text in blamed.lines[entry.line - 1 : entry.line - 1 + entry.piece.count]:
                    if not is_trivial(text):
                        writers.setdefault(text, []).append(entry.piece.owner.committed())
        return writers


def _divided(part: OwnedRange, texts: list[bytes], writers: dict[bytes, list[Owner]]) -> Iterator[OwnedRange]:
    for number in range(part.first, part.last + 1):
        known = writers.get(texts[number - 1])
        owner = known.pop(0) if known else PERSON
        yield replace(part, first=number, last=number, owner=owner if owner.is_turn else PERSON)
