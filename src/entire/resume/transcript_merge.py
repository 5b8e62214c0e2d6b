"""Merges a stored transcript with the agent's own file. Writes nothing; the caller does.

Stored transcripts are redacted. Where the agent's live file still agrees with the stored one, the live bytes are kept,
so redaction does not get into it; the rest comes from what is stored.
"""

from __future__ import annotations

import os

from entire import contents
from entire.agents import capabilities, long_transcripts
from entire.agents.forms import reading
from entire.directory import AgentDirectory, resuming
from entire.model import trailers
from entire.model.ids import is_tool_id
from entire.model.positions import START, SessionRef
from entire.model.records import SessionRecord
from entire.model.value import Value, replace
from entire.redact import seals
from entire.store import checkpoints, step_transcripts, steps, stored_contents
from entire.store.checkpoints import Slot
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from entire.agents.contract import Agent, Transcript
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session
    from entire.model.transcripts import Agreement, Content
    from entire.store.checkpoints import Checkpoint

CUT, WRITTEN, UNCHANGED, MISSING = "cut", "written", "unchanged", "missing"


class TranscriptChange(Value):
    """The new content of a conversation's file.

    ``what``: ``cut`` (the live file, shorter), ``written`` (new content), ``unchanged``, ``missing`` (no content is
    known, or the agent has no place for it). ``live_is_newer``: the live file holds something that ``data`` lacks, or
    that is more recent than everything stored.
    """

    session_id: str
    agent: str
    path: str = ""
    data: Content = b""
    what: str = MISSING
    live_is_newer: bool = False
    command: str = ""


def live_path(place: Place, agent: Agent, session: Session | None, session_id: str) -> str:
    """Return where the agent's live transcript is or belongs; '' if the agent cannot continue a stored session, or for
    an id that could lead to another folder.

    A transcript in ``.entire/tmp`` is a copy for hooks, and the agent does not search the folder of a worktree that has
    been moved or removed.
    """
    resumer = capabilities.session_resumer(agent)
    if resumer is None:
        return ""
    folder = resumer.session_dir(place.top)
    entry = AgentDirectory.without_plugins().describe(agent.name)
    is_given = bool(folder) and folder == entry.session_dir(os.environ)  # by a test harness
    path = session.session_ref if session is not None and not is_given else SessionRef()
    is_its_place = bool(path) and not path.startswith(place.tmp_dir + os.sep) and not has_moved(session)
    if is_its_place and (os.path.isfile(path.file) or agent.transcript(path).end() != START):  # it need not be a file
        return path
    return resumer.resolve_session_file(folder, session_id)


def has_moved(session: Session | None) -> bool:
    """Return whether a session's worktree is no longer at its old path."""
    return session is not None and bool(session.worktree.path) and not os.path.isdir(session.worktree.path)


def back_to(
    place: Place, agent: Agent, session: Session | None, session_id: str, stored: Content, records: int | None = None
) -> TranscriptChange:
    """Return the conversation as it was at a point: the first ``records`` of ``stored``, or all of it.

    What the live transcript, or one that a rewind replaced, has of it is restored from there, secrets included; only
    the rest comes from ``stored``.
    """
    change = _new_change(place, agent, session, session_id)
    if not change.path or not stored:
        return change
    return _placed(
        place, agent, _back_to(place, agent, session, change, first_records(agent, change.path, stored, records))
    )


def _back_to(
    place: Place, agent: Agent, session: Session | None, change: TranscriptChange, stored: Content
) -> TranscriptChange:
    live, is_there = _live(agent, session, change.path)
    own = long_transcripts.content(live)
    if not stored and not own:
        return change
    same = long_transcripts.agreement(agent, live, stored)
    if same.stored_is_longer or not own:
        return _with(change, WRITTEN, _unredact(place, agent, change.path, stored, same))
    if same.own_is_longer:
        return _with(change, CUT if is_there else WRITTEN, same.common)
    return _with(change, UNCHANGED if is_there else WRITTEN, own)


def first_records(agent: Agent, session_ref: str, stored: Content, count: int | None) -> Content:
    """Return the first ``count`` records of a stored transcript, all for None."""
    if count is None:
        return stored
    transcript = long_transcripts.opened(agent, session_ref, stored)
    return long_transcripts.until(transcript, transcript.at(count))


