"""Checks of the subcommands about sessions, which every plugin has."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any

from entire_plugin_kit.program.probe import SAMPLE, SESSION, dumps
from entire_plugin_kit.promise import Failed

if TYPE_CHECKING:
    from entire_plugin_kit.program.probe import Probe

_HOSTILE_IDS = ("..", ".", "../outside", "../../../outside/x", "a/b", "a/../../b", "/etc/passwd", "a\nb", "x" * 5000)
_LEAST_OF_ID = 8
_BROKEN = (b"{", b"nonsense", b'{"session_id": "a"', b"\xff\xfe\x00")


def finds_the_session_id(probe: Probe) -> None:
    """`get-session-id` answers the id that the input has, whatever the hook's type, and an empty one does no harm."""
    for hook_type in ("session_start", "stop", "agent-spawn"):
        answer = probe.value("get-session-id", stdin=dumps(probe.hook_input(hook_type)))
        probe.require(probe.field(answer, "session_id", str) == SESSION, f"`session_id` is {SESSION!r}")
    probe.field(probe.value("get-session-id", stdin=dumps(probe.hook_input("stop", ""))), "session_id", str)


def names_its_session_folder(probe: Probe) -> None:
    """`get-session-dir` answers an absolute path for a repository, always the same, below the HOME that is set."""
    words = ("get-session-dir", "--repo-path", str(probe.top))
    folder = probe.field(probe.value(*words), "session_dir", str)
    probe.require(os.path.isabs(folder), "`session_dir` is an absolute path")
    probe.require(probe.value(*words)["session_dir"] == folder, "the same answer as before")
    probe.require(
        probe.is_inside(folder), "`session_dir` lies below the HOME, temporary folder or repository it was given"
    )


def names_a_session_file(probe: Probe) -> None:
    """`resolve-session-file` answers where a session is: in the folder that is given, with the id in its name. An id
    that could lead out of the folder is refused, or stays inside.
    """
    folder, known = probe.session_dir(), set()
    for session_id in (SESSION, "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"):
        words = ("resolve-session-file", "--session-dir", folder, "--session-id", session_id)
        path = probe.field(probe.value(*words), "session_file", str)
        probe.require(session_id[:_LEAST_OF_ID] in path, f"`session_file` contains {session_id!r}")
        if session_id not in path:
            probe.note(f"`session_file` has only the beginning of the session id: {path}")
        if os.path.isabs(path):
            probe.require(_is_below(path, folder), f"`session_file` lies in {folder}")
        probe.require(path not in known, "another path for another session")
        known.add(path)
    for session_id in _HOSTILE_IDS:
        answer = probe.ends("resolve-session-file", "--session-dir", folder, "--session-id", session_id)
        path = probe.object_of(answer).get("session_file") if answer.is_ok else ""
        is_inside = not path or (isinstance(path, str) and _is_below(os.path.join(folder, path), folder))
        probe.require(is_inside, f"a path in {folder}, '' or a refusal", answer)


def _is_below(path: str, folder: str) -> bool:
    return os.path.normpath(path).startswith(os.path.normpath(folder) + os.sep)


def reads_what_it_wrote(probe: Probe) -> None:
    """What `write-session` was given, `read-session` answers: id, agent, repository, reference and content; its lists
    are there and not null.
    """
    ref = probe.ref()
    given = probe.session(SAMPLE, SESSION, ref)
    probe.ok("write-session", stdin=dumps(given))
    stored = _read(probe, ref)
    for name in ("session_id", "agent_name", "repo_path", "session_ref", "native_data"):
        probe.require(stored.get(name) == given[name], f"`{name}` is {given[name]!r}")
    for name in ("modified_files", "new_files", "deleted_files"):
        probe.field(stored, name, list)
    time = stored.get("start_time")
    probe.require(time is None or time == "" or is_time(time), "`start_time` is RFC 3339 with a zone, or empty")


def _read(probe: Probe, ref: str) -> dict[str, Any]:
    return probe.value("read-session", stdin=dumps(probe.hook_input("session_start", ref=ref)))


def is_time(text: object) -> bool:
    """Tell whether a text is a time with a zone, as RFC 3339 writes it."""
    import re

    pattern = r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None


