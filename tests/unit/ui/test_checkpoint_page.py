"""The page of a checkpoint: values in, lines out."""

from __future__ import annotations

import pytest

from entire.model.records import Attribution
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.views.checkpoints import CheckpointView, FileView, PartView, PromptView, RangeView
from entire.ui.console.line_layout import Layout
from entire.ui.console.text import Style
from entire.ui.screens import checkpoint_page
from entire.ui.screens.checkpoint_page import Page

PLAIN = Layout(Style(False))


@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        (None, "unknown"),
        (TokenUsage(), "0 in, 0 out (0 calls)"),
        (
            TokenUsage(input_tokens=1234, output_tokens=5, cache_read_tokens=7, api_call_count=1),
            "1,234 in, 5 out, 7 cache (1 call)",
        ),
        (UNKNOWN, "unknown"),
        (
            TokenUsage(input_tokens=1234, output_tokens=None, api_call_count=2, at_least=("input_tokens",)),
            "at least 1,234 in, unknown out (2 calls)",
        ),
        (
            TokenUsage(cache_read_tokens=None, cache_creation_tokens=7, api_call_count=None),
            "0 in, 0 out, at least 7 cache (unknown calls)",
        ),
        (
            TokenUsage(cache_read_tokens=None, api_call_count=1, at_least=("api_call_count",)),
            "0 in, 0 out, unknown cache (at least 1 call)",
        ),
        (
            TokenUsage(input_tokens=1, output_tokens=9, api_call_count=1, reasoning_tokens=4),
            "1 in, 9 out, 4 of it reasoning (1 call)",
        ),
        (
            TokenUsage(input_tokens=1, output_tokens=9, api_call_count=1, reasoning_tokens=7, reasoning_beside=7),
            "1 in, 9 out, 7 reasoning (1 call)",
        ),
        (TokenUsage(reasoning_tokens=0), "0 in, 0 out (0 calls)"),
    ],
)
def test_tokens(usage: TokenUsage | None, shown: str) -> None:
    part = PartView(slot=0, session_id="s", agent="Demo", created=0.0, tokens=usage)
    assert f"  Tokens  {shown}" in page(part)


def test_tokens_of_subagents_and_lines() -> None:
    part = PartView(
        slot=0,
        session_id="s",
        agent="Demo",
        created=0.0,
        tokens=TokenUsage(subagents=TokenUsage(input_tokens=2, api_call_count=1)),
        lines=Attribution(
            agent_lines=1, human_added=1, human_modified=1, human_removed=1, total_committed=3, agent_percentage=33.3
        ),
    )
    lines = page(part)
    assert "          subagents: 2 in, 0 out (1 call)" in lines
    assert "  Lines   33 % of 3 added lines (1 by the agent, 2 by people, 1 line removed by people)" in lines


def page(*parts: PartView, full: bool = False) -> list[str]:
    view = CheckpointView(id="0123456789ab", strategy="", branch="", created=0.0, files=(), tokens=None, parts=parts)
    return list(checkpoint_page.lines(view, PLAIN, Page(is_full=full)))


def test_a_long_prompt_is_cut_unless_all_is_wanted() -> None:
    prompt = PromptView(text="first line\n" + "x" * 1000)
    part = PartView(slot=0, session_id="s", agent="", created=0.0, prompts=(prompt,))
    lines = page(part)
    assert "    1. first line" in lines
    assert lines[-1].startswith("       xxx")
    assert lines[-1].endswith("… (--full shows the rest)")
    assert page(part, full=True)[-1] == "       " + "x" * 1000


def test_lines_of_two_sessions_name_theirs() -> None:
    parts = tuple(
        PartView(
            slot=n,
            session_id=f"{name}-session",
            agent="Demo",
            created=0.0,
            prompts=(PromptView(text="go", turn=f"t{n}"),),
        )
        for n, name in enumerate(("one", "two"))
    )
    files = (
        FileView(
            path="a",
            status="M",
            added=(
                RangeView(first=1, last=1, session_id="one-session", turn="t0"),
                RangeView(first=2, last=9, session_id="two-session", turn="t1"),
                RangeView(first=10, last=10, session_id="gone-session", turn="x"),
            ),
        ),
        FileView(path="b", status="R", old_path="c"),
        FileView(path="many", status="A", added=tuple(RangeView(first=n, last=n) for n in range(1, 20, 2))),
    )
    view = CheckpointView(
        id="0123456789ab", strategy="", branch="", created=0.0, files=(), tokens=None, parts=parts, lines=files
    )
    lines = list(checkpoint_page.lines(view, PLAIN, Page()))
    at = lines.index("Attribution")
    assert lines[at + 1 : at + 3] == [
        "  a     line 1: prompt 1 of one-sess, lines 2-9: prompt 1 of two-sess, line 10: session gone-ses",
        "  b     renamed from c by a person",
    ]
    assert lines[at + 3].endswith("and 4 more")
    assert "Attribution" not in list(checkpoint_page.lines(view, PLAIN, Page(has_attribution=False)))
