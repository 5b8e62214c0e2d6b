"""Commits that no git hook saw: linked by their ids at the next event or command, found by every reader, carried on."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from entire import layout
from entire.commits import existing_commit, missed_commits, visited_worktrees
from entire.directory import AgentDirectory
from entire.git import history
from entire.model.requests import ResumeRequest
from entire.recording.context import Context
from entire.settings import Settings
from entire.workspace import Workspace
from tests.integration.commits.test_other_worktrees import side_worktree, write
from tests.integration.kept import answers, lines, reason, slot_of, tokens
from tests.integration.story import Session, Story, later

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
BRANCH = "entire/checkpoints/v1"


def hookless(story: Story, message: str, *args: str, add: bool = True, env: dict[str, str] | None = None) -> str:
    """Commit with the hooks switched off."""
    if add:
        story.git("add", "-A")
    story.git(*NO_HOOKS, "commit", "-q", "-m", message, *args, env=env)
    return story.head()


def by_agent(session: Session, message: str, *args: str) -> str:
    """Commit in the agent's shell with the hooks switched off; git says which commit it made."""
    command = f"git -c core.hooksPath= commit -m '{message}'"
    with session.shell(command) as output:
        session.story.git("add", "-A")
        output.append(session.story.git(*NO_HOOKS, "commit", "-m", message, *args))
    return session.story.head()


def state_of(story: Story) -> dict[str, bytes]:
    """Return every file of the git directory, but for what commands keep of what they have read."""
    files = [path for path in story.path(".git").rglob("*") if path.is_file() and path.name != "digests.db"]
    return {str(path): path.read_bytes() for path in files}


def next_event(session: Session) -> None:
    with session.turn("Look"):
        pass


@pytest.fixture
def a(story: Story) -> Session:
    """A session that made a.txt and b.txt."""
    session = story.started()
    with session.turn("Make a and b"):
        session.write("a.txt", "a1\na2\n")
        session.write("b.txt", "b1\n")
    return session


@pytest.fixture
def linked(story: Story, a: Session) -> str:
    """A commit of a.txt and b.txt that is linked by its id."""
    commit = hookless(story, "Add both")
    next_event(a)
    assert len(story.recorded()) == 1
    return commit


# ---------------------------------------------------------------- who made it


def test_several_commits_of_an_agent_in_one_turn_each_have_their_own_tokens(story: Story, a: Session) -> None:
    first_answers = a.answers
    story.commit("Before")
    a.prompt("Two commits")
    a.write("c.txt", "c\n")
    one = by_agent(a, "Add c")
    a.write("d.txt", "d\n")
    two = by_agent(a, "Add d")
    a.answer({"type": "text", "text": "Both are done"})
    a.stop()
    parts = [slot_of(story, a, commit) for commit in (one, two)]
    assert [part["files_touched"] for part in parts] == [["c.txt"], ["d.txt"]]
    assert [lines(part) for part in parts] == [(1, 0, 0, 0, 1)] * 2
    at = first_answers
    assert [tokens(part) for part in parts] == [answers(at, at + 1), answers(at + 2, at + 3, at + 4, at + 5)]
    assert story.reasons() == {}
    assert a.state().get("files_touched", []) == []
    assert story.log_errors() == []


def test_a_persons_work_from_before_a_turn(story: Story, a: Session) -> None:
    """The transcript says who made the commit; that an agent looked at it later says nothing."""
    story.commit("Before")
    story.write("mine.txt", "mine\n")
    a.prompt("Wait")
    mine = hookless(story, "Mine")
    with a.shell("git log --oneline", early=-2.0) as output:
        output.append(f"{mine[:7]} Mine\n")
    a.stop()
    assert story.recorded(mine) == []
    assert reason(story, mine) == "it contains no session content"


def test_an_agents_commit_of_what_a_person_wrote_before_the_turn(story: Story, a: Session) -> None:
    story.commit("Before")
    story.write("mine.txt", "mine\n")
    a.prompt("Commit it")
    mine = by_agent(a, "Mine")
    a.stop()
    slot = slot_of(story, a, mine)
    assert (slot["files_touched"], lines(slot)) == ([], (0, 1, 0, 0, 1))
    assert story.log_errors() == []


