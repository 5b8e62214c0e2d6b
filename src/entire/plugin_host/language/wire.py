"""Values of the model as JSON, for both sides of the external agent protocol.

Reading is lenient: null is nothing, unknown keys are ignored, a member of a wrong type counts as absent, and an entry
of a list that makes no sense is left out. ValueError means that nothing can be made of an answer. What ``write``
returns may hold bytes until ``pack``.
"""

from __future__ import annotations

import os
import time

from entire import files
from entire.agents.untrusted import clean
from entire.conversation.records import Prompt
from entire.model import jsontext
from entire.model.effects import Delete, PutBack, Run, Write
from entire.model.events import Event, EventType
from entire.model.health import HooksHealth, HookStatus
from entire.model.ids import is_session_id
from entire.model.positions import Position
from entire.model.times import parse_time
from entire.model.tokens import FIGURES, UNKNOWN, TokenUsage, of_figures, usage_to_json
from entire.model.transcripts import Agreement, Edit, FileLines, FileReport, Message, SessionFile, Subagent, ToolCall
from entire.model.value import Value
from entire.plugin_host.language.protocol import MAX_TRANSCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from entire.model.transcripts import Content

"""Of numbers: most languages have 64 bits for them."""
MOST_TOKENS = 1 << 50
"""Of one answer: a larger figure is unknown, so sums have 64 bits, too."""
INLINE = 1 << 20
"""Larger contents travel in a file, where there is a folder for it."""
_LAST_TIME = 253402300799.0  # the end of year 9999
_DEPTH = 20
_SPEAKERS = ("user", "agent", "tool")
_OPTIONAL_FIGURES = ("cache_creation_tokens", "cache_read_tokens", "api_call_count")  # version 1: 0 if absent
_LAST_PUBLISHED = 7
_LATER_TYPES = (EventType.SUBAGENT_NOTE.value, EventType.TOOL_END.value)


class Codec(Value):
    """Two functions: a value to JSON, and what another program wrote to a value."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _listed(of: Codec, kind: type = list) -> Codec:
    """Return the codec of a list; what its entries' codec reads as None or '' is left out."""
    return Codec(
        write=lambda values: [of.write(value) for value in values],
        read=lambda given: kind(found for entry in _entries(given) if (found := of.read(entry)) not in (None, "")),
    )


def record(cls: type[Value], members: Mapping[str, Codec], required: str = "") -> Codec:
    """Return the codec of a value that is an object with these members.

    Members with their default are not written. An object without the ``required`` member is read as None.
    """

    def write(value: Any) -> dict[str, Any]:
        given = {name: getattr(value, name) for name in members}
        return {
            name: members[name].write(member)
            for name, member in given.items()
            if name not in cls._defaults or member != cls._defaults[name]
        }

    def read(given: Any) -> Any:
        fields = {name: codec.read(_member(given, name)) for name, codec in members.items()}
        return cls(**fields) if isinstance(given, dict) and (not required or fields[required]) else None

    return Codec(write=write, read=read)


def _entries(given: object) -> list[Any]:
    return given if isinstance(given, list) else []


def _member(given: object, name: str) -> Any:
    return given.get(name) if isinstance(given, dict) else None


# ---------------------------------------------------------------- plain members


def _read_path(given: object) -> str:
    if not isinstance(given, str) or "\0" in given:
        return ""
    try:
        os.fsencode(given)
    except UnicodeEncodeError:
        return clean(given)
    return given


def whole(given: object) -> int | None:
    """Return a whole number of at most 63 bits, None for anything else."""
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= jsontext.LARGEST else None


def _read_moment(given: object) -> float:
    if isinstance(given, str):
        return min(parse_time(given), _LAST_TIME)
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    return float(given) if is_number and 0 <= given <= _LAST_TIME else 0.0  # type: ignore[operator,arg-type]


def rfc3339(seconds: float) -> str:
    """Return a time in UTC, to the microsecond; '' for none."""
    if not 0 < seconds <= _LAST_TIME:
        return ""
    seconds_of_day, micro = divmod(round(seconds * 1e6), 10**6)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds_of_day)) + (f".{micro:06d}Z" if micro else "Z")


TEXT = Codec(write=_same, read=clean)
PATH = Codec(write=_same, read=_read_path)
"""A path, which need not be UTF-8 on disk; '' for what cannot be one."""
NUMBER = Codec(write=_same, read=lambda given: whole(given) or 0)
"""A whole number of at most 63 bits; 0 for anything else."""
MOMENT = Codec(write=_same, read=_read_moment)
"""Seconds since the epoch; an RFC 3339 time is read too."""
FLAG = Codec(write=bool, read=lambda given: given is True)
TEXTS, TEXT_TUPLE, PATH_TUPLE = _listed(TEXT), _listed(TEXT, tuple), _listed(PATH, tuple)


