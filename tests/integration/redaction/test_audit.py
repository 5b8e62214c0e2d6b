"""``entire audit``: what is stored is scanned with today's rules, and no answer holds a secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire import contents, files, layout
from entire.audit import own_files, record, remotes
from entire.errors import EntireError
from entire.redact import Redactor
from entire_secrets import streams
from entire_secrets.text import Finding
from tests.integration import secrets
from tests.integration.commandline import Command
from tests.integration.secrets import TOKEN
from tests.integration.story import Story

REVEALED = "a secret was found that an earlier checkpoint may hold: run `entire audit`"
OLD = "70/405949a16f/0/full.jsonl"
LINE = json.dumps({"type": "user", "message": {"content": f'use {TOKEN} "please"'}}) + "\n"


@pytest.fixture
def audit(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    secrets.with_tulip(story)
    return Command(story, capsys, "audit")


def test_nothing_is_found_where_nothing_is(audit: Command) -> None:
    assert audit(status=0).startswith("No secret found in ")


def test_a_secret_is_masked_and_told_with_its_checkpoint_commit_and_session(audit: Command) -> None:
    commit = secrets.put(audit.story, OLD, LINE, "Checkpoint: x\n\nEntire-Session: s-1\n")
    text = audit(status=1)
    value = json.loads(audit("--json", status=1))
    (found,) = value["secrets"]
    (place,) = found["places"]
    assert (found["rule"], found["mask"]) == ("github-token", "ghp_… (40 characters)")
    assert (place["checkpoint"], place["session"], place["path"], place["commit"]) == (
        "70405949a16f", "s-1", OLD, commit)  # fmt: skip
    assert found["digest"] in text
    assert "checkpoint 70405949a16f 0/full.jsonl" in text
    assert TOKEN[4:20] not in text + json.dumps(value)
    assert not secrets.files_with(audit.story, TOKEN)  # and none is remembered


def test_what_a_session_revealed_since_is_found_where_it_stood_bare(
    audit: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """When it was stored, nothing told that it is a secret; what a session redacts now is not a secret to the audit."""
    password, status = "tr0ub4dor&3-xK", Command(audit.story, capsys, "status")
    secrets.put(audit.story, OLD, json.dumps({"type": "user", "message": {"content": f"use {password}"}}) + "\n")
    audit(status=0)
    session = audit.story.started()
    session.prompt(f"the db_password = '{password}', please")
    session.write("c.py", "1\n")
    session.stop()
    audit.story.commit("Add c")
    assert REVEALED not in status(), "this session has not said it before"
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert [place["checkpoint"] for place in found["places"]] == ["70405949a16f"]
    assert found["rule"] == "generic-quoted"
    assert audit.story.entire("forget", "--secret", password, "--yes") == 0
    audit(status=0)


def test_status_says_that_a_checkpoint_may_hold_what_was_revealed_since(
    audit: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    password, status = "tr0ub4dor&3-xK", Command(audit.story, capsys, "status")
    session = audit.story.started()
    with session.turn(f"use {password}"):
        session.write("c.py", "1\n")
    audit.story.commit("Add c")
    assert REVEALED not in status()
    with session.turn(f"the db_password = '{password}', please"):
        session.write("c.py", "2\n")
    assert REVEALED in status()
    assert json.loads(status("--json"))["is_secret_revealed"] is True
    assert len(json.loads(audit("--json", status=1))["secrets"]) == 1
    assert REVEALED not in status()


def test_what_was_deleted_since_is_found_in_the_history(audit: Command) -> None:
    secrets.put(audit.story, OLD, LINE)
    secrets.put(audit.story, OLD, "{}\n")
    assert len(json.loads(audit("--json", status=1))["secrets"]) == 1


def test_the_same_secret_has_one_digest_however_it_is_escaped(audit: Command) -> None:
    inner = json.dumps({"output": json.dumps({"env": f'password="{TOKEN}"'})})
    secrets.put(audit.story, OLD, LINE + inner + "\n")
    secrets.put(audit.story, "70/405949a16f/0/prompt.txt", f"use {TOKEN}")
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert len(found["places"]) == 2


def test_states_logs_undo_points_messages_and_steps_are_scanned(audit: Command) -> None:
    story = audit.story
    (state,) = (story.root / ".git/entire-sessions").glob("*.json")
    state.write_text(state.read_text().replace('"first_prompt": "', f'"first_prompt": "{TOKEN} '))
    with (story.root / ".git/entire/logs/entire.log").open("a") as log:
        log.write(json.dumps({"msg": TOKEN}) + "\n")
    point = story.root / ".git/entire/undo/20260101T000000Z-aaaaaa/pa/1"
    point.parent.mkdir(parents=True)
    point.write_text(TOKEN)
    secrets.put(story, OLD, "{}\n", f"Checkpoint: {TOKEN}")
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert {place["kind"] for place in found["places"]} == {"session state", "log", "undo point", "commit message"}


def test_texts_of_the_search_index_are_scanned(audit: Command, capsys: pytest.CaptureFixture[str]) -> None:
    before = audit.story.git("rev-parse", "entire/checkpoints/v1").strip()
    session, checkpoint = audit.story.git("log", "-1", "--format=%(trailers:key=Entire-Session,valueonly)", before), ""
    folder = audit.story.git("ls-tree", "-r", "--name-only", before).split("/0/", maxsplit=1)[0]
    answer = {"type": "assistant", "uuid": "u", "message": {"role": "assistant", "id": "m", "content": [
        {"type": "text", "text": f"it is {TOKEN}"}]}}  # fmt: skip
    secrets.put(audit.story, f"{folder}/0/full.jsonl", json.dumps(answer) + "\n")
    Command(audit.story, capsys, "search")("it")
    audit.story.git("update-ref", "refs/heads/entire/checkpoints/v1", before)
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert [place["kind"] for place in found["places"]] == ["search index"], (session, checkpoint)


def test_what_is_kept_of_transcripts_is_scanned(audit: Command, capsys: pytest.CaptureFixture[str]) -> None:
    before = audit.story.git("rev-parse", "entire/checkpoints/v1").strip()
    folder = audit.story.git("ls-tree", "-r", "--name-only", before).split("/0/", maxsplit=1)[0]
    asked = {"type": "user", "uuid": "u", "message": {"role": "user", "content": f"it is {TOKEN}"}}
    secrets.put(audit.story, f"{folder}/0/full.jsonl", json.dumps(asked) + "\n")
    Command(audit.story, capsys, "explain")(folder.replace("/", ""))
    audit.story.git("update-ref", "refs/heads/entire/checkpoints/v1", before)
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert [(place["kind"], Path(place["path"]).name) for place in found["places"]] == [("search index", "digests.db")]


def test_a_users_own_file_in_a_step_is_not_reported(audit: Command) -> None:
    session = audit.story.started()
    session.prompt("write it")
    audit.story.write("env", f"TOKEN={TOKEN}\n")
    session.write("other.py", "x = 1\n")
    session.hook("stop")
    assert secrets.objects_with(audit.story, TOKEN)
    assert audit(status=0)


def test_a_second_audit_reads_only_what_is_new(audit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets.put(audit.story, OLD, LINE)
    first = json.loads(audit("--json", status=1))
    secrets.put(audit.story, "70/405949a16f/0/prompt.txt", "new")
    read: list[bytes] = []
    find = Redactor.find

    def noted(self: Redactor, data: bytes, *, lines: bool = False) -> list[Finding]:
        read.append(data)
        return find(self, data, lines=lines)

    monkeypatch.setattr(Redactor, "find", noted)
    second = json.loads(audit("--json", status=1))
    assert second["secrets"] == first["secrets"]
    assert b"new" in read
    assert LINE.encode() not in read
    assert second["remembered"] > first["remembered"] == 0


def test_other_rules_read_everything_again_and_status_says_when_it_is_due(
    audit: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status = Command(audit.story, capsys, "status")
    due = "the rules for secrets have changed since the last audit: run `entire audit`"
    assert due not in status()  # there was none
    audit()
    assert due not in status()
    monkeypatch.setattr(Redactor, "rules_version", lambda _: "other")
    assert due in status()
    assert json.loads(status("--json"))["is_audit_due"] is True
    assert json.loads(audit("--json"))["remembered"] == 0
    assert due not in status()


def test_what_was_pushed_and_what_only_is_here(audit: Command) -> None:
    secrets.put(audit.story, OLD, LINE)
    secrets.remote(audit.story)
    other = "glpat-" + TOKEN[4:24]
    secrets.put(audit.story, "70/405949a16f/0/prompt.txt", f"use {other}")
    found = json.loads(audit("--json", status=1))["secrets"]
    assert sorted((secret["rule"], secret["pushed"]) for secret in found) == [
        ("github-token", ["origin"]), ("gitlab-token", [])]  # fmt: skip
    pushed = json.loads(audit("--pushed", "--json", status=1))
    assert [secret["rule"] for secret in pushed["secrets"]] == ["github-token"]
    assert pushed["remotes"][0]["name"] == "origin"
    assert pushed["remotes"][0]["time"]


def test_a_remote_that_moved_is_asked_only_if_wanted(audit: Command, tmp_path: Path) -> None:
    story = audit.story
    folder = secrets.remote(story)
    story.git("clone", "-q", str(folder), str(tmp_path / "mate"))
    story.git("-C", str(tmp_path / "mate"), "switch", "-q", "entire/checkpoints/v1")
    (tmp_path / "mate/note.txt").write_text(f"use {TOKEN}")
    story.git("-C", str(tmp_path / "mate"), "add", "-A")
    story.git("-C", str(tmp_path / "mate"), "commit", "-q", "-m", "x")
    story.git("-C", str(tmp_path / "mate"), "push", "-q")
    refs = story.git("for-each-ref")
    known = json.loads(audit("--pushed", "--json", status=0))
    assert known["remotes"][0]["note"] == "it has commits that are not known here; --fetch reads them"
    fetched = json.loads(audit("--pushed", "--fetch", "--json", status=1))
    assert [secret["rule"] for secret in fetched["secrets"]] == ["github-token"]
    assert story.git("for-each-ref") == refs


def test_what_cannot_be_read_is_not_called_clean(audit: Command) -> None:
    secrets.put(audit.story, OLD, LINE)
    oid = audit.story.git("rev-parse", f"entire/checkpoints/v1:{OLD}").strip()
    (audit.story.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert "could not be read" in audit(status=2)
    assert json.loads(audit("--json", status=2))["unread"] == [f"{OLD} (git lacks blob {oid})"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("full.jsonl", '{"type":"user"}\n' * 2000 + LINE + '{"type":"user"}\n' * 2000),
        ("full.jsonl.002", json.dumps({"text": "word " * 9000 + f"use {TOKEN} please"}) + "\n" + "{}\n"),
        ("full.json", json.dumps({"messages": [{"text": f"use {TOKEN}"}, *[{"text": "word"}] * 4000]})),
        ("prompt.txt", "word " * (7 * 1024 // 5) + f" {TOKEN} " + "word " * 9000),
    ],
)
def test_a_text_that_is_too_long_for_memory_is_read_block_by_block(
    audit: Command, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(own_files, "LARGEST", 1 << 14)
    monkeypatch.setattr(contents, "MOST", 1 << 12)
    for limit, value in (("BLOCK", 1 << 13), ("BESIDE", 1 << 10), ("WHOLE", 1 << 15)):
        monkeypatch.setattr(streams, limit, value)
    long = f"70/405949a16f/0/{name}"
    secrets.put(audit.story, long, text)
    secrets.put(audit.story, "70/405949a16f/1/prompt.txt", f"use {TOKEN}")
    folders = ".git/entire/undo/20260101T000000Z-aaaaaa/pa", ".entire/logs"
    for folder in folders:
        audit.story.write(f"{folder}/{name}", text)
    value = json.loads(audit("--json", status=1))
    (found,) = value["secrets"]
    assert {place["path"] for place in found["places"]} == {
        long, "70/405949a16f/1/prompt.txt", *(f"{folder}/{name}" for folder in folders)
    }  # fmt: skip
    assert value["unread"] == []
    (again,) = json.loads(audit("--json", status=1))["secrets"]
    assert again["digest"] == found["digest"]


def test_a_repository_that_cannot_be_written_is_scanned(audit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets.put(audit.story, OLD, LINE)

    def refused(path: str, *_: object, **__: object) -> None:
        raise EntireError(f"cannot write {path}: Read-only file system")

    monkeypatch.setattr(files, "write", refused)
    assert "github-token" in audit(status=1)


def test_a_history_that_cannot_be_read_is_no_finding(audit: Command) -> None:
    oid = audit.story.git("rev-parse", "entire/checkpoints/v1^{tree}").strip()
    (audit.story.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    audit(status=2)


def test_before_the_first_session_there_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(tmp_path / "empty", first_commit=False)
    assert Command(story, capsys, "audit")(status=0).startswith("No secret found")
    assert (
        Command(story, capsys, "audit", "--pushed")(status=0)
        == "There is no remote, so nothing was pushed from here.\n"
    )


def test_a_remote_that_cannot_be_asked_is_no_clean_remote(audit: Command, tmp_path: Path) -> None:
    audit.story.git("remote", "add", "gone", str(tmp_path / "gone.git"))
    assert json.loads(audit("--pushed", "--json"))["remotes"][0]["note"] == (
        "what it holds is not known here; --fetch asks it")  # fmt: skip
    audit("--pushed", "--fetch", status=2)
    assert "gone could not be read" in audit.err or "gone could not be read" in audit.capsys.readouterr().err
    assert [known.view.name for known in remotes.find(str(audit.story.root), fetch=False, now=0.0)] == ["gone"]


def test_a_broken_note_of_the_last_audit_makes_none_due(audit: Command) -> None:
    audit()
    place = layout.find(str(audit.story.root))
    assert place is not None
    (audit.story.root / ".git/entire/audit/last.json").write_text("{")
    assert not record.is_due(place, Redactor())


def test_fetch_needs_pushed(audit: Command) -> None:
    audit("--fetch", status=2)
