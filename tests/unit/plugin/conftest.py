"""Calls of a plugin, in this process."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from entire.agents.contract import AgentFactory
from entire.agents.demo.agent import Demo
from entire.plugin import program


class Told:
    """What a call answered."""

    def __init__(self, status: int, out: bytes, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        assert self.status == 0, self.err
        return json.loads(self.out)

    @property
    def chunks(self) -> list[bytes]:
        return [base64.b64decode(chunk) for chunk in self.json["chunks"]]


class Tool:
    """A plugin for an agent, called in a repository."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch, agent: AgentFactory) -> None:
        self.root, self.patch, self.agent = root, patch, agent

    def __call__(self, *words: str, stdin: bytes | str = b"", about: object = None) -> Told:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = io.BytesIO(), io.StringIO()
        with self.patch.context() as patch:
            patch.setenv("ENTIRE_REPO_ROOT", str(self.root))
            patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given)))
            patch.setattr("sys.stdout", SimpleNamespace(buffer=out))
            patch.setattr("sys.stderr", err)
            status = program.run(self.agent, words, about)
        return Told(status, out.getvalue(), err.getvalue())

    def ask(self, *questions: dict[str, Any]) -> list[Any]:
        told = self("entire-ask", stdin="".join(json.dumps(question) + "\n" for question in questions))
        assert told.status == 0
        return [json.loads(line) for line in told.out.splitlines()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


@pytest.fixture
def tool(root: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    return Tool(root, monkeypatch, Demo)
