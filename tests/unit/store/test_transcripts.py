"""A transcript stored turn by turn: its parts join to the whole, and those that are stored never change."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from entire.agents.transcripts import shorten
from entire.git.read import Object, Objects
from entire.git.write import blob_id
from entire.model.positions import SessionRef, StoredLines
from entire.model.session import Session
from entire.model.transcripts import FileLines
from entire.redact import Redacted, Redactor, Sources, trusted
from entire.store import transcripts
from entire.store.transcripts import Stored

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Blobs(Objects):
    """What was written to git, by id."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes, oid: str = "") -> str:
        assert oid in ("", blob_id(data, 40))
        oid = blob_id(data, 40)
        self.kept[oid] = data
        return oid

    def get(self, name: str, most: int | None = None) -> Object | None:
        return Object(oid=name, type="blob", data=self.kept[name]) if name in self.kept else None


class World:
    """One session's transcript file, and the git that its parts go to."""

    def __init__(self, folder: str, *, remembers: bool) -> None:
        self.redactor = Redactor(Sources(memory=os.path.join(folder, "known") if remembers else ""))
        self.session = Session("s")
        self.session.session_ref = SessionRef(os.path.join(folder, "s.jsonl"))
        self.blobs = Blobs()
        self.stored = Stored(parts=(), lines=0)  # by the last turn

    def store_whole(self, data: bytes) -> str | Redacted:
        """Return the only part of a transcript that is stored in one piece."""
        (part,) = transcripts.store_whole(self.session, [data], self.blobs, self.redactor).parts
        return part

    def write(self, data: bytes) -> None:
        with open(self.session.session_ref, "wb") as file:
            file.write(data)

    def append(self, data: bytes) -> None:
        with open(self.session.session_ref, "ab") as file:
            file.write(data)

    def data(self) -> bytes:
        return transcripts.read_span(self.session.session_ref, 0, 1 << 30)

    def store(self) -> list[bytes]:
        """Store the transcript as it is, as the end of a turn does; return its parts as they go into the tree."""
        data = self.data()
        held = FileLines(path=self.session.session_ref, lines=len(data.splitlines()), size=len(data))
        transcripts.merge(self.session, self.blobs, "")
        self.stored = transcripts.store(self.session, held, "", shorten, self.redactor)
        parts = []
        for part in self.stored.parts:
            if isinstance(part, Redacted):
                self.blobs.put(part)
                parts.append(bytes(part))
            else:
                parts.append(self.blobs.kept[part])
        return parts


@contextmanager
def world(
    *, block: int = 1 << 20, part: int = 1 << 20, merge_at: int = 400, remembers: bool = False
) -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        sandbox = World(folder, remembers=remembers)
        with patch.multiple(
            transcripts,
            _BLOCK=block,
            MAX_PART=part,
            MERGE_AT=merge_at,
            LargeBlobs=lambda where: nullcontext(sandbox.blobs),
        ):
            yield sandbox


record = st.builds(
    lambda text, size: json.dumps({"text": text, "more": "x" * size}).encode(),
    st.sampled_from(["hello", "wörld", f"token {SECRET}", ""]),
    st.integers(0, 120),
)
line = st.one_of(
    record, st.just(b""), st.just(b"\xff not json \r"), st.binary(max_size=20).filter(lambda b: b"\n" not in b)
)
growth = st.lists(line, max_size=6).map(lambda records: b"".join(record + b"\n" for record in records))


