"""Conversations of sessions, in parts: of a checkpoint, of a whole session, of a turn; with turns and subagents."""

from __future__ import annotations

import bisect
import sys

from entire.conversation.messages import BY_USER
from entire.model.conversations import ConversationPart, TurnView
from entire.model.tokens import by_model
from entire.model.value import replace
from entire.model.views.checkpoints import MessageView
from entire.queries import turns
from entire.queries.transcripts import outlines, session_transcripts, subagents
from entire.store import checkpoints, lineage_file, open_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.git.read import Objects
    from entire.layout import Place
    from entire.model.conversations import ShowRequest
    from entire.model.session import Session
    from entire.model.tokens import ModelTokens
    from entire.model.views.checkpoints import PartView
    from entire.queries.transcripts.outlines import Outline
    from entire.queries.transcripts.session_transcripts import ReadTranscript
    from entire.queries.transcripts.stored_transcripts import StoredTranscripts
    from entire.redact import Redactor
    from entire.store.checkpoints import Checkpoint, Slot
    from entire.store.lineage_file import LineageFile


NOTHING = session_transcripts.ReadTranscript("", problem="nothing of its transcript can be read")


class ReadPart(ConversationPart):
    """A conversation that was read, of which a part may be shown."""

    answers: tuple[ModelTokens, ...] = ()  # the tokens of each

    def summed(self) -> ConversationPart:
        """Return it with the tokens of its answers by model."""
        fields = {name: value for name, value in self.__dict__.items() if name != "answers"}
        return ConversationPart(**{**fields, "models": by_model(self.answers)})


def of_part(transcripts: StoredTranscripts, stored: Checkpoint, part: PartView, request: ShowRequest) -> ReadPart:
    """Return a checkpoint's part of a session's conversation; all of it if the request asks for that."""
    whole = of_checkpoint(transcripts, stored, part.session_id, request)
    return whole if request.is_whole or not part.start else _since(whole, part.start)


def of_checkpoint(
    transcripts: StoredTranscripts, stored: Checkpoint, session_id: str, request: ShowRequest,
    is_meant: Callable[[TurnView], bool] | None = None,
) -> ReadPart:  # fmt: skip
    """Return a session's conversation as a checkpoint holds it; of turns that are meant, if there are any, as little of
    the rest as can be.
    """
    slot = stored.slot_of(session_id)
    if slot is None or slot.record is None:
        return ReadPart(session_id=session_id, problem="its record in the checkpoint cannot be read")
    objects = transcripts.objects
    own = lineage_file.read(objects, stored)
    part = of_turn(transcripts, slot, own, is_meant, request) if is_meant is not None else None
    outline = transcripts.outline(slot) if part is not None else None
    calls = dict(outline.calls) if outline is not None else {}
    if part is None:
        transcript = transcripts.of_slot(slot)
        recorded = turns.of_slot(objects, slot, own, checkpoint_id=stored.id)
        part = _with_records(_part(session_id, slot.record.agent, transcript, recorded), transcript, request)
    said = {message.call.id for message in part.messages or () if message.call is not None}
    tasks = [
        task
        for task in checkpoints.tasks(objects, stored)
        if task.session_id in ("", session_id) and (task.tool_use_id in said or task.tool_use_id not in calls)
    ]
    known_tasks = subagents.of_slot(transcripts, slot) if tasks else subagents.described(NOTHING)
    return replace(
        part,
        checkpoint_id=stored.id,
        files=slot.record.files_touched,
        subagents=tuple(subagents.of_task(objects, task, known_tasks, request) for task in tasks),
    )


