"""Markdown on a terminal: rendered, and nothing but colours reaches the terminal."""

from __future__ import annotations

import re

import pytest

from entire.ui.console import markdown, text, wrapping


def seen(given: str, width: int = 60) -> list[str]:
    lines = markdown.lines(given, width, in_colour=True)
    return [text.shown(line, in_colour=False).strip() for line in lines]


def test_markdown_is_rendered() -> None:
    assert seen("# Title\n\n**bold** and `code`\n\n- one\n- two") == [
        "Title",
        "",
        "bold and code",
        "",
        "• one",
        "• two",
    ]


HOSTILE = ["\x1b]0;title\x07", "&#27;]0;title&#7;", "\x9b31m", "[link](http://example.com/\x1b]8;;)", "`\x1b[2J`",
           "```\n\x1b[2J\n```", "[a](http://example.com)", "\r\x1b[A", "|a|\n|-|\n|\x1b[H|",
           "a&#27;[31mb &#x202e;c &rlm;d &ZeroWidthSpace;e &#xfdd0;[31m &shy;"]  # fmt: skip


@pytest.mark.parametrize("given", HOSTILE)
def test_nothing_commands_the_terminal(given: str) -> None:
    for line in markdown.lines(given, 60, in_colour=True):
        shown = text.shown(line, in_colour=True)
        assert not re.search("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u206f]|\033(?!\\[[0-9;]*m)", shown)
        assert "\033" not in line


def test_no_colour_is_the_answers_own() -> None:
    (line,) = markdown.lines("a \033[31mred", 60, in_colour=True)
    assert text.shown(line, in_colour=True) == "a ^[[31mred"


BOMBS = ["[" * 50_000, ">" * 50_000, "*a " * 9_000, "- " * 9_000, "[a](" * 9_000, "`" * 30_000, "<" * 30_000,
         "|" + "a|" * 3_000 + "\n|" + "-|" * 3_000, "|a|b|\n|-|-|\n" + "|x|y|\n" * 3_000,
         "\n".join(" " * depth + "- a" for depth in range(180)), "x" * 1_000_000, "&#" * 20_000]  # fmt: skip


@pytest.mark.parametrize("given", BOMBS)
def test_no_text_makes_it_hang(given: str) -> None:
    assert markdown.lines(given, 60, in_colour=True)


def test_a_text_that_is_not_rendered_is_wrapped() -> None:
    assert all(wrapping.width(line) <= 60 for line in markdown.lines("word " * 6_000, 60, in_colour=True))
