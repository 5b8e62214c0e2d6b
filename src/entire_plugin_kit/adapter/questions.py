"""Asks a transcript everything that its agent's capabilities allow, in a form that can be compared."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from entire.plugin import START, Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.plugin import Agent


ANALYZER, CALCULATOR, EXTRACTOR = "transcript_analyzer", "token_calculator", "subagent_extractor"


def boundaries(transcript: Any) -> list[Position]:
    """Return the positions between all records of a transcript, from its start to its end."""
    end = transcript.end()
    places = [transcript.at(count) for count in range(end.count)]
    return [*places, end]


def stored(position: Position) -> Position:
    """Return a position as it comes back from a session's state: through JSON."""
    return Position.from_json(json.loads(json.dumps(position.to_json())))


def is_document(data: bytes) -> bool:
    """Tell whether a transcript is one JSON document."""
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


def same(agent: Agent, one: bytes, other: bytes) -> bool:
    """Tell whether two contents are the same transcript: the same bytes, or documents with the same records, or lines
    of which only the first differs, where the agent may say in which folder the session is.
    """
    if one == other:
        return True
    agreement = agent.transcript("", stored=one).agreement(other)
    lines = [content.partition(b"\n")[2] for content in (one, other)]
    is_alike = is_document(one) or (lines[0] == lines[1] != b"")
    return is_alike and not (agreement.own_is_longer or agreement.stored_is_longer)


def paths(reports: Iterable[Any]) -> list[str]:
    """Return the paths of what tools reported, without duplicates."""
    return list(dict.fromkeys(report.path for report in reports))


def between(agent: Agent, transcript: Any, since: Position = START, until: Position | None = None) -> dict[str, Any]:
    """Return all that a transcript tells about the part between two positions."""
    has = agent.capabilities
    told: dict[str, Any] = {}
    if ANALYZER in has:
        told["files"] = transcript.files(since, until)
        told["prompts"] = [(prompt.text, prompt.position, prompt.id) for prompt in transcript.prompts(since, until)]
        told["has answers"] = transcript.has_answers(since, until)
        if hasattr(transcript, "model"):
            told["model"] = transcript.model(since, until)
    if CALCULATOR in has:
        told["tokens"] = transcript.tokens(since, until)
    if EXTRACTOR in has:
        told["subagents"] = {one.id for one in transcript.subagents(since, until)}
    return told


def ask_all(agent: Agent, transcript: Any, position: Position) -> list[Any]:
    """Ask every question of the contract at one position, for what is left of it to be examined."""
    answers = [
        transcript.snapshot(),
        transcript.end(),
        transcript.end(position),
        transcript.at(position.count),
        transcript.cut(position),
        transcript.holds(position),
        transcript.is_later(position, START),
        transcript.agreement(b'{"a": 1}\n'),
        transcript.agreement(transcript.snapshot()[:-7]),
        transcript.file_lines(position),
        between(agent, transcript),
        between(agent, transcript, position),
        between(agent, transcript, START, position),
        between(agent, transcript, position, position),
    ]
    if ANALYZER in agent.capabilities:
        answers += [transcript.summary(position), transcript.shares_answer(position)]
        answers += [transcript.answer_boundary(position, 1.7e9), transcript.answer_boundary(START, 0.0, "0" * 40)]
        if hasattr(transcript, "makes_commit"):
            answers.append(transcript.makes_commit(position, 1.7e9, "0" * 40))
    if hasattr(transcript, "messages"):
        answers.append(transcript.messages())
    if EXTRACTOR in agent.capabilities and hasattr(transcript, "subagent_ref"):
        answers.append([transcript.subagent_ref(one.id) for one in transcript.subagents(START)])
    return answers


def texts(value: Any) -> Iterable[str]:
    """Yield every text in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in texts(part))
    elif isinstance(value, (list, tuple, set)):
        yield from (text for part in value for text in texts(part))
    elif hasattr(value, "__dict__"):
        yield from texts(vars(value))


def segments(places: Sequence[Position], cuts: Iterable[int]) -> list[tuple[Position, Position]]:
    """Return the parts of a transcript between chosen boundaries."""
    inner = sorted({cut % len(places) for cut in cuts})
    chosen = [places[0], *(places[cut] for cut in inner), places[-1]]
    return list(pairwise(chosen))