def _mapped(of: Codec) -> Codec:
    """Return the codec of an object whose values are texts of one kind."""
    return Codec(
        write=dict,
        read=lambda given: {
            of.read(name): of.read(text)
            for name, text in (given.items() if isinstance(given, dict) else ())
            if isinstance(text, str)
        },
    )


TEXT_MAP, PATH_MAP = _mapped(TEXT), _mapped(PATH)


# ---------------------------------------------------------------- bytes


def base64(data: bytes) -> str:
    import binascii  # a library of its own, for which most hooks have no use

    return binascii.b2a_base64(data, newline=False).decode("ascii")


def base64_blocks(content: Content) -> Iterator[bytes]:
    """Yield what ``base64`` returns, block by block."""
    import binascii

    from entire import contents

    rest = b""
    for block in contents.blocks(content):
        rest += block
        end = len(rest) - len(rest) % 3
        yield binascii.b2a_base64(rest[:end], newline=False)
        rest = rest[end:]
    yield binascii.b2a_base64(rest, newline=False)


def pack(value: Any, folder: str = "") -> Any:
    """Return JSON in which bytes are ``{"data": BASE64}`` or, for large ones, ``{"path": FILE}`` if there is a folder
    for such files.
    """
    if isinstance(value, bytes):
        return {"data": base64(value)} if len(value) <= INLINE or not folder else {"path": _put(value, folder)}
    if isinstance(value, dict):
        return {key: pack(member, folder) for key, member in value.items()}
    return [pack(entry, folder) for entry in value] if isinstance(value, (list, tuple)) else value


def _put(data: bytes, folder: str) -> str:
    path = os.path.join(folder, os.urandom(8).hex())
    with open(path, "xb") as file:
        file.write(data)
    return path


def read_bytes(given: object) -> bytes:
    """Return the bytes of a base64 text, those of null are none; ValueError for anything else."""
    if given is not None and not isinstance(given, str):
        raise ValueError("bytes must be base64")
    import binascii

    try:
        return binascii.a2b_base64(given, strict_mode=True) if given else b""
    except ValueError:
        raise ValueError("bytes are not base64") from None


def _read_content(given: object) -> bytes:
    """Return base64 bytes, or what an object has as ``data`` or in the file ``path``."""
    path = _read_path(_member(given, "path"))
    if not path:
        if given is None or (isinstance(given, dict) and "data" not in given):
            raise ValueError("a content has neither data nor path")
        return read_bytes(given["data"] if isinstance(given, dict) else given)
    if not (os.path.isabs(path) and os.path.isfile(path)):
        raise ValueError(f"there is no file {path}")
    try:
        file, size = files.open_named(path)
        with file:
            if size > MAX_TRANSCRIPT:
                raise ValueError(f"{path} is larger than {MAX_TRANSCRIPT >> 20} MB")
            return file.read(size)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from None


CONTENT = Codec(write=_same, read=_read_content)
CONTENT_MAP = Codec(
    write=dict,
    read=lambda given: {
        clean(name): _read_content(content) for name, content in (given.items() if isinstance(given, dict) else ())
    },
)


# ---------------------------------------------------------------- events

_PUBLISHED = {
    **dict.fromkeys(("previous_session_id", "session_ref", "prompt", "model", "tool_use_id", "subagent_id"), TEXT),
    **dict.fromkeys(("subagent_type", "task_description", "response_message"), TEXT),
    "metadata": TEXT_MAP,
}
_OWN = {
    **dict.fromkeys(("subagent_ref", "tool_name", "turn_ref", "final_text", "source", "cwd", "handled_by"), TEXT),
    "pid": NUMBER,
    "background": TEXT_TUPLE,
    **dict.fromkeys(("is_compaction", "is_clearing", "only_in_background", "is_automatic"), FLAG),
}
_PUBLISHED_MEMBERS, _OWN_MEMBERS = record(Event, _PUBLISHED), record(Event, _OWN)


def _write_event(event: Event | None) -> Any:
    """Return an event in the protocol's form; what version 1 has no key for is in the object ``entire``."""
    if event is None:
        return None
    told = {"type": event.type.value, "session_id": event.session_id, **_PUBLISHED_MEMBERS.write(event)}
    own = _OWN_MEMBERS.write(event)
    if event.timestamp:
        told["timestamp"] = rfc3339(event.timestamp)
        if parse_time(told["timestamp"]) != event.timestamp:
            own["timestamp"] = event.timestamp
    if event.tool_input:
        told["tool_input"] = _loads(event.tool_input)
        if told["tool_input"] is None or jsontext.dumps(told["tool_input"]) != event.tool_input:
            own["tool_input"] = event.tool_input
    return {**told, **({"entire": own} if own else {})}


