"""Built-in agents, served through the protocol."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from entire import cli
from entire.agents import registry
from entire.commands.plugin import serve


def call(*words: str, patch: pytest.MonkeyPatch, stdin: bytes = b"") -> tuple[int, bytes]:
    out = io.BytesIO()
    with patch.context() as context:
        context.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        context.setattr("sys.stdout", SimpleNamespace(buffer=out))
        return cli.main(["plugin", "serve", *words]), out.getvalue()


@pytest.mark.parametrize("entry", registry.BUILTIN.values(), ids=list(registry.BUILTIN))
def test_every_built_in_agent_is_served(entry: registry.AgentEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out = call(entry.name, "info", patch=monkeypatch)
    told = json.loads(out)
    assert (status, told["name"], told["type"]) == (0, entry.name, entry.type)
    assert (told["description"], tuple(told["protected_dirs"])) == (entry.description, entry.protected_dirs)
    further = {key: value for key in ("spoken_name", "project_variable", "session_variable")
               if (value := getattr(entry, key))}  # fmt: skip
    assert told.get("entire", {}) == further


def test_every_word_after_the_name_is_the_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("demo", "write-hook-response", "--message", "--debug", patch=monkeypatch) == (
        0,
        b'{"message": "--debug"}\n',
    )


def test_the_command_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=out))
    assert serve.command.main(["demo", "info"], standalone_mode=False) == 0
    assert out.getvalue() == call("demo", "info", patch=monkeypatch)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nobody", "info"), "there is no agent called 'nobody'"),
        (("demo", "fly"), "entire-agent-demo: there is no subcommand 'fly'"),
        (("demo",), "Missing argument"),
    ],
)
def test_a_call_that_makes_no_sense(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words, patch=monkeypatch) == (2, b"")
    assert message in capsys.readouterr().err
