"""The subcommands of the protocol, version 1, in terms of an agent's adapter."""

from __future__ import annotations

from entire.errors import EntireError, UsageError
from entire.model import jsontext
from entire.model.positions import START
from entire.plugin.call import Call, Subcommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Transcript
    from entire.model.positions import Position


def carry_out(call: Call) -> bytes:
    """Carry out a call; return what it prints."""
    subcommand = TABLE.get(call.subcommand)
    if subcommand is None:
        raise UsageError(f"there is no subcommand {call.subcommand!r}")
    call.parse(subcommand.options, subcommand.flags)
    if subcommand.capability and subcommand.capability not in call.agent().capabilities:
        raise UsageError(f"{call.subcommand} needs the capability {subcommand.capability}, which this agent lacks")
    answer = subcommand.function(call)
    return answer if isinstance(answer, bytes) else jsontext.dumps(answer).encode() + b"\n"


def _info(call: Call) -> Any:
    from entire.plugin import description

    return description.describe(call.agent(), call.about)


def _detect(call: Call) -> Any:
    return {"present": bool(call.agent().detect(call.root))}


# ---------------------------------------------------------------- sessions


def _get_session_id(call: Call) -> Any:
    from entire.plugin_host.language import wire

    return {"session_id": wire.TEXT.read(call.document().get("session_id"))}


def _get_session_dir(call: Call) -> Any:
    from entire.plugin import sessions

    return {"session_dir": sessions.folder(call.agent(), call.option("repo-path"))}


def _resolve_session_file(call: Call) -> Any:
    from entire.plugin import sessions

    return {"session_file": sessions.file(call.agent(), call.option("session-dir"), call.option("session-id"))}


def _read_session(call: Call) -> Any:
    from entire.plugin import sessions

    return sessions.read(call.agent(), call.document(), call.root)


def _write_session(call: Call) -> bytes:
    from entire.plugin import sessions

    sessions.write(call.agent(), call.document(), call.root)
    return b""


def _format_resume_command(call: Call) -> Any:
    from entire.agents import capabilities

    resumer = capabilities.session_resumer(call.agent())
    return {"command": resumer.format_resume_command(call.option("session-id")) if resumer is not None else ""}


# ---------------------------------------------------------------- transcripts


def _read_transcript(call: Call) -> bytes:
    return _of_agent(call, "session-ref").snapshot()


def _chunk_transcript(call: Call) -> Any:
    from entire.plugin import chunks
    from entire.plugin_host.language import wire

    size = call.number("max-size")
    if not size:
        raise UsageError("--max-size must be at least 1")
    return {"chunks": [wire.base64(chunk) for chunk in chunks.split(call.agent(), call.stdin(), size)]}


def _reassemble_transcript(call: Call) -> bytes:
    from entire.plugin import chunks
    from entire.plugin_host.language import wire

    given = call.document().get("chunks")
    given = [] if given is None else given
    if not isinstance(given, list):
        raise EntireError("the chunks are not a list")
    try:
        return chunks.join(call.agent(), [wire.read_bytes(chunk) for chunk in given])
    except ValueError as error:
        raise EntireError(f"a chunk cannot be read: {error}") from None


def _get_transcript_position(call: Call) -> Any:
    from entire.plugin_host.language import wire

    return {"position": wire.number_of(_of_agent(call, "path").end())}


def _extract_modified_files(call: Call) -> Any:
    from entire.plugin_host.language import wire

    transcript: Any = _of_agent(call, "path")
    files = _unique(report.path for report in transcript.files(_since(call, transcript)))
    return {"files": files, "current_position": wire.number_of(transcript.end())}


def _extract_prompts(call: Call) -> Any:
    transcript: Any = _of_agent(call, "session-ref")
    return {"prompts": [prompt.text for prompt in transcript.prompts(_since(call, transcript))]}


def _extract_summary(call: Call) -> Any:
    transcript: Any = _of_agent(call, "session-ref")
    summary = transcript.summary(START)
    return {"summary": summary, "has_summary": bool(summary)}


def _prepare_transcript(call: Call) -> bytes:
    from entire.model.events import Event, EventType

    agent: Any = call.agent()
    agent.prepare_transcript(
        Event(type=EventType.TURN_END, session_id="", session_ref=call.option("session-ref")), START
    )
    return b""


def _calculate_tokens(call: Call) -> Any:
    from entire.plugin_host.language import wire

    transcript: Any = _given(call)
    return wire.TOKENS.write(transcript.tokens(_since(call, transcript)))


def _extract_all_modified_files(call: Call) -> Any:
    transcript: Any = _given(call)
    since = _since(call, transcript)
    reports = [
        *transcript.files(since),
        *(file for other in _subagents(call, transcript, since) for file in other.files(START)),
    ]
    return {"files": _unique(report.path for report in reports)}


def _calculate_total_tokens(call: Call) -> Any:
    from entire.model.tokens import total
    from entire.model.value import replace
    from entire.plugin_host.language import wire

    transcript: Any = _given(call)
    since = _since(call, transcript)
    spent = [other.tokens(START) for other in _subagents(call, transcript, since)]
    subagents = total(spent) if spent else None
    return wire.TOKENS.write(replace(transcript.tokens(since), subagents=subagents))


def _of_agent(call: Call, option: str) -> Transcript:
    return call.agent().transcript(call.option(option))


