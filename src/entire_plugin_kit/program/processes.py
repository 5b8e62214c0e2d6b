"""Checks of how a plugin behaves as a process: pipes, time, other calls at the same time, death at any moment."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from entire.plugin.host import protocol
from entire_plugin_kit.answer import Answer, Call
from entire_plugin_kit.program import call, transcripts
from entire_plugin_kit.program.probe import SAMPLE, SESSION, dumps
from entire_plugin_kit.promise import Failed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire_plugin_kit.program.probe import Probe

_AT_ONCE = 8
_KILLS = 8
_PROMPT_SECONDS = 5.0
"""How long a plugin may go on after its input or output has gone."""


def ordinary_calls(probe: Probe, ref: str = "") -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield each subcommand that only reads, with its input, as far as the plugin has it; JSON is what they answer."""
    capabilities, text = probe.plugin.capabilities, dumps(probe.hook_input("stop", ref=ref))
    yield ("info",), b""
    yield ("detect",), b""
    yield ("get-session-id",), text
    yield ("get-session-dir", "--repo-path", str(probe.top)), b""
    yield ("resolve-session-file", "--session-dir", str(probe.home / "x"), "--session-id", SESSION), b""
    yield ("format-resume-command", "--session-id", SESSION), b""
    yield ("chunk-transcript", "--max-size", "512"), SAMPLE * 20
    if "hooks" in capabilities:
        yield ("are-hooks-installed",), b""
    if not ref:
        return
    yield ("read-session",), text
    if "transcript_analyzer" in capabilities:
        yield ("get-transcript-position", "--path", ref), b""
        yield ("extract-modified-files", "--path", ref, "--offset", "0"), b""
        yield ("extract-prompts", "--session-ref", ref, "--offset", "0"), b""
        yield ("extract-summary", "--session-ref", ref), b""
    if "token_calculator" in capabilities:
        yield ("calculate-tokens", "--offset", "0"), SAMPLE


# ---------------------------------------------------------------- pipes


def prints_nothing_else(probe: Probe) -> None:
    """An answer is all that standard output has, whatever the terminal, the language and the interpreter's warnings
    are; a subcommand without an answer prints nothing.
    """
    ref = probe.ref()
    probe.write(SAMPLE, SESSION, ref)
    noisy = {
        "TERM": "xterm-256color", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "LC_ALL": "C", "LANG": "de_DE.UTF-8",
        "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1", "DEBUG": "*", "VERBOSE": "1", "CI": "1",
    }  # fmt: skip
    for words, given in ordinary_calls(probe, ref):
        plain, loud = probe.ok(*words, stdin=given), probe.ok(*words, stdin=given, env=noisy)
        probe.json_of(loud)
        probe.require(loud.stdout == plain.stdout, f"the same answer as without {', '.join(noisy)}", loud)
    answers = [probe.ok("write-session", stdin=dumps(probe.session(SAMPLE, SESSION, ref)))]
    if "transcript_preparer" in probe.plugin.capabilities:
        answers.append(probe.ok("prepare-transcript", "--session-ref", ref))
    if "hooks" in probe.plugin.capabilities:
        answers.append(probe.ok("uninstall-hooks"))
    for answer in answers:
        probe.require(not answer.stdout, "nothing on standard output", answer)


def fails_in_few_words(probe: Probe) -> None:
    """A failure says why on standard error, in at most 64 KB, and prints nothing on standard output."""
    for words, given in (
        (("read-session",), b"{"),
        (("write-session",), b"x" * 1_000_000),
    ):
        answer = probe.refuses(*words, stdin=given)
        probe.require(len(answer.stderr) <= protocol.MAX_ERRORS, "at most 64 KB on standard error", answer)
        probe.require(not answer.stdout, "nothing on standard output", answer)
        if len(answer.stderr.strip().splitlines()) > 1:
            probe.note("failures have several lines; people see the message, so one is enough")


def works_without_input(probe: Probe) -> None:
    """Where standard input is closed, or ends at once, every call ends soon: with an answer, or a message."""
    ref = probe.store(SAMPLE)
    for words, given in ordinary_calls(probe, ref):
        for stdin in (None, b""):
            answer = probe.ends(*words, stdin=stdin, seconds=_PROMPT_SECONDS)
            probe.require(answer.is_ok or given, "an answer: this subcommand needs no input", answer)


def leaves_input_unread(probe: Probe) -> None:
    """Input that a subcommand does not need does no harm, however much it is."""
    for words, given in ordinary_calls(probe):
        if not given:
            probe.ok(*words, stdin=b"x" * (1 << 20))


def ends_with_its_reader(probe: Probe) -> None:
    """A plugin whose output nobody reads any more ends soon, and leaves no process behind."""
    ref = probe.store(b"a line of a long transcript\n" * 100_000)
    answer = probe.call("read-transcript", "--session-ref", ref, max_read=1, seconds=_PROMPT_SECONDS)
    probe.require(not answer.problem, "its end, within a few seconds after standard output was closed", answer)
    probe.require(not answer.has_left_processes, "no process is left", answer)


