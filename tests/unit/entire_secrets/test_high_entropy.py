"""The second opinion: random values beside a word that tells that they are secret."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets.engine import scan
from entire_secrets.judging import high_entropy
from entire_secrets.judging.high_entropy import LONGEST, RULE
from entire_secrets.text import Text
from tests.unit.entire_secrets.built_in import redact_text
from tests.unit.entire_secrets.planted_secrets import UUID, hexed, word

SOURCE = random.Random(4)
URLSAFE = base64.urlsafe_b64encode(SOURCE.randbytes(32)).decode().rstrip("=")
STANDARD = base64.b64encode(SOURCE.randbytes(32)).decode()


def found(text: str) -> list[str]:
    data = text.encode()
    return [data[finding.start : finding.end].decode() for finding in scan(data) if finding.rule == RULE]


@pytest.mark.parametrize(
    "frame",
    [
        "plumworks-key: {}",
        '"plumworksKey": "{}"',
        "PLUM_SALT={}",
        "export PLUM_ADMIN_KEY={}",
        'os.environ["PLUM_ADMIN_KEY"] = "{}"',
        "ENV['PLUM_ADMIN_KEY'] = '{}'",
        "X-Acme-Session: {}",
        "https://acme.dev/cb?sess={}&v=2",
        'signer.setKey("{}");',
        "client = Acme('{}')  # api key",
        "I rotated the credential to {} yesterday",
        "| service | plum key | since |\n|---|---|---|\n| a | b | c |\n| mail | `{}` | today |\n",
        "      plum secret | since\n------------------+-------\n {} | today\n",
        "service,credential,since\na,b,c\nmail,{},today\n",
        "we sign with `{}` as the shared secret.",
        "data key: {}",
        "Your new key is on the next line:\n  {}\n",
        "config/app.conf:12:{} is my key",
        "config/app.conf:12:{}, the key",
        "    12→{} for the signing key",
        "message={} is my key&tail=2",
    ],
)
@pytest.mark.parametrize("value", [word(40), URLSAFE, STANDARD], ids=["letters", "base64url", "base64"])
def test_a_telling_word_beside_a_random_value(frame: str, value: str) -> None:
    assert found(frame.format(value)) == [value]


@pytest.mark.parametrize(
    "text",
    [
        f"commit {hexed(40)}\nthe signing key {hexed(40)} {hexed(64)}",
        f"id={word(40)} key=12 trace:{word(40)} was stored, digest={word(40)} is that of the key",
        f"index {hexed(7)}..{hexed(7)} 100644\n@@ -1,4 +1,4 @@ def key():",
        f"session {UUID} key: {UUID} token Console-{UUID}",
        f"nothing tells here: {word(40)}",
        f"key sha256-{word(43)}= integrity: {word(40)} public key {word(44)} cache_key={word(40)}",
        f"github.com/me/keyring v1.2.3 h1:{word(43)}=",
        f'<img alt="key" src="data:image/png;base64,{word(900)}"/>',
        f"signature: {word(LONGEST + 1)}",
        f"key: /srv/{word(24)}.js key: {word(24)}.min.js",
        "key: getUserTokenFromHeader2Session token: x86_64-linux-gnu-gcc-12-base",
        "PASS: ld-x86-64/property-x86-cet5b-x32",
        f"secret: {word(30)}...",
        f"api_key: {'x' * 30} {word(12)}EXAMPLE{word(12)}",
    ],
)
def test_hashes_ids_paths_words_and_data_stay(text: str) -> None:
    assert found(text) == []


def test_hex_digits_are_secret_behind_a_name_only() -> None:
    assert found(f"plumworks-key: {hexed(40)}") == [hexed(40)]
    assert found(f"key: {hexed(40)} signature={hexed(64)} the secret {hexed(64)}") == []


def test_it_replaces_the_value_and_nothing_else() -> None:
    assert redact_text(f"send the key {word(40)}, please") == "send the key [REDACTED:high-entropy], please"


@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    for value in found(text):
        assert 20 <= len(value) <= LONGEST


def test_ordinary_records_are_clean() -> None:
    """At most one finding in 10 MB is the bound; here there is none in ids, hashes, traces and lock files."""
    source = random.Random(5)

    def hexes(size: int) -> str:
        return source.randbytes(size // 2).hex()

    lines = [
        line
        for _ in range(500)
        for line in (
            f'{{"traceId":"{hexes(32)}","spanId":"{hexes(16)}","name":"auth.session.refresh","cache.key":"v1-{hexes(16)}"}}',
            f'"js-tokens@^4":\n  resolved "https://registry.example/js-tokens.tgz#{hexes(40)}"\n'
            f"  integrity sha512-{base64.b64encode(source.randbytes(64)).decode()}",
            f"github.com/a/token-b/session v1.2.3 h1:{base64.b64encode(source.randbytes(32)).decode()}",
            f'time="2026-11-22T23:00:01Z" level=info msg="sandbox" container={hexes(64)} session={hexes(12)}',
            f"tests/test_token.py::test_secret_key[{hexes(8)}] PASSED",
            f"commit {hexes(40)}\n    rotate the signing key and the session token ({hexes(8)[:7]})",
        )
    ]
    assert scan("\n".join(lines).encode()) == []


@pytest.mark.parametrize("text", [f'"prompt_id": "call_{hexed(16)}"', f'"projectHash": "{hexed(64)}", "session": 1'])
def test_ids_of_records_need_no_pattern(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pattern(name: str) -> None:
        raise AssertionError(f"the pattern {name!r} was needed")

    monkeypatch.setattr(high_entropy, "_pattern", no_pattern)
    assert list(high_entropy.find(Text(text.encode()))) == []
