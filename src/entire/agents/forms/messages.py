"""The forms in which transcripts hold messages, as tables, and one native record read by them."""

from __future__ import annotations

from entire.agents.forms import calls
from entire.agents.untrusted import clean, dict_of
from entire.conversation.records import Answer, Prompt
from entire.model.jsontext import real
from entire.model.times import parse_time
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.conversation.records import Record

    Native = dict[str, Any]

USER, AGENT = "user", "agent"

_ROLES = {
    "user": USER, "human": USER, "prompt": USER, "user.message": USER,
    "assistant": AGENT, "gemini": AGENT, "model": AGENT, "answer": AGENT, "agent": AGENT, "assistant.message": AGENT,
    "event_msg/user_message": USER, "event_msg/item_completed/UserMessage": USER,
    "event_msg/agent_message": AGENT, "event_msg/item_completed/AgentMessage": AGENT,
}  # fmt: skip
"""Who speaks, by the role of a message or the types of its record, its envelope's content and the item in that."""

_REPEATED = {"event_msg": "response_item"}
"""Records of what people saw, and those that repeat it as the model got it."""

_ASIDE = {"isMeta": True, "isSidechain": True, "isCompactSummary": True, "promptSource": "system", "summary": True}
"""Marks of what belongs to no conversation with people: notes, subagents, what a compaction leaves."""

_SUBAGENT = ("agentId", "isSidechain")
"""Marks of the records of subagents."""

_CONTENTS = ("displayContent", "parts", "content", "text", "message")
_TEXTS = (None, "text", "Text", "input_text", "output_text")
"""Types of blocks with text that was said; other blocks with text are thoughts and results."""

_CALLS = ("call", "tool", "toolCall", "tool_use", "tool_call", "function_call", "custom_tool_call", "local_shell_call")
_CALL_LISTS = ("toolCalls", "toolRequests", "tool_calls")
_CONTEXT = (
    "system-reminder", "system_reminder", "hook_context", "environment_context", "user_instructions",
    "current_datetime", "timestamp",
)  # fmt: skip
"""Elements before a prompt that the agent put there."""
_WRAPPER = "user_query"
_NOTES = (
    "<session_context>", "<state_snapshot>", "<turn_aborted>", "<subagent_notification>", "<hook_prompt",
    "<task-notification>", "<command-name>", "<command-message>", "<local-command-", "<bash-",
    "# AGENTS.md instructions for ", "Caveat: The messages below were generated", "[Request interrupted by user",
    "I ran the following shell command:", "System: Potential loop detected", "User has manually exited Plan Mode",
)  # fmt: skip
"""Starts of texts with a user's role that no person typed as a prompt."""
_HIDDEN = "[REDACTED]"  # in place of an agent's thought

_KNOWN = frozenset((
    *_ROLES, *_CALLS, *calls.RESULTS, "message", "event_msg", "response_item", "attachment",
))  # fmt: skip
"""Types of records that can say something. Those of another type belong to the agent alone, whatever they hold."""

_TIMES = ("timestamp", "time", "created_at")
_MILLISECONDS = 1e11  # larger numbers count milliseconds, or microseconds


def said(record: Native, at: int, name: str) -> list[Record]:
    """Return what native record number ``at`` says; nothing for the agent's notes to itself, such as reminders.
    ``name``: the id of an answer in it.
    """
    if is_aside(record) or is_unknown(record):
        return []
    body, time = _body(record), moment(record)
    if body.get("type") in _CALLS:
        return _called(body, Answer(position=at, id=name, time=time))
    who = _speaker(record, body)
    if not who or (who == USER and _is_note(body.get("content"))):
        return []
    content = next((body[key] for key in _CONTENTS if body.get(key)), "")
    blocks = content if isinstance(content, list) else [content]
    if who == USER:
        text = _text([text for block in blocks if (text := _said(block))], who)
        return [Prompt(position=at, text=text, time=time)] if text else []
    answer = Answer(position=at, id=name, time=time, is_again=True)
    listed = [call for key in _CALL_LISTS for call in calls.entries(body.get(key)) if isinstance(call, dict)]
    return [*_answered(blocks, answer), *(part for call in listed for part in _called(call, answer))]


def _answered(blocks: list[Any], answer: Answer) -> Iterator[Record]:
    """Yield the texts and tool calls of an answer's content, without tool results and thoughts."""
    texts: list[str] = []
    for block in [*blocks, None]:
        is_call = isinstance(block, dict) and (
            block.get("type") in _CALLS or isinstance(block.get("functionCall"), dict)
        )
        if block is None or is_call:
            text, texts = _text(texts, AGENT), []
            if text:
                yield replace(answer, text=text)
            yield from _called(block, answer) if block is not None else ()
        elif text := _said(block):
            texts.append(text)


def _called(given: Native, answer: Answer) -> list[Record]:
    """Return a call, with the answer that it may hold itself."""
    call = calls.call(given, answer.position, answer.id, answer.time)
    result = calls.inline_result(given, call)
    if result is None:
        return [call]
    name = call.id or f"{answer.id} {call.subject}"
    return [replace(call, id=name), replace(result, call=name)]


def is_unknown(record: Native) -> bool:
    """Tell whether a record is of a type that says nothing to people, such as one that a newer version added."""
    kind = record.get("type")
    return isinstance(kind, str) and kind not in _KNOWN


