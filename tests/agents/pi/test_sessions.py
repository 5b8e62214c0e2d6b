"""Where Pi's sessions are, and how one is put back in another folder and is still the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.pi.agent import Pi
from entire.model.effects import Write
from entire.model.positions import START
from tests.agents.pi.writer import Entries

ID = "01a1fcc5-d115-7291-a5d3-8fccc4929689"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a b.c").mkdir()
    return tmp_path / "a b.c"


def agent(tmp_path: Path, **env: str) -> Pi:
    return Pi(env={"HOME": str(tmp_path / "home"), **env})


def written(path: Path, cwd: str, session_id: str = ID) -> Path:
    entries = Entries(path, session_id, cwd)
    entries.begin()
    entries.prompt("one")
    entries.say("1")
    return path


def test_the_folder_is_named_after_the_project(tmp_path: Path, root: Path) -> None:
    name = "--" + str(root.resolve())[1:].replace("/", "-") + "--"
    folder = agent(tmp_path).session_dir(str(root))
    assert folder == str(tmp_path / "home/.pi/agent/sessions" / name)
    assert agent(tmp_path, PI_CODING_AGENT_DIR="/x").session_dir(str(root)) == f"/x/sessions/{name}"
    assert agent(tmp_path, PI_CODING_AGENT_SESSION_DIR="/y").session_dir(str(root)) == "/y"
    (root / ".pi").mkdir()
    (root / ".pi/settings.json").write_text('{"sessionDir": "/z"}')
    assert agent(tmp_path).session_dir(str(root)) == "/z"


def test_a_session_is_found_by_the_id_in_its_name(tmp_path: Path, root: Path) -> None:
    folder = Path(agent(tmp_path).session_dir(str(root)))
    new = str(folder / f"2026-11-21T06-23-04-981Z_{ID}.jsonl")
    assert agent(tmp_path).resolve_session_file(str(folder), ID) == new
    known = written(folder / f"2026-11-21T07-00-00-000Z_{ID}.jsonl", str(root))
    assert agent(tmp_path).resolve_session_file(str(folder), ID) == str(known)
    assert agent(tmp_path).resolve_session_file(str(folder), "../x") == ""
    assert agent(tmp_path).resolve_session_file("/s", "an-id") == "/s/1970-01-01T00-00-00-000Z_an-id.jsonl"


def test_sessions_of_folders_below_are_listed_too(tmp_path: Path, root: Path) -> None:
    for place, name in ((root, "s1"), (root / "sub", "s2"), (tmp_path / "a b.c-other", "s3")):
        place.mkdir(exist_ok=True)
        folder = Path(agent(tmp_path).session_dir(str(place)))
        written(folder / f"2026-11-21T07-00-00-000Z_{name}.jsonl", str(place), name)
    assert sorted(file.session_id for file in agent(tmp_path).session_files(str(root))) == ["s1", "s2"]


def test_a_session_from_elsewhere_goes_on_here(tmp_path: Path, root: Path) -> None:
    stored = written(tmp_path / "stored.jsonl", "/somewhere/else").read_bytes().rstrip(b"\n")
    pi = agent(tmp_path)
    path = pi.resolve_session_file(pi.session_dir(str(root)), ID)
    (effect,) = pi.put_back(path, stored, {}).effects
    assert isinstance(effect, Write)
    first, _, rest = bytes(effect.data).partition(b"\n")
    assert json.loads(first) == {**json.loads(stored.partition(b"\n")[0]), "cwd": str(root.resolve())}
    assert rest == stored.partition(b"\n")[2] + b"\n"
    assert bytes(pi.placed(str(root), path, stored)) == bytes(effect.data)
    here = agent(tmp_path).transcript("", bytes(effect.data))
    same = here.agreement(stored)
    assert (same.own_is_longer, same.stored_is_longer) == (False, False)
    assert bytes(same.common) == bytes(effect.data)
    other = here.agreement(stored.replace(ID.encode(), b"another"))
    assert (other.own_is_longer, other.stored_is_longer) == (True, True)


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_session_of_this_project_stays_as_it_is(tmp_path: Path, root: Path, below: str) -> None:
    place = root / below
    place.mkdir(exist_ok=True)
    stored = written(tmp_path / "stored.jsonl", str(place)).read_bytes()
    pi = agent(tmp_path)
    path = pi.resolve_session_file(pi.session_dir(str(root)), ID)
    assert pi.put_back(path, stored, {"helper": b"x\n"}).effects == (Write(path=path, data=stored),)


def test_what_is_stored_of_another_clone_names_its_own_files(tmp_path: Path) -> None:
    entries = Entries(tmp_path / "s.jsonl", ID, "/theirs")
    entries.begin()
    entries.add_file("a.txt")
    read = agent(tmp_path).transcript("", entries.path.read_bytes())
    assert [report.path for report in read.files(START)] == ["/theirs/a.txt"]


def test_the_command_that_continues_a_session(tmp_path: Path) -> None:
    assert agent(tmp_path).format_resume_command(ID) == f"pi --session {ID}"
