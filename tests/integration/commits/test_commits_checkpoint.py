"""Checkpoints are written and read with real git: slots, quirks of old data, concurrent writers, long lists."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.errors import EntireError, RefMovedError
from entire.git import refs, write
from entire.git.read import Objects
from entire.git.write import ImportStream
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.tokens import TokenUsage
from entire.model.value import replace
from entire.redact import Redacted, trusted
from entire.store import checkpoint_writer, checkpoints, gojson, stored_contents
from entire.store.checkpoint_writer import SlotContent, TaskContent

ID = CheckpointId("a1b2c3d4e5f6")
AUTHOR = "Ada <ada@example.com> 1700000000 +0100"


@pytest.fixture
def where(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    return str(tmp_path / "repo")


def git(where: str, *args: str, data: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", where, *args], check=True, capture_output=True, input=data)
    return done.stdout.decode()


def content(session: str, *lines: str, files: tuple[str, ...] = ("x",), checkpoint: str = ID) -> SlotContent:
    record = SessionRecord(
        checkpoint_id=checkpoint,
        session_id=session,
        strategy="manual-commit",
        created_at=gojson.rfc3339(1700000000.5),
        branch="main",
        checkpoints_count=1,
        files_touched=files,
        agent="Claude Code",
        token_usage=TokenUsage(input_tokens=10, api_call_count=1),
    )
    text = trusted("".join(line + "\n" for line in lines).encode())
    prompts = (trusted(b"do <this> & that"), trusted("é".encode() * 300))
    return SlotContent(record=record, parts=(text,), content_hash=checkpoints.content_hash(text), prompts=prompts)


def save(where: str, *sessions: SlotContent, tasks: tuple[TaskContent, ...] = (), **beside: Redacted) -> str:
    message = checkpoint_writer.new_message(ID, [("Entire-Session", sessions[0].record.session_id)])
    checkpoint_id = CheckpointId(sessions[0].record.checkpoint_id)
    with Objects(where) as objects:
        for attempt in checkpoint_writer.attempts(where, objects):
            existing = checkpoints.read_at(objects, attempt.base, checkpoint_id)
            changes = checkpoint_writer.compose(sessions, existing, tasks=tasks, beside=beside)
            attempt.write(changes, message=message, author=AUTHOR)
    return attempt.commit


def load(where: str, checkpoint_id: CheckpointId = ID) -> checkpoints.Checkpoint:
    with Objects(where) as objects:
        found = checkpoints.read(objects, [checkpoints.LOCAL_REF], checkpoint_id)
    assert found is not None
    return found


def names(where: str) -> list[str]:
    return git(where, "ls-tree", "-r", "--name-only", checkpoints.LOCAL_REF).split()


def put(where: str, files: dict[str, bytes]) -> None:
    """Write a branch as somebody else may have left it."""
    stream = ImportStream(where)
    changes = {name: ("100644", stream.blob(data)) for name, data in files.items()}
    mark = stream.commit(message=b"x", author=AUTHOR, changes=changes)
    refs.move(where, [refs.RefMove(ref=checkpoints.LOCAL_REF, new=stream.write()[mark])])


def test_the_first_checkpoint_makes_the_branch(where: str) -> None:
    save(where, content("s1", "{}"))
    messages = git(where, "log", "--format=%B%x00", checkpoints.LOCAL_REF).split("\0")
    assert messages[0] == f"Checkpoint: {ID}\n\nEntire-Session: s1\n"
    assert messages[1].strip().startswith("Initialize metadata branch\n\nThis branch stores")
    assert git(where, "ls-tree", f"{checkpoints.LOCAL_REF}~1") == ""
    assert git(where, "log", "-1", "--format=%an %ae %at %cn %ct", checkpoints.LOCAL_REF) == (
        "Ada ada@example.com 1700000000 Ada 1700000000\n"
    )
    assert names(where) == [f"a1/b2c3d4e5f6/{name}" for name in (
        "0/content_hash.txt", "0/context.md", "0/full.jsonl", "0/metadata.json", "0/prompt.txt", "metadata.json",
    )]  # fmt: skip


def test_files_have_the_bytes_of_the_format(where: str) -> None:
    save(where, content("s1", '{"a":1}'))
    show = f"{checkpoints.LOCAL_REF}:a1/b2c3d4e5f6"
    assert git(where, "show", f"{show}/0/content_hash.txt") == (
        "sha256:e346432021b04179518d9614f3560ccd71354a4ee101ddcb893d6959a9d6301c"
    )
    cut = "é" * 250 + "..."
    assert git(where, "show", f"{show}/0/context.md") == (
        f"# Session Context\n\n## User Prompts\n\n### Prompt 1\n\ndo <this> & that\n\n### Prompt 2\n\n{cut}\n\n"
    )
    assert git(where, "show", f"{show}/0/prompt.txt") == "do <this> & that\n\n---\n\n" + "é" * 300
    root = json.loads(git(where, "show", f"{show}/metadata.json"))
    assert list(root) == [
        "checkpoint_id", "strategy", "branch", "checkpoints_count", "files_touched", "sessions", "token_usage",
    ]  # fmt: skip
    assert root["sessions"] == [
        {
            "metadata": "/a1/b2c3d4e5f6/0/metadata.json",
            "transcript": "/a1/b2c3d4e5f6/0/full.jsonl",
            "context": "/a1/b2c3d4e5f6/0/context.md",
            "content_hash": "/a1/b2c3d4e5f6/0/content_hash.txt",
            "prompt": "/a1/b2c3d4e5f6/0/prompt.txt",
        }
    ]


def test_an_odd_cut_stays_utf_8() -> None:
    shown = checkpoint_writer.context_text([trusted(b"x" + "é".encode() * 300)])
    assert shown.decode().endswith("é...\n\n")
    assert len(shown) < 560


def test_two_sessions_and_the_first_again(where: str) -> None:
    save(where, content("s1", "1", files=("b",)))
    save(where, content("s2", "2", files=("a", "b")))
    again = content("s1", "1", "3", files=("c",))
    save(where, replace(again, prompts=(), content_hash="", record=replace(again.record, checkpoints_count=5)))
    found = load(where)
    assert [(slot.number, slot.session_id) for slot in found.slots] == [(0, "s1"), (1, "s2")]
    assert found.summary.files_touched == ("a", "b", "c")
    assert found.summary.checkpoints_count == 6
    assert found.summary.token_usage == TokenUsage(input_tokens=20, api_call_count=2)
    assert sorted(found.slots[0].files) == ["full.jsonl", "metadata.json"]  # emptied first
    assert found.summary.sessions[0].prompt == ""
    assert found.summary.sessions[1].prompt == "/a1/b2c3d4e5f6/1/prompt.txt"
    with Objects(where) as objects:
        assert checkpoints.transcript(objects, found.slots[0]) == b"1\n3\n"


def test_what_is_not_ours_is_kept(where: str) -> None:
    put(
        where,
        {"README": b"r", "a1/b2c3d4e5f6/other.json": b"o", "zz/x": b"z", "a1/b2c3d4e5f6/metadata.json": b'{"new": 1}'},
    )
    save(where, content("s1", "1"), notes=trusted(b"n"))
    assert {"README", "a1/b2c3d4e5f6/other.json", "zz/x", "a1/b2c3d4e5f6/notes"} < set(names(where))
    assert load(where).summary.extra == {"new": 1}
    assert [one.id for one in checkpoints.list_all(where)] == [ID]


def test_tasks_are_written_and_read(where: str) -> None:
    task = TaskContent(tool_use_id="toolu_1", session_id="s1", agent_id="ag", transcript=trusted(b"{}\n"),
                       increments={"001-toolu_1.json": trusted(b"{}")})  # fmt: skip
    save(where, content("s1", "1"), tasks=(task,))
    with Objects(where) as objects:
        (found,) = checkpoints.tasks(objects, load(where))
        assert objects.blob(found.transcripts["agent-ag.jsonl"]) == b"{}\n"
    assert (found.tool_use_id, found.session_id, found.agent_id) == ("toolu_1", "s1", "ag")
    assert list(found.increments) == ["001-toolu_1.json"]


@pytest.mark.parametrize("bad", ["../x", "a/b", "", ".git"])
def test_ids_that_leave_their_folder_are_refused(bad: str) -> None:
    with pytest.raises(EntireError):
        checkpoint_writer.compose([content(bad, "1")])
    with pytest.raises(EntireError):
        checkpoint_writer.compose([content("s", "1")], tasks=[TaskContent(tool_use_id=bad, session_id="s")])
    with pytest.raises((EntireError, ValueError)):
        checkpoint_writer.compose([content("s", "1", checkpoint=bad)])


def _old_data() -> dict[str, bytes]:
    """Gaps, a start at 1, a dangling pointer, null lists, no final newline, a time without Z, a wrong hash."""
    folder = "a1/b2c3d4e5f6"
    record = {"checkpoint_id": ID, "session_id": "old", "strategy": "manual-commit",
              "created_at": "2026-01-02T03:04:05+01:00", "files_touched": None,
              "transcript_lines_at_start": 4}  # fmt: skip
    root = {"checkpoint_id": ID, "strategy": "manual-commit", "files_touched": None, "sessions": [
        {"metadata": f"/{folder}/3/metadata.json"}, {"metadata": f"/{folder}/2/metadata.json", "transcript": "/x/../y"},
        {"metadata": f"/{folder}/9/metadata.json"}, {"metadata": "/../../etc/passwd"}]}  # fmt: skip
    return {
        f"{folder}/metadata.json": json.dumps(root).encode(),
        f"{folder}/2/metadata.json": json.dumps(record).encode(),
        f"{folder}/2/full.log": b"old",
        f"{folder}/2/content_hash.txt": b"sha256:" + b"0" * 64,
        f"{folder}/3/metadata.json": json.dumps({**record, "session_id": "later"}).encode(),
        f"{folder}/5/full.jsonl.002": b"2",
        f"{folder}/5/full.jsonl": b"0",
        f"{folder}/5/full.jsonl.001": b"1",
        f"{folder}/5/full.jsonl.x": b"x",
    }


def test_quirks_of_old_data_are_read(where: str) -> None:
    put(where, _old_data())
    found = load(where)
    assert [(slot.number, slot.session_id) for slot in found.slots] == [(3, "later"), (2, "old"), (5, "")]
    assert found.latest is not None
    assert found.latest.number == 2
    assert len(found.problems) == 2
    assert found.records[0].checkpoint_transcript_start == 4
    with Objects(where) as objects:
        assert checkpoints.transcript(objects, found.slots[1]) == b"old"
        assert stored_contents.hash_matches(objects, found.slots[1]) is False
        assert checkpoints.transcript(objects, found.slots[2]) == b"0\n1\n2"
        assert checkpoints.transcript(objects, found.slots[0]) == b""
        assert checkpoints.prompts(objects, found.slots[0]) == []


def test_writing_beside_old_data_closes_the_gaps(where: str) -> None:
    put(where, _old_data())
    save(where, content("new", "n"))
    found = load(where)
    assert [slot.number for slot in found.slots] == [0, 1, 2, 3]
    assert [slot.session_id for slot in found.slots][:2] == ["old", "later"]
    assert found.slots[3].session_id == "new"
    assert found.problems == ()
    with Objects(where) as objects:
        assert checkpoints.transcript(objects, found.slots[0]) == b"old"
        assert checkpoints.transcript(objects, found.slots[2]) == b"0\n1\n2"


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100000, b'{"sessions": 1, "files_touched": "x"}']
)
def test_broken_metadata_is_no_crash(where: str, broken: bytes) -> None:
    put(
        where,
        {"a1/b2c3d4e5f6/metadata.json": broken, "a1/b2c3d4e5f6/0/metadata.json": broken, "a1/b2c3d4e5f6/1": b"file"},
    )
    found = load(where)
    assert found.summary.checkpoint_id in (ID, "")
    (listed,) = checkpoints.list_all(where)
    assert listed.summary.checkpoint_id == ID
    save(where, content("s1", "1"))
    assert load(where).slot_of("s1") is not None


def test_parts_with_lists_of_messages_are_joined_as_documents(where: str) -> None:
    one = content("g")
    parts = (trusted(b'{"sessionId": "g", "messages": [1, 2]}'), trusted(b'{"messages": [3]}'))
    save(where, replace(one, parts=parts, record=replace(one.record, agent="Gemini CLI")))
    with Objects(where) as objects:
        joined = checkpoints.transcript(objects, load(where).slots[0])
    assert json.loads(joined) == {"sessionId": "g", "messages": [1, 2, 3]}


@pytest.mark.parametrize(
    "second", [b'{"message": 3}', b'{"messages": 3}', b'{"messages": [3]}\n{"messages": [4]}', b"3"]
)
def test_other_parts_are_joined_as_lines(where: str, second: bytes) -> None:
    one = content("g")
    first = b'{"messages": [1, 2]}'
    save(where, replace(one, parts=(trusted(first), trusted(second))))
    with Objects(where) as objects:
        assert checkpoints.transcript(objects, load(where).slots[0]) == first + b"\n" + second


def test_no_checkpoint_no_branch(where: str) -> None:
    assert checkpoints.tips(where) == {}
    assert checkpoints.list_all(where) == []
    with Objects(where) as objects:
        assert checkpoints.read(objects, checkpoints.tips(where), ID) is None
        assert checkpoints.read_at(objects, "", ID) is None


def test_nothing_to_change_writes_nothing(where: str) -> None:
    with Objects(where) as objects:
        for attempt in checkpoint_writer.attempts(where, objects):
            attempt.write({}, message=b"x", author=AUTHOR)
    assert attempt.commit == ""
    assert refs.find(where, "refs") == {}


def test_a_faster_writer_is_respected(where: str) -> None:
    """While we build, somebody else writes: we build again on top, and both are there."""
    save(where, content("s1", "1"))
    taken: list[str] = []
    with Objects(where) as objects:
        for attempt in checkpoint_writer.attempts(where, objects):
            assert attempt.is_repeated is bool(taken)
            changes = checkpoint_writer.compose([content("s3", "3")], checkpoints.read_at(objects, attempt.base, ID))
            if not taken:
                save(where, content("s2", "2"))
            taken.append(attempt.base)
            attempt.write(changes, message=b"x", author=AUTHOR)
    assert len(set(taken)) == 2
    assert [slot.session_id for slot in load(where).slots] == ["s1", "s2", "s3"]


def test_many_writers_lose_nothing(where: str) -> None:
    children = []
    for number in range(6):
        pid = os.fork()
        if not pid:
            try:
                save(where, content(f"s{number}", str(number)))
                os._exit(0)
            finally:
                os._exit(1)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 6
    assert {slot.session_id for slot in load(where).slots} == {f"s{number}" for number in range(6)}


def test_a_writer_that_never_wins_says_so(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    save(where, content("s0", "0"))

    def write_too_late(objects: Objects) -> None:
        for attempt in checkpoint_writer.attempts(where, objects):
            tip = attempt.base
            other = git(where, "commit-tree", "-m", f"after {tip}", f"{tip}^{{tree}}").strip()
            git(where, "update-ref", checkpoints.LOCAL_REF, other)
            attempt.write(checkpoint_writer.compose([content("s1", "1")]), message=b"x", author=AUTHOR)

    with Objects(where) as objects, pytest.raises(RefMovedError):
        write_too_late(objects)


def test_ten_thousand_checkpoints_are_listed_at_once(where: str) -> None:
    stream = ImportStream(where)
    root = json.dumps({"checkpoint_id": "x", "strategy": "manual-commit", "files_touched": ["a"]}).encode()
    blob = stream.blob(root)
    ids = sorted({CheckpointId(os.urandom(6).hex()) for _ in range(10_000)})
    changes = {f"{one.path}/{name}": ("100644", blob) for one in ids for name in ("metadata.json", "0/metadata.json")}
    mark = stream.commit(message=b"x", author=AUTHOR, changes=changes)
    refs.move(where, [refs.RefMove(ref=checkpoints.LOCAL_REF, new=stream.write()[mark])])
    listed = checkpoints.list_all(where)
    assert [one.id for one in listed] == ids
    assert {one.summary.strategy for one in listed[:5]} == {"manual-commit"}
    assert listed[-1].latest is not None


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.text("xy\n", max_size=5)), min_size=1, max_size=4))
def test_slots_are_always_dense(tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[str, str]]) -> None:
    where = str(tmp_path_factory.mktemp("dense"))
    subprocess.run(["git", "init", "-q", where], check=True)
    for session, text in writes:
        save(where, content(session, text))
    found = load(where)
    assert [slot.number for slot in found.slots] == list(range(len({session for session, _ in writes})))
    assert found.problems == ()
    last = dict(writes)
    with Objects(where) as objects:
        stored = {slot.session_id: checkpoints.transcript(objects, slot).decode() for slot in found.slots}
    assert stored == {session: text + "\n" for session, text in last.items()}


def test_the_author_is_gits_user_or_nobody(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write.identity(where) == "Ada Tester <ada@example.com>"
    git(where, "config", "user.name", "Eve <x>\n\nInjected")
    assert write.identity(where) == "Eve xInjected <ada@example.com>"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    git(where, "config", "--unset", "user.name")
    assert write.identity(where) == "Unknown <unknown@local>"
    assert write.author("A <b>", 12.7) == "A <b> 12 +0000"
