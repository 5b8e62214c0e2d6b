"""Tokens that API answers took, and their forms in stored JSON."""

from __future__ import annotations

from entire.model.jsontext import LARGEST, whole
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any


class TokenUsage(Value):
    """Tokens of API answers, each counted once; ``subagents``: what subagents used, or None.

    A figure is None if it is unknown; 0 is known. ``at_least`` names the figures that are sums of known and unknown
    parts, in the order of ``FIGURES``: the known ones then say too little. A sum of 0 and an unknown part is unknown.

    ``reasoning_tokens``: what the model took to think, as far as its agent tells (``conversation.responses``); as many
    of them as ``reasoning_beside`` says are not in ``output_tokens``.
    """

    input_tokens: int | None = 0
    cache_creation_tokens: int | None = 0
    cache_read_tokens: int | None = 0
    output_tokens: int | None = 0
    api_call_count: int | None = 0
    subagents: TokenUsage | None = None
    at_least: tuple[str, ...] = ()
    reasoning_tokens: int | None = None
    reasoning_beside: int = 0

    def __bool__(self) -> bool:
        """Tell whether this is more than a known zero."""
        return bool(self.subagents) or any(getattr(self, name) != 0 for name in FIGURES)

    def __add__(self, other: TokenUsage) -> TokenUsage:
        mine, theirs = self.subagents, other.subagents
        summed = of_figures(
            {name: (getattr(self, name) or 0) + (getattr(other, name) or 0) for name in FIGURES},
            {*uncertain(self), *uncertain(other)},
            mine + theirs if mine is not None and theirs is not None else theirs if mine is None else mine,
        )
        thoughts = [usage.reasoning_tokens for usage in (self, other) if usage.reasoning_tokens is not None]
        beside = self.reasoning_beside + other.reasoning_beside
        return summed.with_reasoning(sum(thoughts), beside) if thoughts else summed

    def with_reasoning(self, thoughts: int | None, beside: int) -> TokenUsage:
        return TokenUsage(**{**self.__dict__, "reasoning_tokens": thoughts, "reasoning_beside": beside})


class ModelTokens(Value):
    """What an API response took. ``at``: the record that tells; ``model``: '' if it is unknown."""

    at: int
    model: str
    tokens: TokenUsage


def by_model(told: Iterable[ModelTokens]) -> dict[str, TokenUsage]:
    """Sum up tokens for each model, in the order in which they were first used."""
    tokens: dict[str, TokenUsage] = {}
    for each in told:
        tokens[each.model] = tokens.get(each.model, TokenUsage()) + each.tokens
    return tokens


FIGURES = ("input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count")
UNKNOWN = TokenUsage(
    input_tokens=None, cache_creation_tokens=None, cache_read_tokens=None, output_tokens=None, api_call_count=None
)


def of_figures(known: Mapping[str, int], too_low: Collection[str], subagents: TokenUsage | None = None) -> TokenUsage:
    """Return the usage with these known parts of the figures; ``too_low``: those that also have unknown parts."""
    figures: dict[str, Any] = {name: None if name in too_low and not known[name] else known[name] for name in FIGURES}
    return TokenUsage(
        **figures, subagents=subagents, at_least=tuple(name for name in FIGURES if name in too_low and known[name])
    )


def uncertain(usage: TokenUsage) -> list[str]:
    """Return the figures that are unknown or have unknown parts."""
    return [name for name in FIGURES if getattr(usage, name) is None or name in usage.at_least]


def total(usages: Iterable[TokenUsage | None]) -> TokenUsage | None:
    """Return the sum of usages of which None is unknown; None if nothing of it is known."""
    summed = TokenUsage()
    for usage in usages:
        summed += UNKNOWN if usage is None else usage
    return None if summed == UNKNOWN else summed


# ---------------------------------------------------------------- JSON


def shared_form(usage: TokenUsage) -> dict[str, Any]:
    """Return ``token_usage`` in the Go CLI's form: it reads null, for what is unknown, as 0.

    The form has no place for ``at_least``; the record beside it has (``store.lineage_file``).
    """
    value: dict[str, Any] = {name: getattr(usage, name) for name in FIGURES}
    if usage.reasoning_tokens is not None:  # the Go CLI ignores it
        value["reasoning_tokens"] = usage.reasoning_tokens
        value |= {"reasoning_beside": usage.reasoning_beside} if usage.reasoning_beside else {}
    if usage.subagents is not None:
        value["subagent_tokens"] = shared_form(usage.subagents)
    return value


def usage_to_json(usage: TokenUsage) -> dict[str, Any]:
    """Return a usage in our own form."""
    value = shared_form(replace(usage, subagents=None))
    if usage.subagents is not None:
        value["subagent_tokens"] = usage_to_json(usage.subagents)
    if usage.at_least:
        value["at_least"] = list(usage.at_least)
    return value


def usage_from_json(value: object, depth: int = 0) -> TokenUsage | None:
    """Parse a usage in either form; None if it is absent."""
    if not isinstance(value, dict) or depth > 20:
        return None
    unknown = {name for name in FIGURES if not _is_number(value.get(name, 0))}
    too_low = value.get("at_least")
    usage = of_figures(
        {name: whole(value.get(name)) for name in FIGURES},
        {*unknown, *(name for name in (too_low if isinstance(too_low, list) else ()) if isinstance(name, str))},
        usage_from_json(value.get("subagent_tokens"), depth + 1),
    )
    if not _is_number(value.get("reasoning_tokens")):
        return usage
    return usage.with_reasoning(whole(value["reasoning_tokens"]), whole(value.get("reasoning_beside")))


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST  # type: ignore[arg-type]
