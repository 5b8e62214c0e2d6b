"""The checks of formats.md section 12 that no other test holds: parts of a growing transcript, states of other
versions, names of shadow branches, escapes and left-out keys as the Go CLI's reader wants them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire import layout
from entire.agents import transcripts as lines_of
from entire.model.phases import Phase
from entire.model.positions import SessionRef
from entire.model.session import Session
from entire.model.times import parse_time
from entire.model.transcripts import FileLines
from entire.redact import Redactor
from entire.store import checkpoints, sessions, steps
from entire.store import transcripts as stored
from tests.integration.story import Story
from tests.interop import strict

LIMIT = 400  # in place of 50 MiB
ID = "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"


# ---------------------------------------------------------------- 2: what we write has the form that Go reads


def test_names_with_special_characters_are_escaped_as_go_does(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo")
    story.git("checkout", "-q", "-b", "a<b>&c")
    session = story.session()
    session.start()
    name = "<tag> & \u2028 é \U0001f600.txt"
    with session.turn("Write <it> & go"):
        session.write(name, "<>&\n")
    state = (story.root / ".git/entire-sessions" / f"{session.id}.json").read_text()
    assert strict.state(state)["files_touched"] == [name]
    assert r"\u003ctag\u003e \u0026 \u2028 é" in state
    story.commit("Names")
    (checkpoint_id,) = story.ids()
    root = strict.root(story.show(f"{checkpoint_id.path}/metadata.json"), checkpoint_id)
    record = strict.session(story.show(f"{checkpoint_id.path}/0/metadata.json"), checkpoint_id)
    assert root["files_touched"] == record["files_touched"] == [name]
    assert root["branch"] == record["branch"] == "a<b>&c"
    assert record["agent"] == "Claude Code"
    assert story.log_errors() == []


def test_a_detached_head_has_no_branch(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo")
    story.git("checkout", "-q", "--detach")
    session = story.session()
    session.start()
    with session.turn("Write"):
        session.write("a.txt", "a\n")
    story.commit("Detached")
    (checkpoint_id,) = story.ids()
    assert "branch" not in strict.root(story.show(f"{checkpoint_id.path}/metadata.json"), checkpoint_id)
    assert "branch" not in strict.session(story.show(f"{checkpoint_id.path}/0/metadata.json"), checkpoint_id)


def test_the_checkpoint_commit_has_the_form_of_the_format(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo")
    session = story.session()
    session.start()
    with session.turn("Write"):
        session.write("a.txt", "a\n")
    shadow = f"entire/{story.head()[:7]}-e3b0c4"
    step = story.git("log", "-1", "--format=%B", shadow)
    folder = f".entire/metadata/{session.id}"
    expected = f"Write\n\nEntire-Metadata: {folder}\nEntire-Session: {session.id}\nEntire-Strategy: manual-commit\n"
    assert step.rstrip("\n") == expected.rstrip("\n")
    assert story.git("log", "-1", "--format=%P", shadow).strip() == ""
    story.commit("A")
    (checkpoint_id,) = story.ids()
    message = story.git("log", "-1", "--format=%B", "entire/checkpoints/v1")
    assert message.rstrip("\n") == (
        f"Checkpoint: {checkpoint_id}\n\nEntire-Session: {session.id}\nEntire-Strategy: manual-commit\n"
        f"Entire-Agent: Claude Code\nEphemeral-branch: {shadow}"
    )
    assert story.git("for-each-ref", f"refs/heads/{shadow}") == ""  # all of it is condensed


# ---------------------------------------------------------------- 4: transcripts in parts


class Growing:
    """A transcript that grows, stored as a hook stores it; every part that was written, by its id."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "session.jsonl"
        self.session = Session(ID, "claude-code", "Claude Code")
        self.session.session_ref = SessionRef(str(self.path))
        self.written: dict[str, bytes] = {}

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def put(self, data: bytes, oid: str) -> str:
        """Keep a large part, as git does."""
        self.written[oid] = bytes(data)
        return oid

    def joined(self) -> bytes:
        """Store it as a hook does; return what the Go CLI makes of the parts, none of which exceeds the limit."""
        data = self.path.read_bytes()
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        held = FileLines(path=str(self.path), lines=lines, size=len(data))
        found = stored.store(self.session, held, str(self.path.parent), lines_of.shorten, Redactor())
        for oid, part in zip(stored.part_ids(self.session), found.parts, strict=True):
            self.written.setdefault(oid, bytes(part) if not isinstance(part, str) else b"")
        parts = [self.written[part] if isinstance(part, str) else bytes(part) for part in found.parts]
        assert all(len(part) <= LIMIT for part in parts), [len(part) for part in parts]
        return b"\n".join(parts)


