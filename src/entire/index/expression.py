"""What people type as a query, as an expression of SQLite's FTS5 and as patterns that find the same in a text.

Words must all be there; ``"a phrase"``, ``-not``, ``prefix*`` and ``OR`` between two words are all that has a meaning.
Everything else is text: it reaches SQLite in quotes only.
"""

from __future__ import annotations

import re
import unicodedata

from entire.errors import UsageError
from entire.index import words
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TERM = re.compile(r'(-?)"([^"]*)(?:"|$)(\*?)|(\S+)')
_TOKEN = re.compile(r"[^\W_]+")


class Term(Value):
    """A word or phrase. ``joins_previous``: this or the term before it."""

    text: str
    is_excluded: bool = False
    is_prefix: bool = False
    joins_previous: bool = False


class Expression(Value):
    """A query. ``exact``: the words as one phrase, '' if that is the same; ``patterns``: of what to highlight."""

    match: str
    exact: str
    patterns: tuple[re.Pattern[str], ...]

    @property
    def has_prefix(self) -> bool:
        return '" *' in self.match


def parse(query: str) -> Expression:
    """Return a query's expression; raises UsageError if it asks for no word."""
    terms = list(_terms(query.replace("\0", " ")))
    wanted = [term for term in terms if not term.is_excluded]
    excluded = [term for term in terms if term.is_excluded]
    if not wanted and excluded:
        raise UsageError(f"the query only excludes: {query}",
                         hint='add a word to find, or quote a word that starts with a dash: \'"-x"\'')  # fmt: skip
    if not wanted:
        raise UsageError(
            "the query has no letter or digit to search for", hint="run `entire search --help` for examples"
        )
    groups: list[list[str]] = []
    for term in wanted:
        if term.joins_previous and groups:
            groups[-1].append(_match(term))
        else:
            groups.append([_match(term)])
    every = " AND ".join(f"({' OR '.join(group)})" for group in groups)
    is_plain = len(wanted) > 1 and not any(term.joins_previous for term in wanted)
    exact = _quoted(" ".join(term.text for term in wanted), is_prefix=wanted[-1].is_prefix) if is_plain else ""
    return Expression(
        match=_without(every, excluded),
        exact=_without(exact, excluded) if exact else "",
        patterns=tuple(pattern for term in wanted for pattern in _patterns(term)),
    )


def _without(match: str, excluded: Sequence[Term]) -> str:
    return f"({match}) NOT ({' OR '.join(map(_match, excluded))})" if excluded else match


def _terms(query: str) -> Iterator[Term]:
    is_or = False
    for found in _TERM.finditer(query):
        dash, phrase, star, word = found.groups()
        if word == "OR":
            is_or = True
            continue
        if word is not None:
            dash = "-" if re.match(r"-[^-]", word) else ""
            star, phrase = ("*" if word.endswith("*") else ""), word.removeprefix(dash).removesuffix("*")
        if _TOKEN.search(words.spaced(phrase)):
            yield Term(text=phrase, is_excluded=bool(dash), is_prefix=bool(star), joins_previous=is_or and not dash)
        is_or = False


# ---------------------------------------------------------------- for SQLite


def _match(term: Term) -> str:
    """Return the expression of a term: as it is, or with its camel case taken apart."""
    forms = dict.fromkeys([term.text, words.parts(term.text)])
    found = " OR ".join(_quoted(form, is_prefix=term.is_prefix) for form in forms)
    return f"({found})" if len(forms) > 1 else found


def _quoted(text: str, *, is_prefix: bool) -> str:
    """Return a phrase; a single character of a script without spaces is the start of pairs."""
    tokens: list[str] = []
    is_open = False
    for piece in words.split_unspaced(words.spaced_names(text)):
        if words.is_unspaced(piece):
            tokens += [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
            is_open = len(piece) == 1
        else:
            tokens.append(piece)
            is_open = False
    is_prefix = is_prefix or is_open
    phrase = " ".join(tokens).replace('"', " ")
    return f'"{phrase}"' + (" *" if is_prefix else "")


# ---------------------------------------------------------------- for highlights


def folded(text: str) -> str:
    """Return a text in lower case and without accents, with each character in its place."""
    lower = text.lower()
    lower = lower if len(lower) == len(text) else "".join(char.lower()[:1] or char for char in text)
    if lower.isascii():
        return lower
    return "".join(char if char.isascii() else unicodedata.normalize("NFD", char)[0] for char in lower)


def _patterns(term: Term) -> Iterator[re.Pattern[str]]:
    tokens = _TOKEN.findall(folded(term.text))
    body = r"[\W_]*".join(map(re.escape, tokens))
    if body:
        is_bounded = not any(words.is_unspaced(token) for token in tokens)
        start = r"(?<![^\W_])" if is_bounded else ""
        end = r"(?![^\W_])" if is_bounded and not term.is_prefix else ""
        yield re.compile(f"{start}{body}{end}|{body}" if start else body)


def places(text: str, patterns: Sequence[re.Pattern[str]]) -> list[tuple[int, int]]:
    """Return where the patterns match in a text, in order and without overlaps."""
    low = folded(text)
    found = sorted({(match.start(), -match.end()) for pattern in patterns for match in pattern.finditer(low)})
    out: list[tuple[int, int]] = []
    for start, end in found:
        if not out or start >= out[-1][1]:
            out.append((start, -end))
    return out
