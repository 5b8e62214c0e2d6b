"""What is decided about a commit before git makes it: what it amends, whose content it has, which ids it carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from entire import layout, lifecycle
from entire.agents import registry
from entire.commits import decision, ownership, upcoming_commit
from entire.commits.replaced_commits import Replaced
from entire.commits.upcoming_commit import UpcomingCommit
from entire.directory import AgentDirectory
from entire.git import diff
from entire.git.operation import GitCommand, Operation
from entire.git.read import Commit
from entire.model.events import Event, EventType, GitEvent
from entire.recording.context import Context
from entire.recording.pending import CommitKind, Pending
from entire.settings import Settings
from tests import bare_agent
from tests.unit.git.repo import Repo


class Stage:
    """A repository with one commit, and a context in it."""

    def __init__(self, folder: Path) -> None:
        self.repo = Repo(folder)
        self.repo.write("a.txt", "100644", b"one\n")
        self.commit()
        place = layout.find(self.repo.top)
        assert place is not None
        self.context = Context(place, Settings(), AgentDirectory.without_plugins(), now=lambda: 1.7e9)

    def commit(self) -> None:
        self.repo.git("add", "-A")
        self.repo.git("commit", "-q", "-m", "x")

    def event(self, kind: EventType, prompt: str = "") -> None:
        lifecycle.handle(self.context, Event(type=kind, session_id="s", agent="bare", prompt=prompt))

    def turn(self, path: str, content: bytes) -> str:
        """Let the agent write a file in a turn; return the turn's id."""
        self.event(EventType.TURN_START, "Write it")
        self.repo.write(path, "100644", content)
        self.event(EventType.TURN_END)
        self.context.forget()
        session = self.context.session("s")
        assert session is not None
        assert session.turn is not None
        return session.turn.id

    def upcoming(self, git: GitCommand | None = None, **environment: str) -> UpcomingCommit:
        self.repo.git("add", "-A")
        self.context.forget()
        event = GitEvent(type=EventType.PREPARE_COMMIT, message_source="message", environment=environment)
        return upcoming_commit.find(self.context, event, git or GitCommand(), Operation(), "x\n")

    def decide(self, git: GitCommand | None = None, **environment: str) -> Pending:
        with self.context.lock():
            return decision.decide(self.context, self.upcoming(git, **environment))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Bare"))
    made = Stage(tmp_path / "repo")
    yield made
    made.context.close()


def commit(*parents: str) -> Commit:
    return Commit(oid="c" * 40, tree="e" * 40, parents=parents, author="", committer="", message=b"x\n")


@pytest.mark.parametrize(
    ("head", "amends", "parent"),
    [
        (None, False, ""),
        (commit("d" * 40), False, "c" * 40),
        (commit("d" * 40), True, "d" * 40),
        (commit(), True, ""),
    ],
)
def test_the_first_parent_of_an_upcoming_commit(head: Commit | None, parent: str, *, amends: bool) -> None:
    upcoming = UpcomingCommit(event=GitEvent(type=EventType.PREPARE_COMMIT), message="", git=GitCommand(),
                      operation=Operation(), head=head, tree="e" * 40, amends=amends)  # fmt: skip
    assert upcoming.parent == parent


def test_an_amend_is_known_by_gits_arguments_else_by_what_it_repeats(stage: Stage) -> None:
    date = stage.repo.line("log", "-1", "--format=%ad", "--date=raw")
    assert stage.upcoming(GIT_AUTHOR_DATE=f"@{date}").amends
    assert not stage.upcoming().amends
    assert stage.upcoming(GitCommand(command="commit", amends=True)).amends
    assert not stage.upcoming(GitCommand(command="commit", amends=False), GIT_AUTHOR_DATE=f"@{date}").amends
    stage.repo.write("a.txt", "100644", b"two\n")
    assert not stage.upcoming(GIT_AUTHOR_DATE=f"@{date}").amends, "it does not repeat the commit's tree"


def test_the_session_with_a_turn_in_progress_makes_the_commit_unless_a_person_does(stage: Stage) -> None:
    stage.event(EventType.TURN_START, "Write it")
    with stage.context.lock():
        assert stage.upcoming(ENTIRE_TEST_TTY="0").maker == "s"
        assert stage.upcoming(ENTIRE_TEST_TTY="1").maker == ""
    stage.event(EventType.TURN_END)
    with stage.context.lock():
        assert stage.upcoming(ENTIRE_TEST_TTY="0").maker == ""


def test_a_commit_without_content_of_a_session_has_a_reason(stage: Stage) -> None:
    assert stage.decide().reason == "an empty commit has no content"
    stage.repo.write("a.txt", "100644", b"two\n")
    assert stage.decide().reason == "no session has run in this worktree yet"
    stage.turn("b.txt", b"agent\n")
    stage.repo.git("reset", "-q")
    stage.repo.git("clean", "-fdq")
    assert stage.decide().reason == "it contains no session content"


def test_a_commit_with_content_of_a_session_has_a_new_id(stage: Stage) -> None:
    turn = stage.turn("b.txt", b"agent\n")
    decided = stage.decide()
    assert (decided.kind, decided.sessions, decided.ids) == (CommitKind.PLAIN, {"s": [turn]}, (decided.id,))
    assert decided.id
    assert [(path.path, path.added) for path in decided.lines] == [("b.txt", ((1, 1, f"s/{turn}"),))]


def test_only_paths_of_sessions_are_examined(stage: Stage) -> None:
    stage.turn("b.txt", b"agent\n")
    stage.repo.git("add", "-A")
    upcoming, replaced = stage.upcoming(), Replaced(kind=CommitKind.PLAIN)
    assert upcoming.head is not None
    changes = diff.changes(stage.repo.top, upcoming.head.tree, upcoming.tree)
    held = ownership.examine(stage.context, upcoming, changes, replaced, ())
    assert held is not None
    assert held.sessions() == ["s"]
    others = [change for change in changes if change.path != "b.txt"]
    assert ownership.examine(stage.context, upcoming, others, replaced, ()) is None
