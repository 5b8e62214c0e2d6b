"""Conversations as lines of text: prompts and answers, tool calls folded to a line each, diffs of edits, subagents."""

from __future__ import annotations

from entire.model.value import Value
from entire.ui.console import markdown, text, wrapping
from entire.ui.screens import edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.model.conversations import ConversationPart, SubagentView, TurnView
    from entire.model.transcripts import ToolCall
    from entire.model.views.checkpoints import MessageView
    from entire.ui.console.line_layout import Layout

_SUBJECT = 100  # characters of a tool call on one line


class DisplayLimits(Value):
    """How many lines and characters of each text are shown, and how to see the rest."""

    said: int
    diff: int
    output: int
    characters: int
    hint: str


FOLDED = DisplayLimits(said=60, diff=12, output=0, characters=20_000, hint="--full shows all")
UNFOLDED = DisplayLimits(said=5_000, diff=2_000, output=2_000, characters=500_000, hint="--full --json shows all")


class Renderer:
    """Renders conversations; in a layout without width, Markdown stays as it was written."""

    def __init__(self, layout: Layout, *, full: bool, asker: str = "You") -> None:
        self._layout = layout
        self._style = layout.style
        self._width = layout.width
        self._full = full
        self._asker = asker
        self._limits = UNFOLDED if full else FOLDED

    def lines(self, part: ConversationPart) -> Iterator[str]:
        """Yield a conversation, each prompt with its turn."""
        turns = {turn.position: turn for turn in reversed(part.turns)}
        subagents = {agent.tool_use_id: agent for agent in part.subagents if agent.tool_use_id}
        if not part.messages:
            why = "; ".join(filter(None, (part.problem, part.hint)))
            yield f"  ({text.one_line(why, 300) or 'no readable transcript'})"
            for turn in part.turns:
                yield ""
                yield self._heading(self._asker, "cyan", turn)
                yield from self._said(turn.prompt or "(not stored)")
            return
        if part.problem:
            yield f"  ({text.one_line(part.problem, 300)})"
        yield from self.messages(part.messages, turns, subagents, part.session_id, part.records)

    def messages(
        self, messages: Sequence[MessageView], turns: Mapping[int, TurnView],
        subagents: Mapping[str, SubagentView], session_id: str, records: Sequence[tuple[int, str]] = (),
    ) -> Iterator[str]:  # fmt: skip
        """Yield messages and tool calls; ``turns`` by the position of their prompt, subagents by their call."""
        before, shown = "", 0
        for message in messages:
            others = [kind for at, kind in records[shown:] if at < message.at]
            shown += len(others)
            yield from self._others(others)
            if message.who != "tool" or before != "tool":
                yield ""
            if message.who == "tool":
                yield from self._call(message)
                agent = subagents.get(message.call.id) if message.call is not None else None
                if agent is not None:
                    yield from self.subagent(agent, session_id)
            elif message.who == "user":
                yield self._heading(self._asker, "cyan", turns.get(message.at))
                yield from self._said(message.text)
            else:
                yield self._style("Agent", "green")
                yield from self._answer(message.text)
            before = message.who
        yield from self._others([kind for _, kind in records[shown:]])

    def _others(self, kinds: Sequence[str]) -> Iterator[str]:
        """Yield a line for records that say nothing to people, by their types."""
        if kinds:
            named = (f"{kinds.count(kind)} {text.one_line(kind, 60)}" for kind in dict.fromkeys(kinds))
            yield self._style(self._layout.fitted(f"  ({', '.join(named)})"), "dim")

    # ------------------------------------------------------------ prompts and answers

    def _heading(self, who: str, colour: str, turn: TurnView | None) -> str:
        """Return who speaks, and of a prompt its turn's number, time, duration and model, as far as they fit."""
        line, plain = self._style(who, colour), who
        for detail in _details(turn) if turn is not None else ():
            if self._width and wrapping.width(plain) + wrapping.width(detail) + 2 > self._width:
                break
            line, plain = line + self._style("  " + detail, "dim"), plain + "  " + detail
        return line

    def _said(self, said: str) -> Iterator[str]:
        shown, more = _cut(said.strip("\n"), self._limits.said, self._limits.characters)
        yield from self._indented(text.plain(shown).split("\n"), "  ")
        yield from self._more(more, "  ")

    def _answer(self, said: str) -> Iterator[str]:
        if not self._width:
            yield from self._said(said)
            return
        shown, more = _cut(said.strip("\n"), self._limits.said, self._limits.characters)
        yield from (f"  {line}".rstrip() for line in markdown.lines(shown, self._width - 2, in_colour=self._style.on))
        yield from self._more(more, "  ")

    def _indented(self, lines: Sequence[str], by: str) -> Iterator[str]:
        yield from (piece for line in lines for piece in self._layout.wrapped(line, by))

    def _more(self, more: str, by: str) -> Iterator[str]:
        if more:
            yield from (
                self._style(line, "dim") for line in self._layout.wrapped(f"… {more} ({self._limits.hint})", by)
            )

    # ------------------------------------------------------------ tool calls

    def _call(self, message: MessageView) -> Iterator[str]:
        """Yield a tool call: one line, and the start of what it edited; unfolded, all that was asked and answered."""
        call = message.call
        failed = call is not None and call.has_failed
        yield self._style(self._line(message, "✗" if failed else "*", _counts(call)), "red" if failed else "dim")
        if call is None:
            return
        if self._full:
            yield from self._arguments(message, call)
        yield from self._edits(call)
        if self._full or failed:
            yield from self._output(call)

    def _line(self, message: MessageView, mark: str, counts: str) -> str:
        """Return a tool call on one line; of a path that does not fit, its end is shown."""
        subject = text.one_line(message.text, _SUBJECT)
        lead = f"  {mark} {text.one_line(message.name, 40)}{': ' if subject else ''}"
        room = self._width - wrapping.width(lead) - len(counts)
        if self._width and "/" in subject and " " not in subject and room > 1:
            subject = wrapping.fit_end(subject, room)
        return self._layout.fitted(lead + subject, counts)

    def _arguments(self, message: MessageView, call: ToolCall) -> Iterator[str]:
        """Yield what was cut from the call's line."""
        asked = call.command or message.text
        if asked and text.one_line(asked, _SUBJECT) != asked:
            shown, more = _cut(asked, self._limits.output, self._limits.characters)
            yield from self._indented([f"$ {line}" for line in text.plain(shown).split("\n")], "    ")
            yield from self._more(more, "    ")

    def _edits(self, call: ToolCall) -> Iterator[str]:
        left = self._limits.diff
        for edit in call.edits:
            shown = list(edits.lines(edit))
            if len({edit.path for edit in call.edits}) > 1 and left > 0:
                yield self._style(self._layout.fitted("    " + text.full_path(edit.path)), "bold")
            for line, colour in shown[: max(left, 0)]:
                fitted = self._layout.fitted("    " + self._clipped(line)).rstrip()
                yield self._style(fitted, colour) if colour else fitted
            left -= len(shown)
        if left < 0:
            yield from self._more(text.count(-left, "more line"), "    ")

    def _clipped(self, line: str) -> str:
        return line if len(line) <= self._limits.characters else line[: self._limits.characters] + "…"

    def _output(self, call: ToolCall) -> Iterator[str]:
        """Yield what a tool answered; folded, only the last lines of a failure, which usually say what is wrong."""
        if not self._full:
            last = [line for line in call.output[-2000:].split("\n") if line.strip()][-3:]
            yield from (self._layout.fitted("    " + text.one_line(line, 300)) for line in last)
            return
        shown, more = _cut(call.output.strip("\n"), self._limits.output, self._limits.characters)
        if shown:
            yield from self._indented(text.plain(shown).split("\n"), "    ")
        yield from self._more(more, "    ")

    # ------------------------------------------------------------ subagents

    def subagent(self, agent: SubagentView, session_id: str, by: str = "    ") -> Iterator[str]:
        """Yield a subagent: what it was to do, and how to see its conversation; unfolded, the conversation."""
        yield self._layout.fitted(f"{by}subagent: {title(agent)}")
        if agent.messages and self._full:
            yield from (f"{by}{line}".rstrip() for line in self.of_subagent(agent, session_id, len(by)))
        elif agent.has_transcript:
            yield self._style(self._layout.fitted(f"{by}entire show {name(agent, session_id)}"), "dim")

    def of_subagent(self, agent: SubagentView, session_id: str, indented: int = 0) -> Iterator[str]:
        """Yield a subagent's conversation, for lines that are indented later."""
        if agent.problem:
            yield f"({text.one_line(agent.problem, 300)})"
        inner = Renderer(self._layout.indented(indented), full=self._full, asker="Task")
        yield from inner.messages(agent.messages or (), {}, {}, session_id)