def puts_transcripts_back(probe: Probe) -> None:
    """A transcript that `write-session` puts back is what `read-transcript` then prints, byte for byte; writing it
    again changes nothing, and writing another replaces it. So it is with captured ones.
    """
    ref = probe.ref()
    for data in (SAMPLE, SAMPLE, SAMPLE * 3, SAMPLE, *probe.captured()):
        probe.write(data, SESSION, ref)
        probe.require(probe.transcript(ref) == data, f"the {len(data)} bytes that were written")


def takes_partial_sessions(probe: Probe) -> None:
    """`write-session` takes a session without optional fields, with null lists, and with fields it does not know."""
    ref = probe.ref()
    given = probe.session(SAMPLE, SESSION, ref)
    lists = ("modified_files", "new_files", "deleted_files")
    probe.ok("write-session", stdin=dumps({**given, **dict.fromkeys(lists), "start_time": "", "unknown": [1, {}]}))
    probe.ok("write-session", stdin=dumps({name: value for name, value in given.items() if name not in lists}))
    probe.require(probe.transcript(ref) == SAMPLE, f"the {len(SAMPLE)} bytes that were written")


def reports_unknown_transcripts(probe: Probe) -> None:
    """`read-transcript` of a session that is not there prints nothing, or fails with a message."""
    answer = probe.ends("read-transcript", "--session-ref", probe.ref("check-unknown"))
    probe.require(not answer.stdout, "nothing on standard output")


def refuses_broken_input(probe: Probe) -> None:
    """Input that is no JSON is refused with a message."""
    for subcommand in ("get-session-id", "read-session", "write-session", "reassemble-transcript"):
        for data in _BROKEN:
            answer = probe.refuses(subcommand, stdin=data)
            probe.require(not answer.stdout, "nothing on standard output", answer)


# ---------------------------------------------------------------- chunks


def splits_and_joins(probe: Probe) -> None:
    """A text of 4.5 KB is split into at least two chunks of at most 512 bytes, and joined again byte for byte."""
    data = "".join(f"line {number:04} of a text\n" for number in range(196)).encode()
    chunks = split(probe, data, 512)
    probe.require(len(chunks) >= 2, "at least two chunks")
    probe.require(all(len(chunk) <= 512 for chunk in chunks), "no chunk is larger than 512 bytes")
    must_join(probe, chunks, data)


def splits_little_into_one(probe: Probe) -> None:
    """What is smaller than a chunk is one chunk."""
    chunks = split(probe, b"a line\nanother\n", 1 << 20)
    probe.require(len(chunks) == 1, "exactly one chunk")


def refuses_chunks_of_nothing(probe: Probe) -> None:
    """Chunks of no bytes are refused with a message."""
    for size in ("0", "-1", "many"):
        probe.refuses("chunk-transcript", "--max-size", size, stdin=b"a line\n")


def splits_any_bytes(probe: Probe) -> None:
    """Any bytes are the same once split and joined, into chunks of any size: blank lines, no final newline, CRLF, no
    text at all, nothing.
    """
    samples = (
        b"", b"\n", b"no newline at the end", b"one\n\n\ntwo\n\n", b"one\r\ntwo\r\n", b"\n" * 100, b" \n\t\n \n",
        bytes(range(256)) * 8, "ünïcödé 漢字\n".encode() * 40, b"x" * 2000, b"\xef\xbb\xbf{}\n", b"a\0b\n" * 50,
    )  # fmt: skip
    for data in (*samples, *probe.captured()):
        must_join(probe, split(probe, data, 512), data)
    data = b"ab\n\0\xff{}"
    for size in (1, 2, 3):
        chunks = split(probe, data, size)
        probe.require(all(len(chunk) <= size for chunk in chunks), f"no chunk is larger than {size} bytes")
        must_join(probe, chunks, data)


def split(probe: Probe, data: bytes, size: int) -> list[bytes]:
    value = probe.value("chunk-transcript", "--max-size", str(size), stdin=data)
    chunks = probe.field(value, "chunks", list, null=not data) or []
    try:
        return [base64.b64decode(chunk, validate=True) for chunk in chunks]
    except (ValueError, TypeError):
        raise Failed("`chunks` holds texts in base64", probe.answers[-1]) from None


def must_join(probe: Probe, chunks: list[bytes], data: bytes) -> None:
    given = json.dumps({"chunks": [base64.b64encode(chunk).decode() for chunk in chunks]}).encode()
    answer = probe.ok("reassemble-transcript", stdin=given)
    probe.require(answer.stdout == data, f"the {len(data)} bytes that were split: {data[:60]!r}", answer)
