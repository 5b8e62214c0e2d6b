"""Standard output as lines, each handed on as it comes: what is kept here is one line at most."""

from __future__ import annotations

from entire.plugin_host.language.protocol import MAX_RECORD, MAX_RECORDS
from entire.plugin_host.programs.running import Output, TooMuchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Lines(Output):
    """Takes output up to ``MAX_RECORDS`` bytes, and lines up to ``MAX_RECORD``; blank lines are nothing."""

    def __init__(self, take: Callable[[bytes], None], refuse: Callable[[int], None]) -> None:
        super().__init__(MAX_RECORDS)
        self._take = take
        self._refuse = refuse
        self._left = MAX_RECORDS
        self._is_too_long = False

    def add(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            raise TooMuchError(MAX_RECORDS)
        first, *lines = data.split(b"\n")
        self._go_on(first)
        for line in lines:
            self.finish()
            self._go_on(line)

    def _go_on(self, data: bytes) -> None:
        """Take more of the present line."""
        if len(self.data) + len(data) > MAX_RECORD:
            self._is_too_long = True
            self.data.clear()
        elif not self._is_too_long:
            self.data += data

    def finish(self) -> None:
        """Hand the present line on."""
        line, self.data = bytes(self.data), bytearray()
        if self._is_too_long:
            self._refuse(MAX_RECORD)
        elif line.strip():
            self._take(line)
        self._is_too_long = False
