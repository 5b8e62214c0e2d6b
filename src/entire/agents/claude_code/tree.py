"""The tree that the records of a transcript form: says after which prompt the conversation goes on.

A record names its parent; a rewind in the agent leaves an abandoned branch in the file. A compaction may name a parent
that was never written; then the conversation goes on after what it preserved.
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.untrusted import clean, dict_of
from entire.conversation.records import MOVED, RESTARTED, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from entire.agents.claude_code.records import Native
    from entire.agents.transcripts import Source

_NONE = -1  # the place of no prompt: the root, or before what was read
_MAX_SEARCHES = 16  # of the whole file, at about 100 ms per 100 MB; a session needs at most one
_NIL = "00000000-0000-0000-0000-000000000000"


class Before:
    """The file before the part that is read; it knows nothing of who reads that, so that no circle keeps the file."""

    def __init__(self, source: Source, end: int) -> None:
        self._source = source
        self.end = end
        self._searches = 0

    def has(self, needles: tuple[bytes, ...]) -> bool:
        """Search it; the number of searches is limited, as a strange file could need many."""
        if self.end == 0 or self._searches >= _MAX_SEARCHES:
            return False
        self._searches += 1
        return transcripts.contains(self._source, needles, self.end)


class Tree:
    """Follows the records of a part of a file. ``occurs_before`` searches the file before that part."""

    def __init__(self, occurs_before: Callable[[tuple[bytes, ...]], bool]) -> None:
        self._occurs_before = occurs_before
        self._above: dict[int, int] = {}  # hash of a uuid -> the record of the nearest prompt
        self._tip = _NONE  # the record of the prompt after which the conversation goes on
        self._is_sure = True  # False after a note about an end that was not read so far
        self._leaf = 0  # hash of the last record's uuid
        self._continuing = _NONE  # the last prompt if its parent is the record before it
        self._has_parents = False  # if any record has a parent, one without starts the conversation again
        self._unread: dict[str, list[int]] = {}  # ends that were not read so far -> the notes that name them

    def grow(self, native: Native, at: int, *, is_said: bool = False, is_prompt: bool = False) -> Iterator[Mark]:
        """Add a record; a prompt or an answer becomes the conversation's end."""
        parents = _parents(native)
        above = self._place_above(native, parents)
        if is_said or is_prompt:
            yield from self._move(at, above)
        if is_prompt:
            self._tip = above = at
            self._continuing = at if parents and hash(parents[0]) == self._leaf else _NONE
        uuid = native.get("uuid")
        if isinstance(uuid, str):
            self._leaf = hash(uuid)
            self._above[self._leaf] = above

    def _move(self, at: int, prompt: int) -> Iterator[Mark]:
        if prompt != self._tip or not self._is_sure:
            self._tip, self._is_sure = prompt, True
            yield Mark(position=at, kind=MOVED, first=prompt)

    def _place_above(self, native: Native, parents: tuple[str, ...]) -> int:
        if "parentUuid" not in native:
            return self._tip  # the old short form is a list
        if parents:
            self._has_parents = self._has_parents or bool(native["parentUuid"])
            return self._nearest(parents)
        if self._tip != _NONE and (self._has_parents or self._occurs_before((b'"parentUuid":"', b'"parentUuid": "'))):
            return _NONE  # rewound to the start of the conversation
        return self._tip

    def _nearest(self, uuids: tuple[str, ...]) -> int:
        """Return the prompt above the first known record: none if it was not read, the current one if it is nowhere."""
        known = next((number for uuid in uuids if (number := self._above.get(hash(uuid))) is not None), None)
        if known is not None:
            return known
        return _NONE if self._tip == _NONE or any(map(self._is_before, uuids)) else self._tip

    def _is_before(self, uuid: str) -> bool:
        name = uuid.encode("utf-8", "replace")
        return self._occurs_before((b'"uuid":"' + name + b'"', b'"uuid": "' + name + b'"'))

    def note(self, native: Native, at: int) -> Iterator[Mark]:
        """Follow a note about the conversation's end: nothing else records a rewind that no prompt of its own shows."""
        if native.get("leafUuid") == _NIL and native.get("explicit") is True:
            # A rewind came before the last prompt. If its parent is the end of what was said before, the conversation
            # starts with it again: the only trace of a rewind to the first prompt.
            if self._continuing != _NONE:
                yield from self._move(at, self._continuing)
                yield Mark(position=at, kind=RESTARTED, first=self._continuing)
            self._continuing = _NONE
            return
        leaf = clean(native.get("leafUuid"))
        if not leaf or leaf == _NIL:
            return
        if hash(leaf) in self._above:
            yield from self._move(at, self._nearest((leaf,)))
        else:
            self._unread.setdefault(leaf, []).append(at)
            self._is_sure = False

    def unresolved(self) -> Iterator[Mark]:
        """Move to the ends that are before the part: those that were written later have become ends by themselves."""
        for leaf, notes in self._unread.items():
            if hash(leaf) not in self._above and self._is_before(leaf):
                yield from (Mark(position=at, kind=MOVED, first=_NONE) for at in notes)


def _parents(native: Native) -> tuple[str, ...]:
    """Return where a record continues, the best first; none if it is a root or in no tree."""
    if "uuid" not in native or "parentUuid" not in native or not clean(native["uuid"]):
        return ()
    preserved = dict_of(dict_of(native.get("compactMetadata")).get("preservedSegment")).get("tailUuid")
    named = (native["parentUuid"], native.get("logicalParentUuid"), preserved)
    return tuple(parent for value in named if (parent := clean(value)))
