"""Reading the demo agent's transcripts, whole and piece by piece, on transcripts that it really wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.demo.agent import Demo
from entire.conversation.records import Prompt
from entire.model.positions import START, Position
from entire.model.times import parse_time
from entire.model.tokens import TokenUsage
from entire.model.transcripts import FileReport
from entire_demo_agent.conversation import Conversation, helper_transcript
from entire_demo_agent.memory import Transcript
from entire_demo_agent.tools import Place
from tests.unit.entire_demo_agent.conftest import Bench

DEMO = Demo()


def paths(reports: list[FileReport]) -> list[str]:
    return list(dict.fromkeys(report.path for report in reports))


def story(bench: Bench) -> str:
    """Play three turns and return the transcript's path."""
    bench.ask("create a.txt with one then append two to a.txt; create ../no with x", "--session-id", "s")
    bench.ask('ask a helper to "create h.txt with x; say fine"; say bye', "--resume", "s")
    bench.ask("delete a.txt; run touch b.txt", "--resume", "s")
    return str(bench.transcript("s"))


def test_a_story_is_told(bench: Bench) -> None:
    path = story(bench)
    records = bench.records("s")
    assert DEMO.transcript(path).snapshot() == Path(path).read_bytes()
    prompts = DEMO.transcript(path).prompts(START)
    assert [records[prompt.position]["type"] for prompt in prompts] == ["prompt"] * 3
    assert [prompt.text for prompt in prompts] == [r["text"] for r in records if r["type"] == "prompt"]
    assert all(prompt.time > 1_600_000_000 and prompt.id.startswith("turn_") for prompt in prompts)
    assert paths(DEMO.transcript(path).files(START)) == [str(bench.folder / "a.txt")]
    answers = [record for record in records if record["type"] == "answer"]
    assert DEMO.transcript(path).tokens(START) == TokenUsage(
        input_tokens=sum(answer["usage"]["input"] for answer in answers),
        cache_creation_tokens=sum(answer["usage"]["cache_write"] for answer in answers),
        cache_read_tokens=sum(answer["usage"]["cache_read"] for answer in answers),
        output_tokens=sum(answer["usage"]["output"] for answer in answers),
        api_call_count=len(answers),
    )
    assert DEMO.transcript(path).summary(START) == "Done."
    assert DEMO.transcript(path).model(START) == answers[-1]["model"]
    end = DEMO.transcript(path).end(START)
    assert end == Position(count=len(records), byte=Path(path).stat().st_size, mark=answers[-1]["id"])
    assert DEMO.transcript(path).prompts(end) == []
    assert not DEMO.transcript(path).tokens(end)


def test_a_helper_has_a_transcript_of_its_own(bench: Bench) -> None:
    path = story(bench)
    (helper,) = DEMO.transcript(path).subagents(START)
    assert helper.session_ref == str(helper_transcript(Path(path), helper.id))
    assert (helper.type, helper.description) == ("helper", "create h.txt with x; say fine")
    assert paths(DEMO.transcript(helper.session_ref).files(START)) == [str(bench.folder / "h.txt")]
    assert DEMO.transcript(helper.session_ref).tokens(START).api_call_count == 3
    call, result = (i for i, record in enumerate(bench.records("s")) if record.get("helper"))
    assert helper.tool_use_id == bench.records("s")[call]["id"]
    assert DEMO.transcript(path).subagents(START, Position(count=call)) == []
    assert [one.id for one in DEMO.transcript(path).subagents(Position(count=call + 1))] == [helper.id]
    assert DEMO.transcript(path).subagents(Position(count=result + 1)) == []


@pytest.mark.parametrize("final_newline", [True, False])
def test_reading_piece_by_piece_is_reading_the_whole(bench: Bench, final_newline: bool) -> None:
    whole = Path(story(bench)).read_bytes()
    lines = whole.splitlines(keepends=True)
    growing = bench.home / "growing.jsonl"
    positions = [START]
    for number in range(len(lines) + 1):
        text = b"".join(lines[:number])
        # half of the next record is on disk already: it does not count yet
        rest = b"" if number == len(lines) else lines[number][:20]
        growing.write_bytes(text + rest if final_newline or rest else text)
        if not final_newline:
            growing.write_bytes(text.removesuffix(b"\n"))
        positions.append(DEMO.transcript(str(growing)).end(positions[-1]))
        assert positions[-1].count == number
    path = str(growing)
    for cut in positions:
        read = DEMO.transcript(path)
        assert read.end(cut) == positions[-1]
        assert read.tokens(START, cut) + read.tokens(cut) == read.tokens(START)
        assert read.prompts(START, cut) + read.prompts(cut) == read.prompts(START)
        assert list(dict.fromkeys(read.files(START, cut) + read.files(cut))) == read.files(START)
        counted = Position(count=cut.count)
        assert DEMO.transcript(path).prompts(counted) == DEMO.transcript(path).prompts(cut)


