"""Random histories of typed and agent edits against a plain model of line owners (line_owners.py).

No line is ever given to the wrong turn, and nobody's name is missing where the model knows it. ``ENTIRE_LONG=1`` plays
many and long ones.
"""

from __future__ import annotations

import os
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from entire.model.origins import TURN, UNKNOWN, WhyRequest
from entire.workspace import Workspace
from tests.integration.line_owners import PERSON, Line, Model
from tests.integration.story import Session, Story

LONG = bool(os.environ.get("ENTIRE_LONG"))

NAMES = ("a.txt", "b.txt", "d/c.txt")
KINDS = ("create", "insert", "insert", "change", "change", "delete", "repeat", "move", "copy", "rename")
ACTIONS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 12)),
    min_size=1, max_size=3,
)  # fmt: skip
COMMITS = ("all", "all", "staged", "one", "amend", "soft", "squash", "fixup", "rebase", "pick", "revert", "format")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(0, 1), ACTIONS, st.booleans()),
        st.tuples(st.just("turn"), st.integers(0, 1), ACTIONS, st.booleans()),
        st.tuples(st.just("person"), ACTIONS),
        st.tuples(st.just("git"), st.sampled_from(COMMITS), st.sampled_from(NAMES)),
        st.tuples(st.just("git"), st.sampled_from(COMMITS), st.sampled_from(NAMES)),
    ),
    min_size=4, max_size=16 if LONG else 9,
)  # fmt: skip


