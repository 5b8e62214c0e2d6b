"""Our line in a hook file of others: added where it runs, removed without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.githooks import lines, scripts

FILES = (
    b"",
    b"a",
    b"a\n",
    b"a\r\nb\r\n",
    b"#!/bin/sh\na\n",
    b"#!/bin/sh",
    b"#!/usr/bin/env bash\nexit 0",
    b"\xff\n\n\n",
)


@pytest.mark.parametrize("name", ["commit-msg", "pre-push"])
@pytest.mark.parametrize("text", FILES)
def test_what_was_added_is_removed_byte_for_byte(tmp_path: Path, text: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    path.chmod(0o750)
    assert lines.add(str(path), name)
    assert scripts.line_to_add(name).encode() in path.read_bytes().split(b"\n")
    assert lines.remove(str(path), name)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (text, 0o750)
    assert not lines.remove(str(path), name)


def test_a_file_that_holds_nothing_else_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "commit-msg"
    assert lines.add(str(path), "commit-msg")
    assert path.stat().st_mode & 0o777 == 0o755
    assert lines.remove(str(path), "commit-msg")
    assert not path.exists()


def test_a_line_that_was_changed_stays(tmp_path: Path) -> None:
    path = tmp_path / "commit-msg"
    text = f"  {scripts.line_to_add('commit-msg')}\n{scripts.line_to_add('commit-msg')} # mine\n"
    path.write_text(text)
    assert not lines.remove(str(path), "commit-msg")
    assert path.read_text() == text


def test_a_program_that_is_no_shell_script_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "commit-msg"
    path.write_text("#!/usr/bin/perl\n")
    assert not lines.add(str(path), "commit-msg")
    assert path.read_text() == "#!/usr/bin/perl\n"


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    target, path = tmp_path / "shared", tmp_path / "commit-msg"
    target.write_text("a\n")
    path.symlink_to(target)
    assert lines.add(str(path), "commit-msg")
    assert "entire/hooks" in target.read_text()
    assert lines.remove(str(path), "commit-msg")
    assert path.is_symlink()
    assert target.read_text() == "a\n"
