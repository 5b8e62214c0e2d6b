"""Checks against fixtures: what was captured from the real agent means what its fixture says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from entire.testing.compliance import hooks, sessions, transcripts
from entire.testing.compliance.check import Skipped
from entire.testing.compliance.probe import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from entire.testing.compliance.fixtures import FilesCase
    from entire.testing.compliance.probe import Probe

_CUTS = 5


def becomes_the_event_it_means(probe: Probe) -> None:
    """A captured hook call becomes the event that its fixture names, or none."""
    for case in probe.fixtures.payloads:
        payload = _filled(probe, case.payload)
        data = payload.encode() if isinstance(payload, str) else dumps(payload)
        answer = probe.ok("parse-hook", "--hook", case.hook, stdin=data)
        found = probe.json_of(answer) if answer.stdout.strip() else None
        if case.event is None:
            probe.require(found is None, f"{case.name}: no event", answer)
            continue
        expected = _filled(probe, case.event)
        told = {name: found.get(name) for name in expected} if isinstance(found, dict) else None
        probe.require(
            told == expected, f"{case.name}: an event with {json.dumps(expected, ensure_ascii=False)}", answer
        )


def holds_what_was_captured(probe: Probe) -> None:
    """A captured transcript has the position, files, prompts, summary and tokens that its fixture names."""
    for case in probe.fixtures.transcripts:
        ref = probe.store(case.data)
        for name, expected in case.expected.items():
            ask = _QUESTIONS[name]
            if ask[0] not in probe.plugin.capabilities:
                continue
            found = ask[1](probe, ref, case.data)
            wanted = sorted(expected) if name == "files" else expected
            if name == "tokens":
                found = {key: found.get(key) for key in expected}
            probe.require(found == wanted, f"{case.name}: `{name}` is {json.dumps(wanted, ensure_ascii=False)}")


_ANALYZER = "transcript_analyzer"
_QUESTIONS: Mapping[str, Any] = {
    "position": (_ANALYZER, lambda probe, ref, _: transcripts.position(probe, ref)),
    "files": (_ANALYZER, lambda probe, ref, _: sorted(transcripts.files(probe, ref, 0)[0])),
    "prompts": (_ANALYZER, lambda probe, ref, _: transcripts.prompts(probe, ref, 0)),
    "summary": (_ANALYZER, lambda probe, ref, _: transcripts.summary(probe, ref)[0]),
    "has_summary": (_ANALYZER, lambda probe, ref, _: transcripts.summary(probe, ref)[1]),
    "tokens": ("token_calculator", lambda probe, _, data: transcripts.tokens(probe, data, 0)),
}


def reads_what_is_added(probe: Probe) -> None:
    """While the lines of a captured transcript are written one after the other, positions never go back, and what is
    told from a position on is what was not told before it.
    """
    for name, data in _with_lines(probe):
        lines, before = data.splitlines(keepends=True), 0
        whole = transcripts.prompts(probe, probe.store(data), 0)
        every = set(transcripts.files(probe, probe.store(data), 0)[0])
        for count in sorted({len(lines) * number // _CUTS for number in range(_CUTS + 1)}):
            ref = probe.store(b"".join(lines[:count]))
            end = transcripts.position(probe, ref)
            probe.require(end >= before, f"{name}: `position` is at least {before} after {count} lines")
            told, files = transcripts.prompts(probe, ref, 0), set(transcripts.files(probe, ref, 0)[0])
            probe.store(data)
            rest = transcripts.prompts(probe, ref, end)
            probe.require(told + rest == whole, f"{name}: the prompts after position {end} that were not told before")
            files |= set(transcripts.files(probe, ref, end)[0])
            probe.require(files == every, f"{name}: the files after position {end} that were not told before")
            before = end


def reads_half_a_line(probe: Probe) -> None:
    """A captured transcript whose last line is only half written is read up to there."""
    for name, data in _with_lines(probe):
        lines = data.splitlines(keepends=True)
        for half in (lines[-1][: len(lines[-1]) // 2], b'{"'):
            whole = b"".join(lines[:-1])
            expected = transcripts.prompts(probe, probe.store(whole), 0)
            found = transcripts.prompts(probe, probe.store(whole + half), 0)
            probe.require(found == expected, f"{name}: the prompts of the whole lines, {expected}")
            transcripts.position(probe, probe.ref())


def _with_lines(probe: Probe) -> Iterator[tuple[str, bytes]]:
    found = [(case.name, case.data) for case in probe.fixtures.transcripts if case.has_lines]
    if not found:
        raise Skipped("no transcript in the fixtures consists of lines of JSON")
    yield from found


def keeps_captured_bytes(probe: Probe) -> None:
    """A captured transcript that is put back, or split and joined, is the same byte for byte."""
    for case in probe.fixtures.transcripts:
        ref = probe.ref()
        probe.write(case.data, "check-0a1b2c3d", ref)
        probe.require(
            probe.transcript(ref) == case.data, f"{case.name}: the {len(case.data):,} bytes that were put back"
        )
        chunks = sessions.split(probe, case.data, 1000)
        sessions.must_join(probe, chunks, case.data)


def detects_the_agent(probe: Probe) -> None:
    """`detect` says of each captured repository whether the agent is used there."""
    for case in probe.fixtures.repositories:
        other = _laid_out(probe, case)
        found = probe.field(other.value("detect"), "present", bool)
        probe.require(found is case.present, f"{case.name}: `present` is {str(case.present).lower()}")


def installs_over_captured_settings(probe: Probe) -> None:
    """Over each captured configuration, hooks are installed, and uninstalling restores every byte; one that cannot be
    understood is left alone.
    """
    for case in probe.fixtures.configs:
        other = _laid_out(probe, case)
        before = other.tree(other.home, other.top)
        if case.is_broken:
            other.ends("install-hooks")
        else:
            probe.require(hooks.install(other) > 0, f"{case.name}: `hooks_installed` is at least 1")
            probe.require(hooks.installed(other), f"{case.name}: `installed` is true")
            other.ok("uninstall-hooks")
        after = other.tree(other.home, other.top)
        changed = sorted(name for name in before if before[name] != after.get(name))
        probe.require(not changed, f"{case.name}: {', '.join(changed)} is as before, byte for byte")


def _laid_out(probe: Probe, case: FilesCase) -> Probe:
    """Return surroundings with the files of a case."""
    other = probe.another(f"case-{case.name}")
    for folder, files in ((other.top, case.repository), (other.home, case.home)):
        for name, content in files.items():
            _write(folder / name, _filled(other, content))
    return other


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def _filled(probe: Probe, value: Any) -> Any:
    """Return a value with the places of these surroundings in its texts."""
    if isinstance(value, str):
        return value.replace("@REPO@", str(probe.top)).replace("@HOME@", str(probe.home))
    if isinstance(value, dict):
        return {name: _filled(probe, member) for name, member in value.items()}
    return [_filled(probe, member) for member in value] if isinstance(value, list) else value