def _read_event(given: object) -> Event | None:
    """Return an event; None for null, and for a type that only a later version knows."""
    if given is None:
        return None
    kind, session_id = whole(_member(given, "type")), clean(_member(given, "session_id"))
    if not kind:
        raise ValueError("an event must be null or an object with a type")
    if kind > _LAST_PUBLISHED and kind not in _LATER_TYPES:
        return None
    if not is_session_id(session_id):
        raise ValueError(f"an event must have a session_id that can be a file name, not {session_id!r:.100}")
    own, tool_input = _member(given, "entire"), _member(given, "tool_input")
    return Event(
        type=EventType(kind),
        session_id=session_id,
        timestamp=_read_moment(_member(own, "timestamp")) or _read_moment(_member(given, "timestamp")),
        tool_input=clean(_member(own, "tool_input")) or ("" if tool_input is None else jsontext.dumps(tool_input)),
        **{name: codec.read(_member(given, name)) for name, codec in _PUBLISHED.items()},
        **{name: codec.read(_member(own, name)) for name, codec in _OWN.items()},
    )


def _loads(text: str) -> Any:
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        return None


EVENT = Codec(write=_write_event, read=_read_event)


# ---------------------------------------------------------------- transcripts


def _read_position(given: object) -> Position:
    """Return a position: ``[count, byte, mark]``, whose end may be missing, or version 1's number."""
    count, byte, mark = [*(given if isinstance(given, list) else [given]), None, None][:3]
    return Position(count=whole(count) or 0, byte=whole(byte) or 0, mark=clean(mark))


def number_of(position: Position) -> int:
    """Return a position as version 1 has it, one number: the records before it, or bytes where records do not count."""
    return position.count or position.byte


def _read_prompt(given: object) -> Prompt | None:
    """Return a prompt; version 1 has only texts."""
    if isinstance(given, str):
        return Prompt(text=clean(given), position=0) if given.strip() else None
    prompt: Prompt | None = _PROMPT.read(given) if isinstance(_member(given, "text"), str) else None
    return prompt


def _read_file(given: object) -> FileReport | None:
    """Return what a tool changed; version 1 has only paths."""
    report = FileReport(path=clean(given)) if isinstance(given, str) else _FILE.read(given)
    return report if report is not None and report.path else None


def _read_tokens(given: object, depth: int = 0) -> TokenUsage | None:
    """Return a usage; a figure that is null, negative or too large is unknown, and so is one without which version 1
    allows no answer.
    """
    if not isinstance(given, dict) or depth > _DEPTH:
        return None
    absent = dict.fromkeys(_OPTIONAL_FIGURES, 0) if any(name in given for name in FIGURES) else {}
    told = {name: whole(given.get(name, absent.get(name))) for name in FIGURES}
    known = {name: figure if figure is None or figure <= MOST_TOKENS else None for name, figure in told.items()}
    too_low = {name for name, figure in known.items() if figure is None}
    usage = of_figures(
        {name: figure or 0 for name, figure in known.items()},
        {*too_low, *TEXTS.read(given.get("at_least"))},
        _read_tokens(given.get("subagent_tokens"), depth + 1),
    )
    thoughts = whole(given.get("reasoning_tokens"))
    beside = min(whole(given.get("reasoning_beside")) or 0, thoughts or 0)
    return usage if thoughts is None or thoughts > MOST_TOKENS else usage.with_reasoning(thoughts, beside)


def _read_agreement(given: object) -> Agreement:
    if not isinstance(given, dict):
        raise ValueError("an agreement must be an object")
    return Agreement(
        common=_read_content(given.get("common")),
        joined=_read_content(given.get("joined")),
        extent=whole(given.get("extent")) or 0,
        stored_is_longer=given.get("stored_is_longer") is True,
        own_is_longer=given.get("own_is_longer") is True,
    )


def _read_message(given: object) -> Message | None:
    message: Message | None = _MESSAGE.read(given)
    return message if message is not None and message.who in _SPEAKERS else None


def _read_session_file(given: object) -> SessionFile | None:
    file: SessionFile | None = _SESSION_FILE.read(given)
    return file if file is not None and is_session_id(file.session_id) else None


_PROMPT = record(Prompt, {"text": TEXT, "position": NUMBER, "time": MOMENT, "id": TEXT})
_FILE = record(FileReport, {"path": TEXT, "call": TEXT}, "path")
_EDIT = record(Edit, {"path": TEXT, "old": TEXT, "new": TEXT, "is_whole": FLAG}, "path")
EDITS = _listed(_EDIT, tuple)
_CALL = {
    "id": TEXT,
    "command": TEXT,
    "edits": EDITS,
    "output": TEXT,
    "has_failed": FLAG,
    "subagent": TEXT,
}
_MESSAGE = record(
    Message,
    {"who": TEXT, "text": TEXT, "at": NUMBER, "name": TEXT, "time": MOMENT, "call": record(ToolCall, _CALL)},
    "who",
)
_SESSION_FILE = record(SessionFile, {"session_id": TEXT, "session_ref": PATH, "changed": MOMENT}, "session_ref")
_SUBAGENT = {"id": TEXT, "session_ref": PATH, "tool_use_id": TEXT, "type": TEXT, "description": TEXT}

