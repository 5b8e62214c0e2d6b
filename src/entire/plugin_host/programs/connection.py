"""The connection to a plugin's ``entire-ask``: one question per line on its standard input, one answer per line back.

The next question is written only after the answer, so whatever else the program prints is out of turn, and could be
taken for the next answer: the connection then ends.
"""

from __future__ import annotations

import time

from entire.plugin_host.language.protocol import GRACE_SECONDS, MAX_ANSWER
from entire.plugin_host.programs import running
from entire.plugin_host.programs.running import OutOfTurnError, Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.plugin_host.programs.running import Running


class Connection:
    """A running ``entire-ask``; ``is_answer`` tells whether an answer counts that lacks the line's end."""

    def __init__(self, child: Running, is_answer: Callable[[bytes], bool]) -> None:
        self.child = child
        self.has_answered = False
        self._is_answer = is_answer

    def ask(self, question: bytes, deadline: float) -> bytes | None:
        """Return the answer, None if the program has ended without one, or reads no more questions."""
        if self.has_answered:
            earlier = self.child.look()
            if earlier is None or self.child.is_writing():
                return None
            if earlier.strip():
                raise OutOfTurnError
        output = _Line(self._is_answer)
        self.child.write(question, last=False)
        self.child.read(output, deadline)
        answer, _, rest = bytes(output.data.lstrip()).partition(b"\n")
        if rest.strip():
            raise OutOfTurnError
        self.has_answered |= bool(answer)
        return answer or None

    def close(self) -> None:
        """Let the program end by itself, for a short time, then kill its group."""
        try:
            self.child.write(b"", last=True)
            self.child.read(_Discarded(0), time.monotonic() + GRACE_SECONDS)
        except running.TimeOverError:
            pass
        finally:
            self.child.end()


class _Line(Output):
    def __init__(self, is_answer: Callable[[bytes], bool]) -> None:
        super().__init__(MAX_ANSWER)
        self._is_answer = is_answer

    def is_complete(self) -> bool:
        return b"\n" in self.data and b"\n" in self.data.lstrip()

    def is_enough(self, *, is_closed: bool) -> bool:
        return is_closed or self._is_answer(bytes(self.data))


class _Discarded(Output):
    def add(self, data: bytes) -> None:
        pass
