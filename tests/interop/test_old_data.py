"""Checkpoints of old versions of the Go CLI, and checkpoints of which git lost objects (formats.md section 2)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.integration.story import Session, Story

BRANCH = "entire/checkpoints/v1"


class World(Story):
    """A repository with one checkpoint of one session, whose local transcript is gone."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.one = self.session()
        self.one.start()
        for number in range(2):
            with self.one.turn(f"Make {number}"):
                self.one.write(f"{number}.txt", "text\n")
        super().commit("Both")
        self.id = self.ids()[0]
        self.slot = f"{self.id.path}/0"
        self.text = self.one.file.read_text()
        self.one.end()
        self.one.file.unlink()

    def change(self, *files: tuple[str, bytes | dict[str, Any]], message: str = "Old data") -> None:
        """Write files of the checkpoints branch."""
        env = {"GIT_INDEX_FILE": str(self.root / ".git/other-index")}
        self.git("read-tree", BRANCH, env=env)
        for path, value in files:
            data = json.dumps(value, indent=2) + "\n" if isinstance(value, dict) else value.decode()
            blob = self.git("hash-object", "-w", "--stdin", stdin=data).strip()
            self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=env)
        tree = self.git("write-tree", env=env).strip()
        commit = self.git("commit-tree", tree, "-p", BRANCH, "-m", message).strip()
        self.git("update-ref", f"refs/heads/{BRANCH}", commit)

    def record(self, **changes: object) -> None:
        """Change the session's record; None removes a key."""
        value = {**json.loads(self.show(f"{self.slot}/metadata.json")), **changes}
        kept = {key: given for key, given in value.items() if given is not None}
        self.change((f"{self.slot}/metadata.json", kept))

    def lose(self, path: str) -> str:
        """Delete an object of the checkpoints branch; return its id."""
        oid = self.git("rev-parse", f"{BRANCH}:{path}").strip()
        self.path(f".git/objects/{oid[:2]}/{oid[2:]}").unlink()
        return oid


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path / "repo")
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(world.projects))
    for name in ("entire", "entire-sessions"):  # another clone, another day
        shutil.rmtree(world.path(f".git/{name}"))
    return world


