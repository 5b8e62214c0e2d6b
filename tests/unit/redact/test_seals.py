"""What an agent's service has sealed: redaction keeps it whole, and a restored conversation lacks what is broken."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.redact import Redactor, Sources, seals
from tests.unit.entire_secrets.planted_secrets import SECRETS

BASE64 = string.ascii_letters + string.digits + "+/"
SEAL = "CAIS" + "".join(random.Random(5).choices(BASE64, k=400)) + "=="  # as a token of Alibaba Cloud begins
TOKEN = SECRETS["github-token"][1]
THINKING = {"type": "thinking", "thinking": "hm", "signature": SEAL}
SEALED: dict[str, Any] = {
    "a thinking block": THINKING,
    "in another order": {"signature": SEAL, "index": 0, "thinking": 'a "brace" {', "type": "thinking"},
    "a thinking block that only the service can read": {"type": "redacted_thinking", "data": SEAL},
    "Gemini's call": {"functionCall": {"name": "f", "args": {"a": ["b"]}}, "thoughtSignature": SEAL},
    "Codex's thoughts": {"type": "reasoning", "summary": [], "encrypted_content": SEAL},
    "Pi's thoughts": {"type": "thinking", "thinking": "hm", "thinkingSignature": SEAL},
}
OTHER: dict[str, Any] = {
    "a value called signature": {"type": "webhook", "signature": TOKEN},
    "data of another type": {"type": "text", "data": TOKEN},
    "a value beside a thinking block": [{"type": "thinking", "thinking": TOKEN}, {"signature": TOKEN}],
    "the text of a thinking block": {"type": "thinking", "thinking": TOKEN, "signature": "c2lnbmVk"},
    "a quoted transcript": {"text": json.dumps({"type": "thinking", "signature": TOKEN})},
    "a quoted key": {"text": '"thoughtSignature":"' + TOKEN + '"'},
    "what is no base64": {"encrypted_content": f"the token is {TOKEN}"},
}
RULE = f'[[rule]]\nid = "acme-seal"\npattern = "{SEAL[200:230].replace("+", "[+]")}"\nexample = "{SEAL[200:230]}"\n'


def record(content: object, **more: Any) -> bytes:
    return json.dumps({"type": "assistant", "message": {"content": content}, **more}).encode()


@pytest.mark.parametrize("name", SEALED)
@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
def test_no_rule_touches_a_seal(name: str, separators: tuple[str, str], tmp_path: Path) -> None:
    line = json.dumps({"message": {"content": [SEALED[name], {"text": TOKEN}]}}, separators=separators).encode()
    (tmp_path / "redact.toml").write_text(RULE)
    own = Redactor(Sources(config=str(tmp_path / "redact.toml"), memory=str(tmp_path / "memory")))
    assert own.redact_jsonl(f"the seal: {SEAL}".encode()) == b"the seal: [REDACTED:alibaba-sts-token]"
    for redacted in (own.redact_jsonl(line), own.redact_json(line)):  # a rule, an own one, and the memory of it know it
        assert redacted == line.replace(TOKEN.encode(), b"[REDACTED:github-token]")
    assert [found.rule for found in own.find(line, lines=True)] == ["github-token"]


@pytest.mark.parametrize("name", OTHER)
def test_what_only_looks_like_a_seal_is_redacted(name: str) -> None:
    line = record(OTHER[name])
    assert TOKEN not in Redactor().redact_jsonl(line).decode()


def broken(seal: str, mark: str) -> str:
    return seal[:40] + mark + seal[60:]


@pytest.mark.parametrize("mark", ["[REDACTED:alibaba-sts-token]", "REDACTED"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_broken_blocks_leave_a_record_and_nothing_else_changes(at: int, mark: str) -> None:
    said: list[Any] = [{"type": "text", "text": f"I, {mark} {{"}, {"type": "tool_use", "input": {"a": [1]}}]
    blocks = [*said[:at], {**THINKING, "signature": broken(SEAL, mark)}, *said[at:]]
    around = [record([THINKING], uuid="1"), record([{"type": "text", "text": mark}])]
    transcript = b"\n".join((around[0], record(blocks, uuid="2"), around[1])) + b"\n"
    kept = b"\n".join((around[0], record(said, uuid="2"), around[1])) + b"\n"
    assert seals.without_broken(transcript) == kept
    assert seals.without_broken(kept) == kept


def test_a_record_of_a_broken_block_alone_keeps_its_line() -> None:
    lines = [
        record([{**THINKING, "signature": "[REDACTED:x]"}], uuid="1"),
        record([{**THINKING, "thinking": "the key is [REDACTED:x]"}], uuid="2"),  # its seal is for other words
        record([{"type": "redacted_thinking", "data": "REDACTED"}, {**THINKING, "signature": "REDACTED"}], uuid="3"),
    ]
    kept = [record([], uuid=str(number)) for number in (1, 2, 3)]
    assert seals.without_broken(b"\n".join(lines)) == b"\n".join(kept)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_broken_signature_beside_other_content_goes_alone(indent: int | None) -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    parts = [
        {**call, "thoughtSignature": "[REDACTED:x]"},
        {"thoughtSignature": "REDACTED", **call},
        {"text": "REDACTED"},
    ]
    document = json.dumps({"messages": parts}, indent=indent).encode()
    assert json.loads(bytes(seals.without_broken(document))) == {"messages": [call, call, {"text": "REDACTED"}]}


words = st.sampled_from(
    ["", "hm", "REDACTED", "[REDACTED:a-b]", '{"type":"thinking","signature":"REDACTED"}', "\\", '"', "{"]
)
block = st.one_of(
    st.builds(lambda text, seal: {"type": "thinking", "thinking": text, "signature": seal}, words, words),
    st.builds(lambda seal: {"type": "redacted_thinking", "data": seal}, words),
    st.builds(lambda text: {"type": "text", "text": text}, words),
    st.builds(lambda text: {"type": "tool_use", "input": {"a": [text, {"b": text}]}}, words),
)


@given(st.lists(st.lists(block, max_size=4), max_size=4))
def test_the_rest_is_as_it_was(records: list[list[dict[str, Any]]]) -> None:
    def is_whole(block: dict[str, Any]) -> bool:
        return "thinking" not in block["type"] or "REDACTED" not in json.dumps(block)

    given_lines = b"".join(record(blocks) + b"\n" for blocks in records)
    kept = b"".join(record([block for block in blocks if is_whole(block)]) + b"\n" for blocks in records)
    assert seals.without_broken(given_lines) == kept


def test_the_seal_of_a_thinking_block_stays() -> None:
    source = random.Random(3)
    for _ in range(200):
        seal = "".join(
            source.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") for _ in range(2000)
        )
        line = json.dumps({"type": "thinking", "thinking": "hm", "signature": seal + "=="}).encode()
        assert Redactor().redact_jsonl(line) == line