def _given(call: Call) -> Transcript:
    """Return the transcript on standard input."""
    return call.agent().transcript("", stored=call.stdin())


def _subagents(call: Call, transcript: Any, since: Position) -> list[Any]:
    """Return the transcripts of the subagents that worked since a position, in the folder of such transcripts."""
    import os

    folder = call.option("subagents-dir", "")
    located: Any = call.agent().transcript(os.path.join(folder, "session.jsonl"), stored=b"")
    names = [os.path.basename(located.subagent_ref(subagent.id)) for subagent in transcript.subagents(since) if folder]
    return [call.agent().transcript(os.path.join(folder, name)) for name in names if name]


def _since(call: Call, transcript: Transcript) -> Position:
    return transcript.at(call.number("offset"))


def _unique(texts: Any) -> list[str]:
    return list(dict.fromkeys(texts))


# ---------------------------------------------------------------- hooks and the rest


def _parse_hook(call: Call) -> Any:
    from entire.model.value import replace
    from entire.plugin_host.language import wire

    agent: Any = call.agent()
    event = agent.parse_hook(call.option("hook"), call.stdin())
    find = getattr(agent, "find_transcript", None)  # optional
    if event is not None and find is not None and not event.session_ref:
        event = replace(event, session_ref=find(event))
    return wire.EVENT.write(event)


def _install_hooks(call: Call) -> Any:
    agent: Any = call.agent()
    return {"hooks_installed": agent.install_hooks(call.root, _PROJECT, force=call.has("force"))}


def _uninstall_hooks(call: Call) -> bytes:
    agent: Any = call.agent()
    agent.uninstall_hooks(call.root, _PROJECT)
    return b""


def _are_hooks_installed(call: Call) -> Any:
    from entire.model.health import HookStatus

    agent: Any = call.agent()
    health = agent.hooks_health(call.root, _PROJECT)
    if health.status is HookStatus.UNKNOWN:
        raise EntireError(health.detail or "the agent's configuration cannot be read")
    return {"installed": health.status not in (HookStatus.MISSING, HookStatus.STALE)}


def _write_hook_response(call: Call) -> bytes:
    agent: Any = call.agent()
    answer: bytes = agent.write_hook_response(call.option("message"))
    return answer


def _generate_text(call: Call) -> Any:
    agent: Any = call.agent()
    return {"text": agent.generate_text(call.stdin().decode("utf-8", "replace"), call.option("model", ""))}


def _ask(call: Call) -> bytes:
    from entire.plugin import answering

    answering.answer_all(call)
    return b""


def _records(call: Call) -> bytes:
    from entire.plugin import recording

    recording.tell(call)
    return b""


_PROJECT = "project"

TABLE = {
    "info": Subcommand(function=_info),
    "detect": Subcommand(function=_detect),
    "get-session-id": Subcommand(function=_get_session_id),
    "get-session-dir": Subcommand(function=_get_session_dir, options=("repo-path",)),
    "resolve-session-file": Subcommand(function=_resolve_session_file, options=("session-dir", "session-id")),
    "read-session": Subcommand(function=_read_session),
    "write-session": Subcommand(function=_write_session),
    "read-transcript": Subcommand(function=_read_transcript, options=("session-ref",)),
    "chunk-transcript": Subcommand(function=_chunk_transcript, options=("max-size",)),
    "reassemble-transcript": Subcommand(function=_reassemble_transcript),
    "format-resume-command": Subcommand(function=_format_resume_command, options=("session-id",)),
    "parse-hook": Subcommand(function=_parse_hook, options=("hook",)),
    "install-hooks": Subcommand(
        function=_install_hooks, flags=("local-dev", "force"), capability="hook_installer"
    ),
    "uninstall-hooks": Subcommand(function=_uninstall_hooks, capability="hook_installer"),
    "are-hooks-installed": Subcommand(function=_are_hooks_installed, capability="hook_installer"),
    "get-transcript-position": Subcommand(
        function=_get_transcript_position, options=("path",), capability="transcript_analyzer"
    ),
    "extract-modified-files": Subcommand(
        function=_extract_modified_files, options=("path", "offset"), capability="transcript_analyzer"
    ),
    "extract-prompts": Subcommand(
        function=_extract_prompts, options=("session-ref", "offset"), capability="transcript_analyzer"
    ),
    "extract-summary": Subcommand(
        function=_extract_summary, options=("session-ref",), capability="transcript_analyzer"
    ),
    "prepare-transcript": Subcommand(
        function=_prepare_transcript, options=("session-ref",), capability="transcript_preparer"
    ),
    "calculate-tokens": Subcommand(function=_calculate_tokens, options=("offset",), capability="token_calculator"),
    "generate-text": Subcommand(function=_generate_text, options=("model",), capability="text_generator"),
    "write-hook-response": Subcommand(
        function=_write_hook_response, options=("message",), capability="hook_responder"
    ),
    "extract-all-modified-files": Subcommand(
        function=_extract_all_modified_files, options=("offset", "subagents-dir"), capability="subagent_extractor"
    ),
    "calculate-total-tokens": Subcommand(
        function=_calculate_total_tokens, options=("offset", "subagents-dir"), capability="subagent_extractor"
    ),
    "entire-ask": Subcommand(function=_ask),
    "entire-records": Subcommand(function=_records),
}  # fmt: skip
