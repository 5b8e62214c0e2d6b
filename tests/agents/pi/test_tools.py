"""What a session's tool calls changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents.pi import tools
from entire.agents.pi.agent import Pi
from entire.model.positions import START
from tests.agents.pi import writer as pi


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("a.txt", "/p/a.txt"), ("/q/a.txt", "/q/a.txt"), ("../a", "/a"), ("@b", "/p/b"), ("~/c", "~/c"),
     ("", ""), ("a\0", "")],
)  # fmt: skip
def test_paths_are_those_that_pi_finds(tmp_path: Path, path: str, wanted: str) -> None:
    entries = pi.Entries(tmp_path / "s.jsonl", "s1", "/p")
    entries.begin()
    entries.add_file(path)
    read = Pi(env={}).transcript(str(entries.path))
    wanted = wanted.replace("~", str(Path.home()))
    assert [report.path for report in read.files(START)] == [wanted][: bool(wanted)]


def test_calls_that_failed_or_were_blocked_changed_nothing(tmp_path: Path) -> None:
    entries = pi.Entries(tmp_path / "s.jsonl", "s1", "/p")
    entries.begin()
    entries.result(entries.call("write", path="a", content="x"), "write", "blocked", failed=True)
    assert Pi(env={}).transcript(str(entries.path)).files(START) == []


@pytest.mark.parametrize(
    "call", [{"name": "bash", "arguments": {"path": "a"}}, {"name": "write", "arguments": "a"}, {}]
)
def test_other_calls_say_no_path(call: dict[str, object]) -> None:
    assert tools.written_path(call, "/p") == ""


def test_a_result_without_the_call_before_a_position_is_looked_up(tmp_path: Path) -> None:
    entries = pi.Entries(tmp_path / "s.jsonl", "s1", "/p")
    entries.begin()
    call = entries.call("edit", path="a.txt")
    since = Pi(env={}).transcript(str(entries.path)).end()
    entries.result(call, "edit")
    assert [report.path for report in Pi(env={}).transcript(str(entries.path)).files(since)] == ["/p/a.txt"]