@given(
    st.lists(st.tuples(growth, st.booleans()), min_size=1, max_size=8),
    st.sampled_from([16, 64, 300, 1 << 20]),
    st.sampled_from([3, 5, 400]),
)
@settings(max_examples=50)
def test_a_growing_transcript_is_whole_after_each_turn_and_its_stored_parts_stay(
    turns: list[tuple[bytes, bool]], block: int, merge_at: int
) -> None:
    with world(block=block, merge_at=merge_at) as sandbox:
        for added, cut in turns:
            sandbox.append(added)
            if cut:
                sandbox.append(b'{"half a line": ')  # the agent was killed while it wrote
            before = [tuple(part) for part in sandbox.session.storage.parts]
            parts = sandbox.store()
            assert b"\n".join(parts) == sandbox.redactor.redact_jsonl(sandbox.data())
            assert SECRET.encode() not in b"".join(parts)
            after = [tuple(part) for part in sandbox.session.storage.parts]
            if len(before) < merge_at:
                assert after[: len(before)] == before
            assert all(oid in sandbox.blobs.kept for oid, _ in after), "remembered parts are in git"
            assert sum(count for _, count in after) == sandbox.session.storage.extent.lines
            assert sandbox.session.storage.extent.lines == sandbox.data()[: sandbox.session.storage.extent.size].count(
                b"\n"
            )


@given(growth, growth, growth)
@settings(max_examples=30)
def test_storing_twice_changes_nothing(first: bytes, second: bytes, third: bytes) -> None:
    with world(block=64) as sandbox:
        sandbox.append(first + second)
        parts = sandbox.store()
        remembered = list(sandbox.session.storage.parts)
        assert sandbox.store() == parts
        assert sandbox.session.storage.parts == remembered
        sandbox.append(third)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(sandbox.data())


def test_the_same_parts_are_in_every_checkpoint() -> None:
    with world() as sandbox:
        seen: list[bytes] = []
        for number in range(20):
            sandbox.append(b'{"turn": %d}\n{"answer": %d}\n' % (number, number))
            parts = sandbox.store()
            assert parts[: len(seen)] == seen, "what was stored before is stored as the same blobs"
            assert parts[-1] == b'{"answer": %d}\n' % number, "the last line stands alone"
            seen = parts[:-1]


@given(growth, growth, growth)
@settings(max_examples=30)
def test_a_rewritten_file_is_stored_from_its_beginning(old: bytes, new: bytes, more: bytes) -> None:
    with world(block=64) as sandbox:
        sandbox.write(b'{"first": 1}\n' + old)
        sandbox.store()
        sandbox.write(b'{"other": 1}\n' + new.replace(b"\n", b" anew\n"))
        assert transcripts.was_rewritten(sandbox.session) == (sandbox.session.storage.extent.size > 0)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(sandbox.data())
        sandbox.append(more)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(sandbox.data())


def test_a_file_cut_in_its_middle_is_stored_as_it_is_now() -> None:
    with world() as sandbox:
        sandbox.write(b'{"a": 1}\n{"b": 2}\n{"c": 3}\n')
        sandbox.store()
        sandbox.write(b'{"a": 1}\n')
        assert sandbox.store() == [b'{"a": 1}\n']
        assert sandbox.session.storage.parts == []
        sandbox.append(b'{"d": 4}\n')
        assert sandbox.store() == [b'{"a": 1}', b'{"d": 4}\n']


def test_a_file_that_is_gone_has_no_parts_and_keeps_none() -> None:
    with world() as sandbox:
        sandbox.write(b'{"a": 1}\n{"b": 2}\n')
        sandbox.store()
        os.unlink(sandbox.session.session_ref)
        assert sandbox.store() == []
        assert (sandbox.session.storage.parts, sandbox.session.storage.extent) == ([], StoredLines())


def test_many_turns_never_make_more_parts_than_three_digits_count() -> None:
    with world() as sandbox:
        most = 0
        for number in range(1300):
            sandbox.append(b'{"turn": %d}\n' % number)
            parts = sandbox.store()
            most = max(most, len(parts))
        assert most <= 999
        assert b"\n".join(parts) == sandbox.data()


def test_parts_that_are_gone_from_git_are_stored_anew() -> None:
    with world(merge_at=3) as sandbox:
        for number in range(4):
            sandbox.append(b'{"turn": %d}\n' % number)
            sandbox.store()
        sandbox.blobs.kept.clear()
        sandbox.append(b'{"turn": 4}\n')
        assert b"\n".join(sandbox.store()) == sandbox.data()


