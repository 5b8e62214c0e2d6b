"""Random walks through git, by a person and by two agents, inside and outside of their turns, against a plain model.

Every line has a text of its own, so that the model is a dictionary: who wrote this text. Whatever git does with the
lines (checkout, rebase, reset, stash, merge, cherry-pick, amend, a conflict and its resolution), none is ever given to
another one, and none is unknown. ``ENTIRE_LONG=1`` plays many and long walks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, note, settings
from hypothesis import strategies as st

from entire.workspace import Workspace
from tests.integration.kept import PERSON as BY_PERSON
from tests.integration.line_owners import PERSON
from tests.integration.story import Session, Story
from tests.integration.why.test_why_properties import names

LONG = bool(os.environ.get("ENTIRE_LONG"))
FILES = ("a.txt", "b.txt", "d/c.txt")
BRANCHES = ("main", "one", "two")
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
GIT = ("commit", "commit", "commit", "commit", "hookless", "amend", "switch", "switch", "switch", "rebase", "apply",
       "hard", "soft", "mixed", "away", "stash", "pop", "pop", "merge", "squash", "nocommit", "pick", "pick",
       "picked", "take", "restore")  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("begin", "begin", "end")), st.booleans(), st.integers(0, 1), st.integers(0, 7)),
        st.tuples(st.just("write"), st.just(True), st.integers(0, 5), st.integers(0, 7)),
        st.tuples(st.sampled_from(GIT), st.booleans(), st.integers(0, 5), st.integers(0, 7)),
    ),
    min_size=6, max_size=30 if LONG else 10,
)  # fmt: skip
# An agent goes to the branch of a person's commits, one of which is then undone and made again.
ELSEWHERE = [("begin", False, 0, 1), ("write", True, 1, 1), ("end", False, 0, 1), ("commit", False, 1, 1),
             ("switch", False, 1, 1), ("write", True, 0, 3), ("commit", False, 1, 1), ("switch", False, 0, 1),
             ("begin", False, 0, 1), ("switch", True, 1, 1), ("end", False, 0, 1), ("soft", False, 0, 1)]  # fmt: skip
# An agent commits, goes away and comes back, and amends.
AMENDED = [("begin", False, 0, 1), ("write", True, 0, 1), ("commit", True, 1, 1), ("away", True, 1, 1),
           ("write", True, 1, 1), ("amend", True, 0, 1), ("end", False, 0, 1)]  # fmt: skip
WHILE = "unknown: changed while a turn ran"  # what a shell of the running turn did, before a snapshot of it


class Life:
    """One repository, a person, two sessions, and who wrote each line."""

    def __init__(self, folder: Path) -> None:
        with redirect_stdout(StringIO()):
            self.story = Story(folder / "repo")
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        self.writers: dict[str, str] = {"start": PERSON}
        self.turns = 0
        self.running: Session | None = None
        self.prompt = ""
        for name in FILES:
            self.story.write(name, self.lines(6, PERSON))
        self.story.commit("Files", env=BY_PERSON)
        for name in BRANCHES[1:]:
            self.story.git("branch", name)
        self.sessions = [self.story.started(), self.story.started()]

    def lines(self, count: int, who: str) -> str:
        """Return new lines, which never come again."""
        texts = [f"line {len(self.writers) + number}" for number in range(count)]
        self.writers.update(dict.fromkeys(texts, who))
        return "".join(f"{text}\n" for text in texts)

    def git(self, *args: str, agent: bool, hooks: bool = True) -> None:
        """Let the person or the running turn's agent run git."""
        words = (*(() if hooks else NO_HOOKS), *args)
        if agent and self.running is not None:
            env = {"CLAUDE_CODE_SESSION_ID": self.running.id, "CLAUDECODE": "1", "GIT_EDITOR": "true"}
            with self.running.shell("git " + " ".join(words)) as output:
                output.append(self.story.git(*words, ok=False, env=env))
        else:
            self.story.git(*words, ok=False, env={**BY_PERSON, "GIT_EDITOR": "true"})

    # ------------------------------------------------------------ what happens

    def step(self, kind: str, agent: bool, one: int, two: int) -> None:
        agent = agent and self.running is not None
        getattr(self, f"do_{kind}")(agent, one, two)
        resolve = two % 2 == 0 and (agent or self.running is None)  # no person types in a turn
        self.settle(agent, resolve=resolve, hooks=kind != "picked")

    def do_begin(self, agent: bool, one: int, two: int) -> None:
        if self.running is None:
            self.turns += 1
            self.running, self.prompt = self.sessions[one], f"prompt {self.turns}"
            self.running.prompt(self.prompt)

    def do_end(self, agent: bool, one: int, two: int) -> None:
        if self.running is not None:
            self.running.stop()
            self.running = None

    def do_write(self, agent: bool, one: int, two: int) -> None:
        """Insert or replace lines; while a turn runs, only its agent writes."""
        name = FILES[one % 3]
        old = self.story.read(name).splitlines(keepends=True) if self.story.path(name).exists() else []
        new = self.lines(1 + two % 2, self.prompt if self.running else PERSON)
        place = two * len(old) // 8
        self.put(name, "".join([*old[:place], new, *old[place + one // 3 :]]), by_shell=two % 3 == 0)

    def put(self, name: str, text: str, *, by_shell: bool) -> None:
        if self.running is None:
            self.story.write(name, text)
        elif by_shell:
            with self.running.shell(f"edit {name}"):
                self.story.write(name, text)
        else:
            self.running.write(name, text)

    def do_commit(self, agent: bool, one: int, two: int, *, hooks: bool = True) -> None:
        self.git("add", *(["-A"] if one % 3 else ["--", FILES[two % 3]]), agent=agent)
        self.turns += 1  # two equal commits in one second would be copies of one another
        self.git("commit", "-q", "-m", f"commit {self.turns}", agent=agent, hooks=hooks)

    def do_hookless(self, agent: bool, one: int, two: int) -> None:
        self.do_commit(agent, one, two, hooks=False)

    def do_amend(self, agent: bool, one: int, two: int) -> None:
        if self.count() > 3:
            self.git("commit", "-q", "-a", "--amend", "--no-edit", agent=agent)

    def do_switch(self, agent: bool, one: int, two: int) -> None:
        self.git("checkout", "-q", BRANCHES[one % 3], agent=agent)

    def do_away(self, agent: bool, one: int, two: int) -> None:
        """Go elsewhere and come back."""
        self.git("checkout", "-q", BRANCHES[one % 3], agent=agent)
        self.git("checkout", "-q", "-", agent=agent)

    def do_rebase(self, agent: bool, one: int, two: int) -> None:
        self.git("rebase", "-q", BRANCHES[one % 3], agent=agent)

    def do_apply(self, agent: bool, one: int, two: int) -> None:
        self.git("rebase", "-q", "--apply", BRANCHES[one % 3], agent=agent)

    def do_hard(self, agent: bool, one: int, two: int) -> None:
        self.git("reset", "-q", "--hard", BRANCHES[one % 3] if one > 2 else "HEAD", agent=agent)

    def do_soft(self, agent: bool, one: int, two: int) -> None:
        self.reset("--soft", agent)

    def do_mixed(self, agent: bool, one: int, two: int) -> None:
        self.reset("--mixed", agent)

    def reset(self, how: str, agent: bool) -> None:
        if self.count() > 3:
            self.git("reset", "-q", how, "HEAD~1", agent=agent)

    def do_stash(self, agent: bool, one: int, two: int) -> None:
        self.git("stash", "-q", *(["-u"] if two % 2 else []), agent=agent)

    def do_pop(self, agent: bool, one: int, two: int) -> None:
        self.git("stash", "pop", "-q", agent=agent)

    def do_merge(self, agent: bool, one: int, two: int) -> None:
        self.git("merge", "-q", "--no-edit", BRANCHES[one % 3], agent=agent)

    def do_squash(self, agent: bool, one: int, two: int) -> None:
        self.git("merge", "-q", "--squash", BRANCHES[one % 3], agent=agent)

    def do_pick(self, agent: bool, one: int, two: int) -> None:
        self.git("cherry-pick", BRANCHES[one % 3], agent=agent)

    def do_picked(self, agent: bool, one: int, two: int) -> None:
        """Make a commit again without hooks, a conflict's resolution too, or bring only its changes."""
        self.git("cherry-pick", *(["-n"] if two % 2 else []), BRANCHES[one % 3], agent=agent, hooks=False)

    def do_take(self, agent: bool, one: int, two: int) -> None:
        """Take a file from a branch, into the index too."""
        self.git("checkout", "-q", BRANCHES[one % 3], "--", FILES[two % 3], agent=agent)

    def do_restore(self, agent: bool, one: int, two: int) -> None:
        """Take a file from a branch, into the worktree only."""
        self.git("restore", "-q", "--source", BRANCHES[one % 3], "--", FILES[two % 3], agent=agent)

    def do_nocommit(self, agent: bool, one: int, two: int) -> None:
        self.git("merge", "-q", "--no-commit", "--no-ff", BRANCHES[one % 3], agent=agent)

    def count(self) -> int:
        return int(self.story.git("rev-list", "--count", "--first-parent", "HEAD"))

    # ------------------------------------------------------------ conflicts

    def settle(self, agent: bool, *, resolve: bool, hooks: bool) -> None:
        """Resolve a conflict with lines of both sides and a new one, or give up what led to it."""
        for _ in range(4):
            conflicts = self.story.git("diff", "--name-only", "--diff-filter=U").split()
            way = self.way()
            if not conflicts and way in ((), ("merge", "--continue")):  # a merge without a conflict may wait
                return
            if not resolve or not way or not conflicts:
                break
            for name in conflicts:
                self.resolve(name, agent)
            self.git("add", "-A", agent=agent)
            self.git(*way, agent=agent, hooks=hooks)
        if way := self.way():
            self.git(way[0], "--abort", agent=agent)
        if self.story.git("diff", "--name-only", "--diff-filter=U"):
            self.git("reset", "-q", "--hard", agent=agent)
            self.git("stash", "drop", "-q", agent=agent)

    def way(self) -> tuple[str, ...]:
        """Return how to go on with what has stopped."""
        for name, way in (("rebase-merge", "rebase"), ("rebase-apply", "rebase"), ("CHERRY_PICK_HEAD", "cherry-pick"),
                          ("MERGE_HEAD", "merge")):  # fmt: skip
            if self.story.path(f".git/{name}").exists():
                return (way, "--continue")
        return ()

    def resolve(self, name: str, agent: bool) -> None:
        path = self.story.path(name)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||"))]
        who = self.prompt if agent and self.running else PERSON
        text = "".join([*kept[: len(kept) // 2], self.lines(1, who), *kept[len(kept) // 2 :]])
        if agent and self.running:
            self.running.write(name, text)
        else:
            self.story.write(name, text)

    # ------------------------------------------------------------ what must hold

    def check(self) -> None:
        workspace = Workspace.find(self.story.root)
        for name in FILES:
            if not self.story.path(name).exists():
                continue
            texts = self.story.read(name).splitlines()
            named = names(workspace, name) if texts else []
            wrong = [
                f"{name}:{number} {text!r} is {found!r}, not {self.writers[text]!r}"
                for number, (text, found) in enumerate(zip(texts, named, strict=True), 1)
                if found != self.writers[text]
                and not (self.running and found.startswith(WHILE) and self.writers[text] == self.prompt)
            ]
            assert wrong == []
        assert self.story.log_errors() == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("walks")


def play(folder: Path, steps: list[tuple[str, bool, int, int]], check: Callable[[Life], None] = Life.check) -> None:
    """Play a walk in a repository of its own."""
    life = Life(folder)
    try:
        for step in steps:
            note(str(step))
            life.step(*step)
            if LONG:
                check(life)
        life.do_end(False, 0, 0)
        check(life)
        life.do_commit(False, 1, 1)
        check(life)
    finally:
        shutil.rmtree(folder)
        folder.mkdir()


@settings(max_examples=200 if LONG else 3, deadline=None, derandomize=not LONG, database=None,
          phases=(Phase.explicit, Phase.generate, Phase.shrink),
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(steps=STEPS)
@example(steps=ELSEWHERE)
@example(steps=AMENDED)
def test_no_line_is_given_to_the_wrong_one(folder: Path, steps: list[tuple[str, bool, int, int]]) -> None:
    play(folder, steps)
