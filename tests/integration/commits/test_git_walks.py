"""Random walks through git, by people and by agents, inside and outside of their turns, in two worktrees and a clone
of a team mate, against a plain model.

Every line has a text of its own, so that the model is a dictionary: who may be named for this text. Whatever git does
with the lines (checkout, rebase, reset, stash, merge, pull, cherry-pick, amend, a conflict and its resolution), none is
ever given to another one, and none is unknown. ``ENTIRE_LONG=1`` plays many and long walks.

A person also types while a turn runs. A change that no tool reports is the turn's if a shell of it was at work then,
give or take two seconds (linking.md section 1): the model knows which lines this is true of. Shells that edit say that
they ran earlier than they did, so that what a person types after them is not theirs.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, note, settings
from hypothesis import strategies as st

from entire.workspace import Workspace
from tests.integration.commits.test_other_worktrees import write as write_elsewhere
from tests.integration.commits.test_places import linked_worktree
from tests.integration.kept import PERSON as BY_PERSON
from tests.integration.line_owners import PERSON
from tests.integration.story import Session, Story
from tests.integration.why.test_why_properties import names

LONG = bool(os.environ.get("ENTIRE_LONG"))
FILES = ("a.txt", "b.txt", "d/c.txt")
BRANCHES = ("main", "one", "two", "side")  # "side" is the other worktree's
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
GIT = ("commit", "commit", "commit", "commit", "hookless", "amend", "switch", "switch", "switch", "rebase", "apply",
       "hard", "soft", "mixed", "away", "stash", "pop", "pop", "merge", "squash", "nocommit", "pick", "pick",
       "picked", "take", "restore", "go", "go", "reach", "reach", "mate", "mate",
       "push", "pull", "pull", "rebasing_pull")  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("begin", "begin", "end")), st.booleans(), st.integers(0, 1), st.integers(0, 7)),
        st.tuples(st.just("write"), st.booleans(), st.integers(0, 7), st.integers(0, 7)),
        st.tuples(st.sampled_from(GIT), st.booleans(), st.integers(0, 7), st.integers(0, 7)),
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
# A person types and commits while a turn runs and after it, pulls, and takes the rest elsewhere by a stash.
BESIDE = [("begin", False, 0, 1), ("write", True, 1, 1), ("write", False, 3, 1), ("commit", False, 1, 1),
          ("write", False, 2, 1), ("end", False, 0, 1), ("commit", False, 1, 1), ("write", False, 0, 1),
          ("begin", False, 0, 1), ("write", True, 1, 4), ("end", False, 0, 1), ("mate", False, 0, 1),
          ("rebasing_pull", False, 0, 3), ("stash", False, 0, 1), ("go", False, 0, 1),
          ("pop", False, 0, 1)]  # fmt: skip
# An agent writes in the other worktree, too, whose work a person commits there and takes along.
REACHED = [("begin", False, 0, 1), ("write", True, 1, 1), ("reach", True, 1, 3), ("reach", True, 0, 5),
           ("go", False, 0, 1), ("write", False, 4, 1), ("commit", False, 1, 1), ("go", False, 0, 1),
           ("reach", True, 2, 1), ("end", False, 0, 1), ("pick", False, 3, 0), ("go", False, 0, 1),
           ("commit", False, 1, 1)]  # fmt: skip
# A person picks a commit that is linked by its id, with a conflict, while no session is near.
PICKED = [("switch", False, 2, 0), ("begin", False, 5, 0), ("write", True, 7, 0), ("hookless", False, 4, 0),
          ("end", False, 1, 4), ("switch", False, 0, 7), ("write", True, 1, 0), ("commit", False, 1, 3),
          ("pick", True, 6, 6)]  # fmt: skip
SLACK = 2.0  # seconds
EARLIER = 0.1  # seconds that the window of a shell that edits goes on after it
WHILE = "unknown: changed while a turn ran"  # what a shell of the running turn did, before a snapshot of it


class Turn:
    """A turn that runs, and what a person types meanwhile: which lines may be taken for the other's."""

    def __init__(self, session: Session, prompt: str) -> None:
        self.session = session
        self.prompt = prompt
        self.reported: set[str] = set()  # files
        self.typed: dict[str, list[str]] = {}  # file: lines
        self.shelled: dict[str, list[str]] = {}
        self.taken: set[str] = set()  # files that came from a branch, of which only the turn's end says whose they are
        self.reached: set[str] = set()  # files in the other worktree that a tool of this turn has written
        self.beside: dict[str, list[str]] = {}  # lines that others have written there meanwhile, by file
        self.shell_until = 0.0  # when changes are no longer the last shell's