def leaves_no_process(probe: Probe) -> None:
    """A call that has ended leaves no process behind, neither in its process group nor elsewhere."""
    ref = probe.ref()
    answers = [probe.ok("write-session", stdin=dumps(probe.session(SAMPLE, SESSION, ref)))]
    answers += [probe.call(*words, stdin=given) for words, given in ordinary_calls(probe, ref)]
    if "hooks" in probe.plugin.capabilities:
        text = dumps(probe.hook_input("stop", ref=ref))
        answers += [probe.call("parse-hook", "--hook", hook, stdin=text) for hook in probe.plugin.hook_names]
    for answer in answers:
        probe.require(not answer.has_left_processes, "no process of its group is left", answer)
    left = _elsewhere(str(probe.home))
    for pid in left:
        _kill(pid)
    probe.require(
        not left, f"no process is left; there are {', '.join(f'{pid} ({name})' for pid, name in left.items())}"
    )


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _elsewhere(home: str) -> dict[int, str]:
    """Return what runs with this HOME, after a moment, by process id; nothing is known without /proc."""
    deadline = time.monotonic() + 0.5
    while (processes := _with_variable(f"HOME={home}".encode())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes


def _with_variable(variable: bytes) -> dict[int, str]:
    commands = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            if name.isdigit() and variable in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                if words[0]:  # it is not a zombie
                    commands[int(name)] = b" ".join(words).decode(errors="replace").strip()
        except OSError:
            continue
    return commands


# ---------------------------------------------------------------- at the same time


def answers_in_parallel(probe: Probe) -> None:
    """Calls at the same time answer what they answer alone, and sessions that are written at the same time are all
    there; one session that is written at the same time holds one of the contents, whole.
    """
    ref = probe.store(SAMPLE)
    asked = list(ordinary_calls(probe, ref))
    alone = [probe.ok(*words, stdin=given).stdout for words, given in asked]
    for start in range(0, len(asked), _AT_ONCE // 2):
        some = slice(start, start + _AT_ONCE // 2)
        requests = [probe.request(*words, stdin=given) for words, given in asked[some]]
        for answer, expected in zip(call.run_all(requests * 2), alone[some] * 2, strict=True):
            probe.is_ok(probe.keep(answer))
            probe.require(answer.stdout == expected, "the same answer as alone", answer)
    contents = [b'{"number": %d}\n' % number * 20_000 for number in range(_AT_ONCE)]
    refs = [probe.ref(f"check-{number}-parallel") for number in range(_AT_ONCE)]
    _write_all(probe, refs, contents)
    for own, data in zip(refs, contents, strict=True):
        probe.require(probe.transcript(own) == data, "the session's own transcript")
    _write_all(probe, [ref] * _AT_ONCE, contents)
    probe.require(probe.transcript(ref) in contents, "one of the transcripts that were written, whole")


def _write_all(probe: Probe, refs: list[str], contents: list[bytes]) -> None:
    calls = []
    for number, (ref, data) in enumerate(zip(refs, contents, strict=True)):
        session_id = SESSION if len(set(refs)) == 1 else f"check-{number}-parallel"
        calls.append(probe.request("write-session", stdin=dumps(probe.session(data, session_id, ref))))
    for answer in call.run_all(calls):
        probe.is_ok(probe.keep(answer))


# ---------------------------------------------------------------- death


def writes_all_or_nothing(probe: Probe) -> None:
    """`write-session` that is killed half-way, or that the disk is full for, leaves the transcript as it was before or
    as it should become, never half of it.
    """
    ref = probe.ref()
    old, new = b"the transcript as it was\n" * 1000, b"the transcript as it becomes\n" * 150_000
    probe.write(old, SESSION, ref)
    given = probe.request("write-session", stdin=dumps(probe.session(new, SESSION, ref)))
    for answer in _interrupted(probe, given):
        probe.keep(answer)
        stored = probe.transcript(ref)
        wanted = (new,) if answer.is_ok else (old, new)
        expected = f"{' or '.join(f'{len(data):,}' for data in wanted)} bytes, old or new; there are {len(stored):,}"
        probe.require(stored in wanted, expected, answer)
        if stored == new:
            probe.write(old, SESSION, ref)


def _interrupted(probe: Probe, given: Call) -> Iterator[Answer]:
    """Make a call that cannot write more than a part, that gets a part of its input, and that is killed on its way."""
    yield call.run(
        Call(**{**vars(given), "path": given.path, "prefix": ("sh", "-c", 'ulimit -f 2000; exec "$0" "$@"')})
    )
    half = (given.stdin or b"")[: len(given.stdin or b"") // 2]
    yield call.run(Call(**{**vars(given), "stdin": half}))
    whole = probe.keep(call.run(given))
    for number in range(_KILLS):
        moment = whole.seconds * (number + 1) / (_KILLS + 1)
        yield call.run_until(given, lambda seconds, moment=moment: seconds > moment)  # type: ignore[misc]


# ---------------------------------------------------------------- time


def ends_turns_in_time(probe: Probe) -> None:
    """All calls of a turn's end together stay within what the host allows for one hook."""
    capabilities, ref = probe.plugin.capabilities, probe.store(SAMPLE)
    started = time.monotonic()
    if "hooks" in capabilities:
        hook = (*probe.plugin.hook_names, "stop")[-1]
        probe.ok("parse-hook", "--hook", hook, stdin=dumps(probe.hook_input("stop", ref=ref)))
    if "transcript_preparer" in capabilities:
        probe.ok("prepare-transcript", "--session-ref", ref)
    probe.transcript(ref)
    if "transcript_analyzer" in capabilities:
        transcripts.position(probe, ref)
        transcripts.files(probe, ref, 0)
        transcripts.prompts(probe, ref, 0)
        transcripts.summary(probe, ref)
    if "token_calculator" in capabilities:
        transcripts.tokens(probe, SAMPLE, 0)
    took = time.monotonic() - started
    if took > probe.limits.hook_seconds:
        raise Failed(f"at most {probe.limits.hook_seconds:g} seconds for a turn's end; it takes {took:.1f}")
    if took > probe.limits.hook_seconds / 10:
        probe.note(f"a turn's end takes {took:.1f} seconds, and people wait for it")
