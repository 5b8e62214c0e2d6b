"""What documentation and tests write where a secret would stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets.judging import placeholders
from tests.unit.entire_secrets.planted_secrets import hexed, word

PLACEHOLDERS = [
    *("password", "pass", "Passwd", "secret", "mysecretpassword", "my-secret-pw", "password123", "secret1", "token1f"),
    *("test123", "hello123", "changeme", "CHANGEME", "your-api-key", "YOUR_TOKEN_HERE", "foobar", "tiger", "pa#ss"),
    *("new_password", "invalid.token", "xxxx", "XXXXXXXX", "1234567890", "abcdefgh", "abcdef0123456789", "qwertyuiop"),
    *("aaaaaaaa", "********", "AKIAIOSFODNN7" + "EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"),
    *("${PASSWORD}", "$TOKEN", "{password}", "{{ vault_password }}", "<token>", "[token]", "%PASSWORD%", "%s", "***"),
    *("//{repo.netloc}{repo.path}", "Root%20key", "a-dummy-1", "foo%40bar"),
    *("dGhpcyBpcyBub3QgYSByZWFsIHZhbHVl", "YWxhZGRpbjpvcGVuc2VzYW1l", "cGFzc3dvcmQxMjM="),  # in base64
]
SECRETS = [
    *("hunter2", "Tr0ub4dor&3", "correct-horse-battery-staple", "SuperSecret123!", "s3cr3t!pw", "letmein42", "Pa#ss2x"),
    *("P@ssw0rd!23", "Summer2024!", word(24), word(40), hexed(32), hexed(64), "a" * 8 + word(24), "12345" + word(12)),
]


@pytest.mark.parametrize("value", PLACEHOLDERS)
def test_placeholders(value: str) -> None:
    assert placeholders.is_placeholder(value.encode())
    assert placeholders.is_login(value.encode())


@pytest.mark.parametrize("value", SECRETS)
def test_secrets(value: str) -> None:
    assert not placeholders.is_placeholder(value.encode())
    assert not placeholders.is_login(value.encode())


def test_a_long_key_may_contain_any_word_but_the_one_in_capitals() -> None:
    key = word(100) + "your-xxxx" + word(100)
    assert not placeholders.is_placeholder(key.encode())
    assert placeholders.is_placeholder((key + "EXAMPLE" + key).encode())


@pytest.mark.parametrize("value", ["p", "xyz", "b12", ""])
def test_short_passwords_of_logins_are_of_documentation(value: str) -> None:
    assert placeholders.is_login(value.encode())


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(value: bytes) -> None:
    assert placeholders.is_placeholder(value) in (True, False)


def test_hostile_repetition_takes_steps_in_proportion() -> None:
    assert not placeholders.is_placeholder(b"my_" * 60 + b"~" * 10)
