"""Words and random letters."""

from __future__ import annotations

import string
from random import Random

import pytest

from entire_secrets.judging import words


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (b"", []),
        (b"getHTTPHeader2", [b"get", b"HTTP", b"Header"]),  # the capital of a word is not the acronym's
        (b"snake_case-x.y", [b"snake", b"case", b"x", b"y"]),
        (b"V1SecretList", [b"V", b"Secret", b"List"]),
    ],
)
def test_runs_of_letters(text: bytes, runs: list[bytes]) -> None:
    assert list(words.runs(text)) == runs


@pytest.mark.parametrize(
    "word", [b"password", b"Secret", b"CONTEXT", b"projection", b"metadata", b"identifier", b"configuration", b"the"]
)
def test_words_read_like_words(word: bytes) -> None:
    assert words.is_word(word)


@pytest.mark.parametrize("word", [b"", b"ab", b"xqz", b"qwzrtk", b"bvxkjh"])
def test_letters_do_not(word: bytes) -> None:
    assert not words.is_word(word)


def test_identifiers_are_mostly_words_and_tokens_hardly() -> None:
    for name in (b"OAuth2ClientAuth", b"previousToken2", b"x25519.generate", b"SOCKS5_CUSTOM_AUTH_START"):
        assert words.share(name) >= 0.5
    source = Random(1)
    for alphabet in (string.ascii_letters + string.digits, string.ascii_lowercase + string.digits, "0123456789abcdef"):
        tokens = ["".join(source.choice(alphabet) for _ in range(20)).encode() for _ in range(1000)]
        assert sum(words.share(token) >= 0.5 for token in tokens) < 10
    assert words.share(b"") == 0
