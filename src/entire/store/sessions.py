"""Session states: our complete one, and beside it the form shared with the Go Entire CLI.

``<common>/entire-sessions/<id>.json`` is the file that both programs read (formats.md section 5); it loses unknown keys
whenever the Go CLI rewrites it. So ``<common>/entire/sessions/<id>.json`` is complete and written first, with a counter
that the shared file repeats. If the counter is missing there, the Go CLI wrote last and its values are imported. If it
is behind, we were killed in between and our file is authoritative.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError
from entire.model.ids import is_session_id
from entire.model.jsontext import natural
from entire.model.phases import Phase
from entire.model.positions import Position, SessionRef, StoredLines
from entire.model.session import GROUPS, Process, Session, SessionWorktree, SubagentTask, Times, Turn, TurnCheckpoint
from entire.model.times import parse_time
from entire.model.tokens import UNKNOWN, usage_from_json, usage_to_json
from entire.model.value import replace
from entire.store import gojson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.layout import Place

_COUNTER = "entire_py"
_TEXTS = ("queued", "open_files", "untracked_at_start", "background", "caller_variables")  # lists whose items are texts
_KEYS = {"session_ref": "transcript_path"}  # attributes of a session with another key
_TEXT_MAPS = ("metadata", "staged_before")
_NUMBER = (int, float)
_PLAIN = frozenset((str, int, float, bool))
_TURN: dict[str, type | tuple[type, ...]] = {
    "id": str, "ref": str, "prompt": str, "continues": str, "prompt_position": int, "started": _NUMBER,
    "ended": _NUMBER, "model": str, "interrupted": _NUMBER, "is_rewritten": bool,
}  # fmt: skip
_PART, _PLACE = (str, int), (int, int, str)
_LAST_LINE, _DOCUMENT = (int, str, str), (str, str, int, str, int)
_MAX_START_FILES = 2000  # real states of the Go CLI reached 4 MB: limit what a hook reads


def own_path(place: Place, session_id: str) -> str:
    """Return the path of a session's complete state."""
    return os.path.join(place.common_own_dir, "sessions", session_id + ".json")


def go_path(place: Place, session_id: str) -> str:
    """Return the path of the state that is shared with the Go CLI."""
    return os.path.join(place.sessions_dir, session_id + ".json")


def find(place: Place, session_id: str, *, repair: bool = False) -> Session | None:
    """Return a session's state, or None. A broken file counts as missing; ``repair`` sets it aside (reading alone
    writes nothing).
    """
    if not is_session_id(session_id):
        return None
    own = _read(own_path(place, session_id), repair)
    shared = _read(go_path(place, session_id), repair)
    if own is None and shared is None:
        return None
    try:
        session = from_own(own) if own is not None else Session(session_id)
        if session.session_id != session_id:
            raise ValueError("the state of another session")
    except (KeyError, TypeError, ValueError, AttributeError):  # edited by another program
        if repair:
            files.put_aside(own_path(place, session_id))
        own, session = None, Session(session_id)
    if shared is not None and (own is None or _COUNTER not in shared):
        take_over(session, shared)
    elif shared is None and own is not None and _was_removed(place, session, own):
        session.end_removed()
    return session


def _was_removed(place: Place, session: Session, own: dict[str, Any]) -> bool:
    """Tell whether the Go CLI deleted the shared state, and the shadow branch with it if there were steps.

    With the first counter we may have been killed before we wrote it. A broken one was renamed.
    """
    if _counter(own) < 2 or os.path.lexists(go_path(place, session.session_id) + ".broken"):
        return False
    if not session.work.steps:
        return True
    from entire import layout
    from entire.git import refs
    from entire.store import steps

    ref = "refs/heads/" + steps.branch_name(session.worktree.base_commit, layout.worktree_id(session.worktree.name))
    return ref not in refs.read(place.top, ref)


def _counter(own: dict[str, Any]) -> int:
    """Return how often our file was written; 0 if it does not say, or says something else."""
    value = own.get(_COUNTER, 0)
    return value if type(value) is int and value > 0 else 0


def _read(path: str, repair: bool) -> dict[str, Any] | None:
    try:
        return files.read_json(path)
    except CorruptError:
        if repair:
            files.put_aside(path)
        return None


def save(place: Place, session: Session) -> None:
    """Write both files, ours first. The caller holds the repository's lock."""
    was_seen = is_seen(place)
    for path, data in forms(place, session):
        files.write(path, data, mode=0o600)
    if was_seen:
        note_seen(place, folder_time(place))


