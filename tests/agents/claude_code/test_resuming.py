"""Where the agent keeps its sessions, and how one is put back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.model.effects import Delete, Write
from entire.model.transcripts import SessionFile
from tests.architecture.places import ROOT


def folder(home: Path, root: str, **env: str) -> str:
    return ClaudeCode(env={"HOME": str(home), **env}).session_dir(root)


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("/home/dev/project", "-home-dev-project"),
        ("/home/dev/My_Repo.v2 (x)@é", "-home-dev-My-Repo-v2--x---"),
        ("/home/dev/😀", "-home-dev---"),
    ],
)
def test_the_folders_name(tmp_path: Path, root: str, name: str) -> None:
    assert folder(tmp_path, root) == f"{tmp_path}/.claude/projects/{name}"


def test_links_are_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert folder(tmp_path, str(tmp_path / "link")) == folder(tmp_path, str(real))


def test_a_long_name_ends_in_a_hash_of_the_agents_own(tmp_path: Path) -> None:
    root = "/" + "a" * 250
    cut = "-" + "a" * 199
    assert folder(tmp_path, root) == f"{tmp_path}/.claude/projects/{cut}"
    (tmp_path / ".claude" / "projects" / f"{cut}-x1y2").mkdir(parents=True)
    assert folder(tmp_path, root) == f"{tmp_path}/.claude/projects/{cut}-x1y2"
    assert not folder(tmp_path, "/" + "a" * 199).endswith("-x1y2")


def test_the_folder_can_be_given(tmp_path: Path) -> None:
    assert folder(tmp_path, "/r", ENTIRE_TEST_CLAUDE_PROJECT_DIR="/elsewhere") == "/elsewhere"
    assert folder(tmp_path, "/r", CLAUDE_CONFIG_DIR="/conf") == "/conf/projects/-r"


def test_the_file_of_a_session() -> None:
    agent = ClaudeCode()
    assert agent.resolve_session_file("/d", "0aaa-1") == "/d/0aaa-1.jsonl"
    for hostile in ("", "../x", "a/b", ".", "a\0"):
        assert agent.resolve_session_file("/d", hostile) == ""


def test_putting_a_session_back() -> None:
    """With its subagents' transcripts beside it; an id that leads elsewhere has no place."""
    agent = ClaudeCode()
    subagents = {"a1": b"sub\n", "../x": b"hostile\n"}
    assert agent.put_back("/d/s.jsonl", b"one\n", subagents).effects == (
        Write(path="/d/s.jsonl", data=b"one\n"),
        Write(path="/d/s/subagents/agent-a1.jsonl", data=b"sub\n"),
    )
    assert agent.put_back("/d/s.jsonl", b"", {}).effects == (Delete(path="/d/s.jsonl"),)


def test_the_command_for_people() -> None:
    agent = ClaudeCode()
    assert agent.format_resume_command("04b82098-8309-42a4-b860-806b2de7c76b") == (
        "claude -r 04b82098-8309-42a4-b860-806b2de7c76b"
    )
    assert agent.format_resume_command("a; rm 'x'") == "claude -r 'a; rm '\\''x'\\'''"


def test_whether_it_is_here(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "repo"
    home.mkdir()
    root.mkdir()
    agent = ClaudeCode(env={"HOME": str(home)})
    assert not agent.detect(str(root))
    (root / ".claude").mkdir()
    assert agent.detect(str(root))
    (root / ".claude").rmdir()
    (home / ".claude").mkdir()
    assert agent.detect(str(root))


def test_the_contract_holds() -> None:
    """Type checkers see here that the class fits every capability that it names."""
    from typing import TYPE_CHECKING

    from entire.agents import capabilities
    from entire.directory import AgentDirectory

    agent = AgentDirectory.without_plugins().make("claude-code")
    assert isinstance(agent, ClaudeCode)
    assert agent.capabilities <= set(capabilities.NAMES)
    if TYPE_CHECKING:
        from entire.agents import contract

        mine = ClaudeCode()
        held: list[object] = []
        made: contract.AgentFactory = ClaudeCode
        a: contract.Agent = mine
        b: contract.HookInstaller = mine
        c: contract.TranscriptAnalyzer = mine.transcript("")
        d: contract.TranscriptPreparer = mine
        e: contract.TokenCalculator = mine.transcript("")
        f: contract.SubagentExtractor = mine.transcript("")
        g: contract.SessionResumer = mine
        h: contract.HookResponder = mine
        held += [made, a, b, c, d, e, f, g, h]


TRANSCRIPTS = sorted((ROOT / "tests/fixtures/claude_code/transcripts").rglob("*.jsonl"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_every_captured_transcript_holds_a_conversation(path: Path) -> None:
    assert ClaudeCode().has_conversation(str(path))


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    projects = tmp_path / ".claude/projects/-home-dev-project"
    agent = ClaudeCode(env={"HOME": str(tmp_path)})
    assert agent.session_files("/home/dev/project") == []
    projects.mkdir(parents=True)
    for name in ("s1.jsonl", "s2.jsonl", "agent-a1.jsonl", ".jsonl", "s3.json", "memory"):
        (projects / name).write_text("")
    os.utime(projects / "s1.jsonl", (1, 1))
    found = {file.session_id: file for file in agent.session_files("/home/dev/project")}
    assert sorted(found) == ["s1", "s2"]
    assert found["s1"] == SessionFile(session_id="s1", session_ref=str(projects / "s1.jsonl"), changed=1.0)


def test_what_cannot_be_read_holds_no_conversation(tmp_path: Path) -> None:
    (tmp_path / "torn").write_bytes(b'{"type":"user","mess')
    for name in ("torn", "missing", "."):
        assert not ClaudeCode().has_conversation(str(tmp_path / name))
