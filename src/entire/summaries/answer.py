"""What a model answers is input: it is checked, cleaned, redacted and bounded before it becomes a summary."""

from __future__ import annotations

import re

from entire.errors import EntireError
from entire.model import jsontext
from entire.model.records import CodeLearning, Summary
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.redact import Redactor

_SENTENCES = 2_000  # characters of intent and outcome
_ITEM = 500
_ITEMS = 20
_MAX = 1 << 17
_LAST_LINE = 10_000_000
_FIELDS = {"intent", "outcome", "learnings", "friction", "open_items"}
_NOTHING = object()  # what no JSON value is
_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{")
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_JOINERS = "\u200c\u200d"  # invisible, but part of words and signs


def parse(text: str, redactor: Redactor) -> Summary:
    """Return the summary in a model's answer: a JSON object with a summary's fields, or plain text, the intent.

    Raises EntireError if there is none in it.
    """
    if len(text) > _MAX:
        raise EntireError(f"the model's answer is too long ({len(text):,} characters)")
    value = _json_object(text)
    if value is None and (_OBJECT.match(text) or _loads(text) is not _NOTHING):
        raise EntireError("the model's answer is JSON, but not a summary")
    read = Summary(intent=text) if value is None else Summary.from_json(value) or Summary()
    summary = _Cleaner(redactor).summary(read)
    if summary == Summary():
        raise EntireError("the model's answer holds no summary")
    return summary


def _json_object(text: str) -> dict[str, Any] | None:
    """Return the summary's object: alone, in a fenced block, or between sentences of the model's own."""
    value = _loads(text[text.find("{") : text.rfind("}") + 1])
    return value if isinstance(value, dict) and not _FIELDS.isdisjoint(value) else None


def _loads(text: str) -> Any:
    """Return the text as a JSON value, _NOTHING if it is not JSON."""
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


class _Cleaner:
    """Takes out of a model's answer what may not be stored."""

    def __init__(self, redactor: Redactor) -> None:
        self._redact = redactor.redact_text

    def summary(self, said: Summary) -> Summary:
        return Summary(
            intent=self._clean(said.intent, _SENTENCES),
            outcome=self._clean(said.outcome, _SENTENCES),
            repo=self._items(said.repo),
            code=tuple(learning for learning in map(self._learning, said.code[:_ITEMS]) if learning.finding),
            workflow=self._items(said.workflow),
            friction=self._items(said.friction),
            open_items=self._items(said.open_items),
        )

    def _items(self, items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(item for item in (self._clean(item, _ITEM) for item in items[:_ITEMS]) if item)

    def _learning(self, learning: CodeLearning) -> CodeLearning:
        """The Go CLI cannot read a line number that does not fit in 64 bits."""
        line = learning.line if 0 < learning.line <= _LAST_LINE else 0
        end_line = learning.end_line if line and line <= learning.end_line <= _LAST_LINE else 0
        path, finding = self._clean(learning.path, _ITEM), self._clean(learning.finding, _ITEM)
        return replace(learning, path=path, finding=finding, line=line, end_line=end_line)

    def _clean(self, text: str, limit: int) -> str:
        """Return text on one line, without secrets or anything that commands a terminal.

        Redacted twice: a secret may span lines, and control characters may hide one.
        """
        without = _TERMINAL.sub("", self._redact(text))
        plain = "".join(char for char in without if char.isprintable() or char.isspace() or char in _JOINERS)
        safe = self._redact(" ".join(plain.split()))
        return safe if len(safe) <= limit else safe[: limit - 1].rstrip() + "…"
