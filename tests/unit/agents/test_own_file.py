"""A file of ours in an agent's folder comes, is updated and goes; what is the user's stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents import own_file
from entire.agents.own_file import OwnFile
from entire.errors import EntireError
from entire.model.health import HookStatus

FILE = OwnFile(text='// 2\nrun("entire hooks x turn-end");\n', agent="x")
OTHERS = ("// mine\n", 'run("entire hooks xy stop")\n', "entire hooks", "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".x" / "extensions" / "entire" / "index.ts"


def status(path: Path) -> HookStatus:
    return own_file.health(str(path), FILE).status


def test_it_comes_and_goes_with_its_folders(path: Path, tmp_path: Path) -> None:
    assert status(path) is HookStatus.MISSING
    assert own_file.install(str(path), FILE, force=False) == 1
    assert (path.read_text(), status(path)) == (FILE.text, HookStatus.INSTALLED)
    assert own_file.install(str(path), FILE, force=False) == 0
    assert own_file.install(str(path), FILE, force=True) == 1
    assert own_file.uninstall(str(path), FILE) == 1
    assert list(tmp_path.iterdir()) == []
    assert own_file.uninstall(str(path), FILE) == 0


def test_folders_with_something_else_stay(path: Path) -> None:
    own_file.install(str(path), FILE, force=False)
    (other := path.parent.parent / "other.ts").touch()
    own_file.uninstall(str(path), FILE)
    assert list(path.parent.parent.iterdir()) == [other]


@pytest.mark.parametrize("text", ['// 1\nrun("entire hooks x turn-end");\n', 'spawn("entire", ["hooks", "x", verb]);'])
def test_what_another_version_wrote_is_updated_and_removed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert status(path) is HookStatus.STALE
    assert own_file.install(str(path), FILE, force=False) == 1
    assert status(path) is HookStatus.INSTALLED
    path.write_text(text)
    assert own_file.uninstall(str(path), FILE) == 1


def test_line_ends_that_git_converted_change_nothing(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(FILE.text.replace("\n", "\r\n").encode())
    assert status(path) is HookStatus.INSTALLED
    assert own_file.install(str(path), FILE, force=False) == 0


@pytest.mark.parametrize("text", OTHERS)
def test_a_file_of_the_user_stays(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert status(path) is HookStatus.MISSING
    for force in (False, True):
        with pytest.raises(EntireError, match="not from Entire"):
            own_file.install(str(path), FILE, force=force)
    assert own_file.uninstall(str(path), FILE) == 0
    assert path.read_text() == text


def test_what_cannot_be_read_is_unknown(path: Path) -> None:
    path.mkdir(parents=True)
    assert status(path) is HookStatus.UNKNOWN
