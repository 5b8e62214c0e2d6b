"""Transcripts that may be too long for memory: lines are read and compared block by block, others as a whole."""

from __future__ import annotations

from entire import contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent, Transcript
    from entire.model.positions import Position
    from entire.model.transcripts import Agreement, Content

_SNIFFED = 4096


def is_lines(agent: Agent, beginning: bytes) -> bool:
    """Tell whether an agent's transcript that begins so is lines."""
    ask = getattr(agent, "is_lines", None)  # optional
    return ask is not None and bool(ask(beginning))


def given(agent: Agent, content: Content) -> Any:
    """Return a transcript as its adapter takes it."""
    is_short = isinstance(content, bytes)
    return content if is_short or is_lines(agent, contents.read(content, 0, _SNIFFED)) else bytes(content)


def opened(agent: Agent, session_ref: str, content: Content) -> Transcript:
    """Return what reads a stored transcript."""
    return agent.transcript(session_ref, given(agent, content))


def content(transcript: Transcript) -> Content:
    """Return the complete content of a transcript."""
    ask = getattr(transcript, "long_content", None)
    whole: Content = ask() if ask is not None else transcript.snapshot()
    return whole


def until(transcript: Transcript, end: Position) -> Content:
    """Return what a transcript holds before a position."""
    ask = getattr(transcript, "long_content_until", None)
    before: Content = ask(end) if ask is not None else transcript.cut(end)
    return before


def agreement(agent: Agent, transcript: Transcript, stored: Content) -> Agreement:
    """Compare an agent's own transcript with a stored one."""
    return transcript.agreement(given(agent, stored))