@contextmanager
def small_parts(folder: Path) -> Iterator[Growing]:
    """Make parts small, and keep those in memory that would be written to git at once."""
    growing = Growing(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored, "MAX_PART", LIMIT)
        patch.setattr(stored, "_BLOCK", 128)
        patch.setattr(stored, "LargeBlobs", lambda where: nullcontext(growing))
        yield growing


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Growing]:
    with small_parts(tmp_path) as found:
        yield found


def record(size: int) -> bytes:
    """Return a JSON line of that many bytes, without its newline."""
    empty = len(b'{"t":""}')
    return b'{"t":"' + b"x" * (size - empty) + b'"}' if size >= empty else b" " * size


@pytest.mark.parametrize("newline", [b"\n", b""])
@pytest.mark.parametrize("size", [-1, 0, 1])
@pytest.mark.parametrize("head", [b"", b"{}\n", b"\n\n", b'{"a":1}\n' * 9])
def test_parts_around_the_limit(head: bytes, size: int, newline: bytes, growing: Growing) -> None:
    growing.append(head + record(LIMIT + size - len(head) - len(newline)) + newline)
    data = growing.path.read_bytes()
    whole = growing.joined()
    longest = max(len(line) for line in data.splitlines(keepends=True))
    if longest <= LIMIT:
        assert whole == data
    else:
        assert b"cut" in whole


def test_an_oversized_line_is_cut_and_its_neighbours_are_not(growing: Growing) -> None:
    growing.append(b'{"a":1}\n' + record(5 * LIMIT) + b"\n" + b'{"b":2}\n' * 70 + b'{"c":3}\n')
    found = growing.joined().splitlines()
    assert found[0] == b'{"a":1}'
    assert b"cut" in found[1]
    assert len(found[1]) <= LIMIT
    assert json.loads(found[1])
    assert found[2:] == [b'{"b":2}'] * 70 + [b'{"c":3}']


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 300), max_size=8), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_a_growing_transcript_comes_back_and_old_parts_stay(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[list[int], bool]]
) -> None:
    with small_parts(tmp_path_factory.mktemp("growing")) as growing:
        growing.append(b"{}\n")
        before: list[list[Any]] = []
        for sizes, newline in turns:
            growing.append(b"".join(record(size) + b"\n" for size in sizes))
            if not newline:
                growing.append(record(20))
            assert growing.joined() == growing.path.read_bytes()
            assert growing.session.storage.parts[: len(before)] == before
            before = list(growing.session.storage.parts)
            if not newline:
                growing.append(b"\n")


def test_names_of_parts() -> None:
    assert stored.part_names(3) == ["full.jsonl", "full.jsonl.001", "full.jsonl.002"]
    assert stored.part_names(1000)[-1] == "full.jsonl.999"
    assert stored.MAX_PART == 52_428_800
    assert stored.MERGE_AT < 999


def test_many_turns_never_make_a_thousand_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MERGE_AT", 12)
    story = Story(tmp_path / "repo")
    session = story.session()
    session.start()
    for number in range(18):
        with session.turn(f"Turn {number}"):
            session.write("a.txt", f"{number}\n")
    story.commit("All")
    (checkpoint_id,) = story.ids()
    names = story.git("ls-tree", "--name-only", f"entire/checkpoints/v1:{checkpoint_id.path}/0").split()
    assert 1 < len([name for name in names if name.startswith("full.jsonl")]) <= 13
    assert story.linked()["slots"][session.id]["transcript"] == session.file.read_text()
    assert story.log_errors() == []


