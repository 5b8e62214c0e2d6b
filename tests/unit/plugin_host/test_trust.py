"""A plugin runs only if the user allowed exactly this file, and nothing that goes wrong allows one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from entire.errors import CorruptError, EntireError
from entire.plugin_host.inventory import discovery, trust
from entire.plugin_host.inventory.discovery import Executable
from entire.plugin_host.inventory.trust import Decisions, Trust

from .conftest import Install


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}


def found(env: dict[str, str], name: str = "x") -> Executable:
    executable = discovery.find(name, env)
    assert executable is not None
    return executable


def decide(env: dict[str, str], name: str = "x", *, switch: bool = False) -> Trust:
    return Decisions(env).decide(found(env, name), lambda: switch)


def stored(env: dict[str, str]) -> Path:
    return Path(env["HOME"]) / ".config" / "entire" / "plugins.json"


def test_a_plugin_is_allowed_and_denied(install: Install, env: dict[str, str]) -> None:
    install("x")
    assert decide(env) is Trust.UNKNOWN
    Decisions(env).allow(found(env))
    assert decide(env) is Trust.ALLOWED
    assert stored(env).stat().st_mode & 0o777 == 0o600
    Decisions(env).deny("x")
    assert decide(env) is decide(env, switch=True) is Trust.DENIED
    Decisions(env).deny("x")
    assert json.loads(stored(env).read_text()) == {"allowed": {}, "denied": ["x"]}
    Decisions(env).allow(found(env))
    assert decide(env) is Trust.ALLOWED


def test_settings_allow_what_is_not_denied(install: Install, env: dict[str, str]) -> None:
    install("x")
    assert decide(env, switch=True) is Trust.BY_SETTINGS
    assert not stored(env).exists()


def test_the_base_folder_of_the_settings_is_respected(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    install("x")
    Decisions(env | {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}).allow(found(env))
    assert (tmp_path / "xdg" / "entire" / "plugins.json").exists()
    Decisions(env | {"XDG_CONFIG_HOME": "relative"}).allow(found(env))
    assert stored(env).exists()


def test_changed_content_is_not_allowed(install: Install, env: dict[str, str]) -> None:
    install("x")
    Decisions(env).allow(found(env))
    install("x", content="#!/bin/sh\nevil\n")
    assert (decide(env), decide(env, switch=True)) == (Trust.CHANGED, Trust.BY_SETTINGS)


def test_changed_content_of_the_same_size_and_time_is_not_allowed(install: Install, env: dict[str, str]) -> None:
    path = install("x", content="#!/bin/sh\ngood\n")
    Decisions(env).allow(found(env))
    status = path.stat()
    path.write_text("#!/bin/sh\nevil\n")  # in place: the inode stays
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (status.st_size, status.st_mtime_ns, status.st_ino)
    assert decide(env) is Trust.CHANGED


def test_the_same_content_installed_again_stays_allowed(
    install: Install, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("x").unlink()
    install("x")
    Decisions(env).allow(found(env))
    path = install("x", "new")
    os.replace(path, found(env).path)
    os.utime(found(env).path, (1, 1))
    assert decide(env) is Trust.ALLOWED
    monkeypatch.setattr(trust, "hash_of", None)  # it is read once only
    assert decide(env) is Trust.ALLOWED


def test_another_file_of_that_name_is_not_allowed(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    install("x")
    Decisions(env).allow(found(env))
    install("x", "first")
    assert decide(env | {"PATH": f"{tmp_path / 'first'}:{env['PATH']}"}) is Trust.CHANGED


def test_a_link_that_leads_elsewhere_now_is_not_allowed(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "entire-agent-x"
    link.symlink_to(install("x", "opt"))
    Decisions(env).allow(found(env))
    link.unlink()
    link.symlink_to(install("x", "other", content="#!/bin/sh\nevil\n"))
    assert decide(env) is Trust.CHANGED


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"allowed": []}', b'{"denied": "x"}', b'{"allowed": {"x": ']
)
def test_a_file_that_cannot_be_understood_allows_nothing_and_stays(
    install: Install, env: dict[str, str], content: bytes
) -> None:
    install("x")
    stored(env).parent.mkdir(parents=True)
    stored(env).write_bytes(content)
    for attempt in (
        lambda: decide(env, switch=True),
        lambda: Decisions(env).allow(found(env)),
        lambda: Decisions(env).deny("x"),
    ):
        with pytest.raises(CorruptError, match="no plugin may run") as error:
            attempt()
        assert str(stored(env)) in error.value.hint
    assert stored(env).read_bytes() == content


@pytest.mark.parametrize("entry", [1, None, [], {}, {"path": None}, {"sha256": 3}])
def test_an_entry_of_another_type_allows_nothing(install: Install, env: dict[str, str], entry: object) -> None:
    install("x")
    stored(env).parent.mkdir(parents=True)
    stored(env).write_text(json.dumps({"allowed": {"x": entry, "y": 1}, "later": True}))
    assert decide(env) is not Trust.ALLOWED
    Decisions(env).allow(found(env))
    assert decide(env) is Trust.ALLOWED
    kept = json.loads(stored(env).read_text())
    assert (kept["allowed"]["y"], kept["later"]) == (1, True)


def test_a_home_that_cannot_be_written_allows_nothing(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    install("x")
    (tmp_path / "home").write_text("a file")
    assert decide(env) is Trust.UNKNOWN
    with pytest.raises(EntireError, match=r"cannot write .*plugins\.json"):
        Decisions(env).allow(found(env))


def test_a_link_to_the_decisions_stays_one(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    install("x")
    stored(env).parent.mkdir(parents=True)
    stored(env).symlink_to(tmp_path / "dotfiles.json")
    Decisions(env).allow(found(env))
    assert stored(env).is_symlink()
    assert decide(env) is Trust.ALLOWED


def test_without_a_home_directory(install: Install, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    install("x")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    del env["HOME"]
    assert decide(env) is Trust.UNKNOWN
    with pytest.raises(EntireError, match="no home directory"):
        Decisions(env).allow(found(env))


def test_a_file_that_changes_before_it_is_allowed_is_not(install: Install, env: dict[str, str]) -> None:
    install("x")
    digest = trust.hash_of(found(env))
    install("x", content="#!/bin/sh\nevil\n")
    with pytest.raises(EntireError, match="changed meanwhile"):
        Decisions(env).allow(found(env), digest)
    assert decide(env) is Trust.UNKNOWN


def test_two_processes_that_allow_at_once_lose_nothing(install: Install, env: dict[str, str]) -> None:
    names = [f"x{number}" for number in range(8)]
    for name in names:
        install(name)
    code = (
        "import os, sys\nfrom entire.plugin_host.inventory import discovery, trust\n"
        "trust.Decisions(os.environ).allow(discovery.find(sys.argv[1], os.environ))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, name], env=env) for name in names]
    assert [process.wait(60) for process in running] == [0] * len(names)
    assert {decide(env, name) for name in names} == {Trust.ALLOWED}


def test_the_same_file_by_another_name_of_its_folder_is_allowed(
    install: Install, env: dict[str, str], tmp_path: Path
) -> None:
    install("x")
    (tmp_path / "alias").symlink_to("bin")
    Decisions(env).allow(found(env))
    assert decide(env | {"PATH": str(tmp_path / "alias")}) is Trust.ALLOWED


# ---------------------------------------------------------------- interpreters


@pytest.fixture
def scripted(env: dict[str, str], tmp_path: Path, install: Install) -> dict[str, str]:
    """A plugin that ``/usr/bin/env`` runs with what PATH has under a name."""
    interpreter(tmp_path / "usual")
    install("x", content="#!/usr/bin/env parrot\ncode\n")
    return {**env, "PATH": f"{env['PATH']}:{tmp_path / 'usual'}"}


def interpreter(folder: Path, content: str = "\x7fELF") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "parrot").write_text(content)
    (folder / "parrot").chmod(0o755)
    return folder / "parrot"


def test_another_interpreter_on_the_path_means_changed(scripted: dict[str, str], tmp_path: Path) -> None:
    Decisions(scripted).allow(found(scripted))
    assert decide(scripted) is Trust.ALLOWED
    other = interpreter(tmp_path / "venv")
    venv = {**scripted, "PATH": f"{other.parent}:{scripted['PATH']}"}
    assert decide(venv) is Trust.CHANGED
    assert Decisions(venv).other_interpreter(found(venv)) == str(other)
    Decisions(venv).allow(found(venv))
    assert (decide(venv), decide(scripted)) == (Trust.ALLOWED, Trust.CHANGED)


def test_an_interpreter_with_another_content_means_changed(scripted: dict[str, str], tmp_path: Path) -> None:
    Decisions(scripted).allow(found(scripted))
    file = tmp_path / "usual/parrot"
    file.write_text("\x7fELG")
    assert decide(scripted) is Trust.CHANGED
    file.write_text("\x7fELF")
    assert decide(scripted) is Trust.ALLOWED, "content decides, not times"
    file.unlink()
    assert decide(scripted) is Trust.CHANGED
    assert Decisions(scripted).other_interpreter(found(scripted)) == "another program"


def test_the_interpreter_of_an_interpreter_counts(scripted: dict[str, str], tmp_path: Path) -> None:
    """A version manager's are scripts."""
    interpreter(tmp_path / "usual", "#!/usr/bin/env real-parrot\n")
    real = tmp_path / "usual/real-parrot"
    real.write_text("\x7fELF")
    real.chmod(0o755)
    Decisions(scripted).allow(found(scripted))
    real.write_text("\x7fELF2")
    assert decide(scripted) is Trust.CHANGED
    assert Decisions(scripted).other_interpreter(found(scripted)) == str(real)
    real.write_text(f"#!{tmp_path}/usual/real-parrot\n")  # itself
    Decisions(scripted).allow(found(scripted))
    assert decide(scripted) is Trust.ALLOWED


