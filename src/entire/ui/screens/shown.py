"""What ``show`` and ``explain`` print: pages of checkpoints, sessions, turns and open work, with conversations."""

from __future__ import annotations

from entire.errors import EntireError
from entire.model.value import Value
from entire.ui.console import diffs, text
from entire.ui.console.line_layout import Layout
from entire.ui.screens import checkpoint_page, linking, pages
from entire.ui.screens.checkpoint_page import Page
from entire.ui.screens.conversation import Renderer, name, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.conversations import ConversationPart, ShownView
    from entire.ui.console.text import Style

NONE = "No associated Entire checkpoint"
_SOURCES = {"agent": "the agent's own transcript", "step": "the newest step"}
_DIFF_LINES = 200


class Form(Value):
    """Which parts of an answer are printed."""

    has_page: bool = True
    has_prompts: bool = True  # on the page, apart from the conversation
    has_attribution: bool = True
    has_conversation: bool = True
    is_full: bool = False  # tool calls are unfolded, long texts are not cut


class Printer:
    """Prints answers in one form, style and width; 0: as wide as they are."""

    def __init__(self, form: Form, style: Style, width: int = 0) -> None:
        self._form = form
        self._layout = Layout(style, width)
        self._renderer = Renderer(self._layout, full=form.is_full)

    def lines(self, view: ShownView) -> Iterator[str]:
        """Yield an answer's lines."""
        if view.checkpoints:
            yield from self._checkpoints(view)
        elif view.kind == "commit":
            yield from (piece for line in _unlinked(view) for piece in self._layout.wrapped(line))
        elif view.kind == "uncommitted":
            yield from self._uncommitted(view)
        elif view.kind == "subagent":
            yield from self._subagent(view.conversations[0])
        else:
            for part in view.conversations:
                yield from self._session(part, view.kind)

    # ------------------------------------------------------------ checkpoints

    def _checkpoints(self, view: ShownView) -> Iterator[str]:
        form = self._form
        shown = view.conversations if form.has_conversation else ()
        turns = {(part.session_id, turn.turn): turn.number for part in shown for turn in part.turns}
        page = Page(has_prompts=form.has_prompts, has_attribution=form.has_attribution, is_full=form.is_full,
                    turns={} if form.has_prompts else turns)  # fmt: skip
        for number, checkpoint in enumerate(view.checkpoints):
            if number:
                yield ""
            if form.has_page:
                yield from checkpoint_page.lines(checkpoint, self._layout, page)
            for part in shown:
                if part.checkpoint_id == checkpoint.id:
                    yield ""
                    yield from self._layout.heading(f"Conversation of session {text.plain(part.session_id)}")
                    yield from self._conversation(part)
        for checkpoint_id in view.missing:
            yield ""
            yield from self._layout.wrapped(
                f"The commit message also names checkpoint {checkpoint_id}, which {_fate(view, checkpoint_id)}."
            )

    # ------------------------------------------------------------ sessions

    def _session(self, part: ConversationPart, kind: str) -> Iterator[str]:
        if self._form.has_page:
            agent = text.one_line(part.agent, 60) or "unknown agent"
            yield from self._layout.heading(f"Session {text.plain(part.session_id)} ({agent})")
            yield from self._layout.table(_facts(part, kind))
        if self._form.has_conversation:
            yield from self._conversation(part)
            return
        for turn in part.turns:
            line = f"  {turn.number}. {text.moment(turn.started)}  {text.one_line(turn.prompt, 200)}"
            yield self._layout.fitted(line).rstrip()

    def _conversation(self, part: ConversationPart) -> Iterator[str]:
        yield from self._renderer.lines(part)
        calls = {message.call.id for message in part.messages or () if message.call is not None}
        for agent in part.subagents:
            if agent.tool_use_id not in calls:
                yield ""
                yield from self._renderer.subagent(agent, part.session_id, by="  ")

    def _subagent(self, part: ConversationPart) -> Iterator[str]:
        agent = part.subagents[0]
        yield from self._layout.heading(f"Subagent {title(agent)}")
        session = f"{text.plain(part.session_id)} ({text.one_line(part.agent, 60)})"
        yield from self._layout.table([("Session", session), ("Name", name(agent, part.session_id))])
        if not agent.messages:
            yield "  (no readable transcript)"
        elif self._form.has_conversation:
            yield from self._renderer.of_subagent(agent, part.session_id)

    # ------------------------------------------------------------ uncommitted work

    def _uncommitted(self, view: ShownView) -> Iterator[str]:
        if not view.conversations:
            yield "No session has uncommitted work here."
        for number, part in enumerate(view.conversations):
            if number:
                yield ""
            yield from self._session(part, view.kind)
        if view.diff:
            yield ""
            yield from self._layout.heading("Changes")
            limit = 0 if self._form.is_full else _DIFF_LINES
            data = view.diff.encode("utf-8", "surrogateescape")
            for line, kind in diffs.lines(data, limit):
                shown = self._layout.fitted(line).rstrip()
                yield self._layout.style(shown, kind) if kind else shown


