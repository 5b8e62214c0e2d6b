"""Standard output that may be too long for memory: a transcript that only its plugin can read."""

from __future__ import annotations

from entire import contents
from entire.plugin_host.programs.running import Output, TooMuchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import Content


class LongOutput(Output):
    """Puts what it takes aside."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._scratch = contents.Scratch()
        self._content: Content = b""

    def add(self, data: bytes) -> None:
        if len(self._content) + len(self.data) + len(data) > self._limit:
            raise TooMuchError(self._limit)
        self.data += data
        if len(self.data) > contents.MOST:
            self._content = self.content()
            self.data.clear()

    def content(self) -> Content:
        """Return all of it."""
        return contents.joined(self._content, self._scratch.keep([bytes(self.data)]))