def of_turn(
    transcripts: StoredTranscripts, slot: Slot, own: LineageFile | None, is_meant: Callable[[TurnView], bool],
    request: ShowRequest,
) -> ReadPart | None:  # fmt: skip
    """Return only the turns that are meant of a session in a checkpoint, and read only these; None if there are none,
    or only the whole conversation tells what they say.
    """
    outline = transcripts.outline(slot)
    if outline is None or slot.record is None:
        return None
    recorded = turns.of_slot(transcripts.objects, slot, own, checkpoint_id=slot.record.checkpoint_id)
    whole = _part(slot.session_id, slot.record.agent, outline, recorded)
    wanted = [turn for turn in whole.turns if is_meant(turn)]
    spans = {span.at: span for span in outline.spans if span.is_alone}
    if not wanted or any(turn.position not in spans for turn in wanted):
        return None
    agent = transcripts.agent(slot, is_plain=True)
    read = [outlines.said(agent, transcripts.span(slot, spans[turn.position].start, spans[turn.position].end),
                          turn.position) for turn in wanted]  # fmt: skip
    return replace(
        of_turns(whole, wanted),
        messages=tuple(message for messages, _ in read for message in messages),
        records=tuple(record for _, unknown in read for record in unknown) if request.has_records else (),
    )


def of_state(place: Place, objects: Objects, state: Session, request: ShowRequest, redactor: Redactor) -> ReadPart:
    """Return the conversation of a session of this machine as it is now; without a source if nothing can be read."""
    known = [*turns.of_session(place, state.session_id), *_running(place, state)]
    transcript = session_transcripts.of_session(place, objects, state, redactor)
    read = transcript or NOTHING
    part = _with_records(_part(state.session_id, state.agent.type, read, known), read, request)
    if state.is_running and known:
        part = _with_running(part, known[-1], read)
    still_open = open_files.find(place, [state]).get(state.session_id, ())
    return replace(
        part,
        phase=state.phase.value,
        started=state.times.started,
        ended=state.times.ended,
        files=tuple(state.work.open_files),
        open_files=still_open,
        subagents=tuple(subagents.of_state(objects, state, read, request)),
    )


def _running(place: Place, state: Session) -> list[TurnView]:
    """Return the turn that is running: it is noted when it ends."""
    notes = turns.of_session(place, state.session_id)
    turn = state.turn
    if turn is None or turn.ended or turn.id in [note.turn for note in notes]:
        return []
    return [TurnView(session_id=state.session_id, turn=turn.id, number=len(notes) + 1, agent=state.agent.type,
                     model=turn.model, prompt=turn.prompt, started=turn.started,
                     position=turn.start.count)]  # fmt: skip


def _with_running(part: ReadPart, running: TurnView, transcript: ReadTranscript) -> ReadPart:
    """Return a conversation with the running turn, which has no end; its prompt may not be in the transcript yet."""
    if part.messages and running.turn not in [turn.turn for turn in part.turns]:
        last = part.messages[-1]
        prompt = MessageView(who=BY_USER, text=running.prompt, at=last.at + 1, time=running.started)
        turn = replace(running, position=prompt.at, agent=part.agent, number=len(part.turns) + 1)
        return replace(part, messages=(*transcript.messages, prompt), turns=(*part.turns, turn))
    *before, last_turn = part.turns or (running,)
    return replace(part, turns=(*before, replace(last_turn, ended=0.0)))


def of_turns(whole: ReadPart, wanted: Sequence[TurnView]) -> ReadPart:
    """Return the part of a conversation that belongs to these turns."""
    messages = tuple(message for turn in wanted for message in messages_of(whole, turn))
    extents = [_extent(whole, turn) for turn in wanted]
    others = {message.call.id for message in whole.messages or () if message.call is not None}
    others -= {message.call.id for message in messages if message.call is not None}
    return replace(
        whole,
        turns=tuple(wanted),
        messages=messages,
        records=tuple(one for within in extents for one in whole.records if one[0] in within),
        answers=tuple(one for within in extents for one in whole.answers if one.at in within),
        subagents=tuple(agent for agent in whole.subagents if agent.tool_use_id not in others),
        started=wanted[0].started if wanted else 0.0,
        ended=wanted[-1].ended if wanted else 0.0,
    )


def messages_of(whole: ReadPart, turn: TurnView) -> list[MessageView]:
    """Return what was said and done in a turn, up to the next prompt."""
    within = _extent(whole, turn)
    return [message for message in whole.messages or () if message.at in within]


def _extent(whole: ReadPart, turn: TurnView) -> range:
    """Return the records of a turn: up to the next prompt."""
    return range(turn.position, min((other.position for other in whole.turns if other.position > turn.position),
                                    default=sys.maxsize))  # fmt: skip


