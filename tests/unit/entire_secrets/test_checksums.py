"""Checksums, with tokens that providers and scanners publish as examples (in two parts, so that no scanner trips)."""

from __future__ import annotations

import pytest

from entire_secrets.judging.checksums import (
    BY_RULE,
    crc32_base36,
    crc32_base62,
    crc32_hex,
    crc32_hex_body,
    crc32_hex_swapped,
    sha256_base32,
)
from entire_secrets.rules.table import BY_ID
from tests.secrets.templates import expand
from tests.unit.entire_secrets.built_in import redact_text

PUBLISHED = [
    (crc32_base62, b"ghp_", b"sbUsUmRNn8X74dFU0DJ9Fm1mvdCgtH474T38"),
    (crc32_base62, b"ghr_", b"8nCjGaHwmLS1wgks9y66hLnLlHMfKA6exMVhXXyavMMO0fEl3YxMvv2skLJUCT3UMSpysr2VKOni"),
    (crc32_base62, b"npm_", b"UbgPPivTJpVo0PpKt9qNnXWflGsxY81zr8Fd"),
    (crc32_base62, b"vcp_", b"35UYJwYZDigYATKhxJUAhPqRhit2Xe3dtiG60LsUTHeklEXDQ94Jafpu"),
    (crc32_hex, b"ATBB", b"Ab3dE5fG7hJ9kL2mN4pQ6rS8AD6D34F4"),
    (crc32_hex_body, b"zpka_", b"3e6c4f7d39954ca29353b7ab88589b64_de26cd55"),
    (crc32_hex_swapped, b"glsa_", b"yscW25imSKJIuav8zF37RZmnbiDvB05G_fcaaf58a"),
    (crc32_base36, b"glpat-", b"vSY1cyL948aAB440qB6L4zlu9OzsUmEV.01.0w0sfevch"),
    (
        sha256_base32,
        b"github_pat_",
        b"11AAYCBDQ0tjwxY3uiVv5v_lo8vfONwp06Vaq9ORB7pSxWM1UT5wSEuqxoxNv15mbAJTNMO62SdeYHLyzV",
    ),
]


@pytest.mark.parametrize(("holds", "prefix", "rest"), PUBLISHED)
def test_published_tokens_hold_and_changed_ones_do_not(holds: object, prefix: bytes, rest: bytes) -> None:
    assert callable(holds)
    assert holds(prefix + rest)
    assert not holds(prefix + bytes(reversed(rest)))


@pytest.mark.parametrize("rule", sorted(BY_RULE))
def test_a_token_whose_checksum_holds_goes_from_within_a_word(rule: str) -> None:
    sample = expand(BY_ID[rule].example, 5)
    assert redact_text(sample.text) == sample.replaced(f"[REDACTED:{rule}]")
    changed = sample.text.replace(sample.secret[-17:], sample.secret[-17:].swapcase())
    assert redact_text(changed) == changed


def test_a_token_whose_checksum_does_not_hold_goes_where_it_stands_alone() -> None:
    for name in ("github-token", "github-fine-grained-token", "gitlab-token", "npm-token", "vercel-token"):
        token = expand(BY_ID[name].example, 3).secret
        assert redact_text(f"it is {token}.") == f"it is [REDACTED:{name}]."
