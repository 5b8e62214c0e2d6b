"""What is remembered, and where it is found again."""

from __future__ import annotations

import pytest

from entire_secrets.memory import MANY, MOST, Memory, is_memorable
from entire_secrets.text import Text
from tests.unit.entire_secrets.built_in import redact
from tests.unit.entire_secrets.planted_secrets import word

PASSWORD = "tr0ub4dor&3-xK"


@pytest.mark.parametrize("value", ["v1.2.3-rc1", "a*x+b*y+c2", "2-Jan-26@10", "i%10+48-7", "-----1a----"])
def test_what_has_few_signs_is_not_remembered(value: str) -> None:
    memory = Memory()
    memory.learn("jwt", value.encode())
    assert not list(memory.find(Text(value.encode())))


def test_without_a_place_nothing_is_remembered() -> None:
    redact(f"db_password = '{PASSWORD}'".encode())
    assert redact(PASSWORD.encode()) == PASSWORD.encode()


def test_memory_has_a_bound() -> None:
    memory = Memory()
    memory.count = MOST
    memory.learn("jwt", PASSWORD.encode())
    assert not list(memory.find(Text(PASSWORD.encode())))


def test_a_name_that_was_taken_for_a_secret_is_not_remembered() -> None:
    memory = Memory()
    memory.learn("generic-value", b"localhost:22")
    memory.learn("generic-value", b"zK8qLm2x7Tp")
    text = Text(b"localhost:22 zK8qLm2x7Tp")
    assert [text.plain[found.start : found.end] for found in memory.find(text)] == [b"zK8qLm2x7Tp"]


@pytest.mark.parametrize(
    "value",
    [
        *("hunter2", "password", "postgres", "12345678", "aaaaaaa1", "my-database-name"),
        *("base64.decodebytes", "localhost:22", "basic_test_realm", "2-tuples"),
    ],
)
def test_ordinary_words_are_not_remembered(value: str) -> None:
    assert not is_memorable(value.encode())


@pytest.mark.parametrize("value", ["hunter22!", PASSWORD, word(20), "correct-horse-battery-staple"])
def test_what_no_word_is_like_is_remembered(value: str) -> None:
    assert is_memorable(value.encode())


def test_of_many_secrets_each_is_found_as_of_few() -> None:
    words = [f"Zq{number:05}xKv" for number in range(400)]
    text = Text(" → ".join([*words, "Zq00001xKvx", "x-Zq00399xKv-y"]).encode())
    found = []
    for count in (MANY - 1, 400):
        memory = Memory()
        for each in words[400 - count :]:
            memory._remember("jwt", each.encode(), memory._new_hash)
        found.append([text.plain[hit.start : hit.end].decode() for hit in memory.find(text)])
    assert found[0] == [*words[-(MANY - 1) :], words[399]]
    assert found[1] == [*words, words[399]]
    last = b"Zq00399xKv"
    assert [each.start for each in memory.find(text, 399)] == [text.plain.find(last), text.plain.rfind(last)]
