"""Every command and every hook where a repository brings links, pipes, devices and folders in place of files of ours.

Nothing outside of the repository changes, nothing hangs, and no error is an internal one. Nor does a module open any of
these files in another way than by ``tree_files``, which follows no link.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from entire.cli import main
from entire.commands import TABLE
from entire.directory import AgentDirectory
from tests import hostile_worktree
from tests.hostile_worktree import HARMLESS, KINDS, a_file, an_endless_file
from tests.integration.shown import begun
from tests.integration.story import Session, Story

Kind = Callable[[Path, Path], None]

FOLDERS = (".entire", ".claude", ".gemini", ".demo-agent", ".githooks", ".husky")
FILES = (
    ".entire/settings.local.json", ".entire/entire.json", ".entire/redact.toml", ".entire/.gitignore", ".entire/logs",
    ".entire/metadata", ".entire/tmp", ".entire/hooks", ".claude/settings.json", ".claude/settings.local.json",
    ".gemini/settings.json", ".demo-agent/settings.json", ".husky/pre-push", ".husky/post-commit", "lefthook.yml",
    ".pre-commit-config.yaml",
)  # fmt: skip
SHARED = (".entire/settings.json", ".entire/logs/entire.log", ".entire/tmp/pre-prompt-0.json")
USERS = ("hello.py", "README.md")  # the user's own
OTHERS = (*SHARED, *USERS)
OURS_TO_LIST = (".entire", ".entire/logs", ".entire/metadata", ".entire/tmp")
NOT_OPENED = (*OTHERS[1:], ".entire/hooks", ".claude/settings.local.json", ".githooks", ".husky", *FILES[-4:])
COMMANDS = [
    ["status"], ["log"], ["rewind", "--list"], ["show", "HEAD"],
    ["show", "--uncommitted"], ["explain"], ["why", "hello.py"], ["blame", "hello.py"], ["link", "-n", "HEAD~1"],
    ["unlink", "-n", "HEAD~1"], ["undo", "--list"], ["search", "hello"], ["story", "HEAD~1..HEAD"], ["audit"],
    ["redact", "--test", "hello.py"], ["redact", "--rules"], ["doctor"], ["plugin", "list"], ["agent", "list"],
    ["completion", "bash"], ["help", "enable"], ["version"], ["clean", "--all"], ["reset", "-n"],
    ["enable", "--agent", "claude-code"], ["enable", "--agent", "gemini", "--local"], ["enable", "--agent", "demo"],
    ["enable", "--agent", "claude-code", "--force", "--project", "--strategy", "manual-commit"],
    ["rewind", "--before-last-prompt", "--yes"], ["resume", "main"], ["forget", "--secret", "nowhere-to-be-found"],
    ["doctor", "--fix", "--yes"], ["clean", "--all", "--force"], ["reset", "--force"], ["disable"],
    ["disable", "--project"], ["enable"], ["disable", "--uninstall", "--force"],
]  # fmt: skip
BY_UNDO = ("clean", "--all", "--force")  # a change that is undone is carried out by paths that are not links
GIT_HOOKS = (
    ["prepare-commit-msg", ".git/COMMIT_EDITMSG", "message"], ["commit-msg", ".git/COMMIT_EDITMSG"], ["post-commit"],
    ["pre-push", "origin", "nowhere"],
)  # fmt: skip


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Story]:
    """Return what starts again with a repository that holds a checkpoint and a running turn, and files of no agent."""
    folder = tmp_path_factory.mktemp("hostile")
    story = Story(folder / "repo")
    session = begun(story)
    session.stop()
    story.git("rm", "-rq", "--cached", ".entire", ".claude", ok=False)
    story.path(".git/info/exclude").write_text("".join(f"/{name}\n" for name in (*FOLDERS, *FILES)))
    story.commit("Nothing of ours is tracked", add=False)
    session.prompt("more")
    session.write("hello.py", "print('more')\n")
    kept = folder / "kept"
    shutil.copytree(story.root, kept, symlinks=True)

    def again() -> Story:
        shutil.rmtree(story.root)
        shutil.copytree(kept, story.root, symlinks=True)
        return story

    return again


class World:
    """A repository with hostile places, what is outside of it, and what our process opened by a path."""

    def __init__(self, story: Story, outside: Path, places: Iterable[tuple[str, Kind]]) -> None:
        self.story = story
        self.outside = hostile_worktree.outside(outside)
        self.places = dict(places)
        for name, kind in self.places.items():
            path = story.path(name)
            path.parent.mkdir(exist_ok=True)
            if not path.is_symlink() and path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            kind(path, self.outside)
        self.links = {name for name in self.places if story.path(name).is_symlink()}
        self.before = hostile_worktree.picture(self.outside)
        self.wrong: dict[str, list[str]] = {}

    def run(self, capsys: pytest.CaptureFixture[str], *words: str, stdin: str = "") -> str:
        """Run a command or a hook, note what is wrong, and return what it said."""
        capsys.readouterr()
        before, given = Path.cwd(), sys.stdin
        os.chdir(self.story.root)
        opened.clear()
        watched.append(str(self.story.root))
        try:
            sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
            with hostile_worktree.bounds(30):
                status = main(list(words))
        finally:
            watched.clear()
            sys.stdin = given
            os.chdir(before)
        said = "".join(capsys.readouterr())
        wrong = [f"opened by path: {path}" for path in sorted(set(opened)) if words != BY_UNDO]
        wrong += [said] * ("internal error" in said or "Traceback" in said or status > 4)
        after = hostile_worktree.picture(self.outside)
        wrong += [
            f"changed outside: {name}" for name in {*after, *self.before} if after.get(name) != self.before.get(name)
        ]
        if wrong:
            self.wrong[" ".join(words)] = wrong
        return said


watched: list[str] = []
opened: list[str] = []
_OPENINGS = ("open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link",
             "os.symlink", "os.chmod", "os.truncate", "shutil.rmtree")  # fmt: skip
_OURS = (".entire", ".claude", ".gemini", ".demo-agent")


def _note(event: str, given: tuple[object, ...]) -> None:
    """Note the openings by a path that goes through one of our folders in the worktree."""
    if not watched or event not in _OPENINGS:
        return
    for path in given[: 2 if event in ("os.rename", "os.link", "os.symlink") else 1]:
        if isinstance(path, str | bytes):
            name = os.fsdecode(path)
            inside = os.path.relpath(name, watched[0]) if os.path.isabs(name) else name
            folder, is_below, _ = inside.partition(os.sep)
            # A name alone is one in a folder that is open, if not the current folder's.
            if folder in _OURS and (is_below or os.path.isabs(name)):
                opened.append(f"{event} {name}")


sys.addaudithook(_note)


def hooks(world: World, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """Call every hook of every built-in agent, then git's."""
    payload = session.payload("x", prompt="Say hello", source="startup", reason="other", trigger="manual")
    for agent in AgentDirectory.without_plugins().agents():
        for verb in agent.hook_names:
            world.run(capsys, "hooks", agent.name, verb, stdin=payload)
    world.story.write("mine.py", "mine = 1\n")
    world.story.path(".git/COMMIT_EDITMSG").write_text("A commit\n")
    for words in GIT_HOOKS:
        world.run(capsys, "hooks", "git", *words)