def test_the_vector_of_the_content_hash() -> None:
    wanted = "sha256:e346432021b04179518d9614f3560ccd71354a4ee101ddcb893d6959a9d6301c"
    assert checkpoints.content_hash(b'{"a":1}\n') == stored.content_hash([b'{"a":1}\n']) == wanted


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=6))
def test_the_hash_is_over_the_joined_parts(parts: list[bytes]) -> None:
    assert stored.content_hash(parts) == "sha256:" + hashlib.sha256(b"\n".join(parts)).hexdigest()


# ---------------------------------------------------------------- 6: names of shadow branches


@pytest.mark.parametrize(
    ("base", "worktree", "name"),
    [
        ("f6c90115347d36f914244bdfe2f29d5488d43e44", "", "entire/f6c9011-e3b0c4"),
        ("f6c90115347d36f914244bdfe2f29d5488d43e44", "feature-x", "entire/f6c9011-c791eb"),
        ("f6c90115347d36f914244bdfe2f29d5488d43e44", "wt2", "entire/f6c9011-745b01"),
        ("0" * 40, "", "entire/0000000-e3b0c4"),
        ("", "", "entire/0000000-e3b0c4"),
    ],
)
def test_shadow_names(base: str, worktree: str, name: str) -> None:
    place = layout.Place(top="/t", git_dir="/t/.git", common_dir="/t/.git", worktree_name=worktree)
    assert steps.branch_name(base, place.worktree_id) == name


# ---------------------------------------------------------------- 10: states of other versions


@pytest.fixture
def place(tmp_path: Path) -> layout.Place:
    (tmp_path / ".git/entire-sessions").mkdir(parents=True)
    return layout.Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def go_state(place: layout.Place, **more: Any) -> Session:
    value = {
        "session_id": ID,
        "base_commit": "a" * 40,
        "started_at": "2026-02-03T04:05:06+02:00",
        "checkpoint_count": 0,
    }
    Path(sessions.go_path(place, ID)).write_text(json.dumps({**value, **more}))
    found = sessions.find(place, ID)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("phase", "ids", "wanted"),
    [
        (None, [], Phase.IDLE),
        ("", [], Phase.IDLE),
        ("idle", None, Phase.IDLE),
        ("ended", [], Phase.ENDED),
        ("active", [], Phase.ACTIVE),
        ("active", ["0123456789ab"], Phase.ACTIVE_COMMITTED),
        ("active_committed", [], Phase.ACTIVE),
        ("active_committed", ["0123456789ab"], Phase.ACTIVE_COMMITTED),
        ("something new", [], Phase.IDLE),
    ],
)
def test_phases_of_other_versions(phase: str | None, ids: list[str] | None, wanted: Phase, place: layout.Place) -> None:
    state = {"phase": phase} if phase is not None else {}
    found = go_state(place, **state, turn_checkpoint_ids=ids)
    assert found.phase is wanted
    assert [checkpoint.id for checkpoint in found.turn_checkpoints] == (ids or [])


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        ({"checkpoint_transcript_start": 7}, 7),
        ({"condensed_transcript_lines": 5}, 5),
        ({"transcript_lines_at_start": 4}, 4),
        ({"checkpoint_transcript_start": 0, "condensed_transcript_lines": 5}, 5),
        ({"checkpoint_transcript_start": 9, "condensed_transcript_lines": 5, "transcript_lines_at_start": 4}, 9),
        ({}, 0),
    ],
)
def test_old_names_of_the_token_boundary(keys: dict[str, int], count: int, place: layout.Place) -> None:
    assert go_state(place, **keys).covered.position.count == count


