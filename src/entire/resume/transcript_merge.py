"""Merges a stored transcript with the agent's own file. Writes nothing; the caller does.

Stored transcripts are redacted. Where the agent's live file still agrees with the stored one, the live bytes are kept,
so that redaction does not get into it; the rest comes from what is stored.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities, registry
from entire.lifecycle.session_transcript import LINES
from entire.model import trailers
from entire.model.ids import is_tool_id
from entire.model.records import SessionRecord
from entire.model.times import parse_time
from entire.model.value import Value, replace
from entire.redact import redact_json, redact_jsonl
from entire.store import checkpoints, step_transcripts, steps
from entire.store.checkpoints import Slot
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.agents.contract import Agent
    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.session import Session
    from entire.store.checkpoints import Checkpoint

CUT, WRITTEN, UNCHANGED, MISSING = "cut", "written", "unchanged", "missing"

_SMALL, _BIG = 1 << 12, 1 << 20  # bytes compared at once: few where lines differ, many where they are equal
_TAIL = 1 << 18
_MARK = rb"\[REDACTED:[A-Za-z0-9_.-]+\]|REDACTED"  # our mark, and the Go CLI's
_TIME = rb'"(?:timestamp|time|lastUpdated|updated_at)"\s*:\s*"([0-9T:.+Z -]{19,40})"'


class TranscriptChange(Value):
    """The new content of a conversation's file.

    ``what``: ``cut`` (the live file, shorter), ``written`` (new content), ``unchanged``, ``missing`` (no content is
    known, or the agent has no place for it). ``live_is_newer``: the live file holds something that ``data`` lacks, or
    that is more recent than everything stored.
    """

    session_id: str
    agent: str
    path: str = ""
    data: bytes = b""
    what: str = MISSING
    live_is_newer: bool = False
    command: str = ""


def live_path(place: Place, agent: Agent, session: Session | None, session_id: str) -> str:
    """Return where the agent's live transcript is or belongs; '' if the agent cannot continue a stored session.

    Raises EntireError for an id that could lead to another folder. A transcript in ``.entire/tmp`` is a copy for hooks,
    and the agent does not search the folder of a worktree that has been moved or removed.
    """
    resumer = capabilities.session_resumer(agent)
    if resumer is None:
        return ""
    folder = resumer.session_dir(place.top)
    is_given = folder == registry.session_dir(agent.name, os.environ)  # by a test harness (cli-compat.md)
    path = session.transcript_path if session is not None and not is_given else ""
    if path and os.path.isfile(path) and not path.startswith(place.tmp_dir + os.sep) and not has_moved(session):
        return path
    return resumer.resolve_session_file(folder, session_id)


def has_moved(session: Session | None) -> bool:
    """Return whether a session's worktree is no longer at its old path."""
    return session is not None and bool(session.worktree_path) and not os.path.isdir(session.worktree_path)


def back_to(
    place: Place, agent: Agent, session: Session | None, session_id: str, stored: bytes, lines: int | None = None
) -> TranscriptChange:
    """Return the conversation as it was at a point: the first ``lines`` of ``stored``, or all of it.

    What the live file, or one that a rewind replaced, has of it is restored from there, secrets included; only the
    rest comes from ``stored``.
    """
    found = _new_change(place, agent, session, session_id)
    if not found.path or not stored:
        return found
    live, is_there = _live(agent, session, found.path)
    same = UNCHANGED if is_there else WRITTEN
    if LINES not in agent.capabilities:
        return _with(found, same, live) if _same_document(stored, live) else _with(found, WRITTEN, stored)
    stored = first_lines(stored, lines)
    if not stored and not live:
        return found
    at, to = agreement(stored, live)
    if at < len(stored) or not live:
        return _with(found, WRITTEN, _unredact(place, found.path, stored, live))
    return _with(found, CUT if is_there else WRITTEN, live[:to]) if to < len(live) else _with(found, same, live)


