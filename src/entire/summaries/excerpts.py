"""Short forms of what people, agents and programs wrote: prompts, commands, the telling line of an output."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FENCE = re.compile(r"^(```+|~~~+).*?(?:^\1`*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_EMPTY_WORDS = frozenset(
    "a again ahead all also and commit continue do done fine go good great it just keep looks me nice now ok okay on"
    " perfect please proceed push resume right run sure thank thanks that the then this try well y yeah yep yes"
    " you".split()
)
_WORD = re.compile(r"\w+")

_MAX_OUTPUT = 1 << 18  # characters of an output that are searched, at either end
_NAMED = re.compile(
    r"^E\s{2,}\S"  # as pytest marks it
    r"|^(?:[\w.]*\.)?\w*(?:Error|Exception|Panic)\b(?:\[\w+\])?\s*:"
    r"|\b(?:error|fatal)(?:\[\w+\]| [A-Z]+\d+)?\s*:"
    r"|^(?:FAIL|FAILED|ERROR|FATAL|panic)\b"
    r"|(?:command not found|: not found|No such file or directory|[Pp]ermission denied|is not recognized as)"
    r"|^\s*[✗✘×✕]\s"
)
_HINTED = re.compile(r"(?i)\b(?:error|errors|exception|fail(?:ed|ure|s|ures)?|fatal|cannot|can't|could not|denied"
                     r"|invalid|missing|undefined|unexpected|unknown|expected|assert\w*)\b")  # fmt: skip
_NOTHING = re.compile(r"(?i)exit(?:ed|s)?(?: with)?(?: code| status)\b|^</?[\w-]+>$|:$|^\W*$|^0 errors?\b")


def prompt(text: str, limit: int = 300) -> str:
    """Return a prompt on one line: without pasted blocks, cut after a sentence or a word."""
    words = " ".join(_FENCE.sub(" ", text).split()) or " ".join(text.split())
    if len(words) <= limit:
        return words
    head = words[: limit - 1]
    ends = [match.end() for match in _SENTENCE.finditer(words[: limit + 1])]
    if ends and ends[-1] >= limit // 2:
        return words[: ends[-1]].rstrip() + " …"
    space = head.rfind(" ")
    return (head[:space] if space >= limit // 2 else head).rstrip(" ,;:") + "…"


def says_something(text: str) -> bool:
    """Tell whether a prompt is more than an encouragement, such as "yes, go on"."""
    words = [word.lower() for word in _WORD.findall(text)]
    return any(word not in _EMPTY_WORDS for word in words)


def line(text: str, limit: int = 160) -> str:
    """Return text on one line, without what commands a terminal, and cut."""
    words = " ".join(_TERMINAL.sub("", text).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def error(output: str) -> str:
    """Return the line of a failed command's output that says most about why; '' if there is none."""
    text = output if len(output) <= 2 * _MAX_OUTPUT else f"{output[:_MAX_OUTPUT]}\n{output[-_MAX_OUTPUT:]}"
    lines = [stripped for part in _TERMINAL.sub("", text).splitlines() if (stripped := part.strip())]
    telling = [part for part in lines if not _NOTHING.search(part)]
    for pattern in (_NAMED, _HINTED):
        telling_line = next((part for part in telling if pattern.search(part)), "")
        if telling_line:
            return line(telling_line)
    return line(telling[-1]) if telling else ""


def first_telling(lines: Iterable[str]) -> str:
    """Return the first line with a letter or digit, on one line."""
    return next((line(part, 100) for part in lines if is_telling(part)), "")


def is_telling(text: str) -> bool:
    """Tell whether a line of code is more than blanks and brackets."""
    return _WORD.search(text) is not None
