"""Checks of the capabilities that read transcripts and write texts."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from entire_plugin_kit.program.probe import SAMPLE, SESSION, dumps
from entire_plugin_kit.promise import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire_plugin_kit.program.probe import Probe

EMPTY = b"{}"
TOKENS = ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens", "api_call_count")
_FAR = 999_999_999
_NONSENSE = (
    b"", b"\n", b"nonsense", b"\x00\x01\xff\xfe", b"\xef\xbb\xbf{}\n", b"[]", b"null\n7\n\"x\"\n", b"[" * 100_000,
    b'{"type": 7, "message": [], "role": {}, "content": 1}\n', b'{"a": 1}\n{"b": ', b"9" * 5000, b'{"x": "\\ud800"}\n',
)  # fmt: skip


# ---------------------------------------------------------------- questions


def position(probe: Probe, ref: str, **how: Any) -> int:
    count: int = probe.field(probe.value("get-transcript-position", "--path", ref, **how), "position", int)
    probe.require(count >= 0, "`position` is not negative")
    return count


def files(probe: Probe, ref: str, offset: int, **how: Any) -> tuple[list[str], int]:
    """Return the files that tools changed after an offset, and the position that was read to."""
    value = probe.value("extract-modified-files", "--path", ref, "--offset", str(offset), **how)
    current: int = probe.field(value, "current_position", int)
    probe.require(current >= 0, "`current_position` is not negative")
    return texts(probe, value, "files"), current


def prompts(probe: Probe, ref: str, offset: int, **how: Any) -> list[str]:
    return texts(probe, probe.value("extract-prompts", "--session-ref", ref, "--offset", str(offset), **how), "prompts")


def summary(probe: Probe, ref: str, **how: Any) -> tuple[str, bool]:
    value = probe.value("extract-summary", "--session-ref", ref, **how)
    told: str = probe.field(value, "summary", str, null=True) or ""
    has: bool = probe.field(value, "has_summary", bool)
    probe.require(bool(told) == has, "`has_summary` is true exactly if `summary` is not empty")
    return told, has


def tokens(probe: Probe, data: bytes, offset: int, **how: Any) -> Mapping[str, int]:
    value = probe.value("calculate-tokens", "--offset", str(offset), stdin=data, **how)
    return numbers(probe, value)


def numbers(probe: Probe, value: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the tokens that an answer tells."""
    for name in TOKENS:
        number = probe.field(value, name, int, null=name not in TOKENS[:2])
        probe.require((number or 0) >= 0, f"`{name}` is not negative")
    if value.get("subagent_tokens") is not None:
        numbers(probe, probe.field(value, "subagent_tokens", dict))
    return {name: value.get(name) or 0 for name in TOKENS}


def texts(probe: Probe, value: Mapping[str, Any], name: str) -> list[str]:
    values = probe.field(value, name, list, null=True)
    if values is None:
        probe.note(f"`{name}` is null where it is empty; a list is clearer")
    probe.require(all(isinstance(text, str) for text in values or []), f"`{name}` holds texts")
    return values or []


# ---------------------------------------------------------------- checks


def knows_positions(probe: Probe) -> None:
    """A position is a number that is not negative, 0 for a transcript that is not there, the same each time, never less
    than with fewer lines, and the one that `extract-modified-files` reads to.
    """
    missing = probe.ref("check-missing")
    probe.require(position(probe, missing) == 0, "`position` is 0 where there is no transcript")
    before = 0
    for data in (b"", SAMPLE, SAMPLE * 3, EMPTY):
        ref = probe.store(data)
        count = position(probe, ref)
        probe.require(count >= before or data == EMPTY, f"`position` is at least {before}, as with fewer lines")
        before = count
        probe.require(position(probe, ref) == count, f"`position` is {count}, as before")
        probe.require(files(probe, ref, 0)[1] == count, f"`current_position` is {count}, as `position`")


def sums_up(probe: Probe) -> None:
    """`extract-summary` answers a text, and says truly whether there is one."""
    for data in (EMPTY, SAMPLE):
        summary(probe, probe.store(data))


def survives_broken_transcripts(probe: Probe) -> None:
    """No transcript makes a question crash or hang, nor does one that is not there: each is answered, or fails with a
    message; what cannot be understood holds no files and no prompts.
    """
    for data in (None, *_NONSENSE):
        ref = probe.ref("check-missing") if data is None else probe.store(data)
        for words, name in (
            (("get-transcript-position", "--path", ref), ""),
            (("extract-modified-files", "--path", ref, "--offset", "0"), "files"),
            (("extract-prompts", "--session-ref", ref, "--offset", "0"), "prompts"),
            (("extract-summary", "--session-ref", ref), ""),
        ):
            answer = probe.ends(*words)
            value = probe.object_of(answer) if answer.is_ok else {}
            probe.require(not value.get(name), f"`{name}` is empty", answer)


def prepares_transcripts(probe: Probe) -> None:
    """`prepare-transcript` succeeds, also a second time, and does no harm where there is no transcript."""
    ref = probe.store(EMPTY)
    for _ in range(2):
        probe.ok("prepare-transcript", "--session-ref", ref)
    probe.ends("prepare-transcript", "--session-ref", probe.ref("check-missing"))


