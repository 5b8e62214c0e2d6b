"""Content in files behaves as the same bytes in memory do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from entire import contents
from entire.contents import Scratch
from entire.errors import EntireError

TEXTS = some.lists(some.sampled_from([b"\n", b"a", b"bc", b"REDACTED", b"a longer line\n"]), max_size=30).map(b"".join)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(contents, "MOST", 4)
    monkeypatch.setattr(contents, "_BLOCK", 7)
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS, some.integers(0, 60), some.integers(0, 60))
def test_content_is_what_its_bytes_are(text: bytes, more: bytes, start: int, stop: int) -> None:
    long = Scratch().keep([text[:3], text[3:]])
    assert isinstance(long, bytes) == (len(text) <= 4)
    assert (bytes(long), len(long), long == text, long == text + b"x") == (text, len(text), True, False)
    assert bytes(contents.part(long, start, stop)) == text[start:stop] == contents.read(long, start, stop)
    whole = contents.joined(long, more, b"-", long)
    assert bytes(whole) == text + more + b"-" + text
    assert whole == contents.joined(text, more, b"-", text)
    assert contents.count_lines(whole) == bytes(whole).count(b"\n")
    assert [contents.line_end(long, at) for at in range(len(text))] == [
        text.find(b"\n", at) + 1 or len(text) for at in range(len(text))
    ]
    lines = [(at, bytes(block)) for at, block in contents.lines_in_blocks(whole)]
    assert b"".join(block for _, block in lines) == bytes(whole)
    assert all(at == 0 or bytes(whole)[at - 1 : at] == b"\n" for at, _ in lines)
    assert any(b"REDACTED" in block for block in contents.overlapping(long, 8)) == (b"REDACTED" in text)
    assert contents.same(long, start, text, start, 3) == (start + 3 <= len(text))


def test_content_is_read_like_a_file() -> None:
    long = Scratch().keep([b"one\ntwo, which is long\n", b"three"])
    assert not isinstance(long, bytes)
    with long.open() as file:
        assert list(file) == [b"one\n", b"two, which is long\n", b"three"]
        assert (file.seek(4), file.read(3), file.seek(-2, os.SEEK_END), file.read()) == (4, b"two", 26, b"ee")


def test_a_scratch_file_has_no_name_and_is_private(tmp_path: Path) -> None:
    scratch = Scratch()
    one, two = scratch.keep([b"first text"]), scratch.keep([b"second text"])
    assert (bytes(one), bytes(two), list(tmp_path.iterdir())) == (b"first text", b"second text", [])
    assert scratch._file is not None
    assert os.fstat(scratch._file.fd).st_mode & 0o777 == 0o600


def test_what_cannot_be_put_aside_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(EntireError, match="cannot put a long transcript aside: No such file") as caught:
        Scratch().keep([b"a long text"])
    assert "TMPDIR" in caught.value.hint


def test_a_file_that_another_replaces_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"the former content")
    found = contents.of_file(str(path))
    other = tmp_path / "b"
    other.write_bytes(b"new")
    other.rename(path)
    assert (bytes(found), contents.of_file(str(path)), contents.of_file("")) == (b"the former content", b"new", b"")


def test_a_file_that_became_shorter_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"the former content")
    found = contents.of_file(str(path))
    path.write_bytes(b"new")
    with pytest.raises(EntireError, match="became shorter while it was read"):
        bytes(found)


def test_open_files_are_closed(tmp_path: Path) -> None:
    def many() -> Iterator[int]:
        for number in range(50):
            path = tmp_path / str(number)
            path.write_bytes(b"a long text")
            yield len(contents.of_file(str(path)))

    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert sum(many()) == 50 * 11
    assert not before or len(os.listdir("/proc/self/fd")) <= before + 1


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_blocks_are_read_like_a_file(size: int) -> None:
    reader = contents.BlockReader([b"ab", b"cdefg", b"h"])
    parts = list(iter(lambda: reader.read(size), b""))
    assert b"".join(parts) == b"abcdefgh"
    assert all(len(part) == size for part in parts[:-1])
