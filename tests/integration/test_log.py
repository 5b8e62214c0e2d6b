"""``entire log``: one row per commit, from real commits, merges and sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import golden
from tests.integration.commandline import Repo
from tests.integration.story import Story


@pytest.fixture
def repo(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    monkeypatch.chdir(story.root)
    return Repo(story.root, capsys)


def rows(repo: Repo, *args: str) -> list[dict[str, Any]]:
    found = repo.json("log", *args)
    assert isinstance(found, list)
    return found


def test_a_row_says_what_the_session_did(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("add a greeting"):
        session.write("hello.py", "print('hi')\nprint('there')\n")
    first = story.commit("Add greeting")
    with session.turn("make it louder"):
        session.edit("hello.py", "hi", "HI")
    second = story.commit("Shout")
    newest, older, *rest = rows(repo)
    assert (newest["oid"], newest["prompt"], newest["subject"]) == (second, "make it louder", "Shout")
    assert (newest["files"], newest["added"], newest["removed"]) == (1, 1, 1)
    assert (older["oid"], older["prompt"]) == (first, "add a greeting")
    assert (older["files"], older["added"], older["removed"]) == (1, 2, 0)
    assert older["agents"] == ["Claude Code"]
    assert older["session_ids"] == [session.id]
    assert older["checkpoint_ids"] == list(story.ids(first))
    assert older["author"] == "Ada Tester"
    assert older["tokens"]["output_tokens"] == 20
    assert [row["subject"] for row in rest] == ["Enable entire", "init"]
    lines = repo.ok("log").splitlines()
    assert [line.split()[0] for line in lines] == [row["oid"][:7] for row in rows(repo)]
    assert lines[1].endswith(
        f"Claude Code  Ada Tester      1 file        +2 -0     23 tok  {story.ids(first)[0]}  add a greeting"
    )


def test_the_first_prompt_of_the_commits_own_part(story: Story, repo: Repo) -> None:
    session = story.started()
    for name in ("a", "b", "c"):
        with session.turn(f"write {name}"):
            session.write(f"{name}.py", f"{name} = 1\n")
        if name != "b":
            story.commit(f"Commit {name}")
    assert [row["prompt"] for row in rows(repo)[:2]] == ["write b", "write a"]


@pytest.mark.parametrize("stage", golden.STAGES)
def test_golden_worlds_have_a_row_for_each_commit(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for top in golden.repositories(golden.unpack(stage, tmp_path)):
        monkeypatch.chdir(top)
        repo = Repo(top, capsys)
        before = repo.files()
        found = rows(repo)
        assert [row["oid"] for row in found] == repo.git("log", "--format=%H").split()
        for row in found:
            named = repo.git("log", "-1", "--format=%B", row["oid"]).count("Entire-Checkpoint:")
            assert len(row["checkpoint_ids"]) == named
            assert bool(row["prompt"]) <= bool(row["session_ids"])
        assert len(repo.ok("log").splitlines()) == len(found)
        assert repo.files() == before


def test_json_is_one_list_with_a_row_per_line(repo: Repo) -> None:
    text = repo.ok("log", "--json")
    first, *middle, last = text.splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(line.rstrip(","))["subject"] for line in middle] == ["Enable entire", "init"]
