"""Checks of ``entire-ask``, by which a plugin answers the questions of the extensions that it declares."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from entire.plugin import START
from entire.plugin.host import questions
from entire_plugin_kit.program import call
from entire_plugin_kit.program.probe import SAMPLE, SESSION
from entire_plugin_kit.promise import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire_plugin_kit.answer import Answer
    from entire_plugin_kit.program.probe import Probe

_MANY = 300
_SECONDS = 10.0
"""How long the answer to one question may take here, where there is little to read."""
_BAD = (
    b"nonsense", b"[]", b"null", b"7", b"{}", b'{"ask": null}', b'{"ask": 7}', b'{"ask": "no-such-question"}',
    b'{"ask": "__init__"}', b'{"ask": "../../x"}', b"\xff\xfe", b"{", b"[" * 100_000,
)  # fmt: skip
_OF_OWN = ("agreement", "file_lines")
"""Questions that only make sense for the agent's own transcript."""
_ODD_KEYS = ("since", "root", "metadata", "session_ref")
_ODD_VALUES: tuple[object, ...] = (7, [], "x\0")
_ARGUMENTS: Mapping[str, Any] = {
    "since": START, "until": None, "moment": 1_768_305_600.0, "commit": "0" * 40, "position": START, "other": START,
    "subagent_id": "helper1", "known": START, "count": 0, "end": START, "transcript": SAMPLE, "subagents": {},
    "session_id": SESSION, "scope": "project", "force": False,
}  # fmt: skip


def answers_its_questions(probe: Probe) -> None:
    """`entire-ask` answers every question of the extensions that are declared, and says the same of a stored transcript
    as of the agent's own.
    """
    ref = probe.store(SAMPLE)
    stored = probe.tmp / "stored"
    stored.write_bytes(SAMPLE)
    names = _names(probe)
    answers = _ask(probe, [_question(probe, name, ref) for name in names])
    own = {name: _read(probe, name, answer) for name, answer in zip(names, answers, strict=True)}
    probe.store(b"")
    names = [name for name in names if questions.QUESTIONS[name].is_of_transcript and name not in _OF_OWN]
    asked = [{**_question(probe, name, ref), "stored": str(stored)} for name in names]
    for name, answer in zip(names, _ask(probe, asked), strict=True):
        told = _read(probe, name, answer)
        expected = f"`{name}` says of a stored copy what it says of the same transcript: {own[name]!r:.200}"
        probe.require(told == own[name], f"{expected}; it is {told!r:.200}")


def answers_many_questions(probe: Probe) -> None:
    """A process answers questions, each as it comes, until its input ends, and ends then."""
    ref = probe.store(SAMPLE)
    name = _names(probe)[0]
    seconds = min(_SECONDS, probe.limits.call_seconds)
    running = call.Running(probe.request("entire-ask", seconds=seconds))
    question = json.dumps(_question(probe, name, ref)).encode() + b"\n"
    answers = []
    for _ in range(_MANY):
        answers.append(call.exchange(running, question, seconds))
        if answers[-1] != answers[0] or not answers[0]:
            break
    final = probe.keep(running.finish())
    if len(answers) > 1 and not answers[-1] and final.is_ok:
        probe.note("a process answers one question only: the host has to start one for each")
        return
    told = f"answer {len(answers)} to `{name}` is {answers[-1][:200]!r}"
    is_same = bool(answers[0]) and answers[-1] == answers[0]
    probe.require(is_same, f"a line with the same answer as to the first question, before the next one; {told}", final)
    probe.require(final.is_ok, "its end, with exit status 0, where the input ends", final)


def survives_bad_questions(probe: Probe) -> None:
    """A question that cannot be understood is answered with an `error`, and the next one as ever."""
    ref = probe.store(SAMPLE)
    name = _names(probe)[0]
    question = _question(probe, name, ref)
    good = json.dumps(question).encode()
    strange = [json.dumps({**question, key: odd}).encode() for key in _ODD_KEYS for odd in _ODD_VALUES]
    lines = [line for bad in (*_BAD, *strange) for line in (bad, good)]
    for line, value in zip(lines, _ask_lines(probe, lines), strict=True):
        told = f"it is {json.dumps(value)[:200]}"
        if line == good:
            probe.require("answer" in value and "error" not in value, f"an answer to {line!r}; {told}")
        elif line in _BAD:
            is_error = isinstance(value.get("error"), str) and value["error"] and "answer" not in value
            probe.require(is_error, f"an `error`, with a sentence, for {line[:80]!r}; {told}")


def _names(probe: Probe) -> list[str]:
    """Return the questions of the extensions that the plugin declares."""
    return [name for name, one in questions.QUESTIONS.items() if one.extension in probe.plugin.capabilities]


def _question(probe: Probe, name: str, ref: str) -> dict[str, Any]:
    arguments = {**_ARGUMENTS, "session_ref": ref, "root": str(probe.top)}
    if name == "agreement":
        arguments["other"] = SAMPLE  # there, it is a transcript
    given = [arguments[key] for key in questions.QUESTIONS[name].arguments]
    common = {"metadata": {}, "root": str(probe.top), "session_ref": ref}
    return {"ask": name, **common, **questions.write_arguments(name, *given)}


def _ask(probe: Probe, asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return _ask_lines(probe, [json.dumps(question).encode() for question in asked])


def _ask_lines(probe: Probe, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Ask everything of one process; of one for each question, where a process answers one only."""
    answer = probe.ok("entire-ask", stdin=b"".join(line + b"\n" for line in lines))
    printed = answer.stdout.splitlines()
    if len(printed) == 1 and len(lines) > 1:
        printed = [probe.ok("entire-ask", stdin=line + b"\n").stdout for line in lines]
    answers = [_object(probe, line, answer) for line in printed]
    probe.require(
        len(answers) == len(lines), f"a line for each of {len(lines)} questions; there are {len(answers)}", answer
    )
    return answers


def _object(probe: Probe, line: bytes, answer: Answer) -> dict[str, Any]:
    value: Any = None
    try:
        value = json.loads(line)
    except ValueError:
        pass
    probe.require(isinstance(value, dict), f"a JSON object in each line; there is {line[:200]!r}", answer)
    return value  # type: ignore[no-any-return]


def _read(probe: Probe, name: str, answer: Mapping[str, Any]) -> Any:
    """Return what a question's answer means."""
    told = json.dumps(answer)[:300]
    probe.require("answer" in answer, f"an `answer` to `{name}`; it is {told}")
    try:
        return questions.read_answer(name, answer["answer"])
    except ValueError as error:
        raise Failed(f"an answer to `{name}` that can be read: {error}; it is {told}", probe.answers[-1]) from None
