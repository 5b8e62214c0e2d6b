"""One check of a plugin, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entire.model.choice import Choice
from entire.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.testing.compliance.call import Answer
    from entire.testing.compliance.probe import Probe


class Check(Value):
    """One rule of the protocol. ``needs``: capabilities of the plugin, kinds of fixtures, or ``extensions`` (any).

    ``is_large``: it takes seconds, and is left out of a quick run.
    """

    name: str
    check: Callable[[Probe], None]
    group: str
    needs: tuple[str, ...] = ()
    is_large: bool = False

    @property
    def text(self) -> str:
        """What is promised."""
        return " ".join((self.check.__doc__ or "").split())


class Status(Choice):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOTE = "note"  # passed, with a remark


class Exchange(Value):
    """What was sent to a plugin and what came back, shortened for people."""

    command: str
    folder: str
    sent: str
    status: str
    stdout: str
    stderr: str
    seconds: float


class Result(Value):
    """What came of one check. ``reason``: why it failed or was skipped, or the remark."""

    name: str
    group: str
    promise: str
    status: Status
    reason: str = ""
    exchange: Exchange | None = None
    seconds: float = 0.0


class Failed(Exception):
    """A rule is broken: what was expected, and the answer that shows it."""

    def __init__(self, expected: str, answer: Answer | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.answer = answer


class Skipped(Exception):
    """A rule cannot be checked here; says why."""