POSITION = Codec(write=Position.to_json, read=_read_position)
OPTIONAL_POSITION = Codec(
    write=lambda position: None if position is None else position.to_json(),
    read=lambda given: None if given is None else _read_position(given),
)
PROMPTS = _listed(Codec(write=_PROMPT.write, read=_read_prompt))
_FILE_LIST = _listed(Codec(write=_FILE.write, read=_read_file))
FILES = Codec(write=_FILE_LIST.write, read=lambda given: list(dict.fromkeys(_FILE_LIST.read(given))))
TOKENS = Codec(write=usage_to_json, read=lambda given: UNKNOWN if (found := _read_tokens(given)) is None else found)
TASK = record(Subagent, {**_SUBAGENT, "background": FLAG})
"""A subagent whose id may not be known yet."""
SUBAGENTS = _listed(record(Subagent, {**_SUBAGENT, "background": FLAG}, "id"))
AGREEMENT = Codec(
    write=lambda found: {**found.__dict__, "common": bytes(found.common), "joined": bytes(found.joined)},
    read=_read_agreement,
)
FILE_LINES = record(
    FileLines, {"path": PATH, "lines": NUMBER, "size": NUMBER, "settled": Codec(write=_same, read=whole)}
)


def _read_file_lines(given: object) -> FileLines | None:
    """Read lines in a file, which may have none yet, or composed ones."""
    lines: FileLines | None = FILE_LINES.read(given)
    return lines if lines is not None and (lines.path or lines.size) else None


OPTIONAL_FILE_LINES = Codec(
    write=lambda lines: None if lines is None else FILE_LINES.write(lines), read=_read_file_lines
)
MESSAGES = _listed(Codec(write=_MESSAGE.write, read=_read_message))
SESSION_FILES = _listed(Codec(write=_SESSION_FILE.write, read=_read_session_file))


# ---------------------------------------------------------------- putting back, hooks


def _write_effect(effect: Write | Delete | Run) -> dict[str, Any]:
    if isinstance(effect, Write):
        return {"write": effect.path, "content": bytes(effect.data)}
    if isinstance(effect, Delete):
        return {"delete": effect.path}
    told = {"run": list(effect.argv), "undo": list(effect.undo_argv), "env": dict(effect.env)}
    return {**told, "stdin": bytes(effect.stdin), "undo_stdin": bytes(effect.undo_stdin)}


def _read_effect(given: object) -> Write | Delete | Run:
    """Return an effect. A plan with one that cannot be understood must not be carried out in part."""
    for key in ("write", "delete"):
        path = _read_path(_member(given, key))
        if os.path.isabs(path):
            return Delete(path=path) if key == "delete" else Write(path=path, data=_content_of(given, "content"))
    argv, undo_argv = (tuple(_entries(_member(given, key))) for key in ("run", "undo"))
    env = PATH_MAP.read(_member(given, "env"))
    is_clean = all(isinstance(word, str) and "\0" not in word for word in argv + undo_argv)
    if not (argv and undo_argv and is_clean and all(name and "=" not in name for name in env)):
        raise ValueError("an effect must write or delete an absolute path, or run a command that has a way back")
    return Run(
        argv=argv,
        undo_argv=undo_argv,
        stdin=_content_of(given, "stdin"),
        undo_stdin=_content_of(given, "undo_stdin"),
        env=env,
    )


def _content_of(given: object, key: str) -> bytes:
    member = _member(given, key)
    return b"" if member is None else _read_content(member)


def _read_put_back(given: object) -> PutBack:
    if not isinstance(given, dict):
        raise ValueError("a plan must be an object")
    effects = [_read_effect(effect) for effect in _entries(given.get("effects"))]
    return PutBack(effects=tuple(effects), problem=clean(given.get("problem")))


def _read_health(given: object) -> HooksHealth:
    status = _member(given, "status")
    known = isinstance(status, str) and status in [choice.value for choice in HookStatus]
    return HooksHealth(
        status=HookStatus(status) if known else HookStatus.UNKNOWN, detail=clean(_member(given, "detail"))
    )


PUT_BACK = Codec(
    write=lambda plan: {"effects": [_write_effect(effect) for effect in plan.effects], "problem": plan.problem},
    read=_read_put_back,
)
HEALTH = Codec(write=lambda health: {"status": health.status.value, "detail": health.detail}, read=_read_health)