def test_a_subagents_commit_is_the_sessions(story: Story, a: Session) -> None:
    """Only the subagent's transcript tells that it ran git."""
    story.commit("Before")
    story.write("mine.txt", "mine\n")
    a.prompt("Let a subagent commit it")
    given = {"description": "Commit", "prompt": "Commit", "subagent_type": "helper"}
    a.answer({"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": given})
    a.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=given)
    mine = hookless(story, "Mine")
    helper = Session(story, a.id)
    helper.file = a.file.with_suffix("") / "subagents" / "agent-h1.jsonl"
    helper.file.parent.mkdir(parents=True)
    helper.tool("Bash", {"command": "git commit -m Mine"}, {"stdout": f"[main {mine[:7]}] Mine\n", "stderr": ""})
    helper.file.write_text(helper.file.read_text().replace('"isSidechain": false', '"isSidechain": true'))
    block = {"tool_use_id": "toolu_1", "type": "tool_result", "content": "Done."}
    result = {"agentId": "h1", "status": "completed"}
    a.record("user", message={"role": "user", "content": [block]}, toolUseResult=result)
    a.hook("post-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=given, tool_response=result)
    a.stop()
    assert slot_of(story, a, mine)["files_touched"] == []
    assert story.log_errors() == []


def test_a_scripts_commit_is_the_sessions(story: Story, a: Session) -> None:
    story.commit("Before")
    story.write("mine.txt", "mine\n")
    a.prompt("Let someone commit it")
    mine = hookless(story, "Mine")
    a.tool("Bash", {"command": "./release.sh"}, {"stdout": f"[main {mine[:7]}] Mine\n", "stderr": ""})
    a.stop()
    assert slot_of(story, a, mine)["files_touched"] == []


def test_the_transcript_says_who_made_a_commit_and_deciding_writes_nothing(story: Story, a: Session) -> None:
    place = layout.find(str(story.root))
    assert place is not None
    a.prompt("Commit")
    mine = hookless(story, "Mine", env=later(-2))
    a.write("c.txt", "c\n")
    own = by_agent(a, "Add c")
    before = state_of(story)
    with contextlib.closing(Context(place, Settings(), AgentDirectory.without_plugins())) as context:
        first, second = history.show(str(story.root), [mine, own])
        assert (missed_commits.maker(context, first), missed_commits.maker(context, second)) == ("", a.id)
        found = existing_commit.MadeCommit(commit=second, running=tuple(context.running_turns()), maker=a.id)
        decided = existing_commit.decide(context, found)
    assert (decided.commit, list(decided.sessions), decided.paths) == (own, [a.id], ("c.txt",))
    assert second.committed <= decided.moment <= second.committed + 1
    assert state_of(story) == before


# ---------------------------------------------------------------- kinds of commits


def test_a_part_of_a_file_and_then_the_rest(story: Story, a: Session) -> None:
    story.git("add", "b.txt")
    first = hookless(story, "Add b", add=False)
    story.write("half.txt", "a1\n")
    blob = story.git("hash-object", "-w", "half.txt").strip()
    story.path("half.txt").unlink()
    story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a.txt")
    second = hookless(story, "Half of a", add=False)
    third = hookless(story, "All of a")
    next_event(a)
    parts = [slot_of(story, a, commit) for commit in (first, second, third)]
    assert [lines(part)[0] for part in parts] == [1, 1, 1]
    assert a.state().get("files_touched", []) == []
    assert story.log_errors() == []


def test_many_commits_in_a_row(story: Story) -> None:
    session = story.started()
    names = [f"{number}.txt" for number in range(8)]
    with session.turn("Make eight files"):
        for name in names:
            session.write(name, f"{name}\n")
    made = []
    for name in names:
        story.git("add", name)
        made.append(hookless(story, name, add=False))
    next_event(session)
    assert [slot_of(story, session, commit)["files_touched"] for commit in made] == [[name] for name in names]
    assert story.log_errors() == []


def test_a_repositorys_first_commit(tmp_path: Path) -> None:
    story = Story(tmp_path / "new", first_commit=False)
    session = story.started()
    with session.turn("Make a"):
        session.write("a.txt", "a\n")
    story.git("add", "a.txt")
    hookless(story, "First", add=False)
    next_event(session)
    assert slot_of(story, session)["files_touched"] == ["a.txt"]
    assert story.log_errors() == []


def test_a_detached_head(story: Story, a: Session) -> None:
    story.git("checkout", "-q", "--detach")
    hookless(story, "Detached")
    next_event(a)
    assert slot_of(story, a)["files_touched"] == ["a.txt", "b.txt"]
    assert "branch" not in story.linked()


def test_a_merge_commit_has_none_of_its_own(story: Story, linked: str, a: Session) -> None:
    story.git("switch", "-q", "-c", "side", "HEAD~1")
    story.write("side.txt", "side\n")
    story.commit("Side")
    story.git("switch", "-q", "main")
    a.prompt("Wait")
    story.git(*NO_HOOKS, "merge", "-q", "--no-ff", "-m", "Merge", "side")
    a.stop()
    assert story.recorded() == []
    assert story.recorded(linked) != []
    assert reason(story) == "a merge with no new session content"


def test_a_revert_has_none(story: Story, linked: str, a: Session) -> None:
    a.prompt("Wait")
    story.git(*NO_HOOKS, "revert", "--no-edit", "HEAD")
    story.git(*NO_HOOKS, "revert", "--no-edit", "HEAD")  # the same change as the linked commit
    a.stop()
    assert (story.recorded(), story.recorded("HEAD~1")) == ([], [])
    assert reason(story) == reason(story, "HEAD~1") == "a revert with no new session content"


def test_a_commit_that_is_reset_away_before_it_is_seen(story: Story, a: Session) -> None:
    gone = hookless(story, "Gone")
    story.git("reset", "-q", "--soft", "HEAD~1")
    next_event(a)
    assert story.reasons() == {}
    assert story.recorded(gone) == []
    story.commit("Again", add=False)
    assert len(story.ids()) == 1
    assert slot_of(story, a)["files_touched"] == ["a.txt", "b.txt"]


def test_a_commit_for_which_git_ran_only_post_commit(story: Story, a: Session) -> None:
    hook = story.path(".git/hooks/prepare-commit-msg")
    hook.rename(story.path(".git/gone"))
    story.commit("No decision")
    story.path(".git/gone").rename(hook)
    assert slot_of(story, a)["files_touched"] == ["a.txt", "b.txt"]
    assert story.ids() == []


def test_switching_back_and_forth_changes_nothing(story: Story, linked: str, a: Session) -> None:
    for number in range(10):  # so many that the journal forgets the linked one
        story.write("mine.txt", f"{number}\n")
        story.commit(f"Mine {number}")
    before = story.git("rev-parse", BRANCH)
    a.prompt("Wait")
    story.git("switch", "-q", "--detach", f"{linked}~1")
    a.hook("session-start", source="resume")
    story.git("switch", "-q", "main")
    a.stop()
    assert story.git("rev-parse", BRANCH) == before
    assert linked not in story.reasons()


# ---------------------------------------------------------------- other worktrees


@pytest.mark.parametrize("is_known", [True, False])
def test_an_agents_commit_in_another_worktree(story: Story, a: Session, *, is_known: bool) -> None:
    """Its tools report one file, its shell writes another; both are its own, and its answer's tokens are counted."""
    story.commit("Before")
    side = side_worktree(story, "../side", "-b", "side")
    if is_known:
        with (side_session := side.started()).turn("Look"):
            side_session.write("first.txt", "first\n")
        side.commit("First")
    at = a.answers
    a.prompt("Work in the other worktree")
    write(a, side, "there.txt", "there\n")
    with a.shell("echo shell > shell.txt; git -C ../side commit") as output:
        side.write("shell.txt", "shell\n")
        side.git("add", "-A")
        output.append(side.git(*NO_HOOKS, "commit", "-m", "There"))
    a.stop()
    record = slot_of(side, a)
    assert (record["files_touched"], lines(record)) == (["shell.txt", "there.txt"], (2, 0, 0, 0, 2))
    assert tokens(record) == answers(at, at + 1, at + 2)
    assert (side.ids(), story.reasons(), side.reasons()) == ([], {}, {})
    assert a.state().get("files_touched", []) == []
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    assert story.ids() == []
    assert story.log_errors() == []


def test_a_persons_commit_in_another_worktree_has_what_a_turn_reports_there(story: Story, a: Session) -> None:
    story.commit("Before")
    side = side_worktree(story, "../side", "-b", "side")
    a.prompt("Work in the other worktree")
    write(a, side, "there.txt", "there\n")
    side.write("mine.txt", "mine\n")
    hookless(side, "Both")
    side.write("more.txt", "mine\n")
    other = hookless(side, "Mine only")
    a.stop()
    record = slot_of(side, a, "HEAD~1")
    assert (record["files_touched"], lines(record)) == (["there.txt"], (1, 1, 0, 0, 2))
    assert side.recorded(other) == []
    assert story.log_errors() == []


def test_a_worktree_that_is_gone_is_passed_over(story: Story, a: Session) -> None:
    side = side_worktree(story, "../side", "-b", "side")
    a.prompt("Work there")
    hookless(side, "There", "--allow-empty")
    side.root.rename(story.root.parent / "elsewhere")
    place = layout.find(str(story.root))
    assert place is not None
    with contextlib.closing(Context(place, Settings(), AgentDirectory.without_plugins())) as context:
        session = context.session(a.id)
        assert session is not None
        before = state_of(story)
        visited_worktrees.follow(context, session)
    assert state_of(story) == before
    a.stop()
    assert story.log_errors() == []


# ---------------------------------------------------------------- readers


def test_every_reader_finds_it(story: Story, linked: str, a: Session, capsys: pytest.CaptureFixture[str]) -> None:
    (name,) = story.recorded()
    after = story.commit("Mine", "--allow-empty")
    workspace = Workspace.find(story.root)
    assert workspace.history.commit(linked).checkpoint_ids == (name,)
    assert [view.id for view in workspace.history.explain(linked).checkpoints] == [name]
    assert workspace.history.explain(linked).reason is None
    assert [view.oid for view in workspace.history.linked_commits()] == [linked]
    assert [view.oid for view in workspace.history.linked_commits(everywhere=True)] == [linked]
    assert [(view.id, view.is_stored) for view in workspace.checkpoints.listing()] == [(name, True)]
    assert [view.oid for view in workspace.checkpoints.find(name).commits] == [linked]
    assert [point.id for point in workspace.points.listing() if point.kind == "checkpoint"] == [linked]
    assert [point.id for point in workspace.points.listing(1, session_id=a.id)] != []
    with workspace.sessions.resume(ResumeRequest(target="main")) as resume:
        assert resume.view.commit == linked if hasattr(resume, "view") else True
    assert workspace.checkpoints.ids() == [name]
    assert linked not in [view.commit for view in workspace.maintenance.status().unlinked]
    assert story.entire("explain", "--commit", linked) == 0
    assert name in capsys.readouterr().out
    assert story.entire("doctor") == 0
    assert after


def test_linked_commits_are_listed_in_gits_order(story: Story, a: Session) -> None:
    made = []
    for number in range(6):
        with a.turn(f"Make {number}"):
            a.write(f"{number}.txt", f"{number}\n")
        made.append(hookless(story, f"{number}") if number % 2 else story.commit(f"{number}"))
    next_event(a)
    assert all(len([*story.ids(commit), *story.recorded(commit)]) == 1 for commit in made)
    workspace = Workspace.find(story.root)
    assert [view.oid for view in workspace.history.linked_commits()] == made[::-1]
    assert [view.oid for view in workspace.history.linked_commits(everywhere=True)] == made[::-1]
    assert [view.commits[0].oid for view in workspace.checkpoints.listing(3)] == made[:2:-1]
    assert [point.id for point in workspace.points.listing() if point.kind == "checkpoint"] == made[::-1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda workspace: [view.oid for view in workspace.history.linked_commits()],
        lambda workspace: [commit.oid] if (commit := workspace.history.commit("HEAD")).checkpoint_ids else [],
        lambda workspace: [view.commits[0].oid for view in workspace.checkpoints.listing()],
        lambda workspace: [point.id for point in workspace.points.listing() if point.kind == "checkpoint"],
        lambda workspace: [view.commit.oid for view in [workspace.history.explain("HEAD")] if view.checkpoints],
        lambda workspace: (
            [workspace.history.commit("HEAD").oid] if not workspace.maintenance.status().sessions[0].open_files else []
        ),
    ],
)
def test_a_command_that_reads_tells_the_truth_at_once(
    story: Story, a: Session, ask: Callable[[Workspace], list[str]]
) -> None:
    commit = hookless(story, "Both")
    assert ask(Workspace.find(story.root)) == [commit]
    assert len(story.recorded()) == 1
    assert story.log_errors() == []