@given(
    st.lists(st.tuples(st.sampled_from([10, 300, 900, 2500, 9000]), st.booleans()), min_size=1, max_size=8),
    st.sampled_from([100, 500]),
    st.booleans(),
)
@example([(900, False), (300, False), (300, False)], 100, False)
@settings(max_examples=40)
def test_no_part_is_above_the_limit_and_a_line_that_is_stays_one_record(
    sizes: list[tuple[int, bool]], block: int, cut: bool
) -> None:
    lines = [json.dumps({"n": n, "text": "v" * size}).encode() for n, (size, _) in enumerate(sizes)]
    with world(block=block, part=1000) as sandbox:
        for text, (_, ends_turn) in zip(lines, sizes, strict=True):
            sandbox.append(text + b"\n")
            if ends_turn:
                sandbox.store()
        if cut:
            sandbox.append(b'{"text": "' + b"v" * 3000)
        parts = sandbox.store()
        assert max(map(len, parts)) <= 1000
        stored = b"\n".join(parts).split(b"\n")[: len(lines)]
        assert len(b"\n".join(parts).splitlines()) == len(lines) + cut
        for text, kept in zip(lines, stored, strict=True):
            assert kept == text if len(text) < 1000 else json.loads(kept)


def test_the_hash_is_over_the_joined_parts() -> None:
    assert transcripts.content_hash([b'{"a":1}\n']) == (
        "sha256:e346432021b04179518d9614f3560ccd71354a4ee101ddcb893d6959a9d6301c"
    )
    assert transcripts.content_hash([b'{"a":1}', b'{"b":2}\n']) == transcripts.content_hash([b'{"a":1}\n{"b":2}\n'])
    big = b'{"a":1}\n' * 50_000
    half = 8 * 25_000
    assert transcripts.content_hash([big[: half - 1], big[half:]]) == transcripts.content_hash([big])


def test_part_names_are_those_of_the_format() -> None:
    assert transcripts.part_names(3) == ["full.jsonl", "full.jsonl.001", "full.jsonl.002"]
    assert transcripts.part_names(0) == []


def test_a_document_is_redacted_as_a_whole() -> None:
    with world() as sandbox:
        data = json.dumps({"messages": [SECRET]}, indent=2).encode()
        stored = transcripts.store_whole(sandbox.session, [data], sandbox.blobs, sandbox.redactor)
        assert stored.parts == (sandbox.redactor.redact_json(data),)
        assert (sandbox.session.storage.parts, sandbox.session.storage.extent) == ([], StoredLines())
        assert isinstance(stored.parts[0], Redacted)


@given(st.lists(growth, min_size=1, max_size=4), st.binary(max_size=3))
@settings(max_examples=40)
def test_lines_in_one_piece_are_redacted_once(turns: list[bytes], cut: bytes) -> None:
    with world() as sandbox:
        data = b'{"first": 1}\n'
        for added in turns:
            data += added
            whole = data + cut.replace(b"\n", b"")
            found = sandbox.store_whole(whole)
            part = sandbox.blobs.kept[found] if isinstance(found, str) else found
            assert part == sandbox.redactor.redact_jsonl(whole)
            sandbox.blobs.put(part)
            for oid, lines in sandbox.session.storage.parts:
                assert (sandbox.blobs.kept[oid], lines) == (part, whole.count(b"\n"))
        other = b'{"second": 2}\n' + data
        assert sandbox.store_whole(other) == sandbox.redactor.redact_jsonl(other)


def test_lines_in_one_piece_that_are_stored_are_not_written_again() -> None:
    with world() as sandbox:
        data = b'{"first": 1}\n{"second": 2}\n'
        part = sandbox.store_whole(data)
        assert isinstance(part, bytes)
        oid = sandbox.blobs.put(part)
        before = sandbox.session.storage.extent
        again = transcripts.store_whole(sandbox.session, [data], sandbox.blobs, sandbox.redactor)
        assert (again.parts, again.size, sandbox.session.storage.extent) == ((oid,), len(data), before)
        del sandbox.blobs.kept[oid]
        assert sandbox.store_whole(data) == part, "if git has lost it"


