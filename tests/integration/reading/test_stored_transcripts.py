"""What commands find in stored transcripts is kept: each transcript is read once, and nothing else changes."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

from entire import Workspace
from entire.agents.readings import States
from entire.git.read import Objects
from entire.git.write import blob_id
from entire.index import digests
from entire.model.conversations import ShowRequest
from entire.queries.transcripts import outlines, state_blobs
from entire.queries.transcripts.state_blobs import StateBlobs
from tests.integration import secrets
from tests.integration.commandline import Command, Repo
from tests.integration.reading.test_digest import run
from tests.integration.story import Story

COMMANDS = (
    ("story", "main~3..main", "--json"),
    ("explain", "main", "--json"),
    ("show", "main", "--json", "--full"),
    ("show", "main~2", "--json"),
)


@pytest.fixture
def repo(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    """Three commits of two sessions at work at the same time."""
    monkeypatch.chdir(story.root)
    one, other = story.started(), story.started()
    for number in range(3):
        with one.turn(f"Write part {number}"):
            one.write(f"a{number}.py", f"a = {number}\n")
            run(one, "pytest -q", f"{number + 1} passed in 0.1s")
        with other.turn(f"Write its test {number}"):
            other.write(f"b{number}.py", f"b = {number}\n")
        story.commit(f"Part {number}")
    return Repo(story.root, capsys)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The transcripts that are read as conversations from now on, without those at the beginning of another."""
    found: list[bytes] = []
    whole = States.read

    def recorded(states: States, agent: object, data: bytes) -> object:
        known = states._last
        if known is None or not known.begins_with(data):
            found.append(data)
        return whole(states, agent, data)  # type: ignore[arg-type]

    monkeypatch.setattr(States, "read", recorded)
    return found


def stored(repo: Repo) -> list[str]:
    """Return the blobs of transcripts in checkpoints."""
    rows = repo.git("ls-tree", "-r", "entire/checkpoints/v1").splitlines()
    return [row.split()[2] for row in rows if "full.jsonl" in row]


def file(repo: Repo) -> Path:
    return repo.top / ".git/entire/index" / digests.NAME


