"""Parses prompts for the demo agent into instructions.

Instructions are separated by a newline, ``;`` or the word ``then`` before a verb, except inside quotes or blocks. A
text is bare words, a quoted string with C escapes, a block between lines of three backticks, or an indented block.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
FENCE = r"```[^\n`]*\n(?:.*?\n)??[ \t]*```"
TEXT = rf"(?:{QUOTED}|{FENCE}|.+?)"
PATH = rf"(?:{QUOTED}|`[^`\n]+`|[^\s:]\S*?)"

_POLITE = r"(?:(?:please|and|also|now|then),?\s+)*"
_ASK = r"ask\s+a\s+(?:helper|subagent)"
_VERBS = rf"(?:create|append|replace|delete|remove|run|say|remember|what\s+do\s+you\s+remember|{_ASK})\b"
_THEN = re.compile(rf"(?:\s*,)?\s+(?:and\s+)?then[\s,]+(?={_POLITE}{_VERBS})", re.IGNORECASE)
_HELPER = re.compile(rf"\s*{_POLITE}{_ASK}\s+to[ \t:]+", re.IGNORECASE)
_BLOCK = re.compile(r"(?:\n(?:[ ]{4}|\t)[^\n]*|\n[ \t]*(?=\n(?:[ ]{4}|\t)))+")
_BEFORE_BLOCK = re.compile(r"(?::|\bwith|\brun)[ \t]*$", re.IGNORECASE)
_QUOTED = re.compile(QUOTED, re.DOTALL)
_FENCE = re.compile(FENCE, re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "0": "\0"}

_FORMS = tuple(
    (verb, re.compile(rf"{_POLITE}{form}\s*", re.IGNORECASE | re.DOTALL))
    for verb, form in (
        (
            "create",
            rf"create\s+(?:an?\s+|the\s+)?(?:new\s+|empty\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?P<path>{PATH})"
            rf"(?:\s+with(?:\s+content)?:?(?P<text>\n.+|[ \t]+{TEXT}))?",
        ),
        (
            "append",
            rf"append\s+to\s+(?:the\s+)?(?:file\s+)?(?P<path>{PATH})(?:\s+with)?:?"
            rf"(?P<text>\n.+|[ \t]+(?:{QUOTED}|{FENCE}))",
        ),
        ("append", rf"append\s+(?P<text>{TEXT})\s+to\s+(?:the\s+)?(?:file\s+)?(?P<path>{PATH})"),
        (
            "replace",
            rf"replace\s+(?P<text>{TEXT})\s+with\s+(?P<new>{TEXT})\s+in\s+(?:the\s+)?(?:file\s+)?(?P<path>{PATH})",
        ),
        ("delete", rf"(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?(?P<path>{PATH})"),
        ("run", rf"run:?\s+(?P<text>{TEXT})"),
        ("say", rf"say:?\s+(?P<text>{TEXT})"),
        ("remember", rf"remember\s+(?:that\s+)?(?P<text>{TEXT})"),
        ("recall", r"what\s+do\s+you\s+remember\s*\??"),
        ("helper", rf"{_ASK}\s+to[ \t:]+(?P<text>{TEXT})"),
    )
)


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """An instruction. ``verb`` is one of the verbs above, or ``unknown`` with the clause in ``text``."""

    verb: str
    path: str = ""
    text: str = ""
    new: str = ""


def parse(prompt: str) -> list[Instruction]:
    """Return the instructions of a prompt in order; clauses that do not parse become ``unknown`` instructions."""
    return [_read(clause) for clause in split(prompt.replace("\r\n", "\n"))]


def split(prompt: str) -> list[str]:
    """Split a prompt into clauses. A clause that asks a helper extends to the end unless its task is quoted."""
    clauses, start, i = [], 0, 0
    while i < len(prompt):
        if i == start and (helper := _HELPER.match(prompt, i)):
            task = _quote_end(prompt, helper.end())
            i = task if task else len(prompt)
        elif end := _quote_end(prompt, i):
            i = end
        elif prompt[i] == "\n" and (block := _BLOCK.match(prompt, i)) and _BEFORE_BLOCK.search(prompt[start:i]):
            i = block.end()
        elif end := _separator_end(prompt, i):
            clauses.append(prompt[start:i])
            start = i = end
        else:
            i += 1
    clauses.append(prompt[start:])
    return [clause.strip(" \t\n,") for clause in clauses if clause.strip(" \t\n,")]


def _quote_end(prompt: str, i: int) -> int:
    """Return the end of the quoted string or fenced block that starts at ``i``, or 0. An apostrophe starts none."""
    if prompt.startswith("```", i):
        fence = _FENCE.match(prompt, i)
        return fence.end() if fence else len(prompt)
    if prompt[i : i + 1] == '"' or (prompt[i : i + 1] == "'" and not (i and prompt[i - 1].isalnum())):
        quoted = _QUOTED.match(prompt, i)
        return quoted.end() if quoted else 0
    return 0


def _separator_end(prompt: str, i: int) -> int:
    """Return the end of the separator that starts at ``i``, or 0."""
    if prompt[i] in ";\n":
        return i + 1
    then = _THEN.match(prompt, i) if prompt[i] in ", \t" else None
    return then.end() if then else 0


def _read(clause: str) -> Instruction:
    for verb, form in _FORMS:
        if match := form.fullmatch(clause):
            parts = {name: value_of(raw) for name, raw in match.groupdict().items() if raw is not None}
            return Instruction(verb=verb, **parts)
    return Instruction(verb="unknown", text=clause)


def value_of(raw: str) -> str:
    """Return the value of a text: without quotes and fences, escapes replaced, blocks unindented."""
    bare = raw.strip()
    if _QUOTED.fullmatch(bare):
        return _ESCAPE.sub(_unescape, bare[1:-1])
    if bare.startswith("`") and bare.endswith("`") and "`" not in bare[1:-1] and len(bare) > 2:
        return bare[1:-1]
    if _FENCE.fullmatch(bare):
        return bare[bare.index("\n") + 1 : -3].rstrip(" \t")
    if raw.lstrip(" \t").startswith("\n"):
        return textwrap.dedent(raw.lstrip(" \t")[1:]).rstrip() + "\n"
    return bare


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, match[0])
