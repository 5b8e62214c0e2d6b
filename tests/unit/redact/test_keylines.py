"""Lines of a private key that stand alone, and what is wrapped like one."""

from __future__ import annotations

import pytest

from entire.redact import find
from entire.redact.keylines import FEWEST, RULE
from tests.unit.redact.planted_secrets import WORDS, sample

LINES = [sample(WORDS + "+/", 64, seed) for seed in range(40, 40 + FEWEST + 3)]


@pytest.mark.parametrize("prefix", ["", "    12\u2192", "+", "config/key.pem:12:"])
def test_lines_of_a_key_are_found_in_what_tools_print(prefix: str) -> None:
    data = "\n".join(prefix + line for line in LINES).encode()
    assert {finding.rule for finding in find(b"head -20 key.pem\n" + data + b"\n")} == {RULE}


def test_few_lines_may_be_anything() -> None:
    assert find("\n".join(LINES[: FEWEST - 1]).encode()) == []


@pytest.mark.parametrize("kind", ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"])
def test_what_is_wrapped_like_a_key_stays(kind: str) -> None:
    dashes = "-" * 5
    text = f"{dashes}BEGIN {kind}{dashes}\n" + "\n".join(LINES) + f"\n{dashes}END {kind}{dashes}\n"
    assert find(text.encode()) == []
