"""Which messages belong to which turn of a stored transcript."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.agents.readings import States
from entire.conversation.messages import BY_USER
from entire.model.views.checkpoints import MessageView
from entire.queries.transcripts import outlines
from entire.queries.transcripts.session_transcripts import ReadTranscript
from entire.store.transcript_ends import TranscriptEnd


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30))
def test_a_turn_has_the_messages_up_to_the_next_prompt(said: list[tuple[int, bool]]) -> None:
    messages = [MessageView(who=BY_USER if asks else "agent", text="", at=at, time=0.0) for at, asks in said]
    places = sorted(at for at, asks in said if asks)
    prompts = [MessageView(who=BY_USER, text="", at=at, time=0.0) for at in places]
    expected = [
        [message for message in messages if start <= message.at < end]
        for start, end in zip(places, [*places, 1 << 30][1:], strict=True)
    ]
    assert outlines._by_turn(messages, prompts) == expected


def test_a_transcript_without_prompts_has_no_turns() -> None:
    read = ReadTranscript("checkpoint", TranscriptEnd(data=b'{"type": "note"}\n'), None, States())
    assert outlines.of(read).spans == ()