def forms(place: Place, session: Session) -> list[tuple[str, bytes]]:
    """Return path and content of the files that ``save`` writes, ours first, with the next counter."""
    session.foreign = session.removed = False
    own = to_own(session)
    try:
        before = files.read_json(own_path(place, session.session_id)) or {}
    except CorruptError:
        before = {}
    own[_COUNTER] = _counter(before) + 1
    shared = to_go(session)
    shared[_COUNTER] = own[_COUNTER]
    return [
        (own_path(place, session.session_id), files.json_bytes(own)),
        (go_path(place, session.session_id), gojson.dumps(shared)),
    ]


def save_removed(place: Place, session: Session) -> None:
    """Write what is left of a removed session into our file only: the shared one stays deleted."""
    path = own_path(place, session.session_id)
    try:
        counter = _counter(files.read_json(path) or {})
    except CorruptError:
        return
    files.write(path, files.json_bytes({**to_own(session), _COUNTER: counter}), mode=0o600)


def remove(place: Place, session_id: str) -> None:
    was_seen = is_seen(place)
    files.remove(own_path(place, session_id))
    files.remove(go_path(place, session_id))
    if was_seen:
        note_seen(place, folder_time(place))


def ids(place: Place) -> list[str]:
    known: set[str] = set()
    for folder in (place.sessions_dir, os.path.dirname(own_path(place, "x"))):
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        known.update(name[:-5] for name in names if name.endswith(".json") and is_session_id(name[:-5]))
    return sorted(known)


def list_states(place: Place) -> list[Session]:
    """Return all sessions of the repository, the last seen first."""
    states = [session for session in (find(place, name) for name in ids(place)) if session is not None]
    return sorted(states, key=lambda session: session.times.last_seen, reverse=True)


def recent(place: Place, count: int) -> list[Session]:
    """Return the sessions whose states were written last, newest first, at most ``count``. Reads no others."""
    try:
        with os.scandir(place.sessions_dir) as entries:
            named = [(entry.stat().st_mtime, entry.name[:-5]) for entry in entries if entry.name.endswith(".json")]
    except OSError:
        return []
    states = (find(place, name) for _, name in sorted(named, reverse=True)[:count])
    return [session for session in states if session is not None]


def foreign_since(place: Place, moment: float) -> list[str]:
    """Return the ids of shared states written after ``moment`` (seconds since the epoch)."""
    names = []
    try:
        with os.scandir(place.sessions_dir) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and entry.stat().st_mtime > moment and is_session_id(entry.name[:-5]):
                    names.append(entry.name[:-5])
    except OSError:
        pass
    return names


# ---------------------------------------------------------------- what the Go CLI wrote meanwhile


def folder_time(place: Place) -> int:
    """Return when a shared state was last written or removed, in nanoseconds; 0 if there is none."""
    try:
        return os.stat(place.sessions_dir).st_mtime_ns
    except OSError:
        return 0


def seen_time(place: Place) -> int:
    """Return the ``folder_time`` up to which all states were read, and imported where necessary."""
    try:
        return os.stat(place.sessions_seen).st_mtime_ns
    except OSError:
        return 0


def is_seen(place: Place) -> bool:
    """Tell whether only we wrote states since ``note_seen``. The git hook scripts compare the same two times."""
    return folder_time(place) <= seen_time(place)


def last_noticed(place: Place) -> float:
    """Return when it was noticed last that another program had written states, in seconds; 0.0 for never."""
    try:
        if not os.stat(place.sessions_seen).st_size:
            return 0.0
        return float(files.read(place.sessions_seen) or 0.0)
    except (OSError, ValueError):
        return float("inf")


def note_seen(place: Place, moment: int, *, noticed: float = 0.0) -> None:
    """Note that all states up to ``moment`` are known, so hooks need not look at them again. ``noticed``: now, if
    another program has written some.
    """
    try:
        if noticed or not os.path.exists(place.sessions_seen):
            files.write(place.sessions_seen, f"{noticed}".encode() if noticed else b"")
        os.utime(place.sessions_seen, ns=(moment, moment))
    except OSError:  # then the hooks look again
        pass


# ---------------------------------------------------------------- our complete form


def to_own(session: Session) -> dict[str, Any]:
    """Return the complete state as JSON values."""
    value: dict[str, Any] = {}
    for name, item in session.__dict__.items():
        if name in GROUPS:
            value.update({key: getattr(item, field) for key, field in GROUPS[name].items()})
        else:
            value[_KEYS.get(name, name)] = item
    value["phase"] = session.phase.value
    value["process"] = [session.process.pid, session.process.started]
    value["turn"] = None if session.turn is None else turn_json(session.turn)
    value["tasks"] = {name: _task_json(task) for name, task in session.tasks.items()}
    value["counted"] = session.covered.position.to_json()
    value["stored"] = [session.storage.extent.lines, session.storage.extent.size, session.storage.extent.mark]
    value["turn_checkpoints"] = [
        {
            "id": checkpoint.id,
            "commit": checkpoint.commit,
            "moment": checkpoint.moment,
            "since": checkpoint.since.to_json(),
            "subagents": checkpoint.subagents,
            "base": None if checkpoint.base is None else usage_to_json(checkpoint.base),
            "finish": checkpoint.finish.to_json(),
        }
        for checkpoint in session.turn_checkpoints
    ]
    return value


