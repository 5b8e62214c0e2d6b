"""Files are old or new, and one process at a time holds a lock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire import files
from entire.errors import CorruptError, EntireError, LockTimeoutError


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("none", "none/none", "file/none"):
        assert files.read(str(tmp_path / name)) is None
        assert files.read_json(str(tmp_path / name)) is None
        files.remove(str(tmp_path / name))


def test_writing_makes_folders_keeps_modes_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "b")
    files.write(path, b"one", mode=0o600)
    files.write(path, b"two", mode=0o600)
    assert files.read(path) == b"two"
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path / "a") == ["b"]


def test_what_cannot_be_written_keeps_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a")
    files.write(path, b"old")

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(EntireError, match="No space left") as caught:
            files.write(path, b"new")
    assert "disk space" in str(caught.value.hint)
    assert files.read(path) == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_write_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
        files.write(str(tmp_path / "a"), b"0123456789")
    assert files.read(str(tmp_path / "a")) == b"0123456789"


def test_appending(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "b")
    files.append(path, b"1\n")
    files.append(path, b"2\n")
    assert files.read(path) == b"1\n2\n"


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none() | st.lists(st.text(), max_size=3), max_size=4))
def test_json_comes_back(tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any]) -> None:
    path = str(tmp_path_factory.getbasetemp() / f"value-{os.getpid()}.json")
    files.write_json(path, value)
    assert files.read_json(path) == value


def test_names_that_are_no_utf_8_come_back(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.txt")
    files.write_json(str(tmp_path / "a"), {"path": "é", "list": ["ü"]})
    assert files.read_json(str(tmp_path / "a")) == {"path": "é", "list": ["ü"]}
    files.write_json(str(tmp_path / "a"), {"path": name})
    assert files.read_json(str(tmp_path / "a")) == {"path": name}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"1", b'{"a": 1} x'])
def test_what_is_no_object_is_corrupt(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(CorruptError):
        files.read_json(str(tmp_path / "a"))
    files.put_aside(str(tmp_path / "a"))
    files.put_aside(str(tmp_path / "a"))
    assert (tmp_path / "a.broken").read_bytes() == content


def test_a_lock_is_held_by_one_and_dies_with_its_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "lock")
    code = "import sys; sys.path.insert(0, sys.argv[2]); from entire import files\n"
    code += "held = files.Lock(sys.argv[1]); held.__enter__(); print('held', flush=True); sys.stdin.read()"
    source = str(Path(files.__file__).parents[1])
    argv = [sys.executable, "-c", code, path, source]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LockTimeoutError), files.Lock(path, timeout=0.05):
            pass
        holder.kill()
        holder.wait()
        with files.Lock(path, timeout=10):
            pass
    with files.Lock(path, timeout=0.05):
        pass


def test_what_is_appended_finds_a_place_or_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "lines")
    files.append(path, b"\none")
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))
    with pytest.raises(OSError, match="No space left"):
        files.append(path, b"\ntwo")
    monkeypatch.undo()
    files.append(path, b"\nthree")
    assert files.read_lines(path) == [b"", b"one", b"t", b"three"]


@pytest.mark.parametrize("use", ["append", "lock", "json"])
def test_a_folder_in_the_place_of_a_file_is_put_aside(tmp_path: Path, use: str) -> None:
    path = tmp_path / "x"
    (path / "in it").mkdir(parents=True)
    assert files.read_lines(str(path)) == []
    if use == "append":
        files.append(str(path), b"a")
    elif use == "lock":
        with files.Lock(str(path)):
            pass
    else:
        with pytest.raises(CorruptError, match="is a folder"):
            files.read_json(str(path))
        files.put_aside(str(path))
    assert path.is_file() == (use != "json")
    assert (tmp_path / "x.broken/in it").is_dir()
