"""What every situation proves of a linked commit, with plain git and the agent's own files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo import Checkpoint, Session, joined
from script import Usage
from stories import cost, lines, prompt_line

if TYPE_CHECKING:
    from conftest import World


@dataclass(frozen=True, kw_only=True)
class Part:
    """What a checkpoint must hold of a session.

    `answers` are the numbers of the model's answers whose tokens it counts; `lines` the agent's, the person's and the
    agent's share in percent; `last` the text of the model with which the transcript ends, or empty.
    """

    files: Sequence[str]
    prompts: Sequence[str]
    answers: Iterable[int]
    lines: tuple[int, int, float]
    last: str


def linked(world: World, commit: str, *, by_agent: bool = False) -> Checkpoint:
    """Return the one checkpoint of a commit, which must be linked as commits of its maker are."""
    named, recorded = world.repo.ids(commit), world.repo.recorded_ids(commit)
    is_seen = not by_agent or world.agent.runs_git_hooks
    found, other = (named, recorded) if is_seen else (recorded, named)
    assert (len(found), other) == (1, []), (named, recorded)
    return world.repo.checkpoint(found[0])


def tokens_of(world: World, checkpoint: Checkpoint, session: str) -> dict[str, int]:
    """Return those counters of a session that its agent tells; the others must be unknown or nothing."""
    return _told(world, checkpoint.session(session).tokens)


def _told(world: World, found: dict[str, int]) -> dict[str, int]:
    told = world.agent.counters(Usage(), 0)
    assert not any(value for name, value in found.items() if name not in told)
    return {name: found[name] for name in told}


def _spent(world: World, numbers: Iterable[int]) -> dict[str, int]:
    numbers = list(numbers)
    return world.agent.counters(sum((cost(n) for n in numbers), Usage()), len(numbers))


def assert_part(
    world: World,
    checkpoint: Checkpoint,
    session: str,
    part: Part,
    *,
    since: str = "",
    alone: bool = True,
    branch: str = "main",
    subagents: Iterable[int] = (),
    own: bytes | None = None,
    secret: tuple[str, str] | None = None,
) -> Session:
    """Assert what a checkpoint holds of a session, which begins there with the prompt `since` (or its first).

    `alone`: it is the only session. `own`: what the agent's file was, if it is gone. `secret`: one, and its mark.
    """
    found = checkpoint.session(session)
    assert not alone or [s.id for s in checkpoint.sessions] == [session]
    assert (found.metadata["agent"], found.metadata["branch"]) == (world.agent.type, branch)
    assert found.metadata["files_touched"] == list(part.files)
    assert found.prompts == list(part.prompts)
    assert tokens_of(world, checkpoint, session) == _spent(world, part.answers)
    assert _told(world, found.subagent_tokens) == _spent(world, subagents)
    assert lines(found) == part.lines
    assert found.start == (prompt_line(world, session, since) if since else 0)
    assert_stored(world, session, found.transcript, part.last, own=own, secret=secret)
    return found


def assert_stored(
    world: World,
    session: str,
    transcript: bytes,
    last: str,
    *,
    own: bytes | None = None,
    secret: tuple[str, str] | None = None,
) -> None:
    """Assert that a stored transcript is the agent's own file, redacted, through the record with this text."""
    own = world.agent.transcript(session).read_bytes() if own is None else own
    own = own.replace(secret[0].encode(), secret[1].encode()) if secret else own
    assert transcript
    assert world.agent.begins(own, transcript)
    assert not last or world.agent.said(transcript)[-1] == last


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a session's one subagent left: the calls known to have started it, its id and its transcript."""

    session: str
    calls: list[str]
    agent: str
    transcript: bytes


def task_of(world: World, session: str) -> Task:
    """Return what a session's one subagent left."""
    ((agent, path),) = world.agent.subagents(session).items()
    calls = world.agent.subagent_calls(session)
    return Task(session=session, calls=calls, agent=agent, transcript=path.read_bytes())


def assert_task(world: World, checkpoint: Checkpoint, task: Task) -> None:
    """Assert that a subagent and its whole transcript are in a checkpoint."""
    (folder,) = {path.split("/")[1] for path in checkpoint.files if path.startswith("tasks/")}
    assert task.calls in ([], [folder])
    record = json.loads(checkpoint.files[f"tasks/{folder}/checkpoint.json"])
    assert (record["session_id"], record["tool_use_id"], record["agent_id"]) == (task.session, folder, task.agent)
    stored = joined(checkpoint.files, f"tasks/{folder}/agent-{task.agent}.jsonl")
    assert world.agent.begins(task.transcript, stored)
    assert world.agent.said(stored)[-1] == "note written"
