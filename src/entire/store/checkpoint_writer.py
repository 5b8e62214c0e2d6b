"""Writes checkpoints: all files of one folder, in one commit, added to the branch by compare-and-swap."""

from __future__ import annotations

import os
import time

from entire.errors import EntireError, PartialCloneError, RefMovedError
from entire.git import refs
from entire.git.write import ImportStream
from entire.model import trailers
from entire.model.ids import CheckpointId, is_session_id, is_tool_id
from entire.model.records import SessionFiles, SessionRecord, summarize
from entire.model.value import Value
from entire.redact import Redacted, trusted
from entire.store import checkpoints, gojson
from entire.store.checkpoints import LOCAL_REF, TRANSCRIPT
from entire.store.steps import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from entire.git.read import Objects
    from entire.model.records import CheckpointSummary
    from entire.store.checkpoints import Checkpoint, Slot

    Entry = tuple[str, str | bytes]  # mode, and an object id or the content
    Changes = dict[str, Entry | None]  # path to its new entry, None to delete; applied in order

FILE = "100644"
TASKS = "tasks"
_TREE = "040000"
_FIRST_MESSAGE = b"Initialize metadata branch\n\nThis branch stores session metadata for the auto-commit strategy.\n"
_ATTEMPTS = 12
_PROMPT_CUT = 500
MAX_PARTS = 1000  # the base file and .001 to .999: readers expect three digits


class SlotContent(Value):
    """All content of one session. ``parts`` are the transcript's parts in order: object ids, or contents."""

    record: SessionRecord
    parts: tuple[str | Redacted, ...] = ()
    content_hash: str = ""
    prompts: tuple[Redacted, ...] = ()


class TaskContent(Value):
    """A subagent's task. ``transcript`` is an object id or content; ``increments``: numbered records by file name."""

    tool_use_id: str
    session_id: str
    agent_id: str = ""
    checkpoint_uuid: str = ""
    transcript: str | Redacted = ""
    increments: Mapping[str, str | Redacted] = {}


def compose(
    sessions: Sequence[SlotContent],
    existing: Checkpoint | None = None,
    *,
    tasks: Sequence[TaskContent] = (),
    beside: Mapping[str, str | Redacted] | None = None,
) -> Changes:
    """Return the changes that put these sessions, all of one checkpoint, into the tree.

    A session in ``existing`` gets its old slot, which is emptied first; others take the next number. Slots are numbered
    0..n-1, each with its metadata, even where older data had gaps. ``beside``: our own files next to the slots.
    """
    checkpoint_id = _check_sessions(sessions)
    root = checkpoint_id.path
    slots, changes = _renumber(existing, root)
    places = {slot.session_id: number for number, slot in enumerate(slots)}
    records = [record_of(slot, checkpoint_id) for slot in slots]
    pointers = [_pointers(slot, existing, root, number) for number, slot in enumerate(slots)]
    for session in sessions:
        number = places.setdefault(session.record.session_id, len(records))
        if number < len(records):
            changes[f"{root}/{number}"] = None
            records[number], pointers[number] = session.record, SessionFiles()
        else:
            records.append(session.record)
            pointers.append(SessionFiles())
        written, pointers[number] = _slot_files(session, f"{root}/{number}")
        changes.update(written)
    for task in tasks:
        changes.update(_task_files(task, root))
    for name, content in (beside or {}).items():
        changes[f"{root}/{name}"] = (FILE, content)
    extra = existing.summary.extra if existing is not None else None
    changes[f"{root}/metadata.json"] = (FILE, metadata(summarize(records, pointers, extra)))
    return changes


def _check_sessions(sessions: Sequence[SlotContent]) -> CheckpointId:
    """Reject what would write outside of the checkpoint's folder and what the Go CLI could not read."""
    ids = {session.record.checkpoint_id for session in sessions}
    if len(ids) != 1:
        raise EntireError(f"sessions of one checkpoint name {len(ids)} checkpoint ids")
    for session in sessions:
        if not is_session_id(session.record.session_id):
            raise EntireError(f"invalid session id: {session.record.session_id!r}")
        if len(session.parts) > MAX_PARTS:
            raise EntireError(f"cannot store a transcript in {len(session.parts)} parts, the limit is {MAX_PARTS}")
    return CheckpointId(ids.pop())


