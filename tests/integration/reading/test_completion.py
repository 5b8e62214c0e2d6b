"""What a shell completes, in real repositories: names with a few words, quickly, silently, and writing nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from entire import layout
from entire.cli import main
from entire.queries import candidates
from tests.forks import BIN
from tests.integration.story import Story, story  # noqa: F401

FIRST = "Add a greeting: short, please, 你好"
SECOND = "Now\nin two lines"


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    return Complete(monkeypatch, capsys)


class Complete:
    """Completes a command line as zsh asks for it: the names, with the words beside them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        self.kinds: list[str] = []

    def __call__(self, line: str, folder: Path | None = None) -> dict[str, str]:
        if folder is not None:
            self._monkeypatch.chdir(folder)
        self._monkeypatch.setenv("_ENTIRE_COMPLETE", "zsh_complete")
        self._monkeypatch.setenv("COMP_WORDS", line)
        self._monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        self._capsys.readouterr()
        assert main([]) == 0
        out, err = self._capsys.readouterr()
        assert err == ""
        lines = out.splitlines()
        assert len(lines) % 3 == 0 or lines == [""], lines
        self.kinds = lines[::3]
        return dict(zip(lines[1::3], lines[2::3], strict=True))


@pytest.fixture
def worked(story: Story) -> Story:  # noqa: F811
    """A commit with a checkpoint, and a turn after it that is not committed."""
    session = story.started()
    with session.turn(FIRST):
        session.write("a.py", "print(1)\n")
    story.commit("Greet")
    with session.turn(SECOND):
        session.write("b.py", "print(2)\n")
    story.git("branch", "feature")
    return story


def content(top: Path) -> dict[str, bytes | str]:
    paths = sorted(top.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else "" for path in paths}


# ---------------------------------------------------------------- names with words


def test_commands_and_options_with_their_summaries(complete: Complete, tmp_path: Path) -> None:
    found = complete("entire re", tmp_path)
    assert found["resume"] == "Continue the sessions behind a branch, commit or checkpoint."
    assert set(found) == {"redact", "rewind", "resume", "reset"}
    assert complete("entire plugin a") == {"allow": "Let a plugin run."}
    assert complete("entire rewind --bef")["--before-last-prompt"].startswith("Rewind to before the last prompt")