def test_an_open_last_line_that_is_closed_later_is_one_line(bench: Bench) -> None:
    path = Path(story(bench))
    whole = path.read_bytes()
    path.write_bytes(whole.removesuffix(b"\n"))
    before = DEMO.transcript(str(path)).end(START)
    bench.ask("say more", "--resume", "s")
    assert path.read_bytes().startswith(whole)
    assert DEMO.transcript(str(path)).end(before) == DEMO.transcript(str(path)).end(START)
    assert [prompt.text for prompt in DEMO.transcript(str(path)).prompts(before)] == ["say more"]


def test_a_shorter_transcript_is_counted_anew(bench: Bench) -> None:
    path = Path(story(bench))
    end = DEMO.transcript(str(path)).end(START)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    assert DEMO.transcript(str(path)).end(end).count == 4
    path.unlink()
    assert DEMO.transcript(str(path)).end(end) == START


def test_an_answer_ends_behind_its_tool_call(bench: Bench) -> None:
    path = story(bench)
    records = bench.records("s")
    for number, record in enumerate(records):
        if record["type"] == "call":
            during = (parse_time(record["time"]) + parse_time(records[number + 1]["time"])) / 2
            end = DEMO.transcript(path).answer_boundary(START, during)
            assert (end.count, end.mark) == (number + 1, record["answer"])
            spent = DEMO.transcript(path).tokens(START, end) + DEMO.transcript(path).tokens(end)
            assert spent == DEMO.transcript(path).tokens(START)
    assert DEMO.transcript(path).answer_boundary(START, parse_time(records[-1]["time"]) + 1).count == len(records)
    assert DEMO.transcript(path).answer_boundary(START, 0.0) == START


def test_a_commit_inside_a_command_sees_the_call_but_not_its_result(bench: Bench) -> None:
    bench.ask(f"say a; run cp {bench.home}/.entire-demo/sessions/*/s.jsonl copy.jsonl; say b", "--session-id", "s")
    copy = str(bench.folder / "copy.jsonl")
    moment = (bench.folder / "copy.jsonl").stat().st_mtime
    assert DEMO.transcript(copy).answer_boundary(START, moment + 1) == DEMO.transcript(copy).end(START)
    assert DEMO.transcript(str(bench.transcript("s"))).answer_boundary(START, moment) == DEMO.transcript(copy).end(
        START
    )


@pytest.mark.parametrize("size", [100, 1000, 1_000_000])
def test_parts_join_to_the_whole(bench: Bench, size: int) -> None:
    whole = Path(story(bench)).read_bytes()
    for data in (whole, whole.removesuffix(b"\n"), b""):
        parts = DEMO.chunk_transcript(data, size)
        if size == 100:  # records are longer than a part: they are cut inside, and stay records
            assert all(len(part) <= size and json.loads(part) for part in parts if part.strip())
        else:
            assert DEMO.reassemble_transcript(parts) == data


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
keys = "type id time text prompt_id usage answer call helper path ok input output".split()
kinds = st.sampled_from(["session", "prompt", "answer", "call", "result"])
records = st.dictionaries(st.sampled_from(keys), values | kinds | st.dictionaries(st.sampled_from(keys), values))
line = st.binary(max_size=30) | records.map(lambda record: json.dumps(record).encode())


@given(st.lists(line, max_size=8).map(b"\n".join), st.integers(0, 9), st.integers(0, 400))
def test_hostile_transcripts_do_no_harm(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, count: int, byte: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.jsonl"
    path.write_bytes(data)
    for since in (START, Position(count=count), Position(count=count, byte=byte)):
        end = DEMO.transcript(str(path)).end(since)
        assert end.byte <= len(data) + 1
        transcript = DEMO.transcript(str(path))
        for ask in (transcript.prompts, transcript.files, transcript.tokens, transcript.subagents):
            ask(since)
            ask(since, Position(count=2))
        DEMO.transcript(str(path)).summary(since)
        DEMO.transcript(str(path)).answer_boundary(since, 1e9)
        assert all("/" not in helper.id for helper in DEMO.transcript(str(path)).subagents(since))


@pytest.mark.parametrize("path", ["", "/no/such/file", "/", "a\0b"])
def test_a_missing_transcript_is_an_empty_one(path: str) -> None:
    assert DEMO.transcript(path).snapshot() == b""
    assert DEMO.transcript(path).end(Position(count=3, byte=9, mark="x")) == START
    assert DEMO.transcript(path).prompts(START) == []


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip()), max_size=4
    )
)
def test_what_the_agent_writes_the_adapter_reads(tmp_path_factory: pytest.TempPathFactory, prompts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("written")
    conversation = Conversation(Transcript(folder / "t.jsonl"), Place(workdir=folder, env={}), lambda text: None)
    for number, prompt in enumerate(prompts):
        conversation.take(f"say {json.dumps(prompt, ensure_ascii=False)}", f"turn-{number}")
    told = DEMO.transcript(str(folder / "t.jsonl")).prompts(START)
    assert [(one.text, one.id) for one in told] == [
        (f"say {json.dumps(prompt, ensure_ascii=False)}", f"turn-{number}") for number, prompt in enumerate(prompts)
    ]
    assert all(isinstance(one, Prompt) for one in told)
    assert DEMO.transcript(str(folder / "t.jsonl")).tokens(START).api_call_count == len(prompts)