def _renumber(existing: Checkpoint | None, root: str) -> tuple[list[Slot], Changes]:
    """Return the existing slots, and the moves that number them 0..n-1 (none for a well-formed checkpoint)."""
    if existing is None:
        return [], {}
    changes: Changes = {}
    slots = sorted(existing.slots, key=lambda slot: slot.number)
    moved = [(number, slot) for number, slot in enumerate(slots) if slot.number != number]
    for _, slot in moved:
        changes[f"{root}/{slot.number}"] = None
    for number, slot in moved:
        changes[f"{root}/{number}"] = (_TREE, slot.tree)
    for number, slot in enumerate(slots):
        if slot.record is None:
            changes[f"{root}/{number}/metadata.json"] = (FILE, metadata(record_of(slot, existing.id)))
    return slots, changes


def record_of(slot: Slot, checkpoint_id: str) -> SessionRecord:
    """Return a slot's record, or a placeholder: the Go CLI cannot add to a checkpoint without one."""
    if slot.record is not None:
        return slot.record
    return SessionRecord(
        checkpoint_id=checkpoint_id,
        session_id=f"unknown-{slot.tree[:12]}",
        strategy="manual-commit",
        created_at=gojson.rfc3339(0),
    )


def _pointers(slot: Slot, existing: Checkpoint | None, root: str, number: int) -> SessionFiles:
    """Return an existing slot's pointers if they are still valid, else new ones from its files."""
    folder = f"/{root}/{number}/"
    if existing is not None and slot.number == number:
        for entry in existing.summary.sessions:
            if entry.metadata == folder + "metadata.json":
                return entry
    return pointers_of(slot, folder)


def pointers_of(slot: Slot, folder: str) -> SessionFiles:
    """Return the pointers to a slot's files in a folder of the tree (``/a1/b2c3d4e5f6/0/``)."""
    return SessionFiles(
        metadata=folder + "metadata.json",
        transcript=folder + TRANSCRIPT,
        context=folder + "context.md" if "context.md" in slot.files else "",
        content_hash=folder + "content_hash.txt",
        prompt=folder + "prompt.txt" if "prompt.txt" in slot.files else "",
    )


def _slot_files(session: SlotContent, folder: str) -> tuple[Changes, SessionFiles]:
    """Return one session's files and the pointers to them. Pointers to transcript and hash are always set."""
    changes: Changes = {f"{folder}/metadata.json": (FILE, metadata(session.record))}
    for number, part in enumerate(session.parts):
        changes[f"{folder}/{TRANSCRIPT}" + (f".{number:03}" if number else "")] = (FILE, part)
    if session.content_hash:
        changes[f"{folder}/content_hash.txt"] = (FILE, session.content_hash.encode("ascii"))
    if session.prompts:
        changes[f"{folder}/prompt.txt"] = (FILE, prompt_text(session.prompts))
        changes[f"{folder}/context.md"] = (FILE, context_text(session.prompts))
    return changes, SessionFiles(
        metadata=f"/{folder}/metadata.json",
        transcript=f"/{folder}/{TRANSCRIPT}",
        context=f"/{folder}/context.md" if session.prompts else "",
        content_hash=f"/{folder}/content_hash.txt",
        prompt=f"/{folder}/prompt.txt" if session.prompts else "",
    )


def _task_files(task: TaskContent, root: str) -> Changes:
    if not is_tool_id(task.tool_use_id) or (task.agent_id and not is_tool_id(task.agent_id)):
        raise EntireError(f"invalid task id: {task.tool_use_id!r}, {task.agent_id!r}")
    folder = f"{root}/{TASKS}/{task.tool_use_id}"
    value = {"session_id": task.session_id, "tool_use_id": task.tool_use_id, "checkpoint_uuid": task.checkpoint_uuid}
    if task.agent_id:
        value["agent_id"] = task.agent_id
    changes: Changes = {f"{folder}/checkpoint.json": (FILE, gojson.dumps(value))}
    if task.transcript:
        changes[f"{folder}/agent-{task.agent_id or task.tool_use_id}.jsonl"] = (FILE, task.transcript)
    for name, content in task.increments.items():
        if "/" in name or name.startswith("."):
            raise EntireError(f"invalid task record name: {name!r}")
        changes[f"{folder}/checkpoints/{name}"] = (FILE, content)
    return changes


def metadata(value: SessionRecord | CheckpointSummary) -> bytes:
    return gojson.dumps(value.to_json())


def task_folder(checkpoint_id: CheckpointId, tool_use_id: str) -> str:
    """Return the path of a task's record in the tree, as the trailer of its own checkpoint names it."""
    return f"{checkpoint_id.path}/{TASKS}/{tool_use_id}"