def restored(world: World, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Resume; return the restored transcripts by session."""
    capsys.readouterr()
    assert world.entire("resume", "--force", "--json") == 0
    sessions = json.loads(capsys.readouterr().out)["sessions"]
    return {session["session_id"]: Path(session["path"]).read_text() for session in sessions}


# ---------------------------------------------------------------- old data


@pytest.mark.parametrize("agent", [None, "", "Agent"])
def test_a_record_without_an_agent_is_the_first_ones_that_the_go_cli_supported(
    world: World, capsys: pytest.CaptureFixture[str], agent: str | None
) -> None:
    world.record(agent=agent)
    assert world.entire("resume", "--force") == 0
    out = capsys.readouterr().out
    assert "transcript restored for Claude Code" in out
    assert f"claude -r {world.one.id}" in out
    assert restored(world, capsys) == {world.one.id: world.text}


def test_an_unknown_agent_is_still_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.record(agent="Something Else")
    assert world.entire("resume") == 1
    assert "unknown agent 'Something Else'" in capsys.readouterr().err


def test_doubled_pointers_lead_to_the_files_that_exist(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    root = json.loads(world.show(f"{world.id.path}/metadata.json"))
    double = {key: f"/{world.id.path}{path}" for key, path in root["sessions"][0].items()}
    world.change((f"{world.id.path}/metadata.json", {**root, "sessions": [double]}))
    assert restored(world, capsys) == {world.one.id: world.text}
    assert world.entire("explain", "HEAD", "--json") == 0
    shown = json.loads(capsys.readouterr().out)["checkpoints"][0]
    assert shown["problems"] == []
    assert [part["session_id"] for part in shown["parts"]] == [world.one.id]
    assert world.entire("explain", "--json") == 0
    listed = json.loads(capsys.readouterr().out)["checkpoints"]
    assert [entry["session_ids"] for entry in listed] == [[world.one.id]]


def test_a_dated_session_is_resumed_under_its_own_id(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    dated = f"2026-01-05-{world.one.id}"
    world.record(session_id=dated)
    assert restored(world, capsys) == {world.one.id: world.text}
    assert world.entire("resume", dated, "--force") == 0
    assert f"claude -r {world.one.id}" in capsys.readouterr().out
    assert [path.name for path in world.projects.iterdir()] == [f"{world.one.id}.jsonl"]


def test_a_dated_session_that_was_resumed_counts_nothing_twice(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.record(session_id=f"2026-01-05-{world.one.id}")
    assert restored(world, capsys) == {world.one.id: world.text}
    before = 2**world.one.answers - 1
    world.one.hook("session-start", source="resume")
    with world.one.turn("More"):
        world.one.write("more.txt", "more\n")
    world.commit("More")
    slot = world.linked()["slots"][world.one.id]
    assert slot["token_usage"]["input_tokens"] == 2**world.one.answers - 1 - before


# ---------------------------------------------------------------- missing objects


def parts(world: World) -> list[str]:
    names = world.git("ls-tree", "--name-only", f"{BRANCH}:{world.slot}").split()
    return [name for name in names if name.startswith("full.jsonl")]


@pytest.mark.parametrize("number", [0, 1, -1])
def test_a_missing_part_of_a_transcript_is_named(world: World, capsys: pytest.CaptureFixture[str], number: int) -> None:
    path = f"{world.slot}/{parts(world)[number]}"
    message = f"{path} is missing in git (object {world.lose(path)})"
    for command in (["explain", "HEAD", "--raw-transcript"], ["explain", "HEAD", "--full"], ["resume"],
                    ["resume", "--force"], ["resume", world.id]):  # fmt: skip
        capsys.readouterr()
        assert world.entire(*command) == 1, command
        said = capsys.readouterr().err
        assert message in said, command
        assert f"git fetch --refetch REMOTE {BRANCH}" in said, command
    assert list(world.projects.iterdir()) == []
    assert world.entire("explain", "HEAD") == 0
    assert message in capsys.readouterr().out
    assert world.entire("doctor") == 1
    assert message.replace(path, f"refs/heads/{BRANCH}:{path}") in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "/0", "/0/metadata.json", "/metadata.json", "/0/prompt.txt", "/lineage.json"])
def test_any_missing_object_of_a_checkpoint_is_found(
    world: World, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = f"{world.id.path}{name}"
    oid = world.lose(path)
    assert world.entire("doctor") == 1
    assert f"refs/heads/{BRANCH}:{path} is missing in git (object {oid})" in capsys.readouterr().out
    needed = name in ("", "/0", "/0/metadata.json")
    assert world.entire("resume", "--force") == (1 if needed else 0)
    said = capsys.readouterr()
    if needed:
        assert list(world.projects.iterdir()) == []
        assert (oid in said.err) or world.id in said.err
    else:
        assert (world.projects / f"{world.one.id}.jsonl").read_text() == world.text


@pytest.mark.parametrize("name", ["full.jsonl", "metadata.json"])
def test_of_two_sessions_the_whole_one_is_restored(world: World, capsys: pytest.CaptureFixture[str], name: str) -> None:
    second = Session(world, "second")
    with second.turn("Make c"):
        second.write("c.txt", "c\n")
    with world.session("third").turn("Make d") as third:
        third.write("d.txt", "d\n")
    world.commit("Two sessions")
    slots = [entry["metadata"] for entry in json.loads(world.show(f"{world.ids()[0].path}/metadata.json"))["sessions"]]
    records = {json.loads(world.show(path[1:]))["session_id"]: path[1:] for path in slots}
    oid = world.lose(records["second"].replace("metadata.json", name))
    text = third.file.read_text()
    for session in (second, third):
        session.end()
        session.file.unlink()
    assert world.entire("resume", "--force") == 1
    out = capsys.readouterr().out
    assert "Skipped session" in out
    assert oid in out
    assert third.file.read_text() == text
    assert not second.file.exists()


def test_a_clone_that_has_the_objects_supplies_them(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.git("clone", "-q", "--mirror", str(world.root), str(tmp_path / "other.git"))
    world.git("remote", "add", "other", str(tmp_path / "other.git"))
    world.lose(f"{world.slot}/full.jsonl")
    assert world.entire("doctor") == 1
    world.git("fetch", "-q", "--refetch", "other", BRANCH)
    assert restored(world, capsys) == {world.one.id: world.text}


def test_a_partial_clone_misses_nothing(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world.git("config", "uploadpack.allowFilter", "true")
    world.git("clone", "-q", "--filter=blob:none", "--mirror", f"file://{world.root}", str(tmp_path / "other.git"))
    world.git("clone", "-q", "--filter=blob:none", f"file://{world.root}", str(tmp_path / "partial"))
    other = Story(tmp_path / "partial", first_commit=False)
    other.git("branch", BRANCH, f"origin/{BRANCH}")
    capsys.readouterr()
    other.entire("doctor")
    assert "missing in git" not in capsys.readouterr().out