def play(world: World, capsys: pytest.CaptureFixture[str]) -> str:
    """Run everything; return what doctor said at first."""
    said = world.run(capsys, "doctor")
    hooks(world, world.story.session(), capsys)
    for words in COMMANDS:
        world.run(capsys, *words)
    return said


def unreported(world: World, said: str) -> list[str]:
    """Return the places that doctor should name, and does not."""
    found = []
    for name, kind in world.places.items():
        is_fine = kind.__name__ in HARMLESS or (kind.__name__ == "a_folder" and name in OURS_TO_LIST)
        is_due = name in world.links if name in FOLDERS[1:] else not is_fine
        if is_due and name not in NOT_OPENED and f"{world.story.path(name)} is not used" not in said:
            found.append(f"{name}: {kind.__name__}")
    return found


@pytest.mark.parametrize("number", range(len(KINDS)))
@pytest.mark.parametrize("names", [FOLDERS, FILES, OTHERS], ids=["folders", "files", "others"])
def test_nothing_leads_out(
    begin: Callable[[], Story], tmp_path: Path, capsys: pytest.CaptureFixture[str], names: tuple[str, ...], number: int
) -> None:
    """Over all numbers, each place is of each kind once."""
    kinds = [KINDS[(number + at) % len(KINDS)] for at in range(len(names))]
    if names is OTHERS and an_endless_file in kinds[-len(USERS) :]:
        kinds[kinds.index(an_endless_file)] = a_file  # git itself would read it for ever
    world = World(begin(), tmp_path / "outside", zip(names, kinds, strict=True))
    if names is not OTHERS:
        world.story.git("config", "core.hooksPath", ".githooks" if names is FOLDERS else ".husky")
    said = play(world, capsys)
    assert world.wrong == {}
    assert unreported(world, said) == []


@pytest.mark.parametrize("name", [".entire", ".entire/settings.json", ".entire/settings.local.json"])
def test_the_scripts_of_git_hooks_open_nothing_hostile(begin: Callable[[], Story], tmp_path: Path, name: str) -> None:
    """A commit, and a push that is stopped: that script looks at the settings by itself."""
    story = begin()
    story.git("init", "-q", "--bare", str(tmp_path / "remote"))
    story.git("remote", "add", "origin", str(tmp_path / "remote"))
    assert story.entire("enable", "--push-sessions", "--local") == 0
    outside = hostile_worktree.outside(tmp_path / "outside")
    before = hostile_worktree.picture(outside)
    for kind in KINDS[1:]:
        path = story.path(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        kind(path, outside)
        for words in (("commit", "-q", "--allow-empty", "-m", kind.__name__), ("push", "-q", "--all", "origin")):
            done = subprocess.run(["git", *words], cwd=story.root, env=story.env, capture_output=True, timeout=60)
            assert b"internal error" not in done.stderr
    assert hostile_worktree.picture(outside) == before
    assert story.git("ls-remote", "origin") == ""


def test_every_command_is_tried() -> None:
    assert set(TABLE) <= {words[0] for words in COMMANDS}
