"""The words of a call."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from tests.unit.plugin.conftest import Tool
from tests.unit.plugin.test_subcommands import Least

AGENT = f"{shlex.quote(sys.executable)} -P -m entire_demo_agent"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no subcommand"),
        (("fly",), "no subcommand 'fly'"),
        (("",), "no subcommand ''"),
        (("info", "loud"), "does not understand 'loud'"),
        (("info", "--loud", "very", "much"), "does not understand 'much'"),
        (("get-session-dir",), "needs --repo-path"),
        (("get-session-dir", "--repo-path"), "needs a value for --repo-path"),
        (("install-hooks", "--force=yes"), "does not understand '--force=yes'"),
        (("get-transcript-position", "here"), "does not understand 'here'"),
        (("calculate-tokens", "--offset", "-1"), "must be a whole number"),
        (("chunk-transcript", "--max-size", "0"), "at least 1"),
        (("chunk-transcript", "--max-size", "9" * 5000), "must be a whole number"),
        (("generate-text", "--model", "m"), "needs the capability text_generator"),
        (("prepare-transcript", "--session-ref", "/s"), "needs the capability transcript_preparer"),
    ],
)
def test_a_call_that_makes_no_sense_fails_with_a_line(tool: Tool, words: tuple[str, ...], message: str) -> None:
    told = tool(*words)
    assert (told.status, told.out) == (2, b"")
    assert message in told.err
    assert told.err.count("\n") == 1


def test_a_value_may_follow_its_option_in_the_same_word(tool: Tool) -> None:
    given = {("--session-id", "--x=1"), ("--session-id=--x=1",)}
    assert {tool("format-resume-command", *words).out for words in given} == {
        (json.dumps({"command": f"{AGENT} --resume --x=1"}) + "\n").encode()
    }


@pytest.mark.parametrize(
    "words",
    [
        ("--session-id", "s1", "--colour", "red"),
        ("--colour", "red", "--session-id", "s1"),
        ("--loud", "--session-id", "s1"),
        ("--session-id", "s1", "--loud"),
        ("--colour=red", "--session-id=s1"),
    ],
    ids=" ".join,
)
def test_options_of_newer_hosts_are_ignored(tool: Tool, words: tuple[str, ...]) -> None:
    assert tool("format-resume-command", *words).json == {"command": f"{AGENT} --resume s1"}


def test_outside_of_a_repository_the_current_folder_counts(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    (tool.root / ".demo-agent").mkdir()
    monkeypatch.chdir(tool.root)
    monkeypatch.setattr(tool, "root", "")
    assert tool("detect").json == {"present": True}


def test_a_failure_names_the_plugin_even_if_the_class_does_not(tool: Tool) -> None:
    class Nameless(Least):
        @property
        def name(self) -> str:  # type: ignore[override]
            return "known to its objects only"

    tool.agent = Nameless  # type: ignore[assignment]
    line = tool("fly").err
    assert "property object" not in line
    assert line.endswith(": there is no subcommand 'fly'\n")
