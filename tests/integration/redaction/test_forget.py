"""``entire forget``: what is forgotten is nowhere, everything else is as it was, and nothing brings it back."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from entire import contents
from entire.audit import own_files
from entire.forgetting import remaining_copies
from entire.git.read import Objects
from entire.model.ids import CheckpointId
from entire.store import checkpoints, forgotten, merge, reintroduced, stored_contents
from tests.integration import secrets
from tests.integration.commandline import Command
from tests.integration.secrets import TOKEN, TULIP
from tests.integration.story import Session, Story

BRANCH = "entire/checkpoints/v1"


class Forget(Command):
    """The command, in a repository whose session says a password that no rule finds."""

    session: Session
    checkpoint: str

    def secret(self, *args: str, value: str = TULIP, status: int = 0) -> str:
        """Forget a value that comes on standard input."""
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(f"{value}\n".encode()))
        try:
            return self("--secret", "-", *args, status=status)
        finally:
            sys.stdin = before


@pytest.fixture
def forget(story: Story, capsys: pytest.CaptureFixture[str]) -> Forget:
    command = Forget(story, capsys, "forget")
    command.session, command.checkpoint = secrets.with_tulip(story)
    return command


def refs(story: Story) -> str:
    return story.git("for-each-ref", "refs/heads/entire", "refs/entire")


def log(story: Story, form: str = "%an %ae %ad %cn %ce %cd%n%B") -> str:
    return story.git("log", "--date=raw", "--topo-order", f"--format={form}", BRANCH)


def test_a_secret_is_nowhere_and_all_else_is_as_it_was(forget: Forget) -> None:
    story = forget.story
    assert secrets.objects_with(story, TULIP)
    assert secrets.files_with(story, TULIP)
    before, head = log(story), story.git("rev-parse", "HEAD", "HEAD^{tree}")
    text = story.checkpoint(forget.checkpoint)["slots"][forget.session.id]["transcript"]
    assert "commits with new content" in forget.secret("--yes")
    assert not secrets.objects_with(story, TULIP)
    assert not secrets.files_with(story, TULIP)
    assert log(story) == before
    assert story.git("rev-parse", "HEAD", "HEAD^{tree}") == head
    found = story.checkpoint(forget.checkpoint)["slots"][forget.session.id]
    assert found["transcript"] == text.replace(TULIP, "[REDACTED:forgotten]")
    assert len(secrets.parsed_lines(found["transcript"])) == len(text.splitlines())
    assert found["prompts"] == ["the door code is [REDACTED:forgotten], use it"]
    assert story.entire("doctor") == 0
    assert "No problems found" in forget.capsys.readouterr().out


def test_the_hash_beside_a_transcript_stays_true(forget: Forget) -> None:
    forget.secret("--yes")
    with Objects(str(forget.story.root)) as objects:
        found = checkpoints.read(objects, [checkpoints.LOCAL_REF], CheckpointId(forget.checkpoint))
        assert found is not None
        assert [stored_contents.hash_matches(objects, slot) for slot in found.slots] == [True]


def test_a_session_goes_on_after_it_and_stores_nothing_forgotten(forget: Forget) -> None:
    forget.secret("--yes")
    story = forget.story
    forget.session.prompt("go on")
    forget.session.write("third.py", "x = 1\n")
    forget.session.hook("stop")
    story.commit("Third")
    assert not secrets.objects_with(story, TULIP)
    assert story.ids()
    assert not [line for line in story.log_errors() if "hook" in line]
    found = story.checkpoint(story.ids()[0])["slots"][forget.session.id]
    assert found["prompts"][-1] == "go on"
    assert len(secrets.parsed_lines(found["transcript"])) == len(forget.session.file.read_text().splitlines())
    assert story.entire("doctor") == 0


def test_what_the_agent_still_says_is_redacted_from_then_on(forget: Forget) -> None:
    forget.secret("--yes")
    forget.session.prompt(f"was it {TULIP}?")
    forget.session.write("third.py", "x = 1\n")
    forget.session.file.write_text("\n" + forget.session.file.read_text())  # so that all of it is stored again
    forget.session.hook("stop")
    assert not secrets.objects_with(forget.story, TULIP)
    assert not secrets.files_with(forget.story, TULIP)


def test_a_preview_changes_nothing_and_shows_no_secret(forget: Forget) -> None:
    before, files = refs(forget.story), secrets.files_with(forget.story, TULIP)
    text = forget.secret("--dry-run")
    value = json.loads(forget.secret("--dry-run", "--json"))
    assert text.endswith("Nothing was changed.\n")
    assert (refs(forget.story), secrets.files_with(forget.story, TULIP)) == (before, files)
    assert TULIP not in text + json.dumps(value)
    assert value["checkpoints"] == [forget.checkpoint]
    assert value["sessions"] == [forget.session.id]
    assert (value["commits"], value["dry_run"], value["undo_id"]) == (1, True, "")
    assert value["steps"] == 2


def test_nothing_happens_without_a_yes(forget: Forget) -> None:
    before = refs(forget.story)
    forget.secret(status=2)
    forget.secret("--json", status=2)
    assert refs(forget.story) == before


def test_what_is_not_stored_is_said_to_be(forget: Forget) -> None:
    assert "is not stored here" in forget.secret("--yes", value="no such thing")
    assert "secret  a… (6 characters) is not stored here" in forget.secret("--yes", value="\nabcde")
    assert secrets.files_with(forget.story, TULIP)


@pytest.mark.parametrize(
    "args", [(), ("--secret", "-", "--session", "x"), ("--undo", "--dry-run"), ("--prune", "--undo")]
)
def test_words_that_make_no_sense_change_nothing(forget: Forget, args: tuple[str, ...]) -> None:
    forget(*args, status=2)


@pytest.mark.parametrize("value", ["", "abc", "     "])
def test_a_value_that_is_everywhere_is_refused(forget: Forget, value: str) -> None:
    forget.secret("--yes", value=value, status=2)


@pytest.mark.parametrize("value", ["session", "n_id", "2026", "idle", "manual", "Claude Code"])
def test_a_word_of_our_own_records_is_refused(forget: Forget, value: str) -> None:
    """Without it, they would no longer be records."""
    state = forget.session.state()
    forget.secret("--yes", value=value, status=2)
    assert forget.session.state() == state
    assert forget.story.entire("doctor") == 0


def test_a_finding_is_forgotten_by_its_digest(forget: Forget) -> None:
    line = json.dumps({"type": "user", "message": {"content": f"use {TOKEN}"}}) + "\n"
    secrets.put(forget.story, "70/405949a16f/0/full.jsonl", line)
    secrets.put(forget.story, "70/405949a16f/0/full.jsonl", "{}\n")
    audit = Command(forget.story, forget.capsys, "audit")
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    forget("--finding", found["digest"][:6], "--yes")
    assert not secrets.objects_with(forget.story, TOKEN)
    assert "[REDACTED:github-token]" in forget.story.git("show", f"{BRANCH}~:70/405949a16f/0/full.jsonl")
    assert not json.loads(audit("--json"))["secrets"]
    forget("--finding", "0" * 12, "--yes", status=1)


def test_undo_brings_all_of_it_back(forget: Forget) -> None:
    before, files = refs(forget.story), secrets.files_with(forget.story, TULIP)
    state = {name: (forget.story.root / name).read_bytes() for name in files if not name.endswith(".log")}
    forget.secret("--yes")
    assert forget("--undo").startswith("Restored: the secret ")
    assert refs(forget.story) == before
    assert {name: (forget.story.root / name).read_bytes() for name in state} == state
    assert not (forget.story.root / ".git/entire/forgotten.json").exists()
    forget("--undo", status=1)


def test_undo_keeps_what_was_stored_since(forget: Forget) -> None:
    story, session = forget.story, forget.session
    forget.secret("--yes")
    session.prompt("go on")
    session.write("third.py", "x = 1\n")
    session.hook("stop")
    story.commit("Third")
    session.prompt("and on")
    session.write("fourth.py", "x = 1\n")
    session.hook("stop")
    third = story.checkpoint(story.ids()[0])["slots"][session.id]
    log = story.git("log", "--format=%an %ae %ad %B", BRANCH)
    assert forget("--undo").startswith("Restored: the secret ")
    assert story.git("log", "--format=%an %ae %ad %B", BRANCH) == log
    assert TULIP in story.checkpoint(forget.checkpoint)["slots"][session.id]["transcript"]
    assert story.checkpoint(story.ids()[0])["slots"][session.id]["prompts"][-1] == third["prompts"][-1] == "go on"
    assert not story.log_errors()
    assert story.entire("doctor") == 0, forget.capsys.readouterr()
    assert "No problems found" in forget.capsys.readouterr().out
    session.prompt("fifth")
    session.write("fifth.py", "x = 1\n")
    session.hook("stop")
    story.commit("Fourth and fifth")
    assert story.checkpoint(story.ids()[0])["slots"][session.id]["prompts"][-1] == "fifth"
    story.git("gc", "-q", "--prune=now")
    assert story.entire("doctor") == 0, forget.capsys.readouterr()


@pytest.mark.parametrize("what", ["session", "checkpoint"])
def test_undo_restores_what_was_removed_beside_what_was_stored_since(forget: Forget, what: str) -> None:
    story = forget.story
    forget(f"--{what}", forget.session.id if what == "session" else forget.checkpoint, "--yes")
    other = story.started()
    other.prompt("something else")
    other.write("else.py", "x = 1\n")
    other.hook("stop")
    story.commit("Other")
    forget("--undo")
    assert TULIP in story.checkpoint(forget.checkpoint)["slots"][forget.session.id]["transcript"]
    assert other.id in story.checkpoint(story.ids()[0])["slots"]
    assert "forgotten" not in story.git("ls-tree", "--name-only", BRANCH).split()
    assert story.entire("doctor") == 0, forget.capsys.readouterr()


def test_undo_refuses_a_branch_that_left_what_was_forgotten(forget: Forget) -> None:
    forget.secret("--yes")
    forget.story.git("update-ref", f"refs/heads/{BRANCH}", "HEAD")
    forget.capsys.readouterr()
    assert forget.story.entire("forget", "--undo") == 1
    said = forget.capsys.readouterr().err
    assert f"refs/heads/{BRANCH} was moved since; nothing was changed" in said


def test_undo_after_gc_says_that_it_is_gone(forget: Forget) -> None:
    forget.secret("--yes")
    forget.story.git("gc", "-q", "--prune=now")
    after = refs(forget.story)
    forget("--undo", status=1)
    assert refs(forget.story) == after
    assert forget.story.entire("doctor") == 0


def test_after_prune_and_gc_nothing_is_left_on_the_disk(forget: Forget) -> None:
    story = forget.story
    forget.secret("--yes")
    assert secrets.files_with(story, TULIP, leaving="-")
    assert "git gc --prune=now" in forget("--prune")
    story.git("gc", "-q", "--prune=now")
    assert not secrets.files_with(story, TULIP, leaving="-")
    listed = story.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert not [oid for oid in listed if TULIP in story.git("cat-file", "-p", oid)]
    forget("--undo", status=1)


def test_an_older_undo_point_brings_nothing_back(forget: Forget) -> None:
    story = forget.story
    forget.capsys.readouterr()
    assert story.entire("reset", "--force") == 0
    forget.secret("--yes")
    assert story.entire("reset", "--undo") == 0
    assert not secrets.objects_with(story, TULIP)
    assert not secrets.files_with(story, TULIP)


def test_the_search_index_forgets(forget: Forget) -> None:
    search = Command(forget.story, forget.capsys, "search")
    assert TULIP in search(TULIP)
    assert json.loads(forget.secret("--dry-run", "--json"))["has_index"] is True
    forget.secret("--yes")
    assert not (forget.story.root / ".git/entire/index/search.db").exists()


def test_a_users_own_file_in_a_step_stays_and_is_counted(forget: Forget) -> None:
    forget.session.write("mine.txt", TULIP)
    forget.session.hook("stop")
    assert "1 file of your own in steps hold it too" in forget.secret("--dry-run")
    forget.secret("--yes")
    assert forget.story.read("mine.txt") == TULIP


def test_a_message_that_says_it_is_written_again(forget: Forget) -> None:
    secrets.put(forget.story, "70/405949a16f/0/x", "y", f"Checkpoint: {TULIP}\n\nEntire-Session: s\n")
    forget.secret("--yes")
    assert log(forget.story, "%B").startswith("Checkpoint: [REDACTED:forgotten]\n\nEntire-Session: s\n")


# ---------------------------------------------------------------- sessions and checkpoints


def test_a_checkpoint_is_forgotten_and_said_to_be(forget: Forget) -> None:
    story = forget.story
    before = story.git("rev-parse", "HEAD").strip()
    forget("--checkpoint", forget.checkpoint[:6], "--yes")
    assert forget.checkpoint[:2] not in story.git("ls-tree", "--name-only", BRANCH).split()
    assert story.git("rev-parse", "HEAD").strip() == before
    folder = f"{forget.checkpoint[:2]}/{forget.checkpoint[2:]}"
    assert not story.git("log", "--format=%H", BRANCH, "--", folder)
    said = f"checkpoint {forget.checkpoint}"
    for command in ("explain", "show"):
        out = Command(story, forget.capsys, command)("HEAD")
        assert f"{said}, which was forgotten on 20" in out, out
        capture = Command(story, forget.capsys, command)
        story.entire(command, forget.checkpoint)
        assert f"{said} was forgotten on 20" in forget.capsys.readouterr().err, capture
    assert f"{said} was forgotten on 20" in Command(story, forget.capsys, "why")("door.py")
    for command in ("log", "story HEAD~..HEAD"):
        show = Command(story, forget.capsys, *command.split())
        out = " ".join(show().split())
        assert "forgotten on 20" in out
        assert "not stored here" not in out
        value = json.loads(show("--json"))
        (row,) = [row for row in (value if command == "log" else value["commits"]) if row["missing"]]
        assert list(row["forgotten"]) == [forget.checkpoint]
    for command in ("resume", "rewind -y --to"):
        for name in (forget.checkpoint, "main"):
            forget.capsys.readouterr()
            assert story.entire(*command.split(), name) == 1, command
            err = forget.capsys.readouterr().err
            assert f"{said} was forgotten on 20" in err
            assert f"(it was of session {forget.session.id})" in err
    forget.capsys.readouterr()
    assert story.entire("rewind", "--list") == 0
    listed = forget.capsys.readouterr()
    assert f"commit {before[:7]} is not a point: {said} was forgotten on 20" in listed.err
    assert before not in [point["id"] for point in json.loads(listed.out)]
    assert story.entire("doctor") == 0
    forget("--undo")
    assert story.checkpoint(forget.checkpoint)


def test_a_session_is_forgotten_in_all_steps_and_checkpoints(forget: Forget) -> None:
    story = forget.story
    other = story.started()
    other.prompt("something else")
    other.write("else.py", "x = 1\n")
    other.hook("stop")
    story.commit("Both")
    (both,) = story.ids()
    assert len(story.checkpoint(both)["slots"]) == 2
    forget("--session", forget.session.id, "--yes")
    assert not secrets.objects_with(story, TULIP)
    assert not secrets.files_with(story, TULIP)
    assert list(story.checkpoint(both)["slots"]) == [other.id]
    assert story.checkpoint(both)["files_touched"] == ["else.py"]
    assert story.entire("doctor") == 0
    forget.capsys.readouterr()
    assert story.entire("show", forget.session.id) == 1
    assert f"session {forget.session.id} was forgotten on 20" in forget.capsys.readouterr().err
    assert "which was forgotten on 20" in Command(story, forget.capsys, "explain")("HEAD~")
    forget("--undo")
    assert len(story.checkpoint(both)["slots"]) == 2


def test_an_undo_copy_that_is_too_long_for_memory_is_searched_and_changed_in_blocks(
    forget: Forget, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = forget.story
    (commit,) = story.git("rev-parse", BRANCH).split()
    monkeypatch.setattr(contents, "MOST", 1 << 12)
    monkeypatch.setattr(contents, "_BLOCK", 1 << 10)
    monkeypatch.setattr(own_files, "LARGEST", 1 << 16)
    copies = Path(story.root, ".git/entire/undo/20260101T000000-1/pa")
    copies.mkdir(parents=True)
    copy, document = copies / "0", copies / "1"
    line = json.dumps({"type": "user", "text": f"{'word ' * 30}{commit}"}) + "\n"
    copy.write_text(line * 399 + json.dumps({"text": f"it is {TULIP}"}) + "\n" + line)
    document.write_text(json.dumps({"text": [commit] * 2000}, indent=1))
    Command(story, forget.capsys, "audit")()
    before = document.read_text()
    forget.secret(status=1)  # a document is changed as a whole
    assert f"cannot read {document}" in forget.err
    document.unlink()
    Command(story, forget.capsys, "audit")()
    forget.secret("--yes")
    assert TULIP not in copy.read_text()
    assert "[REDACTED:forgotten]" in copy.read_text()
    (moved,) = story.git("rev-parse", BRANCH).split()
    assert copy.read_text().count(moved) == 400
    document.write_text(before.replace(commit, moved))
    forget("--session", forget.session.id, "--yes")
    (last,) = set(json.loads(document.read_text())["text"])
    assert (copy.read_text().count(last), copy.read_text().count(moved)) == (400, 0)
    assert story.git("merge-base", last, BRANCH).strip() == last != moved


def test_a_session_in_its_turn_is_not_forgotten(forget: Forget) -> None:
    before = refs(forget.story)
    forget.session.prompt("still at it")
    forget("--session", forget.session.id, "--yes", status=1)
    assert refs(forget.story) == before


def test_what_does_not_exist_cannot_be_forgotten(forget: Forget) -> None:
    forget("--session", "ffffffff", "--yes", status=1)
    forget("--checkpoint", "000000000000", "--yes", status=1)


# ---------------------------------------------------------------- others


def push(story: Story) -> None:
    """Let the pre-push hook push the checkpoints."""
    assert story.entire("enable", "--push-sessions", "--agent", "claude-code") == 0
    story.git("push", "-q", "origin", "main")


def test_a_remote_that_has_it_is_named_and_the_command_works(forget: Forget) -> None:
    story = forget.story
    folder = secrets.remote(story)
    tip = story.git("rev-parse", BRANCH).strip()
    (holder,) = json.loads(forget.secret("--yes", "--json"))["holders"]
    assert (holder["remote"], holder["branch"], holder["tip"]) == ("origin", BRANCH, tip)
    (command,) = holder["commands"]
    record = forgotten.of(str(story.root))
    assert [found.tip for found in remaining_copies.find(str(story.root), record, now=0.0)] == [tip]
    assert command in Command(story, forget.capsys, "status")().replace("\n", " ")
    story.entire("doctor")
    assert "origin still has what was forgotten here" in forget.capsys.readouterr().out
    subprocess.run(command, shell=True, cwd=story.root, env=story.env, check=True, capture_output=True)
    assert story.git("--git-dir", str(folder), "rev-parse", BRANCH) == story.git("rev-parse", BRANCH)
    assert "still has" not in Command(story, forget.capsys, "status")()
    assert forget.secret("--dry-run").startswith("Nothing to forget")


def test_a_push_does_not_join_it_back(forget: Forget) -> None:
    story = forget.story
    secrets.remote(story)
    forget.secret("--yes")
    after = story.git("rev-parse", BRANCH)
    push(story)
    assert story.git("rev-parse", BRANCH) == after
    assert not secrets.objects_with(story, TULIP, BRANCH)
    assert "origin still has what was forgotten here" in Command(story, forget.capsys, "status")()


def test_what_a_mate_added_to_the_old_history_is_joined_without_it(forget: Forget, tmp_path: Path) -> None:
    story = forget.story
    folder = secrets.remote(story)
    mate = tmp_path / "mate"
    story.git("clone", "-q", "-b", BRANCH, str(folder), str(mate))
    (mate / "aa/bbbbbbbbbb").mkdir(parents=True)
    (mate / "aa/bbbbbbbbbb/metadata.json").write_text('{"checkpoint_id": "aabbbbbbbbbb", "sessions": []}')
    story.git("-C", str(mate), "add", "-A")
    story.git("-C", str(mate), "commit", "-q", "-m", "Checkpoint: aabbbbbbbbbb")
    forget.secret("--yes")
    story.git("-C", str(mate), "push", "-q")
    push(story)
    assert not secrets.objects_with(story, TULIP, BRANCH)
    assert "aa" in story.git("ls-tree", "--name-only", BRANCH).split()
    held = json.loads(Command(story, forget.capsys, "status")("--json"))["holding"]
    subprocess.run(held["origin"], shell=True, cwd=story.root, env=story.env, check=True, capture_output=True)
    assert story.git("--git-dir", str(folder), "rev-parse", BRANCH) == story.git("rev-parse", BRANCH)
    push(story)
    assert not json.loads(Command(story, forget.capsys, "status")("--json"))["holding"]


def test_what_only_a_remote_has_is_joined_without_it(forget: Forget, tmp_path: Path) -> None:
    story = forget.story
    folder = secrets.remote(story)
    mate = tmp_path / "mate"
    story.git("clone", "-q", "-b", BRANCH, str(folder), str(mate))
    (mate / "aa/bbbbbbbbbb").mkdir(parents=True)
    (mate / "aa/bbbbbbbbbb/note.txt").write_text(f"it is {TULIP}, too")
    story.git("-C", str(mate), "add", "-A")
    story.git("-C", str(mate), "commit", "-q", "-m", "Checkpoint: aabbbbbbbbbb")
    story.git("-C", str(mate), "push", "-q")
    story.git("fetch", "-q", "origin")
    forget.secret("--yes")
    assert not secrets.objects_with(story, TULIP, BRANCH)
    assert story.git("show", f"{BRANCH}:aa/bbbbbbbbbb/note.txt") == "it is [REDACTED:forgotten], too"


class Mate:
    """A teammate's clone of the checkpoints branch, whose agent says again what we forgot."""

    def __init__(self, story: Story, remote: Path, folder: Path) -> None:
        self.story, self.folder = story, folder
        story.git("clone", "-q", "-b", BRANCH, str(remote), str(folder))

    def says(self, text: str, name: str = "full.jsonl") -> None:
        """Push a new checkpoint on top of what the remote has."""
        slot = self.folder / "aa/bbbbbbbbbb/0"
        slot.mkdir(parents=True, exist_ok=True)
        (slot / name).write_text(text)
        (slot.parent / "metadata.json").write_text('{"checkpoint_id": "aabbbbbbbbbb", "sessions": []}')
        for words in ("add -A", "commit -q -m Checkpoint", "push -q"):
            self.story.git("-C", str(self.folder), *words.split(" "))


