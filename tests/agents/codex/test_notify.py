"""Codex's own ``notify``, which tells the ends of turns where its hooks are off."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from entire.agents.codex.agent import Codex
from entire.model.events import Event, EventType
from entire.model.health import HookStatus
from tests.agents.codex import oracle

OFF = "# mine\n[features]\nhooks = false\n"
TOLD = json.loads((oracle.FIXTURES / "notify.json").read_text())["argv_last_element"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    (tmp_path / "sessions").symlink_to(oracle.SESSIONS)
    return tmp_path


def told(**changes: Any) -> Event | None:
    given = {**json.loads(TOLD), **changes}
    return Codex(now=lambda: 5.0).parse_hook("notify", json.dumps(given).encode())


def test_it_tells_a_turns_end_with_its_prompt(home: Path) -> None:
    given = json.loads(TOLD)
    event = Event(type=EventType.TURN_END, session_id=given["thread-id"], cwd="/home/dev/project", timestamp=5.0,
                  turn_ref=given["turn-id"], prompt="first task", final_text="First task finished.")  # fmt: skip
    assert told() == event
    later = told(**{"input-messages": ["first task", 3, "second task"]})
    assert later is not None
    assert later.prompt == "second task", "all prompts of the session are told, the turn's last"
    known = told(**{"thread-id": oracle.id_of(oracle.NEWER)})
    assert known is not None
    assert known.session_ref == str(home / oracle.path_of(oracle.NEWER).relative_to(oracle.FIXTURES))


def test_what_else_it_tells_is_left_out(home: Path) -> None:
    """Subagents' turns, for one."""
    assert told(type="something-else") is None
    assert told(**{"thread-id": "../x"}) is None
    assert told(**{"thread-id": oracle.id_of(oracle.CHILD_V1)}) is None
    unknown = json.loads(TOLD)
    del unknown["client"]
    assert Codex().parse_hook("notify", json.dumps(unknown).encode()) is None
    assert Codex().parse_hook("notify", b"[]") is None


def test_it_is_used_where_hooks_are_off_and_taken_back_exactly(home: Path) -> None:
    agent, config = Codex(), home / "config.toml"
    config.write_text(OFF)
    agent.install_hooks("/r", "user", force=False)
    health = agent.hooks_health("/r", "user")
    assert health.status is HookStatus.DISABLED
    assert "record them only when a turn ends: `entire enable --agent codex --user --trust-hooks`" in health.detail
    assert agent.trust_hooks("/r", "user") == 1
    assert tomllib.loads(config.read_text())["notify"] == ["entire", "hooks", "codex", "notify"]
    assert config.read_text().endswith(OFF)
    assert agent.hooks_health("/r", "user").status is HookStatus.INSTALLED
    agent.uninstall_hooks("/r", "user")
    assert config.read_text() == OFF


def test_a_notifier_of_the_users_stays(home: Path) -> None:
    agent, config = Codex(), home / "config.toml"
    mine = f'notify = ["say"]\n{OFF}'
    config.write_text(mine)
    agent.install_hooks("/r", "user", force=False)
    assert "notify" not in agent.hooks_health("/r", "user").detail
    agent.trust_hooks("/r", "user")
    assert config.read_text().startswith(mine)
    assert agent.hooks_health("/r", "user").status is HookStatus.DISABLED
    agent.uninstall_hooks("/r", "user")
    assert config.read_text() == mine


def test_a_projects_hooks_write_no_notifier(home: Path, tmp_path: Path) -> None:
    """It would act in every repository."""
    root = tmp_path / "repo"
    root.mkdir()
    (home / "config.toml").write_text(OFF)
    agent = Codex()
    agent.install_hooks(str(root), "project", force=False)
    agent.trust_hooks(str(root), "project")
    assert "notify" not in tomllib.loads((home / "config.toml").read_text())
