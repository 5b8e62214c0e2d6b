"""An id that a commit's message only quotes is not a link; a squash's are (linking.md section 1)."""

from __future__ import annotations

import pytest

from tests.integration.kept import PERSON, lines
from tests.integration.story import Session, Story


@pytest.fixture
def linked(story: Story) -> tuple[Session, str]:
    session = story.started()
    with session.turn("Make a"):
        session.write("a.txt", "a1\na2\n")
    story.commit("Add a", env=PERSON)
    (name,) = story.ids()
    return session, name


def quoting(name: str) -> str:
    return f"Fix what was wrong\n\nThe bug came with\nEntire-Checkpoint: {name}\nand is gone now.\n"


@pytest.mark.parametrize("file", ["b.txt", "a.txt"])
@pytest.mark.parametrize("hooks", [(), ("-c", "core.hooksPath=/dev/null")], ids=["hooks", "no hooks"])
def test_a_commit_that_quotes_an_id(
    story: Story, linked: tuple[Session, str], file: str, hooks: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    session, name = linked
    story.write(file, (story.read(file) if file == "a.txt" else "") + "mine\n")
    story.git("add", "-A")
    story.git(*hooks, "commit", "-q", "-m", quoting(name), env=PERSON)
    with session.turn("Look"):
        pass
    (first,) = story.checkpoint(name)["lineage"]["commits"]
    assert first["commit"] == story.git("rev-parse", "HEAD~1").strip()
    capsys.readouterr()
    assert story.entire("explain", "--commit", "HEAD") != 0 or name not in capsys.readouterr().out
    capsys.readouterr()
    assert story.entire("log", "--json") == 0
    assert capsys.readouterr().out.count(name) == 1
    assert story.log_errors() == []


def test_a_session_commits_its_own_work_with_a_quoted_id(story: Story, linked: tuple[Session, str]) -> None:
    session, name = linked
    with session.turn("Make b"):
        session.write("b.txt", "b1\n")
    story.commit(quoting(name), env=PERSON)
    quoted, new = story.ids()
    assert quoted == name
    assert lines(story.checkpoint(new)["slots"][session.id]) == (1, 0, 0, 0, 1)
    assert len(story.checkpoint(name)["lineage"]["commits"]) == 1


@pytest.mark.parametrize("way", ["merge --squash", "forge"])
def test_a_squash_has_content_of_what_its_body_names(
    story: Story, linked: tuple[Session, str], way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    session, name = linked
    with session.turn("Make b"):
        session.write("b.txt", "b1\n")
    story.commit("Add b", env=PERSON)
    (second,) = story.ids()
    tip = story.head()
    story.git("checkout", "-q", "-b", "squashed", "HEAD~2")
    story.git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--squash", tip)
    message = ["--no-edit"]
    if way == "forge":
        text = f"Both (#1)\n\n* Add a\n\nEntire-Checkpoint: {name}\n\n* Add b\n\nEntire-Checkpoint: {second}\n\n---\n"
        message = ["-m", text + "\nCo-authored-by: Bo <bo@example.com>"]
    story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", *message)
    capsys.readouterr()
    assert story.entire("explain", "--commit", "HEAD", "--json") == 0
    out = capsys.readouterr().out
    assert name in out
    assert second in out