@pytest.fixture
def mate(forget: Forget, tmp_path: Path) -> Mate:
    """A clone that was made after a secret was forgotten, here and on the remote."""
    folder = secrets.remote(forget.story)
    forget.secret("--yes")
    forget.story.git("push", "-q", "--no-verify", "--force", "origin", BRANCH)
    return Mate(forget.story, folder, tmp_path / "mate")


AGAIN = json.dumps({"type": "user", "message": {"content": f'was it {TULIP}\nor "tulip"?'}}) + "\n"


@pytest.mark.parametrize("way", ["push", "doctor", "forget"])
def test_what_a_mate_says_again_goes_before_it_is_joined(forget: Forget, mate: Mate, way: str) -> None:
    story = forget.story
    mate.says(AGAIN)
    if way == "push":
        story.commit("With a new checkpoint, so that there is something to push")
        push(story)
    else:
        story.git("fetch", "-q", "origin")
        assert secrets.objects_with(story, TULIP, f"origin/{BRANCH}")
        story.entire("doctor")
        said = forget.capsys.readouterr().out
        assert "origin has new checkpoints with what was forgotten here" in said
        forget.secret("--yes") if way == "forget" else story.entire("doctor", "--fix", "--yes")
    assert not secrets.objects_with(story, TULIP, BRANCH)
    assert not secrets.files_with(story, TULIP)
    text = story.git("show", f"{BRANCH}:aa/bbbbbbbbbb/0/full.jsonl")
    assert text == AGAIN.replace(TULIP, "[REDACTED:forgotten]")
    held = json.loads(Command(story, forget.capsys, "status")("--json"))["holding"]
    subprocess.run(held["origin"], shell=True, cwd=story.root, env=story.env, check=True, capture_output=True)
    push(story)
    assert not json.loads(Command(story, forget.capsys, "status")("--json"))["holding"]
    assert story.git("rev-parse", f"origin/{BRANCH}") == story.git("rev-parse", BRANCH)


