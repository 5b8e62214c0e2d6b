"""What a plugin said of itself is asked again only if its file is another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.plugin_host.inventory import discovery
from entire.plugin_host.inventory.info_cache import Answers
from entire.plugin_host.language.protocol import PluginError

from .conftest import Install


class Asked:
    """Counts how often ``info`` ran."""

    def __init__(self, **fields: object) -> None:
        self.answer = json.dumps({"protocol_version": 1, "name": "x", "type": "X", **fields}).encode()
        self.times = 0

    def __call__(self) -> bytes:
        self.times += 1
        return self.answer


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}


def answers(env: dict[str, str]) -> Answers:
    executable = discovery.find("x", env)
    assert executable is not None
    return Answers(executable, env)


def test_an_answer_is_cached_by_the_file(install: Install, env: dict[str, str]) -> None:
    install("x")
    ask = Asked(description="é")
    assert answers(env).info(ask) == answers(env).info(ask)
    assert (answers(env).info(ask).description, ask.times) == ("é", 1)
    install("x", content="#!/bin/sh\n# new\n")
    answers(env).info(ask)
    assert ask.times == 2
    ask.answer = Asked(type="Y").answer
    assert [answers(env).info(ask).type, answers(env).info(ask, fresh=True).type, answers(env).info(ask).type] == [
        "X", "Y", "Y",
    ]  # fmt: skip


def test_an_answer_that_cannot_be_used_is_not_cached(install: Install, env: dict[str, str]) -> None:
    install("x")
    ask = Asked(protocol_version=2)
    for _ in range(2):
        with pytest.raises(PluginError):
            answers(env).info(ask)
    assert ask.times == 2
    assert not (Path(env["HOME"]) / ".cache").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"info": 1}', '{"info": "{}"}'])
def test_a_broken_cache_is_asked_again(install: Install, env: dict[str, str], content: str) -> None:
    install("x")
    ask = Asked()
    answers(env).info(ask)
    cache = Path(env["HOME"]) / ".cache" / "entire" / "plugins" / "x.json"
    stamp = json.loads(cache.read_text())
    cache.write_text(json.dumps({**stamp, **json.loads(content)}) if content.startswith('{"') else content)
    assert answers(env).info(ask).type == "X"
    assert ask.times == 2
    answers(env).info(ask)
    assert ask.times == 2


def test_it_works_without_a_cache(install: Install, env: dict[str, str], tmp_path: Path) -> None:
    install("x")
    (tmp_path / "home").write_text("a file")
    ask = Asked()
    assert (answers(env).info(ask).type, answers(env).info(ask).type, ask.times) == ("X", "X", 2)


def test_a_session_folder_is_asked_once_for_each_repository(install: Install, env: dict[str, str]) -> None:
    install("x")
    asked: list[str] = []

    def ask(root: str) -> str:
        def run() -> str:
            asked.append(root)
            return "/sessions" + root

        return answers(env).session_dir(root, run)

    assert [ask("/a"), ask("/b"), ask("/a"), ask("/b")] == ["/sessions/a", "/sessions/b", "/sessions/a", "/sessions/b"]
    assert asked == ["/a", "/b"]
    answers(env).info(Asked())
    assert ask("/a") == "/sessions/a"
