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
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Complete = Callable[[str], Sequence[str] | None]

_TERM = re.compile(r'(-?)"([^"]*)(?:"|$)(\*?)|(\S+)')
_TOKEN = re.compile(r"[^\W_]+")


class Term(Value):
    """A word or phrase. ``joins_previous``: this or the term before it."""

    text: str
    is_excluded: bool = False
    is_prefix: bool = False
    joins_previous: bool = False


class Look(Value):
    """Another way to answer an expression: ``pattern``, in a column of a text that ``match`` finds ('': any text)."""

    match: str
    pattern: re.Pattern[str]


class Expression(Value):
    """A query. ``exact``: the words as one phrase, '' if that is the same; ``patterns``: of what to highlight.

    ``looks``: for expressions with a prefix that starts many words, which SQLite all collects before it answers.
    """

    match: str
    exact: str
    patterns: tuple[re.Pattern[str], ...]
    looks: Mapping[str, Look]

    @property
    def has_prefix(self) -> bool:
        return '" *' in self.match


def parse(query: str, complete: Complete = lambda _: None) -> Expression:
    """Return a query's expression; raises UsageError if it asks for no word.

    ``complete``: returns the words that start so, None if they are too many to name each in place of a prefix.
    """
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
            groups[-1].append(_match(term, complete))
        else:
            groups.append([_match(term, complete)])
    every = " AND ".join(f"({' OR '.join(group)})" for group in groups)
    is_plain = len(wanted) > 1 and not any(term.joins_previous for term in wanted)
    exact = _alternatives([" ".join(term.text for term in wanted)], wanted[-1], complete) if is_plain else ""
    without = f" NOT ({' OR '.join(_match(term, complete) for term in excluded)})" if excluded else ""
    match, exact = (f"({part}){without}" if part and without else part for part in (every, exact))
    return Expression(
        match=match,
        exact=exact,
        patterns=tuple(pattern for term in wanted for pattern in _patterns(term)),
        looks=_looks(wanted, match, exact) if '" *' in match and not without else {},
    )


def _looks(wanted: Sequence[Term], match: str, exact: str) -> dict[str, Look]:
    """Return the looks of plain words of which only the last is a prefix; none of anything else."""
    *before, last = wanted
    phrase = " ".join(term.text for term in wanted).lower()
    is_plain = phrase.isascii() and last.text.isalnum() and last.text == words.parts(last.text)
    if not is_plain or any(term.joins_previous for term in wanted) or any(term.is_prefix for term in before):
        return {}
    every = [_match(term, lambda _: None) for term in before]
    looks = {match: Look(match=" AND ".join(every), pattern=_start(last.text.lower()))}
    if exact:
        looks[exact] = Look(match=" AND ".join(every), pattern=_start(*_TOKEN.findall(words.spaced_names(phrase))))
    return looks


def _start(*tokens: str) -> re.Pattern[str]:
    """Return the pattern of tokens in a folded text, of which the last may go on; not within a token of SQLite's."""
    return re.compile(r"(?<![^\W_]|[\u0300-\u036f\ue000-\uf8ff])" + r"[\W_]+".join(map(re.escape, tokens)))


def _terms(query: str) -> Iterator[Term]:
    is_or = False
    for match in _TERM.finditer(query):
        dash, phrase, star, word = match.groups()
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


def _match(term: Term, complete: Complete) -> str:
    """Return the expression of a term: as it is, or with its camel case taken apart."""
    return _alternatives(dict.fromkeys([term.text, words.parts(term.text)]), term, complete)


def _alternatives(forms: Iterable[str], term: Term, complete: Complete) -> str:
    """Return the forms of a term as phrases; in place of a prefix, which SQLite collects first, the words it starts."""
    phrases: list[str] = []
    for form in forms:
        phrase, is_open = _phrase(form)
        *_, last = _TOKEN.finditer(phrase)
        is_prefix = term.is_prefix or is_open
        ends = complete(last[0].lower()) if is_prefix and last[0].isascii() else None
        if ends:
            phrases += [f'"{phrase[: last.start()]}{end}"' for end in ends]
        else:
            phrases.append(f'"{phrase}"' + " *" * (is_prefix and ends is None))
    return f"({' OR '.join(phrases)})" if len(phrases) > 1 else phrases[0]


def _phrase(text: str) -> tuple[str, bool]:
    """Return a phrase, and whether it is a prefix: a single character of a script without spaces starts pairs."""
    tokens: list[str] = []
    is_open = False
    for piece in words.split_unspaced(words.spaced_names(text)):
        if words.is_unspaced(piece):
            tokens += [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
            is_open = len(piece) == 1
        else:
            tokens.append(piece)
            is_open = False
    return " ".join(tokens).replace('"', " "), is_open


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
    spans = sorted({(match.start(), -match.end()) for pattern in patterns for match in pattern.finditer(low)})
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if not out or start >= out[-1][1]:
            out.append((start, -end))
    return out
