"""Each captured chat, read from and up to every line, gives what it really holds."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from entire.agents.gemini.agent import Gemini
from entire.agents.gemini.document import ChatDocument
from entire.agents.gemini.transcript import ChatLines
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from tests.agents.gemini import oracle

NAMES = oracle.transcripts()


def chat(name: str) -> ChatLines | ChatDocument:
    return Gemini(env={}).transcript(str(oracle.path_of(name)))


@cache
def places(name: str) -> list[Position]:
    """Return every position of a captured chat."""
    found = [START]
    data = b""
    for line in oracle.path_of(name).read_bytes().splitlines(keepends=True):
        data += line
        found.append(Gemini(env={}).transcript("", data).end())
    return found


def figures(usage: TokenUsage) -> tuple[int | None, ...]:
    assert usage.cache_creation_tokens == 0
    return usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, usage.api_call_count


def test_every_captured_chat_has_a_truth() -> None:
    assert sorted(oracle.PROMPTS) == sorted(oracle.TOKENS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_whole(name: str) -> None:
    read = chat(name)
    assert [(prompt.position, prompt.text) for prompt in read.prompts(START)] == oracle.PROMPTS[name]
    assert [report.path for report in read.files(START)] == [
        f"/home/dev/project/{file}" for file in oracle.FILES.get(name, [])
    ]
    assert figures(read.tokens(START)) == oracle.TOKENS[name]
    assert read.summary(START) == oracle.LAST_TEXT.get(name, read.summary(START))
    lines = oracle.load(name)
    assert (read.end().count, read.end().byte) == (len(lines), oracle.path_of(name).stat().st_size)
    assert read.model(START) == ("gemini-2.5-pro" if oracle.TOKENS[name][3] else "")
    assert read.has_answers(START) is bool(oracle.TOKENS[name][3])
    assert read.file_lines(read.end()) is None


@pytest.mark.parametrize("name", NAMES)
def test_from_every_line_to_every_line(name: str) -> None:
    read, all_places = chat(name), places(name)
    reports = read.files(START)
    for since in all_places:
        assert read.end(since) == all_places[-1]
        assert figures(read.tokens(since)) == oracle.tokens(name, since.count, len(all_places))
        for until in all_places[since.count :]:
            assert figures(read.tokens(since, until)) == oracle.tokens(name, since.count, until.count)
            assert read.files(START, since) + read.files(since, until) == read.files(START, until)
            assert set(read.files(since, until)) <= set(reports)


@pytest.mark.parametrize("name", NAMES)
def test_reading_up_to_a_line_is_reading_what_was_there_then(name: str) -> None:
    read, all_places = chat(name), places(name)
    for until in all_places:
        cut = read.cut(until)
        assert cut == b"".join(oracle.path_of(name).read_bytes().splitlines(keepends=True)[: until.count])
        before = Gemini(env={}).transcript(read.session_ref, cut)
        assert before.prompts(START) == read.prompts(START, until)
        assert before.files(START) == read.files(START, until)
        assert before.tokens(START) == read.tokens(START, until)
        assert before.subagents(START) == read.subagents(START, until)


@pytest.mark.parametrize("name", NAMES)
def test_a_position_from_metadata_has_only_a_count(name: str) -> None:
    read, all_places = chat(name), places(name)
    for since in all_places:
        bare = Position(count=since.count)
        assert read.tokens(bare) == read.tokens(since)
        assert read.prompts(bare) == read.prompts(since)
        assert read.files(bare) == read.files(since)
        assert read.end(bare) == read.end(since)


def test_every_edit_is_reported_with_its_call() -> None:
    assert [report.call for report in chat(oracle.RESUMED).files(START)] == [
        "write_file__write_file_1795242811394_0",
        "replace__replace_1795242813239_0",
    ]


def test_the_subagent_of_a_session() -> None:
    (found,) = chat(oracle.RESUMED).subagents(START)
    folder = oracle.FIXTURES / "transcripts" / "7f3a1c52-9d4e-4b6a-8c21-5e0f9a7b3d10"
    assert (found.id, found.type) == ("78870d44-8426-46b7-ba49-a2f4e3841d10", "generalist")
    assert (found.description, found.background) == ("SUBTASK write sub.txt", False)
    assert found.session_ref == str(folder / f"{found.id}.jsonl")
    assert found.tool_use_id == "invoke_agent__invoke_agent_1795242817625_0"
    payload = (oracle.FIXTURES / "payloads" / "17-AfterTool-invoke_agent.json").read_bytes()
    event = Gemini(env={}).parse_hook("after-tool", payload)
    assert event is not None
    assert (event.subagent_id, event.subagent_type, event.task_description) == (found.id, found.type, found.description)


def test_a_subagents_subagent_is_beside_it() -> None:
    read = chat(oracle.SUBAGENT)
    assert read.subagent_ref("a1") == str(oracle.path_of(oracle.SUBAGENT).parent / "a1.jsonl")
    assert [read.subagent_ref(name) for name in ("", "../a1", "a/b", "a.b")] == [""] * 4


# the answer that made a commit


@pytest.fixture
def committing(tmp_path: Path) -> Path:
    """The captured session; its shell command, in lines 22 and 24 of the second turn, made a commit."""
    path = tmp_path / "session-2026-11-21T06-33-7f3a1c52.jsonl"
    text = oracle.path_of(oracle.RESUMED).read_text()
    path.write_text(text.replace("Output: README.md\\nhello.txt", "Output: [main 1a2b3c4] Say hello"))
    return path


def test_the_answer_whose_command_printed_the_commit(committing: Path) -> None:
    read = Gemini(env={}).transcript(str(committing))
    commit = "1a2b3c4" + "0" * 33
    found = read.answer_boundary(START, 1e12, commit)
    assert found.count == 25
    assert figures(read.tokens(START, found)) == (1000 + 1100 + 1200 + 1300, 700, 20 + 30 + 25 + 26, 4)
    assert figures(read.tokens(found)) == (1400 + 200 + 2000 + 2100, 10, 35 + 20 + 40 + 41, 5)
    other = read.answer_boundary(START, 1795242814.5, "f" * 40)
    assert other.count == 28  # by time: the answer at 06:33:33.913


def test_the_answer_that_was_running() -> None:
    read = chat(oracle.RESUMED)
    whole_second = 1795242811.0  # 06:33:31, as git tells it; the answer came at .425, its next at .761
    assert read.answer_boundary(START, whole_second - 60) == START
    assert read.answer_boundary(START, whole_second + 0.5).count == 7
    assert read.answer_boundary(START, whole_second + 1).count == 10
    since = places(oracle.RESUMED)[30]
    assert read.answer_boundary(since, whole_second) == since


def test_a_quiet_commit_is_found_by_its_command_and_time(tmp_path: Path) -> None:
    path = tmp_path / "session-2026-11-21T06-33-7f3a1c52.jsonl"
    text = oracle.path_of(oracle.RESUMED).read_text()
    path.write_text(text.replace("echo shell >> shell.txt; ls", "git commit -qam x"))
    read = Gemini(env={}).transcript(str(path))
    assert read.answer_boundary(START, 1795242814.0, "f" * 40).count == 25  # not the one at .913


# documents


def document(name: str) -> bytes:
    """Return a captured chat as older versions wrote it: its messages, each as it last was."""
    records = oracle.load(name)
    messages = {record["id"]: record for record in records if "id" in record}
    return json.dumps({**records[0], "messages": list(messages.values())}, indent=2).encode()


def test_the_same_conversation_as_a_document() -> None:
    name = "01-one-turn-write_file"
    read = Gemini(env={}).transcript("/chats/session-x.json", document(name))
    assert isinstance(read, ChatDocument)
    assert [prompt.text for prompt in read.prompts(START)] == ["create hello please"]
    assert [report.path for report in read.files(START)] == ["/home/dev/project/hello.txt"]
    assert figures(read.tokens(START)) == oracle.TOKENS[name]
    assert read.end().count == 4
    ends = [read.at(count) for count in range(5)]
    for since in ends:
        for until in ends[since.count :]:
            assert read.tokens(START, since) + read.tokens(since, until) == read.tokens(START, until)


def test_a_document_that_the_agent_continues_as_lines(tmp_path: Path) -> None:
    path = tmp_path / "session-2026-11-21T06-33-7f3a1c52.json"
    path.write_bytes(document("01-one-turn-write_file"))
    before = Gemini(env={}).transcript(f"{path}l")  # where its hooks say it will be
    known = before.end()
    assert (known.count, before.prompts(START)[0].text) == (4, "create hello please")
    messages = json.loads(path.read_bytes())["messages"]
    more = {"id": "p2", "type": "user", "content": "and again", "timestamp": "2026-11-21T07:00:00.000Z"}
    header = {"sessionId": "7f3a1c52-9d4e-4b6a-8c21-5e0f9a7b3d10", "projectHash": "x"}
    Path(f"{path}l").write_text("".join(json.dumps(record) + "\n" for record in (header, *messages, more)))
    after = Gemini(env={}).transcript(f"{path}l")
    assert isinstance(after, ChatLines)
    assert after.holds(known)
    assert [prompt.text for prompt in after.prompts(known)] == ["and again"]
    assert figures(after.tokens(known)) == (0, 0, 0, 0)
    assert after.is_later(after.end(known), known)