def _facts(part: ConversationPart, kind: str) -> Iterator[tuple[str, str]]:
    if part.started:
        lasted = f" ({text.duration(part.ended - part.started)})" if part.ended > part.started else ""
        yield "Started", text.moment(part.started) + lasted
    if part.phase:
        yield "State", pages.PHASES.get(part.phase, part.phase)
    if part.source in _SOURCES:
        yield "From", _SOURCES[part.source]
    if part.checkpoint_ids and kind == "session":
        newest = ", ".join(part.checkpoint_ids[:-6:-1])
        older = len(part.checkpoint_ids) - 5
        yield "Checkpoints", newest + (f" and {older} older" if older > 0 else "")
    if part.open_files:
        yield "Uncommitted", pages.path_list(part.open_files)
    if part.files and kind == "session" and part.files != part.open_files:
        yield "Files", pages.path_list(part.files)
    yield from _models(part)
    if kind == "turn" and part.turns:
        turn = part.turns[0]
        yield "Turn", f"{turn.number}" + (f" ({text.one_line(turn.turn, 40)})" if turn.turn else "")
        if turn.tokens is not None:
            yield "Tokens", checkpoint_page.tokens(turn.tokens)
    elif part.turns:
        yield "Prompts", f"{len(part.turns):,}"


def _models(part: ConversationPart) -> Iterator[tuple[str, str]]:
    models = dict.fromkeys(turn.model for turn in part.turns if turn.model)
    if models:
        yield "Model", text.one_line(", ".join(models), 80)
    for number, (model, used) in enumerate(part.models.items() if len(part.models) > 1 else ()):
        name = text.one_line(model, 40) or "unknown model"
        yield "" if number else "By model", f"{name}: {checkpoint_page.tokens(used)}"


def _unlinked(view: ShownView) -> Iterator[str]:
    if view.commit is not None:
        yield f"{NONE} for {view.commit.oid[:7]} {text.one_line(view.commit.subject)}"
    for checkpoint_id in view.missing:
        yield f"Its message names checkpoint {checkpoint_id}, which {_fate(view, checkpoint_id)}."
    if view.reason:
        yield f"Reason: {text.plain(view.reason)}"
        remedy = linking.remedy(view.reason, view.commit.oid) if view.commit is not None else ""
        if remedy:
            yield f"Remedy: {remedy}"


def _fate(view: ShownView, checkpoint_id: str) -> str:
    """Say why a checkpoint cannot be shown."""
    day = view.forgotten.get(checkpoint_id)
    return f"was forgotten on {day}" if day else "is not stored here"


def check(view: ShownView) -> None:
    """Raise EntireError if git lacks a part of a conversation: it was shown without it."""
    lost = next((part for part in view.conversations if part.hint), None)
    if lost is not None:
        raise EntireError(lost.problem, hint=lost.hint)
