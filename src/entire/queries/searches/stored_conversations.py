"""The conversations in the checkpoints, for the search index: what is new there since it was brought up to date."""

from __future__ import annotations

import itertools
import sys

from entire import parallel
from entire.agents import readings
from entire.directory import AgentDirectory
from entire.errors import MissingObjectError
from entire.git import bulk
from entire.git.read import parse_tree
from entire.index.entries import IndexSource
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.times import parse_time
from entire.model.value import replace
from entire.queries.searches import entries
from entire.queries.transcripts.state_blobs import StateBlobs
from entire.store import checkpoints, transcript_ends
from entire.store.checkpoints import Slot
from entire.store.transcript_ends import TranscriptEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
    from types import TracebackType

    from entire.agents.contract import Agent
    from entire.git.read import Object
    from entire.index.entries import IndexEntry
    from entire.store.catalog import Catalog
    from entire.store.checkpoints import Task

    Tree = tuple[CheckpointId, str]  # a checkpoint's id and its tree
    Files = tuple[tuple[str, str], ...]  # names and ids


_AT_ONCE = 8192
_MANY = 10_000


class StoredConversations:
    """Compares the checkpoints with the trees that the index has taken in. Use it as a context manager."""

    def __init__(self, catalog: Catalog, known: Set[tuple[str, str]]) -> None:
        self._top = catalog.place.top
        self._objects = StateBlobs(self._top)
        self._states = readings.States()
        self._session_id = ""
        self._slots: dict[str, tuple[int, str, Files]] = {}
        self._with_tasks: set[str] = set()  # trees of checkpoints
        self._slot_tasks: list[tuple[CheckpointId, str, str]] = []  # folders in sessions' folders
        self._ahead: Generator[tuple[int, list[IndexEntry], bool]] | None = None
        self._last: list[IndexEntry] = []
        self.cut: set[str] = set()
        """The keys of conversations of which only the end was read."""
        self._transcripts: dict[str, str] = {}  # of subagents, by the keys of their sources
        self.trees = {(listed.id, listed.tree) for tip in catalog.commits
                      for listed in checkpoints.list_all(self._top, [tip])}  # fmt: skip
        self._new = sorted(self.trees - known)

    def __enter__(self) -> StoredConversations:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects.close()
        if self._ahead is not None:
            self._ahead.close()

    def sources(self) -> list[IndexSource]:
        """Return the sessions in new checkpoints."""
        sources = []
        for checkpoint_id, tree, slot in self._read_slots():
            if slot.record is not None and slot.session_id:
                self._slots[_key(checkpoint_id, tree, slot)] = slot.number, slot.tree, _read_later(slot)
                if "tasks" in slot.files:
                    self._slot_tasks.append((checkpoint_id, tree, slot.files["tasks"]))
                sources.append(_source(checkpoint_id, tree, slot.record, slot))
        self._objects.expect(
            oid for _, _, files in self._slots.values() for oid in checkpoints.transcript_files(dict(files)).values()
        )
        return [*sources, *self._subagents(sources)]

    def _subagents(self, sources: Sequence[IndexSource]) -> Iterator[IndexSource]:
        """Yield the conversations of subagents in new checkpoints; each belongs to a session there."""
        sessions = {(source.checkpoint_id, source.session_id): source for source in sources}
        for checkpoint_id, tree, task in self._read_tasks():
            session = sessions.get((checkpoint_id, task.session_id))
            for name, oid in task.transcripts.items() if session is not None else ():
                assert session is not None
                subagent = name.removeprefix("agent-").removesuffix(".jsonl")
                key = f"{checkpoint_id}/{tree}/{task.tool_use_id} {subagent}"
                self._transcripts[key] = oid
                yield session._replace(key=key, subagent=subagent)

    def _read_tasks(self) -> Iterator[tuple[CheckpointId, str, Task]]:
        """Yield the tasks in new checkpoints; some tools keep them in a session's folder."""
        folders = [(name, tree, f"{tree}:tasks") for name, tree in self._new if tree in self._with_tasks]
        folders += [(name, tree, oid) for name, tree, oid in self._slot_tasks]
        for checkpoint_id, tree, folder in folders:
            for entry in self._objects.tree(folder):
                yield checkpoint_id, tree, checkpoints.read_task(self._objects, entry)

    def expect(self, wanted: Mapping[str, Sequence[IndexSource]]) -> None:
        """Let other processes read, if it is long and not very many. ``wanted``: what is read next, in this order, by
        conversation.
        """
        files = (checkpoints.transcript_files(dict(files)).values() for _, _, files in self._slots.values())
        copies = parallel.processors() - 1  # one writes
        is_long = self._objects.sizes(itertools.chain.from_iterable(files)) > parallel.LONG
        if copies and len(self._slots) < _MANY and is_long:
            self._objects.close()
            self._ahead = parallel.results(list(wanted.values()), self._find, copies)

    def read(self, source: IndexSource) -> list[IndexEntry]:
        """Return what a session says in a checkpoint."""
        common, rest, is_cut = next(self._ahead if self._ahead is not None else self._find([source]))
        self._last = [*self._last[:common], *rest]
        self.cut.update([source.key] if is_cut else [])
        return self._last

    def _find(self, sources: Iterable[IndexSource]) -> Iterator[tuple[int, list[IndexEntry], bool]]:
        """Yield of conversations how much they have in common with the one before, the rest of what they say, and
        whether only their end was read.
        """
        last: list[IndexEntry] = []
        of = ""
        for source in sources:
            said, is_cut = self._said(source)
            common = len(said) if source.conversation == of and last[: len(said)] == said else 0
            yield common, said[common:], is_cut
            last, of = said, source.conversation

    def _said(self, source: IndexSource) -> tuple[list[IndexEntry], bool]:
        agent = AgentDirectory.without_plugins().make_by_type(source.agent)
        if source.subagent:
            end = transcript_ends.of_blob(self._objects, self._transcripts[source.key])
            reading = readings.of_subagent(agent, end.data, source.subagent)
            return entries.of(reading.messages()), bool(end.left_out)
        number, tree, files = self._slots.pop(source.key)
        slot = Slot(number=number, tree=tree, files=dict(files), record=None)
        if self._session_id != source.session_id:
            self._objects.forget()
            self._states, self._session_id = readings.States(), source.session_id
        end = self._end(slot, agent)
        said = self._states.read(agent, end.data).messages()
        said = [replace(message, at=message.at + end.first) for message in said] if end.first else said
        return entries.of(said, checkpoints.prompts(self._objects, slot)), bool(end.left_out)

    def _end(self, slot: Slot, agent: Agent | None) -> TranscriptEnd:
        try:
            return self._objects.end(slot, agent.reassemble_transcript if agent is not None else None)
        except MissingObjectError:
            return TranscriptEnd(data=b"")

    def gone(self, keys: Iterable[str]) -> list[str]:
        """Return those of the index's conversations that are in no checkpoint any more."""
        present = {f"{checkpoint_id}/{tree}" for checkpoint_id, tree in self.trees}
        return [key for key in keys if key.rpartition("/")[0] not in present]

    def _read_slots(self) -> Iterator[tuple[CheckpointId, str, Slot]]:
        """Yield the sessions of the new checkpoints, of some thousands of these at once."""
        for start in range(0, len(self._new), _AT_ONCE):
            yield from self._slots_of(self._new[start : start + _AT_ONCE])

    def _slots_of(self, new: Sequence[Tree]) -> Iterator[tuple[CheckpointId, str, Slot]]:
        """Yield the sessions of checkpoints: trees, then their folders, then their records, each at once."""
        folders: list[tuple[CheckpointId, str, int, str]] = []
        for (checkpoint_id, tree), obj in zip(new, self._get([tree for _, tree in new]), strict=True):
            entries_ = parse_tree(obj.data, len(obj.oid) // 2) if obj is not None else []
            if any(entry.name == "tasks" for entry in entries_):
                self._with_tasks.add(tree)
            folders += [(checkpoint_id, tree, int(entry.name), entry.oid) for entry in entries_
                        if entry.mode == "040000" and entry.name.isascii() and entry.name.isdigit()]  # fmt: skip
        records = self._get([f"{oid}:metadata.json" for *_, oid in folders])
        trees = self._get([oid for *_, oid in folders])
        for (checkpoint_id, tree, number, oid), record, slot in zip(folders, records, trees, strict=True):
            value = checkpoints.parse_object(record.data if record is not None else None)
            found_ = parse_tree(slot.data, len(slot.oid) // 2) if slot is not None else []
            yield checkpoint_id, tree, Slot(
                number=number, tree=oid, files={entry.name: entry.oid for entry in found_},
                record=SessionRecord.from_json(value) if value is not None else None,
            )  # fmt: skip

    def _get(self, names: Sequence[str]) -> Iterator[Object | None]:
        return bulk.get(self._top, names)


def _read_later(slot: Slot) -> Files:
    """Return the files of a slot that are read later: there may be very many slots."""
    needed = {*checkpoints.transcript_files(slot.files), "content_hash.txt", "prompt.txt"}
    return tuple((sys.intern(name), oid) for name, oid in slot.files.items() if name in needed)


def _key(checkpoint_id: str, tree: str, slot: Slot) -> str:
    return f"{checkpoint_id}/{tree}/{slot.number}"


def _source(checkpoint_id: str, tree: str, record: SessionRecord, slot: Slot) -> IndexSource:
    return IndexSource(
        key=_key(checkpoint_id, tree, slot),
        session_id=sys.intern(record.session_id),
        agent=sys.intern(record.agent),
        branch=sys.intern(record.branch),
        created=parse_time(record.created_at),
        checkpoint_id=checkpoint_id,
        files=tuple(map(sys.intern, record.files_touched)),
    )