def _part(session_id: str, agent: str, transcript: ReadTranscript | Outline, known: Sequence[TurnView]) -> ReadPart:
    numbered_turns = numbered(transcript.messages, known)
    moments = [message.time for message in transcript.messages if message.time] or [0.0]
    return ReadPart(
        session_id=session_id,
        agent=agent,
        source=transcript.source,
        started=min((turn.started for turn in numbered_turns if turn.started), default=moments[0]),
        ended=max((turn.ended for turn in numbered_turns), default=0.0) or moments[-1],
        turns=tuple(replace(turn, session_id=session_id, agent=agent) for turn in numbered_turns),
        messages=transcript.messages,
        answers=transcript.tokens,
        problem=transcript.problem,
        hint=transcript.hint,
    )


def _with_records(part: ReadPart, transcript: ReadTranscript, request: ShowRequest) -> ReadPart:
    if not request.has_records:
        return part
    return replace(part, records=transcript.unknown)


def _since(whole: ReadPart, start: int) -> ReadPart:
    later = None if whole.messages is None else tuple(message for message in whole.messages if message.at >= start)
    calls = {message.call.id for message in later or () if message.call is not None}
    earlier = {message.call.id for message in whole.messages or () if message.call is not None} - calls
    return replace(
        whole,
        turns=tuple(turn for turn in whole.turns if turn.position >= start),
        messages=later,
        records=tuple(one for one in whole.records if one[0] >= start),
        answers=tuple(one for one in whole.answers if one.at >= start),
        subagents=tuple(agent for agent in whole.subagents if agent.tool_use_id not in earlier),
    )


# ---------------------------------------------------------------- turns


def numbered(messages: Sequence[MessageView], known: Sequence[TurnView]) -> list[TurnView]:
    """Return a turn for each prompt of a conversation, with what is recorded of it; without prompts, what is recorded.

    A prompt is the recorded turn's between whose position and the next one's it is the first; where no positions are
    recorded, they have the same order. Its number is that of the prompt in the conversation, as a search counts it:
    what is recorded has turns without a prompt too, and prompts that were taken back.
    """
    prompts = [message for message in messages if message.who == BY_USER]
    if not prompts:
        return list(known)
    matched = _matched(prompts, known)
    ends = [*(prompt.at for prompt in prompts[1:]), max(message.at for message in messages) + 1]
    last = _last_times(messages, prompts)
    ordered = sorted(known, key=lambda turn: turn.position)
    places = [turn.position for turn in ordered]
    views = []
    for index, prompt in enumerate(prompts):
        turn = matched.get(index, TurnView(session_id="", turn="", number=0))
        begun = ordered[bisect.bisect_left(places, prompt.at) : bisect.bisect_left(places, ends[index])]
        views.append(replace(
            turn, number=index + 1, prompt=prompt.text, position=prompt.at, end=turn.end or ends[index],
            started=turn.started or prompt.time, ended=turn.ended or last[index],
            also=tuple(other.turn for other in begun if other is not turn and other.turn),
        ))  # fmt: skip
    return views


def _last_times(messages: Sequence[MessageView], prompts: Sequence[MessageView]) -> list[float]:
    """Return when the last message of each prompt's turn was written, 0.0 if none says."""
    starts = [prompt.at for prompt in prompts]
    times = [0.0] * len(prompts)
    for message in messages:
        turn = bisect.bisect_right(starts, message.at) - 1
        if turn >= 0:
            times[turn] = max(times[turn], message.time)
    return times


def _matched(prompts: Sequence[MessageView], known: Sequence[TurnView]) -> Mapping[int, TurnView]:
    if not any(turn.turn for turn in known):  # only prompts are recorded, perhaps not all
        return dict(enumerate(known)) if len(known) == len(prompts) else {}
    by_prompt: dict[int, TurnView] = {}
    ordered = sorted(known, key=lambda turn: turn.position)
    at = 0
    for number, turn in enumerate(ordered):
        end = ordered[number + 1].position if number + 1 < len(ordered) else None
        while at < len(prompts) and prompts[at].at < turn.position:
            at += 1
        if at < len(prompts) and (end is None or prompts[at].at < end):
            by_prompt[at] = turn
    return by_prompt