def counts_tokens(probe: Probe) -> None:
    """`calculate-tokens` answers numbers that are not negative."""
    for data in (EMPTY, SAMPLE, b""):
        tokens(probe, data, 0)
        tokens(probe, data, _FAR)
    for data in _NONSENSE:
        probe.ends("calculate-tokens", "--offset", "0", stdin=data)


def generates_text(probe: Probe) -> None:
    """`generate-text` answers a text that is not empty."""
    answer = probe.value("generate-text", "--model", "compliance-test", stdin=b"Say hi.")
    probe.require(probe.field(answer, "text", str).strip(), "`text` is not empty")


def counts_subagents(probe: Probe) -> None:
    """Files and tokens with those of subagents are answered for a folder that is empty or not there, and agree with
    those of the session alone.
    """
    empty = probe.tmp / "subagents"
    empty.mkdir()
    for folder in (str(empty), str(probe.tmp / "missing")):
        words = ("--offset", "0", "--subagents-dir", folder)
        for data in (EMPTY, SAMPLE):
            texts(probe, probe.value("extract-all-modified-files", *words, stdin=data), "files")
            total = numbers(probe, probe.value("calculate-total-tokens", *words, stdin=data))
            if "token_calculator" in probe.plugin.capabilities:
                own = tokens(probe, data, 0)
                probe.require(total == own, f"the tokens of the session alone: {dict(own)}", probe.answers[-2])


def compacts(probe: Probe) -> None:
    """`compact-transcript` answers lines of JSON in base64, each of version 1 and from the user or the assistant."""
    for data in (EMPTY, SAMPLE):
        _must_be_compact(probe, probe.value("compact-transcript", "--session-ref", probe.store(data)))


def _must_be_compact(probe: Probe, value: Mapping[str, Any]) -> None:
    try:
        data = base64.b64decode(probe.field(value, "transcript", str), validate=True)
        lines = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        raise Failed("`transcript` holds lines of JSON in base64", probe.answers[-1]) from None
    for line in lines:
        is_line = isinstance(line, dict) and line.get("v") == 1 and line.get("type") in ("user", "assistant")
        probe.require(is_line, 'each line has `"v": 1` and a `type`, "user" or "assistant"')
    probe.field(value, "assets", list, null=True)


# ---------------------------------------------------------------- large ones


def reads_large_transcripts(probe: Probe) -> None:
    """A transcript of 60 MB is put back and read byte for byte, and every question about it is answered in time."""
    _read_all(probe, _sized(probe, probe.limits.large_bytes))


def reads_many_lines(probe: Probe) -> None:
    """A transcript of 200,000 lines is put back and read byte for byte, and every question is answered in time."""
    line = b'{"role": "user", "number": %d}\n'
    _read_all(probe, b"".join(line % number for number in range(probe.limits.many_lines)))


def reads_long_lines(probe: Probe) -> None:
    """A transcript with a line of 20 MB is read byte for byte, and every question about it is answered in time."""
    _read_all(probe, SAMPLE + dumps({"role": "tool", "text": "x" * (probe.limits.large_bytes // 3)}) + b"\n" + SAMPLE)


def _sized(probe: Probe, size: int) -> bytes:
    """Return a transcript of about a size: the lines of a captured one again and again, or lines made up."""
    unit = dumps({"role": "tool", "text": "x" * 4000}) + b"\n"
    unit = next((case.data for case in probe.fixtures.transcripts if case.has_lines), unit)
    return unit * (size // len(unit) + 1)


def _read_all(probe: Probe, data: bytes) -> None:
    ref = probe.store(data)
    probe.require(probe.transcript(ref) == data, f"the {len(data):,} bytes of the transcript")
    capabilities = probe.plugin.capabilities
    if "transcript_preparer" in capabilities:
        probe.ok("prepare-transcript", "--session-ref", ref)
    if "transcript_analyzer" in capabilities:
        end = position(probe, ref)
        for offset in (0, end):
            files(probe, ref, offset)
            prompts(probe, ref, offset)
        summary(probe, ref)
    if "token_calculator" in capabilities:
        tokens(probe, data, 0)


def splits_large_transcripts(probe: Probe) -> None:
    """A transcript of 6 MB, whose chunks are just within the host's limit of an answer, is split and joined."""
    from entire_plugin_kit.program import sessions

    data = _sized(probe, probe.limits.large_bytes // 10)
    chunks = sessions.split(probe, data, len(data) // 4)
    probe.require(len(chunks) >= 4, "at least four chunks")
    given = dumps({"chunks": [base64.b64encode(chunk).decode() for chunk in chunks]})
    joined = probe.ok("reassemble-transcript", stdin=given, max_output=2 * len(data))
    probe.require(joined.stdout == data, f"the {len(data):,} bytes that were split", joined)


def takes_large_hook_calls(probe: Probe) -> None:
    """A hook call with a prompt of 4 MB is answered within the host's limits."""
    ref = probe.ref()
    size = probe.limits.large_bytes // 15
    for hook in probe.plugin.hook_names:
        given = probe.hook_input(hook.replace("-", "_"), ref=ref, user_prompt="p" * size)
        answer = probe.ok("parse-hook", "--hook", hook, stdin=dumps(given))
        value = probe.json_of(answer) if answer.stdout.strip() else None
        probe.require(value is None or value.get("session_id") == SESSION, f"null, or an event of {SESSION}", answer)