class Life:
    """One repository, a person, two sessions, and the model beside them."""

    def __init__(self, folder: Path) -> None:
        with redirect_stdout(StringIO()):
            self.story = Story(folder / "repo")
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        self.model = Model()
        self.number = 0
        self.model.act("create", "a.txt", "", 2, PERSON)
        self.put(["a.txt"])
        self.commit()
        self.sessions: list[Session] = [self.story.started(), self.story.started()]
        self.turns = 0
        self.log: list[str] = []

    def put(self, paths: list[str]) -> None:
        for path in paths:
            if path in self.model.files:
                self.story.write(path, self.model.text(path))
            else:
                self.story.path(path).unlink()

    def is_clean(self) -> bool:
        return not self.story.git("status", "--porcelain", "-uall")

    # ------------------------------------------------------------ people and agents

    def person(self, actions: list[tuple[str, str, str, int]]) -> None:
        for action in actions:
            self.put(self.model.act(*action, PERSON))

    def turn(self, which: int, actions: list[tuple[str, str, str, int]], commits: bool) -> None:
        session = self.sessions[which]
        self.turns += 1
        prompt = f"prompt {self.turns}"
        with session.turn(prompt):
            for number, action in enumerate(actions):
                self.act(session, action, prompt)
                if commits and number == 0:
                    self.commit(session)

    def act(self, session: Session, action: tuple[str, str, str, int], prompt: str) -> None:
        changed = self.model.act(*action, prompt)
        gone = [path for path in changed if path not in self.model.files]
        if gone or action[3] % 4 == 3:
            with session.shell(f"python change.py {' '.join(changed)}"):
                self.put(changed)
            return
        for path in changed:
            session.write(path, self.model.text(path))

    # ------------------------------------------------------------ git

    def commit(self, session: Session | None = None, *args: str, add: bool = True) -> None:
        if add:
            self.story.git("add", "-A")
        if session is not None:
            with session.shell("git commit"):
                self.story.git("commit", "-q", "-m", "Agent", ok=False,
                               env={"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"})  # fmt: skip
        else:
            self.number += 1  # two equal ones in one second could be copies of one another
            self.story.git("commit", "-q", "-m", f"Person {self.number}", *args, ok=False)
        if self.is_clean():
            self.model.commits[self.story.head()] = self.model.copy()

    def git(self, what: str, path: str) -> None:
        getattr(self, f"git_{what}")(path)

    def git_all(self, path: str) -> None:
        self.commit()

    def git_staged(self, path: str) -> None:
        """Stage what is there, type more, and commit only what was staged."""
        self.story.git("add", "-A")
        self.put(self.model.act("insert", path, "", 1, PERSON))
        self.commit(add=False)

    def git_one(self, path: str) -> None:
        """Commit one of the files."""
        self.story.git("add", "--", path, ok=False)
        self.story.git("commit", "-q", "-m", "One", "--", path, ok=False)

    def git_amend(self, path: str) -> None:
        if self.number_of_commits() > 2:
            self.story.git("add", "-A")
            self.story.git("commit", "-q", "--amend", "--no-edit", ok=False)
            self.model.commits[self.story.head()] = self.model.copy()

    def git_soft(self, path: str) -> None:
        """Squash the last two commits by a soft reset."""
        if self.number_of_commits() > 4:
            self.story.git("reset", "-q", "--soft", "HEAD~2")
            self.commit()

    def git_squash(self, path: str) -> None:
        """Squash the last two commits by a merge."""
        self.commit()
        if self.number_of_commits() > 4 and self.is_clean():
            tip = self.story.head()
            self.story.git("checkout", "-q", "-B", "squashed", "HEAD~2")
            self.story.git("merge", "-q", "--squash", tip)
            self.story.git("commit", "-q", "--no-edit", ok=False)
            self.keep()

    def git_fixup(self, path: str) -> None:
        self.commit()
        if self.number_of_commits() > 4 and self.is_clean():
            editor = {"GIT_SEQUENCE_EDITOR": "sed -i -e '2s/^pick/fixup/'", "GIT_EDITOR": "true"}
            self.story.git("rebase", "-q", "-i", "HEAD~2", env=editor, ok=False)
            self.story.git("rebase", "--abort", ok=False)  # nothing is left of two that cancel each other
            self.keep()

    def git_rebase(self, path: str) -> None:
        """Rebase the last two commits onto one with another file."""
        self.commit()
        if self.number_of_commits() > 4 and self.is_clean():
            tip = self.aside("HEAD~2")
            self.story.git("rebase", "-q", "aside", tip)
            self.keep()

    def git_pick(self, path: str) -> None:
        """Pick the last commit onto another parent."""
        self.commit()
        if self.number_of_commits() > 4 and self.is_clean():
            tip = self.aside("HEAD~1")
            self.story.git("cherry-pick", "--allow-empty", tip)
            self.keep()

    def git_revert(self, path: str) -> None:
        """Revert the last commit: what comes back may be its writer's, or the person's who reverted."""
        self.commit()
        before = self.model.commits.get(self.story.git("rev-parse", "HEAD~1").strip())
        if before is not None and self.is_clean() and self.number_of_commits() > 4:
            present = {(path, line.text) for path, lines in self.model.files.items() for line in lines}
            self.story.git("revert", "--no-edit", "HEAD", ok=False)
            self.model.files = {
                path: [line if (path, line.text) in present else line.also(PERSON) for line in lines]
                for path, lines in before.items()
            }
            self.keep()

    def git_format(self, path: str) -> None:
        """Format a file; the lines that are committed may from now on be the person's."""
        committed = {line.text for line in self.head_lines()}
        if path in self.model.files:
            lines = [line.also(PERSON) if line.text in committed else line for line in self.model.files[path]]
            self.model.files[path] = lines
            self.put(self.model.format(path))

    def head_lines(self) -> list[Line]:
        names = self.story.git("ls-tree", "-r", "--name-only", "HEAD").split()
        texts = [self.story.git("show", f"HEAD:{name}") for name in names if name in NAMES]
        return [Line(text, frozenset()) for whole in texts for text in whole.split("\n")]

    def aside(self, start: str) -> str:
        """Make the branch ``aside`` with a commit of a new file on ``start``; return the present commit."""
        tip = self.story.head()
        self.story.git("checkout", "-q", "-B", "aside", start)
        self.model.count += 1
        self.story.write(f"z/other{self.model.count}.txt", "other\n")
        self.story.git("add", "-A")
        self.story.git("commit", "-q", "-m", "Aside")
        return tip

    def keep(self) -> None:
        self.story.git("checkout", "-q", "-B", "main")
        self.model.commits = {self.story.head(): self.model.copy()}

    def number_of_commits(self) -> int:
        return int(self.story.git("rev-list", "--count", "HEAD"))

    # ------------------------------------------------------------ what must hold

    def check(self) -> None:
        workspace = Workspace.find(self.story.root)
        for path in self.model.files:
            assert self.story.read(path) == self.model.text(path)
            named = names(workspace, path)
            wrong = [
                f"{path}:{number} {line.text!r} is {name!r}, not {sorted(self.model.writers(line))}"
                for number, (line, name) in enumerate(zip(self.model.files[path], named, strict=True), 1)
                if name.partition(":")[0] not in self.model.writers(line)
            ]
            assert wrong == []


def names(workspace: Workspace, path: str) -> list[str]:
    """Return who is named for each line of a file."""
    (file,) = workspace.origins.why(WhyRequest(path=path)).files
    found = []
    for part in file.ranges:
        origin = part.origin
        name = (
            origin.prompt if origin.kind == TURN else f"unknown: {origin.reason}" if origin.kind == UNKNOWN else PERSON
        )
        found += [name] * (part.last - part.first + 1)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("why")


@settings(max_examples=150 if LONG else 6, deadline=None, derandomize=not LONG, database=None,
          phases=(Phase.explicit, Phase.generate, Phase.shrink),
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(steps=STEPS)
def test_no_line_is_given_to_the_wrong_turn(folder: Path, steps: list[tuple[Any, ...]]) -> None:
    life = Life(folder)
    try:
        for what, *arguments in steps:
            getattr(life, what)(*arguments)
            if LONG:
                life.check()
        life.check()
        assert life.story.log_errors() == []
    finally:
        shutil.rmtree(folder)
        folder.mkdir()
