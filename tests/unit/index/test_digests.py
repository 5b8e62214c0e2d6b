"""What is kept of transcripts: given back as it was, bounded, of this program only, and gone when it is removed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import entire
from entire.index import digests
from entire.index.digests import Digests
from entire.model.value import Value


class Inner(Value):
    text: str
    number: int | None = None


class Outer(Value):
    inner: tuple[Inner, ...] = ()
    names: tuple[str, ...] = ()
    ratio: float = 0.0
    is_so: bool = False


VALUE = Outer(inner=(Inner(text='é "\ud800'), Inner(text="", number=3)), names=("a", "b"), ratio=0.5, is_so=True)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "entire" / "index")


def kept(folder: str, *, may_keep: bool = True) -> Digests:
    return Digests(folder, (Inner, Outer), lambda: may_keep)


def keep(folder: str, value: object, *key: str) -> None:
    own = kept(folder)
    own.put(value, *key)
    own.save()


def test_a_value_is_the_same_for_the_next_command(folder: str) -> None:
    keep(folder, VALUE, "outer", "1")
    keep(folder, (("a", VALUE), ("b", None)), "pairs", "1")
    own = kept(folder)
    assert own.get("outer", "1") == VALUE
    assert own.get("pairs", "1") == (("a", VALUE), ("b", None))
    assert own.get("outer", "2") is None
    assert os.stat(os.path.join(folder, digests.NAME)).st_mode & 0o777 == 0o600


def test_what_is_not_saved_or_may_not_be_is_there_for_this_command_only(folder: str) -> None:
    own = kept(folder, may_keep=False)
    own.put(VALUE, "a")
    assert own.get("a") == VALUE
    own.save()
    assert own.get("a") == VALUE
    assert kept(folder).get("a") is None
    assert digests.bodies(folder) == []


def test_two_commands_at_once_keep_what_both_found(folder: str) -> None:
    one, other = kept(folder), kept(folder)
    assert one.get("a") is other.get("b") is None
    one.put(VALUE, "a")
    other.put(VALUE, "b")
    one.save()
    other.save()
    assert kept(folder).get("a") == kept(folder).get("b") == VALUE


def test_while_another_command_writes_nothing_is_written(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_WAIT", 0.0)
    keep(folder, VALUE, "a")
    with closing(sqlite3.connect(os.path.join(folder, digests.NAME), isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        keep(folder, VALUE, "b")
    assert (kept(folder).get("a"), kept(folder).get("b")) == (VALUE, None)


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000, b""])
def test_a_damaged_file_is_made_again(folder: str, damage: bytes) -> None:
    keep(folder, VALUE, "a")
    Path(folder, digests.NAME).write_bytes(damage)
    assert kept(folder).get("a") is None
    assert digests.bodies(folder) == []
    keep(folder, VALUE, "a")
    keep(folder, VALUE, "a")
    assert kept(folder).get("a") == VALUE


def test_what_cannot_be_written_is_found_anew_each_time(folder: str) -> None:
    os.makedirs(os.path.dirname(folder))
    Path(folder).write_text("a file where the folder should be")
    keep(folder, VALUE, "a")
    assert kept(folder).get("a") is None


def test_values_of_classes_that_are_gone_are_not_there(folder: str) -> None:
    keep(folder, VALUE, "a")
    assert Digests(folder, (Outer,), lambda: True).get("a") is None


def test_another_version_of_the_program_starts_anew(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(folder, VALUE, "a")
    monkeypatch.setattr(digests, "_version", lambda: 7)
    assert kept(folder).get("a") is None
    keep(folder, VALUE, "b")
    assert kept(folder).get("b") == VALUE
    monkeypatch.undo()
    assert kept(folder).get("a") is None


def test_each_change_of_a_source_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "entire" / "room" / "module.py"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(entire, "__file__", str(tmp_path / "entire" / "__init__.py"))
    version = digests._version.__wrapped__
    found = {version()}
    for text, time in (("a", 1), ("ab", 1), ("ac", 2)):
        source.write_text(text)
        os.utime(source, (time, time))
        found.add(version())
    assert len(found) == 4
    assert version() in found
    monkeypatch.setattr(entire, "__file__", str(tmp_path / "gone" / "__init__.py"))
    assert version() == 0, "nothing is kept where the sources are not files"


def test_the_oldest_values_go_when_there_are_too_many(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "MOST", 20_000)
    for number in range(40):
        keep(folder, Inner(text=os.urandom(500).hex()), str(number))
    there = [number for number in range(40) if kept(folder).get(str(number)) is not None]
    assert there == list(range(there[0], 40))
    assert 5 < len(there) < 40
    assert os.path.getsize(os.path.join(folder, digests.NAME)) < 60_000


def test_what_is_removed_while_a_command_works_does_not_come_back(folder: str) -> None:
    """As ``forget`` does: before and after the checkpoints change."""
    keep(folder, VALUE, "a")

    def remove() -> bool:
        digests.remove(folder)
        return True

    own = Digests(folder, (Inner, Outer), remove)
    own.put(VALUE, "b")
    own.save()
    assert not os.path.exists(os.path.join(folder, digests.NAME))
    assert kept(folder).get("a") is kept(folder).get("b") is None


def test_all_texts_can_be_scanned(folder: str) -> None:
    keep(folder, (VALUE, ("deep", (Inner(text='a "quoted"\nsecret'),))), "a")
    (body,) = digests.bodies(folder)
    assert 'a "quoted"\nsecret' in body
    assert "deep" in body