def from_own(value: dict[str, Any]) -> Session:
    """Read a complete state; keys of other versions are ignored, and lists that hold something else than we write."""
    session = Session(str(value.get("session_id", "")))
    for name, default in list(session.__dict__.items()):
        if name in GROUPS:
            known = {field: _read_as(key, value, getattr(default, field)) for key, field in GROUPS[name].items()}
            setattr(session, name, type(default)(**known))
        elif name not in ("tasks", *_KEYS):
            setattr(session, name, _read_as(name, value, default))
    session.session_ref = SessionRef(_text(value, _KEYS["session_ref"]))
    session.phase = next((phase for phase in Phase if phase.value == value.get("phase")), Phase.IDLE)
    pid, started = _row(value.get("process") or (0, ""), (int, str))
    session.process = Process(pid=pid, started=started)
    session.turn = turn_from_json(value["turn"]) if value.get("turn") else None
    session.covered = replace(session.covered, position=_position(value.get("counted")))
    session.storage = replace(session.storage, extent=_stored_lines(value.get("stored")))
    session.tasks = {name: _task(task) for name, task in (value.get("tasks") or {}).items() if isinstance(task, dict)}
    session.turn_checkpoints = [
        TurnCheckpoint(
            id=_of(checkpoint["id"], str),
            commit=_of(checkpoint["commit"], str),
            moment=_of(checkpoint["moment"], _NUMBER),
            since=_position(checkpoint["since"]),
            subagents=_of(checkpoint.get("subagents") or {}, dict),
            base=usage_from_json(checkpoint.get("base")),
            finish=_position(checkpoint.get("finish")),
        )
        for checkpoint in value.get("turn_checkpoints") or []
    ]
    return session


def _read_as(name: str, value: dict[str, Any], default: Any) -> Any:
    """Return a value of a state if it is of the default's kind, one that needs no further reading; else the default."""
    own, kind = value.get(name), type(default)
    if type(own) is kind and kind in _PLAIN:
        return own
    if isinstance(default, float) and isinstance(own, int):
        return float(own)
    is_like = own is not None and isinstance(own, kind) and _is_whole(name, own)
    return own if is_like and not isinstance(default, (Phase, Process, Position)) else default


def _is_whole(name: str, value: Any) -> bool:
    """Tell whether the items of a state's list or mapping are what we write there."""
    if name in _TEXTS:
        return all(isinstance(item, str) for item in value)
    if name in _TEXT_MAPS:
        return all(isinstance(item, str) for item in value.values())
    if name == "head_logs":
        return all(isinstance(item, int) for item in value.values())
    if name == "parts":
        return all(_is_row(item, _PART) for item in value)
    if name == "counted_subagents":
        return all(_is_row(item, _PLACE) for item in value.values())
    if name == "last_line":
        return not value or _is_row(value, _LAST_LINE)
    return name != "document" or not value or _is_row(value, _DOCUMENT)


def _is_row(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, list | tuple) and len(value) == len(kinds) and all(map(isinstance, value, kinds))


def _row(value: Any, kinds: tuple[type, ...]) -> Any:
    """Return a value of a fixed form; raises TypeError for any other."""
    if not _is_row(value, kinds):
        raise TypeError(value)
    return value


def _of(value: Any, kind: type | tuple[type, ...]) -> Any:
    """Return a value of one type; raises TypeError for any other."""
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _position(value: Any) -> Position:
    return Position.from_json(_row(value or (0, 0, ""), _PLACE))


def _task_json(task: SubagentTask) -> dict[str, Any]:
    always = ("started", "type", "description")
    return {name: value for name, value in task.__dict__.items() if value or name in always}


def _task(value: dict[str, Any]) -> SubagentTask:
    task = SubagentTask()
    for name, default in list(task.__dict__.items()):
        if isinstance(own := value.get(name), (int, float) if isinstance(default, float) else type(default)):
            setattr(task, name, own)
    return task


def turn_json(turn: Turn) -> dict[str, Any]:
    return {
        **turn.__dict__,
        "start": turn.start.to_json(),
        "finish": turn.finish.to_json(),
        "tokens": usage_to_json(turn.tokens),
    }


def turn_from_json(value: dict[str, Any]) -> Turn:
    """Read a turn; keys of other versions are ignored."""
    known = {name: _of(value[name], kind) for name, kind in _TURN.items() if name in value}
    known["start"] = _position(value.get("start"))
    known["finish"] = _position(value.get("finish"))
    tokens = usage_from_json(value.get("tokens"))
    known["tokens"] = UNKNOWN if tokens is None else tokens
    return Turn(**known)


