"""Which sessions Codex has open, by the locks that it holds."""

from __future__ import annotations

import fcntl
from pathlib import Path

from entire.agents.codex.agent import Codex

ID = "01a2207f-a3fe-7ae3-91c2-b5a6f8a0c0cc"


def test_a_session_is_open_while_a_process_holds_its_lock(tmp_path: Path) -> None:
    """Also where that is a server which goes on without a terminal; a lock that a killed one left is held by none."""
    agent = Codex(env={"CODEX_HOME": str(tmp_path)})
    assert agent.is_open(ID) is None, "older versions hold none"
    folder = tmp_path / "thread-writer-locks"
    folder.mkdir()
    assert agent.is_open(ID) is False
    lock = folder / f"{ID}.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert agent.is_open(ID) is True
    assert lock.exists()
    assert agent.is_open(ID) is False
    assert agent.is_open("../x") is None
