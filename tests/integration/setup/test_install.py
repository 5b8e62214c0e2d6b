"""The wheel, installed as a person installs it: the command is the launcher, and it finds its Python."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import entire

ROOT = Path(__file__).resolve().parents[3]


TEMPLATES = "entire_plugin_kit/templates/"


def templates() -> set[str]:
    folder = ROOT / "src" / TEMPLATES
    paths = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    names = {str(path) for path in paths if "__pycache__" not in path.parts}
    assert {"python/entire-agent-parrot", "shell/entire-agent-parrot", "python/README.md"} < names
    return names


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = ["wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([sys.executable, "-m", "pip", "-q", *words], check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and what it needs borrowed from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("environment") / "with a blank"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "-q", "--python", str(folder)]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = folder.glob("lib/python3.*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def test_the_wheel_is_pure_and_holds_the_packages_and_the_launcher_only(wheel: Path) -> None:
    assert wheel.name == f"entire-{entire.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    script = f"entire-{entire.__version__}.data/scripts/entire"
    assert script in names
    assert "entire/py.typed" in names
    tops = {name.partition("/")[0] for name in names} - {script.partition("/")[0]}
    packages = {"entire", "entire_demo_agent", "entire_demo_plugin", "entire_plugin_kit", "entire_secrets"}
    assert tops == {*packages, f"entire-{entire.__version__}.dist-info"}
    assert "entire_plugin_kit/py.typed" in names
    assert [name for name in names if name.endswith("entry_points.txt")] == []  # the demo agent is not a command
    others = {name for name in names if name.partition("/")[0] in packages and not name.endswith((".py", "py.typed"))}
    ours = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src/entire/agents").glob("*/*.ts")}
    assert {name for name in others if not name.startswith(TEMPLATES)} == ours  # they run inside of agents
    assert {f"{TEMPLATES}{name}" for name in templates()} <= set(names)


def test_the_source_distribution_has_the_templates_of_plugins(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (made,) = tmp_path.iterdir()
    with tarfile.open(made) as archive:
        names = archive.getnames()
    assert {f"entire-{entire.__version__}/src/{TEMPLATES}{name}" for name in templates()} <= set(names)


def test_a_command_runs(environment: Path) -> None:
    done = subprocess.run([environment / "bin" / "entire", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"entire {entire.__version__}\n", "")


def test_a_hook_runs_the_installed_package_without_site(environment: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".entire").mkdir()
    (tmp_path / ".entire" / "settings.json").write_text("{}")
    (package,) = environment.glob("lib/python3.*/site-packages/entire")
    command = package / "cli.py"
    real = command.read_text()
    # In place of the command itself: what was started, and from where.
    command.write_text(
        "def main(args):\n    import sys\n    print(__file__, 'site' in sys.modules, args)\n    return 0\n"
    )
    words = [str(environment / "bin" / "entire"), "hooks", "claude-code", "stop"]
    try:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    finally:
        command.write_text(real)
    assert done.stderr == ""
    assert done.stdout == f"{command.resolve()} False {words[1:]}\n"


@pytest.mark.parametrize("way", ["on PATH", "through a link", "a name with a blank"])
def test_a_new_plugin_runs_wherever_entire_is_installed(way: str, environment: Path, tmp_path: Path) -> None:
    """In an environment of its own, as pipx and uv install it: no other Python has it, nor this one on PATH."""
    commands = environment / "bin"
    if way == "through a link":
        commands = tmp_path / "bin"
        commands.mkdir()
        (commands / "entire").symlink_to(environment / "bin" / "entire")
    env = {"PATH": f"{commands}:/usr/bin:/bin", "HOME": str(tmp_path)}
    folder = tmp_path / ("a folder" if way == "a name with a blank" else "folder")
    words = [str(commands / "entire"), "plugin", "new", "myagent", "--into", str(folder)]
    subprocess.run(words, env=env, check=True, capture_output=True)
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["README.md", "entire-agent-myagent", "fixtures", "test_plugin.py"]
    done = subprocess.run([folder / "entire-agent-myagent", "info"], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["name"] == "myagent"
