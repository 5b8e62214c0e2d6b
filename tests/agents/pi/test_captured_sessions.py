"""Each captured session, as a whole and in any two parts, gives what it really holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents.pi.agent import Pi
from entire.agents.pi.transcript import Entries, SubagentEntries
from entire.conversation.messages import Reading
from entire.conversation.records import Call, Mark, Prompt, Result
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from tests.agents.pi import oracle
from tests.agents.pi import writer as pi

NAMES = sorted(oracle.PROMPTS)


def session(name: str, branch: str = "") -> Entries:
    read = Pi(env={}, metadata={"branch": branch}).transcript(str(oracle.path_of(name)))
    assert isinstance(read, Entries)
    return read


def figures(usage: TokenUsage) -> tuple[int | None, ...]:
    return (usage.input_tokens, usage.cache_creation_tokens, usage.cache_read_tokens, usage.output_tokens,
            usage.api_call_count)  # fmt: skip


def texts(read: Entries, until: Position | None = None) -> list[str]:
    return [prompt.text for prompt in read.prompts(START, until)]


@pytest.mark.parametrize("name", NAMES)
def test_the_whole(name: str) -> None:
    read = session(name)
    assert texts(read) == oracle.PROMPTS[name]
    files = [f"{oracle.PROJECT}/{file}" for file in oracle.FILES.get(name, [])]
    assert list(dict.fromkeys(report.path for report in read.files(START))) == files
    assert figures(read.tokens(START)) == oracle.tokens(name)
    assert (read.end().count, read.end().byte) == (len(oracle.load(name)), oracle.path_of(name).stat().st_size)


@pytest.mark.parametrize("name", NAMES)
def test_two_parts_say_what_the_whole_says(name: str) -> None:
    whole, end = session(name), session(name).end()
    prompts, files, tokens = whole.prompts(START), whole.files(START), whole.tokens(START)
    for count in range(end.count + 1):
        place = whole.at(count)
        for since in (place, Position(count=count)):
            part = session(name)
            assert part.end(since) == end
            assert part.prompts(since) == [prompt for prompt in prompts if prompt.position >= count]
            assert list(dict.fromkeys(part.files(START, place) + part.files(since))) == files
            assert part.tokens(START, place) + part.tokens(since) == tokens


# ---------------------------------------------------------------- the tree


def test_a_branch_that_was_left_loses_its_prompts_but_not_its_files_and_tokens() -> None:
    read, entries = session(oracle.TREE), oracle.load(oracle.TREE)
    (at,) = [n for n, entry in enumerate(entries) if entry.get("id") == "b797c9dd"]
    assert texts(read, read.at(at)) == ["create hello in the tui", "second prompt in tui", "slow please"]
    assert texts(read, read.at(at + 1)) == ["create hello in the tui", "just talk on branch two"]
    assert f"{oracle.PROJECT}/second.txt" in [report.path for report in read.files(START)]
    assert read.tokens(START).output_tokens == oracle.tokens(oracle.TREE)[3]
    said = [message.text for message in Reading(read.records()).messages()]
    assert "Second done." not in said
    assert said[-1] == "Only words."


def test_the_leaf_that_an_event_told_counts_for_the_live_end_alone() -> None:
    """After ``/tree``, nothing is in the file until the next prompt."""
    last, before, gone = "487ae709", "8d231543", "00000000"
    read = session(oracle.TREE, f"{before} {last}")
    assert texts(read) == ["create hello in the tui"]
    assert texts(read, read.end()) == ["create hello in the tui"]
    assert texts(read, read.at(read.end().count - 1)) == oracle.PROMPTS[oracle.TREE]
    assert texts(session(oracle.TREE, f"{before} {gone}")) == oracle.PROMPTS[oracle.TREE]
    assert texts(session(oracle.TREE, f" {last}")) == []
    data = oracle.path_of(oracle.TREE).read_bytes()
    stored = Pi(env={}, metadata={"branch": f"{before} {last}"}).transcript("", data)
    assert [prompt.text for prompt in stored.prompts(START)] == oracle.PROMPTS[oracle.TREE]


def test_what_was_written_after_a_jump_counts_before_the_leaf_that_was_told(tmp_path: Path) -> None:
    entries = pi.Entries(tmp_path / "s.jsonl", "s1", "/p")
    entries.begin()
    entries.prompt("one")
    first = entries.say("1")
    entries.prompt("two")
    last = entries.say("2")
    told = Pi(env={}, metadata={"branch": f"{first} {last}"}).transcript(str(entries.path))
    assert [prompt.text for prompt in told.prompts(START)] == ["one"]
    entries.leaf = first
    entries.prompt("three")
    assert [prompt.text for prompt in told.prompts(START)] == ["one", "three"]
    known = told.at(5)
    assert [prompt.text for prompt in told.prompts(known)] == ["three"]


def test_an_entry_whose_parent_is_gone_starts_the_conversation_anew(tmp_path: Path) -> None:
    """So does Pi when it reads a file that was put back while it ran."""
    entries = pi.Entries(tmp_path / "s.jsonl", "s1", "/p")
    entries.begin()
    entries.prompt("one")
    entries.leaf = "deadbeef"
    entries.prompt("two")
    read = Pi(env={}).transcript(str(entries.path))
    assert [prompt.text for prompt in read.prompts(START)] == ["two"]


def test_a_fork_shares_the_answers_that_it_copied() -> None:
    """The ids of entries stay the same; a fork is known by them, wherever it branched off."""
    fork, origin = session(oracle.FORKED), session(oracle.ORIGIN)
    copied = Pi(env={}).transcript("", fork.cut(fork.at(13))).end()
    assert copied.mark == "8be03a5c"
    assert origin.shares_answer(copied)
    assert not origin.shares_answer(fork.end())
    assert not origin.shares_answer(Position(count=13))


# ---------------------------------------------------------------- records


def test_an_interruption_is_noted() -> None:
    read = session(oracle.TREE)
    (mark,) = [record for record in read.records() if isinstance(record, Mark) and record.kind == "interrupted"]
    told = read.activity(START, read.at(22))
    assert told is not None
    assert told.interrupted == mark.time > 0
    whole = read.activity(START)
    assert whole is not None
    assert not whole.interrupted  # the conversation went on


def test_what_says_nothing_to_people_is_marked() -> None:
    marks = [mark.text for mark in session(oracle.TREE).records() if isinstance(mark, Mark) and mark.kind == "unknown"]
    assert marks == ["model_change", "thinking_level_change", "bashExecution", "bashExecution", "session_info",
                     "compaction"]  # fmt: skip


def test_errors_of_the_service_are_shown_and_take_no_tokens() -> None:
    read = session("07-auto-compaction-overflow-error")
    assert read.tokens(START).api_call_count == 4
    assert [message.text for message in Reading(read.records()).messages()][-1] == "503 overloaded"


def test_the_calls_of_tools() -> None:
    records = list(session("01-print-then-continue").records())
    write, edit, shell, look, _ = [record for record in records if isinstance(record, Call)]
    assert [call.tool for call in (write, edit, shell, look)] == ["write", "edit", "shell", "read"]
    assert shell.command == "cat hello.txt && echo made > bash-made.txt"
    assert [(one.path, one.old, one.new) for one in edit.edits] == [("hello.txt", "hello", "hello world")]
    outputs = {record.call: record.output for record in records if isinstance(record, Result)}
    assert outputs[shell.id] == "hello world\n"


def test_a_subagent_is_what_a_result_tells_of_it() -> None:
    """Its tokens are its own, its prompt is its session's."""
    (subagent,) = session(oracle.DELEGATED).subagents(START)
    assert (subagent.id, subagent.type, subagent.description) == (oracle.HELPER, "worker", "sub task write")
    own = Pi(env={}).transcript(subagent.session_ref)
    assert isinstance(own, SubagentEntries)
    assert own.prompts(START) == []
    (prompt,) = [record for record in own.records() if isinstance(record, Prompt)]
    assert (prompt.text, prompt.by) == ("Task: sub task write", "agent")
    assert [report.path for report in own.files(START)] == [f"{oracle.PROJECT}/sub.txt"]
    assert figures(own.tokens(START)) == (153, 0, 0, 7, 2)
    stored = Pi(env={}).transcript(subagent.session_ref, own.snapshot())
    assert stored.tokens(START) == own.tokens(START)
    nobody = Pi(env={}).transcript(f"{oracle.path_of(oracle.DELEGATED)}#call_other")
    assert nobody.snapshot() == b""
