"""docs/reference/plugin-protocol.md says what the code does: its tables are the code's, and its examples are read."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from entire.conversation.conversation import Conversation
from entire.model.events import EventType
from entire.model.positions import START, Position
from entire.plugin import subcommands
from entire.plugin_host.language import protocol, questions, records, wire
from entire_plugin_kit import template
from tests.architecture.places import ROOT

PAGE = (ROOT / "docs/reference/plugin-protocol.md").read_text()


def section(title: str) -> str:
    """Return what stands below a heading, up to the next one."""
    _, _, rest = PAGE.partition(f"# {title}\n")
    assert rest, title
    return re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of a section's first table, without its head."""
    lines = [line.strip("|\n") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"\|(?=(?:[^`]*`[^`]*`)*[^`]*$)", line)] for line in lines[2:]]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def examples(title: str) -> list[Any]:
    return [json.loads(found) for found in re.findall(r"```json\n(.*?)```", section(title), re.DOTALL)]


# ---------------------------------------------------------------- tables


def test_every_subcommand_is_listed_with_its_options() -> None:
    listed = {words(row[0])[0]: set(words(row[1])) for row in rows(section("Subcommands"))}
    known = {
        name: {f"--{option}" for option in (*each.options, *each.flags)} for name, each in subcommands.TABLE.items()
    }
    assert {name: listed.get(name) for name in known} == known
    assert set(listed) - set(known) == {"compact-transcript"}  # the kit has no need of it


def test_every_capability_is_listed() -> None:
    listed = {name for row in rows(section("Subcommands")) for name in words(row[4])}
    assert listed == set(protocol.CAPABILITIES)
    extensions = {name for row in rows(_questions()) for name in words(row[0])}
    assert extensions | {"entire_prompt_positions", "entire_records"} == set(protocol.EXTENSIONS)


def test_every_kind_of_record_is_listed_with_its_members() -> None:
    listed = {words(kind)[0]: set(words(members)) for kind, members in rows(section("Records"))}
    for kind, cls in records.KINDS.items():
        missing = set(records.MEMBERS[cls]) - listed[kind] - {"position", "time"}
        assert missing == set(), kind
    assert set(listed) == set(records.KINDS)
    assert set(records.MARKS) <= listed["mark"]
    assert set(records.TOOLS) <= listed["call"]


def test_the_example_of_records_is_read_as_it_says() -> None:
    _, example = re.findall(r"```json\n(.*?)```", section("Records"), re.DOTALL)
    reader = records.Reader(START)
    for line in example.replace("\n ", "").splitlines():
        reader.take(line.encode())
    told = reader.finish()
    assert (told.problem, told.end) == ("", Position(count=4, byte=730, mark="m1"))
    assert [type(record).__name__ for record in told] == ["Prompt", "Answer", "Call", "Result"]
    found = Conversation(told)
    assert (found.files()[0].path, found.tokens().output_tokens) == ("/home/ada/project/a.txt", 3)


def _questions() -> str:
    """Return the table of questions."""
    _, head, rest = section("Extensions").partition("| extension |")
    return head + rest


def question_rows() -> Mapping[str, tuple[str, list[str], Any]]:
    """Return (extension, arguments, the example of an answer) by question."""
    found, extension = {}, ""
    for first, name, arguments, answer in rows(_questions()):
        extension = words(first)[0] if first else extension
        found[words(name)[0]] = (extension, words(arguments), json.loads(words(answer)[0]))
    return found


def test_every_question_is_listed_with_its_arguments() -> None:
    listed = {name: (row[0], row[1]) for name, row in question_rows().items()}
    known = {name: (each.extension, list(each.arguments)) for name, each in questions.QUESTIONS.items()}
    assert listed == known


def test_the_limits_are_those_of_the_code() -> None:
    told = " ".join(cell for row in rows(section("Limits")) for cell in row)
    for limit in (
        f"{protocol.CALL_SECONDS:g} seconds",
        f"{protocol.TEXT_SECONDS:g} seconds",
        f"{protocol.HOOK_SECONDS:g} seconds, {protocol.HOOK_PROCESSES} processes",
        f"{protocol.GRACE_SECONDS:g} seconds",
        f"{protocol.MAX_ANSWER >> 20} MB", f"{protocol.MAX_TRANSCRIPT >> 20} MB", f"{protocol.MAX_ERRORS >> 10} KB",
    ):  # fmt: skip
        assert limit in told, limit
    assert wire.INLINE == 1 << 20
    assert "1 MB" in section("Extensions")


def test_every_member_of_an_event_is_named() -> None:
    members = {**wire._PUBLISHED_MEMBERS.write(_Everything()), **wire._OWN_MEMBERS.write(_Everything())}
    assert len(members) > 20
    assert [name for name in members if f"`{name}`" not in section("Event")] == []


class _Everything:
    """An event of which no member has its default."""

    def __getattr__(self, name: str) -> Any:
        return {"metadata": {"a": "b"}, "pid": 1, "background": ("a",)}.get(name, "x")


