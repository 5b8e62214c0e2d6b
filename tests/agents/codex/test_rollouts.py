"""Sessions in several files: found, joined, put back."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from entire.agents.codex import rollouts, thread_list
from entire.agents.codex.agent import Codex
from entire.model.effects import Delete, Run, Write
from tests.agents.codex import oracle
from tests.agents.codex.writer import Rollout

ID = oracle.id_of(oracle.TWO_TURNS)


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    return Path(shutil.copytree(oracle.SESSIONS, tmp_path / "sessions"))


def agent(home: Path) -> Codex:
    return Codex(env={"CODEX_HOME": str(home)})


def read(path: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Codex(env={}).transcript(path).snapshot().splitlines()]


def test_a_session_goes_on_in_its_newest_file(sessions: Path) -> None:
    assert os.path.basename(rollouts.find(str(sessions), ID)) == oracle.path_of(oracle.REVERTED).name
    later = sessions / "2027" / "01" / "02" / f"rollout-2027-01-02T03-04-05-{ID}_x.jsonl"
    later.parent.mkdir(parents=True)
    later.write_text("{}\n")
    assert rollouts.find(str(sessions), ID) == str(later)
    assert rollouts.find(str(sessions), "another") == rollouts.find(str(sessions / "missing"), ID) == ""


def test_a_new_file_is_named_after_the_time_in_the_id(tmp_path: Path) -> None:
    stamp = time.strftime("%Y/%m/%d/rollout-%Y-%m-%dT%H-%M-%S", time.localtime(0x01A1FCC4C1A3 // 1000))
    assert rollouts.place(str(tmp_path), ID) == f"{tmp_path}/{stamp}-{ID}.jsonl"
    assert rollouts.ids_of(rollouts.place(str(tmp_path), ID)) == (ID, ID)
    without = rollouts.place(str(tmp_path), "a-session")
    assert rollouts.place(str(tmp_path), "a-session") == without
    assert (rollouts.folder_of(without), *rollouts.ids_of(without)) == (str(tmp_path), "a-session", "a-session")
    assert rollouts.ids_of(str(oracle.path_of(oracle.REVERTED))) == (ID, "01a1fcc4-cd54-7a31-9c2e-5b0d6f7a8e91")
    assert rollouts.ids_of(str(tmp_path / "notes.jsonl")) == ("", "")


def test_a_prompt_taken_back_leaves_the_past_that_is_left() -> None:
    records = read(str(oracle.path_of(oracle.REVERTED)))
    assert [record["ordinal"] for record in records] == [*range(29), *range(30, 41)]
    assert sum(record["type"] == "session_meta" for record in records) == 1


def test_a_fork_has_the_history_as_its_own(sessions: Path) -> None:
    path = next(str(path) for path in sessions.rglob(oracle.path_of(oracle.FORK).name))
    first, *others = read(path)
    assert isinstance(first["payload"], dict)
    assert {first["payload"]["id"], first["payload"]["session_id"]} == {oracle.id_of(oracle.FORK)}
    assert "history_base" not in first["payload"]
    assert len(others) == 46 - 1 + 11
    fork, base = Codex(env={}).transcript(path), Codex(env={}).transcript(str(oracle.path_of(oracle.COMPACTED)))
    assert fork.shares_answer(base.end())
    assert not base.shares_answer(fork.end())


def test_a_position_in_what_was_taken_back_is_not_held() -> None:
    old = Codex(env={}).transcript(str(oracle.path_of(oracle.TWO_TURNS)))
    new = Codex(env={}).transcript(str(oracle.path_of(oracle.REVERTED)))
    assert new.holds(old.at(29))
    assert new.holds(new.end())
    end = old.end()
    assert not new.holds(end)
    inside = old.at(38)
    assert inside.byte < new.size()
    at_38 = Codex(env={}).transcript("", old.cut(inside)).end()
    assert not new.holds(at_38)


def test_without_its_base_a_file_is_what_it_holds(sessions: Path) -> None:
    segment = next(sessions.rglob(oracle.path_of(oracle.REVERTED).name))
    for path in sessions.rglob(oracle.path_of(oracle.TWO_TURNS).name):
        path.unlink()
    assert Codex(env={}).transcript(str(segment)).snapshot() == segment.read_bytes()


@pytest.mark.parametrize("base", [
    7, "x", {"thread_id": "../x"}, {"thread_id": ID, "end_ordinal_exclusive": 29},
    {"thread_id": ID, "end_ordinal_exclusive": -1, "end_byte_offset": -1},
    {"thread_id": ID, "end_ordinal_exclusive": 1, "end_byte_offset": 1 << 70},
])  # fmt: skip
def test_a_base_that_makes_no_sense_is_none(sessions: Path, base: object) -> None:
    path = sessions / "2026" / "11" / "21" / "rollout-2026-11-21T09-00-00-odd.jsonl"
    record = {"ordinal": 1, "type": "session_meta", "payload": {"id": "odd", "history_base": base}}
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n")
    assert Codex(env={}).transcript(str(path)).snapshot() == path.read_bytes()


def test_files_that_begin_in_each_other_end(tmp_path: Path) -> None:
    first, second = (tmp_path / "2026/11/21" / f"rollout-2026-11-21T09-00-0{n}-loop{n}.jsonl" for n in (1, 2))
    first.parent.mkdir(parents=True)
    for path, other in ((first, "loop2"), (second, "loop1")):
        base = {"thread_id": other, "end_ordinal_exclusive": 1, "end_byte_offset": 150}
        line = json.dumps(
            {"ordinal": 0, "type": "session_meta", "payload": {"history_base": base}}, separators=(",", ":")
        )
        path.write_text(line.ljust(149) + "\n")
    assert len(Codex(env={}).transcript(str(first)).snapshot()) <= 150 * 60


def test_the_sessions_of_a_project(sessions: Path, tmp_path: Path) -> None:
    """Without those of subagents, each once, in the file in which it goes on."""
    listed = {file.session_id: file.session_ref for file in agent(tmp_path).session_files("/home/dev/project")}
    children = {oracle.id_of(child) for child in oracle.SUBAGENTS.values()}
    assert set(listed) == {oracle.id_of(name) for name in oracle.names()} - children
    assert listed[ID].endswith("_01a1fcc4-cd54-7a31-9c2e-5b0d6f7a8e91.jsonl")
    assert agent(tmp_path).session_files("/elsewhere") == []


def test_a_session_is_put_back_where_it_goes_on_and_as_a_whole(sessions: Path, tmp_path: Path) -> None:
    codex = agent(tmp_path)
    path = codex.resolve_session_file(codex.session_dir("/x"), ID)
    assert path.startswith(str(sessions))
    whole = codex.transcript(path).snapshot()
    (write,) = codex.put_back(path, whole, {}).effects
    assert write == Write(path=path, data=whole)
    Path(path).write_bytes(whole)
    assert codex.transcript(path).snapshot() == whole
    assert codex.put_back(path, b"", {}).effects == (Delete(path=path),)


def test_a_replaced_session_is_listed_anew(tmp_path: Path) -> None:
    """Codex goes on to list turns that are gone, until what it keeps of the session is deleted."""
    import sqlite3
    import subprocess

    codex = agent(tmp_path)
    path = codex.resolve_session_file(codex.session_dir("/x"), ID)
    assert thread_list.forget(str(tmp_path), ID) == ()
    database = tmp_path / "thread_history_1.sqlite"
    with sqlite3.connect(database) as connection:
        for table in ("thread_turns", "thread_items", "thread_history_projection_state"):
            connection.execute(f"CREATE TABLE {table} (thread_id TEXT NOT NULL)")
            connection.executemany(f"INSERT INTO {table} VALUES (?)", [(ID,), ("another",)])
    assert [type(effect) for effect in codex.put_back(path, b"{}\n", {}).effects] == [Write]
    Rollout(Path(path), ID, "/x").begin()
    *_, forget = codex.put_back(path, b"{}\n", {}).effects
    assert isinstance(forget, Run)
    assert forget.inverse() == forget
    subprocess.run(forget.argv, check=True)
    for table in ("thread_turns", "thread_items", "thread_history_projection_state"):
        assert connection.execute(f"SELECT * FROM {table}").fetchall() == [("another",)]
    segment = str(oracle.path_of(oracle.REVERTED))
    *_, of_segment = codex.put_back(segment, b"{}\n", {}).effects
    assert isinstance(of_segment, Run)
    assert of_segment.argv[-1] == rollouts.ids_of(segment)[1]
    database.write_bytes(b"no database")
    assert subprocess.run(forget.argv, check=True, capture_output=True).stderr == b""
    assert database.read_bytes() == b"no database"
