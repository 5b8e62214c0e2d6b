"""Each captured rollout, as a whole and in any two parts, gives what it really holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.codex import tools
from entire.agents.codex.agent import Codex
from entire.agents.codex.transcript import Rollout
from entire.conversation.records import INTERRUPTED, SHELL, UNKNOWN, Call, Mark, Result
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from tests.agents.codex import oracle

NAMES = oracle.names()


def rollout(name: str) -> Rollout:
    return Codex(env={}).transcript(str(oracle.path_of(name)))


def figures(usage: TokenUsage) -> tuple[int | None, ...]:
    return (usage.input_tokens, usage.cache_creation_tokens, usage.cache_read_tokens, usage.output_tokens,
            usage.api_call_count, usage.reasoning_tokens)  # fmt: skip


def test_every_captured_rollout_has_a_truth() -> None:
    assert sorted(oracle.PROMPTS) == NAMES
    assert sorted(oracle.SESSIONS.rglob("*.jsonl")) == sorted(map(oracle.path_of, NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_the_whole(name: str) -> None:
    read = rollout(name)
    assert [prompt.text for prompt in read.prompts(START)] == oracle.PROMPTS[name]
    files = list(dict.fromkeys(report.path for report in read.files(START)))
    assert files == [f"{oracle.PROJECT}/{file}" for file in oracle.FILES.get(name, [])]
    assert figures(read.tokens(START)) == oracle.tokens(name)
    assert read.summary(START) == oracle.LAST_TEXT.get(name, read.summary(START))
    assert read.end().count == len(oracle.load(name))
    assert read.end().byte == len(read.snapshot())


@pytest.mark.parametrize("name", NAMES)
def test_no_record_is_unknown(name: str) -> None:
    assert [mark.text for mark in rollout(name).records() if isinstance(mark, Mark) and mark.kind == UNKNOWN] == []


@pytest.mark.parametrize("name", NAMES)
def test_two_parts_say_what_the_whole_says(name: str) -> None:
    """Also after a position of which only the number of records is known."""
    whole, end = rollout(name), rollout(name).end()
    prompts, files, tokens = whole.prompts(START), whole.files(START), whole.tokens(START)
    for count in range(end.count + 1):
        place = whole.at(count)
        for since in (place, Position(count=count)):
            part = rollout(name)
            assert part.end(since) == end
            assert part.prompts(since) == [prompt for prompt in prompts if prompt.position >= count]
            assert list(dict.fromkeys(part.files(START, place) + part.files(since))) == files
            summed = part.tokens(START, place) + part.tokens(since)
            assert (summed.input_tokens, summed.output_tokens) == (tokens.input_tokens, tokens.output_tokens)


@pytest.mark.parametrize(("parent", "child"), oracle.SUBAGENTS.items())
def test_a_subagent_has_its_own_rollout(parent: str, child: str) -> None:
    """Its task is no prompt of a person's, and its tokens are in its own file only."""
    (subagent,) = rollout(parent).subagents(START)
    assert (subagent.id, subagent.session_ref) == (oracle.id_of(child), str(oracle.path_of(child)))
    assert subagent.tool_use_id.startswith("call_")
    assert subagent.background
    own = Codex(env={}).transcript(subagent.session_ref)
    assert own.prompts(START) == []
    assert [report.path for report in own.files(START)] == [f"{oracle.PROJECT}/{file}" for file in oracle.FILES[child]]


def test_an_interruption_is_noted() -> None:
    (mark,) = [record for record in rollout(oracle.INTERRUPTED).records() if isinstance(record, Mark)]
    assert mark.kind == INTERRUPTED
    activity = rollout(oracle.INTERRUPTED).activity(START)
    assert activity is not None
    assert activity.interrupted == mark.time


def test_what_a_script_did_is_told_call_by_call() -> None:
    records = list(rollout(oracle.SCRIPTED).records())
    calls = {record.id: record for record in records if isinstance(record, Call)}
    script, patch, command = calls.values()
    assert (script.name, patch.name, command.tool) == ("exec", "apply_patch", SHELL)
    assert [(edit.path.rpartition("/")[2], edit.old, edit.new) for edit in patch.edits] == [
        ("notes.txt", "two\n", "deux\n"), ("cm.txt", "", "code mode\n")]  # fmt: skip
    assert command.command == "echo from-code-mode > cm2.txt; cat cm2.txt"
    outputs = {record.call: record.output for record in records if isinstance(record, Result)}
    assert outputs[command.id] == "from-code-mode\n"


def test_a_command_in_the_background_ends_when_it_is_done() -> None:
    results = [record for record in rollout(oracle.NEWER).records() if isinstance(record, Result)]
    started, ended = results[-2:]
    assert (started.call, started.goes_on, ended.call, ended.is_notice) == (ended.call, True, started.call, True)


def test_a_failed_patch_changes_nothing(tmp_path: Path) -> None:
    lines = oracle.path_of(oracle.NEWER).read_text().splitlines(keepends=True)
    failed = [line.replace('"status":"completed","stdout"', '"status":"failed","stdout"') for line in lines]
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(failed))
    assert Codex(env={}).transcript(str(path)).files(START) == []


def test_an_older_rollout_repeats_sums_of_tokens() -> None:
    """Each response counts once, by the difference; its input is told with what was cached."""
    assert figures(rollout(oracle.OLDER).tokens(START)) == (1100, None, 2200, 92, 3, 10)


def test_the_model_and_the_version_are_known_from_anywhere() -> None:
    read = rollout(oracle.TWO_TURNS)
    assert (read.agent_version(), read.model(START), read.model(read.at(30))) == ("0.169.0", "gpt-5.5", "gpt-5.5")
    assert read.model(read.at(36)) == "gpt-5.5"


def test_a_line_that_is_still_being_written_is_not_counted(tmp_path: Path) -> None:
    data = oracle.path_of(oracle.TWO_TURNS).read_bytes()
    path, last = tmp_path / "rollout.jsonl", data.rstrip(b"\n").rindex(b"\n") + 1
    path.write_bytes(data[: last + 20])
    read = Codex(env={}).transcript(str(path))
    assert (read.end().count, read.end().byte) == (len(oracle.load(oracle.TWO_TURNS)) - 1, last)


def test_an_unknown_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    record = {"timestamp": "2026-11-21T06:00:00.000Z", "ordinal": 0, "type": "event_msg", "payload": {"type": "new"}}
    item = {**record, "payload": {"type": "item_completed", "item": {"type": "NewItem"}}}
    path.write_text("".join(json.dumps(one) + "\n" for one in (record, item, {**record, "type": "from_the_future"})))
    marks = list(Codex(env={}).transcript(str(path)).records())
    assert [mark.text for mark in marks if isinstance(mark, Mark)] == ["new", "NewItem", "from_the_future"]


def test_an_older_patch_tells_its_files_in_its_answer() -> None:
    told = {"output": json.dumps({"output": "Success. Updated the following files:\nA a/b.py\nM ../c\nD /d\nX e\n"})}
    assert tools.patched_paths(told, "/p/q") == ("/p/q/a/b.py", "/p/c", "/d")
    assert tools.patched_paths({"output": "apply_patch verification failed"}, "/p") == ()
