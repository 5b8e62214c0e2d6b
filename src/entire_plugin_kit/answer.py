"""How a plugin is called, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from entire.plugin.host import protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Call:
    """How a plugin is called. ``folder`` is the working directory, ``words`` follow the executable."""

    path: str
    words: tuple[str, ...]
    env: Mapping[str, str]
    folder: str
    stdin: bytes | None = b""  # None: there is no standard input at all
    prefix: tuple[str, ...] = ()  # a program that starts the executable
    seconds: float = protocol.CALL_SECONDS
    max_output: int = protocol.MAX_ANSWER
    max_read: int = -1  # of standard output, which is then closed; -1: to its end


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a call. ``problem``: why it was stopped, '' if it ended by itself.

    ``cpu_seconds``: what its process worked, however busy the machine was.
    """

    call: Call
    status: int
    stdout: bytes
    stderr: bytes
    seconds: float
    cpu_seconds: float = 0.0
    problem: str = ""
    has_left_processes: bool = False

    @property
    def is_ok(self) -> bool:
        return not self.problem and self.status == 0

    @property
    def is_refusal(self) -> bool:
        """Tell whether the plugin itself said no: with an exit status and a message."""
        return not self.problem and self.status > 0 and bool(self.stderr.strip())