def title(agent: SubagentView) -> str:
    """Return what a subagent was to do, with its type and id."""
    what = text.one_line(agent.description, _SUBJECT) or "(no description)"
    known = ", ".join(text.one_line(word, 60) for word in (agent.type, agent.id or agent.tool_use_id) if word)
    return f"{what} ({known})" if known else what


def name(agent: SubagentView, session_id: str) -> str:
    """Return the name by which ``show`` finds a subagent."""
    return text.one_line(f"{session_id[:8]}/{agent.id[:8] or agent.tool_use_id}", 200)


def _details(turn: TurnView) -> Iterator[str]:
    yield f"turn {turn.number}"
    if turn.started:
        yield text.moment(turn.started)
    if turn.ended > turn.started > 0:
        yield text.duration(turn.ended - turn.started)
    if turn.model:
        yield text.one_line(turn.model, 40)


def _counts(call: ToolCall | None) -> str:
    """Return what a folded call hides: lines edited, lines of output."""
    if call is None:
        return ""
    parts = [edits.counts(call.edits)] if call.edits else []
    lines = len(call.output.rstrip("\n").split("\n")) if call.output.strip() else 0
    parts += [text.count(lines, "line")] if lines and not call.edits else []
    return f" ({', '.join(parts)})" if parts else ""


def _cut(said: str, lines: int, characters: int) -> tuple[str, str]:
    """Return a text's beginning, and what is left out of it ('': nothing)."""
    shown = said[:characters].split("\n")
    if len(shown) > lines:
        return "\n".join(shown[:lines]), text.count(said.count("\n") + 1 - lines, "more line")
    return said[:characters], text.count(len(said) - characters, "more character") if len(said) > characters else ""
