"""Files for a moment: private, named as the transcript's own, and gone afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.plugin_host import scratch
from entire.plugin_host.language.protocol import PluginError


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_a_file_is_private_and_removed(tmp_path: Path) -> None:
    def use(path: str) -> bytes:
        assert os.path.basename(path) == "a b.jsonl"
        assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
        Path(path).with_name("more").write_bytes(b"x")
        return Path(path).read_bytes()

    assert scratch.with_file("/sessions/a b.jsonl", b"data", use) == b"data"
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_removed_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        scratch.with_file("x", b"", lambda _: 1 / 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ref", ["", "a/", "a/..", "a\0b", "x" * 256, "\ud800"])
def test_a_name_that_no_file_can_have(ref: str) -> None:
    assert scratch.with_file(ref, b"", os.path.basename) == "transcript"


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(PluginError, match=r"no file can be written for a plugin in .*missing"):
        scratch.folder()
