"""The message, name and signature of the commit of a turn, under the user's own settings."""

from __future__ import annotations

import subprocess

import pytest

from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import left_behind, message, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session


def play(session: Session, text: str = "one") -> None:
    with session.turn(text):
        session.write("a.txt", "a\n")


@pytest.mark.parametrize(
    ("prompt", "subject"),
    [
        ("# heading\n\nmore", "# heading more"),
        ("", "Agent step"),
        ("   \n\t ", "Agent step"),
        ("x" * 100_000, "X" + "x" * 68 + "..."),
        ("one\ntwo\r\nthree", "One two three"),
        ("a\x00b\x1b[31mred\x07", "A b [31mred"),
        ("hi \ud83d lone", None),
        ("Entire-Checkpoint: 0123456789ab", "Agent step"),
        ("Signed-off-by: A <a@b>", "Agent step"),
        ("grüße 🎉", "Grüße 🎉"),
        ("fixup! Enable entire", None),
        ("tree 123\nparent 456", "Tree 123 parent 456"),
    ],
)
def test_a_prompt_as_a_message(story: Story, session: Session, prompt: str, subject: str | None) -> None:
    play(session, prompt)
    assert uncommitted(session) == ""
    ids = story.ids()
    assert len(ids) == 1, ids
    if subject is not None:
        assert message(story) == f"{subject}\n\nEntire-Checkpoint: {ids[0]}"
    assert story.linked()["files_touched"] == ["a.txt"]


@pytest.mark.parametrize(
    "config",
    [
        {"commit.template": "/no/such/template"},
        {"core.editor": "false"},
        {"commit.cleanup": "strip"},
        {"commit.cleanup": "verbatim"},
        {"commit.cleanup": "scissors"},
        {"i18n.commitEncoding": "ISO-8859-1"},
        {"core.commentChar": "o"},
        {"core.commentChar": "auto"},
        {"trailer.separators": "#", "trailer.ifexists": "replace", "trailer.where": "start"},
        {"commit.verbose": "true"},
        {"core.splitIndex": "true"},
        {"index.version": "4"},
        {"core.untrackedCache": "true"},
        {"core.logAllRefUpdates": "false"},
        {"core.autocrlf": "true"},
        {"core.autocrlf": "input", "core.safecrlf": "true"},
        {"core.quotePath": "true", "core.fileMode": "false"},
        {"feature.manyFiles": "true"},
        {"color.ui": "always"},
        {"format.pretty": "fuller", "log.showSignature": "true"},
        {"diff.noprefix": "true", "diff.external": "false"},
        {"status.showUntrackedFiles": "no"},
    ],
    ids=str,
)
def test_the_users_settings(story: Story, session: Session, config: dict[str, str]) -> None:
    for name, value in config.items():
        story.git("config", name, value)
    with session.turn("grüße"):
        session.write("a.txt", "a\n")
        session.write("README.md", "start\nmore\n")
    assert uncommitted(session) == ""
    (checkpoint,) = story.ids()
    raw = subprocess.run(
        ["git", "-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%B"],
        cwd=story.root,
        capture_output=True,
        check=True,
    ).stdout
    assert raw.decode().rstrip() == f"Grüße\n\nEntire-Checkpoint: {checkpoint}"
    assert sorted(turn_commits.committed(story)) == ["README.md", "a.txt"]
    assert story.git("status", "--porcelain", "--untracked-files=all") == ""
    assert story.linked()["files_touched"] == ["README.md", "a.txt"]
    assert left_behind(story) == []


def test_the_name_in_the_environment(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", f"Env {who}")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", f"{who}@example.com")
        monkeypatch.setenv(f"GIT_{who}_DATE", "2020-01-02T03:04:05+0000")
    play(session)
    assert story.git("log", "-1", "--format=%an %ae %cn %ce").strip() == (
        "Env AUTHOR AUTHOR@example.com Env COMMITTER COMMITTER@example.com"
    )
    assert story.git("log", "-1", "--format=%aI %cI").strip() == "2020-01-02T03:04:05+00:00 2020-01-02T03:04:05+00:00"


def test_settings_in_the_environment(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "From Environment")
    play(session)
    assert story.git("log", "-1", "--format=%an").strip() == "From Environment"


def test_without_an_identity(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    story.git("config", "user.useConfigOnly", "true")
    play(session)
    assert subjects(story)[0] == "Enable entire"
    assert "user.name" in uncommitted(session)
    story.git("config", "user.name", "Ada")
    story.git("config", "user.email", "ada@example.com")
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert subjects(story)[0] == "Two"
    assert turn_commits.committed(story) == ["a.txt", "b.txt"]
