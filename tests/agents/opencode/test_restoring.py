"""A session is put back by a deletion and an import, and each of these is the other's way back."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from entire.agents.opencode.agent import OpenCode
from entire.model.effects import Run
from entire.model.positions import SessionRef
from tests.agents.opencode.store import Store
from tests.agents.opencode.writer import Session
from tests.rigs.opencode import RIG


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    RIG.adapter()  # puts a program on PATH
    kept = Store(tmp_path / "# data?/opencode.db")
    for name, parent in (("ses_1", ""), ("ses_child", "ses_1"), ("ses_2", "")):
        session = Session(kept, name, str(tmp_path), parent)
        session.begin()
        for prompt in ("one", "two"):
            session.prompt(f"{prompt} of {name}")
            session.answer("Done.")
    return kept


def ref(store: Store, name: str) -> str:
    return SessionRef.of_rows(str(store.path), name)


def content(store: Store, name: str) -> bytes:
    return OpenCode().transcript(ref(store, name)).snapshot()


def run(effect: Run) -> int:
    env = {**os.environ, **effect.env}
    return subprocess.run(effect.argv, input=bytes(effect.stdin), env=env, check=False, capture_output=True).returncode


def test_a_rewound_session_leaves_others_and_subagents_alone(store: Store) -> None:
    before = {name: content(store, name) for name in ("ses_1", "ses_child", "ses_2")}
    own = OpenCode().transcript(ref(store, "ses_1"))
    first = own.cut(own.at(3))
    plan = OpenCode().put_back(ref(store, "ses_1"), first, {})
    effects = [effect for effect in plan.effects if isinstance(effect, Run)]
    for effect in effects:
        assert [run(effect), run(effect)] == [0, 0]  # either may run twice
    assert content(store, "ses_1") == first
    assert {name: content(store, name) for name in ("ses_child", "ses_2")} == {
        name: before[name] for name in ("ses_child", "ses_2")
    }
    for effect in reversed(effects):
        assert run(effect.inverse()) == 0
    assert {name: content(store, name) for name in before} == before


def test_what_another_session_is_called_changes_nothing(store: Store) -> None:
    """A checkpoint may be anybody's: what it holds never gets into another session."""
    before = content(store, "ses_2")
    plan = OpenCode().put_back(ref(store, "ses_1"), before, {})
    for effect in plan.effects:
        assert isinstance(effect, Run)
        assert json.loads(bytes(effect.stdin) or b"{}").get("info", {}).get("id") in (None, "ses_1")
        assert run(effect) == 0
    assert content(store, "ses_2") == before


def test_plugins_are_never_loaded_and_nothing_is_fetched(store: Store) -> None:
    plan = OpenCode().put_back(ref(store, "ses_1"), content(store, "ses_1"), {"ses_new": content(store, "ses_child")})
    imports = [effect for effect in plan.effects if isinstance(effect, Run) and effect.argv[0] == "opencode"]
    assert [effect.argv for effect in imports] == [("opencode", "--pure", "import", "/dev/stdin")] * 2
    wanted = {"OPENCODE_DB": str(store.path), "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    assert [effect.env for effect in imports] == [wanted] * 2


def test_without_the_program_nothing_is_planned(store: Store, tmp_path: Path) -> None:
    plan = OpenCode(env={"PATH": str(tmp_path)}).put_back(ref(store, "ses_1"), b"", {})
    assert (plan.effects, plan.problem) == ((), "there is no `opencode` on PATH, which alone can import a session")


def test_a_copy_is_in_no_database(store: Store) -> None:
    assert OpenCode().put_back("/tmp/export.json", b"{}", {}).problem


def test_a_checkpoint_of_the_go_cli_is_imported() -> None:
    from tests.agents.opencode import oracle

    name = "turn2-same-session"
    whole = oracle.load(name)
    agent = RIG.adapter()
    parts = agent.chunk_transcript(oracle.path_of(name).read_bytes(), 8_000)
    assert len(parts) > 1
    stored = agent.reassemble_transcript(parts)
    (effect,) = agent.put_back(SessionRef.of_rows("/nowhere/opencode.db", whole["info"]["id"]), stored, {}).effects
    assert json.loads(effect.stdin)["messages"] == whole["messages"]
    assert json.loads(effect.stdin)["info"]["id"] == whole["info"]["id"]