def _unredact(place: Place, path: str, stored: bytes, live: bytes) -> bytes:
    """Return what is stored, its start replaced by the longest unredacted copy on this machine."""
    at, to = agreement(stored, live)
    best = live[:to]
    for (copy,) in transaction.kept(place, path):
        if at < len(stored) and copy:
            other = files.read(copy) or b""
            end, to = agreement(stored, other)
            if end > at:
                at, best = end, other[:to]
    return _whole_lines(best) + stored[at:]


def onto(
    place: Place, agent: Agent, session: Session | None, session_id: str, stored: bytes, created: float = 0.0
) -> TranscriptChange:
    """Return the conversation to continue: the stored transcript merged with the live file.

    ``created``: when it was stored; used for transcripts without times.
    """
    found = _new_change(place, agent, session, session_id)
    live, is_there = _live(agent, session, found.path) if found.path else (b"", True)
    if not found.path or not (stored or live):
        return found
    if not live:
        return _with(found, WRITTEN, stored)
    if not is_there:  # the old file stays at its old path; here nothing is overwritten
        joined = _join(found, agent, live, stored, created)
        data = live if joined.live_is_newer else joined.data
        return _with(found, WRITTEN, data)
    return _join(found, agent, live, stored, created)


def _live(agent: Agent, session: Session | None, path: str) -> tuple[bytes, bool]:
    """Return the live file's content and True; for a moved worktree, that of its old file and False."""
    live = agent.read_transcript(path)
    if live or session is None or session.transcript_path in ("", path) or not has_moved(session):
        return live, True
    return agent.read_transcript(session.transcript_path), False


def _join(found: TranscriptChange, agent: Agent, live: bytes, stored: bytes, created: float) -> TranscriptChange:
    """Merge what is stored with an existing live file."""
    if LINES not in agent.capabilities:
        if not stored or _same_document(stored, live):
            return _with(found, UNCHANGED, live)
    else:
        at, to = agreement(stored, live)
        if at >= len(stored):
            return _with(found, UNCHANGED, live, newer=to < len(live))
        if to >= len(live) or _is_cut_line(live[to:], stored, at):
            return _with(found, WRITTEN, _whole_lines(live[:to]) + stored[at:])
    return _with(found, WRITTEN, stored, newer=_is_newer(live, last_time(stored) or created))


def covered(agent: Agent, stored: bytes, data: bytes) -> int | None:
    """Return how many bytes of ``data`` correspond to ``stored``; None if it does not start with all of it."""
    if LINES not in agent.capabilities:
        return len(data)
    at, to = agreement(stored, data)
    return to if at >= len(stored) else None


def _new_change(place: Place, agent: Agent, session: Session | None, session_id: str) -> TranscriptChange:
    resumer = capabilities.session_resumer(agent)
    command = resumer.format_resume_command(session_id) if resumer is not None else ""
    path = live_path(place, agent, session, session_id)
    return TranscriptChange(session_id=session_id, agent=agent.name, path=path, command=command)


def _with(found: TranscriptChange, what: str, data: bytes, *, newer: bool = False) -> TranscriptChange:
    return replace(found, what=what, data=data, live_is_newer=newer)


# ---------------------------------------------------------------- lines


def first_lines(data: bytes, count: int | None) -> bytes:
    """Return the first ``count`` lines of a transcript, all for None."""
    if count is None:
        return data
    end = 0
    for _ in range(count):
        if end >= len(data):
            return data
        end = _line_end(data, end)
    return data[:end]


def _whole_lines(data: bytes) -> bytes:
    """Return ``data`` with the final newline that a killed writer may have left out."""
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _line_end(data: bytes, start: int) -> int:
    """Return the offset after a line's newline, or the end."""
    return data.find(b"\n", start) + 1 or len(data)


