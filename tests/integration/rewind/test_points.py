"""Points to go back to: which there are, in which order, and by which names."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from entire import settings
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.model.views.points import PointView
from entire.recording.context import Context
from entire.rewind.points import PointList
from entire.workspace import Workspace
from tests.integration.auto_commit.test_subagent_commits import Subagent
from tests.integration.rewinding import commit_turns
from tests.integration.story import Session, Story


def points(story: Story, **how: object) -> list[PointView]:
    return Workspace.find(story.root).points.listing(**how)  # type: ignore[arg-type]


def kinds(story: Story, **how: object) -> list[tuple[str, str]]:
    return [(point.kind, point.prompt) for point in points(story, **how)]


@pytest.fixture
def session(story: Story) -> Session:
    a = story.session()
    a.start()
    with a.turn("Can you create a greeting?"):
        a.write("hello.py", "print(1)\n")
    return a


def test_the_order_within_a_second(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git has whole seconds; what the journal no longer has is in the order of its history."""
    at = int(time.time())
    story.env |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"@{at} +0000")
    defaults = {**(Context.__init__.__kwdefaults__ or {}), "now": lambda: float(at)}
    monkeypatch.setattr(Context.__init__, "__kwdefaults__", defaults)
    session = story.session()
    for name in "ab":
        for text in (name, name * 2):
            with session.turn(text):
                session.write(name, text)
        story.commit(f"Commit {name}")
    with session.turn("c"):
        session.write("c", "c")
    shutil.rmtree(story.root / ".git/entire")
    found = points(story)
    assert {int(point.time) for point in found} == {at}
    assert [point.message for point in found] == ["C", "Commit b", "Bb", "B", "Commit a", "Aa", "A"]


def test_a_turn_whose_start_no_hook_told_is_one_point(story: Story) -> None:
    """A prompt that waited while the agent worked: its hook told of the running turn."""
    session = story.started()
    session.prompt("Think")
    session.hook("user-prompt-submit", prompt="Write")
    session.stop("thought")
    session.prompt_id = "6f1a2f0e-3f0a-4a53-8f5e-0d6f1f3f9a11"
    session.record(
        "user", promptId=session.prompt_id, promptSource="queued", message={"role": "user", "content": "Write"}
    )
    session.write("b.py", "b\n")
    session.stop("written")
    assert kinds(story) == [("step", "Write"), ("turn", "Think")]


def test_all_kinds_newest_first(story: Story, session: Session) -> None:
    story.commit("Greeting")
    with session.turn("Talk"):
        pass
    with session.turn("Change"):
        session.write("hello.py", "print(2)\n")
    assert kinds(story) == [("step", "Change"), ("turn", "Talk"), ("checkpoint", "Can you create a greeting?"),
                            ("step", "Can you create a greeting?")]  # fmt: skip
    assert {point.session_prompt for point in points(story)} == {"Can you create a greeting?"}
    assert [point.message for point in points(story)] == ["Change", "Talk", "Greeting", "Create a greeting"]
    assert kinds(story, limit=2) == kinds(story)[:2]
    assert story.log_errors() == []


def test_a_turn_that_commits_everything_is_a_point(story: Story, session: Session) -> None:
    story.commit("Greeting")
    with session.turn("Change and commit"):
        session.write("hello.py", "print(2)\n")
        session.commit("By the agent")
    found = points(story)
    assert [(point.kind, point.prompt) for point in found[:2]] == [
        ("turn", "Change and commit"), ("checkpoint", "Change and commit"),
    ]  # fmt: skip
    story.write("hello.py", "print(3)\n")
    with Workspace.find(story.root).points.rewind(RewindRequest(to=found[0].id)) as planned:
        assert planned.view.yours == ("hello.py",)
        planned.carry_out()
    assert story.read("hello.py") == "print(2)\n"


def test_one_session_of_two(story: Story, session: Session) -> None:
    b = story.session()
    b.start()
    with b.turn("Other work"):
        b.write("b.py", "b\n")
    assert kinds(story, session_id=b.id) == [("step", "Other work")]
    story.commit("Both")
    assert [point.kind for point in points(story, session_id=session.id)] == ["checkpoint", "step"]
    assert [point.kind for point in points(story, session_id=b.id)] == ["checkpoint", "step"]


def test_steps_of_another_branch_are_none_here(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "-b", "other")
    story.commit("On another branch")
    with session.turn("There"):
        session.write("there.py", "there\n")
    story.git("stash", "-q", "-u")
    story.git("checkout", "-q", "main")
    assert kinds(story) == [("step", "Can you create a greeting?")]


def test_a_squash_gives_a_point_per_checkpoint(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "-b", "feature")
    story.commit("One")
    with session.turn("More"):
        session.write("more.py", "more\n")
    story.commit("Two")
    first, second = story.ids("HEAD~1") + story.ids("HEAD")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", "--no-edit")
    found = [point for point in points(story) if point.kind == "checkpoint"]
    assert {point.id for point in found} == {story.head()}
    assert sorted(point.checkpoint_id for point in found) == sorted([first, second])