def _unredact(place: Place, agent: Agent, path: str, stored: Content, live: Agreement) -> Content:
    """Return what is stored, its start replaced by the longest unredacted copy on this machine."""
    best = live
    for (copy,) in transaction.copies(place, path):
        if best.stored_is_longer and copy:
            kept = long_transcripts.opened(agent, path, contents.of_file(copy))
            same = long_transcripts.agreement(agent, kept, stored)
            best = same if same.extent > best.extent else best
    return best.joined


def onto(
    place: Place, agent: Agent, session: Session | None, session_id: str, stored: Content, created: float = 0.0
) -> TranscriptChange:
    """Return the conversation to continue: the stored transcript merged with the live one.

    ``created``: when it was stored; used for transcripts without times.
    """
    change = _new_change(place, agent, session, session_id)
    return _placed(place, agent, _onto(agent, session, change, stored, created)) if change.path else change


def _onto(
    agent: Agent, session: Session | None, change: TranscriptChange, stored: Content, created: float
) -> TranscriptChange:
    live, is_there = _live(agent, session, change.path)
    own = long_transcripts.content(live)
    if not (stored or own):
        return change
    if not own:
        return _with(change, WRITTEN, stored)
    joined = _join(change, agent, live, own, stored, created)
    if is_there:
        return joined
    # The old file stays at its old path; here nothing is overwritten.
    return _with(change, WRITTEN, own if joined.live_is_newer else joined.data)


def _live(agent: Agent, session: Session | None, path: str) -> tuple[Transcript, bool]:
    """Return the live transcript and True; for a moved worktree, the one at its old place and False."""
    live = agent.transcript(path)
    may_be_elsewhere = session is not None and session.session_ref not in ("", path) and has_moved(session)
    if session is None or not may_be_elsewhere or long_transcripts.content(live):
        return live, True
    return agent.transcript(session.session_ref), False


def _join(
    change: TranscriptChange, agent: Agent, live: Transcript, own: Content, stored: Content, created: float
) -> TranscriptChange:
    """Merge what is stored with an existing live transcript.

    If both went on, the one with the later record is newer; without a time to compare with, the live one.
    """
    same = long_transcripts.agreement(agent, live, stored)
    if not same.stored_is_longer:
        return _with(change, UNCHANGED, own, newer=same.own_is_longer)
    if not same.own_is_longer:
        return _with(change, WRITTEN, same.joined)
    known = last_time(agent, long_transcripts.opened(agent, change.path, stored)) or created
    # When its file was written says nothing about a live transcript without times.
    return _with(change, WRITTEN, stored, newer=not known or last_time(agent, live) > known)


def covered(agent: Agent, session_ref: str, stored: Content, data: Content) -> Content | None:
    """Return the part of ``data`` that corresponds to ``stored``; None if it does not start with all of it."""
    same = long_transcripts.agreement(agent, long_transcripts.opened(agent, session_ref, data), stored)
    return None if same.stored_is_longer else same.common


def _new_change(place: Place, agent: Agent, session: Session | None, session_id: str) -> TranscriptChange:
    path = live_path(place, agent, session, session_id)
    command = resuming.command(agent, session_id)
    return TranscriptChange(session_id=session_id, agent=agent.name, path=path, command=command)


def _with(change: TranscriptChange, what: str, data: Content, *, newer: bool = False) -> TranscriptChange:
    """Return the change, without the thinking blocks that the agent's service would refuse."""
    whole = seals.without_broken(data)
    if what == UNCHANGED and whole is not data:
        what, newer = WRITTEN, False  # nothing that was said there is lost
    return replace(change, what=what, data=whole, live_is_newer=newer)


def _placed(place: Place, agent: Agent, change: TranscriptChange) -> TranscriptChange:
    """Return the change as the agent's file will hold it, which may name the worktree."""
    ask: Callable[[str, str, Content], Content] | None = getattr(agent, "placed", None)  # optional
    return (
        change
        if ask is None or change.what != WRITTEN
        else replace(change, data=ask(place.top, change.path, change.data))
    )