def test_reading_works_where_nothing_can_be_written(story: Story, a: Session) -> None:
    hookless(story, "Both")
    lock = story.path(".git/entire/lock")
    lock.unlink(missing_ok=True)
    lock.symlink_to("/proc/nothing/lock")  # even root cannot write there
    assert story.entire("explain", "--commit", "HEAD") == 0
    assert story.entire("status") == 0
    assert story.recorded() == []


def test_reading_writes_nothing_if_nothing_is_to_be_done(story: Story, linked: str) -> None:
    before = state_of(story)
    workspace = Workspace.find(story.root)
    workspace.maintenance.status(), workspace.history.explain("HEAD")
    workspace.checkpoints.listing(), workspace.points.listing()
    assert state_of(story) == before


# ---------------------------------------------------------------- left on another branch


def test_an_agents_commit_on_a_branch_that_it_leaves_at_once(story: Story, a: Session) -> None:
    story.commit("Before")
    a.prompt("Make a topic")
    a.write("c.txt", "c1\nc2\n")
    with a.shell("git switch -c topic; git add c.txt; git commit -m 'Add c'; git switch main") as output:
        story.git("switch", "-q", "-c", "topic")
        story.git("add", "c.txt")
        output.append(story.git(*NO_HOOKS, "commit", "-m", "Add c"))
        story.git("switch", "-q", "main")
    a.stop()
    slot = slot_of(story, a, "topic")
    assert (slot["files_touched"], lines(slot)) == (["c.txt"], (2, 0, 0, 0, 2))
    assert story.reasons() == {}
    assert a.state().get("files_touched", []) == []
    assert story.log_errors() == []


