"""A session's prompts as files: ``prompt.txt`` and ``context.md`` (formats.md section 2.6)."""

from __future__ import annotations

from entire.redact import Redacted, trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SEPARATOR = "\n\n---\n\n"
_PROMPT_CUT = 500


def prompt_text(prompts: Iterable[Redacted]) -> Redacted:
    return trusted(SEPARATOR.encode().join(prompts))


def context_text(prompts: Iterable[Redacted]) -> Redacted:
    """Return the content of ``context.md``; prompts are cut at 500 bytes, never inside a character."""
    out = [b"# Session Context\n\n## User Prompts\n\n"]
    for number, prompt in enumerate(prompts, 1):
        shown = bytes(prompt)
        if len(shown) > _PROMPT_CUT:
            shown = shown[:_PROMPT_CUT].decode("utf-8", "ignore").encode() + b"..."
        out.append(b"### Prompt %d\n\n%s\n\n" % (number, shown))
    return trusted(b"".join(out))