def test_an_old_state_is_migrated_when_it_is_saved(place: layout.Place) -> None:
    found = go_state(
        place, phase="active_committed", condensed_transcript_lines=5, turn_checkpoint_ids=["0123456789ab"],
        files_touched=None, untracked_files_at_start=None, agent_type="Claude Code", turn_id="ab0123456789",
        last_interaction_time="2026-02-03T04:05:06.123456789Z", session_turn_count=3, model_name="x",
    )  # fmt: skip
    sessions.save(place, found)
    written = strict.state(Path(sessions.go_path(place, ID)).read_text())
    assert written["phase"] == "active"
    assert written["checkpoint_transcript_start"] == 5
    assert written["turn_checkpoint_ids"] == ["0123456789ab"]
    assert "condensed_transcript_lines" not in written
    assert parse_time(written["started_at"]) == parse_time("2026-02-03T02:05:06Z")
    assert oct(os.stat(sessions.go_path(place, ID)).st_mode & 0o777) == "0o600"
    again = sessions.find(place, ID)
    assert again is not None
    assert again.phase is Phase.ACTIVE_COMMITTED
    assert not again.foreign


def test_who_wrote_last_counts(place: layout.Place) -> None:
    found = go_state(place, phase="idle")
    sessions.save(place, found)
    found.phase = Phase.ENDED
    sessions.save(place, found)
    shared = json.loads(Path(sessions.go_path(place, ID)).read_text())
    older = {**shared, "phase": "active", sessions._COUNTER: 1}  # killed between our two files: ours is the truth
    Path(sessions.go_path(place, ID)).write_text(json.dumps(older))
    assert sessions.find(place, ID).phase is Phase.ENDED  # type: ignore[union-attr]
    del shared[sessions._COUNTER]  # the Go CLI keeps no key that it does not know
    Path(sessions.go_path(place, ID)).write_text(json.dumps({**shared, "phase": "active"}))
    taken = sessions.find(place, ID)
    assert taken is not None
    assert taken.phase is Phase.ACTIVE
    assert taken.foreign


@given(
    st.dictionaries(
        st.sampled_from(
            ["phase", "turn_id", "turn_checkpoint_ids", "files_touched", "checkpoint_count", "started_at", "ended_at",
             "checkpoint_transcript_start", "transcript_path", "last_checkpoint_id", "worktree_path", "base_commit",
             "untracked_files_at_start", "agent_type", "first_prompt", "last_interaction_time"]
        ),
        st.none() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3) | st.integers(), max_size=3)
        | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2) | st.booleans(),
    )
)  # fmt: skip
def test_wrong_types_in_a_state_break_nothing(tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any]) -> None:
    top = tmp_path_factory.mktemp("state")
    (top / ".git/entire-sessions").mkdir(parents=True)
    place = layout.Place(top=str(top), git_dir=str(top / ".git"), common_dir=str(top / ".git"))
    found = go_state(place, **value)
    assert found.session_id == ID
    sessions.save(place, found)
    assert sessions.find(place, ID) is not None


def test_a_link_by_commit_id_leaves_the_branch_as_the_go_cli_reads_it(story: Story) -> None:
    """It lists checkpoints by their two-digit folders, reads their records, and keeps other files (section 2)."""
    session = story.started()
    with session.turn("Write a"):
        session.write("a.txt", "a\n")
    story.git("add", "-A")
    story.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Without hooks")
    assert story.entire("status") == 0
    names = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").split()
    top = {name.split("/")[0] for name in names}
    (shard,) = [name for name in top if len(name) == 2]
    assert top == {shard, "links"}
    (root,) = {"/".join(name.split("/")[:2]) for name in names if name.startswith(f"{shard}/")}
    checkpoint_id = root.replace("/", "")
    strict.root(story.show(f"{root}/metadata.json"), checkpoint_id)
    strict.session(story.show(f"{root}/0/metadata.json"), checkpoint_id)
    assert story.ids("HEAD") == []
    assert [story.show(name) for name in names if name.startswith("links/")] == ["", ""]
