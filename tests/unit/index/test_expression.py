"""Queries as expressions, and the parts of texts that show what they find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import UsageError
from entire.index import database, expression
from entire.index.snippets import snippet


@pytest.mark.parametrize(
    ("query", "match", "exact"),
    [
        ("a", '("a")', ""),
        ("a b", '("a") AND ("b")', '"a b"'),
        ('a "b c" -d', '(("a") AND ("b c")) NOT ("d")', '("a b c") NOT ("d")'),
        ("a b OR c", '("a") AND ("b" OR "c")', ""),
        ("pre*", '("pre" *)', ""),
        ("readAll", '(("readAll" OR "read All"))', ""),
        ("--amend", '("--amend")', ""),
        ('open "quote here', '("open") AND ("quote here")', '"open quote here"'),
        ("OR a OR", '("a")', ""),
        ("登录错误", '("登录 录错 错误")', ""),
        ("误", '("误" *)', ""),
        ("a + ... b", '("a") AND ("b")', '"a b"'),
    ],
)
def test_a_query_is_an_expression_of_quoted_words(query: str, match: str, exact: str) -> None:
    found = expression.parse(query)
    assert (found.match, found.exact) == (match, exact)


@pytest.mark.parametrize(
    ("query", "match", "exact"),
    [
        ("Conf*", '("config" OR "confirm")', ""),
        ("a src/conf*", '("a") AND ("src/config" OR "src/confirm")', '("a src/config" OR "a src/confirm")'),
        ("a -conf*", '("a") NOT ("config" OR "confirm")', ""),
        ("none*", '("none")', ""),
        ("many*", '("many" *)', ""),
        ("误", '("误" *)', ""),
    ],
)
def test_a_prefix_is_the_words_that_start_so_unless_they_are_many(query: str, match: str, exact: str) -> None:
    starting: dict[str, list[str] | None] = {"conf": ["config", "confirm"], "none": [], "many": None}
    found = expression.parse(query, starting.__getitem__)
    assert (found.match.replace("((", "(").replace("))", ")"), found.exact) == (match, exact)


@pytest.mark.parametrize("query", ["yak OR z*", "yak -z*", "z* yak*", "misteryoso-Ñ*", "fooBar*"])
def test_only_plain_words_before_a_prefix_are_looked_for(query: str) -> None:
    assert expression.parse(query).looks == {}
    assert expression.parse("yak z*").looks.keys() == {'("yak") AND ("z" *)', '"yak z" *'}


@pytest.mark.parametrize("query", ["", " ", "-a", '-"a b" -c', "...", '"', "OR", "\0"])
def test_a_query_without_a_word_to_find_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        expression.parse(query)


@given(st.text(alphabet=st.characters(), max_size=40) | st.text(alphabet="ab\"-*()^:{}+ORNEAT \\'", max_size=30))
def test_any_query_is_one_that_sqlite_understands(query: str) -> None:
    try:
        found = expression.parse(query)
    except UsageError:
        return
    db = database.connect(":memory:")
    for match in filter(None, (found.match, found.exact)):
        db.execute(
            "SELECT rowid FROM words WHERE words MATCH ?", (match.encode("utf-8", "replace").decode(),)
        ).fetchall()
    db.close()


@given(st.text(min_size=1, max_size=60), st.integers(0, 400))
def test_a_snippet_is_a_part_of_the_text_and_highlights_lie_in_it(word: str, before: int) -> None:
    text = "filler " * before + word + " tail" * 100
    try:
        patterns = expression.parse(word).patterns
    except UsageError:
        return
    shown, highlights, is_cut = snippet(text, patterns)
    assert shown in text
    assert is_cut == (shown != text)
    assert all(0 <= start < end <= len(shown) for start, end in highlights)
    assert [*highlights] == sorted(highlights)


def test_a_snippet_is_where_most_of_the_words_are() -> None:
    text = "alpha " + "x " * 300 + "alpha beta gamma " + "y " * 300
    shown, highlights, is_cut = snippet(text, expression.parse("alpha beta gamma").patterns)
    assert is_cut
    assert [shown[start:end] for start, end in highlights] == ["alpha", "beta", "gamma"]


def test_highlights_stand_where_the_words_are_whatever_their_case_or_accents() -> None:
    shown, highlights, _ = snippet("Ein NAÏVER Ansatz: getHTTPReader İx", expression.parse("naiver reader").patterns)
    assert [shown[start:end] for start, end in highlights] == ["NAÏVER", "Reader"]