def is_aside(record: Native) -> bool:
    """Tell whether a record belongs to no conversation with people: a note, a subagent's, a compaction's."""
    if "agentId" in record and isinstance(record["agentId"], str) and record["agentId"]:
        return True
    for place in (record, record["info"]) if "info" in record else (record,):
        if not isinstance(place, dict):
            continue
        for name in _ASIDE:
            if name in place and place[name] == _ASIDE[name] and type(place[name]) is type(_ASIDE[name]):
                return True
    return False


def as_main(record: Native) -> Native:
    """Return a record of a subagent's transcript without the marks that say so."""
    return {name: value for name, value in record.items() if name not in _SUBAGENT}


def form(record: Native) -> str:
    """Return the record's own type."""
    return clean(record.get("type"))


def repeated_form(record: Native) -> str:
    """Return the type of the records that repeat this one, '' if there are none."""
    return _REPEATED.get(form(record), "")


def record_id(record: Native) -> str:
    """Return the id by which later records refer to this one or continue it, '' if it has none."""
    own = clean(record["id"]) if "id" in record else ""
    if own or "info" not in record:
        return own
    return clean(dict_of(record["info"]).get("id"))


def moment(record: Native) -> float:
    """Return when a record was written, in seconds since the epoch; 0 if it does not say."""
    value = _time_in(record)
    if value is None:
        value = _time_in(calls.envelope(record) or {})
    if isinstance(value, str):
        return parse_time(value)
    if value is not None:
        return _seconds(real(value))
    created = dict_of(dict_of(record.get("info")).get("time")).get("created")
    return moment({"time": created}) if isinstance(created, (int, float)) else 0.0


def _seconds(number: float) -> float:
    while number > _MILLISECONDS:
        number /= 1000.0
    return float(max(number, 0))


def _time_in(place: Native) -> str | float | None:
    for name in _TIMES:
        value = place.get(name)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return value
    return None


def undone_from(record: Native) -> str:
    """Return the id of the first record that this one takes back, '' if it takes nothing back."""
    if "$rewindTo" in record:
        return clean(record["$rewindTo"])
    if "$set" not in record and "info" not in record:
        return ""
    replaced = calls.entries(dict_of(record.get("$set")).get("messages"))
    first = dict_of(replaced[0]) if replaced else {}
    if _is_note(first.get("content")):  # the conversation so far was appended once more, to be replaced by itself
        return clean(first.get("id"))
    return clean(dict_of(dict_of(record.get("info")).get("revert")).get("messageID"))


# ---------------------------------------------------------------- who


def _body(record: Native) -> Native:
    """Return the message in its envelope, or the record itself."""
    inner = calls.envelope(record)
    if inner is None:
        return record
    item = inner.get("item")
    return item if isinstance(item, dict) else inner


def _speaker(record: Native, body: Native) -> str:
    role = body.get("role")
    if isinstance(role, str):
        return _ROLES.get(role, "")
    for place in (dict_of(record.get("info")), record):
        role = place.get("role")
        if isinstance(role, str):
            return _ROLES.get(role, "")
    inner = calls.envelope(record) or {}
    types = [place.get("type") for place in (record, inner, dict_of(inner.get("item")))]
    return _ROLES.get("/".join(kind for kind in types if isinstance(kind, str)), "")


# ---------------------------------------------------------------- what


def _said(block: object) -> str:
    """Return the text of a part of a message, '' if it is something else, such as a thought."""
    if isinstance(block, dict):
        return str(block["text"]) if _is_said(block) else ""
    return block if isinstance(block, str) else ""


def _is_said(block: Native) -> bool:
    kind = block.get("type")
    if not isinstance(block.get("text"), str) or not (kind is None or isinstance(kind, str)):
        return False
    return kind in _TEXTS and not any(block.get(name) is True for name in ("thought", "synthetic", "ignored"))


def _text(texts: list[str], who: str) -> str:
    parts = [_typed(clean(part)) if who == USER else _spoken(clean(part)) for part in texts]
    return "\n".join(part for part in parts if part.strip()).strip()


def _spoken(text: str) -> str:
    return text.replace(_HIDDEN, "").rstrip() if _HIDDEN in text and text.rstrip().endswith(_HIDDEN) else text


def _typed(text: str) -> str:
    """Return what a person typed of a text with a user's role: without context before it, '' if it is a note."""
    at = _after_context(text)
    if text.startswith(f"<{_WRAPPER}>", at):
        at += len(_WRAPPER) + 2
        end = text.rfind(f"</{_WRAPPER}>")
        return text[at : end if end > 0 else None]
    return "" if text.startswith(_NOTES, at) else text[at:]


def _after_context(text: str) -> int:
    """Return where the prompt starts, after the elements that the agent put before it."""
    at = 0
    if text[:1].isalnum():  # no element, no blank
        return at
    while True:
        while text[at : at + 1].isspace():
            at += 1
        tag = next((tag for tag in _CONTEXT if text.startswith(f"<{tag}>", at)), None)
        end = text.find(f"</{tag}>", at) if tag else -1
        if tag is None or end < 0:
            return at if tag is None else len(text)
        at = end + len(tag) + 3


def _is_note(content: object) -> bool:
    """Tell whether a user's message starts as a note: then also its later texts are not typed by a person."""
    first = content[0] if isinstance(content, list) and content else content
    text = first.get("text") if isinstance(first, dict) else first
    return isinstance(text, str) and text.lstrip().startswith(_NOTES)
