"""Asks an agent's model for a summary of each session of a checkpoint, and stores the answers."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading

from entire.agents import capabilities
from entire.errors import EntireError
from entire.model.ids import CheckpointId
from entire.model.records import Summary
from entire.model.value import replace
from entire.queries import checkpoints
from entire.store import summaries
from entire.store.summaries import NewSummary
from entire.summaries import answer, prompt, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from entire.agents.contract import Agent
    from entire.directory import AgentDirectory
    from entire.model.requests import SummaryRequest
    from entire.model.views.checkpoints import CheckpointView, PartView
    from entire.recording.context import Context
    from entire.store.catalog import Catalog

    Progress = Callable[[str], None]

MARK = "ENTIRE_SUMMARY"
"""The environment variable that names the file of ``_hooks_silenced``; hooks look for it."""
_AGAIN_SECONDS = 5.0  # ending a program takes a moment


class _TimeOver(BaseException):
    """Not an Exception, so no agent takes it for an error of its own."""


def generate(context: Context, catalog: Catalog, request: SummaryRequest, progress: Progress) -> dict[str, str]:
    """Write the summaries that a checkpoint's sessions lack, or with ``force`` all of them.

    Returns which agent wrote each, by session. All are asked for before one is written, so nothing changes if a
    model fails or the user interrupts.
    """
    checkpoint = checkpoints.find(catalog, request.checkpoint)
    asked = _prompts(catalog, checkpoint, request)
    with _hooks_silenced():
        writers = {part.session_id: _writer(context.agents, request.agent, part.agent) for part, _ in asked}
        answers = {part.session_id: _answer(context, writers[part.session_id], part, text, request, progress)
                   for part, text in asked}  # fmt: skip
    written = {}
    for session_id, summary in answers.items():
        new = NewSummary(checkpoint_id=CheckpointId(checkpoint.id), session_id=session_id,
                         summary=summaries.redacted(summary, context.redactor), replaces=request.force)  # fmt: skip
        if summaries.write(context.place.top, context.objects, new, context.author()):
            written[session_id] = writers[session_id].type
    return written


def _prompts(catalog: Catalog, checkpoint: CheckpointView, request: SummaryRequest) -> list[tuple[PartView, str]]:
    lacking = [part for part in checkpoint.parts if request.force or part.summary in (None, Summary())]
    digests = {part.session_id: part for part in reading.of_checkpoint(catalog, checkpoint).parts} if lacking else {}
    asked = []
    for part in (replace(part, digest=digests.get(part.session_id)) for part in lacking if part.session_id):
        messages = checkpoints.messages(catalog, checkpoint.id, part.session_id, part.start)
        if prompt.has_content(part, messages):
            asked.append((part, prompt.compose(part, messages, catalog.redactor)))
    if lacking and not asked:
        raise EntireError(f"checkpoint {checkpoint.id} holds no prompt and no conversation to summarize")
    return asked


def _writer(agents: AgentDirectory, name: str, agent_type: str) -> Agent:
    """Return the agent that writes: the one named, else the session's own, else the only one that can."""
    if name:
        agent = agents.make(name)
        if capabilities.text_generator(agent) is None:
            raise EntireError(f"{agent.type} cannot write summaries", hint=_hint(_able(_writers(agents))))
        return agent
    own = agents.make_by_type(agent_type)
    if own is not None and capabilities.text_generator(own) is not None and not _problem(own):
        return own
    writers = _writers(agents)
    able = _able(writers)
    if len(able) == 1:
        return able[0]
    lacking = "; ".join(f"{agent.type}: {_problem(agent)}" for agent in writers)
    none = "no agent here can write summaries" + (f" ({lacking})" if lacking else "")
    raise EntireError("several agents can write summaries" if able else none, hint=_hint(able))


def _writers(agents: AgentDirectory) -> list[Agent]:
    return [agent for agent in agents.agents() if capabilities.text_generator(agent) is not None]


def _able(writers: Sequence[Agent]) -> list[Agent]:
    return [agent for agent in writers if not _problem(agent)]


def _problem(agent: Agent) -> str:
    """Return what keeps an agent's model from being asked here; '' if nothing is known to."""
    ask = getattr(agent, "text_problem", None)
    return str(ask()) if ask is not None else ""


def _hint(able: Sequence[Agent]) -> str:
    if able:
        return "choose one with --with: " + ", ".join(agent.name for agent in able)
    return (
        "install such an agent, or allow a plugin with the capability text_generator; `entire plugin list` shows"
        " what is installed"
    )


def _answer(
    context: Context, agent: Agent, part: PartView, text: str, request: SummaryRequest, progress: Progress
) -> Summary:
    progress(f"{agent.type} is summarizing session {part.session_id[:8]} (at most {_duration(request.seconds)})")
    try:
        return answer.parse(_ask(agent, text, request), context.redactor)
    except EntireError as error:
        hint = error.hint or "try again, or choose another agent or model with --with and --model"
        raise EntireError(f"{error.message}; nothing was changed", hint=hint) from error


def _ask(agent: Agent, text: str, request: SummaryRequest) -> str:
    """Return the model's answer. An agent may come from anywhere: what it raises, or returns, may be anything."""
    generator = capabilities.text_generator(agent)
    assert generator is not None
    try:
        with _time_limit(request.seconds):
            reply: object = generator.generate_text(text, request.model)
    except _TimeOver:
        raise EntireError(f"{agent.type} did not answer within {_duration(request.seconds)}") from None
    except EntireError:
        raise
    except Exception as error:
        raise EntireError(f"{agent.type} failed: {type(error).__name__}: {error}") from error
    if not isinstance(reply, str) or not reply.strip():
        raise EntireError(f"{agent.type} answered nothing")
    return reply


@contextlib.contextmanager
def _hooks_silenced() -> Iterator[None]:
    """Mark the programs that are started now: the model's may be the agent, and its conversation is not a session.

    The mark is a file, so it ends for programs that stay, too.
    """
    with tempfile.NamedTemporaryFile(prefix="entire-summary-") as mark:
        os.environ[MARK] = mark.name
        try:
            yield
        finally:
            os.environ.pop(MARK, None)


def _duration(seconds: float) -> str:
    return f"{seconds:g} second{'s' * (seconds != 1)}"


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, again and again until it gives up.

    Only the main thread can be interrupted; elsewhere, agents keep their own limits.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def interrupt(_: int, __: FrameType | None) -> None:
        raise _TimeOver

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
