"""Finds Gemini CLI's chats: ``~/.gemini/tmp/<project>/chats/session-<time>-<start of the session's id>.jsonl``.

The agent names a project's folder after the folder it was started in, and finds a session by the end of its file's name
and the id inside. A resumed session leaves a second file of that name, with nothing said in it: a stub. When the agent
cleans up, it deletes the session together with its stub.
"""

from __future__ import annotations

import os

from entire.agents import transcripts, untrusted
from entire.agents.gemini import records
from entire.model.ids import is_session_id, is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from entire.agents.gemini.records import Native
    from entire.agents.transcripts import Source
    from entire.model.effects import PutBack
    from entire.model.transcripts import Content

_HEAD = 1 << 12
_PREFIX = "session-"
_OWNER = ".project_root"


# ---------------------------------------------------------------- folders


def folder(root: str, home: str) -> str:
    """Return the folder of the chats that were started in ``root``; ``home`` is the user's folder of the agent."""
    return os.path.join(home, "tmp", _project(os.path.realpath(root), home), "chats")


def _project(root: str, base: str) -> str:
    """Return the agent's name of a project: registered, else by the owner that its folder names, else the next free."""
    top = os.path.join(base, "tmp")
    known = untrusted.loads(transcripts.read(os.path.join(base, "projects.json")))
    projects = untrusted.dict_of(untrusted.dict_of(known).get("projects"))
    registered = projects.get(root)
    if isinstance(registered, str) and _is_name(registered) and _owner(top, registered) in ("", root):
        return registered
    try:
        names = sorted(os.listdir(top))
    except OSError:
        names = []
    owned = next((name for name in names if _owner(top, name) == root), "")
    taken = {name for path, name in projects.items() if path != root and isinstance(name, str)}
    return owned or next(name for name in _names(root) if name not in taken and _owner(top, name) in ("", root))


def _owner(top: str, name: str) -> str:
    """Return the path of the project whose folder this is, or ''."""
    return transcripts.read(os.path.join(top, name, _OWNER)).decode("utf-8", "surrogateescape").strip()


def _is_name(name: str) -> bool:
    return bool(name) and is_session_id(name)


def _names(root: str) -> Iterator[str]:
    """Yield the names that the agent tries for a project, in order."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in os.path.basename(root).lower())
    name = "-".join(part for part in plain.split("-") if part) or "project"
    yield name
    number = 1
    while True:
        yield f"{name}-{number}"
        number += 1


def project_root(session_ref: str) -> str:
    """Return the folder in which the agent was started, from a chat's place; '' if it is elsewhere."""
    above = os.path.dirname(session_ref)
    for _ in range(2):  # a subagent's chat is one folder deeper
        above, name = os.path.split(above)
        if name == "chats":
            return _owner(os.path.dirname(above), os.path.basename(above))
    return ""


# ---------------------------------------------------------------- files


def session_id(source: Source) -> str:
    """Return the full id of the session whose chat this is, or ''."""
    _, _, rest = _head(source).partition(b'"sessionId"')
    session = rest.partition(b'"')[2].partition(b'"')[0].decode("utf-8", "replace")
    return session if is_session_id(session) else ""


def is_subagent(source: Source) -> bool:
    """Tell whether this is a subagent's chat."""
    record = untrusted.loads(_head(source).partition(b"\n")[0])
    return isinstance(record, dict) and record.get("kind") == "subagent"


def _head(source: Source) -> bytes:
    return transcripts.head(source, _HEAD)


def subagent_file(session_ref: str, session: str, subagent: str) -> str:
    """Return the path of a subagent's chat; '' for ids that could lead elsewhere."""
    if not session_ref or not is_session_id(session) or not is_tool_id(subagent):
        return ""
    return os.path.join(os.path.dirname(session_ref), _safe(session), f"{subagent}.jsonl")


