"""The tree, the old short form, and what else the captured files do not show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.claude_code.agent import ClaudeCode
from entire.model.positions import START, Position
from entire.model.transcripts import FileReport

TIME = "2026-11-21T05:56:28.824Z"


def paths(reports: list[FileReport]) -> list[str]:
    return list(dict.fromkeys(report.path for report in reports))


class Story:
    """Writes a transcript record by record, as the agent would."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []

    def add(self, kind: str, uuid: str, parent: str | None, content: object, **more: Any) -> None:
        message = {"role": kind, "content": content, **more.pop("message", {})}
        record = {"parentUuid": parent, "isSidechain": False, "type": kind, "message": message, "uuid": uuid, **more}
        self.lines.append({**record, "timestamp": TIME, "sessionId": "s"})

    def prompt(self, uuid: str, parent: str | None, text: object, **more: Any) -> None:
        self.add("user", uuid, parent, text, **{"promptSource": "typed", "promptId": f"p-{uuid}", **more})

    def answer(self, uuid: str, parent: str | None, text: str, **more: Any) -> None:
        self.add("assistant", uuid, parent, [{"type": "text", "text": text}], message={"id": f"m-{uuid}"}, **more)

    def call(self, uuid: str, parent: str, name: str, **given: Any) -> None:
        block = {"type": "tool_use", "id": f"t-{uuid}", "name": name, "input": given}
        self.add("assistant", uuid, parent, [block], message={"id": f"m-{uuid}"})

    def result(self, uuid: str, parent: str, of: str, result: object = None, **block: Any) -> None:
        blocks = [{"type": "tool_result", "tool_use_id": f"t-{of}", "content": "ok", **block}]
        more = {} if result is None else {"toolUseResult": result}
        self.add("user", uuid, parent, blocks, **more)

    def write(self, separators: tuple[str, str] = (",", ":")) -> str:
        text = "".join(json.dumps(line, separators=separators) + "\n" for line in self.lines)
        self.path.write_text(text)
        return str(self.path)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "s.jsonl")


def texts(path: str, since: Position = START, until: Position | None = None) -> list[str]:
    return [prompt.text for prompt in ClaudeCode().transcript(path).prompts(since, until)]


