"""Short forms of prompts, commands and outputs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.summaries import excerpts, shell


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Traceback (most recent call last):\n  File 'a.py'\nValueError: bad\n", "ValueError: bad"),
        ("collected 1 item\n\nE   assert 1 == 2\nFAILED a.py::test", "E assert 1 == 2"),
        ("   Compiling x\nerror[E0308]: mismatched types\n --> a.rs:1", "error[E0308]: mismatched types"),
        ("src/a.ts(1,2): error TS2304: Cannot find name 'x'.", "src/a.ts(1,2): error TS2304: Cannot find name 'x'."),
        ("Exit code 127\nsh: 1: foo: not found", "sh: 1: foo: not found"),
        ("all fine\nnpm ERR! missing script: tset\nmore", "npm ERR! missing script: tset"),
        ("one\ntwo\n", "two"),
        ("Exit code 1", ""),
        ("Output:\nProcess exited with code 3\n", ""),
        ("", ""),
        ("\x1b[31mfatal: \x1b]0;x\x07no\x1b[0m", "fatal: no"),
    ],
)
def test_the_telling_line_of_an_output(output: str, line: str) -> None:
    assert excerpts.error(output) == line


def test_a_prompt_is_cut_after_a_sentence_or_a_word() -> None:
    long = "Add a greeting. " * 30
    assert excerpts.prompt(long, 100) == "Add a greeting. " * 5 + "Add a greeting. …"
    assert excerpts.prompt("word " * 100, 20) == "word word word…"
    assert excerpts.prompt("x" * 400, 20) == "x" * 19 + "…"
    assert excerpts.prompt("Fix this:\n```\nlong\nlog\n```\nplease") == "Fix this: please"
    assert excerpts.prompt("```\nonly code\n```") == "``` only code ```"


@pytest.mark.parametrize(
    "text", ["yes", "OK, go ahead!", "continue", "👍", "commit it", "", "Thanks, that looks good."]
)
def test_an_encouragement_says_nothing(text: str) -> None:
    assert not excerpts.says_something(text)


@pytest.mark.parametrize("text", ["add tests", "はい、修正して", "yes, but in French"])
def test_a_request_says_something(text: str) -> None:
    assert excerpts.says_something(text)


@given(st.text(max_size=500), st.integers(10, 100))
def test_a_prompt_is_one_short_line(text: str, limit: int) -> None:
    found = excerpts.prompt(text, limit)
    assert len(found) <= limit + 2
    assert "\n" not in found
    assert not text.strip() or found


@pytest.mark.parametrize(
    ("command", "same"),
    [
        ("cd src && FOO=1 make x > log 2>&1", "make x"),
        ("timeout 60 make   x | tail -3", "make x"),
        ("npx tsc --noEmit", "tsc --noEmit"),
        ("make 'a b'", "make a b"),
        ("ls -l", "ls -l"),
        ("'", "'"),
    ],
)
def test_a_repetition_has_the_same_normal_form(command: str, same: str) -> None:
    assert shell.normal(command) == same
