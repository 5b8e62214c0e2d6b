"""``.`` and other relative entries of PATH name folders of the repository: they supply nothing that Entire starts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.forks import BIN
from tests.integration.pluginworld import PluginWorld
from tests.integration.story import Story

NAMES = (
    "git",
    "claude",
    "less",
    "pager",
    "cat",
    "sed",
    "sh",
    "python3",
    "interpreter",
    "grep",
    "tr",
    "readlink",
    "entire",
)


def spy(folder: Path) -> Path:
    """Put programs with the names of others into a folder; return the file in which they tell that they ran."""
    told = folder.parent / "told"
    for name in NAMES:
        (folder / name).write_text(f'#!/bin/sh\necho "$0" >>"{told}"\n')
        (folder / name).chmod(0o755)
    return told


@pytest.mark.parametrize("entry", ["", "."])
def test_hooks_of_git_start_nothing_of_the_repository(story: Story, entry: str) -> None:
    told = spy(story.root)
    with story.started().turn("Write") as session:
        session.write("a.py", "a\n")
    env = {**story.env, "PATH": f"{entry}{os.pathsep}{story.env['PATH']}", "GIT_EDITOR": "true"}
    git = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([git, "add", "a.py"], cwd=story.root, env=env, check=True)
    subprocess.run([git, "commit", "-q", "-m", "Add a"], cwd=story.root, env=env, check=True)
    assert len(story.ids()) == 1
    assert not told.exists(), told.read_text()


def test_commands_start_nothing_of_the_repository(story: Story) -> None:
    told = spy(story.root)
    with story.started().turn("Write") as session:
        session.write("a.py", "a\n")
    story.commit("Add a")
    env = {**story.env, "PATH": f".{os.pathsep}{story.env['PATH']}"}
    for words in (["status"], ["log"], ["explain", "HEAD"], ["resume", "--run"], ["doctor"]):
        done = subprocess.run([str(BIN / "entire"), *words], cwd=story.root, env=env, capture_output=True, text=True,
                              check=False)  # fmt: skip
        assert "Traceback" not in done.stderr
        if words[0] == "resume":
            assert (done.returncode, done.stderr.split("\n")[0]) == (
                1,
                "entire: cannot start claude: No such file or directory",
            )
    assert not told.exists(), told.read_text()


def test_git_starts_nothing_of_the_repository_for_us(story: Story) -> None:
    told = spy(story.root)
    story.git("remote", "add", "origin", "ssh://host.invalid/x")
    (story.root / "ssh").write_text(f'#!/bin/sh\necho "$0" >>"{told}"\nexit 1\n')
    (story.root / "ssh").chmod(0o755)
    path = [folder for folder in story.env["PATH"].split(os.pathsep) if not os.path.exists(f"{folder}/ssh")]
    env = {**story.env, "PATH": os.pathsep.join([".", *path])}
    done = subprocess.run([str(BIN / "entire"), "resume", "nowhere"], cwd=story.root, env=env, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert not told.exists(), told.read_text()


def test_a_plugins_interpreter_is_none_of_the_repositorys(tmp_path: Path) -> None:
    world = PluginWorld(tmp_path)
    told = spy(world.repo)
    path = world.install()
    path.write_text(path.read_text().replace("#!/bin/sh", "#!/usr/bin/env interpreter"))
    other = tmp_path / "interpreters"
    other.mkdir()
    (other / "interpreter").symlink_to("/bin/sh")
    world.env["PATH"] = os.pathsep.join([".", str(other), world.env["PATH"]])
    world.ok("plugin", "allow", "x", "--yes")
    assert world.states() == {"x": "allowed"}
    assert world.calls() != []
    assert not told.exists(), told.read_text()


def test_the_pager_is_named_by_its_absolute_path(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    from entire.git import history

    spy(story.root)
    bin_dir = story.root.parent / "pagers"
    bin_dir.mkdir()
    for name in ("less", "more"):
        (bin_dir / name).write_text("#!/bin/sh\n")
        (bin_dir / name).chmod(0o755)
    monkeypatch.setenv("PATH", f".:{bin_dir}:{os.environ['PATH']}")
    monkeypatch.chdir(story.root)
    for chosen, shown in (("more -s", f"{bin_dir}/more -s"), ("./pager", f"{bin_dir}/less"), ("", f"{bin_dir}/less")):
        monkeypatch.setenv("GIT_PAGER", chosen or "nonsense-pager")
        assert history.pager(str(story.root)) == shown
