"""Scenarios: every hook of the agent and of git is hurt; the agent and git go on as if nothing was."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Callable, Mapping

from tests.campaign import hurt
from tests.campaign.hurt import Ended, Fault
from tests.campaign.scenario import Scenario, Views, next_hook
from tests.campaign.truth import goes_on, picture, same
from tests.campaign.worlds import MINE, World, hook
from tests.integration.kept import check

_TASK = {"description": "d", "prompt": "p", "subagent_type": "t"}

# ---------------------------------------------------------------- the agent's


def _nothing(world: World) -> None:
    pass


def _before_prompt(world: World) -> None:
    world.story.write("mine.txt", "mine\nand more\n")
    world.a.prompt_id = str(uuid.uuid4())


def _in_turn(world: World) -> None:
    """Let a turn be at its end, with a commit of its own and work after that."""
    a = world.a
    a.prompt("With a commit")
    a.write("c.py", "c\n")
    os.environ["ENTIRE_TEST_TTY"] = "0"
    try:
        world.story.git("add", "c.py", "pkg")
        a.commit("By the agent", add=False)
    finally:
        os.environ["ENTIRE_TEST_TTY"] = "1"
    a.write("d.py", "d\n")
    a.answer({"type": "text", "text": "Done."})


def _subagent(world: World) -> None:
    a = world.a
    a.prompt("With a subagent")
    a.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=_TASK)
    a.write("sub.py", "sub\n")


def _open_turn(world: World) -> None:
    world.a.prompt("Open")
    world.a.write("o.py", "o\n")


_PREPARED: Mapping[str, Callable[[World], None]] = {
    "session-start": _nothing, "user-prompt-submit": _before_prompt, "stop": _in_turn, "session-end": _nothing,
    "pre-task": _open_turn, "post-task": _subagent, "subagent-stop": _subagent, "pre-compact": _open_turn,
}  # fmt: skip
_EXTRA: Mapping[str, dict[str, object]] = {
    "session-start": {"source": "resume"},
    "user-prompt-submit": {"prompt": "Next"},
    "stop": {"last_assistant_message": "Done.", "stop_hook_active": False},
    "session-end": {"reason": "other"},
    "pre-task": {"tool_name": "Agent", "tool_use_id": "toolu_2", "tool_input": _TASK},
    "post-task": {"tool_name": "Agent", "tool_use_id": "toolu_1", "tool_input": _TASK,
                  "tool_response": {"agentId": "f00d"}},
    "subagent-stop": {"agent_id": "f00d", "agent_type": "t", "background_tasks": [{"id": "f00d", "type": "subagent"}]},
    "pre-compact": {"trigger": "auto"},
}  # fmt: skip


def _agent_hook(verb: str) -> Scenario:
    def act(world: World, fault: Fault) -> Ended:
        return world.hook(world.a, verb, fault, **_EXTRA[verb])

    def then(world: World, ended: Ended, views: Views) -> str:
        polite(ended)
        same(picture(world), views.before)
        _go_on_with_turn(world, verb)
        next_hook(world, views)
        goes_on(world, broken=views.was_told)
        return "went by"

    return Scenario(verb, _PREPARED[verb], act, then, words=lambda world: hook(verb),
                    stdin=lambda world: world.payload(world.a, verb, **_EXTRA[verb]))  # fmt: skip


def polite(ended: Ended) -> None:
    """Check what an agent sees of a hook: success, and nothing that it does not understand."""
    assert ended.killed or ended.status == 0
    assert ended.err == b""
    if ended.out:
        assert "systemMessage" in json.loads(ended.out)


def _go_on_with_turn(world: World, verb: str) -> None:
    """Let the agent go on with its turn: it does not care what became of the hook."""
    a = world.a
    if verb == "user-prompt-submit":
        a.record("user", promptId=a.prompt_id, promptSource="sdk", message={"role": "user", "content": "Next"})
    if verb in ("user-prompt-submit", "pre-task", "post-task", "subagent-stop", "pre-compact"):
        a.write("after.py", "after\n")
        a.stop()


# ---------------------------------------------------------------- git's


def _stage_all(world: World) -> None:
    world.story.git("add", "-A")


def _stage_in_turn(world: World) -> None:
    _open_turn(world)
    _stage_all(world)


def _committing(name: str, *, in_turn: bool) -> Scenario:
    def act(world: World, fault: Fault) -> Ended:
        env, ended = hurt.in_git_hook(name, fault, world.folder / "bin")
        world.story.git("commit", "-q", "-m", "A commit", env=env)
        return ended()

    def then(world: World, ended: Ended, views: Views) -> str:
        story, before, now = world.story, views.before, picture(world)
        assert ended.killed or ended.status == 0
        assert before.head.split()[0] == story.git("rev-parse", "HEAD^^{tree}").strip()
        assert story.git("log", "-1", "--format=%s").strip() == "A commit"
        assert (now.files, now.index, now.transcripts) == (before.files, before.index, before.transcripts)
        if in_turn:
            world.a.stop()
        next_hook(world, views)
        if story.ids():
            paths = story.git("show", "--format=", "--name-only", "HEAD").split()
            check(story, "HEAD", sorted(set(paths) - MINE))
        goes_on(world, links=[world.a], broken=views.was_told)
        return "linked" if story.ids("HEAD^") else "not linked"

    return Scenario(name + (" in a turn" if in_turn else ""), _stage_in_turn if in_turn else _stage_all, act, then)


# ---------------------------------------------------------------- a push


def _with_remote(world: World) -> None:
    bare = world.base / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    world.story.git("remote", "add", "origin", str(bare))
    assert world.story.entire("enable", "--push-sessions") == 0
    world.story.git("push", "-q", "origin", "main")
    world.story.commit("All of it")


def _push(world: World, fault: Fault) -> Ended:
    env, ended = hurt.in_git_hook("pre-push", fault, world.folder / "bin")
    world.story.git("push", "-q", "origin", "main", env=env)
    return ended()


def _pushed(world: World, ended: Ended, views: Views) -> str:
    story = world.story
    assert ended.killed or ended.status == 0
    assert story.git("ls-remote", "origin", "refs/heads/main").split()[0] == story.head()
    now = picture(world)
    assert (now.files, now.index, now.head) == (views.before.files, views.before.index, views.before.head)
    next_hook(world, views)
    went = _remote_checkpoints(world) == story.git("rev-parse", "entire/checkpoints/v1").strip()
    goes_on(world, links=[world.a], broken=views.was_told)
    story.git("push", "-q", "origin", "main")
    assert _remote_checkpoints(world) == story.git("rev-parse", "entire/checkpoints/v1").strip()
    return "pushed" if went else "pushed next time"


def _remote_checkpoints(world: World) -> str:
    found = world.story.git("ls-remote", "origin", "refs/heads/entire/checkpoints/v1").split()
    return found[0] if found else ""


SCENARIOS = (
    *(_agent_hook(verb) for verb in _PREPARED),
    *(_committing("prepare-commit-msg", in_turn=in_turn) for in_turn in (False, True)),
    *(_committing("post-commit", in_turn=in_turn) for in_turn in (False, True)),
    Scenario("pre-push", _with_remote, _push, _pushed),
)
