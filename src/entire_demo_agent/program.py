"""The demo agent's command line: answers a prompt, or holds a conversation."""

from __future__ import annotations

import argparse
import os
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from entire_demo_agent import memory, places, tools
from entire_demo_agent.conversation import MainConversation
from entire_demo_agent.hooks import Hooks

SESSION_VARIABLE = "DEMO_AGENT_SESSION_ID"
"""Environment variable with the session id, set for every hook and command, so also for git when the agent commits."""

INTERRUPTED = 130
NAME = "entire_demo_agent"
_HELP = """\
instructions, separated by a newline, ";" or "then":
  create a file NAME with TEXT       append TEXT to NAME       replace OLD with NEW in NAME
  delete NAME                        run SHELL COMMAND         say TEXT
  remember TEXT                      what do you remember      ask a helper to INSTRUCTIONS
TEXT is bare words, "a string\\n", or a block (indented, or between lines of three backticks).
In a conversation, /compact shortens the context, /clear starts a new session and /exit ends the agent.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the agent; return the exit code."""
    options = _options(argv)
    _write_any_text()
    workdir = Path.cwd()
    try:
        conversation, source = _open(options, workdir)
    except tools.Refused as why:
        print(f"{NAME}: {why}", file=sys.stderr)
        return 1
    return _converse(conversation, source, options.prompt)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python3 -m {NAME}",
        description="A small coding agent that follows simple instructions. It has no model and needs no network.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-p", "--prompt", help="answer this prompt and exit")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("-r", "--resume", metavar="ID", help="continue a session")
    which.add_argument(
        "-c", "--continue", dest="newest", action="store_true", help="continue the newest session of this folder"
    )
    which.add_argument("--session-id", metavar="ID", help="start a session with this id")
    return parser.parse_args(argv)


def _write_any_text() -> None:
    """Accept input that is not valid text, and print it without errors."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="surrogateescape" if stream is sys.stdin else "backslashreplace")


def _open(options: argparse.Namespace, workdir: Path) -> tuple[MainConversation, str]:
    """Open or start the requested session; return it and its source (startup or resume)."""
    requested = options.resume or options.session_id
    if requested and not places.is_session_id(requested):
        raise tools.Refused(f"{requested!r} is not a valid session id")
    path = None
    if options.resume:
        path = places.find_session(workdir, options.resume)
    elif options.newest:
        path = places.newest_session(workdir)
    if path:
        return _conversation(path.stem, path, workdir), "resume"
    if options.resume or options.newest:
        raise tools.Refused(
            f"there is no session {options.resume}" if options.resume else "there is no session in this folder"
        )
    session_id = options.session_id or str(uuid.uuid4())
    if places.find_session(workdir, session_id):
        raise tools.Refused(f"the session {session_id} already exists; continue it with --resume {session_id}")
    return _new(session_id, workdir), "startup"


def _new(session_id: str, workdir: Path) -> MainConversation:
    return _conversation(session_id, places.session_folder(workdir) / f"{session_id}.jsonl", workdir)


def _conversation(session_id: str, path: Path, workdir: Path) -> MainConversation:
    env = {SESSION_VARIABLE: session_id}
    # The agent's commands have no terminal in which an editor could run.
    place = tools.Place(workdir=workdir, env={**env, "GIT_EDITOR": "true"})
    return MainConversation(session_id, memory.Transcript(path), place, Hooks(workdir, env, _show), _show)


def _show(text: str) -> None:
    """Print for the user; if the reader has closed the pipe, print nothing more."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _start(conversation: MainConversation, source: str) -> None:
    conversation.transcript.append(
        "session",
        session_id=conversation.session_id,
        cwd=str(Path.cwd()),
        source=source,
        model=memory.MODEL,
        version=memory.VERSION,
    )
    conversation.fire("SessionStart", source=source, model=memory.MODEL)


def _converse(conversation: MainConversation, source: str, prompt: str | None) -> int:
    """Hold the conversation, from the session's first hook to its last."""
    reason = "done"
    try:
        _start(conversation, source)
        if prompt is not None:
            conversation.turn(prompt)
    except KeyboardInterrupt:
        reason = "interrupt"
    if prompt is None and reason == "done":
        conversation, reason = _listen(conversation)
    conversation.fire("SessionEnd", reason=reason)
    return INTERRUPTED if reason == "interrupt" else 0


def _listen(conversation: MainConversation) -> tuple[MainConversation, str]:
    """Take prompts from standard input until it ends; return the last conversation and why it ended."""
    prompts = _prompts()
    while True:
        try:
            prompt = next(prompts, "/exit")
        except KeyboardInterrupt:
            return conversation, "interrupt"
        if prompt == "/exit":
            return conversation, "exit"
        if prompt == "/clear":
            conversation.fire("SessionEnd", reason="clear")
            conversation = _new(str(uuid.uuid4()), Path.cwd())
            _start(conversation, "clear")
        elif prompt == "/compact":
            conversation.compact()
        else:
            try:
                conversation.turn(prompt)
            except KeyboardInterrupt:
                _show("Interrupted.")


def _prompts() -> Iterator[str]:
    """Yield each line the user types; a line that opens a block continues until the block is closed.

    The prompt sign also shows a program that reads from a pipe that the turn is over.
    """
    text = ""
    while True:
        print(". " if text else "> ", end="", flush=True)
        line = sys.stdin.readline()
        text += line
        if line and text.count("```") % 2:
            continue
        if text.strip():
            yield text.strip()
        text = ""
        if not line:
            return
