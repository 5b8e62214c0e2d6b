"""A turn's prompt as its event reports it, without secrets and of a bounded size."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.events import Event
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