def _stored_lines(value: Any) -> StoredLines:
    lines, size, mark = _row(value or (0, 0, ""), _PLACE)
    return StoredLines(lines=lines, size=size, mark=mark)


# ---------------------------------------------------------------- the form shared with the Go CLI


def to_go(session: Session) -> dict[str, Any]:
    """Return the state in the Go CLI's form: keys in its order, empty optional ones left out."""
    start = session.covered.position.count - 1 if _is_carried(session) else session.covered.position.count
    value: dict[str, Any] = {
        "session_id": session.session_id,
        "cli_version": _version(),
        "base_commit": session.worktree.base_commit,
        "attribution_base_commit": session.worktree.base_commit,
        "worktree_path": session.worktree.path,
        "worktree_id": session.worktree.name,
        "started_at": gojson.rfc3339(session.times.started),
        "ended_at": gojson.rfc3339(session.times.ended) if session.times.ended else None,
        "phase": "active" if session.is_running else session.phase.value,
        "turn_id": session.turn.id if session.turn else "",
        "turn_checkpoint_ids": [checkpoint.id for checkpoint in session.turn_checkpoints],
        "last_interaction_time": gojson.rfc3339(session.times.last_seen) if session.times.last_seen else None,
        "checkpoint_count": session.work.steps,
        "checkpoint_transcript_start": start,
        "untracked_files_at_start": session.work.untracked_at_start[:_MAX_START_FILES],
        "files_touched": session.work.open_files,
        "last_checkpoint_id": "" if session.is_running else session.last_checkpoint,
        "agent_type": session.agent.type,
        "transcript_path": session.session_ref,
        "first_prompt": session.first_prompt,
    }
    always = ("session_id", "base_commit", "started_at", "checkpoint_count")
    return {key: item for key, item in value.items() if item or key in always}


def _is_carried(session: Session) -> bool:
    """Tell whether the last step was carried forward by a commit, and holds no line that is not counted."""
    if session.is_running or not (session.work.open_files and session.work.steps and session.last_checkpoint):
        return False
    finish = session.turn.finish.count if session.turn is not None else 0
    return 0 < session.covered.position.count >= finish


def take_over(session: Session, shared: dict[str, Any]) -> None:
    """Import a state that the Go CLI wrote last (old names and phases included)."""
    session.foreign = True
    phase, turn_checkpoint_ids = _text(shared, "phase"), _texts(shared, "turn_checkpoint_ids")
    if phase in ("active", "active_committed"):
        session.phase = Phase.ACTIVE_COMMITTED if turn_checkpoint_ids else Phase.ACTIVE
    else:
        session.phase = Phase.ENDED if phase == "ended" else Phase.IDLE
    agent_type = _text(shared, "agent_type") or session.agent.type
    if not agent_type:
        from entire.agents import registry

        agent_type = registry.BUILTIN[registry.UNNAMED].type
    session.agent = replace(session.agent, type=agent_type)
    session.worktree = SessionWorktree(
        path=_text(shared, "worktree_path"),
        name=_text(shared, "worktree_id"),
        base_commit=_text(shared, "base_commit"),
    )
    started = parse_time(shared.get("started_at")) or session.times.started
    last_seen = parse_time(shared.get("last_interaction_time")) or started
    session.times = Times(started=started, ended=parse_time(shared.get("ended_at")), last_seen=last_seen)
    session.work = replace(
        session.work, steps=_number(shared, "checkpoint_count"), open_files=_texts(shared, "files_touched")
    )
    names = ("checkpoint_transcript_start", "condensed_transcript_lines", "transcript_lines_at_start")
    counted = next((number for name in names if (number := _number(shared, name))), 0)
    if counted > session.covered.position.count:
        session.covered = replace(session.covered, position=Position(count=counted))
    session.session_ref = SessionRef(_text(shared, "transcript_path")) or session.session_ref
    session.first_prompt = _text(shared, "first_prompt") or session.first_prompt
    session.last_checkpoint = _text(shared, "last_checkpoint_id")
    turn_id = _text(shared, "turn_id")
    if turn_id and (session.turn is None or session.turn.id != turn_id):
        session.turn = Turn(id=turn_id, started=session.times.last_seen)
    known = {checkpoint.id for checkpoint in session.turn_checkpoints}
    for checkpoint_id in turn_checkpoint_ids:
        if checkpoint_id not in known:
            session.turn_checkpoints.append(
                TurnCheckpoint(
                    id=checkpoint_id, commit="", moment=session.times.last_seen, since=session.covered.position
                )
            )


def _text(value: dict[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def _texts(value: dict[str, Any], key: str) -> list[str]:
    texts = value.get(key)
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def _number(value: dict[str, Any], key: str) -> int:
    return natural(value.get(key))


def _version() -> str:
    from entire import __version__

    return __version__
