"""What the stories with a real agent have in common: their turns and what must be true in git afterwards.

Each answer of the model reports its own power of two as input tokens, so a sum tells which answers were counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from claude import Claude
from repo import CHECKPOINTS, Checkpoint, Repo, Session
from script import Answer, Request, Turn, Usage, answer, text, tool, turn

if TYPE_CHECKING:
    from conftest import World


def cost(number: int) -> Usage:
    """Return the tokens of the answer with this number."""
    return Usage(input=1 << number, output=3 << number, cache_read=5 << number, cache_creation=7 << number)


def tokens(*numbers: int) -> dict[str, int]:
    """Return what a checkpoint must count for the answers with these numbers."""
    total = sum((cost(n) for n in numbers), Usage())
    return {
        "input_tokens": total.input,
        "cache_creation_tokens": total.cache_creation,
        "cache_read_tokens": total.cache_read,
        "output_tokens": total.output,
        "api_call_count": len(numbers),
    }


def writing(world: World, prompt: str, name: str, content: str, first: int) -> Turn:
    """Return a turn that writes one file with the agent's tool; its answers have the numbers first and first + 1."""
    call = world.agent.write(world.path(name), content)
    return turn(
        prompt,
        answer(text("I write it."), call, usage=cost(first)),
        answer(text(f"{prompt}: done"), usage=cost(first + 1)),
    )


def shell(command: str, number: int) -> Answer:
    """Return an answer that runs a shell command."""
    return answer(tool("Bash", command=command, description="Work in the shell"), usage=cost(number))


def said(transcript: bytes) -> list[str]:
    """Return the texts of the assistant in a transcript of Claude Code."""
    return Claude.said(transcript)


def assert_up_to(world: World, session: str, transcript: bytes, last: str) -> None:
    """Assert that a stored transcript is the agent's own file, byte for byte, through the record with this text."""
    own = world.claude.transcript(session).read_bytes()
    assert own.startswith(transcript)
    assert transcript.endswith(b"\n") or own[len(transcript) : len(transcript) + 1] in (b"", b"\n")
    assert said(transcript)[-1] == last


def prompt_line(world: World, session: str, prompt: str) -> int:
    """Return how many lines stand before the record of a prompt."""
    found = world.agent.prompt_line(session, prompt)
    assert found >= 0, f"{prompt!r} is not in the transcript"
    return found


def lines(session: Session) -> tuple[int, int, float]:
    """Return the agent's lines, the person's and the agent's share in percent."""
    found = session.metadata["initial_attribution"]
    assert found["total_committed"] >= found["agent_lines"] + found["human_added"] + found["human_modified"]
    return found["agent_lines"], found["human_added"] + found["human_modified"], found["agent_percentage"]


def only(checkpoint: Checkpoint, session: str) -> Session:
    """Return the one session of a checkpoint, which must be this."""
    assert [s.id for s in checkpoint.sessions] == [session]
    found = checkpoint.session(session)
    assert found.metadata["agent"] == "Claude Code"
    assert found.metadata["branch"] == "main"
    return found


def assert_quiet(repo: Repo) -> None:
    """Assert that nothing is left over: a clean worktree, no step branch, one checkpoint for each link."""
    assert repo.git("status", "--porcelain") == ""
    assert repo.refs() == [CHECKPOINTS]
    linked = {i for commit in repo.git("rev-list", "--all", "--not", CHECKPOINTS).split() for i in repo.all_ids(commit)}
    assert sorted(linked) == repo.checkpoint_ids()


def assert_recorded(repo: Repo, checkpoint: Checkpoint, agent: str = "Claude Code") -> None:
    """Assert that the branch's history tells of the checkpoint and its sessions."""
    messages = repo.git("log", "--format=%B%x00", CHECKPOINTS).split("\0")
    told = [m for m in messages if m.strip().startswith(f"Checkpoint: {checkpoint.id}\n")]
    assert {s.id for s in checkpoint.sessions} == set(
        re.findall(r"^Entire-Session: (\S+)$", "\n".join(told), re.MULTILINE)
    )
    assert all(f"\nEntire-Strategy: manual-commit\nEntire-Agent: {agent}\n" in m for m in told)


def dialogue(request: Request) -> list[str]:
    """Return what was said in a conversation that an agent sends: prompts behind ``> ``, then the model's words."""
    return [
        f"> {words}" if message.role == "user" else words
        for message in request.conversation
        if message.role in ("user", "assistant")
        for words in message.texts
    ]


def asked(request: Request) -> list[str]:
    """Return the prompts in a conversation that an agent sends."""
    return [message.texts[-1] for message in request.conversation if message.role == "user" and message.texts]
