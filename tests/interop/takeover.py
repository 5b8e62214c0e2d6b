"""A repository that the Go Entire CLI left, taken over by our tool: unpacked, enabled, and its sessions continued."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from entire.model.times import parse_time
from tests import forks, golden
from tests.integration.story import Session, Story

_TIMES = ("started_at", "ended_at", "last_interaction_time")


class World(Story):
    """A stage of a golden world with our hooks in place of those of the Go CLI.

    ``hours`` ago the Go CLI wrote last; ``change`` is called before our tool sees anything.
    """

    def __init__(
        self,
        stage: str,
        home: Path,
        repository: str = "",
        *,
        hours: float = 0,
        change: Callable[[World], object] | None = None,
    ) -> None:
        golden.unpack(stage, home)
        _bring_up_to_date(home, hours)
        self.root = golden.repositories(home)[0] if not repository else home / repository
        self.home = home
        self.projects = home / ".claude/projects"
        self.env = {**os.environ, "PATH": forks.path(), "ENTIRE_LOG_LEVEL": "debug"}
        self.before = self.stored()
        self.states_before = {path.stem: json.loads(path.read_text()) for path in self._states()}
        if change is not None:
            change(self)
        assert self.entire("enable", "--agent", "claude-code", "-f") == 0

    def commit(self, message: str, *args: str, add: bool = True, env: dict[str, str] | None = None) -> str:
        """Commit all but what `enable` changed."""
        if add:
            self.git("add", "-A", ":!.claude", ":!.entire")
        return super().commit(message, *args, add=False, env=env)

    def _states(self) -> list[Path]:
        return sorted((self.root / ".git/entire-sessions").glob("*.json"))

    def stored(self) -> dict[str, str]:
        """Return the files of the checkpoints branch with their blobs."""
        listed = self.git("ls-tree", "-r", "entire/checkpoints/v1").splitlines()
        return {line.partition("\t")[2]: line.split()[2] for line in listed}

    def taken(self, session_id: str = "") -> Taken:
        """Return a session of the world, to be continued."""
        names = [path.stem for path in self._states()]
        return Taken(self, session_id or names[0])

    def checkpoint_without_record(self, checkpoint_id: str) -> dict[str, Any]:
        """Return the first slot of a checkpoint that the Go CLI began: it has no record of ours beside it."""
        folder = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}/0"
        record: dict[str, Any] = json.loads(self.show(f"{folder}/metadata.json"))
        names = sorted(name for name in self.stored() if name.startswith(f"{folder}/full.jsonl"))
        record["transcript"] = "\n".join(self.show(name) for name in names)
        return record


class Taken(Session):
    """A session that the Go CLI began; its transcript is continued where it ends."""

    def __init__(self, world: World, session_id: str) -> None:
        super().__init__(world, session_id)
        self.file = Path(world.states_before[session_id]["transcript_path"])
        self.cwd = Path(world.states_before[session_id].get("worktree_path") or world.root)
        records = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.parent = next((record["uuid"] for record in reversed(records) if "uuid" in record), None)
        self.answers = 20  # so that an answer's tokens tell it from the ones before


def _bring_up_to_date(home: Path, hours: float) -> None:
    """Move the times in session states to now, or hours ago: a session silent for two weeks is no longer watched."""
    values = {path: json.loads(path.read_text()) for path in home.glob("*/.git/entire-sessions/*.json")}
    last = [_parse(value["last_interaction_time"]) for value in values.values() if "last_interaction_time" in value]
    for path in home.glob(".claude/projects/*/*.jsonl") if hours else ():
        os.utime(path, (time.time() - hours * 3600,) * 2)
    for path, value in values.items():
        moved = datetime.fromtimestamp(time.time() - 10 - hours * 3600, UTC) - max(last)
        for key in set(_TIMES) & set(value):
            value[key] = _format(_parse(value[key]) + moved)
        path.write_text(json.dumps(value, indent=2) + "\n")


def _parse(text: str) -> datetime:
    return datetime.fromtimestamp(parse_time(text), UTC)


def _format(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
