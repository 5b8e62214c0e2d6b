"""Real husky, lefthook and pre-commit beside our hooks: installed in any order, repeatedly, and removed again."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.story import Session, Story

pytestmark = pytest.mark.e2e

NPM = Path(__file__).parent / "agents" / "node_modules" / ".bin"
MARKS = (b"Entire CLI hooks", b"entire/hooks/", b".pre-entire")
RAN, FAIL = "ran", "fail"  # files beside the repository: one line per run of the manager; its hook fails if this exists

PRE_COMMIT = """\
repos:
- repo: local
  hooks:
"""
PRE_COMMIT_HOOK = """\
  - id: {stage}
    name: {stage}
    entry: {command}
    language: system
    always_run: true
    pass_filenames: false
    stages: [{stage}]
"""


class Manager:
    """A hook manager with a job for each hook of a commit; that of commit-msg can be made to fail."""

    stages: tuple[str, ...] = ("prepare-commit-msg", "commit-msg", "post-commit")

    def __init__(self, story: World) -> None:
        self.story = story
        self.outside = story.root.parent
        self.job = self.outside / "job"
        fails = f'[ "$1" != commit-msg ] || [ ! -e {self.outside / FAIL} ]'
        self.job.write_text(f'#!/bin/sh\necho "$1" >>{self.outside / RAN}\n{fails}\n')
        self.job.chmod(0o755)
        self.configure()
        story.commit("Use a hook manager", "--no-verify")

    def configure(self) -> None:
        raise NotImplementedError

    def install(self) -> None:
        raise NotImplementedError

    def runs(self) -> list[str]:
        """Return the stages whose job ran since the last call."""
        log = self.outside / RAN
        found = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return found

    def run(self, *words: str) -> None:
        self.story.shell_command(words)


class PreCommit(Manager):
    def configure(self) -> None:
        hooks = "".join(PRE_COMMIT_HOOK.format(stage=stage, command=f"{self.job} {stage}") for stage in self.stages)
        self.story.write(".pre-commit-config.yaml", PRE_COMMIT + hooks)

    def install(self) -> None:
        types = [word for stage in self.stages for word in ("-t", stage)]
        self.run(sys.executable, "-m", "pre_commit", "install", *types)

    def uninstall(self) -> None:
        types = [word for stage in self.stages for word in ("-t", stage)]
        self.run(sys.executable, "-m", "pre_commit", "uninstall", *types)


class Lefthook(Manager):
    def configure(self) -> None:
        self.story.write(
            "lefthook.yml", "".join(f"{stage}:\n  jobs:\n    - run: {self.job} {stage}\n" for stage in self.stages)
        )

    def install(self) -> None:
        self.run("lefthook", "install")


class Husky(Manager):
    def configure(self) -> None:
        for stage in self.stages:
            self.story.write(f".husky/{stage}", f"{self.job} {stage}\n")

    def install(self) -> None:
        self.run("husky")


MANAGERS: dict[str, type[Manager]] = {"pre-commit": PreCommit, "lefthook": Lefthook, "husky": Husky}


class World(Story):
    """A repository whose person has the hook managers on PATH and a terminal's answers at hand."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", f"{NPM}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(root.parent / "pre-commit"))
        super().__init__(root, enable=False)
        self.monkeypatch = monkeypatch
        self.editor = root.parent / "editor"
        self.editor.write_text('{ echo "A message"; cat "$1"; } >"$1.new" && mv "$1.new" "$1"\n')

    def shell_command(self, words: tuple[str, ...]) -> None:
        done = subprocess.run(words, cwd=self.root, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def enable(self) -> None:
        """Enable as a person on a terminal, who agrees to everything."""
        self.monkeypatch.setenv("ACCESSIBLE", "1")
        self.monkeypatch.setattr("sys.stdin", io.StringIO("claude-code\nyes\n"))
        assert self.entire("enable", "--skip-push-sessions") == 0
        self.monkeypatch.delenv("ACCESSIBLE")
        self.git("add", "-A")
        if self.git("status", "--porcelain"):
            self.commit("Set up")

    def hook_files(self) -> dict[str, bytes]:
        """Return the hooks in every folder where git or a manager may look, but git's examples."""
        folders = (self.root / ".git/hooks", self.root / ".husky", self.root / ".husky/_")
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for folder in folders
            if folder.is_dir()
            for path in sorted(folder.iterdir())
            if path.is_file() and path.suffix != ".sample"
        }