# ---------------------------------------------------------------- examples


def test_the_example_of_info_can_be_used() -> None:
    (given,) = examples("Info")
    found = protocol.parse_info(json.dumps(given).encode(), "parrot")
    told = {"name", "type", "description", "is_preview", "protected_dirs", "hook_names", "caller_env_vars"}
    assert {name: getattr(found, name) for name in told} == {
        name: tuple(given[name]) if isinstance(given[name], list) else given[name] for name in told
    }
    assert found.capabilities == set(given["capabilities"])
    assert {name: getattr(found, name) for name in given["entire"]} == given["entire"]


def test_the_example_of_an_event_is_read_and_written() -> None:
    (given,) = examples("Event")
    event = wire.EVENT.read(given)
    assert event.type is EventType.TURN_END
    assert wire.EVENT.write(event) == given


def test_the_example_of_tokens_is_read_and_written() -> None:
    (given,) = examples("Tokens")
    written = wire.TOKENS.write(wire.TOKENS.read(given))
    assert {name: written[name] for name in given if name != "subagent_tokens"} == {
        name: given[name] for name in given if name != "subagent_tokens"
    }
    assert written["subagent_tokens"].items() >= given["subagent_tokens"].items()


@pytest.mark.parametrize("name", questions.QUESTIONS)
def test_the_example_of_an_answer_is_read_and_written(name: str) -> None:
    given = question_rows()[name][2]
    written = questions.write_answer(name, questions.read_answer(name, given))
    assert _contains(written, given), (written, given)


def test_the_example_of_a_question_is_read_and_answered() -> None:
    question, answer = examples("Extensions")
    assert set(question) == {
        "ask",
        "metadata",
        "root",
        "session_ref",
        "folder",
        *questions.QUESTIONS["prompts"].arguments,
    }
    since, until = questions.read_arguments("prompts", question)
    assert (since.to_json(), until) == (question["since"], None)
    assert questions.write_answer("prompts", questions.read_answer("prompts", answer["answer"])) == answer["answer"]


def _contains(written: Any, given: Any) -> bool:
    """Tell whether everything given was written too."""
    if isinstance(given, dict):
        return all(name in written and _contains(written[name], member) for name, member in given.items())
    if isinstance(given, list):
        return len(written) == len(given) and all(map(_contains, written, given))
    return bool(written == given)


# ---------------------------------------------------------------- what a plugin makes of them


@pytest.fixture(params=template.LANGUAGES)
def plugin(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., bytes]:
    """A new plugin in each language, as a function: words and standard input to standard output."""
    written = template.write("parrot", request.param, str(tmp_path / "plugin"))
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path),
           "ENTIRE_REPO_ROOT": "/home/ada/project"}  # fmt: skip

    def call(*given: str, stdin: bytes = b"") -> bytes:
        path = Path(written.folder, written.files[0])
        return subprocess.run(
            [path, *given], input=stdin, env=env, cwd=tmp_path, check=True, capture_output=True
        ).stdout

    return call


def test_a_plugin_answers_with_the_keys_that_are_listed(plugin: Callable[..., bytes], tmp_path: Path) -> None:
    (hook_input,) = examples("HookInput")
    values = {"--repo-path": "/home/ada/project", "--session-dir": "/home/ada", "--session-id": "s1", "--hook": "stop",
              "--path": "/none", "--session-ref": "/none", "--offset": "0", "--max-size": "100"}  # fmt: skip
    declared = json.loads(plugin("info"))["capabilities"]
    asked = 0
    for row in rows(section("Subcommands")):
        name, options = words(row[0])[0], [option for option in words(row[1]) if option in values]
        found = [cell for cell in words(row[3]) if cell.startswith("{")]
        if not found or not all(declared.get(capability) for capability in words(row[4])):
            continue
        stdin = json.dumps(hook_input).encode() if "HookInput" in row[2] else b""
        answer = json.loads(
            plugin(name, *(word for option in options for word in (option, values[option])), stdin=stdin)
        )
        assert {key: type(member) for key, member in answer.items()} == {
            key: type(member) for key, member in json.loads(found[0]).items()
        }
        asked += 1
    assert asked >= 10


def test_a_plugin_understands_the_example_of_a_session(plugin: Callable[..., bytes], tmp_path: Path) -> None:
    (record,), (hook_input,) = examples("AgentSession"), examples("HookInput")
    ref = str(tmp_path / "s1.jsonl")
    plugin("write-session", stdin=json.dumps({**record, "session_ref": ref}).encode())
    assert Path(ref).read_bytes() == base64.b64decode(record["native_data"])
    read = json.loads(plugin("read-session", stdin=json.dumps({**hook_input, "session_ref": ref}).encode()))
    assert read == {**record, "session_ref": ref}


def test_a_plugin_joins_the_example_of_chunks(plugin: Callable[..., bytes]) -> None:
    (given,) = examples("Chunks")
    assert plugin("reassemble-transcript", stdin=json.dumps(given).encode()) == b'{"type": "prompt"}\n'
