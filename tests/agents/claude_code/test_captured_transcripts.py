"""Everything the analysis says about the captured transcripts, at once and in every two parts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entire.agents.claude_code.agent import ClaudeCode
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileReport, Subagent
from entire.model.value import replace
from tests.agents.claude_code import oracle
from tests.agents.claude_code.oracle import LONG

NAMES = oracle.transcripts()
WITHOUT_NOTES = ("2.1.332/interactive-esc-ctrlc-queued-rewind", "2.1.332/interactive-exit-while-helper-runs-resumed")


def paths(reports: list[FileReport]) -> list[str]:
    return list(dict.fromkeys(report.path for report in reports))


def described(one: Subagent, name: str) -> tuple[str, ...]:
    """Return what must be known of a helper in each part: also its type, if the note beside its transcript is here."""
    return one.id, one.tool_use_id, one.description, one.type if name not in WITHOUT_NOTES else ""


def numbers(usage: TokenUsage) -> tuple[int | None, ...]:
    return (
        usage.input_tokens,
        usage.cache_creation_tokens,
        usage.cache_read_tokens,
        usage.output_tokens,
        usage.api_call_count,
    )


def test_every_captured_transcript_has_its_expectation() -> None:
    assert sorted(oracle.PROMPTS) == NAMES
    assert set(oracle.FILES) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_transcript(name: str) -> None:
    path, agent = oracle.path_of(name), ClaudeCode()
    data = Path(path).read_bytes()
    records = oracle.load(data)
    assert agent.transcript(path).end(START) == oracle.places(data)[-1]
    assert [(prompt.position, prompt.text) for prompt in agent.transcript(path).prompts(START)] == oracle.PROMPTS[name]
    assert paths(agent.transcript(path).files(START)) == [
        f"/home/dev/project/{file}" for file in oracle.FILES.get(name, [])
    ]
    counted = oracle.tokens(records, 0, len(records))
    assert numbers(agent.transcript(path).tokens(START)) == counted
    assert counted == oracle.TOKENS.get(name, counted)
    texts = [
        block["text"]
        for record in records
        if record.get("type") == "assistant" and record["message"]["model"] != "<synthetic>"
        for block in record["message"]["content"]
        if block["type"] == "text"
    ]
    assert agent.transcript(path).summary(START) == texts[-1]


@pytest.mark.parametrize("name", NAMES)
def test_two_parts_say_what_the_whole_says(name: str) -> None:
    path, whole = oracle.path_of(name), ClaudeCode()
    data = Path(path).read_bytes()
    places = oracle.places(data)
    prompts, files = whole.transcript(path).prompts(START), whole.transcript(path).files(START)
    tokens, subagents = whole.transcript(path).tokens(START), whole.transcript(path).subagents(START)
    for number, place in enumerate(places):
        # The Go CLI's state knows only the number of lines: the rest is found out.
        others = (Position(count=place.count), replace(place, mark=""))
        for since in (place, others[number % 2]):
            asked = ClaudeCode().transcript(path)
            assert asked.end(since) == places[-1]
            assert asked.prompts(since) == [prompt for prompt in prompts if prompt.position >= place.count]
            assert list(dict.fromkeys(asked.files(START, since) + asked.files(since))) == files
            assert asked.tokens(START, since) + asked.tokens(since) == tokens
            both = asked.subagents(START, since) + asked.subagents(since)
            assert {described(one, name) for one in both} == {described(one, name) for one in subagents}


@pytest.mark.parametrize("name", NAMES)
def test_until_is_as_if_the_file_ended_there(name: str, tmp_path: Path) -> None:
    path, agent = oracle.path_of(name), ClaudeCode()
    data, whole = Path(path).read_bytes(), agent.transcript(path)
    cut = tmp_path / os.path.basename(path)
    for place in oracle.places(data):
        cut.write_bytes(data[: place.byte])
        short = agent.transcript(str(cut))
        assert short.end(START) == place
        assert short.files(START) == whole.files(START, place)
        if (name, place.count) != ("headless-slash-command", 3):  # a command counts once its expansion is there
            assert short.prompts(START) == whole.prompts(START, place)


@given(
    name=st.sampled_from(NAMES), at=st.integers(0, 110_000), bounds=st.tuples(st.integers(0, 170), st.integers(0, 170))
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tokens_of_a_range(name: str, at: int, bounds: tuple[int, int]) -> None:
    path, agent = oracle.path_of(name), ClaudeCode()
    data = Path(path).read_bytes()
    places, records = oracle.places(data), oracle.load(data)
    low, high = sorted(min(bound, len(places) - 1) for bound in bounds)
    found = agent.transcript(path).tokens(places[low], places[high])
    assert numbers(found) == oracle.tokens(records, low, high)


def test_growth_from_the_stop_hook_to_three_seconds_later(tmp_path: Path) -> None:
    early = Path(oracle.path_of("stop-hook-start")).read_bytes()
    late = Path(oracle.path_of("stop-hook-start-plus-3s")).read_bytes()
    path, agent = tmp_path / "s.jsonl", ClaudeCode()
    path.write_bytes(early)
    before = agent.transcript(str(path)).end(START)
    assert (before.count, before.byte) == (9, len(early))
    spent = agent.transcript(str(path)).tokens(START)
    path.write_bytes(late)
    assert agent.transcript(str(path)).end(before) == oracle.places(late)[-1]
    assert agent.transcript(str(path)).prompts(before) == []
    assert agent.transcript(str(path)).files(before) == []
    assert numbers(agent.transcript(str(path)).tokens(before)) == (1200, 0, 300, 30, 1)
    assert numbers(spent + agent.transcript(str(path)).tokens(before)) == (3300, 200, 530, 120, 3)
    assert agent.transcript(str(path)).summary(before) == "Created hello.py and ran it."


@pytest.mark.parametrize("name", ["headless-after-turn1", LONG])
def test_a_file_that_grows_byte_by_byte_is_counted_line_by_line(name: str, tmp_path: Path) -> None:
    data = Path(oracle.path_of(name)).read_bytes()[:9000]
    path, agent, since = tmp_path / "s.jsonl", ClaudeCode(), START
    marks = {place.count: place.mark for place in oracle.places(data[: data.rindex(b"\n") + 1])}
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        since = agent.transcript(str(path)).end(since)
        complete = data[:size].count(b"\n")
        assert since.count in (complete, complete + 1)
        if since.count == complete + 1:  # all of the line but its newline
            assert data[size : size + 1] == b"\n"
        assert since.mark == marks.get(since.count, since.mark)


def test_prompts_carry_their_turn_and_time() -> None:
    first, second = ClaudeCode().transcript(oracle.path_of("headless-after-turn2-resumed")).prompts(START)
    assert (first.id, second.id) == (
        "0e5a1424-4414-4b9c-afa1-a3ecf0e905f1",
        next(
            r["promptId"] for r in oracle.load(Path(oracle.path_of("headless-after-turn2-resumed")).read_bytes())[14:]
        ),
    )
    assert first.time == pytest.approx(1795240588.824)  # 2026-11-21T05:56:28.824Z


def test_the_model_is_that_of_the_last_answer_but_not_the_agents_own() -> None:
    records = oracle.load(Path(oracle.path_of(LONG)).read_bytes())
    (model,) = {r["message"]["model"] for r in records if r["type"] == "assistant"} - {"<synthetic>"}
    assert ClaudeCode().transcript(oracle.path_of(LONG)).model(START) == model
    places = oracle.places(Path(oracle.path_of(LONG)).read_bytes())
    assert ClaudeCode().transcript(oracle.path_of(LONG)).model(START, places[1]) == ""
    assert ClaudeCode().transcript(oracle.path_of("headless-api-error")).model(START) == model


def test_subagents_of_the_long_session() -> None:
    path = oracle.path_of(LONG)
    found = ClaudeCode().transcript(path).subagents(START)
    assert [(one.id, one.tool_use_id, one.type, one.description, one.background) for one in found] == [
        ("a1c6d93a27d2dd0d0", "toolu_1a1fca7e44a000800x", "general-purpose", "Write a note", False),
        ("a93c9ed39773603cf", "toolu_1a1fca8ddd4001500x", "general-purpose", "First", False),
        ("aab5abd2fca17a36b", "toolu_1a1fca8ddd4001501x", "general-purpose", "Second", False),
        ("a28cdada78e2a825c", "toolu_1a1fca8f29f001b00x", "general-purpose", "Bg", True),
    ]
    for one in found:
        assert one.session_ref == f"{path.removesuffix('.jsonl')}/subagents/agent-{one.id}.jsonl"
        assert os.path.exists(one.session_ref)


def test_subagents_by_where_they_are_mentioned() -> None:
    path, agent = oracle.path_of(LONG), ClaudeCode()
    places = oracle.places(Path(path).read_bytes())

    def ids(first: int, stop: int) -> list[str]:
        return [one.id for one in agent.transcript(path).subagents(places[first], places[stop])]

    assert ids(0, 18) == []
    assert ids(18, 19) == ["a1c6d93a27d2dd0d0"]  # only called: its id is in the note beside its transcript
    assert ids(19, 20) == ["a1c6d93a27d2dd0d0"]
    assert ids(20, 62) == []
    assert ids(62, 67) == ["a93c9ed39773603cf", "aab5abd2fca17a36b"]
    assert ids(74, 83) == ["a28cdada78e2a825c"]  # only the notice that it ended
    assert agent.transcript(path).subagents(places[74], places[83])[0].background


@pytest.mark.parametrize(
    ("line", "end"),
    [
        # The agent's own commit of the captured session: lines 127 (prompt) to 133; the call is in line 129.
        (129, 130),
        (131, 132),
        # Two writes of one answer in lines 51 and 52, results in 54 and 56.
        (51, 53),
        (57, 58),
    ],
)
def test_the_answer_that_runs_a_tool(line: int, end: int) -> None:
    path, agent = oracle.path_of(LONG), ClaudeCode()
    data = Path(path).read_bytes()
    places = oracle.places(data)
    moment = _time(oracle.load(data)[line]["timestamp"]) + 0.01
    for since in (START, places[50], Position(count=50)):
        assert agent.transcript(path).answer_boundary(since, moment) == places[end]


def test_no_answer_had_begun() -> None:
    path, agent = oracle.path_of(LONG), ClaudeCode()
    places = oracle.places(Path(path).read_bytes())
    assert agent.transcript(path).answer_boundary(START, 1.0) == START
    assert agent.transcript(path).answer_boundary(places[50], 1.0) == places[50]
    assert agent.transcript(path).answer_boundary(places[-1], 1e12) == places[-1]


def _time(text: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()
