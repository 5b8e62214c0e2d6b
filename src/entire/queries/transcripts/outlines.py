"""What is kept of a stored transcript, so that it need not be read again."""

from __future__ import annotations

from entire.conversation.records import Prompt
from entire.model import digests
from entire.model.transcripts import Subagent
from entire.model.value import Value


class SlotPrompts(Value):
    """The prompts of a session's part of a checkpoint, and what is left out of its transcript."""

    prompts: tuple[Prompt, ...]
    left_out: str = ""


KEPT = (
    SlotPrompts, Prompt, Subagent, digests.PartDigest, digests.FileDigest, digests.FailureDigest, digests.TestRunDigest,
    digests.AttemptDigest,
)  # fmt: skip
"""The classes of all that is kept."""
