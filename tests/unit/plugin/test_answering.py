"""Many questions in one process: each has an answer, also those that cannot be answered."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.demo.agent import Demo
from entire.agents.lines import LineTranscript
from entire.model.positions import START, Position
from entire.plugin_host.language import questions, wire
from tests.unit.plugin.conftest import Tool
from tests.unit.plugin.test_subcommands import CLAUDE, DEMO, Least

if TYPE_CHECKING:
    from entire.model.transcripts import Content

(SESSION,) = CLAUDE.glob("*.jsonl")
ARGUMENTS: dict[str, Any] = {
    "since": START,
    "until": Position(count=4),
    "moment": 1.7e9,
    "commit": "0" * 40,
    "position": Position(count=2),
    "other": START,
    "known": START,
    "count": 3,
    "end": Position(count=3),
    "subagent_id": "h1",
    "scope": "project",
    "force": False,
    "session_id": "s",
    "transcript": b"{}\n",
    "subagents": {"h1": b"{}\n"},
}


@pytest.mark.parametrize("name", questions.QUESTIONS)
@pytest.mark.parametrize(("agent", "path"), [(Demo, DEMO), (ClaudeCode, SESSION)])
def test_every_question_has_the_adapters_answer(
    tool: Tool, root: Path, name: str, agent: type[Demo | ClaudeCode], path: Path
) -> None:
    tool.agent, ref, question = agent, str(path), questions.QUESTIONS[name]
    if name == "messages":
        pytest.skip("no built-in agent displays its transcripts itself")
    given = {**ARGUMENTS, "root": str(root), "session_ref": ref}
    if name == "agreement":
        given["other"] = path.read_bytes()[:-7]
    arguments = [given[key] for key in question.arguments if key not in question.keywords]
    keywords = {key: given[key] for key in question.keywords}
    asked: Any = agent().transcript(ref) if question.is_of_transcript else agent()
    expected = getattr(asked, name)(*arguments, **keywords)
    if name == "install_hooks":
        agent().uninstall_hooks(str(root), "project")
    sent = questions.write_arguments(name, *arguments, *keywords.values())
    (told,) = tool.ask({"ask": name, "session_ref": ref, "metadata": {}, "root": str(root), **sent})
    assert questions.read_answer(name, told["answer"]) == expected


def test_many_questions_of_one_process(tool: Tool) -> None:
    told = tool.ask(
        {"ask": "at", "session_ref": str(DEMO), "count": 4},
        {"ask": "fly"},
        {"ask": ["end"]},
        {"session_ref": str(DEMO)},
        {"ask": "end", "session_ref": str(DEMO)},
        {"ask": "cut", "session_ref": str(DEMO), "end": None},
        {"ask": "end", "session_ref": None, "metadata": [], "unknown": 1},
    )
    assert [list(answer) for answer in told] == [
        ["answer"],
        ["error"],
        ["error"],
        ["error"],
        ["answer"],
        ["answer"],
        ["answer"],
    ]
    assert told[0]["answer"][0] == 4
    assert told[5]["answer"] == {"data": ""}
    assert told[6]["answer"] == [0, 0, ""]


@pytest.mark.parametrize("line", [b"not json", b"\xff", b"[]", b"{" * 100_000, b"null"])
def test_a_line_that_is_no_question_ends_only_itself(tool: Tool, line: bytes) -> None:
    told = tool("entire-ask", stdin=line + b'\n\n{"ask": "end"}')
    first, second = map(json.loads, told.out.splitlines())
    assert (told.status, next(iter(first)), second) == (0, "error", {"answer": [0, 0, ""]})


def test_a_stored_copy(tool: Tool, tmp_path: Path) -> None:
    stored = tmp_path / "stored"
    stored.write_bytes(DEMO.read_bytes()[:200])
    about = {"session_ref": str(DEMO), "stored": str(stored)}
    told = tool.ask({"ask": "snapshot", **about}, {"ask": "file_lines", "end": [1, 0, ""], **about})
    assert [wire.CONTENT.read(told[0]["answer"]), told[1]["answer"]] == [DEMO.read_bytes()[:200], None]
    (told,) = tool.ask({"ask": "snapshot", "stored": str(tmp_path / "none")})
    assert "cannot be read" in told["error"]


def test_large_answers_are_files(tool: Tool, tmp_path: Path) -> None:
    big = tmp_path / "s.jsonl"
    big.write_bytes(b'{"type": "x"}\n' * 100_000)
    folder = tmp_path / "answers"
    folder.mkdir()
    question = {"ask": "agreement", "session_ref": str(big), "folder": str(folder)}
    (told,) = tool.ask({**question, **questions.write_arguments("agreement", big.read_bytes(), folder=str(folder))})
    agreement = questions.read_answer("agreement", told["answer"])
    assert agreement == Demo().transcript(str(big)).agreement(big.read_bytes())
    assert len(list(folder.iterdir())) == 3


def test_what_is_optional_in_the_contract_has_an_answer(tool: Tool) -> None:
    tool.agent = Least  # type: ignore[assignment]
    told = tool.ask(*({"ask": name} for name in ("makes_commit", "model", "subagent_ref", "files")))
    assert [answer.get("answer") for answer in told] == [False, "", "", None]
    assert "AttributeError" in told[3]["error"]


class Counting(Demo):
    """Counts the transcripts that it was asked for."""

    made: list[str] = []

    def transcript(self, session_ref: str, stored: Content | None = None) -> Any:
        self.made.append(session_ref)
        return LineTranscript(session_ref, stored)


def test_a_transcript_that_does_not_change_is_read_once(tool: Tool, tmp_path: Path) -> None:
    tool.agent = Counting
    path = tmp_path / "s.jsonl"
    path.write_text("{}\n")
    os.utime(path, (1e9, 1e9))
    Counting.made.clear()
    tool.ask(*[{"ask": "end", "session_ref": str(path)}] * 3)
    assert len(Counting.made) == 1
    path.write_text("{}\n")  # just now: another change may have the same time
    tool.ask(*[{"ask": "end", "session_ref": str(path)}] * 3)
    assert len(Counting.made) == 4


def test_an_adapter_knows_its_sessions_metadata(tool: Tool) -> None:
    class Knowing(Least):
        def detect(self, root: str) -> bool:
            return False

        def has_conversation(self, session_ref: str) -> bool:
            return self.metadata == {"k": "v"}

    tool.agent = Knowing  # type: ignore[assignment]
    told = tool.ask(*({"ask": "has_conversation", "metadata": given} for given in ({"k": "v"}, {}, {"k": "v", "x": 5})))
    assert [answer["answer"] for answer in told] == [True, False, True]