def test_a_story_reads_the_longest_transcript_of_each_session_once_and_then_none(
    repo: Repo, read: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("story", "main~3..main", "--json")
    first = repo.ok(*words)
    assert len(read) == 2
    transcripts, asked = set(stored(repo)), list[str]()
    get = Objects.get

    def recorded(objects: Objects, name: str, most: int | None = None) -> object:
        asked.append(name)
        return get(objects, name, most)

    monkeypatch.setattr(Objects, "get", recorded)
    assert repo.ok(*words) == first
    assert len(read) == 2
    assert asked
    assert not transcripts & set(asked)
    file(repo).unlink()
    assert repo.ok(*words) == first
    assert transcripts & set(asked)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_reads_each_transcript_once(repo: Repo, read: list[bytes], words: tuple[str, ...]) -> None:
    repo.ok(*words)
    assert len(read) == len(set(read)) == 2


def test_a_page_with_digests_and_conversations_reads_each_transcript_once(repo: Repo, read: list[bytes]) -> None:
    Workspace.find().history.show(ShowRequest(has_digest=True, has_subagents=True))
    assert len(read) == 2


def test_all_commands_answer_the_same_with_and_without_what_is_kept(repo: Repo) -> None:
    answers = [repo.ok(*words) for words in COMMANDS]
    assert [repo.ok(*words) for words in COMMANDS] == answers
    file(repo).write_bytes(b"damaged")
    assert [repo.ok(*words) for words in COMMANDS] == answers
    file(repo).unlink()
    assert [repo.ok(*words) for words in reversed(COMMANDS)] == answers[::-1]


def test_a_transcript_at_the_beginning_of_one_that_was_read_is_not_read_from_git(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {int(repo.git("cat-file", "-s", oid)): oid for oid in stored(repo)}
    blob, asked = Objects.blob, list[str]()

    def recorded(objects: Objects, name: str) -> bytes | None:
        asked.append(name)
        return blob(objects, name)

    monkeypatch.setattr(Objects, "blob", recorded)
    with contextlib.closing(StateBlobs(str(repo.top))) as blobs:
        blobs.expect(sizes.values())
        assert blobs.sizes(sizes.values()) == sum(sizes)
        contents = [blobs.blob(sizes[size]) for size in sorted(sizes, reverse=True)]
    assert [len(content or b"") for content in contents] == sorted(sizes, reverse=True)
    whole = contents[0] or b""
    beginnings = {content for content in contents[1:] if content and whole.startswith(content)}
    assert not {blob_id(content, 40) for content in beginnings} & set(asked)


def test_of_many_blobs_only_some_megabytes_are_held(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    oids = stored(repo)
    with contextlib.closing(StateBlobs(str(repo.top))) as blobs:
        contents = {oid: blobs.blob(oid) for oid in oids}
    monkeypatch.setattr(state_blobs, "_KEPT", max(len(content or b"") for content in contents.values()))
    with contextlib.closing(StateBlobs(str(repo.top))) as blobs:
        for oid in [*oids, *reversed(oids)]:
            assert blobs.blob(oid) == contents[oid]
            assert sum(len(kept or b"") for kept in blobs._kept.values()) <= state_blobs._KEPT


def test_all_that_is_kept_is_of_classes_that_can_be_read_again() -> None:
    assert {"SlotPrompts", "PartDigest", "Prompt"} <= {kind.__name__ for kind in outlines.KEPT}


def test_a_workspace_that_only_reads_writes_nothing(repo: Repo) -> None:
    before = repo.files()
    Workspace(Workspace.find().place, only_reads=True).history.story("main~3..main")
    assert repo.files() == before
    assert not file(repo).exists()


def test_hooks_write_nothing_there(repo: Repo) -> None:
    assert not file(repo).exists()


def test_what_is_forgotten_is_not_kept(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    secrets.with_tulip(story)
    kept = story.root / ".git/entire/index" / digests.NAME
    Command(story, capsys, "story")("HEAD~1..HEAD")
    assert any(secrets.TULIP in body for body in digests.bodies(str(kept.parent)))
    other = Workspace.find(story.root)  # reads before, and keeps afterwards
    catalog = other._opened.catalog
    assert catalog.tips
    sys.stdin = io.TextIOWrapper(io.BytesIO(f"{secrets.TULIP}\n".encode()))
    view = json.loads(Command(story, capsys, "forget")("--secret", "-", "--yes", "--json"))
    assert view["has_index"] is True
    assert not kept.exists()
    other.history.story("HEAD~1..HEAD")
    assert not any(secrets.TULIP in body for body in digests.bodies(str(kept.parent)))
    assert not secrets.files_with(story, secrets.TULIP)


def long_session(story: Story, turns: int = 12) -> str:
    session = story.started()
    for number in range(turns):
        with session.turn(f"Write part {number}"):
            session.write(f"a{number}.py", f"a = {number}\n")
            run(session, "pytest -q", f"{number} passed in 0.1s " + "word " * 5000)
    story.commit("All parts")
    with session.turn("Another"):
        session.write("b.py", "b = 1\n")
    story.commit("Another part")
    (story.projects / f"{session.id}.jsonl").unlink()  # so that only what is stored can be shown
    for path in (story.root / ".git/entire-sessions").glob(f"{session.id}*"):
        path.unlink()
    return session.id


def test_a_turn_is_shown_as_in_the_whole_and_only_its_bytes_are_read(
    story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], read: list[bytes]
) -> None:
    monkeypatch.chdir(story.root)
    repo, name = Repo(story.root, capsys), long_session(story)
    whole = json.loads(repo.ok("show", name, "--json", "--full"))["conversations"][0]
    first = json.loads(repo.ok("show", f"{name}:7", "--json", "--full"))["conversations"][0]
    size = max(map(len, read))
    turns = whole["turns"]
    ends = [turn["position"] for turn in turns[7:8]]
    assert first["turns"] == turns[6:7]
    assert first["messages"] == [each for each in whole["messages"] if turns[6]["position"] <= each["at"] < ends[0]]
    read.clear()
    transcripts, asked = set(stored(repo)), list[str]()
    get = Objects.get

    def recorded(objects: Objects, oid: str, most: int | None = None) -> object:
        asked.append(oid)
        return get(objects, oid, most)

    monkeypatch.setattr(Objects, "get", recorded)
    for number in (7, 1, 13):
        again = json.loads(repo.ok("show", f"{name}:{number}", "--json", "--full"))["conversations"][0]
        assert again["turns"] == turns[number - 1 : number]
        assert number != 7 or again == first
    assert len(read) == 3, "one part each"
    assert max(map(len, read)) < size / 6
    blobs = transcripts & set(asked)
    assert 0 < len(blobs) < len(transcripts)
    answer = repo.ok("why", "a6.py:1")
    assert "Write part 6" in answer
    read.clear()
    assert repo.ok("why", "a6.py:1") == answer
    assert 0 < max(map(len, read), default=1) < size / 6
    assert set(first["models"]) == set(whole["models"])
    assert sum(one["api_call_count"] for one in first["models"].values()) < sum(
        one["api_call_count"] for one in whole["models"].values()
    )
