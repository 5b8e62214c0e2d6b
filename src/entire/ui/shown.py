"""What ``show`` and ``explain`` print: pages of checkpoints, sessions, turns and open work, with conversations."""

from __future__ import annotations

from entire.model.value import Value
from entire.ui import checkpoint_page, diffs, pages, text, wrapping
from entire.ui.conversation import Renderer, name, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.conversations import ConversationPart, ShownView
    from entire.ui.text import Style

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
        self._style = style
        self._width = width
        self._renderer = Renderer(style, width, full=form.is_full)

    def lines(self, view: ShownView) -> Iterator[str]:
        """Yield an answer's lines."""
        if view.checkpoints:
            yield from self._checkpoints(view)
        elif view.kind == "commit":
            yield from _unlinked(view)
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
        for number, checkpoint in enumerate(view.checkpoints):
            if number:
                yield ""
            if form.has_page:
                yield from checkpoint_page.page(
                    checkpoint, self._style, has_prompts=form.has_prompts, has_attribution=form.has_attribution,
                    full=form.is_full,
                )  # fmt: skip
            for part in view.conversations if form.has_conversation else ():
                if part.checkpoint_id == checkpoint.id:
                    yield ""
                    yield self._style(f"Conversation of session {text.plain(part.session_id)}", "bold")
                    yield from self._conversation(part)
        for checkpoint_id in view.missing:
            yield ""
            yield f"The commit message also names checkpoint {checkpoint_id}, which is not stored here."

    # ------------------------------------------------------------ sessions

    def _session(self, part: ConversationPart, kind: str) -> Iterator[str]:
        if self._form.has_page:
            yield from self._heading(part)
            yield from self._table(_facts(part, kind))
        if self._form.has_conversation:
            yield from self._conversation(part)
        else:
            yield from self._prompts(part)

    def _heading(self, part: ConversationPart) -> Iterator[str]:
        yield self._style(f"Session {text.plain(part.session_id)}", "bold") + (
            f" ({text.one_line(part.agent, 60) or 'unknown agent'})"
        )

    def _table(self, rows: Iterator[tuple[str, str]]) -> Iterator[str]:
        yield from (self._fitted(line) for line in text.table(rows, lead="  "))

    def _prompts(self, part: ConversationPart) -> Iterator[str]:
        for turn in part.turns:
            when = text.moment(turn.started)
            yield self._fitted(f"  {turn.number}. {when}  {text.one_line(turn.prompt, 200)}")

    def _conversation(self, part: ConversationPart) -> Iterator[str]:
        yield from self._renderer.lines(part)
        calls = {message.call.id for message in part.messages or () if message.call is not None}
        for agent in part.subagents:
            if agent.tool_use_id not in calls:
                yield ""
                yield from self._renderer.subagent(agent, part.session_id, by="  ")

    def _subagent(self, part: ConversationPart) -> Iterator[str]:
        agent = part.subagents[0]
        yield self._style(f"Subagent {title(agent)}", "bold")
        yield from self._table(iter([("Session", f"{text.plain(part.session_id)} ({text.one_line(part.agent, 60)})"),
                                     ("Name", name(agent, part.session_id))]))  # fmt: skip
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
            yield self._style("Changes", "bold")
            limit = 0 if self._form.is_full else _DIFF_LINES
            data = view.diff.encode("utf-8", "surrogateescape")
            yield from (self._style(line, kind) if kind else line for line, kind in diffs.lines(data, limit))

    def _fitted(self, line: str) -> str:
        return wrapping.fit(line, self._width) if self._width else line


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
    models = dict.fromkeys(turn.model for turn in part.turns if turn.model)
    if models:
        yield "Model", text.one_line(", ".join(models), 80)
    if kind == "turn" and part.turns:
        turn = part.turns[0]
        yield "Turn", f"{turn.number}" + (f" ({text.one_line(turn.turn, 40)})" if turn.turn else "")
        if turn.tokens is not None:
            yield "Tokens", checkpoint_page.tokens(turn.tokens)
    elif part.turns:
        yield "Prompts", f"{len(part.turns):,}"


def _unlinked(view: ShownView) -> Iterator[str]:
    if view.commit is not None:
        yield f"{NONE} for {view.commit.oid[:7]} {text.one_line(view.commit.subject)}"
    for checkpoint_id in view.missing:
        yield f"Its message names checkpoint {checkpoint_id}, which is not stored here."
    if view.reason:
        yield f"Reason: {text.plain(view.reason)}"
