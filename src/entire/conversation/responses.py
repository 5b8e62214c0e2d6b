"""The API responses of a conversation, from the parts that records have of each: their models and tokens."""

from __future__ import annotations

from entire.conversation.records import is_before
from entire.model.tokens import ModelTokens, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.records import Answer


class Response:
    """An API response, from all parts that were read of it."""

    __slots__ = ("at", "comes_again", "counted", "end", "model", "time", "usage")

    def __init__(self, part: Answer) -> None:
        self.at = part.position
        self.comes_again = part.is_again  # and may have its tokens only then
        self.time = part.time
        self.model = ""
        self.end = (0, 0)  # records and bytes up to its end
        self.usage: TokenUsage | None = None
        self.counted = -1  # the first record with its usage: there it counts; -1: none so far

    def take(self, part: Answer) -> None:
        """Take a part. Where parts tell different tokens, that of a repetition is final, else the largest output."""
        self.end = (part.position + 1, part.end)
        self.model = part.model or self.model
        if part.usage is None:
            return
        if self.usage is None or part.is_again or (part.usage.output_tokens or 0) >= (self.usage.output_tokens or 0):
            self.usage = part.usage
        if self.counted < 0:
            self.counted = part.position


class Responses:
    """The responses in the order in which they began. ``known``: the one that was counted before."""

    def __init__(self, known: str = "") -> None:
        self.known = known
        self.by_id: dict[str, Response] = {}

    def take(self, part: Answer) -> None:
        response = self.by_id.get(part.id)
        if response is None:
            response = self.by_id[part.id] = Response(part)
        response.take(part)

    def counted(self, stop: int | None = None) -> list[Response]:
        """Return those whose tokens are first told here, before record ``stop``."""
        responses = [
            response for name, response in self.by_id.items() if name != self.known and response.usage is not None
        ]
        return [response for response in responses if is_before(response.counted, stop)]

    def tokens(self, stop: int | None = None) -> TokenUsage:
        """Sum their tokens, each once."""
        return sum((response.usage for response in self.counted(stop) if response.usage is not None), TokenUsage())

    def told(self, stop: int | None = None) -> tuple[ModelTokens, ...]:
        """Return the tokens of each response, with its model and the record at which they count."""
        return tuple(ModelTokens(at=response.counted, model=response.model, tokens=response.usage)
                     for response in self.counted(stop) if response.usage is not None)  # fmt: skip

    def model(self, stop: int | None = None) -> str:
        """Return the model of the last one that has any, or ''."""
        named = [each.model for each in self.by_id.values() if each.model and is_before(each.at, stop)]
        return named[-1] if named else ""


def of_whole_input(
    whole: int | None, *, read: int | None, written: int | None, output: int | None, thoughts: int | None
) -> TokenUsage:
    """Return a response's usage whose input is told with what a cache gave and took, and whose output is told
    with what the model took to think; None is unknown.
    """
    fresh = None if whole is None else max(whole - (read or 0) - (written or 0), 0)
    usage = TokenUsage(input_tokens=fresh, cache_creation_tokens=written,
                       cache_read_tokens=read, output_tokens=output, api_call_count=1)  # fmt: skip
    return reasoning_in_output(usage, thoughts)


# ---------------------------------------------------------------- reasoning
#
# ``TokenUsage.output_tokens`` is what an agent calls output. Some count what the model took to think as output, others
# beside it: only the adapter knows, and says so by one of these functions.


def reasoning_in_output(usage: TokenUsage, thoughts: int | None) -> TokenUsage:
    """Return a response's usage whose thoughts are a part of its output; None: the agent does not tell."""
    if thoughts is None or usage.output_tokens is None:
        return usage
    return usage.with_reasoning(min(thoughts, usage.output_tokens), 0)


def reasoning_beside_output(usage: TokenUsage, thoughts: int | None) -> TokenUsage:
    """Return a response's usage whose thoughts come on top of its output; None: the agent does not tell."""
    return usage if thoughts is None else usage.with_reasoning(thoughts, thoughts)