def test_what_a_mate_says_again_is_found_in_our_own_branch_and_taken_out(forget: Forget, mate: Mate) -> None:
    story = forget.story
    audit = Command(story, forget.capsys, "audit")
    assert not json.loads(audit("--json"))["secrets"]
    mate.says(AGAIN)
    story.git("fetch", "-q", "origin")
    story.git("update-ref", f"refs/heads/{BRANCH}", f"origin/{BRANCH}")
    (found,) = json.loads(audit("--json", status=1))["secrets"]
    assert (found["rule"], found["pushed"]) == ("forgotten", ["origin"])
    story.entire("doctor")
    assert "the checkpoints branch has again what was forgotten here" in forget.capsys.readouterr().out
    story.entire("doctor", "--fix", "--yes")
    assert not secrets.objects_with(story, TULIP, BRANCH)
    assert not json.loads(audit("--json"))["secrets"]
    forget.capsys.readouterr()


def test_nothing_is_read_twice_to_find_what_comes_back(
    forget: Forget, mate: Mate, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = str(forget.story.root)
    mate.says("{}\n")
    forget.story.git("fetch", "-q", "origin")
    tip = forget.story.git("rev-parse", f"origin/{BRANCH}").strip()
    with Objects(where) as objects:
        assert tip in reintroduced.note(where, objects, tip).checked
        monkeypatch.setattr(Objects, "get_all", None)
        assert tip in reintroduced.note(where, objects, tip).checked


def test_a_session_that_a_mate_pushes_again_stays_forgotten(forget: Forget, tmp_path: Path) -> None:
    story = forget.story
    folder = secrets.remote(story)
    forget("--session", forget.session.id, "--yes")
    story.git("push", "-q", "--no-verify", "--force", "origin", BRANCH)
    mate = Mate(story, folder, tmp_path / "mate")
    mate.says("{}\n")
    mate.says(json.dumps({"session_id": forget.session.id}), "metadata.json")
    push(story)
    assert "aa" not in story.git("ls-tree", "--name-only", BRANCH).split()


def test_a_forgotten_checkpoint_does_not_come_back_in_another_clone(forget: Forget, tmp_path: Path) -> None:
    story = forget.story
    old = story.git("rev-parse", BRANCH).strip()
    forget("--checkpoint", forget.checkpoint, "--yes")
    new = story.git("rev-parse", BRANCH).strip()
    for ours, theirs in ((old, new), (new, old)):
        with Objects(str(story.root)) as objects:
            joined = merge.join(str(story.root), objects, ours, theirs, "A <a@b> 1700000000 +0000")
        assert forget.checkpoint[:2] not in story.git("ls-tree", "--name-only", joined).split()


def test_a_second_forgetting_leads_old_objects_to_the_newest(forget: Forget) -> None:
    story = forget.story
    first = story.git("rev-parse", BRANCH).strip()
    forget.secret("--yes")
    forget.secret("--yes", value="nothing else")
    record = json.loads((story.root / ".git/entire/forgotten.json").read_text())
    assert record["commits"][first] == story.git("rev-parse", BRANCH).strip()
    assert TULIP not in json.dumps(record)


# ---------------------------------------------------------------- places


def test_a_linked_worktree_and_a_sub_folder(forget: Forget, tmp_path: Path) -> None:
    story = forget.story
    linked = tmp_path / "linked"
    story.git("worktree", "add", "-q", str(linked), "-b", "side")
    (linked / "sub").mkdir()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(TULIP.encode()))
    try:
        forget("--secret", "-", "--yes", cwd=linked / "sub")
    finally:
        sys.stdin = before
    assert not secrets.objects_with(story, TULIP)
    assert not secrets.files_with(story, TULIP)
    left = story.root / ".git/worktrees/linked/entire/undo"
    forget("--undo", status=1)
    assert f"run `entire forget --undo` in {linked}" in forget.err
    assert list(left.iterdir())
    assert "Deleted 1 undo point" in forget("--prune")
    assert not list(left.iterdir())


def test_a_repository_with_sha256(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    story = Story(tmp_path / "sha256")
    assert len(story.head()) == 64
    command = Forget(story, capsys, "forget")
    command.session, command.checkpoint = secrets.with_tulip(story)
    command.secret("--yes")
    assert not secrets.objects_with(story, TULIP)
    assert story.entire("doctor") == 0
    command("--undo")
    assert secrets.objects_with(story, TULIP)