def test_a_large_piece_is_put_into_git_at_once() -> None:
    with world(block=100) as sandbox:
        small, large = b'{"text": 1}\n', b'{"text": 1}\n' * 9
        for data in (large, small):
            whole = transcripts.store_whole(sandbox.session, [data], sandbox.blobs, sandbox.redactor)
            (part,) = transcripts.put_large(whole, sandbox.session, "").parts
            assert (sandbox.blobs.blob(part) if isinstance(part, str) else part) == data
            assert isinstance(part, str) == (data == large)


def test_lines_in_one_piece_go_on_behind_a_secret() -> None:
    """What is stored of them is shorter than what they were."""
    with world() as sandbox:
        data = json.dumps({"key": SECRET}).encode() + b"\n"
        part = sandbox.store_whole(data)
        assert isinstance(part, bytes)
        assert len(part) != len(data)
        sandbox.blobs.put(part)
        whole = data + b'{"more": 2}\n'
        assert sandbox.store_whole(whole) == part + b'{"more": 2}\n'


def test_lines_in_one_piece_that_were_rewritten_are_stored_from_their_beginning() -> None:
    with world() as sandbox:
        for whole in (b'{"first": 1}\n{"more": 3}\n', b'{"other": 2}\n{"more": 3}\n'):
            part = sandbox.store_whole(whole)
            assert isinstance(part, bytes)
            assert part == whole
            sandbox.blobs.put(part)


@pytest.mark.parametrize("path", ["", "/nowhere/x.jsonl", "/"])
def test_a_file_that_cannot_be_read_is_empty(path: str) -> None:
    assert transcripts.read_span(path, 0, 10) == b""
    session = Session("s")
    session.session_ref = SessionRef(path)
    assert transcripts.store(session, FileLines(path=path, lines=0, size=0), "", shorten, Redactor()).parts == ()


def test_only_redacted_bytes_are_parts() -> None:
    with world() as sandbox:
        sandbox.append(b'{"a": 1}\n')
        stored = transcripts.store(
            sandbox.session,
            FileLines(path=sandbox.session.session_ref, lines=1, size=9),
            "",
            shorten,
            sandbox.redactor,
        )
        assert stored.parts == (trusted(b'{"a": 1}\n'),)


PASSWORD = "tr0ub4dor&3-xK"
BARE = json.dumps({"text": f"{PASSWORD} is what it said"}).encode() + b"\n"
NAMED = json.dumps({"text": f"password = '{PASSWORD}'"}).encode() + b"\n"


@pytest.mark.parametrize("block", [40, 1 << 20])
def test_what_a_later_turn_reveals_goes_from_earlier_turns(block: int) -> None:
    with world(remembers=True, block=block) as sandbox:
        sandbox.append(BARE + b'{"more": 1}\n' * 9)
        assert PASSWORD.encode() in b"\n".join(sandbox.store())
        sandbox.append(b'{"clean": 1}\n')
        before = list(sandbox.session.storage.parts)
        sandbox.store()
        assert sandbox.session.storage.parts[: len(before)] == before
        sandbox.append(NAMED + b'{"last": 1}\n')
        stored = b"\n".join(sandbox.store())
        assert stored == sandbox.redactor.redact_jsonl(sandbox.data())
        assert b"tr0ub" not in stored
        before = list(sandbox.session.storage.parts)
        sandbox.append(NAMED)
        sandbox.store()
        assert sandbox.session.storage.parts[: len(before)] == before, (
            "what is known already is no reason to store anew"
        )


