"""Kill whole process groups at random moments: ``python -m tests.campaign.kills [--kills N] [--seed N] [--only TEXT]``.

A kill takes git and the hooks that it started, so that git's locks stay. After each, work goes on: the next event must
heal everything. A table is printed at the end; the exit code is 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.conftest import GIT_CONFIG, sealed_environment
from tests.integration.kept import AGENT, PERSON, all_ids, checkpoints
from tests.integration.story import Session, Story

V1 = "refs/heads/entire/checkpoints/v1"
_OURS = ("refs/heads/entire/", "refs/entire/")
_LONGER = 1.15  # than an unhurt run: some kills come too late


class World:
    """A session with a linked commit and a remote; put back to that before each kill."""

    def __init__(self, folder: Path, *, strategy: str = "") -> None:
        self.folder = folder
        self.base, self.kept = folder / "base", folder / "kept"
        self.story = Story(self.base / "repo")
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        words = ["enable", "--agent", "claude-code", "--push-sessions", *(["--strategy", strategy] if strategy else [])]
        assert self.story.entire(*words) == 0
        self.story.git("init", "-q", "--bare", "-b", "main", str(self.base / "origin.git"))
        self.story.git("remote", "add", "origin", str(self.base / "origin.git"))
        self.session = self.story.session()
        self.session.start()
        self.turn("first.py")
        self.story.commit("first", "--allow-empty")
        self.since = self.story.head()

    def turn(self, name: str) -> None:
        with self.session.turn(f"Write {name}"):
            self.session.write(name, f"{name} = 1\n")

    def save(self) -> None:
        shutil.copytree(self.base, self.kept, symlinks=True)
        session = self.session
        self._said = session.parent, session.prompt_id, session.answers

    def restore(self) -> None:
        shutil.rmtree(self.base)
        shutil.copytree(self.kept, self.base, symlinks=True)
        self.session.parent, self.session.prompt_id, self.session.answers = self._said

    def run(self, words: list[str], stdin: str, seconds: float, env: dict[str, str]) -> tuple[bool, float]:
        """Run a program in a group of its own and kill that after some time; tell whether it was killed, and when it
        ended.
        """
        began = time.monotonic()
        none = subprocess.DEVNULL
        with subprocess.Popen(words, cwd=self.story.root, env={**self.story.env, **env}, start_new_session=True,
                              text=True, stdin=subprocess.PIPE, stdout=none, stderr=none) as program:  # fmt: skip
            assert program.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                program.stdin.write(stdin)
                program.stdin.close()
            try:
                program.wait(seconds)
                return False, time.monotonic() - began
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
        _wait_for_end(program.pid)
        return True, time.monotonic() - began


def _wait_for_end(group: int) -> None:
    """Wait until all processes of a killed group are gone: as long as one is not, it holds its locks."""
    deadline = time.monotonic() + 10
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.005)


def commit(world: World) -> tuple[list[str], str]:
    """A person commits what a turn wrote."""
    world.turn("a.py")
    world.story.git("add", "-A")
    return ["git", "commit", "-q", "-m", "a"], ""


def turn_end(world: World) -> tuple[list[str], str]:
    """A turn ends."""
    world.session.prompt("Write a.py")
    world.session.write("a.py", "a = 1\n")
    return _stop(world.session)


def agents_commit(world: World) -> tuple[list[str], str]:
    """A turn ends in which the agent committed."""
    world.session.prompt("Write a.py and commit")
    world.session.write("a.py", "a = 1\n")
    world.session.commit("a")
    world.session.write("more.py", "more = 1\n")
    return _stop(world.session)


def push(world: World) -> tuple[list[str], str]:
    """A person pushes, and the hook pushes the checkpoints."""
    world.turn("a.py")
    world.story.commit("a")
    return ["git", "push", "-q", "origin", "main"], ""


def _stop(session: Session) -> tuple[list[str], str]:
    session.answer({"type": "text", "text": "Done."})
    return ["entire", "hooks", "claude-code", "stop"], session.payload("stop", stop_hook_active=False)


SCENES: dict[str, tuple[Callable[[World], tuple[list[str], str]], str]] = {
    "a commit": (commit, ""),
    "a turn's end": (turn_end, ""),
    "a turn's end after the agent's commit": (agents_commit, ""),
    "auto-commit": (turn_end, "auto-commit"),
    "a push": (push, ""),
}
"""What is killed: how it is prepared, and the strategy."""


class Stage:
    """One scene, prepared once and killed as often as one likes."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        prepare, strategy = SCENES[name]
        self.world = World(folder, strategy=strategy)
        self.words, self.stdin = prepare(self.world)
        self.is_auto = bool(strategy)
        self.world.save()
        self.env = PERSON if self.words[0] == "git" else AGENT
        _, self.seconds = self.world.run(self.words, self.stdin, 120, self.env)

    def kill(self, seconds: float) -> str:
        """Kill the act after some time, go on, and check; return a word for what happened."""
        self.world.restore()
        is_killed, _ = self.world.run(self.words, self.stdin, seconds, self.env)
        left = locks(self.world.story)
        users = [name for name in left if not name.startswith(_OURS) and not self.is_auto]
        for name in users:  # as ``status`` tells the person, who does it
            if name not in ("packed-refs.lock",):
                os.unlink(self.world.story.path(f".git/{name}"))
        self._go_on()
        self._check()
        return "in time" if not is_killed else f"killed, left {_kind(left)}" if left else "killed"

    def _go_on(self) -> None:
        """Let the next event come, and then a turn that is committed."""
        world, story = self.world, self.world.story
        world.session.prompt("Go on")
        assert locks(story) == [], f"the next event leaves {locks(story)}"
        world.session.write("b.py", "b = 1\n")
        world.session.stop()
        if story.git("status", "--porcelain").strip():
            story.commit("b", env=PERSON)
        self.last = story.head()

    def _check(self) -> None:
        story = self.world.story
        assert len({*story.ids(self.last), *story.recorded(self.last)}) == 1, "a later commit is not linked"
        assert all_ids(story) <= checkpoints(story), "a trailer without its checkpoint"
        assert not story.path(".git/entire/pending.json").exists(), "a pending record is left"
        fsck = story.git("fsck", "--connectivity-only", "--no-dangling", "--no-progress", ok=True)
        assert not fsck.strip(), fsck
        for commit in story.git("rev-list", f"{self.world.since}..HEAD").split():
            assert len({*story.ids(commit), *story.recorded(commit)}) == 1, f"{commit} is not linked"
        story.started()
        found = story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split()
        assert found == [V1], f"left: {found}"
        # Of an empty one, its process may have only just made it: it goes a minute later.
        notes = [path for path in story.path(".git/entire/ref-notes").glob("*") if path.stat().st_size]
        assert notes == [], "a note is left"
        assert locks(story) == []