def agreement(stored: bytes, live: bytes) -> tuple[int, int]:
    """Return how far both agree in whole lines, as an offset in each.

    Equal blocks are compared as bytes, so a large transcript costs no more than comparing memory.
    """
    at = to = 0
    size = _BIG
    while at < len(stored) and to < len(live):
        block = stored[at : at + size]
        whole = block.rfind(b"\n") + 1
        if whole and live.startswith(block[:whole], to):
            at, to, size = at + whole, to + whole, min(size * 2, _BIG)
            continue
        end, stop = _line_end(stored, at), _line_end(live, to)
        if not _same_line(stored[at:end].rstrip(b"\n"), live[to:stop].rstrip(b"\n")):
            break
        at, to, size = end, stop, _SMALL
    return at, to


def _same_line(stored: bytes, live: bytes) -> bool:
    """Return whether a stored line is the live line, perhaps redacted."""
    if stored == live:
        return True
    if b"REDACTED" not in stored:
        return False
    return _matches_marks(stored, live) or redact_jsonl(live) == stored


def _matches_marks(stored: bytes, live: bytes) -> bool:
    """Return whether a live line differs from a stored one only at its redaction marks.

    Redaction rules differ between versions and the Go CLI. A mark replaces a part of one JSON string.
    """
    import re

    first, *more = re.split(_MARK, stored)
    if not more or not live.startswith(first):
        return False
    at = len(first)
    for piece in more[:-1]:
        found = live.find(piece, at + 1)
        if found < 0 or b'"' in live[at:found]:
            return False
        at = found + len(piece)
    end = len(live) - len(more[-1])
    return end > at and live.endswith(more[-1]) and b'"' not in live[at:end]


def _is_cut_line(rest: bytes, stored: bytes, at: int) -> bool:
    """Return whether the rest of the live file is a part of the next stored line (its writer was killed)."""
    return b"\n" not in rest and stored.startswith(rest, at)


# ---------------------------------------------------------------- documents, times


def _same_document(stored: bytes, live: bytes) -> bool:
    return live == stored or (bool(live) and redact_json(live) == stored)


def _is_newer(live: bytes, stored_time: float) -> bool:
    """Return whether the live file is more recent than what is stored; with an unknown ``stored_time`` it is.

    Without times it is not: when its file was written says nothing about its records.
    """
    return not stored_time or last_time(live) > stored_time


def last_time(data: bytes) -> float:
    """Return the latest time among a transcript's last records, 0.0 if they have none."""
    import re

    found = re.findall(_TIME, data[-_TAIL:]) or re.findall(_TIME, data)
    return max((parse_time(time.decode("ascii")) for time in found), default=0.0)


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

    A subagent's step holds only its own transcript; the newest one counts.
    """
    found: dict[str, str] = {}
    step = objects.commit(commit)
    while step is not None and b"\n" + trailers.SESSION.encode() in step.message:  # stop at a person's commit
        if b"\n" + trailers.METADATA_TASK.encode() in step.message:
            folders = objects.tree(f"{step.oid}:{steps.metadata_folder(session_id)}/tasks")
            entries = [entry for folder in folders if folder.mode == "040000" for entry in objects.tree(folder.oid)]
            found = _by_subagent({entry.name: entry.oid for entry in entries}) | found
        step = objects.commit(step.parents[0]) if step.parents else None
    return found


def _by_subagent(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files called ``agent-<id>.jsonl`` by id, without ids that could lead to another folder."""
    named = {name[len("agent-") : -len(".jsonl")]: oid for name, oid in files.items()
             if name.startswith("agent-") and name.endswith(".jsonl")}  # fmt: skip
    return {subagent: oid for subagent, oid in named.items() if is_tool_id(subagent)}


def subagent_files(objects: Objects, agent: Agent, path: str, stored: Mapping[str, str]) -> list[tuple[str, bytes]]:
    """Return the subagents' stored files (path, content) that are missing beside the transcript at ``path``."""
    extractor = capabilities.subagent_extractor(agent)
    locate = getattr(extractor, "subagent_file", None)  # missing in plugins of earlier protocol versions
    if locate is None or not path:
        return []
    found = []
    for subagent, oid in stored.items():
        target = locate(path, subagent)
        if target and not os.path.lexists(target) and (data := objects.blob(oid)):
            found.append((target, data))
    return found