def test_what_a_later_block_reveals_goes_from_earlier_ones_of_the_same_turn() -> None:
    with world(remembers=True, block=40) as sandbox:
        sandbox.append(BARE + b'{"more": 1}\n' * 9 + NAMED + b'{"last": 1}\n')
        stored = sandbox.store()
        assert len(stored) > 3
        assert b"\n".join(stored) == sandbox.redactor.redact_jsonl(sandbox.data())
        assert b"tr0ub" not in b"\n".join(stored)
        sandbox.append((BARE + b'{"more": 1}\n' * 9 + NAMED).replace(b"tr0ub", b"tr0uc"))
        before = list(sandbox.session.storage.parts)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(sandbox.data())
        assert sandbox.session.storage.parts[: len(before)] == before, "what is stored already reveals nothing"


@pytest.mark.parametrize("more", [b"", b'{"more": 2}\n'])
def test_what_others_reveal_between_two_turns_goes_from_earlier_ones(more: bytes) -> None:
    with world(remembers=True, block=40) as sandbox:
        sandbox.append(BARE + b'{"more": 1}\n' * 9)
        assert PASSWORD.encode() in b"\n".join(sandbox.store())
        sandbox.redactor.redact_jsonl(NAMED)
        sandbox.append(more)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(sandbox.data())
        assert sandbox.session.storage.redacted_with == sandbox.redactor.memory_size() > 0


@pytest.mark.parametrize("is_document", [True, False])
def test_what_others_reveal_goes_from_what_is_in_one_piece(is_document: bool) -> None:
    data = json.dumps({"messages": [json.loads(BARE)]}).encode() if is_document else BARE * 2
    with world(remembers=True) as sandbox:
        for _ in range(2):
            for part in transcripts.store_whole(sandbox.session, [data], sandbox.blobs, sandbox.redactor).parts:
                if not isinstance(part, str):
                    sandbox.blobs.put(part)
            assert part == blob_id(data, 40) or part == data
        sandbox.redactor.redact_jsonl(NAMED)
        part = sandbox.store_whole(data)
        assert isinstance(part, bytes)
        assert part == sandbox.redactor.redact_json(data) != data
        sandbox.blobs.put(part)
        again = sandbox.store_whole(data)
        assert again == blob_id(part, 40)


def test_what_a_later_turn_reveals_goes_from_lines_in_one_piece() -> None:
    with world(remembers=True) as sandbox:
        part = sandbox.store_whole(BARE)
        assert part == BARE
        sandbox.blobs.put(BARE)
        part = sandbox.store_whole(BARE + NAMED)
        assert isinstance(part, bytes)
        assert PASSWORD not in bytes(part).decode()
        assert part == sandbox.redactor.redact_jsonl(BARE + NAMED)


def test_a_transcript_that_has_not_grown_is_not_redacted_again() -> None:
    with world(remembers=True) as sandbox:
        sandbox.append(b'{"first": 1}\n' + BARE)
        before = sandbox.store()
        with patch.object(Redactor, "redact_jsonl", side_effect=AssertionError):
            assert sandbox.store() == before
        assert [part for part in sandbox.stored.parts if not isinstance(part, str)] == []
        assert sandbox.stored.lines == 2
        assert transcripts.part_ids(sandbox.session) == [blob_id(part, 40) for part in before]


def test_a_last_line_that_is_new_known_or_written_over_is_redacted() -> None:
    with world(remembers=True) as sandbox:
        sandbox.append(b'{"first": 1}\n' + BARE)
        sandbox.store()
        sandbox.redactor.redact_jsonl(NAMED)  # by another process
        (_, last) = sandbox.store()
        assert PASSWORD.encode() not in last
        written = sandbox.data()[:-3] + b"0}\n"
        sandbox.write(written)
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(written)
        sandbox.write(written[:-1])  # the newline is not there yet
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(written[:-1])
        sandbox.write(written + b'{"last": 1}\n')
        assert b"\n".join(sandbox.store()) == sandbox.redactor.redact_jsonl(written) + b'{"last": 1}\n'


