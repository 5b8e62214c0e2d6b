"""The results of a search as lines."""

from __future__ import annotations

from entire.model.findings import Finding, SearchView
from entire.model.value import replace
from entire.ui.console import text
from entire.ui.console.text import Style
from entire.ui.screens import findings
from tests import screens

FINDING = Finding(
    kind="tool", snippet="run \x1b[31mpytest\nin tests", highlights=((9, 15),), session_id="0123456789", agent="Agent",
    turn=2, time=900.0, tool="Bash", has_failed=True, checkpoint_id="a1b2c3d4e5f6", commits=("f" * 40,), occurrences=3,
    show="entire show a1b2c3d4e5f6",
)  # fmt: skip


def test_a_finding_is_shown_with_its_place_and_what_matched() -> None:
    assert list(findings.lines(SearchView(findings=(FINDING,)), Style(False), 1000.0, 0)) == [
        "Tool call (Bash, failed), 3 times  1 minute ago",
        "  run ^[[31mpytest",
        "  in tests",
        "  session 0123456…, prompt 2, Agent, checkpoint a1b2c3d4e5f6, commit fffffff",
        "  entire show a1b2c3d4e5f6",
    ]


def test_what_matched_has_a_colour_on_a_terminal() -> None:
    shown = "\n".join(findings.lines(SearchView(findings=(FINDING,)), Style(True), 1000.0, 0))
    assert "^[[31m\033[33mpytest\033[0m" in text.shown(shown, in_colour=True)


def test_characters_that_belong_together_stay_so() -> None:
    family, flag = "\U0001f468\u200d\U0001f469", "\U0001f3f4\U000e0067\U000e0062\U000e007f"
    found = replace(FINDING, snippet=f"{family} {flag} \u200b", highlights=((4, 8),))
    lines = list(findings.lines(SearchView(findings=(found,)), Style(True), 1000.0, 0))
    assert text.shown(lines[1], in_colour=True) == f"  {family} \033[33m{flag}\033[0m \\u200b"


def test_an_open_session_and_more_than_the_limit() -> None:
    open_one = replace(FINDING, kind="prompt", tool="", checkpoint_id="", commits=(), occurrences=1, time=0.0)
    assert list(findings.lines(SearchView(findings=(open_one,), has_more=True), Style(False), 1000.0, 0)) == [
        "Prompt",
        "  run ^[[31mpytest",
        "  in tests",
        "  session 0123456…, prompt 2, Agent, not committed",
        "  entire show a1b2c3d4e5f6",
        "",
        "There is more: `--limit` shows more than 1 result.",
    ]
    assert list(findings.lines(SearchView(), Style(False), 0.0, 0)) == ["Nothing found."]


WIDE = replace(
    FINDING,
    kind="answer",
    tool="",
    snippet="\tThe 登录错误 and \N{PARTY POPPER} e\u0301tude \x07 of a long line that does not fit in a narrow terminal"
    "\n\nand_one_word_that_is_much_longer_than_a_narrow_terminal_is_wide_without_any_blank\r",
    highlights=((5, 9), (70, 76)),
    session_id="0123abcd-0000-4000-8000-000000000000",
    show="entire show 0123abcd-0000-4000-8000-000000000000:12",
    agent="An Agent With a Long Name",
    occurrences=1,
)


def test_the_screens_of_a_search() -> None:
    view = SearchView(findings=(FINDING, WIDE), has_more=True)
    screens.check("search", lambda width, style: findings.lines(view, style, 1000.0, width))
