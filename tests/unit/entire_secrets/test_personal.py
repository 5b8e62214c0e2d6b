"""Personal data by its form and check digits."""

from __future__ import annotations

import random

from entire_secrets import personal
from entire_secrets.rules import rule


def found(kind: str, text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in personal.KINDS[kind](data)]


def test_every_wrong_digit_of_an_account_is_noticed() -> None:
    right = "DE89370400440532013000"
    assert found("iban", right) == [right]
    for at in range(2, len(right)):
        wrong = right[:at] + str((int(right[at]) + 1) % 10) + right[at + 1 :]
        assert found("iban", wrong) == []


def test_every_wrong_digit_of_a_card_is_noticed() -> None:
    right = "4539578763621486"
    assert found("card-number", f"x {right}") == [right]
    for at in range(1, len(right)):
        wrong = right[:at] + str((int(right[at]) + 1) % 10) + right[at + 1 :]
        assert found("card-number", wrong) == []


def test_random_digits_are_seldom_a_card() -> None:
    source = random.Random(5)
    numbers = " ".join(str(source.randrange(10**15, 10**16)) for _ in range(500))
    assert len(found("card-number", numbers)) < 40


def test_several_values_in_a_line() -> None:
    assert found("email", "a.b@c.org, <d-e@f.co.uk>; x@y, @z.de, q@example.org") == ["a.b@c.org", "d-e@f.co.uk"]
    assert found("phone", "+44 20 7946 0958 or 020 7946") == ["+44 20 7946 0958"]


def test_what_is_personal_is_known_without_its_patterns() -> None:
    assert set(personal.KINDS) == rule.PERSONAL