@pytest.fixture(autouse=True)
def installed() -> None:
    missing = [name for name in ("husky", "lefthook") if not (NPM / name).exists()]
    if missing and os.environ.get("ENTIRE_E2E_REQUIRED"):
        pytest.fail("the hook managers are not installed; run `make agents`")
    if missing:
        pytest.skip("the hook managers are not installed; run `make agents`")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path / "repo", monkeypatch)


def work(world: World, session: Session, name: str) -> None:
    """Let the agent write a file in a turn of its own."""
    with session.turn(f"write {name}") as turn:
        turn.write(name, f"{name}\nby the agent\n")


def assert_commits_link(world: World, manager: Manager) -> None:
    """Commit in several ways: each is linked, the manager's job runs once per stage, and its veto counts."""
    session = world.session()
    session.start()
    work(world, session, "a.txt")
    manager.runs()
    world.commit("Add a")
    assert sorted(manager.runs()) == sorted(manager.stages)
    (first,) = world.ids()

    world.git("commit", "-q", "--amend", "-m", "Add a, amended")
    assert world.ids() == [first]

    work(world, session, "b.txt")
    world.git("add", "-A")
    world.git("commit", "-q", env={"GIT_EDITOR": f"sh {world.editor}"})
    (second,) = world.ids()
    assert second != first
    assert world.linked()["slots"].keys() == {session.id}

    work(world, session, "c.txt")
    world.git("add", "-A")
    fail, head = world.root.parent / FAIL, world.head()
    fail.touch()
    assert world.git("commit", "-q", "-m", "Refused", ok=False) == ""
    assert world.head() == head
    fail.unlink()
    manager.runs()
    session.end()
    assert not (world.root / ".git/entire/pending.json").exists()
    world.commit("Add c")
    assert sorted(manager.runs()) == sorted(manager.stages)
    assert len(world.ids()) == 1
    assert world.log_errors() == []


def assert_gone(world: World, before: dict[str, bytes], manager: Manager) -> None:
    """Uninstall: the hooks are as they were without us, and the manager still runs."""
    assert world.entire("disable", "--uninstall", "--force") == 0
    after = world.hook_files()
    assert after == before
    assert not any(mark in text for text in after.values() for mark in MARKS)
    assert not any(".pre-entire" in name for name in after)
    manager.runs()
    world.commit("Without entire", "--allow-empty")
    assert sorted(manager.runs()) == sorted(manager.stages)


def without_us(world: World, manager: Manager) -> dict[str, bytes]:
    """Return the hooks as the manager alone installs them, and remove them again."""
    manager.install()
    alone = world.hook_files()
    for name in alone:
        if name.startswith((".git", ".husky/_")):
            (world.root / name).unlink()
    for name in ("lefthook.checksum",):
        (world.root / ".git/info" / name).unlink(missing_ok=True)
    world.git("config", "--unset", "core.hooksPath", ok=False)
    return alone


def do(world: World, manager: Manager, plan: str) -> None:
    for step in plan.split():
        {"us": world.enable, "them": manager.install}[step]()


@pytest.mark.parametrize(
    "plan",
    ["us them us", "them us", "us them us them us", "them us them us", "us us them them us us", "them us us"],
)
@pytest.mark.parametrize("name", list(MANAGERS))
def test_in_any_order_commits_link_and_nothing_is_lost_or_left(world: World, name: str, plan: str) -> None:
    manager = MANAGERS[name](world)
    alone = without_us(world, manager)
    do(world, manager, plan)
    assert_commits_link(world, manager)
    assert_gone(world, alone, manager)


