"""One promise, how it is asked, and what came of that."""

from __future__ import annotations

import enum
import linecache
import traceback
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from entire_plugin_kit.answer import Answer

PROGRAM, ADAPTER, FRAMEWORK = "program", "adapter", "framework"
"""Who gives a promise: a plugin as a program, an agent's adapter (which may be a plugin behind its host), or Entire."""


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One promise. ``check`` is given a ``Probe`` of a program, else a rig and an empty folder.

    ``needs``: of a program, capabilities and kinds of fixtures; else parts of the rig and capabilities (``Rig.has``).
    ``is_large``: it takes seconds, and is left out of a quick run.
    """

    name: str
    check: Callable[..., None]
    by: str
    group: str
    needs: tuple[str, ...] = ()
    is_large: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        """What is promised."""
        return " ".join((self.check.__doc__ or "").split())


class Status(enum.Enum):
    """How a promise ended that was asked for."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOTE = "note"  # passed, with a remark


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What was sent to a plugin and what came back, shortened for people."""

    command: str
    folder: str
    sent: str
    status: str
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of one promise. ``reason``: why it failed or was skipped, or the remark."""

    name: str
    group: str
    promise: str
    status: Status
    reason: str = ""
    exchange: Exchange | None = None
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status.value}


class Failed(AssertionError):
    """A promise is broken: what was expected, and the answer of a program that shows it."""

    def __init__(self, expected: str, answer: Answer | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.answer = answer


class Skipped(Exception):
    """A promise cannot be asked for here; says why."""


class Noted(Exception):
    """A promise is kept, but its author should know something."""


_SHOWN = 600
"""Characters of a value that a failure shows."""


def same(actual: object, wanted: object, where: object = "") -> None:
    """Fail unless two values are equal; says both."""
    if actual != wanted:
        place = f"\nat {_shown(where)}" if where != "" else ""
        raise Failed(f"{_shown(actual)} == {_shown(wanted)}{place}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"


def why(error: BaseException) -> str:
    """Return why a promise failed, for people: what was expected, or what was raised, and where."""
    if isinstance(error, Failed):
        return f"{error.expected}\n{_place(error)}"
    if isinstance(error, AssertionError):
        about = f"\nat {error}" if str(error) else ""
        return f"{_statement(error)}{about}\n{_place(error)}"
    return f"no {type(error).__name__}: {error}\n{_place(error)}"


def _frame(error: BaseException) -> traceback.FrameSummary | None:
    """Return where in the kit a promise failed; None outside of it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != same.__name__]
    return next((frame for frame in reversed(frames) if "entire_plugin_kit" in frame.filename), None)


def _statement(error: BaseException) -> str:
    frame = _frame(error)
    if frame is None or frame.lineno is None:
        return "an assertion that holds"
    last = getattr(frame, "end_lineno", None) or frame.lineno
    lines = [linecache.getline(frame.filename, number).strip() for number in range(frame.lineno, last + 1)]
    return " ".join(lines).removeprefix("assert ")


def _place(error: BaseException) -> str:
    frame = _frame(error)
    return f"({frame.filename.rpartition('entire_plugin_kit/')[2]}:{frame.lineno})" if frame is not None else ""
