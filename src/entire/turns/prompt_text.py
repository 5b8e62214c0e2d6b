"""A turn's prompts, as its events and the transcript tell them: of a bounded size."""

from __future__ import annotations

from entire.model.positions import START
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.records import Prompt
    from entire.model.events import Event
    from entire.model.positions import Position
    from entire.model.session import Turn
    from entire.recording.session_transcript import SessionTranscript
    from entire.redact import Redactor

MAX = 4 << 20  # characters of a turn's prompts that are kept beside the transcript, which has them all
_FIRST_WORDS = 100  # characters


def of_event(event: Event, redactor: Redactor) -> str:
    """Return the prompt that a person gave, as an event reports it: at the turn's start, or only at its end."""
    return redactor.redact_text("" if event.is_automatic else cut(event.prompt, MAX))


def first_words(prompt: str) -> str:
    return " ".join(prompt.split())[:_FIRST_WORDS]


def cut(text: str, size: int) -> str:
    """Return a text up to the last line or word that ends within ``size`` characters: half a secret is not a secret."""
    if len(text) <= size:
        return text
    end = text.rfind("\n", 0, size)
    return text[: max(end, 0) or max(text.rfind(" ", 0, size), 0)]


def of_turn(transcript: SessionTranscript, turn: Turn, finish: Position, *, first: bool) -> list[Prompt]:
    """Return the turn's prompts from the transcript, else the prompt of its start event. ``first``: it is the session's
    first turn.
    """
    prompts = first_of(transcript.prompts(turn.start, finish))
    if not prompts and turn.prompt:
        from entire.conversation.records import Prompt

        prompts = [Prompt(text=turn.prompt, position=turn.start.count, time=turn.started, id=turn.ref)]
    if prompts and first and not transcript.prompts(START, turn.start):
        prompts[0] = replace(prompts[0], position=0)  # what precedes a session's first prompt belongs to it
    return prompts


def first_of(prompts: list[Prompt]) -> list[Prompt]:
    """Return the first prompts, as far as they are kept beside the transcript."""
    kept: list[Prompt] = []
    left = MAX
    for prompt in prompts:
        if left <= 0:
            break
        kept.append(replace(prompt, text=cut(prompt.text, left)) if len(prompt.text) > left else prompt)
        left -= len(prompt.text) + 1
    return kept
