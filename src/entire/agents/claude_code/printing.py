"""Claude Code's print mode: one prompt, one answer, no tools, no session, no hooks.

Observed on version 2.1.197. It starts in an empty folder, so no project's settings, instructions or hooks are
loaded; the user's own settings are, because they may say how to log in.
"""

from __future__ import annotations

import os
import tempfile

from entire import process
from entire.agents import untrusted
from entire.errors import EntireError
from entire.model.ids import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PROGRAM = "claude"
_OPTIONS = (
    "--print",
    "--output-format", "json",
    "--tools", "",
    "--no-session-persistence",
    "--disable-slash-commands",
    "--strict-mcp-config",  # no server that the user has set up for other work
    "--setting-sources", "user",
    "--settings", '{"disableAllHooks": true}',
    "--system-prompt", "Answer with what is asked for and nothing else.",
)  # fmt: skip
_OF_A_SESSION = (
    "CLAUDECODE", "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PID",
)  # fmt: skip
"""Variables in programs that Claude Code starts: a person may ask for a summary in a session of theirs."""
_SECONDS = 600.0  # the caller's limit is shorter, where it can interrupt
_MAX_OUTPUT = 1 << 24
_SHOWN = 300  # characters of an error


def problem(env: Mapping[str, str]) -> str:
    """Return what keeps the program from being asked; '' if nothing is known to."""
    return "" if _find(env) else f"{PROGRAM} is not on the PATH"


def ask(prompt: str, model: str, env: Mapping[str, str]) -> str:
    """Return the model's answer; raises EntireError if there is none."""
    program = _find(env)
    if not program:
        raise EntireError(f"Claude Code cannot be asked: {problem(env)}",
                          hint="install Claude Code, or choose another agent with --with")  # fmt: skip
    clean = {name: value for name, value in process.without_repository(env).items() if name not in _OF_A_SESSION}
    words = [program, *_OPTIONS, *(["--model", Argument(model, "the model's name")] if model else [])]
    with tempfile.TemporaryDirectory(prefix="entire-claude-") as folder:
        child = process.Child(words, clean, folder, isolated=True)
        done = child.finish(prompt.encode("utf-8", "replace"), timeout=_SECONDS, max_output=_MAX_OUTPUT)
    return _answer(done)


def _find(env: Mapping[str, str]) -> str:
    """Return the program's absolute path: it starts in another folder."""
    return process.find(PROGRAM, env.get("PATH", os.defpath))


def _answer(done: process.Completed) -> str:
    """Return the answer in the object that the program printed; its ``result`` is the error, if there was one."""
    value = untrusted.loads(done.stdout)
    result: Any = value.get("result") if isinstance(value, dict) else None
    text = untrusted.clean(result) if isinstance(result, str) else ""
    is_error = not isinstance(value, dict) or bool(value.get("is_error")) or done.status != 0
    if not is_error and text.strip():
        return text
    said = " ".join((text or done.stderr.decode("utf-8", "replace") or f"exit status {done.status}").split())
    if not is_error:
        raise EntireError("Claude Code answered nothing")
    hint = f"run `{PROGRAM}` and log in with /login" if "/login" in said else ""
    raise EntireError(f"Claude Code gave no answer: {said[:_SHOWN]}", hint=hint)
