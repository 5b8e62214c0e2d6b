"""The agent's own records, and the two forms in which they are kept: lines, and what `opencode export` prints.

The first line is ``{"info": session}``, every other ``{"info": message, "parts": [...]}``.
"""

from __future__ import annotations

from entire.agents import transcripts, untrusted
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.model import jsontext
from entire.model.jsontext import natural, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.model.tokens import TokenUsage

    Native = dict[str, Any]

_KEPT = ("id", "parentID", "slug", "version", "title", "permission", "revert")
"""What a line has of a session: the rest depends on the machine, or follows from the messages."""


def session(told: Native) -> Native:
    """Return what a session's line has, of all that is known of it."""
    created = dict_of(told.get("time")).get("created")
    return {key: told[key] for key in _KEPT if told.get(key)} | {"time": {"created": created}}


def line(native: Native) -> bytes:
    return jsontext.dumps(native, compact=True).encode() + b"\n"


def as_lines(data: bytes) -> bytes:
    """Return a copy in the form of lines; the Go CLI stored what `opencode export` printed."""
    document = untrusted.loads(data) if transcripts.is_document(data) else None
    if not isinstance(document, dict):
        return data
    messages = (native for native in dicts_of(document.get("messages")) if "info" in native)
    return line({"info": session(dict_of(document.get("info")))}) + b"".join(map(line, messages))


def as_document(data: bytes, session_id: str) -> bytes:
    """Return the document that `opencode import` takes, which adds where the session is; of a copy in either form."""
    natives = [native for line in as_lines(data).splitlines() for native in transcripts.records(line)]
    messages = [native for native in natives if "parts" in native]
    told = next((dict_of(native.get("info")) for native in natives if "parts" not in native), {})
    infos = [dict_of(native.get("info")) for native in messages]
    answers = [info for info in infos if info.get("role") == "assistant"]
    created = natural(dict_of(told.get("time")).get("created")) or min(map(_created, infos), default=0)
    info = {
        "slug": session_id, "title": "Restored session", "version": "0.0.0", **told, "id": session_id,
        "cost": sum(real(answer.get("cost")) for answer in answers), "tokens": _summed(answers),
        "time": {"created": created, "updated": max(map(_created, infos), default=created)},
    }  # fmt: skip
    return jsontext.dumps({"info": info, "messages": messages}, compact=True).encode()


def _created(info: Native) -> int:
    return natural(dict_of(info.get("time")).get("created"))


def _summed(answers: list[Native]) -> Native:
    told = [dict_of(answer.get("tokens")) for answer in answers]
    sums = {key: sum(natural(each.get(key)) for each in told) for key in ("input", "output", "reasoning")}
    return {**sums, "cache": {key: sum(natural(dict_of(each.get("cache")).get(key)) for each in told)
                              for key in ("read", "write")}}  # fmt: skip


def settled(line: bytes) -> bytes:
    """Return a line in a form in which two are compared: an import changes the order of keys, and OpenCode adds to a
    message later what it changed, and to a tool's answer that the model no longer gets it.
    """
    native = untrusted.loads(line)
    if not isinstance(native, dict):
        return line
    if "parts" not in native:
        return clean(dict_of(native.get("info")).get("id")).encode()
    info = dict_of(native.get("info"))
    if info.get("role") == "user":
        info.pop("summary", None)
    for part in dicts_of(native["parts"]):
        dict_of(dict_of(part.get("state")).get("time")).pop("compacted", None)
    return jsontext.dumps(_sorted(native), compact=True).encode()


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def usage(info: Native) -> TokenUsage | None:
    """Return the tokens of an answer; None if they are not told yet, or no model was asked."""
    from entire.conversation import responses
    from entire.model.tokens import TokenUsage

    told, cache = dict_of(info.get("tokens")), dict_of(dict_of(info.get("tokens")).get("cache"))
    given, output, thoughts = (natural(told.get(key)) for key in ("input", "output", "reasoning"))
    read, written = (natural(cache.get(key)) for key in ("read", "write"))
    if not is_done(info) or not (info.get("finish") or given or output or thoughts or read or written):
        return None
    bare = TokenUsage(input_tokens=given, cache_creation_tokens=written, cache_read_tokens=read, output_tokens=output,
                      api_call_count=1)  # fmt: skip
    return responses.reasoning_beside_output(bare, thoughts if "reasoning" in told else None)


def is_done(info: Native) -> bool:
    """Tell whether a message is as it stays. A question is, at once."""
    return info.get("role") != "assistant" or bool(dict_of(info.get("time")).get("completed") or info.get("error"))
