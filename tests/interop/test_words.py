"""Words that scripts of the Go CLI rely on."""

from __future__ import annotations

import json

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.cli import main
from tests.integration.story import Session, Story


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_EDITOR", raising=False)


@pytest.fixture
def session(story: Story) -> Session:
    session = story.started()
    with session.turn("Make a"):
        session.write("a.txt", "a\n")
    return session


def test_the_first_line_of_status(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert story.entire("status") == 0
    assert capsys.readouterr().out.splitlines()[-1:] != []
    for command, line in (("disable", "Disabled (manual-commit)"), ("enable", "Enabled (manual-commit)")):
        assert story.entire(command, *(["--agent", "claude-code"] if command == "enable" else [])) == 0
        capsys.readouterr()
        assert story.entire("status") == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == line
        assert any("disabled" in text for text in lines) == (command == "disable")


@pytest.mark.parametrize(
    "words",
    [
        "HEAD --commit HEAD",
        "--commit HEAD --checkpoint abc",
        "--session x --commit HEAD",
        "--session x -c abc",
        "x -c y",
    ],
)
def test_several_selectors(story: Story, capsys: pytest.CaptureFixture[str], words: str) -> None:
    assert story.entire("explain", *words.split()) == 2
    assert "cannot specify multiple" in capsys.readouterr().err


def test_an_unknown_session_has_no_checkpoints(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    story.commit("a")
    capsys.readouterr()
    assert story.entire("explain", "--session", "unknown") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["Branch: main", "Checkpoints: 0", "Filtered by session: unknown"]
    assert story.entire("explain", "--session", "unknown", "--json") == 0
    assert json.loads(capsys.readouterr().out)["total"] == 0
    assert story.entire("explain", "--session", session.id[:8]) == 0
    assert "Checkpoints: 1" in capsys.readouterr().out
    assert story.entire("explain", "unknown") == 1  # a target must exist


def matchers(story: Story) -> list[str]:
    hooks = json.loads(story.read(".claude/settings.json"))["hooks"]["PostToolUse"]
    return [group["matcher"] for group in hooks for hook in group["hooks"] if hook["command"].startswith("entire ")]


def test_todo_write_has_an_entry_of_its_own(story: Story) -> None:
    wanted = ["Task", "TodoWrite", "TaskCreate|TaskUpdate"]
    assert matchers(story) == wanted
    value = json.loads(story.read(".claude/settings.json"))
    command = value["hooks"]["PostToolUse"].pop()["hooks"][0]
    value["hooks"]["PostToolUse"][1]["matcher"] = "TodoWrite|TaskCreate|TaskUpdate"  # as an earlier version wrote it
    own = {"matcher": "TodoWrite", "hooks": [{"type": "command", "command": "mine"}, command]}
    value["hooks"]["PostToolUse"].append(own)
    story.write(".claude/settings.json", json.dumps(value))
    assert story.entire("enable", "--agent", "claude-code") == 0
    assert matchers(story) == wanted
    assert "mine" in story.read(".claude/settings.json")
    before = story.read(".claude/settings.json")
    assert story.entire("enable", "--agent", "claude-code") == 0
    assert story.read(".claude/settings.json") == before


@pytest.mark.parametrize("name", ["prepare-commit-msg", "commit-msg", "post-commit", "pre-push"])
def test_each_git_hook_leaves_a_line_in_a_log_of_every_detail(
    story: Story, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    args = {"prepare-commit-msg": [".git/MESSAGE", "message"], "commit-msg": [".git/MESSAGE"], "pre-push": ["origin"]}
    story.write(".git/MESSAGE", "words\n")
    monkeypatch.chdir(story.root)
    log = story.path(".git/entire/logs/entire.log")

    def lines(level: str) -> list[str]:
        log.unlink(missing_ok=True)
        monkeypatch.setenv("ENTIRE_LOG_LEVEL", level)
        assert main(["hooks", "git", name, *args.get(name, [])]) == 0
        found = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [entry["hook"] for entry in found if entry["msg"] == "hook called"]

    assert lines("debug") == [name]
    assert lines("info") == []


def prepared(story: Story, message: str, source: str) -> str:
    """Call prepare-commit-msg as a program does that is not git; return the message."""
    story.git("add", "-A")
    story.write(".git/MESSAGE", message)
    story.git("-c", "alias.call=!entire", "call", "hooks", "git", "prepare-commit-msg", ".git/MESSAGE", source)
    return story.read(".git/MESSAGE")


def test_no_comment_gets_into_a_message_that_is_given(story: Story, session: Session) -> None:
    """Its own lines that begin with # are text, which git keeps where no editor is used."""
    text = prepared(story, "Add a\n\n# a heading\ntext\n# the end\n", "message")
    *lines, trailer = text.splitlines()
    assert lines == ["Add a", "", "# a heading", "text", "# the end", ""]
    assert trailer.startswith("Entire-Checkpoint: ")


def test_an_editor_still_shows_the_comments(story: Story, session: Session) -> None:
    text = prepared(story, "\n# Please enter the commit message for your changes.\n#\n# On branch main\n", "")
    assert "Entire-Checkpoint: " in text
    assert "# Last prompt: Make a" in text


@pytest.mark.parametrize("option", ["-e", "--edit"])
def test_a_given_message_that_is_edited_keeps_its_link(story: Story, session: Session, option: str) -> None:
    story.git("config", "commit.verbose", "true")
    story.git("add", "-A")
    story.git("config", "core.editor", "cp .git/COMMIT_EDITMSG .git/shown; true")
    story.git("commit", "-q", "-m", "Add a", option)
    (checkpoint_id,) = story.ids()
    shown = story.read(".git/shown")
    assert shown.index(checkpoint_id) < shown.index(">8")
    assert story.git("log", "-1", "--format=%B").split() == ["Add", "a", "Entire-Checkpoint:", checkpoint_id]


def test_a_message_on_the_command_line_has_no_comments(story: Story, session: Session) -> None:
    story.commit("# Not a comment")
    (checkpoint_id,) = story.ids()
    assert story.git("log", "-1", "--format=%B").split("\n")[:3] == [
        "# Not a comment", "", f"Entire-Checkpoint: {checkpoint_id}"
    ]  # fmt: skip


def test_all_branches_are_searched_on_request(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    story.git("switch", "-q", "-c", "other")
    story.commit("Add a")
    story.git("switch", "-q", "-")
    capsys.readouterr()
    assert story.entire("explain", "--search-all", "--no-pager") == 0
    assert "Make a" in capsys.readouterr().out
    assert story.entire("explain", "--no-pager") == 0
    assert "Make a" not in capsys.readouterr().out


def test_a_summary_is_asked_for_by_commit_or_checkpoint(
    story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ClaudeCode, "text_problem", lambda _: "claude is not on the PATH")
    session = story.started()
    session.prompt("Create a.txt")
    session.write("a.txt", "1\n")
    session.stop()
    story.commit("Add a")
    (checkpoint_id,) = story.ids()
    capsys.readouterr()
    for words in (["--checkpoint", checkpoint_id], ["--commit", "HEAD", "--force"]):
        assert story.entire("explain", "--generate", *words) == 1
        assert capsys.readouterr().err.startswith(
            "entire: no agent here can write summaries (Claude Code: claude is not on the PATH)\n"
        )
