"""The launcher as installers leave it: which hooks it answers itself, which Python it starts, and how."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from entire import layout, start

ROOT = Path(__file__).resolve().parents[3]
LAUNCHER = ROOT / "src" / "launcher" / "entire"

# Says how it was started, one word a line, with the environment's own folder left out.
FAKE_PYTHON = """\
#!/bin/sh
printf '%s\\n' "$(basename "$0")" "$@" | sed "s|.*/\\.\\./|../|"
"""


class Installed:
    """An environment with the launcher in its bin folder and a Python that says how it was started."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.packages = prefix / "lib" / "python3.11" / "site-packages"
        (self.packages / "entire").mkdir(parents=True)
        (self.packages / "entire" / "launch.py").touch()
        self.command = prefix / "bin" / "entire"
        self.command.parent.mkdir()
        shutil.copy(LAUNCHER, self.command)
        self.program("python3.11")

    def program(self, name: str, folder: Path | None = None) -> None:
        path = (folder or self.command.parent) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FAKE_PYTHON)
        path.chmod(0o755)


def run(cwd: Path, *argv: str | Path, **env: str) -> list[str]:
    done = subprocess.run(argv, cwd=cwd, env=os.environ | env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


HOOK = ("hooks", "claude-code", "stop")
FAST = ["python3.11", "-I", "-S", "../lib/python3.11/site-packages/entire/launch.py", *HOOK]


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path / "an environment")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A repository that is not enabled."""
    folder = tmp_path / "plain repo"
    (folder / "sub" / "dir").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.fixture
def enabled(tmp_path: Path) -> Path:
    """A repository that is enabled."""
    folder = tmp_path / "enabled repo"
    (folder / ".entire").mkdir(parents=True)
    (folder / ".entire" / "settings.json").write_text("{}")
    (folder / "sub" / "dir").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.mark.parametrize("where", [".", "sub", "sub/dir"])
def test_a_hook_where_nothing_is_enabled_ends_at_once(installed: Installed, plain: Path, where: str) -> None:
    assert run(plain / where, installed.command, *HOOK) == []


def test_a_hook_outside_of_any_repository_ends_at_once(installed: Installed, tmp_path: Path) -> None:
    assert run(tmp_path, installed.command, *HOOK) == []
    assert run(Path("/"), installed.command, *HOOK) == []


def test_an_agent_without_a_variable_names_its_folder_in_the_payload(
    installed: Installed, plain: Path, tmp_path: Path
) -> None:
    """Only outside of any repository: in one that is not enabled, each hook would cost too much."""
    words = ("hooks", "demo", "turn-end")
    for folder in (tmp_path, Path("/")):
        assert run(folder, installed.command, *words) == [*FAST[:4], *words]
    assert run(plain / "sub", installed.command, *words) == []


@pytest.mark.parametrize("where", [".", "sub", "sub/dir"])
@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_hook_in_an_enabled_repository_starts_python_without_site(
    installed: Installed, enabled: Path, where: str, name: str
) -> None:
    (enabled / ".entire" / "settings.json").rename(enabled / ".entire" / name)
    assert run(enabled / where, installed.command, *HOOK) == FAST


def test_a_repository_inside_of_an_enabled_one_is_not_enabled(installed: Installed, enabled: Path) -> None:
    subprocess.run(["git", "init", "-q", enabled / "sub"], check=True)
    assert run(enabled / "sub" / "dir", installed.command, *HOOK) == []


def test_linked_worktrees_are_left_to_python(installed: Installed, plain: Path, tmp_path: Path) -> None:
    git = ["git", "-C", str(plain)]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "linked")], check=True)
    assert run(tmp_path / "linked", installed.command, *HOOK) == FAST


def test_the_folder_an_agent_was_started_in_counts_too(installed: Installed, enabled: Path, plain: Path) -> None:
    assert run(plain, installed.command, *HOOK, CLAUDE_PROJECT_DIR=str(enabled)) == FAST
    assert run(plain, installed.command, *HOOK, CLAUDE_PROJECT_DIR=str(plain / "sub")) == []
    assert run(plain, installed.command, *HOOK, CLAUDE_PROJECT_DIR="/there/is/nothing") == []
    assert run(enabled, installed.command, *HOOK, CLAUDE_PROJECT_DIR=str(plain)) == FAST
    both = {"CLAUDE_PROJECT_DIR": str(plain / "sub"), "GEMINI_PROJECT_DIR": str(enabled)}
    assert run(plain, installed.command, *HOOK, **both) == FAST
    assert run(plain, installed.command, *HOOK, GEMINI_PROJECT_DIR=str(plain / "sub")) == []


def test_the_current_folder_stays(installed: Installed, enabled: Path, plain: Path) -> None:
    (installed.command.parent / "python3.11").write_text("#!/bin/sh\npwd -P\n")
    assert run(plain, installed.command, *HOOK, CLAUDE_PROJECT_DIR=str(enabled)) == [str(plain)]


def test_a_link_into_the_middle_of_an_enabled_repository(installed: Installed, enabled: Path, tmp_path: Path) -> None:
    link = tmp_path / "shortcut"
    link.symlink_to(enabled / "sub" / "dir")
    assert run(link, installed.command, *HOOK, PWD=str(link)) == FAST


def test_git_hooks_and_a_named_git_directory_are_left_to_python(installed: Installed, plain: Path) -> None:
    words = ("hooks", "git", "post-commit")
    assert run(plain, installed.command, *words) == [*FAST[:4], *words]
    assert run(plain, installed.command, *HOOK, GIT_DIR=str(plain / ".git")) == FAST


@pytest.mark.parametrize("settings", [None, "settings.json", "settings.local.json"])
@pytest.mark.parametrize("where", [".", "sub/dir", "linked", "module", "inner", "elsewhere"])
def test_the_launcher_refuses_nothing_that_python_would_take(
    installed: Installed, plain: Path, settings: str | None, where: str
) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(plain), *words], check=True, capture_output=True)

    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", "linked")
    git("submodule", "add", "-q", "./", "module")
    git("init", "-q", "inner")
    git("clone", "-q", "--separate-git-dir=outside", ".", "elsewhere")
    if settings:
        (plain / ".entire").mkdir()
        (plain / ".entire" / settings).write_text("{}")
    place = layout.find(str(plain / where))
    assert place is not None
    if place.enabled_root:
        assert run(plain / where, installed.command, *HOOK) == FAST
    if where in {".", "sub/dir", "inner"} and not place.enabled_root:
        assert run(plain / where, installed.command, *HOOK) == []


@pytest.mark.parametrize("argv", [[], ["status"], ["explain", "--json", "a b", ""], ["--help"]])
def test_other_commands_start_the_package(installed: Installed, plain: Path, argv: list[str]) -> None:
    assert run(plain, installed.command, *argv) == ["python3.11", "-I", "-m", "entire", *argv]


def test_links_to_the_command_are_followed(installed: Installed, enabled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "on path"
    folder.mkdir()
    (folder / "entire").symlink_to(installed.command)
    (folder / "again").symlink_to("entire")
    for name in ("entire", "again"):
        assert run(enabled, folder / name, *HOOK) == FAST
        assert run(enabled, folder / name, "status") == ["python3.11", "-I", "-m", "entire", "status"]


def test_found_on_path_and_run_by_a_shell(installed: Installed, enabled: Path) -> None:
    path = f"{installed.command.parent}{os.pathsep}{os.environ['PATH']}"
    assert run(enabled, "sh", "-c", "entire " + " ".join(HOOK), PATH=path) == FAST
    assert run(installed.command.parent, "sh", "entire", "status")[1:] == ["-I", "-m", "entire", "status"]


def test_an_editable_install_runs_from_its_source_tree(installed: Installed, enabled: Path, tmp_path: Path) -> None:
    shutil.rmtree(installed.packages / "entire")
    source = tmp_path / "the source" / "src"
    (source / "entire").mkdir(parents=True)
    (source / "entire" / "launch.py").touch()
    (installed.packages / "_editable_impl_entire.pth").write_text(str(source))
    assert run(enabled, installed.command, *HOOK) == ["python3.11", "-I", "-S", f"{source}/entire/launch.py", *HOOK]


def test_an_install_it_does_not_know_runs_through_site(installed: Installed, enabled: Path) -> None:
    shutil.rmtree(installed.packages / "entire")
    assert run(enabled, installed.command, *HOOK) == ["python3.11", "-I", "-m", "entire", *HOOK]


def test_a_user_install_takes_the_python_on_path_that_it_was_made_for(
    installed: Installed, enabled: Path, tmp_path: Path
) -> None:
    (installed.command.parent / "python3.11").unlink()
    installed.program("python3.11", tmp_path / "system")
    installed.program("python3", tmp_path / "system")
    path = f"{tmp_path / 'system'}{os.pathsep}{os.environ['PATH']}"
    assert run(enabled, installed.command, *HOOK, PATH=path) == ["python3.11", "-E", "-P", "-m", "entire", *HOOK]
    shutil.rmtree(installed.packages)
    assert run(enabled, installed.command, "status", PATH=path) == ["python3", "-E", "-P", "-m", "entire", "status"]


def test_the_command_under_test_starts() -> None:
    entire = Path(sys.executable).with_name("entire")
    assert entire.read_bytes() == LAUNCHER.read_bytes(), "install again: pip install -e ."
    assert run(Path.cwd(), entire, "version", "--json")[0].startswith('{"version"')


def test_the_search_path_has_the_package_then_the_environment() -> None:
    packages = "/env/lib/python3.12/site-packages"
    assert start.search_path(packages, "/env/bin/python3.12", (3, 12)) == [packages]
    assert start.search_path("/source/src", "/env/bin/python3.12", (3, 12)) == ["/source/src", packages]


def test_hooks_import_entire_and_its_dependencies_without_site() -> None:
    code = (
        "import sys; sys.path.append(sys.argv[1]); from entire import start; "
        "sys.path[-1:] = start.search_path(sys.argv[1], sys.executable, sys.version_info[:2]); "
        "import entire.cli, ahocorasick_rs"
    )
    assert run(Path.cwd(), sys.executable, "-I", "-S", "-c", code, ROOT / "src") == []


def test_hooks_load_our_modules_from_one_file(enabled: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "entire", tmp_path / "entire", ignore=shutil.ignore_patterns("*.bundle"))
    hook = (sys.executable, "-I", "-S", tmp_path / "entire" / "launch.py", *HOOK)
    kind = ".".join(HOOK[1:])
    made = tmp_path / "entire" / "__pycache__" / f"{kind}.{sys.implementation.cache_tag}.bundle"
    run(enabled, *hook)
    first = made.read_bytes()
    assert b"entire.commands.hooks" in first
    shutil.rmtree(tmp_path / "entire" / "commands" / "__pycache__")
    run(enabled, *hook)
    assert made.read_bytes() == first
    assert not (tmp_path / "entire" / "commands" / "__pycache__").exists()


def test_a_plugin_in_python_runs_in_place_of_entire(installed: Installed, plain: Path) -> None:
    light = [*FAST[: -len(HOOK)], "run"]
    for words in (("./entire-agent-x", "parse-hook", "--hook", "hooks"), ("x", "hooks"), ("hooks", "claude-code")):
        assert run(plain, installed.command, "plugin", "run", *words) == [*light, *words]
    shutil.rmtree(installed.packages / "entire")
    assert run(plain, installed.command, "plugin", "run", "x", "hooks") == ["python3.11", "-I", "x", "hooks"]


@pytest.mark.parametrize("words", [(), ("--help",), ("",)])
def test_plugin_run_without_a_file_is_a_command_like_others(
    installed: Installed, plain: Path, words: tuple[str, ...]
) -> None:
    started = run(plain, installed.command, "plugin", "run", *words)
    assert started == ["python3.11", "-I", "-m", "entire", "plugin", "run", *words]
