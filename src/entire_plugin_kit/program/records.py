"""Promises of ``entire-records``, by which a plugin tells all that a transcript says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from entire_plugin_kit.program.probe import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire_plugin_kit.answer import Answer
    from entire_plugin_kit.program.probe import Probe

_NONSENSE = (b"", b"\n", b"nonsense", b"\x00\x01\xff\xfe", b"[]", b"null\n7\n", b"[" * 100_000, b'{"a": 1}\n{"b": ')
_BROKEN = (b"{", b"nonsense", b"[]", b"7")
_ODD: tuple[object, ...] = (None, 7, "x", [], [-1, 0, ""], [10**30, 10**30, "\ud800"], [1, None, 3], {})


def tells_records(probe: Probe) -> None:
    """`entire-records` tells the records of a transcript in lines, each with the number of the native record, and their
    end at last. From there on there are none, and of a stored copy it tells the same.
    """
    for data in (SAMPLE, *probe.captured()):
        ref = probe.store(data)
        own = _told(probe, probe.ok("entire-records", stdin=_asked(probe, ref)), 0)
        later = _told(probe, probe.ok("entire-records", stdin=_asked(probe, ref, since=own["end"])), own["end"][0])
        probe.require(later["records"] == [] and later["end"] == own["end"], "no records from the end on")
        stored = probe.tmp / "stored"
        stored.write_bytes(data)
        probe.store(b"")
        copy = _told(probe, probe.ok("entire-records", stdin=_asked(probe, ref, stored=str(stored))), 0)
        probe.require(copy == own, "of a stored copy the same as of the transcript")


def tells_records_from_anywhere(probe: Probe) -> None:
    """From every record on, `entire-records` tells the records that follow, and the same end."""
    for data in (SAMPLE, *probe.captured()):
        ref = probe.store(data)
        own = _told(probe, probe.ok("entire-records", stdin=_asked(probe, ref)), 0)
        places = sorted({record["position"] for record in own["records"]})
        for place in places[:: max(len(places) // 8, 1)]:
            told = _told(probe, probe.ok("entire-records", stdin=_asked(probe, ref, since=[place, 0, ""])), place)
            wanted = [_meant(record) for record in own["records"] if record["position"] >= place]
            following = [_meant(record) for record in told["records"]]
            probe.require(following == wanted, f"the records from number {place} on")
            probe.require(told["end"][0] == own["end"][0], f"the end at {own['end'][0]}")


def survives_any_request(probe: Probe) -> None:
    """Whatever it is asked, and of whatever transcript, `entire-records` ends by itself: with records and their end, or
    a message.
    """
    ref = probe.store(SAMPLE)
    for given in _BROKEN:
        answer = probe.refuses("entire-records", stdin=given)
        probe.require(not answer.stdout, "nothing on standard output", answer)
    for odd in _ODD:
        probe.ends("entire-records", stdin=_asked(probe, ref, since=odd))
    for data in (None, *_NONSENSE):
        ref = probe.ref("check-missing") if data is None else probe.store(data)
        answer = probe.ends("entire-records", stdin=_asked(probe, ref))
        if answer.is_ok:
            told = _told(probe, answer, 0)
            prompts = [record for record in told["records"] if record["record"] == "prompt"]
            probe.require(not prompts, "no prompts in what cannot be understood", answer)


def _asked(probe: Probe, ref: str, since: object = (0, 0, ""), **more: object) -> bytes:
    common = {"metadata": {}, "root": str(probe.top), "session_ref": ref, "details": False}
    return json.dumps({**common, "since": since, **more}).encode()


def _told(probe: Probe, answer: Answer, since: int) -> dict[str, Any]:
    """Return the records and the end that an answer tells."""
    lines = [_object(probe, line, answer) for line in answer.stdout.splitlines() if line.strip()]
    probe.require(lines and "end" in lines[-1], "a line with the `end`, at last", answer)
    end = lines[-1]["end"]
    is_position = isinstance(end, list) and len(end) == 3 and isinstance(end[0], int) and end[0] >= since
    probe.require(is_position, "an `end` that is a position: [count, byte, mark]", answer)
    for record in lines[:-1]:
        place = record.get("position")
        probe.require(isinstance(record.get("record"), str), f"`record` says what it is: {record!r:.200}", answer)
        is_place = isinstance(place, int) and not isinstance(place, bool) and since <= place < end[0]
        probe.require(is_place, f"a `position` from {since} on and before the end: {record!r:.200}", answer)
    return {"records": lines[:-1], "end": end}


def _object(probe: Probe, line: bytes, answer: Answer) -> dict[str, Any]:
    value: Any = None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        pass
    probe.require(isinstance(value, dict), f"a JSON object in each line; there is {line[:200]!r}", answer)
    return value  # type: ignore[no-any-return]


def _meant(record: Mapping[str, Any]) -> tuple[object, ...]:
    return record["record"], record["position"], record.get("text"), record.get("id")
