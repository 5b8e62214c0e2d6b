"""Which executables on PATH are plugins, and which of them can be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.plugin_host.inventory import discovery

from .conftest import Install


def path_of(*folders: Path | str) -> dict[str, str]:
    return {"PATH": os.pathsep.join(map(str, folders))}


def test_the_first_executable_of_a_name_is_found(install: Install, tmp_path: Path) -> None:
    first, second = install("x"), install("x", "more")
    env = path_of(tmp_path / "none", tmp_path / "bin", tmp_path / "more")
    found = discovery.find("x", env)
    assert found is not None
    status = first.stat()
    assert (found.path, found.problem) == (str(first), "")
    assert (found.size, found.mtime_ns, found.inode) == (status.st_size, status.st_mtime_ns, status.st_ino)
    assert [(each.path, each.problem) for each in discovery.find_all(env)] == [
        (str(first), ""),
        (str(second), f"comes after {first} on PATH"),
    ]


@pytest.mark.parametrize("entry", ["bin", ".", "", "./bin", ".."])
def test_entries_that_are_not_absolute_are_ignored(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    install("x")
    install("x", ".")
    monkeypatch.chdir(tmp_path / "bin" if entry in (".", "", "..") else tmp_path)
    assert discovery.find("x", {"PATH": f"{entry}:/nowhere:"}) is None
    assert discovery.find_all({"PATH": f"{entry}:/nowhere:"}) == []


def test_without_path_there_is_no_plugin() -> None:
    assert (discovery.find("x", {}), discovery.find_all({})) == (None, [])


def test_only_regular_executable_files_count(install: Install, tmp_path: Path) -> None:
    (tmp_path / "a" / "entire-agent-x").mkdir(parents=True)
    install("x", "b", mode=0o644)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "entire-agent-x").symlink_to(tmp_path / "gone")
    (tmp_path / "d").write_text("no folder")
    os.mkfifo(tmp_path / "c" / "entire-agent-y", 0o755)
    last = install("x", "e")
    env = path_of(*(tmp_path / name for name in "abcde"))
    found = discovery.find("x", env)
    assert found is not None and found.path == str(last)
    assert [each.path for each in discovery.find_all(env)] == [str(last)]


def test_a_link_is_followed(install: Install, tmp_path: Path) -> None:
    target = install("x", "opt")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "entire-agent-x").symlink_to(target)
    found = discovery.find("x", path_of(tmp_path / "bin"))
    assert found is not None
    assert (found.path, found.real_path) == (str(tmp_path / "bin" / "entire-agent-x"), str(target))
    assert found.inode == target.stat().st_ino


@pytest.mark.parametrize("name", ["X", "", "a b", ".x", "-x", "_x", "é", "x" * 65, "x\n", "a/../b", "x\0"])
def test_names_that_are_not_valid_are_never_found(install: Install, tmp_path: Path, name: str) -> None:
    if not set(name) & set("/\0"):
        install(name)
        (found,) = discovery.find_all(path_of(tmp_path / "bin"))
        assert (found.name, found.problem.split(":")[0]) == (name, "has a name that is not valid")
    assert discovery.find(name, path_of(tmp_path / "bin")) is None


@pytest.mark.parametrize("name", ["x", "7", "my.agent_2-b", "x" * 64])
def test_names_that_are_valid(install: Install, tmp_path: Path, name: str) -> None:
    install(name)
    found = discovery.find(name, path_of(tmp_path / "bin"))
    assert found is not None and found.name == name


def test_a_plugin_of_the_repository_is_never_used(install: Install, tmp_path: Path) -> None:
    """Its file, a link to it, a link from it, and a folder on PATH that leads into the repository."""
    inside, outside = install("x", "repo/bin"), install("y", "opt")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "entire-agent-x").symlink_to(inside)
    (tmp_path / "repo" / "bin" / "entire-agent-y").symlink_to(outside)
    (tmp_path / "door").symlink_to(tmp_path / "repo" / "bin")
    for folder in ("repo/bin", "bin", "door"):
        env = path_of(tmp_path / folder)
        found = discovery.find_all(env, outside=[str(tmp_path / "repo")])
        assert {each.problem for each in found} == {"lies inside the repository"}, folder
        assert [discovery.find(each.name, env, outside=[str(tmp_path / "repo")]) for each in found] == found
    assert discovery.find("x", path_of(tmp_path / "bin"), outside=[str(tmp_path / "rep")]) is not None


def test_the_next_one_on_path_takes_the_place_of_one_in_the_repository(install: Install, tmp_path: Path) -> None:
    install("x", "repo")
    good = install("x")
    env = path_of(tmp_path / "repo", tmp_path / "bin")
    found = discovery.find("x", env, outside=[str(tmp_path / "repo")])
    assert found is not None and found.path == str(good)
    assert [each.problem for each in discovery.find_all(env, outside=[str(tmp_path / "repo")])] == [
        "lies inside the repository",
        "",
    ]


def test_a_repository_that_is_a_link_is_still_the_repository(install: Install, tmp_path: Path) -> None:
    install("x", "repo")
    (tmp_path / "alias").symlink_to(tmp_path / "repo")
    found = discovery.find("x", path_of(tmp_path / "repo"), outside=[str(tmp_path / "alias")])
    assert found is not None and found.problem == "lies inside the repository"


def test_what_others_can_write_is_never_used(install: Install, tmp_path: Path) -> None:
    path = install("x", mode=0o777)
    (found,) = discovery.find_all(path_of(tmp_path / "bin"))
    assert found.problem == f"can be replaced by other users: they can write {path}"
    path.chmod(0o755)
    path.parent.chmod(0o777)
    (found,) = discovery.find_all(path_of(tmp_path / "bin"))
    assert found.problem == f"can be replaced by other users: they can write {path.parent}"
    path.parent.chmod(0o1777)  # as /tmp: nobody else can replace the file
    assert discovery.find("x", path_of(tmp_path / "bin")) is not None
    path.parent.chmod(0o755)


def test_the_target_of_a_link_must_be_safe_too(install: Install, tmp_path: Path) -> None:
    target = install("x", "opt", mode=0o757)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "entire-agent-x").symlink_to(target)
    found = discovery.find("x", path_of(tmp_path / "bin"))
    assert found is not None and found.problem == f"can be replaced by other users: they can write {target}"


def test_a_folder_with_two_names_counts_once(install: Install, tmp_path: Path) -> None:
    """As `/bin`, which is a link to `/usr/bin` on many systems."""
    path = install("x")
    (tmp_path / "alias").symlink_to("bin")
    found = discovery.find_all(path_of(f"{tmp_path}/bin/", tmp_path / "alias", tmp_path / "bin"))
    assert [(each.path, each.problem) for each in found] == [(str(path), "")]