def short(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_a_native_rewind_leaves_its_branch_out(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    story.prompt("c", "b", "two")
    story.answer("d", "c", "2")
    story.prompt("e", "b", "two again")
    path = story.write()
    assert texts(path) == ["one", "two again"]
    assert texts(path, START, Position(count=4)) == ["one", "two"]
    # The rewind goes back behind the part that is read: what is before it is looked up.
    assert texts(path, Position(count=2)) == ["two again"]
    assert texts(path, Position(count=3)) == ["two again"]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_rewind_to_the_beginning(story: Story, separators: tuple[str, str]) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    story.prompt("c", "b", "two")
    story.prompt("d", None, "anew")
    path = story.write(separators)
    assert texts(path) == ["anew"]
    assert texts(path, Position(count=2)) == ["anew"]


def test_two_rewinds_to_the_beginning_in_a_row(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    story.prompt("c", None, "taken back at once")
    story.prompt("d", None, "anew")
    path = story.write()
    assert texts(path) == ["anew"]
    assert texts(path, Position(count=2)) == ["anew"]


def test_without_any_tree_the_file_is_a_list(story: Story) -> None:
    for uuid in "abc":
        story.prompt(uuid, None, uuid)
    assert texts(story.write()) == ["a", "b", "c"]


def test_a_rewind_before_leaving_without_a_word(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    story.prompt("c", "b", "two")
    story.lines.append({"type": "last-prompt", "leafUuid": "b", "sessionId": "s"})
    path = story.write()
    assert texts(path) == ["one"]
    assert texts(path, Position(count=2)) == []
    assert texts(path, START, Position(count=3)) == ["one", "two"]


def test_a_record_whose_parent_is_gone_loses_nothing(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "gone", "1")
    story.prompt("c", "gone too", "two")
    path = story.write()
    assert texts(path) == ["one", "two"]
    assert texts(path, Position(count=1)) == ["two"]


def test_compaction_goes_on_over_the_logical_parent(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    story.lines.append(
        {"parentUuid": None, "logicalParentUuid": "b", "type": "system", "subtype": "compact_boundary", "uuid": "c"}
    )
    story.add("user", "d", "c", "This session is being continued ...", isCompactSummary=True)
    story.prompt("e", "d", "two")
    assert texts(story.write()) == ["one", "two"]


def test_an_answer_that_compaction_copied_costs_nothing_again(story: Story) -> None:
    for uuid, tokens in (("b", 7), ("c", 0)):
        usage = {"input_tokens": tokens, "output_tokens": tokens}
        story.add("assistant", uuid, None, [], message={"id": "m1", "usage": usage})
    path = story.write()
    found = ClaudeCode().transcript(path).tokens(START)
    assert (found.input_tokens, found.output_tokens, found.api_call_count) == (7, 7, 1)
    assert not ClaudeCode().transcript(path).tokens(Position(count=1))


def test_usage_that_is_complete_only_in_the_last_record(story: Story) -> None:
    for uuid, tokens in (("b", 1), ("c", 40)):
        story.add(
            "assistant", uuid, None, [], message={"id": "m1", "usage": {"input_tokens": 9, "output_tokens": tokens}}
        )
    path, agent = story.write(), ClaudeCode()
    first = agent.transcript(path).tokens(START, Position(count=1))
    assert (first.input_tokens, first.output_tokens) == (9, 40)
    assert not agent.transcript(path).tokens(Position(count=1))


def test_usage_that_is_poorer_in_a_later_record(story: Story) -> None:
    for uuid, tokens in (("b", 40), ("c", 3)):
        story.add("assistant", uuid, None, [], message={"id": "m1", "usage": {"output_tokens": tokens}})
    assert ClaudeCode().transcript(story.write()).tokens(START).output_tokens == 40


@pytest.mark.parametrize("usage", ["x", None, [], {"input_tokens": "5", "output_tokens": -1}, {"input_tokens": True}])
def test_usage_that_is_none(story: Story, usage: object) -> None:
    story.add("assistant", "b", None, [], message={"id": "m1", "usage": usage})
    assert not ClaudeCode().transcript(story.write()).tokens(START)


def test_which_user_records_are_prompts(story: Story) -> None:
    image = {"type": "image", "source": {"data": "AAAA"}}
    story.prompt("a", None, [{"type": "text", "text": "look"}, image, {"type": "text", "text": "closely"}])
    story.prompt("b", "a", [image])
    story.prompt("c", "b", "<task-notification><task-id>x</task-id></task-notification>", promptSource="system")
    story.prompt("d", "c", "hidden", isMeta=True)
    story.prompt("e", "d", "summary", isCompactSummary=True)
    story.add("user", "f", "e", "Stop hook feedback: go on")
    story.add("user", "g", "f", [{"type": "text", "text": "[Request interrupted by user]"}])
    story.prompt("h", "g", "<b>bold</b>", promptSource="queued")
    story.prompt("i", "h", "from the machine", promptSource="system")
    story.prompt("j", "i", "<task-notification><task-id>y</task-id></task-notification>")
    assert texts(story.write()) == ["look\nclosely", "[image]", "<b>bold</b>"]


def test_a_sidechain_in_the_main_file_is_not_the_conversation(story: Story) -> None:
    story.prompt("a", None, "one")
    story.prompt("x", None, "to the subagent", isSidechain=True)
    story.answer("y", "x", "done", isSidechain=True)
    story.answer("b", "a", "1")
    path = story.write()
    assert texts(path) == ["one"]
    assert ClaudeCode().transcript(path).end(START).mark == "m-b"


def test_the_records_of_a_subagent_in_the_main_file_are_not_the_sessions_own(story: Story) -> None:
    """An answer goes on after one of a subagent, and the position between them knows no answer: it is counted once."""
    cost = {"input_tokens": 10, "output_tokens": 1}
    story.prompt("a", None, "go")
    story.add("assistant", "b", "a", [{"type": "text", "text": "1"}], message={"id": "m-b", "usage": cost})
    story.add("assistant", "y", "a", [{"type": "text", "text": "2"}], isSidechain=True,
              message={"id": "m-y", "usage": {"input_tokens": 500}})  # fmt: skip
    story.result("z", "y", "y", {"filePath": "/r/sub.py", "structuredPatch": []})
    story.lines[-1]["isSidechain"] = True
    story.add("assistant", "c", "b", [{"type": "text", "text": "3"}], message={"id": "m-b", "usage": cost})
    path, agent = story.write(), ClaudeCode()
    assert agent.transcript(path).tokens(START, None).input_tokens == 10
    assert agent.transcript(path).files(START) == []
    assert agent.transcript(path).tokens(Position(count=3), None).input_tokens == 0


def test_which_results_mean_a_changed_file(story: Story) -> None:
    story.prompt("a", None, "go")
    story.result("b", "a", "1", {"filePath": "/r/write.py", "structuredPatch": [], "type": "create"})
    story.result("c", "b", "2", {"type": "text", "file": {"filePath": "/r/read.py"}})
    story.result("d", "c", "3", {"filePath": "/h/.claude/plans/p.md", "plan": "x"})
    story.result("e", "d", "4", {"filePath": "/r/failed.py", "structuredPatch": []}, is_error=True)
    story.result("f", "e", "5", {"notebook_path": "/r/n.ipynb", "new_source": "", "error": ""})
    story.result("g", "f", "6", {"notebook_path": "/r/bad.ipynb", "new_source": "", "error": "no such cell"})
    story.result("h", "g", "7", {"filePath": "/r/nul\0.py", "structuredPatch": []})
    story.result("i", "h", "8", {"filePath": "/r/edit \ud800.py", "oldString": "", "newString": "x"})
    story.result("j", "i", "9", {"filePath": "/r/write.py", "structuredPatch": []})
    assert paths(ClaudeCode().transcript(story.write()).files(START)) == ["/r/write.py", "/r/n.ipynb", "/r/edit ?.py"]


def test_a_pending_call_has_changed_nothing(story: Story) -> None:
    story.prompt("a", None, "go")
    story.call("b", "a", "Write", file_path="/r/a.py", content="")
    assert ClaudeCode().transcript(story.write()).files(START) == []


def test_results_of_the_old_form_need_their_call(story: Story) -> None:
    for uuid, name in (("b", "Write"), ("c", "MultiEdit"), ("d", "Read"), ("e", "Edit")):
        story.call(uuid, "a", name, file_path=f"/r/{uuid}.py")
    for uuid in "bcde":
        story.result(f"r{uuid}", uuid, uuid, is_error=uuid == "e")
    path, agent = story.write(), ClaudeCode()
    assert paths(agent.transcript(path).files(START)) == ["/r/b.py", "/r/c.py"]
    assert paths(agent.transcript(path).files(START, Position(count=5))) == ["/r/b.py"]
    assert paths(agent.transcript(path).files(Position(count=4))) == ["/r/b.py", "/r/c.py"]
    assert paths(agent.transcript(path).files(Position(count=5))) == ["/r/c.py"]


def test_the_old_short_form(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/r/a.py", "content": "x"}}
    path = short(
        tmp_path / "s.jsonl",
        {"type": "user", "uuid": "u1", "message": {"content": "Create a.py"}},
        {"type": "assistant", "uuid": "a1", "message": {"content": [call]}},
        {"type": "user", "uuid": "u2", "message": {"content": [{"type": "text", "text": "and then?"}]}},
        {"type": "assistant", "uuid": "a2", "message": {"content": "Done.", "usage": {"output_tokens": 3}}},
    )
    agent = ClaudeCode()
    assert agent.transcript(path).end(START) == Position(count=4, byte=Path(path).stat().st_size, mark="a2")
    assert texts(path) == ["Create a.py", "and then?"]
    assert texts(path, Position(count=1)) == ["and then?"]
    assert paths(agent.transcript(path).files(START)) == ["/r/a.py"]
    assert agent.transcript(path).files(START, Position(count=1)) == []
    assert agent.transcript(path).summary(START) == "Done."
    assert agent.transcript(path).tokens(START).output_tokens == 3
    # Without times nobody can tell which answer ran: all that is there.
    assert agent.transcript(path).answer_boundary(START, 5.0) == agent.transcript(path).end(START)


def test_the_old_short_form_with_results_counts_only_those(tmp_path: Path) -> None:
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": "Write", "input": {"file_path": f"/r/{n}.py"}} for n in range(2)
    ]
    path = short(
        tmp_path / "s.jsonl",
        {"type": "assistant", "uuid": "a1", "message": {"content": calls}},
        {"type": "user", "uuid": "u1", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1"}]}},
    )
    assert paths(ClaudeCode().transcript(path).files(START)) == ["/r/1.py"]


def test_old_prompts_of_a_session_that_a_newer_agent_went_on_with(story: Story) -> None:
    story.add("user", "a", None, "old one")
    story.answer("b", "a", "1")
    story.prompt("c", "b", "new one")
    story.add("user", "d", "c", "an insertion of the agent")
    path = story.write()
    assert texts(path) == ["old one", "new one"]
    assert texts(path, Position(count=3)) == []


def test_an_old_subagent_is_known_by_the_text_of_its_result(story: Story, tmp_path: Path) -> None:
    (tmp_path / "agent-abc123.jsonl").write_text("{}\n")
    story.call("b", "a", "Task", subagent_type="explorer", description="Look around")
    story.result("c", "b", "b", content=[{"type": "text", "text": "agentId: abc123 (for resuming)"}])
    (found,) = ClaudeCode().transcript(story.write()).subagents(START)
    assert (found.id, found.type, found.description, found.tool_use_id) == ("abc123", "explorer", "Look around", "t-b")
    assert found.session_ref == str(tmp_path / "agent-abc123.jsonl")


def test_a_subagent_id_that_leaves_the_folder_is_no_subagent(story: Story) -> None:
    story.result("c", "b", "b", {"agentId": "../../x", "status": "completed"})
    assert ClaudeCode().transcript(story.write()).subagents(START) == []


def test_an_ended_shell_command_is_no_subagent(story: Story) -> None:
    story.prompt("a", None, "<task-notification><task-id>b1</task-id></task-notification>", promptSource="system")
    assert ClaudeCode().transcript(story.write()).subagents(START) == []


# faults


def test_a_missing_transcript_is_an_empty_one(tmp_path: Path) -> None:
    agent = ClaudeCode()
    for path in (str(tmp_path / "none.jsonl"), str(tmp_path), "/nul\0", ""):
        assert agent.transcript(path).snapshot() == b""
        assert agent.transcript(path).end(START) == START
        assert agent.transcript(path).end(Position(count=3, byte=30)).count == 0
        assert agent.transcript(path).answer_boundary(START, 1.0) == START
        transcript = agent.transcript(path)
        assert transcript.files(START) == transcript.prompts(START) == transcript.subagents(START) == []
        assert agent.transcript(path).summary(START) == ""
        assert not agent.transcript(path).tokens(START)


def test_a_file_that_was_rewritten_shorter(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    agent = ClaudeCode()
    before = agent.transcript(story.write()).end(START)
    story.lines.pop()
    path = story.write()
    for since in (before, Position(count=before.count)):
        assert agent.transcript(path).end(since) == agent.transcript(path).end(START)
        assert agent.transcript(path).prompts(since) == []


def test_broken_lines_are_counted_and_left_out(story: Story) -> None:
    story.prompt("a", None, "one")
    story.answer("b", "a", "1")
    path = story.write()
    good = Path(path).read_bytes().splitlines(keepends=True)
    junk = b'\n   \nnull\n[1]\n"x"\n{"type":\n\xff\xfe\n' + b"[" * 100_000 + b"\n"
    Path(path).write_bytes(good[0] + junk + good[1])
    agent = ClaudeCode()
    assert agent.transcript(path).end(START).count == 2 + junk.count(b"\n")
    assert texts(path) == ["one"]
    assert agent.transcript(path).summary(START) == "1"


def test_a_record_that_was_appended_to_a_cut_line_counts(story: Story) -> None:
    story.prompt("a", None, "one")
    story.prompt("b", "a", "two")
    path = story.write()
    first, second = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).write_bytes(first[:40] + second)
    assert texts(path) == ["two"]
    Path(path).write_bytes(first.rstrip() + second)
    assert texts(path) == ["one", "two"]


def test_a_last_line_without_its_newline_is_counted_once(story: Story) -> None:
    story.prompt("a", None, "one")
    story.prompt("b", "a", "two")
    path, agent = story.write(), ClaudeCode()
    whole = Path(path).read_bytes()
    first = whole.splitlines(keepends=True)[0]
    for cut in (len(first) - 1, len(first)):
        Path(path).write_bytes(whole[:cut])
        since = agent.transcript(path).end(START)
        assert (since.count, since.byte) == (1, cut)
        Path(path).write_bytes(whole)
        assert agent.transcript(path).end(since) == Position(count=2, byte=len(whole))
        assert texts(path, since) == ["two"]
        assert [prompt.position for prompt in agent.transcript(path).prompts(since)] == [1]
    Path(path).write_bytes(whole[:-2])  # the second is still being written
    assert agent.transcript(path).end(START).count == 1


names = "type text id name input file_path tool_use_id is_error content usage model filePath agentId leafUuid"
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["user", "tool_use", "text", "a", "/r/x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(names.split()),
            inner,
            max_size=5,
        )
    ),
    max_leaves=8,
)
kinds = st.sampled_from(["user", "assistant", "system", "attachment", "last-prompt"])
fields = "uuid parentUuid logicalParentUuid promptId promptSource isMeta isSidechain timestamp toolUseResult".split()


@given(
    st.lists(
        st.builds(
            lambda kind, content, more: {"type": kind, "message": {"content": content, "id": "m"}, **more},
            kinds,
            values,
            st.dictionaries(st.sampled_from(fields), values, max_size=5),
        )
        | values
    ),
    st.integers(0, 5),
)
def test_odd_records_do_no_harm(tmp_path_factory: pytest.TempPathFactory, lines: list[Any], at: int) -> None:
    path = tmp_path_factory.mktemp("odd") / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    agent = ClaudeCode()
    assert agent.transcript(str(path)).end(START).count == len(lines)
    for since in (START, Position(count=at)):
        for found in (agent.transcript(str(path)).prompts(since), agent.transcript(str(path)).files(since)):
            assert "".join(map(str, found)).encode() or not found
        agent.transcript(str(path)).subagents(since)
        agent.transcript(str(path)).tokens(since)
        agent.transcript(str(path)).answer_boundary(since, 1.0)
        agent.transcript(str(path)).summary(since).encode()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), min_size=1, max_size=25), st.integers(0, 25))
def test_any_tree_gives_the_prompts_on_the_way_from_its_last_record(
    tmp_path_factory: pytest.TempPathFactory, shape: list[tuple[bool, int]], at: int
) -> None:
    story = Story(tmp_path_factory.mktemp("tree") / "s.jsonl")
    parents: dict[str, str | None] = {}
    for number, (is_prompt, above) in enumerate(shape):
        parent = f"id{above % number}" if number else None
        parents[f"id{number}"] = parent
        if is_prompt:
            story.prompt(f"id{number}", parent, f"prompt {number}")
        else:
            story.answer(f"id{number}", parent, "x")
    path = story.write()
    wanted: list[str] = []
    node: str | None = f"id{len(shape) - 1}"
    while node is not None:
        if shape[int(node[2:])][0]:
            wanted.insert(0, f"prompt {node[2:]}")
        node = parents[node]
    assert texts(path) == wanted
    since = Position(count=min(at, len(shape)))
    assert texts(path, since) == [text for text in wanted if int(text.split()[1]) >= since.count]


def test_a_great_transcript_costs_little_memory(tmp_path: Path) -> None:
    """40 MB in one line (a tool result) and 20 MB in records of a kilobyte, read from its start in under 64 MB."""
    path = tmp_path / "s.jsonl"
    huge = {"type": "user", "uuid": "h", "parentUuid": "u0", "toolUseResult": {"stdout": 'x\\"\n' * 10_000_000}}
    filler = "y" * 900
    with path.open("w") as file:
        for number in range(20_000):
            kind = "assistant" if number % 2 else "user"
            message = {"id": f"m{number}", "content": [{"type": "text", "text": filler}], "usage": {"output_tokens": 1}}
            record = {"parentUuid": f"u{number - 1}", "type": kind, "uuid": f"u{number}", "message": message}
            file.write(json.dumps({**record, "promptSource": "sdk" if kind == "user" else None}) + "\n")
            if number == 5:
                file.write(json.dumps(huge) + "\n")
        file.write(
            json.dumps({"type": "user", "uuid": "z", "message": {"content": "end"}, "promptSource": "sdk"}) + "\n"
        )
    code = (
        "import os, resource, sys\n"
        "from entire.agents.claude_code.agent import ClaudeCode\n"
        "from entire.model.positions import START\n"
        "transcript = ClaudeCode().transcript(sys.argv[1])\n"
        "print(transcript.end(START).count, transcript.tokens(START).output_tokens)\n"
        # ru_maxrss would count what the parent had before it started us
        "status = open('/proc/self/status').read() if os.path.exists('/proc/self/status') else ''\n"
        "peak = [line.split()[1] for line in status.splitlines() if line.startswith('VmHWM')]\n"
        "print(peak[0] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    counts, memory = done.stdout.splitlines()
    assert counts == "20002 10000"
    assert int(memory) / (1 if sys.platform == "linux" else 1024) < 64 * 1024


def test_the_hook_road_stays_light(tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "before = set(sys.modules)\n"
        "from entire.agents.claude_code.agent import ClaudeCode\n"
        "from entire.model.positions import START\n"
        "agent = ClaudeCode()\n"
        "agent.parse_hook('stop', json.dumps({'session_id': 's', 'transcript_path': sys.argv[1]}).encode())\n"
        "agent.transcript(sys.argv[1]).prompts(START), agent.transcript(sys.argv[1]).subagents(START)\n"
        "print(' '.join(sorted(set(sys.modules) - before)))\n"
    )
    path = tmp_path / "s.jsonl"
    path.write_text("{}\n")
    done = subprocess.run([sys.executable, "-I", "-c", code, str(path)], capture_output=True, text=True, check=True)
    heavy = {"typing", "pathlib", "subprocess", "dataclasses", "logging", "argparse", "datetime", "tempfile", "shutil"}
    assert not heavy & set(done.stdout.split())
    assert "entire.agents.hookfiles" not in done.stdout.split()
