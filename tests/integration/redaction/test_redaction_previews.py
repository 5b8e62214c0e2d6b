"""``entire redact``: what would be replaced, by which rule, with nothing unmasked and nothing written."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from entire.model.redaction_previews import PreviewRequest
from entire.queries import redaction_previews
from entire.redact import Redactor
from entire.workspace.rules import Rules
from entire_secrets.own_rules import value_hash
from entire_secrets.rules.table import BY_ID
from tests.integration import secrets
from tests.integration.commandline import Command
from tests.integration.secrets import TOKEN
from tests.integration.story import Story

HASH = value_hash(TOKEN.encode())


@pytest.fixture
def command(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys, "redact")


def everything(story: Story) -> dict[str, bytes]:
    folders = (story.root / ".git", story.root / ".entire")
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_a_file_is_tried_and_nothing_is_written(command: Command) -> None:
    story = command.story
    story.write("notes.txt", f"first\nuse {TOKEN}\n")
    before = everything(story)
    text = command("--test", "notes.txt", status=0)
    assert f"notes.txt:2  github-token  ghp_… (40 characters)  {HASH}" in text
    assert "1 value would be replaced in 1 file." in text
    value = json.loads(command("--test", "notes.txt", "--json", status=0))
    assert value["hits"] == [{"file": "notes.txt", "line": 2, "record": 0, "rule": "github-token",
                              "mask": "ghp_… (40 characters)", "hash": HASH}]  # fmt: skip
    assert TOKEN[5:20] not in text + json.dumps(value)
    assert everything(story) == before


def test_check_fails_if_something_is_found(command: Command) -> None:
    command.story.write("a.txt", "clean\n")
    command.story.write("b.txt", f"{TOKEN}\n")
    assert (
        command("--check", "--test", "a.txt", status=0) == "Nothing would be replaced in 1 file. Nothing was changed.\n"
    )
    assert "b.txt:1" in command("--check", "a.txt", "b.txt", status=1)  # as pre-commit gives files
    assert "b.txt:1" in command("--test", "a.txt", "--test", "b.txt", status=0)


def test_standard_input_and_a_folder_without_a_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from entire.cli import main

    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f'{{"a": 1}}\n{{"b": "{TOKEN}"}}\n'.encode())))
    assert main(["redact", "--test", "-", "--json"]) == 0
    (hit,) = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["file"], hit["line"], hit["record"], hit["hash"]) == ("-", 2, 2, HASH)
    assert main(["redact", "--session", "x"]) == 3
    assert main(["redact", "--rules", "--no-pager"]) == 0
    assert "github-token" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "missing", "link to a device"])
def test_what_is_no_regular_file_is_refused(command: Command, kind: str) -> None:
    path = command.story.path("odd")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    name = "/dev/zero" if kind == "device" else "odd"
    command.story.write("b.txt", f"{TOKEN}\n")
    text = command("--test", name, "b.txt", status=2)
    assert f"Could not be read: {name} (" in text
    assert "b.txt:1" in text
    assert "replaced" not in command("--test", name, status=2)


def test_the_repository_rules_and_exceptions_apply(command: Command) -> None:
    story = command.story
    story.write("notes.txt", f"use {TOKEN} and acme_0123456789ab\n")
    rule = '[[rule]]\nid = "acme-token"\npattern = "acme_[a-z0-9]{12}"\nexample = "acme_abcdef012345"\n'
    story.write(".entire/redact.toml", f'{rule}[allow]\nvalues = ["{HASH}"]\n')
    (hit,) = json.loads(command("--test", "notes.txt", "--json", status=0))["hits"]
    assert hit["rule"] == "acme-token"
    assert "acme-token" in command("--rules", "--no-pager", status=0)
    story.write(".entire/redact.toml", f"{rule}[allow]\nvalue = []\n")
    text = command("--test", "notes.txt", status=2)  # a broken file, whose rest applies
    assert "redact.toml: `allow.value` is not known" in text
    assert "acme-token" in text


def test_a_session_is_tried_in_the_agents_own_transcript(command: Command) -> None:
    session = command.story.started()
    session.prompt(f"use {TOKEN}")
    text = command("--session", session.id[:8], status=0)
    assert f"record 1  github-token  ghp_… (40 characters)  {HASH}" in text
    assert "the agent's own" in text
    assert not secrets.files_with(command.story, TOKEN)
    value = json.loads(command("--session", session.id, "--json", "--check", status=1))
    assert (value["session"], value["source"], value["hits"][0]["record"]) == (session.id, "agent", 1)


def test_a_session_whose_transcript_is_gone_is_tried_as_it_is_stored(command: Command) -> None:
    story = command.story
    session = story.started()
    session.prompt(f"use {TOKEN}")
    session.write("a.py", "1\n")
    session.stop()
    session.file.unlink()
    value = json.loads(command("--session", session.id, "--json", status=0))
    assert (value["source"], value["hits"]) == ("step", [])
    assert value["size"] > 0
    story.commit("Add a")
    for state in (story.root / ".git/entire-sessions").iterdir():
        state.unlink()  # as in another clone
    assert json.loads(command("--session", session.id, "--json", status=0))["source"] == "checkpoint"


def test_what_a_session_remembers_is_found_in_a_file(command: Command) -> None:
    story = command.story
    session = story.started()
    session.prompt("the password = 'k7Rw9pQ2zX4v'")
    session.write("a.py", "1\n")
    session.stop()
    story.write("notes.txt", "only k7Rw9pQ2zX4v\n")
    before = everything(story)
    assert "notes.txt:1" in command("--test", "notes.txt", status=0)
    assert everything(story) == before


@pytest.mark.parametrize(
    "words", [[], ["a.txt"], ["--test", "a", "--session", "b"], ["--rules", "--test", "a"], ["--session", "none"]]
)
def test_what_is_not_understood(command: Command, words: list[str]) -> None:
    command(*words, status=2)
    assert command.err


def test_every_rule_is_listed_once(story: Story) -> None:
    found = Rules.find(story.root).listing()
    names = [rule.id for rule in found]
    assert len(names) == len(set(names))
    assert set(BY_ID) < set(names)
    assert {rule.kind for rule in found} == {"provider", "place", "name", "opinion", "personal"}
    story.write("notes.txt", TOKEN)
    name = str(story.path("notes.txt"))
    seen: list[tuple[int, int]] = []
    view = Rules.find(story.root).test(PreviewRequest(files=(name,)), lambda done, total: seen.append((done, total)))
    assert (view, seen[-1]) == (redaction_previews.of_files(Redactor(), [name], lambda *_: None), (40, 40))
