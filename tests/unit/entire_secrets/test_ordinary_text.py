"""Nothing is redacted in ordinary code, lock files and logs: a frozen sample, and generated ones."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from entire_secrets.keyword_search import PURE, candidates, compiled_tier
from entire_secrets.text import Text
from tests.secrets.values import expand
from tests.unit.entire_secrets.built_in import find

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "ordinary").glob("*.gz"))
SIZE = 1_000_000
"""The sample is at least so large: it asserts less than one finding in so many bytes."""

TRIED = 2_000
"""Places in the sample where rules are tried, at most: each is looked at by Python, so they decide about the speed."""

LINES = (
    '{"level":"info","ts":"2026-03-01T10:00:00.<digits:3>Z","request_id":"dd<hex:30>","trace":"<hex:32>"}',
    '10.0.0.<digits:2> - [01/Mar/2026:10:00:00 +0000] "GET /api/token/<uuid>?page=2 HTTP/1.1" 200 rt=0.<digits:3>',
    "github.com/orchard/otelhttp v0.<digits:2>.0 h1:<raw64:32>",
    '    {file = "token_auth-2.<digits:2>.0-py3-none-any.whl", hash = "sha256:<hex:64>"},',
    '      "integrity": "sha512-<raw64:64>",',
    "commit <hex:40>\n\n    password: keep the state\n\ndiff --git a/token.py b/token.py\nindex <hex:7>..<hex:7>",
    'Traceback (most recent call last):\n  File "/app/token.py", line 8, in verify\n    token = decode(raw_token)',
    "tests/auth/test_password.py::test_reset_token[<hex:8>] PASSED [ <digits:2>%]",
    "#<digits:1> sha256:<hex:64> 29.15MB / 29.15MB <digits:1>.2s done",
    "E       AssertionError: assert 'dd<hex:38>' == '<hex:40>'",
)


def test_the_frozen_sample_stays() -> None:
    texts = [gzip.decompress(path.read_bytes()) for path in SAMPLES]
    assert sum(map(len, texts)) >= SIZE
    assert [shown(text) for text in texts if find(text)] == []


def test_few_rules_are_tried_in_ordinary_text() -> None:
    texts = [gzip.decompress(path.read_bytes()) for path in SAMPLES]
    tier = compiled_tier()
    assert tier is not None
    for chosen in (tier, PURE):
        assert sum(1 for text in texts for _ in candidates(Text(text), chosen)) < TRIED
    assert sum(1 for text in texts for _ in tier.guarded(Text(text))) < TRIED, "RE2 lets pass what Python must look at"


@pytest.mark.parametrize("form", ["text", "lines"])
def test_generated_logs_and_lock_files_stay(form: str) -> None:
    chance = random.Random(15)
    texts = [expand(line, chance) for line in LINES * 150]
    record = json.dumps({"type": "tool_result", "content": "\n".join(texts)})
    data = ("\n".join(texts) if form == "text" else f"{record}\n").encode()
    assert shown(data, lines=form == "lines") == []


def shown(text: bytes, *, lines: bool = False) -> list[tuple[str, bytes]]:
    """Return what is found, with the text around it."""
    return [(found.rule, text[max(found.start - 60, 0) : found.end + 20]) for found in find(text, lines=lines)]
