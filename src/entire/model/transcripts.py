"""What adapters report about transcripts: files, edits, messages, subagents."""

from __future__ import annotations

from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO, Protocol

    class LongContent(Protocol):
        """Bytes that are too many for memory, and stay where they are (``entire.contents``)."""

        def __len__(self) -> int: ...

        def __bytes__(self) -> bytes: ...

        def part(self, start: int, stop: int) -> Content: ...

        def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]: ...

        def open(self) -> BinaryIO: ...

    Content = bytes | LongContent


class Agreement(Value):
    """How a stored transcript, which is redacted, and the agent's own agree from their beginning."""

    common: Content  # the agent's own content, as far as both agree
    joined: Content  # that, and then what only the stored one has after it
    extent: int  # how much of the stored one agrees: larger is more
    stored_is_longer: bool  # the stored one goes on after it
    own_is_longer: bool  # the agent's own goes on after it


class FileLines(Value):
    """The lines of a transcript up to a position: their number and size in bytes. They are in the file ``path``, which
    only grows, or, with the path '', they are the ``content`` that an adapter composed of something else.

    ``settled``: how many bytes of the content do not change any more; None: all but those of its last line.
    """

    path: str = ""
    lines: int
    size: int
    content: bytes = b""
    settled: int | None = None


def cut_record(size: int) -> bytes:
    """Return the JSON record that stands for one of ``size`` bytes which is too large."""
    return f'{{"type":"cut","bytes":{size}}}'.encode()


class FileReport(Value):
    """A file that a tool reports as changed. ``call``: the id of the tool call, '' if the agent does not tell."""

    path: str
    call: str = ""


class SessionFile(Value):
    """A session that the agent itself keeps: its transcript, and when that changed (seconds since the epoch)."""

    session_id: str
    session_ref: str
    changed: float


class Edit(Value):
    """A text that a tool call wrote into a file. ``path`` is as the agent gave it, maybe absolute on another machine.

    ``old`` is what it replaced, '' if there was nothing or it is unknown. ``is_whole``: ``new`` is the whole file.
    """

    path: str
    old: str = ""
    new: str = ""
    is_whole: bool = False


class ToolCall(Value):
    """What a tool was asked to do, and what it answered. ``id`` is the agent's; ``command``: a shell command it ran."""

    id: str = ""
    command: str = ""
    edits: tuple[Edit, ...] = ()
    output: str = ""  # complete; '' if nothing is recorded
    has_failed: bool = False  # the agent recorded an error, or the command's exit code was not 0
    subagent: str = ""  # the task, in a few words, if the call started a subagent


class Message(Value):
    """A text or tool call, for display. ``who``: user, agent or tool; ``at``: records before it; ``name``: the tool's
    name, whose ``text`` is the most telling argument. ``time`` is in seconds since the epoch, 0 if it is not recorded.
    """

    who: str
    text: str
    at: int
    name: str = ""
    time: float = 0.0
    call: ToolCall | None = None  # of a tool's message


class Subagent(Value):
    """A subagent that ran. ``session_ref``: its own transcript, as ``Agent.transcript`` takes it; '' if it has none."""

    id: str
    session_ref: str = ""
    tool_use_id: str = ""
    type: str = ""
    description: str = ""
    background: bool = False  # started without waiting: may write after its turn's end

    def updated(self, later: Subagent) -> Subagent:
        """Return it with what a later record says about it."""
        told: dict[str, Any] = {name: value for name, value in vars(later).items() if value}
        return replace(self, **told)
