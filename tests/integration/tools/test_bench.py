"""The benchmarks run, and measure work that was really done. No figure is judged: a test must not need a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import results, rows
from bench.agents import CLAUDE_CODE, GEMINI_CLI, PYTHON_PLUGIN, SHELL_PLUGIN, Agent
from bench.play import Session
from bench.processes import Programs, count_git
from bench.worlds import Kind, World

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent


def result(value: float, budget: float, *, at_least: bool = False) -> results.Result:
    return results.Result("row", "what", "git 1 ms", "2 ms", value, budget, "+ {} P", 3, at_least=at_least)


def test_the_program_measures_a_row_and_prints_json() -> None:
    command = [sys.executable, "-m", "bench", "--json", "--repeat", "1", "--bin", str(BIN), "start"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["p_ms"] > 0
    assert [row["row"] for row in found["rows"]] == ["start"]
    assert found["rows"][0]["value"] > 0


def test_a_played_turn_is_saved_and_its_commit_linked(tmp_path: Path) -> None:
    world = World(tmp_path / "world", Programs(BIN, tmp_path / "home"))
    world.fill(Kind("tiny", files=3))
    session = Session(world, history=20_000)
    trace = tmp_path / "trace.json"
    began = session.prompt(peak=True)
    session.work(10_000)
    session.stop(session.finish(), env={"GIT_TRACE2_EVENT": str(trace)})
    assert began.peak > 1_000_000
    assert count_git(trace) >= 1
    head = world.git("rev-parse", "HEAD")
    world.plain_commit(1)
    assert world.git("rev-parse", "HEAD") == head, "the floor leaves nothing behind"
    world.git("add", "-A")
    world.commit("turn")
    assert world.linked()
    world.multiply_sessions(session.id, 5)
    world.multiply_checkpoints(5)
    assert len(world.git("log", "--format=%H", "main").split()) == 8
    assert world.git("status", "--porcelain") == ""
    assert world.complaints() == []


def test_the_end_of_a_turn_with_its_commit_is_measured(tmp_path: Path) -> None:
    """The row fails if the turn is not committed, or the floor leaves something behind."""
    run = rows.Run(Programs(BIN, tmp_path / "home"), tmp_path / "worlds", repeat=1)
    (found,) = rows._turn_commits(run, Kind("tiny", files=3))
    assert (found.row, found.floor.startswith("status ")) == ("turn-end-commit@tiny", True)
    assert found.git is not None
    assert found.git > 10


@pytest.mark.parametrize("agent", [CLAUDE_CODE, GEMINI_CLI], ids=lambda agent: str(agent.name))
def test_every_agent_commits_in_its_turn_and_its_transcript_is_read(tmp_path: Path, agent: Agent) -> None:
    world = World(tmp_path / "world", Programs(BIN, tmp_path / "home"), agent)
    world.fill(Kind("tiny", files=3))
    session = Session(world, history=20_000)
    session.prompt()
    session.work(10_000)
    with pytest.raises(RuntimeError, match="not linked"):
        world.linked()
    assert session.commit("by the agent") > 0
    session.stop(session.finish())
    value = json.loads(world.entire("explain", "HEAD", "--json").output)
    (part,) = [part for checkpoint in value["checkpoints"] for part in checkpoint["parts"]]
    assert (part["session_id"], part["files"]) == (session.id, ["d0/f0.txt", "work/new1.py"])
    assert [prompt["text"].partition(":")[0] for prompt in part["prompts"]] == ["Prompt 1"]
    assert part["tokens"]["output_tokens"] > 0
    session.end()
    assert world.complaints() == []


@pytest.mark.parametrize("agent", [SHELL_PLUGIN, PYTHON_PLUGIN], ids=lambda agent: str(agent.name))
def test_a_plugins_own_calls_are_repeated_without_entire(tmp_path: Path, agent: Agent) -> None:
    world = World(tmp_path / "world", Programs(BIN, tmp_path / "home"), agent)
    world.fill(Kind("tiny", files=3))
    session = Session(world, history=20_000)
    session.prompt()
    asked = [words[0] for words in session.calls()]
    assert asked[0] == "parse-hook"
    assert len(asked) == (3 if agent is PYTHON_PLUGIN else 2), asked  # one that tells records is asked for them too
    assert session.repeat_calls() > 0
    assert [words[0] for words in session.calls()] == asked, "what is repeated here counted as the hook's"
    session.work(10_000)
    session.stop(session.finish())
    assert [words[0] for words in session.calls()] in (
        ["parse-hook", "entire-records", "entire-ask"],
        ["parse-hook", "extract-modified-files", "extract-prompts", "extract-summary", "calculate-tokens"],
    )
    assert session.repeat_calls() > 0
    world.git("add", "-A")
    world.commit("turn")
    value = json.loads(world.entire("explain", "HEAD", "--json").output)
    (part,) = [part for checkpoint in value["checkpoints"] for part in checkpoint["parts"]]
    assert (part["session_id"], part["files"]) == (session.id, ["d0/f0.txt", "work/new1.py"])
    assert part["tokens"]["output_tokens"] > 0
    assert world.complaints() == []


def test_every_agent_has_rows() -> None:
    names = {name for group, _ in rows.groups() for name in group}
    assert {"turn-start@gemini", "turn-end@gemini", "commit@gemini", "agent-commit@gemini"} <= names
    assert {"turn-end@long", "turn-end@gemini-long"} <= names
    assert {"turn-start@plugin", "turn-end@plugin-long", "commit@plugin-python"} <= names


def test_a_budget_is_kept_or_not() -> None:
    assert result(2.0, 3.0).ok
    assert not result(3.1, 3.0).ok
    assert result(51.0, 50.0, at_least=True).ok
    table = results.table([result(3.14159, 3.0)])
    assert "+ 3.14 P" in table
    assert "<= + 3 P" in table
    assert "OVER" in table
    assert "- 1.5 P" in results.table([result(-1.5, 3.0)])
    assert "| what | git 1 ms | 2 ms | + 2 P | <= + 3 P | 3 | ok |" in results.markdown([result(2.0, 3.0)])
