"""Scenarios: the end of a turn that commits is hurt; HEAD and the index are both as before or both as after, and the
next turn's commit has what this one lacks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.campaign import hurt
from tests.campaign.hooks import polite
from tests.campaign.hurt import Ended, Fault
from tests.campaign.scenario import Scenario, Views
from tests.campaign.truth import Told, counted, go_on_from_file, numbers, picture, said_in, sound
from tests.campaign.worlds import World, hook
from tests.integration.story import Session

_TASK = {"description": "Write a note", "prompt": "p", "subagent_type": "general-purpose"}
_STOP: dict[str, object] = {"last_assistant_message": "Done.", "stop_hook_active": False}
_SUBAGENT: dict[str, object] = {"tool_name": "Agent", "tool_use_id": "toolu_1", "tool_input": _TASK,
                                "tool_response": {"agentId": "f00d"}}  # fmt: skip


def _session(world: World) -> Session:
    """Return the session whose turn ends."""
    session: Session = world.notes.get("session", world.a)
    return session


def _git(world: World, *args: str, ok: bool = True) -> str:
    """Ask git something in the session's worktree, without letting it refresh the index."""
    done = subprocess.run(["git", *args], cwd=_session(world).cwd, capture_output=True, text=True, check=False,
                          env={**world.story.env, "GIT_OPTIONAL_LOCKS": "0"})  # fmt: skip
    assert done.returncode == 0 or not ok, (args, done.stderr)
    return done.stdout


def _tree_and_index(world: World) -> tuple[str, str]:
    return _git(world, "ls-tree", "-r", "HEAD", ok=False), _git(world, "ls-files", "-s")


def _commits(world: World) -> int:
    return int(_git(world, "rev-list", "--count", "HEAD", ok=False) or 0)


# ---------------------------------------------------------------- before it


def _choose(world: World) -> None:
    """Switch to auto-commit, and let all that is open be committed."""
    story = world.story
    assert story.entire("enable", "--strategy", "auto-commit", "--project") == 0
    story.git("commit", "-q", "-m", "Choose auto-commit", "--", ".entire/settings.json")
    with world.a.turn("Before"):
        world.a.write("before.py", "before\n")
    assert story.git("log", "-1", "--format=%s") == "Before\n"


def _write(world: World) -> None:
    session = _session(world)
    session.prompt("Commit it")
    session.write(str(session.cwd / "c.py"), "c\n")  # not by a shell: each restored file has a new change time
    world.notes["commits"] = _commits(world)


def _turn(world: World) -> None:
    _choose(world)
    _write(world)
    (world.story.root / "before.py").unlink()
    world.a.answer({"type": "text", "text": "Done."})


def _subagent(world: World) -> None:
    _choose(world)
    world.a.prompt("With a subagent")
    world.a.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=_TASK)
    world.a.write("c.py", "c\n")
    world.notes["commits"] = _commits(world)


def _first_commit(world: World) -> None:
    _choose(world)
    world.story.git("checkout", "-q", "--orphan", "fresh")
    world.story.git("rm", "-q", "-f", "-r", "--cached", ".")
    world.story.git("add", "staged.txt")
    _write(world)
    world.a.answer({"type": "text", "text": "Done."})


def _worktree(world: World) -> None:
    _choose(world)
    side = world.base / "side"
    world.story.git("worktree", "add", "-q", "-b", "side", str(side))
    session = world.notes["session"] = world.story.session()
    session.cwd = side
    session.start()
    (side / "mine.txt").write_text("mine\n")
    world.story.git("-C", str(side), "add", "mine.txt")
    _write(world)
    session.answer({"type": "text", "text": "Done."})
    world.notes["answers"] = session.answers


# ---------------------------------------------------------------- the fault, and what must be true


def _ending(name: str, prepare: Callable[[World], None], verb: str, extra: dict[str, object]) -> Scenario:
    def act(world: World, fault: Fault) -> Ended:
        session = _session(world)
        session.answers = world.notes.get("answers", session.answers)
        return hurt.call(hook(verb), session.cwd, world.payload(session, verb, **extra), fault)

    def then(world: World, ended: Ended, views: Views) -> str:
        polite(ended)
        now, before = picture(world), views.before
        assert (now.files, now.transcripts, now.hooks, now.config) == (
            before.files, before.transcripts, before.hooks, before.config)  # fmt: skip
        assert isinstance(views.own_before, tuple) and isinstance(views.own_after, tuple)
        for found, *allowed in zip(_tree_and_index(world), views.own_before, views.own_after, strict=True):
            assert found in allowed, "neither as before nor as after"
        _git(world, "status", "--porcelain")
        _next_hook(world, views)
        assert _tree_and_index(world) in (views.own_before, views.own_after), "HEAD and the index do not agree"
        is_made = _commits(world) > world.notes["commits"]
        assert is_made == (_tree_and_index(world) == views.own_after)
        _go_on(world, views, is_subagent=verb == "post-task")
        return "as after" if is_made else "as before"

    return Scenario(name, prepare, act, then, own=_tree_and_index, words=lambda world: hook(verb),
                    stdin=lambda world: world.payload(_session(world), verb, **extra))  # fmt: skip


def _next_hook(world: World, views: Views) -> None:
    """Let a session begin in this worktree; then everything is whole."""
    told, other = Told(world), world.story.session()
    other.cwd = Path(_session(world).cwd)
    other.start()
    sound(world, broken=views.was_told)
    told.none()


def _go_on(world: World, views: Views, *, is_subagent: bool) -> None:
    """Let the agent go on: its next commit has the rest, nothing twice, and each answer is counted once."""
    told, session = Told(world), _session(world)
    go_on_from_file(session)
    if not is_subagent:
        session.prompt("Last")
    path = os.path.join(session.cwd, "last.py")
    with session.shell():
        Path(path).write_text("last\n")
    session.stop()
    blob = _git(world, "hash-object", path).strip()
    assert isinstance(views.own_after, tuple)
    tree, index = (set(listed.splitlines()) for listed in _tree_and_index(world))
    assert tree == {*views.own_after[0].splitlines(), f"100644 blob {blob}\tlast.py"}
    assert index == {*views.own_after[1].splitlines(), f"100644 {blob} 0\tlast.py"}
    assert numbers(counted(world.story, session)) == said_in(session.file)
    sound(world, broken=views.was_told)
    told.none()


SCENARIOS = (
    _ending("stop, committing", _turn, "stop", _STOP),
    _ending("post-task, committing", _subagent, "post-task", _SUBAGENT),
    _ending("stop, with a first commit", _first_commit, "stop", _STOP),
    _ending("stop, committing in a linked worktree", _worktree, "stop", _STOP),
)
