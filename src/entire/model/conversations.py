"""Sessions and their turns, as they are read out. Times are seconds since the epoch."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import TokenUsage


class TurnView(Value):
    """One prompt of a session, and when it was answered."""

    session_id: str
    turn: str  # id; '' for a prompt from before Entire saw the session
    number: int  # 1 for the session's first prompt
    agent: str = ""  # display name
    model: str = ""
    prompt: str = ""  # redacted
    started: float = 0.0
    ended: float = 0.0
    tokens: TokenUsage | None = None
    position: int = 0  # records of the transcript before the prompt's own
    end: int = 0  # records at the turn's end; 0 if unknown
    checkpoint_id: str = ""  # '' if no checkpoint has it yet
