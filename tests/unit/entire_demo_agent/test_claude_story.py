"""The demo's turn with Claude Code: where it is offered, and how a run's end is judged. A script plays the agent."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from entire_demo_agent import claude_story
from entire_demo_agent.stage import Failed, Stage, Teller

ROOT = Path(__file__).resolve().parents[3]
AGENT = """#!{python}
import json, os, sys
with open("seen.json", "w") as file:
    json.dump({{"argv": sys.argv[1:], "home": os.environ["HOME"], "url": os.environ["ANTHROPIC_BASE_URL"]}}, file)
sys.stderr.write("no luck today")
print(json.dumps({{"result": {answer!r}}}))
sys.exit({status})
"""


def offer(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str = claude_story.ANSWER, status: int = 0) -> Path:
    """Make a program that stands in for the agent and have it found."""
    package = folder / "agents" / "node_modules" / "@anthropic-ai" / "claude-code"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"bin": {"claude": "agent"}}')
    program = package / "agent"
    program.write_text(AGENT.format(python=sys.executable, answer=answer, status=status))
    program.chmod(0o755)
    monkeypatch.setenv("ENTIRE_E2E_AGENTS", str(folder / "agents"))
    monkeypatch.setattr(claude_story, "__file__", str(ROOT / "src" / "entire" / "demo" / "claude_story.py"))
    return program


def play(folder: Path) -> tuple[Stage, str]:
    """Play the turn; returns the stage and what was told."""
    source = claude_story.find()
    assert source is not None
    out = io.StringIO()
    teller = Teller(out)
    (folder / "stage").mkdir()
    stage = Stage(folder / "stage", teller)
    try:
        claude_story.play(source, teller, stage)
    finally:
        assert json.loads((stage.repository / "seen.json").read_text())["argv"][:2] == ["-p", claude_story.PROMPT]
    return stage, out.getvalue()


def test_it_is_not_offered_where_the_agent_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = offer(tmp_path, monkeypatch)
    assert claude_story.find() is not None
    program.unlink()
    assert claude_story.find() is None


def test_it_is_not_offered_without_the_source_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(tmp_path, monkeypatch)
    assert claude_story.find() is not None
    monkeypatch.setattr(claude_story, "__file__", str(tmp_path / "lib" / "entire" / "demo" / "claude_story.py"))
    assert claude_story.find() is None


def test_the_agent_that_was_named_is_found_and_the_path_grows_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = offer(tmp_path, monkeypatch)
    folder = str(ROOT / "tests" / "e2e")
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != folder])
    for _ in range(2):
        source = claude_story.find()
        assert source is not None
        assert source.program == program
        assert source.driver.__name__ == "claude"
    assert sys.path.count(folder) == 1


def test_the_turn_is_told_as_it_would_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(tmp_path, monkeypatch)
    stage, told = play(tmp_path)
    assert f'claude -p "{claude_story.PROMPT}"' in told
    assert told.index(claude_story.PROMPT) < told.index(claude_story.ANSWER)
    seen = json.loads((stage.repository / "seen.json").read_text())
    assert seen["home"] == str(stage.home)
    assert seen["url"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(("answer", "status"), [("Something else.", 0), (claude_story.ANSWER, 1)])
def test_a_run_that_went_otherwise_fails_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    offer(tmp_path, monkeypatch, answer, status)
    with pytest.raises(Failed, match="no luck today"):
        play(tmp_path)
