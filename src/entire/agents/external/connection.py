"""The connection to a plugin's ``entire-ask``: one question per line on its standard input, one answer per line back.

The next question is written only after the answer, so whatever else the program prints is out of turn, and could be
taken for the next answer: the connection then ends.
"""

from __future__ import annotations

import time

from entire.agents.external import running
from entire.agents.external.protocol import GRACE_SECONDS, MAX_ANSWER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.external.running import Running


class OutOfTurnError(Exception):
    """The program wrote without being asked."""


class Connection:
    """A running ``entire-ask``; ``is_unfinished_answer`` tells whether an answer without the line's end counts."""

    def __init__(self, child: Running, is_unfinished_answer: Callable[[bytes], bool]) -> None:
        self.child = child
        self.has_answered = False
        self._is_unfinished_answer = is_unfinished_answer

    def ask(self, question: bytes, deadline: float) -> bytes | None:
        """Return the answer, None if the program has ended without one."""
        earlier = self.child.look()
        if earlier is None:
            return None
        if earlier.strip():
            raise OutOfTurnError
        output = running.Buffer(MAX_ANSWER)

        def is_complete(is_silent: bool) -> bool:
            return b"\n" in output.data.lstrip() or (is_silent and self._is_unfinished_answer(bytes(output.data)))

        self.child.write(question, last=False)
        self.child.read(output, deadline, is_complete)
        answer, _, rest = bytes(output.data.lstrip()).partition(b"\n")
        if rest.strip():
            raise OutOfTurnError
        self.has_answered |= bool(answer)
        return answer or None

    def close(self) -> None:
        """Let the program end by itself, for a short time, then kill its group."""
        try:
            self.child.write(b"", last=True)
            self.child.read(_discard, time.monotonic() + GRACE_SECONDS, _never)
        except running.TimeOverError:
            pass
        finally:
            self.child.end()


def _discard(data: bytes) -> None:
    pass


def _never(is_silent: bool) -> bool:  # noqa: ARG001
    return False
