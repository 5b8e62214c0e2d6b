"""Objects of any type are written byte for byte, under git's own ids."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.git.pack import Pack


def git(where: Path, *args: str) -> bytes:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True).stdout


@pytest.mark.parametrize(("form", "digits"), [("sha1", 40), ("sha256", 64)])
def test_each_type_and_size(tmp_path: Path, form: str, digits: int) -> None:
    git(tmp_path, "init", "-q", f"--object-format={form}")
    pack = Pack(str(tmp_path), digits)
    contents = [b"", b"x", b"y" * 15, b"z" * 16, bytes(range(256)) * 5000]
    blobs = [pack.add("blob", data) for data in contents]
    tree = pack.add("tree", b"100644 a\0" + bytes.fromhex(blobs[1]))
    commit = pack.add("commit", f"tree {tree}\nauthor A <a@b> 1 +0000\ncommitter B <b@c> 2 +0100\n\nhello".encode())
    pack.flush()
    pack.flush()
    assert [git(tmp_path, "cat-file", "blob", oid) for oid in blobs] == contents
    assert git(tmp_path, "log", "-1", "--format=%an %cn %ct %B", commit).strip() == b"A B 2 hello"
    assert git(tmp_path, "show", f"{commit}:a") == b"x"
    git(tmp_path, "fsck", "--strict")


def test_a_large_pack_is_written_in_pieces_and_a_dry_one_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    monkeypatch.setattr("entire.git.pack._FLUSH", 10)
    dry = Pack(str(tmp_path), 40, is_dry=True)
    oid = dry.add("blob", b"a text of some length")
    dry.flush()
    assert subprocess.run(["git", "-C", str(tmp_path), "cat-file", "-e", oid], capture_output=True).returncode
    pack = Pack(str(tmp_path), 40)
    assert pack.add("blob", b"a text of some length") == oid
    assert git(tmp_path, "cat-file", "blob", oid) == b"a text of some length"