def test_a_command_that_reads_sees_a_branch_that_was_left(
    story: Story, a: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    left_on_topic(story)
    capsys.readouterr()
    assert story.entire("explain", "--commit", "topic") == 0
    assert "b.txt" in capsys.readouterr().out
    before = state_of(story)
    assert story.entire("explain", "--commit", "topic") == 0
    assert state_of(story) == before


def test_what_a_reset_undid_after_all_work_was_committed_keeps_its_checkpoint(story: Story, a: Session) -> None:
    with a.turn("Write it"):
        a.write("a.txt", "a\n")
    story.commit("One")
    (one,) = story.ids()
    story.git("reset", "-q", "--soft", "HEAD~1")
    hookless(story, "Again")
    next_event(a)
    assert story.recorded() == [one]
    assert story.log_errors() == []


@pytest.mark.parametrize("hooks", [(), NO_HOOKS])
@pytest.mark.parametrize("way", ["squash", "cherry-pick", "merge"])
def test_what_was_left_on_a_branch_is_brought_back(story: Story, a: Session, way: str, hooks: tuple[str, ...]) -> None:
    one, two = left_on_topic(story)
    if way == "squash":
        story.git("merge", "-q", "--squash", "topic")
        story.git(*hooks, "commit", "-q", "--no-edit")
    elif way == "cherry-pick":
        story.write("mine.txt", "mine\n")
        hookless(story, "Mine")
        story.git(*hooks, "cherry-pick", one, two)
    else:
        story.git(*hooks, "merge", "-q", "--ff-only", "topic")
    next_event(a)
    ids = [*story.recorded(one), *story.recorded(two)]
    assert len(ids) == 2
    assert [slot_of(story, a, commit)["files_touched"] for commit in (one, two)] == [["a.txt"], ["b.txt"]]
    found = {"squash": ["HEAD"], "cherry-pick": ["HEAD~1", "HEAD"], "merge": [one, two]}[way]
    assert [name for commit in found for name in (*story.ids(commit), *story.recorded(commit))] == ids
    assert story.log_errors() == []


def left_on_topic(story: Story) -> tuple[str, str]:
    """Commit a.txt and b.txt without hooks on another branch, and leave it before anything sees them."""
    story.git("switch", "-q", "-c", "topic")
    story.git("add", "a.txt")
    made = hookless(story, "Add a", add=False), hookless(story, "Add b")
    story.git("switch", "-q", "main")
    return made


# ---------------------------------------------------------------- amend, squash, rebase, cherry-pick


@pytest.mark.parametrize("live", [True, False])
def test_an_amend_with_hooks_names_the_checkpoint(story: Story, linked: str, a: Session, *, live: bool) -> None:
    (name,) = story.recorded()
    if live:
        a.prompt("Wait")
    story.git("commit", "-q", "--amend", "-m", "Another message")
    next_event(a)
    assert [*story.ids(), *story.recorded()] == [name]
    assert story.ids() == ([name] if live else [])
    commits = [entry["commit"] for entry in story.checkpoint(name)["lineage"]["commits"]]
    assert commits[0] == linked
    assert (story.head() in commits) is not live  # an amend without new content leaves the checkpoint as it is
    assert story.reasons() == {}


def test_an_amend_with_hooks_and_new_content(story: Story, linked: str, a: Session) -> None:
    (name,) = story.recorded()
    with a.turn("More"):
        a.write("c.txt", "c\n")
    story.git("add", "-A")
    story.git("commit", "-q", "--amend", "--no-edit")
    assert story.ids() == [name]
    assert slot_of(story, a)["files_touched"] == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize("live", [True, False])
def test_an_amend_without_hooks(story: Story, linked: str, a: Session, *, live: bool) -> None:
    (name,) = story.recorded()
    if live:
        a.prompt("Wait")
    story.git(*NO_HOOKS, "commit", "-q", "--amend", "-m", "Another message")
    next_event(a)
    assert (story.ids(), story.recorded()) == ([], [name])
    assert story.reasons() == {}


def test_an_amend_without_hooks_with_new_content(story: Story, linked: str, a: Session) -> None:
    (name,) = story.recorded()
    with a.turn("More"):
        a.write("c.txt", "c\n")
    story.git("add", "-A")
    story.git(*NO_HOOKS, "commit", "-q", "--amend", "--no-edit")
    next_event(a)
    assert (story.ids(), story.recorded()) == ([], [name])
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["a.txt", "b.txt", "c.txt"], (4, 0, 0, 0, 4))