# ---------------------------------------------------------------- times


def last_time(agent: Agent, transcript: Transcript) -> float:
    """Return the time of a transcript's last record, 0.0 if it has none: it knows best itself, then what its adapter
    shows of it, and only then the forms of others.
    """
    ask: Callable[[], float] | None = getattr(transcript, "last_time", None)  # optional
    if ask is not None:
        return ask()
    show = getattr(transcript, "messages", None)  # optional
    told = [message.time for message in show()] if show is not None else []
    analyzer = capabilities.transcript_analyzer(agent, transcript)
    told += [prompt.time for prompt in analyzer.prompts(START)] if analyzer is not None else []
    latest: float = max([*told, reading.last_time(long_transcripts.content(transcript))])
    return latest


# ---------------------------------------------------------------- steps


def slot_of_step(objects: Objects, commit: str, session_id: str, agent_type: str) -> Slot:
    """Return a session's folder in a step as a checkpoint's slot, empty if there is none."""
    files = step_transcripts.session_files(objects, commit, session_id) if commit else {}
    record = SessionRecord(checkpoint_id="", session_id=session_id, strategy="", created_at="", agent=agent_type)
    return Slot(number=0, tree="", files=files, record=record)


# ---------------------------------------------------------------- subagents


def subagents_of_checkpoint(objects: Objects, checkpoint: Checkpoint, session_id: str) -> dict[str, str]:
    """Return the stored transcripts of a session's subagents in a checkpoint: subagent to object id."""
    tasks = [task for task in checkpoints.tasks(objects, checkpoint) if task.session_id in ("", session_id)]
    return _by_subagent({name: oid for task in tasks for name, oid in task.transcripts.items()})


def subagents_of_step(objects: Objects, commit: str, session_id: str) -> dict[str, str]:
    """Return the transcripts of a session's subagents in a step and those before it: subagent to object id.

    A subagent's step holds its own transcript, a turn's those that are new since; the newest counts.
    """
    oids: dict[str, str] = {}
    step = objects.commit(commit)
    while step is not None and b"\n" + trailers.SESSION.encode() in step.message:  # stop at a person's commit
        folders = objects.tree(f"{step.oid}:{steps.metadata_folder(session_id)}/tasks")
        entries = [entry for folder in folders if folder.mode == "040000" for entry in objects.tree(folder.oid)]
        oids = _by_subagent({entry.name: entry.oid for entry in entries}) | oids
        step = objects.commit(step.parents[0]) if step.parents else None
    return oids


def _by_subagent(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files called ``agent-<id>.jsonl`` by id, without ids that could lead to another folder."""
    named = {name[len("agent-") : -len(".jsonl")]: oid for name, oid in files.items()
             if name.startswith("agent-") and name.endswith(".jsonl")}  # fmt: skip
    return {subagent: oid for subagent, oid in named.items() if is_tool_id(subagent)}


def missing_subagents(
    objects: Objects, agent: Agent, path: str, transcript: Content, stored: Mapping[str, str]
) -> dict[str, Content]:
    """Return the subagents' stored transcripts that the agent of the transcript at ``path`` lacks, by subagent."""
    locate = subagent_locator(agent, path, transcript)
    refs = {subagent: locate(subagent) for subagent in stored} if locate is not None else {}
    lacking = {subagent: stored[subagent] for subagent, ref in refs.items()
               if ref and not (os.path.lexists(ref) or long_transcripts.content(agent.transcript(ref)))}  # fmt: skip
    blobs = stored_contents.of_blobs(objects, lacking)
    return {subagent: seals.without_broken(data) for subagent, data in blobs.items() if data}


def subagent_locator(agent: Agent, path: str, transcript: Content) -> Callable[[str], str] | None:
    """Return what finds the place of a subagent's transcript by its id; None if the agent cannot restore them.

    ``transcript`` is the session's stored one, which may tell the place: ``path`` need not exist yet.
    """
    own = long_transcripts.opened(agent, path, transcript) if path else None
    extractor = capabilities.subagent_extractor(agent, own) if own is not None else None
    locate: Callable[[str], str] | None = getattr(extractor, "subagent_ref", None)  # optional
    return locate
