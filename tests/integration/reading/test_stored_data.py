"""What is read of checkpoints: the right one, whole, in order, and nothing lost when two branches join."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.git.write import ImportStream
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.redact import trusted
from entire.resume.targets import Finder
from entire.store import checkpoint_listing, checkpoint_writer, checkpoints, gojson, merge
from entire.workspace import Workspace
from tests.integration.story import Story

ID = CheckpointId("a1b2c3d4e5f6")
AUTHOR = "Ada <ada@example.com> 1700000000 +0000"
REMOTE = "refs/remotes/origin/entire/checkpoints/v1"


@pytest.fixture
def where(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    return str(tmp_path / "repo")


def git(where: str, *args: str) -> str:
    return subprocess.run(["git", "-C", where, *args], check=True, capture_output=True, text=True).stdout.strip()


def save(where: str, session: str, *parts: bytes, at: float = 1.7e9, checkpoint: CheckpointId = ID) -> str:
    """Write a session into a checkpoint; return the commit."""
    record = SessionRecord(
        checkpoint_id=checkpoint, session_id=session, strategy="manual-commit", created_at=gojson.rfc3339(at)
    )
    content = checkpoint_writer.SlotContent(record=record, parts=tuple(trusted(part) for part in parts or (b"{}\n",)))
    with Objects(where) as objects:
        for attempt in checkpoint_writer.attempts(where, objects):
            existing = checkpoints.read_at(objects, attempt.base, checkpoint)
            attempt.write(checkpoint_writer.compose([content], existing), message=b"x", author=AUTHOR)
    return attempt.commit


def put(where: str, commit: str, name: str, content: bytes) -> str:
    """Return a commit on top of another, with one file of the checkpoint replaced."""
    stream = ImportStream(where)
    blob = stream.blob(content)
    mark = stream.commit(
        message=b"x", author=AUTHOR, parents=(commit,), changes={f"{ID.path}/{name}": ("100644", blob)}
    )
    return stream.write()[mark]


def transcript(where: str, commit: str) -> bytes:
    with Objects(where) as objects:
        found = checkpoints.read_at(objects, commit, ID)
        assert found is not None
        return checkpoints.transcript(objects, found.slots[0])


def test_parts_are_in_the_order_of_their_numbers(where: str) -> None:
    lines = [b"line %d" % number for number in range(13)]
    commit = save(where, "s", *(trusted(line) for line in lines))
    assert transcript(where, commit) == b"\n".join(lines)
    for number in range(2, 13):  # older versions wrote the numbers without zeros
        name = f"0/full.jsonl.{number}"
        commit = put(where, commit, name, b"old %d" % number)
    with Objects(where) as objects:
        found = checkpoints.read_at(objects, commit, ID)
        assert found is not None
        files = {name: oid for name, oid in found.slots[0].files.items() if not name.startswith("full.jsonl.0")}
        slot = checkpoints.Slot(number=0, tree="", files=files, record=None)
        assert checkpoints.transcript(objects, slot) == b"\n".join(
            [lines[0], *(b"old %d" % number for number in range(2, 13))]
        )


def test_of_a_joined_document_the_first_part_counts(where: str) -> None:
    parts = (b'{"sessionId": "first", "messages": [1]}', b'{"sessionId": "last", "extra": 2, "messages": [3]}')
    commit = save(where, "s", *parts)
    assert json.loads(transcript(where, commit)) == {"sessionId": "first", "extra": 2, "messages": [1, 3]}


def test_a_checkpoint_here_hides_that_of_the_remote(where: str) -> None:
    theirs = save(where, "theirs")
    git(where, "update-ref", REMOTE, theirs)
    git(where, "update-ref", "-d", checkpoints.LOCAL_REF)
    other = save(where, "theirs", checkpoint=CheckpointId("001122334455"))
    assert git(where, "rev-parse", f"{other}^") == theirs, "a branch that only the remote has is continued"
    git(where, "update-ref", REMOTE, other)
    git(where, "update-ref", checkpoints.LOCAL_REF, theirs)
    ours = save(where, "ours")
    tips = checkpoints.tips(where)
    assert list(tips) == [checkpoints.LOCAL_REF, REMOTE]
    with Objects(where) as objects:
        found = checkpoints.read(objects, tips, ID)
    assert found is not None
    assert {slot.session_id for slot in found.slots} == {"theirs", "ours"}
    tree = git(where, "rev-parse", f"{ours}:{ID.path}")
    assert {listed.id: listed.tree for listed in checkpoints.list_all(where)}[ID] == tree
    assert set(checkpoint_listing.listed(where, list(tips.values()), [ID])[ID].session_ids) == {"theirs", "ours"}
    assert set(checkpoint_listing.session_ids(where, list(tips.values()))[ID]) == {"theirs", "ours"}


def test_unknown_keys_of_both_sides_are_in_the_join(where: str) -> None:
    base = save(where, "s1")
    sides = []
    for name in ("one", "two"):
        git(where, "update-ref", checkpoints.LOCAL_REF, base)
        commit = save(where, f"session-{name}")
        root = json.loads(git(where, "show", f"{commit}:{ID.path}/metadata.json"))
        sides.append(put(where, commit, "metadata.json", json.dumps({**root, name: {"of": name}}).encode()))
    joined = []
    for ours, theirs in (sides, sides[::-1]):
        with Objects(where) as objects:
            joined.append(merge.join(where, objects, ours, theirs, AUTHOR))
    for commit in joined:
        root = json.loads(git(where, "show", f"{commit}:{ID.path}/metadata.json"))
        assert (root["one"], root["two"]) == ({"of": "one"}, {"of": "two"})
        assert len(root["sessions"]) == 3


def test_a_session_is_resumed_from_its_newest_checkpoint(story: Story) -> None:
    """The ids are in no order of time."""
    names = [CheckpointId(name) for name in ("500000000000", "100000000000", "900000000000", "300000000000")]
    for name, at in zip(names, (1.7e9 + 30, 1.7e9, 1.7e9 + 20, 1.7e9 + 10), strict=True):
        save(str(story.root), "s-1", at=at, checkpoint=name)
    with contextlib.closing(Workspace.find(story.root)._opened.context()) as context:
        found = Finder(context, lambda _: None).find("s-1")
    assert (found.session_id, found.checkpoint_ids) == ("s-1", (names[0],))
