"""Sessions as version 1 has them: where they are, and reading and writing one as a whole."""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities, put_back
from entire.errors import EntireError
from entire.model.effects import Delete, Run, Write
from entire.model.ids import is_session_id
from entire.model.positions import START
from entire.plugin_host.language import wire
from entire.redact import seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent
    from entire.model.effects import PutBack

_FILES = ("modified_files", "new_files", "deleted_files")


def folder(agent: Agent, root: str) -> str:
    """Return the folder of the agent's sessions; for an agent that does not tell, one where this plugin writes."""
    resumer = capabilities.session_resumer(agent)
    if resumer is not None:
        return resumer.session_dir(root)
    data = os.environ.get("XDG_DATA_HOME", "")
    data = data if os.path.isabs(data) else os.path.expanduser("~/.local/share")
    return os.path.join(data, f"entire-agent-{agent.name}", "sessions")


def file(agent: Agent, session_dir: str, session_id: str) -> str:
    """Return the path of a session's transcript; '' for an id that cannot be part of it."""
    resumer = capabilities.session_resumer(agent)
    if resumer is not None:
        return resumer.resolve_session_file(session_dir, session_id)
    return os.path.join(session_dir, session_id) if is_session_id(session_id) else ""


def read(agent: Agent, hook_input: dict[str, Any], root: str) -> dict[str, Any]:
    """Return the record of a session: what was written, or what its bare transcript tells."""
    session_id = wire.TEXT.read(hook_input.get("session_id"))
    session_ref = wire.PATH.read(hook_input.get("session_ref")) or file(agent, folder(agent, root), session_id)
    transcript: Any = agent.transcript(session_ref)
    content = transcript.snapshot()
    record = _record(content)
    analyzer: Any = capabilities.transcript_analyzer(agent, transcript) if record is None else None
    prompts = analyzer.prompts(START) if analyzer is not None else []
    changed = [report.path for report in analyzer.files(START)] if analyzer is not None else []
    told = {
        "session_id": session_id,
        "agent_name": agent.name,
        "repo_path": root,
        "session_ref": session_ref,
        "start_time": wire.rfc3339(prompts[0].time) if prompts else "",
        "native_data": wire.base64(content) if content else None,
        "modified_files": list(dict.fromkeys(changed)),
    }
    told |= record or {}
    return {**told, **{key: wire.TEXTS.read(told.get(key)) for key in _FILES}}


def _record(content: bytes) -> dict[str, Any] | None:
    """Return a whole record that was written instead of a transcript."""
    from entire.agents.untrusted import loads

    record = loads(content) if b'"native_data"' in content else None
    is_record = isinstance(record, dict) and {"session_id", "agent_name", "native_data"} <= record.keys()
    return record if is_record else None


def write(agent: Agent, record: dict[str, Any], root: str) -> None:
    """Put a session back where the agent finds it; without content, there is nothing to put back."""
    session_ref = wire.PATH.read(record.get("session_ref"))
    session_ref = session_ref or file(agent, folder(agent, root), wire.TEXT.read(record.get("session_id")))
    if not os.path.isabs(session_ref):
        raise EntireError("the session has no session_ref that is an absolute path")
    if record.get("native_data") is None:
        return
    try:
        content = wire.read_bytes(record["native_data"])
    except ValueError as error:
        raise EntireError(f"native_data cannot be read: {error}") from None
    plan = _plan(agent, session_ref, bytes(seals.without_broken(content)))
    if plan.problem:
        raise EntireError(f"the session cannot be put back: {plan.problem}")
    _carry_out(plan, root)


def _plan(agent: Agent, session_ref: str, content: bytes) -> PutBack:
    resumer = capabilities.session_resumer(agent)
    if resumer is None:
        return put_back.files(session_ref, content, {}, lambda _: "")
    return resumer.put_back(session_ref, content, {})


def _carry_out(plan: PutBack, root: str) -> None:
    """Carry out a plan: first the files, each of which is old or new at any time, then the commands.

    After a failure, what was done is taken back.
    """
    done: list[Write | Delete | Run] = []
    try:
        for effect in sorted(plan.effects, key=lambda effect: isinstance(effect, Run)):
            way_back = effect.inverse() if isinstance(effect, Run) else _restoring(effect.path)
            _apply(effect, root)
            done.append(way_back)
    except EntireError:
        for effect in reversed(done):
            _apply(effect, root)
        raise


def _restoring(path: str) -> Write | Delete:
    try:
        content = files.read(path)
    except OSError as error:
        raise EntireError(f"cannot read {path}: {error.strerror}", hint="nothing was changed") from error
    return Delete(path=path) if content is None else Write(path=path, data=content)


def _apply(effect: Write | Delete | Run, root: str) -> None:
    if isinstance(effect, Run):
        _run(effect, root)
    elif isinstance(effect, Delete):
        try:
            files.remove(effect.path)
        except OSError as error:
            raise EntireError(f"cannot delete {effect.path}: {error.strerror}") from error
    else:
        path = os.path.realpath(effect.path)
        files.write(path, bytes(effect.data), mode=os.stat(path).st_mode & 0o777 if os.path.isfile(path) else 0o600)


def _run(effect: Run, root: str) -> None:
    from entire import process

    done = process.run(effect.argv, stdin=bytes(effect.stdin), env={**os.environ, **effect.env}, folder=root)
    if done.status:
        why = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.status}"
        raise EntireError(f"{effect.argv[0]} failed: {why}")
