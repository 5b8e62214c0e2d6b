"""The questions of ``entire-ask``: methods of the contract, with how their arguments and answers are written."""

from __future__ import annotations

from entire.model.value import Value
from entire.plugin_host.language import wire
from entire.plugin_host.language.wire import Codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Question(Value):
    """A method that can be asked for.

    ``arguments`` are in the method's order, those that are ``keywords`` last. ``is_of_transcript``: a method of the
    transcript, not of the agent.
    """

    extension: str
    arguments: Mapping[str, Codec]
    answer: Codec
    is_of_transcript: bool = True
    keywords: tuple[str, ...] = ()


_SINCE = {"since": wire.POSITION}
_RANGE = {**_SINCE, "until": wire.OPTIONAL_POSITION}
_COMMIT = {**_SINCE, "moment": wire.MOMENT, "commit": wire.TEXT}
_PLACE = {"root": wire.PATH, "scope": wire.TEXT}


def _of_transcript(extension: str, answer: Codec, arguments: Mapping[str, Codec] = {}) -> Question:
    return Question(extension=extension, arguments=arguments, answer=answer)


def _of_agent(
    extension: str, answer: Codec, arguments: Mapping[str, Codec], keywords: tuple[str, ...] = ()
) -> Question:
    return Question(extension=extension, arguments=arguments, answer=answer, is_of_transcript=False, keywords=keywords)


QUESTIONS = {
    "files": _of_transcript("entire_ranges", wire.FILES, _RANGE),
    "tokens": _of_transcript("entire_ranges", wire.TOKENS, _RANGE),
    "prompts": _of_transcript("entire_ranges", wire.PROMPTS, _RANGE),
    "summary": _of_transcript("entire_ranges", wire.TEXT, _SINCE),
    "has_answers": _of_transcript("entire_ranges", wire.FLAG, _RANGE),
    "model": _of_transcript("entire_ranges", wire.TEXT, _RANGE),
    "answer_boundary": _of_transcript("entire_answer_boundaries", wire.POSITION, _COMMIT),
    "makes_commit": _of_transcript("entire_answer_boundaries", wire.FLAG, _COMMIT),
    "shares_answer": _of_transcript("entire_answer_boundaries", wire.FLAG, {"position": wire.POSITION}),
    "subagents": _of_transcript("entire_subagents", wire.SUBAGENTS, _RANGE),
    "subagent_ref": _of_transcript("entire_subagents", wire.PATH, {"subagent_id": wire.TEXT}),
    "snapshot": _of_transcript("entire_positions", wire.CONTENT),
    "end": _of_transcript("entire_positions", wire.POSITION, {"known": wire.POSITION}),
    "at": _of_transcript("entire_positions", wire.POSITION, {"count": wire.NUMBER}),
    "cut": _of_transcript("entire_positions", wire.CONTENT, {"end": wire.POSITION}),
    "holds": _of_transcript("entire_positions", wire.FLAG, {"position": wire.POSITION}),
    "is_later": _of_transcript("entire_positions", wire.FLAG, {"position": wire.POSITION, "other": wire.POSITION}),
    # not "stored", which names the transcript that a question is about
    "agreement": _of_transcript("entire_positions", wire.AGREEMENT, {"other": wire.CONTENT}),
    "file_lines": _of_transcript("entire_positions", wire.OPTIONAL_FILE_LINES, {"end": wire.POSITION}),
    "messages": _of_transcript("entire_messages", wire.MESSAGES),
    "put_back": _of_agent(
        "entire_restore_effects",
        wire.PUT_BACK,
        {"session_ref": wire.PATH, "transcript": wire.CONTENT, "subagents": wire.CONTENT_MAP},
    ),
    "own_session_id": _of_agent(
        "entire_restore_effects", wire.TEXT, {"session_id": wire.TEXT, "transcript": wire.CONTENT}
    ),
    "session_files": _of_agent("entire_session_list", wire.SESSION_FILES, {"root": wire.PATH}),
    "has_conversation": _of_agent("entire_session_list", wire.FLAG, {"session_ref": wire.PATH}),
    "hook_config_paths": _of_agent("entire_hooks_health", wire.PATH_TUPLE, _PLACE),
    "install_hooks": _of_agent("entire_hooks_health", wire.NUMBER, {**_PLACE, "force": wire.FLAG}, ("force",)),
    "uninstall_hooks": _of_agent("entire_hooks_health", wire.NUMBER, _PLACE),
    "hooks_health": _of_agent("entire_hooks_health", wire.HEALTH, _PLACE),
}
"""By name. The other keys of a question: ``ask`` (its name), ``metadata``, ``root``, ``session_ref``, ``stored`` (a
file with the transcript that the question is about) and ``folder`` (where files for large answers may be written).
"""


def write_arguments(name: str, *arguments: Any, folder: str = "") -> dict[str, Any]:
    """Return the arguments of a question as its keys; large contents are written to files in ``folder``."""
    codecs = QUESTIONS[name].arguments
    given = zip(codecs.items(), arguments, strict=True)
    return {key: wire.pack(codec.write(argument), folder) for (key, codec), argument in given}


def read_arguments(name: str, given: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of a question in the method's order; ValueError for a content that cannot be read."""
    return [codec.read(given.get(key)) for key, codec in QUESTIONS[name].arguments.items()]


def write_answer(name: str, answer: Any, folder: str = "") -> Any:
    return wire.pack(QUESTIONS[name].answer.write(answer), folder)


def read_answer(name: str, given: object) -> Any:
    """Return what the method returned; ValueError if nothing can be made of it."""
    return QUESTIONS[name].answer.read(given)