def test_no_command_is_imported_to_complete_its_name(tmp_path: Path) -> None:
    program = "import sys\nfrom entire.cli import main\nmain([])\nprint([m for m in sys.modules if 'commands.' in m])"
    env = {**os.environ, "_ENTIRE_COMPLETE": "bash_complete", "COMP_WORDS": "entire ", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "plain,enable" in done.stdout


def test_agents_are_completed_anywhere(complete: Complete, tmp_path: Path) -> None:
    found = complete("entire enable --agent ", tmp_path)
    assert found["claude-code"] == "Anthropic's coding agent for the terminal"
    assert set(complete("entire enable --agent gem")) == {"gemini"}


def test_strategies_are_completed(complete: Complete) -> None:
    assert set(complete("entire enable --strategy ")) == {"auto-commit", "manual-commit"}


def test_plugins_are_completed_and_not_started(
    complete: Complete, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    program = folder / "entire-agent-parrot"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert complete("entire plugin allow ", tmp_path)["parrot"] == f"plugin {program}"[:59] + "…"
    assert "parrot" in complete("entire enable --agent p")
    assert not (tmp_path / "started").exists()


def test_a_session_with_its_first_prompt(complete: Complete, worked: Story) -> None:
    session_id = worked.linked()["sessions"][0]["metadata"] and next(iter(worked.linked()["slots"]))
    assert complete("entire rewind --session ", worked.root) == {session_id: FIRST}
    assert complete(f"entire reset --session {session_id[:3]}") == {session_id: FIRST}
    assert complete("entire reset --session nothing") == {}


def test_a_session_that_only_a_checkpoint_knows(complete: Complete, worked: Story, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    worked.git("clone", "-q", str(worked.root), str(clone))
    session_id = next(iter(worked.linked()["slots"]))
    assert complete("entire explain --session ", clone) == {session_id: FIRST}


def test_points_with_prompt_or_subject(complete: Complete, worked: Story) -> None:
    found = complete("entire rewind --to ", worked.root)
    assert found[worked.head()] == "Greet"
    assert SECOND.replace("\n", " ") in found.values()


def test_commits_checkpoints_branches_and_sessions_of_a_target(complete: Complete, worked: Story) -> None:
    found = complete("entire explain ", worked.root)
    assert found[worked.head()[:10]] == "Greet"
    assert found[worked.ids()[0]] == "Greet"
    assert found["feature"] == "branch"
    assert not any(name.startswith("entire/") for name in found)
    assert complete(f"entire explain --commit {worked.head()[:20]}") == {worked.head()[:20]: "Greet"}


def test_a_checkpoint_of_another_branch_by_the_beginning_of_its_id(complete: Complete, worked: Story) -> None:
    checkpoint_id = worked.ids()[0]
    worked.git("checkout", "-q", "HEAD^")
    assert complete("entire explain --checkpoint ", worked.root) == {}
    assert complete(f"entire explain --checkpoint {checkpoint_id[:4]}") == {checkpoint_id: FIRST}


def test_turns_with_their_prompts_newest_first(worked: Story) -> None:
    place = layout.find(str(worked.root))
    assert place is not None
    assert [turn.about for turn in candidates.turns(place, "")] == [SECOND, FIRST]


def test_paths_are_left_to_the_shell(complete: Complete, worked: Story) -> None:
    assert complete("entire rewind --file a", worked.root) == {"a": "_"}
    assert complete.kinds == ["file"]


@pytest.mark.parametrize("line", ["why ", "blame ", "search x --file ", "story -o ", "log -- ", "log HEAD -- a "])
def test_paths_of_the_commands_that_ask_the_history(complete: Complete, worked: Story, line: str) -> None:
    complete(f"entire {line}", worked.root)
    assert complete.kinds == ["file"]


def test_both_ends_of_a_range(complete: Complete, worked: Story) -> None:
    for command in ("log", "story"):
        assert complete(f"entire {command} fea", worked.root) == {"feature": "branch"}
        assert complete(f"entire {command} main..fea") == {"main..feature": "branch"}
        assert complete(f"entire {command} main...fea") == {"main...feature": "branch"}


def test_the_filters_of_a_search(complete: Complete, worked: Story) -> None:
    session_id = next(iter(worked.linked()["slots"]))
    assert complete("entire search x --session ", worked.root) == {session_id: FIRST}
    assert set(complete("entire search x --agent gem")) == {"gemini"}
    assert set(complete("entire search x --branch fea")) == {"feature"}


# ---------------------------------------------------------------- where nothing is


LINES = ("entire rewind --to ", "entire explain ", "entire explain --session ", "entire resume ")


@pytest.mark.parametrize("line", LINES)
def test_outside_of_a_repository(complete: Complete, tmp_path: Path, line: str) -> None:
    assert complete(line, tmp_path) == {}


def test_unborn_branch_and_broken_repositories(complete: Complete, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    for line in LINES:
        assert complete(line, tmp_path / "new") == {}
    (tmp_path / "new/.git/HEAD").write_text("nonsense")
    for line in LINES:
        assert complete(line, tmp_path / "new") == {}


def test_a_broken_state_and_broken_settings(complete: Complete, worked: Story) -> None:
    (worked.root / ".git/entire-sessions/broken.json").write_text("{")
    (worked.root / ".entire/settings.json").write_text("{")
    assert worked.ids()[0] in complete("entire explain ", worked.root)
    complete("entire rewind --to ", worked.root)


def test_nothing_is_written(complete: Complete, worked: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    worked.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "No hook saw this")
    before = content(worked.root)
    for line in LINES:
        complete(line, worked.root)
    assert content(worked.root) == before


def test_an_unknown_option_has_no_completion(complete: Complete) -> None:
    assert complete("entire rewind --nonsense ") == {}


@pytest.mark.parametrize("env", [{"COMP_CWORD": "x"}, {"COMP_WORDS": "entire 'open"}, {}])
def test_a_question_that_makes_no_sense(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], env: dict[str, str]
) -> None:
    for name, value in {"_ENTIRE_COMPLETE": "zsh_complete", **env}.items():
        monkeypatch.setenv(name, value)
    assert main([]) == 1
    assert capsys.readouterr() == ("", "")


# ---------------------------------------------------------------- a real shell


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_shows_no_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shell: str
) -> None:
    monkeypatch.delenv("_ENTIRE_COMPLETE", raising=False)
    assert main(["completion", shell]) == 0
    assert " 2>/dev/null)" in capsys.readouterr().out


def test_a_description_with_commas_stays_whole_in_fish(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("_ENTIRE_COMPLETE", raising=False)
    assert main(["completion", "fish"]) == 0
    assert 'string split --max 1 "," $completion' in capsys.readouterr().out


def test_bash(worked: Story) -> None:
    script = """
        eval "$(entire completion bash)"
        COMP_WORDS=(entire explain --checkpoint "") COMP_CWORD=3
        _entire_completion entire
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=worked.root, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"})  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{worked.ids()[0]}\n", "")


def test_the_prompts_of_a_session(complete: Complete, worked: Story) -> None:
    (session_id,) = [name for name in complete("entire show ", worked.root) if len(name) == 36]
    assert complete(f"entire show {session_id[:8]}/") == {
        f"{session_id[:8]}/1": "Add a greeting: short, please, 你好", f"{session_id[:8]}/2": "Now in two lines",
    }  # fmt: skip
    assert complete("entire show /") == {}
