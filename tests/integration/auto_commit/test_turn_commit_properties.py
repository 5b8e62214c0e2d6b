"""Random histories of a person and two sessions with auto-commit, against a plain model of files, index and HEAD.

At the end of each turn only the session's content moves: from the files into one commit. ``ENTIRE_LONG=1`` plays many
and long histories.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, note, settings
from hypothesis import strategies as st

from tests.campaign.truth import counted, numbers
from tests.integration.kept import PERSON
from tests.integration.story import Story
from tests.integration.turn_commits import enable
from tests.trees import tree

LONG = bool(os.environ.get("ENTIRE_LONG"))

Entry = tuple[str, str]  # mode and blob id
Entries = dict[str, Entry]

NAMES = ("a.txt", "b.txt", "d/c.txt", "d", "e e.txt")
ACTORS = ("person", "person", 0, 0, 1)
BY_PERSON = ("write", "append", "delete", "rename", "stage", "stage", "stage all", "stage part", "unstage", "commit",
             "commit all", "commit one", "stash", "pop", "restore")  # fmt: skip
BY_SESSION = ("write", "write", "append", "shell write", "delete", "rename", "add", "commit", "end", "end", "end")
STEPS = st.lists(
    st.one_of(*(
        st.tuples(st.just(actor), st.sampled_from(BY_PERSON if actor == "person" else BY_SESSION),
                  st.sampled_from(NAMES), st.sampled_from(NAMES))
        for actor in ACTORS
    )),
    min_size=6, max_size=30 if LONG else 14,
)  # fmt: skip

BOTH_WRITE = ((0, "write", "a.txt", "a.txt"), (1, "write", "a.txt", "a.txt"))


@dataclass(frozen=True)
class State:
    """Files, index and HEAD."""

    files: dict[bytes, tuple[str, int, bytes]]
    worktree: Entries
    index: Entries
    tree: Entries
    head: str

    def staged(self) -> Entries:
        """Return what is staged; a deletion has no mode and id."""
        paths = {path for path in (*self.index, *self.tree) if self.index.get(path) != self.tree.get(path)}
        return {path: self.index.get(path, ("", "")) for path in paths}


class Life:
    """One repository, a person, two sessions, and what the model knows of them."""

    def __init__(self, folder: Path) -> None:
        with redirect_stdout(StringIO()):
            self.story = Story(folder / "repo", enable=False)
            enable(self.story)
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        self.count = 0
        for name in ("a.txt", "b.txt"):
            self.story.write(name, self.lines(3))
        self.story.commit("Files", env=PERSON)
        self.sessions = [self.story.started(), self.story.started()]
        self.staged_before: dict[int, Entries] = {}  # of each turn that is running
        self.possible: list[set[str]] = [
            set(),
            set(),
        ]  # what may be committed for a session: open, or changed meanwhile
        self.certain: list[set[str]] = [set(), set()]  # what must be: written by its tool, and by no one else since

    # ------------------------------------------------------------ what there is

    def lines(self, count: int) -> str:
        """Return new lines, which never come again."""
        first = self.count + 1
        self.count += count
        return "".join(f"line {number} of this history\n" for number in range(first, first + count))

    def state(self) -> State:
        git = self.story.git
        listed = [line for line in git("ls-files", "-s", "-z").split("\0") if line]
        assert all(line.partition("\t")[0].endswith(" 0") for line in listed), "a conflict"
        tree_of = [line for line in git("ls-tree", "-r", "-z", "HEAD").split("\0") if line]
        scratch = str(self.story.root.parent / "scratch-index")
        shutil.copyfile(self.story.root / ".git/index", scratch)
        git("add", "-A", env={"GIT_INDEX_FILE": scratch})
        there = [line for line in git("ls-files", "-s", "-z", env={"GIT_INDEX_FILE": scratch}).split("\0") if line]
        return State(
            files=tree(self.story.root, but=frozenset((b".git", b".entire"))),
            worktree={_name(line): _index_entry(line) for line in there},
            index={_name(line): _index_entry(line) for line in listed},
            tree={_name(line): (line.split()[0], line.split()[2]) for line in tree_of},
            head=self.story.head(),
        )

    def files(self) -> dict[str, bytes]:
        found = {name: self.story.path(name) for name in NAMES}
        return {name: path.read_bytes() for name, path in found.items() if path.is_file()}

    # ------------------------------------------------------------ what happens

    def step(self, actor: object, action: str, name: str, other: str) -> None:
        before = self.files()
        if actor == "person":
            self.person(action, name, other)
        else:
            assert isinstance(actor, int)
            self.session(actor, action, name, other)
        now = self.files()
        changed = {path for path in (*before, *now) if before.get(path) != now.get(path)}
        reported = actor != "person" and action in ("write", "append")  # by a tool: no other session's
        for number in (0, 1):
            if actor == number or (number in self.staged_before and not reported):
                self.possible[number] |= changed
            if actor == number and reported:
                self.certain[number] |= changed
            else:
                self.certain[number] -= changed
        self.close()

    def close(self) -> None:
        """What is as in HEAD is no session's any more."""
        state = self.state()
        for name in NAMES:
            if state.worktree.get(name) == state.tree.get(name):
                for number in (0, 1):
                    self.possible[number].discard(name)
                    self.certain[number].discard(name)

    def person(self, action: str, name: str, other: str) -> None:
        story, there = self.story, self.files()
        if action in ("write", "append", "delete", "rename"):
            self.change(action, name, other, story.write)
        elif action == "stage":
            story.git("add", "-A", "--", name, ok=False)
        elif action == "stage all":
            story.git("add", "-A")
        elif action == "stage part" and name in there:
            blob = story.git("hash-object", "-w", "--stdin", stdin=self.lines(1)).strip()
            story.git("update-index", "--add", "--replace", "--cacheinfo", f"100644,{blob},{name}")
        elif action == "unstage":
            story.git("reset", "-q", "--", name, ok=False)
        elif action.startswith("commit"):
            options = {"commit": [], "commit all": ["-a"], "commit one": ["--", name]}[action]
            self.count += 1
            story.git("commit", "-q", "-m", f"By hand {self.count}", *options, ok=False, env=PERSON)
        elif action == "stash":
            story.git("stash", "-q", ok=False)
        elif action == "pop" and not story.git("status", "--porcelain", "-uall"):
            story.git("stash", "pop", "-q", ok=False)
            if story.git("ls-files", "-u"):
                story.git("reset", "-q", "--hard")
        elif action == "restore":
            story.git("checkout", "-q", "--", name, ok=False)

    def change(self, action: str, name: str, other: str, write: Callable[[str, str], object]) -> None:
        there = self.files()
        if action in ("write", "shell write"):
            self.make_room(name)
            write(name, self.lines(2))
        elif action == "append":
            self.make_room(name)
            write(name, there.get(name, b"").decode() + self.lines(1))
        elif action == "delete" and name in there:
            self.story.path(name).unlink()
        elif action == "rename" and name in there and name != other:
            self.story.path(name).rename(self.story.root / "moving")
            self.make_room(other)
            self.story.path(other).parent.mkdir(exist_ok=True)
            (self.story.root / "moving").rename(self.story.path(other))

    def make_room(self, name: str) -> None:
        """Let a file take the place of a folder, and a folder that of a file."""
        path = self.story.path(name)
        if path.is_dir():
            shutil.rmtree(path)
        elif path.parent.is_file():
            path.parent.unlink()

    def session(self, number: int, action: str, name: str, other: str) -> None:
        session = self.sessions[number]
        if action == "end":
            if number in self.staged_before:
                self.end(number)
            return
        if number not in self.staged_before:
            self.count += 1
            session.prompt(f"Prompt {self.count}")
            self.staged_before[number] = self.state().staged()
        if action in ("write", "append"):
            self.change(action, name, other, session.write)
        elif action == "commit":
            with session.shell("git commit"):
                self.story.git("add", "-A", "--", name, ok=False)
                self.story.git("commit", "-q", "-m", f"By agent {self.count}", ok=False,
                               env={"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"})  # fmt: skip
        else:
            with session.shell():
                if action == "add":
                    self.story.git("add", "-A", "--", name, ok=False)
                else:
                    self.change(action, name, other, self.story.write)

    # ------------------------------------------------------------ what must hold

    def end(self, number: int) -> None:
        """Let a turn end, and check what its commit took."""
        before, status = self.state(), self.status()
        self.sessions[number].stop()
        after = self.state()
        staged_before = self.staged_before.pop(number)
        self.check_commit(number, before, after, staged_before)
        committed = {path for path in (*before.tree, *after.tree) if before.tree.get(path) != after.tree.get(path)}
        assert self.status() == {path: found for path, found in status.items() if path not in committed}
        assert numbers(counted(self.story, self.sessions[number])) <= set(range(self.sessions[number].answers))

    def check_commit(self, number: int, before: State, after: State, staged_before: Entries) -> None:
        committed = {path for path in (*before.tree, *after.tree) if before.tree.get(path) != after.tree.get(path)}
        held = {path for path, entry in before.staged().items()
                if staged_before.get(path) == entry or entry != before.worktree.get(path, ("", ""))}  # fmt: skip
        assert after.files == before.files, "the files stay as they are"
        assert after.worktree == before.worktree
        if after.head == before.head:
            assert after.index == before.index
        else:
            assert self.story.git("rev-parse", "HEAD^").strip() == before.head
            assert committed, "no commit without content"
        assert committed <= self.possible[number], "what the session did not make is committed"
        assert not committed & held, "what a person staged is committed"
        assert {path: after.tree.get(path) for path in committed} == {
            path: before.worktree.get(path) for path in committed
        }
        for path in {*before.index, *after.index}:
            expected = after.tree.get(path) if path in committed else before.index.get(path)
            assert after.index.get(path) == expected, path
        missing = self.certain[number] - held - committed
        in_the_way = {path for path in missing for other in held if _is_below(path, other) or _is_below(other, path)}
        assert missing <= in_the_way, "what the session made is not committed"

    def status(self) -> dict[str, str]:
        listed = self.story.git("status", "--porcelain", "-z", "-uall", "--no-renames").split("\0")
        return {line[3:]: line[:2] for line in listed if line}

    def finish(self) -> None:
        """Let each session make a last commit: then each of its answers is counted once."""
        for number, session in enumerate(self.sessions):
            if number not in self.staged_before:
                session.prompt("Last")
                self.staged_before[number] = self.state().staged()
            session.write(f"z{number}.txt", self.lines(1))
            self.possible[number].add(f"z{number}.txt")
            self.certain[number].add(f"z{number}.txt")
            self.end(number)
            self.close()
        for session in self.sessions:
            assert numbers(counted(self.story, session)) == set(range(session.answers))
        assert self.story.git("fsck", "--connectivity-only", "--no-dangling") == ""
        assert self.story.log_errors() == []


def _name(line: str) -> str:
    return line.partition("\t")[2]


def _index_entry(line: str) -> Entry:
    mode, oid, _ = line.partition("\t")[0].split()
    return mode, oid


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("turns")


@settings(max_examples=60 if LONG else 4, deadline=None, derandomize=not LONG, database=None,
          phases=(Phase.explicit, Phase.generate, Phase.shrink),
          suppress_health_check=list(HealthCheck))  # fmt: skip
@example(steps=[*BOTH_WRITE])
@example(steps=[BOTH_WRITE[0], ("person", "stage", "a.txt", "a.txt"), BOTH_WRITE[1], (0, "end", "a.txt", "a.txt"),
                ("person", "unstage", "a.txt", "a.txt"), (1, "end", "a.txt", "a.txt")])  # fmt: skip
@given(steps=STEPS)
def test_only_what_a_session_made_is_committed(folder: Path, steps: list[tuple[object, str, str, str]]) -> None:
    life = Life(folder)
    try:
        for step in steps:
            note(str(step))
            life.step(*step)
        life.finish()
    finally:
        shutil.rmtree(folder)
        folder.mkdir()