def test_what_env_is_told_besides_a_name(env: dict[str, str], tmp_path: Path, install: Install) -> None:
    file = interpreter(tmp_path / "usual")
    env = {**env, "PATH": f"{env['PATH']}:{file.parent}"}
    for first in ("/usr/bin/env -S parrot -x", "/usr/bin/env -i A=b parrot", f"{file}", f" {file} -x"):
        install("x", content=f"#!{first}\ncode\n")
        Decisions(env).allow(found(env))
        value = json.loads(stored(env).read_text())["allowed"]["x"]["interpreters"]
        assert [one["path"] for one in value] == [str(file)], first


@pytest.mark.parametrize("first", ["#!parrot", "#!./parrot", "#!", "#!/usr/bin/env nowhere", "#!/usr/bin/env ./parrot"])
def test_an_interpreter_of_the_repository_or_of_nowhere_is_not_allowed(
    env: dict[str, str], tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    interpreter(tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")
    install("x", content=f"{first}\ncode\n")
    with pytest.raises(EntireError, match=r"the interpreter that the first line of .* names is not found"):
        Decisions({**env, "PATH": f".:{env['PATH']}"}).allow(found(env))


def test_a_decision_of_an_earlier_version_takes_the_interpreter_that_it_meets(
    scripted: dict[str, str], tmp_path: Path
) -> None:
    Decisions(scripted).allow(found(scripted))
    value = json.loads(stored(scripted).read_text())
    del value["allowed"]["x"]["interpreters"]
    stored(scripted).write_text(json.dumps(value))
    assert decide(scripted) is Trust.ALLOWED
    interpreter(tmp_path / "usual", "\x7fELG")
    assert decide(scripted) is Trust.CHANGED


def test_a_program_needs_no_interpreter(install: Install, env: dict[str, str]) -> None:
    install("x", content="\x7fELF")
    Decisions(env).allow(found(env))
    assert json.loads(stored(env).read_text())["allowed"]["x"]["interpreters"] == []
    assert decide(env) is Trust.ALLOWED