def test_more_than_one_hook_stores_is_taken_over_by_later_ones() -> None:
    lines = [b'{"n":%d}\n' % number for number in range(20)]
    with world(block=32) as sandbox, patch.object(transcripts, "MAX_NEW", 64):
        sandbox.write(b"".join(lines))
        sizes = [len(b"\n".join(sandbox.store())) for _ in range(2)]
        reached = sandbox.stored
        whole = b"\n".join(sandbox.store())
    assert sizes[0] <= 64 < sizes[1] <= 128
    assert reached.size == sizes[1] + 1
    assert reached.lines == b"".join(lines)[: reached.size].count(b"\n")
    assert whole == b"".join(lines)


@pytest.mark.parametrize("is_last", [True, False])
def test_of_a_line_that_is_too_large_only_its_size_is_stored(is_last: bool) -> None:
    large = b'{"text":"' + b"x" * 500 + b'"}\n'
    after = b"" if is_last else b'{"n":2}\n{"n":3}\n'
    with world(block=16) as sandbox, patch.object(transcripts, "MAX_LINE", 100):
        sandbox.write(b'{"n":1}\n' + large + after)
        assert b"\n".join(sandbox.store()) == b'{"n":1}\n{"type":"cut","bytes":512}\n' + after
        sandbox.append(b'{"n":4}\n')
        assert b"\n".join(sandbox.store()) == b'{"n":1}\n{"type":"cut","bytes":512}\n' + after + b'{"n":4}\n'


def test_a_file_that_is_no_file_has_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    assert [transcripts.read_span(str(tmp_path / name), 0, 10) for name in ("pipe", "link")] == [b"", b""]
    assert [transcripts.size(str(tmp_path / name)) for name in ("pipe", "link")] == [0, 0]


class Composed:
    """What is stored of lines that are in no file, turn by turn."""

    def __init__(self, sandbox: World) -> None:
        self.world = sandbox
        sandbox.session.session_ref = SessionRef.of_rows("/agent.db", "s")

    def store(self, data: bytes, settled: int | None) -> list[str]:
        """Return the ids of the parts, which join to the lines."""
        world, lines = self.world, len(data.splitlines())
        held = FileLines(lines=lines, size=len(data), content=data, settled=settled)
        found = transcripts.store(world.session, held, "", shorten, world.redactor)
        ids = [world.blobs.put(part) if isinstance(part, Redacted) else part for part in found.parts]
        assert b"\n".join(world.blobs.kept[oid] for oid in ids) == data
        assert not transcripts.was_rewritten(world.session), "nothing tells but the lines themselves"
        return ids


ROWS = [b'{"row": %d}\n' % number for number in range(6)]


def test_what_is_settled_stays_and_what_follows_is_stored_again() -> None:
    with world() as sandbox:
        composed = Composed(sandbox)
        first = composed.store(b"".join(ROWS[:4]), settled=2 * len(ROWS[0]))
        assert len(first) == 2, "the settled rows, and what follows them"
        changed = [*ROWS[:2], b'{"row": "changed"}\n', *ROWS[3:]]
        second = composed.store(b"".join(changed), settled=5 * len(ROWS[0]))
        assert second[0] == first[0]
        assert len(second) == 3
        assert composed.store(b"".join(changed), settled=None)[0] == first[0]
        assert composed.store(b"".join(changed[:3]), settled=0) != second, "it was cut"


def test_a_row_that_changes_although_it_was_settled_is_stored() -> None:
    with world(block=20) as sandbox:
        composed = Composed(sandbox)
        first = composed.store(b"".join(ROWS), settled=None)
        changed = [b'{"row": 9}\n', *ROWS[1:]]
        assert composed.store(b"".join(changed), settled=None) != first


def test_all_that_is_settled_still_ends_with_a_line() -> None:
    with world() as sandbox:
        data = b"".join(ROWS)
        parts = Composed(sandbox).store(data, settled=len(data))
        assert sandbox.blobs.kept[parts[-1]] == ROWS[-1]


def test_more_than_a_part_that_may_change_is_stored_in_parts() -> None:
    with world(part=30, block=20) as sandbox:
        assert len(Composed(sandbox).store(b"".join(ROWS), settled=0)) > 2