@pytest.mark.parametrize("plan", ["us them", "them us them", "us them us them"])
def test_pre_commit_calls_our_hook_where_it_came_last(
    world: World, plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manager = PreCommit(world)
    alone = without_us(world, manager)
    do(world, manager, plan)
    capsys.readouterr()
    world.entire("status")
    assert "BROKEN" not in capsys.readouterr().out
    before = world.hook_files()
    world.enable()
    assert world.hook_files() == before
    assert_commits_link(world, manager)
    assert_gone(world, alone, manager)


@pytest.mark.parametrize("name", ["lefthook", "husky"])
def test_a_manager_that_came_last_is_named_with_the_remedy(
    world: World, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manager = MANAGERS[name](world)
    do(world, manager, "us them")
    capsys.readouterr()
    world.entire("status")
    out = capsys.readouterr().out
    assert name in out
    assert ("entire/hooks/prepare-commit-msg" in out) == (name == "husky")


@pytest.mark.parametrize("plan", ["us them us", "us them"])
@pytest.mark.parametrize("name", ["pre-commit", "lefthook"])
def test_a_hook_that_was_there_before_us_all_is_not_lost(world: World, name: str, plan: str) -> None:
    first = world.root / ".git/hooks/commit-msg"
    first.write_text(f"#!/bin/sh\necho first >>{world.root.parent / RAN}\n")
    first.chmod(0o755)
    manager = MANAGERS[name](world)
    do(world, manager, plan)
    world.commit("Any", "--allow-empty")
    assert manager.runs().count("commit-msg") == 1
    assert world.entire("disable", "--uninstall", "--force") == 0
    after = world.hook_files()
    assert not any(mark in text for text in after.values() for mark in MARKS)
    assert not any(".pre-entire" in path for path in after)
    assert sum(b"echo first" in text for text in after.values()) == 1
    manager.runs()
    world.commit("Without entire", "--allow-empty")
    if name == "pre-commit":  # lefthook never runs what it set aside
        assert sorted(manager.runs()) == sorted((*manager.stages, "first"))


def test_an_earlier_hook_runs_below_pre_commit_and_us(world: World) -> None:
    first = world.root / ".git/hooks/commit-msg"
    first.write_text(f"#!/bin/sh\necho first >>{world.root.parent / RAN}\n")
    first.chmod(0o755)
    manager = PreCommit(world)
    do(world, manager, "us them us")
    manager.runs()
    world.commit("Any", "--allow-empty")
    assert sorted(manager.runs()) == sorted((*manager.stages, "first"))


def test_the_loop_of_an_older_version_is_undone(world: World) -> None:
    """What `enable` once made of pre-commit's migration mode: our hook twice, and pre-commit's between them."""
    manager = PreCommit(world)
    do(world, manager, "us them")
    hooks = world.root / ".git/hooks"
    for stage in manager.stages:
        (hooks / stage).rename(hooks / f"{stage}.pre-entire")
        shutil.copy(hooks / f"{stage}.legacy", hooks / stage)
    assert_commits_link(world, manager)
    world.enable()
    assert not list(hooks.glob("*.legacy"))
    manager.runs()
    world.commit("Any", "--allow-empty")
    assert sorted(manager.runs()) == sorted(manager.stages)


def test_lefthook_can_install_after_us_at_any_time(world: World) -> None:
    manager = Lefthook(world)
    do(world, manager, "us them us them us them")
    assert b"lefthook" in (world.root / ".git/hooks/commit-msg").read_bytes()


def test_pre_commit_leaves_our_hooks_behind_when_it_goes(world: World) -> None:
    manager = PreCommit(world)
    do(world, manager, "us them us")
    manager.uninstall()
    session = world.session()
    session.start()
    work(world, session, "a.txt")
    world.commit("Add a")
    assert len(world.ids()) == 1
    assert world.entire("disable", "--uninstall", "--force") == 0
    assert world.hook_files() == {}


def test_a_job_of_the_manager_that_calls_our_script_counts(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Lefthook replaces a hook whenever its settings change; a job in these settings stays."""
    world.write(
        "lefthook.yml",
        "".join(
            f"{stage}:\n  jobs:\n    - run: $(git rev-parse --git-common-dir)/entire/hooks/{stage} {{0}}\n"
            for stage in ("prepare-commit-msg", "commit-msg", "post-commit", "pre-push")
        ),
    )
    world.commit("Use lefthook", "--no-verify")
    world.shell_command(("lefthook", "install"))
    world.enable()
    capsys.readouterr()
    world.entire("status")
    assert "BROKEN" not in capsys.readouterr().out
    assert not any(b"Entire CLI hooks" in text for text in world.hook_files().values())
    session = world.session()
    session.start()
    work(world, session, "a.txt")
    world.commit("Add a")
    (first,) = world.ids()
    session.end()
    world.git("commit", "-q", "--amend", "-m", "Amended")
    assert world.ids() == [first]


def test_a_fresh_clone_with_husky_links_from_its_first_turn(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Husky(world)
    do(world, manager, "them us")
    world.git("clone", "-q", str(world.root), str(tmp_path / "clone" / "repo"))
    clone = World.__new__(World)
    Story.__init__(clone, tmp_path / "clone" / "repo", enable=False, first_commit=False)
    clone.shell_command(("husky",))
    session = clone.session()
    session.start()
    with session.turn("write") as turn:
        turn.write("x.txt", "x\n")
    clone.commit("Add x")
    assert len(clone.ids()) == 1