@pytest.mark.parametrize("live", [True, False])
def test_a_rebase_carries_the_link_of_an_amended_commit(story: Story, linked: str, a: Session, *, live: bool) -> None:
    """The amended commit has another patch, which is recorded with it."""
    (name,) = story.recorded()
    if live:
        a.prompt("Wait")
    story.write("mine.txt", "mine\n")
    hookless(story, "Both and mine", "--amend")
    next_event(a)
    assert story.recorded() == [name]
    story.git("switch", "-q", "-c", "side", f"{linked}~1")
    story.write("side.txt", "side\n")
    story.commit("Side")
    story.git("switch", "-q", "main")
    story.git(*NO_HOOKS, "rebase", "-q", "side")
    next_event(a)
    assert (story.ids(), story.recorded()) == ([], [name])


def test_an_amend_that_drops_the_trailer_of_a_linked_commit(story: Story, a: Session) -> None:
    story.commit("Linked")
    (name,) = story.ids()
    a.prompt("Wait")
    story.git(*NO_HOOKS, "commit", "-q", "--amend", "-m", "Without the trailer")
    a.stop()
    assert (story.ids(), story.recorded()) == ([], [name])


@pytest.mark.parametrize("more", [False, True])
def test_an_amend_of_a_commit_that_nothing_saw_either(story: Story, a: Session, *, more: bool) -> None:
    """Its content is in no checkpoint yet."""
    story.git("add", "a.txt")
    one = hookless(story, "Add a", add=False)
    hookless(story, "Add b")
    if more:
        story.write("mine.txt", "mine\n")
    for message in ("Amended", "And again"):
        hookless(story, message, "--amend")
    next_event(a)
    slots = [slot_of(story, a, commit) for commit in (one, "HEAD")]
    assert [slot["files_touched"] for slot in slots] == [["a.txt"], ["b.txt"]]
    assert [lines(slot) for slot in slots] == [(2, 0, 0, 0, 2), (1, int(more), 0, 0, 1 + more)]
    assert story.reasons() == {}


