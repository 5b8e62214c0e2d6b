"""What is kept of a stored transcript, so that no more of it is read than is asked for."""

from __future__ import annotations

import bisect
import itertools

from entire.agents.readings import States
from entire.conversation.messages import BY_USER
from entire.conversation.records import Prompt
from entire.model import digests
from entire.model.tokens import ModelTokens, TokenUsage
from entire.model.transcripts import Subagent
from entire.model.value import Value, recast, replace
from entire.model.views.checkpoints import MessageView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import Agent
    from entire.queries.transcripts.session_transcripts import ReadTranscript


class SlotPrompts(Value):
    """The prompts of a session's part of a checkpoint, and what is left out of its transcript."""

    prompts: tuple[Prompt, ...]
    left_out: str = ""


class TurnSpan(Value):
    """The bytes of a transcript from a prompt, at record ``at``, to the next one. ``is_alone``: read by themselves,
    they say what they say in the whole.
    """

    at: int
    start: int
    end: int
    is_alone: bool


class Outline(Value):
    """What a whole transcript says of its turns. ``messages``: the prompts, and of the others, without their texts,
    those that tell where turns end and when; ``calls``: the ids of all calls, and where they are.
    """

    messages: tuple[MessageView, ...]
    spans: tuple[TurnSpan, ...]
    tokens: tuple[ModelTokens, ...]
    calls: tuple[tuple[str, int], ...]
    source: str = "checkpoint"
    problem: str = ""
    hint: str = ""


KEPT = (
    SlotPrompts, Outline, TurnSpan, Prompt, MessageView, ModelTokens, TokenUsage, Subagent, digests.PartDigest,
    digests.FileDigest, digests.FailureDigest, digests.TestRunDigest, digests.AttemptDigest,
)  # fmt: skip
"""The classes of all that is kept."""


def of(read: ReadTranscript) -> Outline:
    """Return the outline of a transcript of which nothing is left out."""
    prompts = [message for message in read.messages if message.who == BY_USER]
    starts = _line_starts(read.content)
    spans = []
    for (prompt, following), inside in zip(
        itertools.zip_longest(prompts, prompts[1:]), _by_turn(read.messages, prompts), strict=True
    ):
        start = _start(starts, prompt.at)
        end = _start(starts, following.at) if following is not None else len(read.content)
        alone, _ = said(read.agent, read.content[start:end], prompt.at)
        spans.append(TurnSpan(at=prompt.at, start=start, end=end, is_alone=alone == inside))
    return Outline(
        messages=tuple(_skeleton(read.messages)),
        spans=tuple(spans),
        tokens=read.tokens,
        calls=tuple((message.call.id, message.at) for message in read.messages
                    if message.call is not None),
        problem=read.problem,
    )  # fmt: skip


def _by_turn(messages: Sequence[MessageView], prompts: Sequence[MessageView]) -> list[list[MessageView]]:
    """Return the messages from each prompt's record to that of the next one."""
    places = [prompt.at for prompt in prompts]
    turns: list[list[MessageView]] = [[] for _ in prompts]
    for message in messages:
        if (number := bisect.bisect_right(places, message.at) - 1) >= 0:
            turns[number].append(message)
    return turns


def said(agent: Agent | None, data: bytes, at: int) -> tuple[list[MessageView], list[tuple[int, str]]]:
    """Return the messages in a part of a transcript from record ``at`` on, and its records that say nothing."""
    state = States().read(agent, data)
    messages = [recast(MessageView, message, at=message.at + at) for message in state.messages()]
    return messages, [(number + at, form) for number, form in state.unknown]


def _line_starts(content: bytes) -> list[int]:
    starts, end = [0], content.find(b"\n")
    while end >= 0:
        starts.append(end + 1)
        end = content.find(b"\n", end + 1)
    return starts


def _start(starts: Sequence[int], at: int) -> int:
    return starts[min(at, len(starts) - 1)]


def _skeleton(messages: Sequence[MessageView]) -> list[MessageView]:
    """Return the prompts, the first and last message with a time, and of each turn the last one and the latest."""
    timed = [number for number, message in enumerate(messages) if message.time]
    kept = {*timed[:1], *timed[-1:]}
    last = latest = -1
    for number, message in enumerate(messages):
        if message.who == BY_USER:
            kept.update((number, last, latest))
            last = latest = number
        last = number if last < 0 or message.at >= messages[last].at else last
        latest = number if latest < 0 or message.time > messages[latest].time else latest
    kept.update((last, latest))
    return [message if message.who == BY_USER else replace(message, text="", call=None)
            for number, message in enumerate(messages) if number in kept]  # fmt: skip
