"""Random walks of turns, commits, rewinds and undos: a checkpoint holds the prompts that its conversation then has, and
over all checkpoints every answer is counted once.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.integration.rewind.test_demo_rewind import Desk, desk

__all__ = ["desk"]

PROMPTS = (
    "create a file f{0}.txt with {0}",
    "run echo {0} >> a.txt",
    "remember {0}",
    "ask a helper to create a file h{0}.txt with help",
)
OPTIONS = ((), (), ("--logs-only",), ("--files-only",))


class Walk:
    """One walk, and what is known of it from the agent's own file alone."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk = desk
        self.random = random.Random(seed)
        self.counted: set[str] = set()
        self.steps: list[object] = []  # shown if something is wrong
        self.can_undo = False
        self.ask()

    def step(self) -> None:
        choices = [self.ask, self.ask, self.ask, self.commit, self.rewind, self.rewind]
        self.random.choice([*choices, self.undo] if self.can_undo else choices)()

    def ask(self) -> None:
        prompt = self.random.choice(PROMPTS).format(len(self.steps))
        self.desk.ask(prompt, resume=bool(self.steps))
        self.steps.append(prompt)

    def commit(self) -> None:
        if not self.desk.git("status", "--porcelain"):
            return
        self.steps.append("commit")
        self.desk.commit(f"Commit {len(self.steps)}")
        if "Entire-Checkpoint: " not in self.desk.git("log", "-1", "--format=%B"):
            return
        kept = self.desk.slot()
        answers = {
            record["id"]: record["usage"]["output"] for record in self.desk.records() if record["type"] == "answer"
        }
        new = answers.keys() - self.counted
        assert kept["spent"] == sum(answers[name] for name in new), self.steps
        assert kept["prompts"] == self.desk.prompts(), self.steps
        self.counted |= new

    def rewind(self) -> None:
        point: dict[str, Any] = self.random.choice(self.desk.points())
        options = self.random.choice(OPTIONS)
        self.steps.append((point["kind"], point["prompt"], options))
        done = self.desk.rewind("--to", point["id"], *options)
        self.can_undo = self.can_undo or bool(done["undo_id"])
        if point["kind"] != "task" and "--files-only" not in options:
            assert self.desk.prompts()[-1] == point["prompt"], self.steps

    def undo(self) -> None:
        """The rewind before, or its undo, is taken back: twice, and all is as it was."""
        before = self.desk.files(), self.desk.transcript().read_bytes()
        times = self.random.choice((1, 2, 2))
        for _ in range(times):
            self.steps.append("undo")
            self.desk.rewind("--undo")
        if times == 2:
            assert (self.desk.files(), self.desk.transcript().read_bytes()) == before, self.steps


@pytest.mark.parametrize(("desk", "seed"), [("demo", 0), ("demo", 1), ("demo-plugin", 2)], indirect=["desk"])
def test_a_walk(desk: Desk, seed: int) -> None:
    walk = Walk(desk, seed)
    for _ in range(12):
        walk.step()
    walk.ask()
    walk.commit()
    assert desk.log_errors() == []