def test_names(story: Story, session: Session) -> None:
    head = story.commit("Greeting")
    step = next(point for point in points(story) if point.kind == "step")
    context = Context(Workspace.find(story.root).place, settings.Settings(), AgentDirectory.without_plugins())
    found = PointList(context)
    assert found.named(step.id).kind == "step"
    assert found.named(step.id[:10]).id == step.id
    assert found.named("HEAD").id == head
    assert found.named(story.ids()[0]).checkpoint_id == story.ids()[0]
    assert found.named(story.ids()[0][:6]).id == head
    with pytest.raises(EntireError, match="no such point"):
        found.named("fffffff")
    with pytest.raises(EntireError, match="is not a step and has no checkpoint"):
        found.named("HEAD~1")
    context.close()


def test_a_subagents_step_stands_below_its_turns(story: Story, session: Session) -> None:
    session.prompt("Use a helper")
    helper = Subagent(session, tool := "toolu_01abc", "a1")
    helper.write("helped.py", "helped\n")
    helper.end()
    session.write("more.py", "more\n")
    session.stop()
    found = points(story)
    assert [(point.kind, point.files) for point in found] == [
        ("step", ("more.py",)), ("task", ("helped.py",)), ("step", ("hello.py",)),
    ]  # fmt: skip
    assert found[1].parent == found[0].id
    assert (found[1].prompt, found[1].session_prompt) == ("Use a helper", "Can you create a greeting?")
    assert found[1].tool_use_id == tool
    with Workspace.find(story.root).points.rewind(RewindRequest(to=found[1].id, files_only=True)) as planned:
        planned.carry_out()
    assert story.read("helped.py") == "helped\n"
    assert not story.path("more.py").exists()


def test_condensed_steps_go_after_the_time_that_the_settings_say(story: Story, session: Session) -> None:
    story.commit("Greeting")
    assert [point.kind for point in points(story)] == ["checkpoint", "step"]
    story.write(".entire/entire.json", json.dumps({"keep_steps_days": 0}))
    assert [point.kind for point in points(story)] == ["checkpoint"]
    with session.turn("Change"):
        session.write("hello.py", "print(2)\n")
    story.commit("Change")
    assert story.git("for-each-ref", "refs/entire/kept") == ""


def test_condensed_steps_are_bounded_in_size(story: Story, session: Session) -> None:
    story.write(".entire/entire.json", json.dumps({"keep_steps_bytes": 2000}))
    for number in range(4):
        with session.turn(f"Turn {number}"):
            session.write("hello.py", f"{number}" * 900)
        story.commit(f"Commit {number}")
    assert len(story.git("for-each-ref", "refs/entire/kept").splitlines()) == 2
    assert story.log_errors() == []


def test_listing_writes_nothing(story: Story, session: Session) -> None:
    story.commit("Greeting")
    git = story.root / ".git"
    before = {path: path.read_bytes() for path in git.rglob("*") if path.is_file()}
    points(story)
    assert {path: path.read_bytes() for path in git.rglob("*") if path.is_file()} == before


def test_looks_of_long_ago_are_let_go_but_none_that_is_needed(story: Story, session: Session) -> None:
    path = story.root / ".git/entire/journal.json"
    journal = json.loads(path.read_text())
    path.write_text(json.dumps({**journal, "chain_since": 1.0}))
    with session.turn("Change"):
        session.write("hello.py", "print(2)\n")
    refs = story.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/entire/journal").split()
    assert [name.rpartition("-")[2] for name in refs[::2]] == ["refs/entire/journal/e3b0c4", "past"]
    assert refs[3] == journal["tip"]
    assert story.git("rev-list", "--count", refs[1]).strip() == "1"
    assert json.loads(path.read_text())["chain_since"] > 1.0
    story.git("gc", "-q", "--prune=now")
    for entry in json.loads(path.read_text())["entries"]:
        story.git("cat-file", "-e", entry[0])
    with session.turn("Change again"):
        session.write("hello.py", "print(3)\n")
    assert story.git("rev-list", "--count", refs[0]).strip() == "2"
    assert story.log_errors() == []


def test_steps_on_a_commit_that_was_amended_stay_points(story: Story, session: Session) -> None:
    story.git("commit", "-q", "--amend", "-m", "Another message")
    assert kinds(story) == [("step", "Can you create a greeting?")]
    story.write("hello.py", "print(9)\n")
    with Workspace.find(story.root).points.rewind(RewindRequest(to=points(story)[0].id)) as planned:
        planned.carry_out()
    assert story.read("hello.py") == "print(1)\n"


def test_a_turns_own_commit_is_its_only_point(story: Story, session: Session) -> None:
    """The step that was saved before the commit is none any more; what leads before its prompt is the commit's."""
    (step,) = points(story)
    commit = story.commit("Create a greeting")
    assert [point.id for point in points(story)] == [commit, step.id]
    commit_turns(story)
    assert [point.id for point in points(story)] == [commit, step.id]  # a person made it after the turn
    journal = Path(story.root, ".git/entire/journal.json")
    value = json.loads(journal.read_text())
    turn = next(entry[2] for entry in value["entries"] if entry[6] == step.id)
    for entry in value["entries"]:
        entry[3] = [turn] if entry[4] == commit else entry[3]
    journal.write_text(json.dumps(value))
    (found,) = points(story)
    assert (found.id, found.kind, found.before_prompt) == (commit, "checkpoint", step.before_prompt)
    assert found.before_prompt
    assert found.prompt == "Can you create a greeting?"
    with Workspace.find(story.root).points.rewind(RewindRequest(to=step.id)) as planned:
        assert planned.view.point is not None
        assert planned.view.point.id == step.id