class Desk:
    """A worktree, its two sessions, and the turn that runs there."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.git_dir = Path(story.git("rev-parse", "--absolute-git-dir").strip())
        self.sessions = [story.started(), story.started()]
        self.turn: Turn | None = None


class Life:
    """One repository with two worktrees, people, sessions, and who may be named for each line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with redirect_stdout(StringIO()):
            story = Story(folder / "repo")
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(story.projects)
        self.writers: dict[str, set[str]] = {"start": {PERSON}}
        self.turns = 0
        for name in FILES:
            story.write(name, self.lines(6, PERSON))
        story.commit("Files", env=BY_PERSON)
        for name in BRANCHES[1:3]:
            story.git("branch", name)
        self.here = Desk(story)
        self.other: Desk | None = None
        self.mate: Path | None = None

    @property
    def story(self) -> Story:
        return self.here.story

    @property
    def desks(self) -> list[Desk]:
        return [desk for desk in (self.here, self.other) if desk is not None]

    def lines(self, count: int, who: str) -> str:
        """Return new lines, which never come again."""
        texts = [f"line {len(self.writers) + number}" for number in range(count)]
        self.writers.update((text, {who}) for text in texts)
        return "".join(f"{text}\n" for text in texts)

    def git(self, *args: str, agent: bool, hooks: bool = True) -> None:
        """Let the person or the running turn's agent run git."""
        words, turn = (*(() if hooks else NO_HOOKS), *args), self.here.turn
        if agent and turn is not None:
            env = {"CLAUDE_CODE_SESSION_ID": turn.session.id, "CLAUDECODE": "1", "GIT_EDITOR": "true"}
            with turn.session.shell("git " + " ".join(words)) as output:
                output.append(self.story.git(*words, ok=False, env=env))
            self.ran(turn, SLACK)
        else:
            self.story.git(*words, ok=False, env={**BY_PERSON, "GIT_EDITOR": "true"})

    # ------------------------------------------------------------ a person types while a turn runs

    def ran(self, turn: Turn, seconds: float) -> None:
        """A shell has run: what was typed before may be taken for its work, and what is typed soon."""
        for texts in (*turn.typed.values(), *turn.beside.values()):
            self.may(texts, turn.prompt)
        turn.shell_until = max(turn.shell_until, time.time() + seconds)

    def typed(self, turn: Turn, name: str, texts: list[str]) -> None:
        """A person has typed in a file: a shell's lines in it cannot be told from these, as it has one time."""
        self.may(turn.shelled.get(name, []), PERSON)
        turn.typed.setdefault(name, []).extend(texts)
        if name in turn.reported or time.time() < turn.shell_until:
            self.may(texts, turn.prompt)

    def may(self, texts: list[str], who: str) -> None:
        for text in texts:
            self.writers[text].add(who)

    # ------------------------------------------------------------ what happens

    def step(self, kind: str, agent: bool, one: int, two: int) -> None:
        agent = agent and self.here.turn is not None
        getattr(self, f"do_{kind}")(agent, one, two)
        self.settle(agent, resolve=two % 2 == 0, hooks=kind != "picked")

    def do_begin(self, agent: bool, one: int, two: int) -> None:
        if self.here.turn is None:
            self.turns += 1
            self.here.turn = Turn(self.here.sessions[one % 2], f"prompt {self.turns}")
            self.here.turn.session.prompt(self.here.turn.prompt)

    def do_end(self, agent: bool, one: int, two: int) -> None:
        if self.here.turn is not None:
            self.here.turn.session.stop()
            self.here.turn = None

    def do_go(self, agent: bool, one: int, two: int) -> None:
        """Go to the other worktree; the turn that runs here goes on."""
        if self.other is None:
            self.other = Desk(linked_worktree(self.story, "side"))
        self.here, self.other = self.other, self.here

    def do_write(self, agent: bool, one: int, two: int) -> None:
        """Insert or replace lines."""
        name = FILES[one % 3]
        old = self.story.read(name).splitlines(keepends=True) if self.story.path(name).exists() else []
        new = self.lines(1 + two % 2, self.here.turn.prompt if agent and self.here.turn else PERSON)
        place = two * len(old) // 8
        self.put(name, "".join([*old[:place], new, *old[place + one // 3 :]]), new, agent, by_shell=two % 3 == 0)

    def do_reach(self, agent: bool, one: int, two: int) -> None:
        """Let the agent of the turn that runs here insert lines in the other worktree, with a tool that reports it."""
        turn = self.here.turn
        if turn is None:
            return
        if self.other is None:
            self.other = Desk(linked_worktree(self.story, "side"))
        name, there = FILES[one % 3], self.other.story
        old = there.read(name).splitlines(keepends=True) if there.path(name).exists() else []
        new = self.lines(1 + two % 2, turn.prompt)
        place = two * len(old) // 8
        write_elsewhere(turn.session, there, name, "".join([*old[:place], new, *old[place + one // 3 :]]))
        turn.reached.add(name)
        self.may(turn.beside.get(name, []), turn.prompt)
        if self.other.turn is not None:  # a shell of that turn may have written it
            self.may(new.splitlines(), self.other.turn.prompt)

    def put(self, name: str, text: str, new: str, agent: bool, *, by_shell: bool) -> None:
        turn, texts = self.here.turn, new.splitlines()
        if self.other is not None and (visitor := self.other.turn) is not None:
            visitor.beside.setdefault(name, []).extend(texts)
            if name in visitor.reached or time.time() < visitor.shell_until:
                self.may(texts, visitor.prompt)
        if turn is None:
            self.story.write(name, text)
        elif not agent:
            time.sleep(max(0.0, min(turn.shell_until - time.time(), 2 * EARLIER)))
            self.story.write(name, text)
            self.typed(turn, name, texts)
        elif by_shell:
            with turn.session.shell(f"edit {name}", early=SLACK - EARLIER):
                self.story.write(name, text)
            turn.shelled.setdefault(name, []).extend(texts)
            self.ran(turn, EARLIER)
        else:
            turn.session.write(name, text)
            turn.reported.add(name)
            self.may(turn.typed.get(name, []), turn.prompt)

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
        self.git("checkout", "-q", BRANCHES[one % 4], agent=agent)

    def do_away(self, agent: bool, one: int, two: int) -> None:
        """Go elsewhere and come back."""
        self.git("checkout", "-q", BRANCHES[one % 4], agent=agent)
        self.git("checkout", "-q", "-", agent=agent)

    def do_rebase(self, agent: bool, one: int, two: int) -> None:
        self.git("rebase", "-q", BRANCHES[one % 4], agent=agent)

    def do_apply(self, agent: bool, one: int, two: int) -> None:
        self.git("rebase", "-q", "--apply", BRANCHES[one % 4], agent=agent)

    def do_hard(self, agent: bool, one: int, two: int) -> None:
        self.git("reset", "-q", "--hard", BRANCHES[one % 4] if one > 2 else "HEAD", agent=agent)

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
        self.git("merge", "-q", "--no-edit", BRANCHES[one % 4], agent=agent)

    def do_squash(self, agent: bool, one: int, two: int) -> None:
        self.git("merge", "-q", "--squash", BRANCHES[one % 4], agent=agent)

    def do_pick(self, agent: bool, one: int, two: int) -> None:
        self.git("cherry-pick", BRANCHES[one % 4], agent=agent)

    def do_picked(self, agent: bool, one: int, two: int) -> None:
        """Make a commit again without hooks, a conflict's resolution too, or bring only its changes."""
        self.git("cherry-pick", *(["-n"] if two % 2 else []), BRANCHES[one % 4], agent=agent, hooks=False)

    def do_take(self, agent: bool, one: int, two: int) -> None:
        """Take a file from a branch, into the index too."""
        self.take(FILES[two % 3], "checkout", "-q", BRANCHES[one % 4], agent=agent)

    def do_restore(self, agent: bool, one: int, two: int) -> None:
        """Take a file from a branch, into the worktree only."""
        self.take(FILES[two % 3], "restore", "-q", "--source", BRANCHES[one % 4], agent=agent)

    def take(self, name: str, *words: str, agent: bool) -> None:
        """Take a file. Git notes nowhere that it brought this: a shell may have written it, and who commits it
        may be named for it.
        """
        before = self.texts(name)
        self.git(*words, "--", name, agent=agent)
        new = [text for text in self.texts(name) if text not in before]
        self.may(new, PERSON)
        if self.here.turn is not None:
            self.here.turn.taken.add(name)
            self.typed(self.here.turn, name, new)
            if agent:
                self.may(new, self.here.turn.prompt)

    def texts(self, name: str) -> list[str]:
        return self.story.read(name).splitlines() if self.story.path(name).exists() else []

    # ------------------------------------------------------------ a team mate

    def clone(self) -> Path:
        """Return a team mate's clone, without Entire, beside the remote of both."""
        if self.mate is None:
            origin, self.mate = self.folder / "origin.git", self.folder / "mate"
            self.story.git("clone", "-q", "--bare", str(self.story.root), str(origin))
            self.story.git("remote", "add", "origin", str(origin))
            self.story.git("clone", "-q", str(origin), str(self.mate))
        return self.mate

    def do_mate(self, agent: bool, one: int, two: int) -> None:
        """Let the team mate push a commit, or bring a commit from another branch into this one."""
        mate, branch = ("-C", str(self.clone())), BRANCHES[one % 4]
        self.story.git(*mate, "fetch", "-q")
        self.story.git(*mate, "checkout", "-q", "-f", "-B", branch, f"origin/{branch}", ok=False)
        if two % 4 == 3:
            self.story.git(*mate, "cherry-pick", f"origin/{BRANCHES[two // 2]}", ok=False)
            self.story.git(*mate, "cherry-pick", "--abort", ok=False)
        else:
            path = self.clone() / FILES[two % 3]
            old = path.read_text().splitlines(keepends=True) if path.exists() else []
            place = two * len(old) // 8
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join([*old[:place], self.lines(1, PERSON), *old[place + one // 3 :]]))
            self.story.git(*mate, "add", "-A")
            self.turns += 1
            self.story.git(*mate, "commit", "-q", "-m", f"commit {self.turns}", env=BY_PERSON)
        self.story.git(*mate, "push", "-q", "-f", "origin", "HEAD")

    def do_push(self, agent: bool, one: int, two: int) -> None:
        self.clone()
        self.git("push", "-q", "-f", "origin", BRANCHES[one % 4], agent=agent)

    def do_pull(self, agent: bool, one: int, two: int, how: str = "--no-rebase") -> None:
        """Pull this branch, or another one."""
        self.clone()
        branch = self.story.git("branch", "--show-current").strip() if one < 4 else BRANCHES[one - 4]
        options = ("--autostash",) if two % 4 > 1 else ()
        self.git("pull", "-q", how, *options, "--no-edit", "origin", branch, agent=agent)

    def do_rebasing_pull(self, agent: bool, one: int, two: int) -> None:
        self.do_pull(agent, one, two, "--rebase")

    def do_nocommit(self, agent: bool, one: int, two: int) -> None:
        self.git("merge", "-q", "--no-commit", "--no-ff", BRANCHES[one % 4], agent=agent)

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
            if (self.here.git_dir / name).exists():
                return (way, "--continue")
        return ()

    def resolve(self, name: str, agent: bool) -> None:
        path = self.story.path(name)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if not line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||"))]
        new = self.lines(1, self.here.turn.prompt if agent and self.here.turn else PERSON)
        self.put(name, "".join([*kept[: len(kept) // 2], new, *kept[len(kept) // 2 :]]), new, agent, by_shell=False)

    # ------------------------------------------------------------ what must hold

    def check(self) -> None:
        for desk in self.desks:
            self.check_at(desk)

    def check_at(self, desk: Desk) -> None:
        workspace = Workspace.find(desk.story.root)
        for name in FILES:
            if not desk.story.path(name).exists():
                continue
            texts = desk.story.read(name).splitlines()
            named = names(workspace, name) if texts else []
            wrong = [
                f"{desk.story.root.name}/{name}:{number} {text!r} is {found!r}, not {self.writers[text]!r}"
                for number, (text, found) in enumerate(zip(texts, named, strict=True), 1)
                if found not in self.writers[text] and not (found.startswith(WHILE) and self.is_open(desk, name, text))
            ]
            assert wrong == []
        assert desk.story.log_errors() == []

    def is_open(self, desk: Desk, name: str, text: str) -> bool:
        """Tell whether a line was written or taken while a turn runs that has not ended."""
        turn, others = desk.turn, [other.turn for other in self.desks if other is not desk and other.turn is not None]
        if any(other.prompt in self.writers[text] or text in other.beside.get(name, ()) for other in others):
            return True
        if turn is None:
            return False
        typed = [line for texts in turn.typed.values() for line in texts]
        return turn.prompt in self.writers[text] or text in typed or name in turn.taken


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
        for _ in life.desks:
            life.do_end(False, 0, 0)
            check(life)
            life.do_commit(False, 1, 1)
            check(life)
            if life.other is not None:
                life.do_go(False, 0, 0)
    finally:
        shutil.rmtree(folder)
        folder.mkdir()


@settings(max_examples=200 if LONG else 3, deadline=None, derandomize=not LONG, database=None,
          phases=(Phase.explicit, Phase.generate, Phase.shrink),
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(steps=STEPS)
@example(steps=ELSEWHERE)
@example(steps=AMENDED)
@example(steps=BESIDE)
@example(steps=PICKED)
@example(steps=REACHED)
def test_no_line_is_given_to_the_wrong_one(folder: Path, steps: list[tuple[str, bool, int, int]]) -> None:
    play(folder, steps)