def test_a_linked_commit_that_is_amended_twice_before_it_is_seen(story: Story, linked: str, a: Session) -> None:
    (name,) = story.recorded()
    for message in ("Amended", "And again"):
        hookless(story, message, "--amend")
    next_event(a)
    assert (story.ids(), story.recorded()) == ([], [name])
    assert story.reasons() == {}


def test_an_amend_without_hooks_or_a_reflog(story: Story, linked: str, a: Session) -> None:
    (name,) = story.recorded()
    a.prompt("Wait")
    author = story.git("log", "-1", "--format=%an%n%ae%n%ad", "--date=raw").splitlines()
    env = dict(zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"), author, strict=True))
    new = story.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", "Amended", env=env).strip()
    story.path(".git/refs/heads/main").write_text(new + "\n")
    a.stop()
    assert story.recorded() == [name]


def test_a_squash_takes_all_ids_over(story: Story, a: Session) -> None:
    story.git("switch", "-q", "-c", "topic")
    story.git("add", "a.txt")
    one = hookless(story, "Add a", add=False)
    two = hookless(story, "Add b")
    next_event(a)
    ids = [*story.recorded(one), *story.recorded(two)]
    story.git("switch", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    story.git("merge", "-q", "--squash", "topic")
    a.prompt("Wait")
    story.git("commit", "-q", "--no-edit")
    a.stop()
    assert story.ids() == ids


def test_a_squash_without_hooks_takes_all_ids_over(story: Story, a: Session) -> None:
    story.git("switch", "-q", "-c", "topic")
    story.git("add", "a.txt")
    one = hookless(story, "Add a", add=False)
    two = hookless(story, "Add b")
    next_event(a)
    ids = [*story.recorded(one), *story.recorded(two)]
    story.git("switch", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    a.prompt("Wait")
    story.git("merge", "-q", "--squash", "topic")
    story.git(*NO_HOOKS, "commit", "-q", "--no-edit")
    a.stop()
    assert story.recorded() == ids


@pytest.mark.parametrize("hooks", [True, False])
def test_a_squash_without_hooks_under_a_message_of_its_own(story: Story, a: Session, *, hooks: bool) -> None:
    """Nothing names the commits that it combines: their changes do, also if their branch is gone."""
    ids: list[str]
    if hooks:
        story.git("switch", "-q", "-c", "topic")
        story.git("add", "a.txt")
        ids = [*story.ids(story.commit("Add a", add=False)), *story.ids(story.commit("Add b"))]
        story.git("switch", "-q", "main")
    else:
        one, two = left_on_topic(story)
        next_event(a)
        ids = [*story.recorded(one), *story.recorded(two)]
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    a.prompt("Squash the topic")
    with a.shell("git merge --squash topic; git commit -m 'All of it'; git branch -D topic") as output:
        story.git("merge", "-q", "--squash", "topic")
        output.append(story.git(*NO_HOOKS, "commit", "-m", "All of it"))
        story.git("branch", "-q", "-D", "topic")
    a.stop()
    assert story.recorded() == ids
    assert story.reasons() == {}


@pytest.mark.parametrize("hooks", [True, False])
def test_a_soft_reset_takes_all_ids_over(story: Story, a: Session, *, hooks: bool) -> None:
    story.git("add", "a.txt")
    one = hookless(story, "Add a", add=False)
    two = hookless(story, "Add b")
    next_event(a)
    ids = [*story.recorded(one), *story.recorded(two)]
    a.prompt("Wait")
    story.git("reset", "-q", "--soft", "HEAD~2")
    if hooks:
        story.commit("Both")
    else:
        hookless(story, "Both")
    a.stop()
    assert [*story.ids(), *story.recorded()] == ids
    assert story.ids() == (ids if hooks else [])


@pytest.mark.parametrize("hooks", [(), NO_HOOKS])
@pytest.mark.parametrize("live", [True, False])
def test_a_rebase_carries_the_link(
    story: Story, linked: str, a: Session, hooks: tuple[str, ...], *, live: bool
) -> None:
    (name,) = story.recorded()
    story.git("branch", "side", "HEAD~1")
    story.git("switch", "-q", "side")
    story.write("side.txt", "side\n")
    story.commit("Side")
    story.git("switch", "-q", "main")
    if live:
        a.prompt("Wait")
    story.git(*hooks, "rebase", "-q", "side")
    next_event(a)
    assert story.head() != linked
    assert (story.ids(), story.recorded()) == ([], [name])
    assert [entry["commit"] for entry in story.linked()["lineage"]["commits"]] == [linked, story.head()]
    assert story.reasons() == {}
    assert story.log_errors() == []


def test_a_rebase_that_changes_the_commit_keeps_its_link(story: Story, linked: str, a: Session) -> None:
    (name,) = story.recorded()
    story.git("switch", "-q", "-c", "side", "HEAD~1")
    story.write("a.txt", "theirs\n")
    story.commit("Side")
    story.git("switch", "-q", "main")
    a.prompt("Wait")
    story.git(*NO_HOOKS, "rebase", "-q", "side", ok=False)
    story.write("a.txt", "theirs\na1\na2\n")
    story.git("add", "-A")
    story.git(*NO_HOOKS, "rebase", "--continue", env={"GIT_EDITOR": "true"})
    a.stop()
    assert story.recorded() == [name]
    assert story.linked()["lineage"]["commits"][-1]["commit"] == story.head() != linked
    assert story.reasons() == {}


@pytest.mark.parametrize("hooks", [(), NO_HOOKS])
def test_a_cherry_pick_carries_the_link(story: Story, linked: str, a: Session, hooks: tuple[str, ...]) -> None:
    (name,) = story.recorded()
    story.git("switch", "-q", "-c", "side", "HEAD~1")
    story.write("side.txt", "side\n")
    story.commit("Side")
    next_event(a)
    story.git(*hooks, "cherry-pick", linked)
    next_event(a)
    assert [*story.ids(), *story.recorded()] == [name]
    assert story.linked()["lineage"]["commits"][-1]["commit"] == story.head()


def test_a_rebase_that_folds_linked_commits_keeps_all_ids(story: Story, a: Session) -> None:
    story.git("add", "a.txt")
    one = hookless(story, "Add a", add=False)
    two = hookless(story, "Add b")
    next_event(a)
    ids = [*story.recorded(one), *story.recorded(two)]
    a.prompt("Wait")
    edit = {"GIT_SEQUENCE_EDITOR": "sed -i -e 2s/^pick/fixup/", "GIT_EDITOR": "true"}
    story.git("rebase", "-q", "-i", "HEAD~2", env=edit)
    a.stop()
    assert [*story.ids(), *story.recorded()] == ids


# ---------------------------------------------------------------- killed on the way


def test_a_killed_hook_is_completed_with_the_same_checkpoint(
    story: Story, a: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from entire.commits import checkpoint, complete

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    hookless(story, "Both")
    monkeypatch.setattr(complete, "_note_commit", die)  # the checkpoint is written, the session does not know yet
    with pytest.raises(Killed):
        a.prompt("Go on")
    (name,) = story.recorded()
    monkeypatch.undo()
    monkeypatch.setattr(checkpoint, "_compose", die)  # it is not written again
    next_event(a)
    monkeypatch.undo()
    assert story.recorded() == [name]
    counted = a.answers - 1
    with a.turn("More"):
        a.write("c.txt", "c\n")
    assert tokens(slot_of(story, a)) == answers(0, 1, 2)
    story.commit("Add c")
    assert tokens(slot_of(story, a)) == answers(*range(counted, a.answers))  # each is counted once
    assert a.state().get("files_touched", []) == []
    assert not story.path(".git/entire/pending.json").exists()
    assert story.log_errors() == []


# ---------------------------------------------------------------- two clones


def clone(story: Story) -> Story:
    """Return a second clone of the origin that ``story`` pushes to."""
    root = story.root.parent / "second"
    subprocess.run(["git", "clone", "-q", str(story.root.parent / "origin.git"), str(root)], check=True)
    other = Story.__new__(Story)
    other.root, other.projects, other.env = root, story.projects, story.env
    return other


@pytest.fixture
def origin(story: Story, linked: str) -> Path:
    path = story.root.parent / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    story.git("remote", "add", "origin", str(path))
    story.git("push", "-q", "--no-verify", "origin", "main", BRANCH)
    return path


def test_another_clone_finds_it(story: Story, linked: str, origin: Path) -> None:
    (name,) = story.recorded()
    other = clone(story)
    workspace = Workspace.find(other.root)
    assert workspace.history.commit(linked).checkpoint_ids == (name,)
    assert [view.id for view in workspace.history.explain(linked).checkpoints] == [name]


def test_a_rebase_in_another_clone_is_found_by_its_patch(story: Story, linked: str, a: Session, origin: Path) -> None:
    (name,) = story.recorded()
    other = clone(story)
    other.git("switch", "-q", "-c", "base", "HEAD~1")
    other.write("base.txt", "base\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "Base")
    other.git("switch", "-q", "main")
    other.git("rebase", "-q", "base")
    other.git("push", "-q", "--force", "origin", "main")
    story.git("fetch", "-q", "origin")
    a.prompt("Wait")
    story.git("reset", "-q", "--hard", "origin/main")
    a.stop()
    assert (story.recorded(), story.ids()) == ([name], [])


def test_the_clone_that_rebased_knows_it_too(story: Story, linked: str, origin: Path) -> None:
    (name,) = story.recorded()
    other = clone(story)
    other.git("switch", "-q", "-c", "base", "HEAD~1")
    other.write("base.txt", "base\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "Base")
    other.git("switch", "-q", "main")
    other.git("rebase", "-q", "base")
    assert Workspace.find(other.root).history.commit("HEAD").checkpoint_ids == (name,)


@pytest.mark.parametrize("hooks", [(), NO_HOOKS])
def test_the_clone_that_amended_knows_it_too(story: Story, linked: str, origin: Path, hooks: tuple[str, ...]) -> None:
    """No session has run there, so that git's hooks sleep."""
    (name,) = story.recorded()
    other = clone(story)
    other.write("mine.txt", "mine\n")
    other.git("add", "-A")
    for message in ("Amended", "And again"):
        other.git(*hooks, "commit", "-q", "--amend", "-m", message)
    assert Workspace.find(other.root).history.commit("HEAD").checkpoint_ids == (name,)


def test_two_clones_keep_the_entries_of_both(story: Story, linked: str, a: Session, origin: Path) -> None:
    from entire.store import sync

    other = clone(story)
    other.git("branch", "-q", BRANCH, f"origin/{BRANCH}")
    assert other.entire("enable", "--agent", "claude-code") == 0
    b = other.started()
    with b.turn("Make c"):
        b.write("c.txt", "c\n")
    theirs = hookless(other, "Add c")
    next_event(b)
    with a.turn("Make d"):
        a.write("d.txt", "d\n")
    ours = hookless(story, "Add d")
    next_event(a)
    found = {linked: story.recorded(linked), ours: story.recorded(ours), theirs: other.recorded(theirs)}
    assert all(len(ids) == 1 for ids in found.values())
    for place in (story, other):
        assert sync.push(str(place.root), "origin").failed == ""
    assert sync.fetch(str(story.root), "origin").failed == ""
    names = [
        story.git("ls-tree", "-r", "--name-only", f"origin/{BRANCH}:links"),
        other.git("ls-tree", "-r", "--name-only", f"origin/{BRANCH}:links"),
    ]
    for commit, ids in found.items():
        assert all(f"commits/{commit[:2]}/{commit[2:]}-000-{ids[0]}" in listing.split() for listing in names)
    assert json.loads(story.show(f"{found[ours][0][:2]}/{found[ours][0][2:]}/metadata.json"))


# ---------------------------------------------------------------- as if the hooks had run


def play(story: Story, seed: int, *, hooks: bool) -> list[tuple[list[str], tuple[int, ...]] | None]:
    """Play random turns, edits and partial commits; return what each commit's checkpoint says of the session."""
    chosen = random.Random(seed)
    session = story.started()
    made = []
    for number in range(7):
        name = chosen.choice(["a.txt", "b.txt", "c.txt"])
        old = story.read(name) if story.path(name).exists() else ""
        if chosen.random() < 0.6:
            with session.turn(f"Turn {number}"):
                session.write(name, f"{old}agent {number}\nmore {number}\n")
        else:
            story.write(name, f"person {number}\n{old}")
        if chosen.random() < 0.7:
            paths = [
                path for path in ("a.txt", "b.txt", "c.txt") if story.path(path).exists() and chosen.random() < 0.7
            ]
            story.git("add", *(paths or [name]))
            if story.git("diff", "--cached", "--name-only"):
                switched = () if hooks else NO_HOOKS
                story.git(*switched, "commit", "-q", "-m", f"Commit {number}", env={"ENTIRE_TEST_TTY": "1"})
                made.append(story.head())
    next_event(session)
    assert story.log_errors() == []
    linked = [commit for commit in made if story.ids(commit) or story.recorded(commit)]
    parts = {commit: slot_of(story, session, commit) for commit in linked}
    return [(parts[commit]["files_touched"], lines(parts[commit])) if commit in parts else None for commit in made]


@pytest.mark.parametrize("seed", range(5))
def test_commits_without_hooks_are_examined_as_with_hooks(tmp_path: Path, seed: int) -> None:
    seen = play(Story(tmp_path / "seen"), seed, hooks=True)
    unseen_ones = play(Story(tmp_path / "unseen"), seed, hooks=False)
    assert unseen_ones == seen
    assert seen