def _safe(name: str) -> str:
    """Return an id as the agent writes it into the names of files."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)


def other_form(session_ref: str) -> str:
    """Return where the older single document is that the agent continues as the lines of ``session_ref``; or ''."""
    return session_ref[:-1] if session_ref.endswith(".jsonl") else ""


def find(chats: str, session: str) -> str:
    """Return the path of a session's chat, of one that is to be written if there is none."""
    named = [path for path in _named(chats, session) if session_id(path) == session]
    spoken = [path for path in named if has_conversation(path)]
    if spoken or named:
        return (spoken or named)[-1]
    return os.path.join(chats, f"{_PREFIX}restored-{_safe(session)[:8]}.jsonl")


def _named(chats: str, session: str) -> list[str]:
    """Return the chats whose names could be a session's, documents before lines and older ones first."""
    try:
        names = os.listdir(chats)
    except (OSError, ValueError):
        return []
    ends = tuple(f"-{_safe(session)[:8]}{form}" for form in (".json", ".jsonl"))
    matching = sorted(name for name in names if name.startswith(_PREFIX) and name.endswith(ends))
    return [os.path.join(chats, name) for name in sorted(matching, key=lambda name: name.endswith(".jsonl"))]


def stubs(session_ref: str, session: str) -> list[str]:
    """Return the other files of a session in which nothing is said."""
    files = _named(os.path.dirname(session_ref), session)
    return [
        path for path in files if path != session_ref and session_id(path) == session and not has_conversation(path)
    ]


def id_in(path: str) -> str:
    """Return the id of the session in a file, '' if it is no chat."""
    name = os.path.basename(path)
    return session_id(path) if name.startswith(_PREFIX) and name.endswith((".json", ".jsonl")) else ""


def has_conversation(path: str) -> bool:
    """Tell, from a chat's beginning, whether anything was said in it."""
    data, is_longer = transcripts.beginning(path)
    lines = [data] if transcripts.is_document(data) else data.split(b"\n")
    return is_longer or any(
        records.is_conversation(message) for line in lines for message in _messages(untrusted.loads(line))
    )


def _messages(record: object) -> list[Native]:
    """Return the messages in a record: those that it lists, else itself."""
    if not isinstance(record, dict):
        return []
    listed_there = record.get("messages")
    if isinstance(listed_there, list):
        return [message for message in listed_there if isinstance(message, dict)]
    messages = records.new_messages(record)
    return [record] if messages is None else messages


# ---------------------------------------------------------------- putting back


def put_back(session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
    """Return what makes the agent find a session with this transcript, in a file of its form and without stubs."""
    from entire import contents
    from entire.model.effects import Delete, PutBack, Write

    session = session_id(transcript) or session_id(session_ref)
    lines, document = _places(session_ref)
    if not transcript:
        effects: list[Write | Delete] = [Delete(path=session_ref)]
        effects += [Delete(path=path) for path in (lines, document) if path != session_ref and os.path.exists(path)]
    elif transcripts.is_document(transcript):
        effects = [Write(path=document, data=transcript)]
        if lines != document and os.path.exists(lines):  # how the agent continued the document
            effects.append(Delete(path=lines))
    else:  # the agent appends to the last line
        is_whole = transcripts.byte_before(transcript, len(transcript)) == b"\n"
        effects = [Write(path=lines, data=transcript if is_whole else contents.joined(transcript, b"\n"))]
    for name, data in subagents.items():
        path = subagent_file(session_ref, session, name)
        if path:
            effects.append(Write(path=path, data=data))
    known = {effect.path for effect in effects}
    effects += [Delete(path=path) for path in stubs(session_ref, session) if path not in known]
    return PutBack(effects=tuple(effects))


def _places(session_ref: str) -> tuple[str, str]:
    """Return where a session's lines and its document are."""
    if session_ref.endswith(".json"):
        return f"{session_ref}l", session_ref
    return session_ref, other_form(session_ref) or session_ref