def new_message(checkpoint_id: CheckpointId, pairs: Iterable[tuple[str, str]], description: str = "") -> bytes:
    """Return the message of the commit that adds a checkpoint, or a session to one; ``pairs`` as in formats.md 2.1.

    ``description``: of a subagent's own checkpoint, the subject of its commit.
    """
    middle = f"{' '.join(description.split())}\n\n" if description.strip() else ""
    text = f"Checkpoint: {checkpoint_id}\n\n{middle}{trailers.format_lines(pairs)}"
    return text.encode("utf-8", "surrogateescape")


def finalize_message(checkpoint_id: CheckpointId) -> bytes:
    """Return the message of the commit that replaces transcripts at a turn's end."""
    return f"Finalize transcript for Checkpoint: {checkpoint_id}".encode()


def summary_message(checkpoint_id: CheckpointId, session_id: str) -> bytes:
    """Return the message of the commit that adds a model's summary."""
    return f"Update summary for checkpoint {checkpoint_id} (session: {session_id})".encode("utf-8", "surrogateescape")


class CheckpointAttempt:
    """One attempt to add a commit to the branch; ``base`` is its parent, '' for none."""

    def __init__(self, where: str, objects: Objects, base: str, old: str, *, is_repeated: bool) -> None:
        self.base = base
        self.is_repeated = is_repeated  # another process moved the branch during the previous attempt
        self.commit = ""  # what the branch holds once the attempt has succeeded
        self._where = where
        self._objects = objects
        self._old = old
        self.failure: RefMovedError | None = None

    def write(self, changes: Changes, *, message: bytes, author: str, moves: Sequence[refs.RefMove] = ()) -> None:
        """Write the commit, then move the branch and ``moves`` in one ref transaction. Without changes, do nothing."""
        if not changes:
            self.commit = self.base
            return
        new = store(self._where, self.base, changes, message=message, author=author, objects=self._objects)
        try:
            refs.move(self._where, [refs.RefMove(ref=LOCAL_REF, new=new, old=self._old), *moves])
            self.commit = new
        except RefMovedError as error:
            self.failure = error


def attempts(where: str, objects: Objects) -> Iterator[CheckpointAttempt]:
    """Yield attempts to write one commit on the branch until one succeeds; write each on its own base.

    Raises RefMovedError if other processes keep moving the branch. A branch that only a remote has is continued.
    """
    for number in range(_ATTEMPTS):
        base, old = find_base(where, objects)
        attempt = CheckpointAttempt(where, objects, base, old, is_repeated=number > 0)
        yield attempt
        if attempt.failure is None:
            return
        if number == _ATTEMPTS - 1:
            raise attempt.failure
        time.sleep((number + 1) * int.from_bytes(os.urandom(1), "big") / 256 * 0.02)


def store(
    where: str, base: str, changes: Changes, *, message: bytes, author: str, objects: Objects | None = None
) -> str:
    """Write a commit on ``base`` ('': the branch's first); return its id. No ref is moved. ``objects`` saves a git."""
    stream = ImportStream(where, objects)
    entries = {path: _entry(stream, entry) for path, entry in changes.items()}
    parent = base or stream.commit(message=_FIRST_MESSAGE, author=author, changes={})
    mark = stream.commit(message=message, author=author, parents=(parent,), changes=entries)
    return stream.write()[mark]


def find_base(where: str, objects: Objects) -> tuple[str, str]:
    """Return the parent commit ('' for none), and the value the local branch must still have when it is moved."""
    local = objects.commit(LOCAL_REF)
    if local is not None:
        return local.oid, local.oid
    known = checkpoints.tips(where)
    tip = known.get(LOCAL_REF) or next(iter(known.values()), "")
    try:
        objects.get(f"{tip}^{{tree}}" if tip else "")
    except PartialCloneError:  # a clone without folders: what is written here has a root of its own, which a push joins
        tip = ""
    return tip, known.get(LOCAL_REF, "")


def _entry(stream: ImportStream, entry: Entry | None) -> tuple[str, str] | None:
    if entry is None:
        return None
    mode, content = entry
    return (mode, content if isinstance(content, str) else stream.blob(content))


def context_text(prompts: Iterable[Redacted]) -> Redacted:
    """Return the content of ``context.md``; prompts are cut at 500 bytes, never inside a character."""
    out = [b"# Session Context\n\n## User Prompts\n\n"]
    for number, prompt in enumerate(prompts, 1):
        shown = bytes(prompt)
        if len(shown) > _PROMPT_CUT:
            shown = shown[:_PROMPT_CUT].decode("utf-8", "ignore").encode() + b"..."
        out.append(b"### Prompt %d\n\n%s\n\n" % (number, shown))
    return trusted(b"".join(out))
