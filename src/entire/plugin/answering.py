"""``entire-ask``: answers one question per line, until standard input ends."""

from __future__ import annotations

import os
import sys
import time

from entire.agents import transcripts
from entire.errors import EntireError
from entire.model import jsontext
from entire.model.positions import SessionRef
from entire.plugin_host.language import questions
from entire.plugin_host.language.wire import PATH, TEXT_MAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Transcript
    from entire.plugin.call import Call

_WITHOUT = {"makes_commit": False, "model": "", "subagent_ref": ""}
"""Answers for a transcript without these optional methods."""
_SETTLED = 100_000_000
"""Nanoseconds after which another change of a file surely gives it another time."""


def answer_all(call: Call) -> None:
    """Answer the questions on standard input, one at a time."""
    desk = _Desk(call)
    for line in sys.stdin.buffer:
        if line.strip():
            sys.stdout.buffer.write(jsontext.dumps(desk.answer(line)).encode() + b"\n")
            sys.stdout.buffer.flush()


class _Desk:
    """Answers questions, of one transcript at a time mostly: it reads that only once while it does not change."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._known: tuple[Any, Transcript] | None = None

    def answer(self, line: bytes) -> dict[str, Any]:
        """Return the answer to a question, or why there is none."""
        try:
            question = jsontext.loads(line)
            name = question.get("ask") if isinstance(question, dict) else None
            if not isinstance(name, str) or name not in questions.QUESTIONS:
                raise EntireError("this is not a question that can be answered")
            return {"answer": self._ask(name, question)}
        except EntireError as error:
            return {"error": error.message, **({"hint": error.hint} if error.hint else {})}
        except Exception as error:  # an adapter's fault ends one question, not the others
            return {"error": f"{type(error).__name__}: {error}"}

    def _ask(self, name: str, given: dict[str, Any]) -> Any:
        question = questions.QUESTIONS[name]
        arguments = questions.read_arguments(name, given)
        keywords = {key: arguments.pop() for key in question.keywords}
        asked: Any = self._transcript(given) if question.is_of_transcript else self._agent(given)
        if name in _WITHOUT and not hasattr(asked, name):
            return _WITHOUT[name]
        folder = PATH.read(given.get("folder"))
        return questions.write_answer(name, getattr(asked, name)(*arguments, **keywords), folder)

    def _agent(self, given: dict[str, Any]) -> Any:
        return self._call.agent(TEXT_MAP.read(given.get("metadata")))

    def _transcript(self, given: dict[str, Any]) -> Transcript:
        """Return the transcript that a question is about: the last one, if that is the same and has not changed."""
        ref, stored = PATH.read(given.get("session_ref")), PATH.read(given.get("stored"))
        agent = self._agent(given)
        versions = [transcripts.version(path) for path in ((stored,) if stored else SessionRef(ref).files)]
        key = (ref, stored, agent, versions)
        if self._known is None or self._known[0] != key:
            content = read_stored(stored) if stored else None
            self._known = key, agent.transcript(ref, stored=content)
            if any(time.time_ns() - changed < _SETTLED for _, _, changed in versions) or not versions:
                # It may change without being seen to.
                transcript, self._known = self._known[1], None
                return transcript
        return self._known[1]


def read_stored(path: str) -> bytes:
    """Return a stored transcript that a host has put into a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise EntireError(f"the stored transcript {path} cannot be read: {os.strerror(error.errno or 0)}") from None
