"""Conversations as lines: what is folded, what is cut, and that nothing commands the terminal."""

from __future__ import annotations

from entire.model.conversations import ConversationPart, SubagentView, TurnView
from entire.model.transcripts import ToolCall
from entire.model.views.checkpoints import MessageView
from entire.ui.console import text
from entire.ui.console.line_layout import Layout
from entire.ui.console.text import Style
from entire.ui.screens.conversation import Renderer

SAID = (
    MessageView(who="user", text="make\nit", at=0),
    MessageView(who="tool", text="/a/b", at=1, name="Write"),
    MessageView(who="tool", text="", at=1, name="Done"),
    MessageView(who="agent", text="**made** \x1b[31m", at=2),
)


def rendered(
    *messages: MessageView, full: bool = False, width: int = 0, on: bool = False,
    turns: tuple[TurnView, ...] = (), subagents: tuple[SubagentView, ...] = (),
) -> list[str]:  # fmt: skip
    part = ConversationPart(session_id="session-1", messages=messages, turns=turns, subagents=subagents)
    return list(Renderer(Layout(Style(on), width), full=full).lines(part))


def called(call: ToolCall, text: str = "x", name: str = "Tool") -> MessageView:
    return MessageView(who="tool", text=text, at=1, name=name, call=call)


def test_a_conversation() -> None:
    assert rendered(*SAID) == [
        "",
        "You",
        "  make",
        "  it",
        "",
        "  * Write: /a/b",
        "  * Done",
        "",
        "Agent",
        "  **made** ^[[31m",
    ]


def test_a_conversation_on_a_terminal_shows_markdown() -> None:
    lines = text.shown("\n".join(rendered(*SAID, on=True, width=80)), in_colour=True)
    assert "\x1b[1mmade\x1b[0m" in lines
    assert "**" not in lines
    assert "\x1b[31m" not in lines