def locks(story: Story) -> list[str]:
    """Return the locks below the git directory, without the objects."""
    top = story.path(".git")
    return sorted(str(path.relative_to(top)) for path in top.rglob("*.lock") if path.parts[-2] != "objects")


def _kind(left: list[str]) -> str:
    kinds = {"a ref of ours" if name.startswith(_OURS) else name for name in left}
    return " and ".join(sorted(kinds))


def play(names: list[str], kills: int, seed: int, folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Kill each scene that often; return what happened, and what was wrong."""
    outcomes: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    for number, name in enumerate(names):
        chance = random.Random(f"{seed} {name}")
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            stage = Stage(name, folder / str(number))
            outcomes[name] = Counter()
            for _ in range(kills):
                seconds = chance.uniform(0, stage.seconds * _LONGER)
                try:
                    outcomes[name][stage.kill(seconds)] += 1
                except (AssertionError, OSError, ValueError, LookupError, subprocess.SubprocessError):
                    outcomes[name]["WRONG"] += 1
                    wrong.append(f"{name} after {seconds:.4f} s\n{traceback.format_exc()}")
        print(f"{name}: {dict(outcomes[name])}", file=sys.stderr, flush=True)
        shutil.rmtree(folder / str(number))
    return outcomes, wrong


def main() -> int:
    """Play what is asked for and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=120, metavar="N", help="of each scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="scenes whose name contains this")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="entire-kills-")).resolve()
    (folder / "home").mkdir()
    (folder / "home/.gitconfig").write_text(GIT_CONFIG)
    environment = sealed_environment(folder / "home")
    os.environ.clear()
    os.environ.update(environment)
    try:
        outcomes, wrong = play([name for name in SCENES if asked.only in name], asked.kills, asked.seed, folder)
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    for name, found in outcomes.items():
        print(f"{name}: " + ", ".join(f"{count} {word}" for word, count in sorted(found.items())))
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
