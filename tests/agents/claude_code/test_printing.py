"""Claude Code's own program as the writer of summaries: what it is started with, and what its answers mean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.errors import EntireError

RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Greets people."}
NOT_LOGGED_IN = {**RESULT, "is_error": True, "result": "Not logged in · Please run /login"}  # observed


class Program:
    """A ``claude`` on a PATH of its own, which notes how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}

    def answers(self, document: object, *, status: int = 0, stderr: str = "") -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        (self.folder / "answer").write_text(text)
        script = f"""#!/bin/sh
cd_was=$(pwd)
cat > {self.folder}/stdin
for word; do printf '%s\\n' "$word"; done > {self.folder}/argv
env > {self.folder}/env
echo "$cd_was" > {self.folder}/cwd; ls -A > {self.folder}/beside
cat {self.folder}/answer
printf '%s' '{stderr}' >&2
exit {status}
"""
        path = self.folder / "claude"
        path.write_text(script)
        path.chmod(0o755)

    def ask(self, prompt: str = "Summarize", model: str = "", **env: str) -> str:
        return ClaudeCode(env={**self.env, **env}).generate_text(prompt, model)

    def noted(self, name: str) -> list[str]:
        return (self.folder / name).read_text().splitlines()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    folder = tmp_path / "bin"
    folder.mkdir()
    made = Program(folder)
    made.answers(RESULT)
    return made


def test_it_prints_without_tools_session_or_hooks(program: Program) -> None:
    assert program.ask("Summarize\nthis", "small") == "Greets people."
    assert program.noted("stdin") == ["Summarize", "this"]
    argv = program.noted("argv")
    assert argv[argv.index("--tools") + 1] == ""
    assert {"--print", "--no-session-persistence", "--strict-mcp-config"} <= set(argv)
    assert json.loads(argv[argv.index("--settings") + 1]) == {"disableAllHooks": True}
    assert argv[argv.index("--setting-sources") + 1] == "user"
    assert argv[-2:] == ["--model", "small"]
    program.ask()
    assert "--model" not in program.noted("argv"), "the choice is the agent's"


def test_it_starts_in_an_empty_folder_that_is_gone_afterwards(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program.ask()
    (folder,) = program.noted("cwd")
    assert program.noted("beside") == []
    assert not Path(folder).exists()
    assert Path.cwd() == tmp_path


def test_a_session_that_asks_for_it_is_not_continued(program: Program) -> None:
    """Claude Code refuses to start in a session of its own, and git's variables would name the user's repository."""
    program.ask(CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="x", GIT_DIR="/nowhere", ANTHROPIC_API_KEY="key")
    names = {line.partition("=")[0] for line in program.noted("env")}
    assert not names & {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "GIT_DIR"}
    assert "ANTHROPIC_API_KEY" in names


def test_a_relative_entry_of_the_path_supplies_no_program(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.folder.parent)
    with pytest.raises(EntireError, match="claude is not on the PATH"):
        program.ask(PATH=f"bin{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("document", "status", "stderr", "said", "hint"),
    [
        (NOT_LOGGED_IN, 1, "", "gave no answer: Not logged in · Please run /login", "log in with /login"),
        ({**RESULT, "is_error": True, "result": "API Error: 500"}, 0, "", "gave no answer: API Error: 500", ""),
        ({**RESULT, "result": ""}, 0, "", "answered nothing", ""),
        ({**RESULT, "result": None}, 0, "", "answered nothing", ""),
        ({"type": "result", "subtype": "error_max_turns", "is_error": True}, 1, "", "exit status 1", ""),
        ("", 1, "error: unknown option --tools", "unknown option --tools", ""),
        ("[1]", 0, "", "gave no answer: exit status 0", ""),
        ("no JSON", 0, "", "gave no answer: exit status 0", ""),
        (RESULT, 3, "", "gave no answer: Greets people.", ""),
    ],
)
def test_no_answer_is_an_error(program: Program, document: Any, status: int, stderr: str, said: str, hint: str) -> None:
    program.answers(document, status=status, stderr=stderr)
    with pytest.raises(EntireError) as caught:
        program.ask()
    assert said in caught.value.message
    assert (hint in caught.value.hint) if hint else caught.value.hint == ""


def test_without_the_program(tmp_path: Path) -> None:
    agent = ClaudeCode(env={"PATH": str(tmp_path)})
    assert agent.text_problem() == "claude is not on the PATH"
    with pytest.raises(EntireError, match="Claude Code cannot be asked: claude is not on the PATH") as caught:
        agent.generate_text("Summarize", "")
    assert "install Claude Code" in caught.value.hint
    assert ClaudeCode(env={"PATH": os.pathsep}).text_problem()


def test_with_the_program_there_is_no_problem(program: Program) -> None:
    assert ClaudeCode(env=program.env).text_problem() == ""
