"""Promises about reading transcripts: whole, in pieces, up to a position."""

from __future__ import annotations

import shutil
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

from entire.plugin import START, Position, TokenUsage, host
from entire_plugin_kit.adapter import questions
from entire_plugin_kit.adapter.questions import ANALYZER, CALCULATOR, EXTRACTOR, between, boundaries
from entire_plugin_kit.promise import same
from entire_plugin_kit.rig import BESIDE_OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from entire.plugin import Agent
    from entire_plugin_kit.rig import Captured, Rig


_CUTS = 5
"""Into how many parts a captured transcript is cut."""


def _each(rig: Rig) -> Iterator[tuple[Captured, Agent, Any]]:
    for captured in rig.transcripts:
        agent = rig.adapter()
        yield captured, agent, agent.transcript(str(captured.path))


def holds_what_was_captured(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """A captured transcript holds the records, prompts, files, summary, tokens and subagents that its oracle names."""
    for captured, agent, transcript in _each(rig):
        assert transcript.snapshot(), captured.name
        if captured.count is not None:
            same(transcript.end().count, captured.count, captured.name)
        if ANALYZER in agent.capabilities:
            _holds_what_was_said(transcript, captured)
        if CALCULATOR in agent.capabilities and captured.tokens is not None:
            tokens = transcript.tokens(START)
            told = {name: getattr(tokens, name) for name in captured.tokens} if _is_some(captured.tokens) else tokens
            same(told, captured.tokens, captured.name)
        if EXTRACTOR in agent.capabilities:
            same([one.id for one in transcript.subagents(START)], list(captured.subagents), captured.name)


def _holds_what_was_said(transcript: Any, captured: Captured) -> None:
    if captured.prompts is not None:
        same([prompt.text for prompt in transcript.prompts(START)], list(captured.prompts), captured.name)
    if captured.files is not None:
        same(questions.paths(transcript.files(START)), list(captured.files), captured.name)
    if captured.summary is not None:
        same(transcript.summary(START), captured.summary, captured.name)


def _is_some(tokens: TokenUsage | Mapping[str, int]) -> TypeGuard[Mapping[str, int]]:
    return not isinstance(tokens, TokenUsage)


def reads_pieces_as_the_whole(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """Reading from a record boundary on tells what reading the whole tells after it, for every boundary, also for a
    position that was stored as JSON in between.
    """
    for captured, agent, transcript in _each(rig):
        whole = between(agent, transcript)
        for place in rig.some(boundaries(transcript)):
            fresh = rig.adapter().transcript(str(captured.path))
            head, tail = (between(agent, fresh, START, place), between(agent, fresh, questions.stored(place)))
            where = (captured.name, place)
            if ANALYZER in agent.capabilities:
                later = [prompt for prompt in whole["prompts"] if prompt[1] >= place.count]
                same(tail["prompts"], later, where)
                same(list(dict.fromkeys([*head["files"], *tail["files"]])), whole["files"], where)
                same(head["has answers"] or tail["has answers"], whole["has answers"], where)
            if EXTRACTOR in agent.capabilities:
                same(head["subagents"] | tail["subagents"], whole["subagents"], where)


def adds_tokens_up(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """The tokens of the parts of a transcript, however it is divided, add up to those of the whole."""
    divided: list[tuple[Captured, list[Position], TokenUsage]] = []
    for captured, _, transcript in _each(rig):
        places, whole = boundaries(transcript), transcript.tokens(START)
        for place in rig.some(places):
            same(transcript.tokens(START, place) + transcript.tokens(place), whole, (captured.name, place))
        assert not transcript.tokens(places[-1]), captured.name
        divided.append((captured, places, whole))
    _add_up_any_division(rig, divided)


def tells_reasoning_tokens(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """What the model took to think is told where the agent tells it, as a part of the output or beside it."""
    usages = [transcript.tokens(START) for _, _, transcript in _each(rig)]
    told = [usage for usage in usages if usage.reasoning_tokens is not None]
    assert told
    for usage in told:
        same(usage.reasoning_beside, usage.reasoning_tokens if rig.reasoning == BESIDE_OUTPUT else 0)
        assert rig.reasoning == BESIDE_OUTPUT or (usage.reasoning_tokens or 0) <= (usage.output_tokens or 0)


def _add_up_any_division(rig: Rig, known: list[tuple[Captured, list[Position], TokenUsage]]) -> None:
    from hypothesis import strategies as st

    from entire_plugin_kit.adapter.inventing import examples

    longest = max(len(places) for _, places, _ in known)

    @examples(rig, st.sampled_from(known), st.lists(st.integers(0, longest), max_size=6))
    def check(chosen: tuple[Captured, list[Position], TokenUsage], cuts: list[int]) -> None:
        captured, places, whole = chosen
        transcript: Any = rig.adapter().transcript(str(captured.path))
        total = TokenUsage()
        for since, until in questions.segments(places, [cut % (len(places) + 1) for cut in cuts]):
            total += transcript.tokens(questions.stored(since), until)
        same(total, whole, captured.name)


def reads_until_as_if_cut(rig: Rig, folder: Path) -> None:
    """Reading until a position tells what a transcript tells that was cut there, in a file as in a stored copy."""
    for number, (captured, agent, transcript) in enumerate(_each(rig)):
        for place in rig.some(boundaries(transcript)):
            if place.count in captured.unsettled:
                continue
            data = transcript.cut(place)
            file = _beside(captured, folder / f"{number}")
            file.write_bytes(data)
            for short in (agent.transcript(str(file)), agent.transcript(str(file), stored=data)):
                where = (captured.name, place)
                same(short.end().count, place.count, where)
                assert short.snapshot() == data == short.cut(short.end()), where
                until, cut = between(agent, transcript, START, place), between(agent, short)
                same(_comparable(until), _comparable(cut), where)


def _comparable(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out what an answer's later records add: it counts from its first record on, with all of its tokens."""
    tokens = told.get("tokens")
    return {key: value for key, value in told.items() if key not in ("tokens", "model")} | {
        "answers": tokens.api_call_count if tokens is not None else 0
    }


def _beside(captured: Captured, folder: Path) -> Path:
    """Return a place for a copy of a captured transcript, with what lies beside it."""
    folder.mkdir(exist_ok=True)
    beside = captured.path.with_suffix("")
    if beside.is_dir() and not (folder / beside.name).exists():
        shutil.copytree(beside, folder / beside.name)
    return folder / captured.path.name


def reads_what_is_appended(rig: Rig, folder: Path) -> None:
    """While the agent appends, reading on from the last end tells what is new, and arrives where reading from the start
    arrives; later on, each of these ends still divides what was told before from what was told after it.
    """
    player = rig.play(folder, "a-session")
    player.start()
    known, told, ends = START, list[dict[str, Any]](), dict[Position, bytes]()
    for number in range(3):
        player.prompt(f"prompt {number}")
        player.change(str(folder / f"{number}.txt"))
        player.answer(f"answer {number}")
        player.stop()
        agent = rig.adapter()
        transcript: Any = agent.transcript(player.ref)
        end = transcript.end(known)
        same(end, agent.transcript(player.ref).end())
        assert transcript.is_later(end, known)
        assert not transcript.is_later(known, end)
        assert transcript.holds(known)
        told.append(between(agent, transcript, questions.stored(known), end))
        if ANALYZER in agent.capabilities:
            same(transcript.summary(known), f"answer {number}")
        ends[end] = transcript.snapshot()
        known = end
    for number, part in enumerate(told):
        _tells_one_turn(part, f"prompt {number}", str(folder / f"{number}.txt"))
    agent = rig.adapter()
    for end, data in ends.items():
        now, then = agent.transcript(player.ref), agent.transcript("", stored=data)
        same(between(agent, now, START, questions.stored(end)), between(agent, then))
        assert questions.same(agent, now.cut(end), data)


def _tells_one_turn(part: dict[str, Any], prompt: str, file: str) -> None:
    if "prompts" in part:
        same([text for text, _, _ in part["prompts"]], [prompt])
        same(questions.paths(part["files"]), [file])
        assert part["has answers"]
    if "tokens" in part:
        assert part["tokens"].api_call_count > 0


def keeps_the_laws_of_positions(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """Positions are in order: `at` counts records and stops at the end, `end` arrives at the same place from every
    known position, `is_later` agrees with the order, `holds` is true for every position up to the end and for none
    after it.
    """
    for captured, agent, transcript in _each(rig):
        places = boundaries(transcript)
        end = places[-1]
        same([place.count for place in places], list(range(len(places))), captured.name)
        same(transcript.at(end.count + 9).count, end.count)
        same(transcript.cut(end), transcript.snapshot())
        assert not transcript.is_later(START, START)
        for earlier, later in rig.some(list(pairwise(places))):
            where = (captured.name, later)
            assert transcript.is_later(later, earlier), where
            assert not transcript.is_later(earlier, later), where
            assert transcript.holds(questions.stored(later)), where
            same(agent.transcript(str(captured.path)).end(questions.stored(later)), end, where)
        for place in places[:: max(len(places) // 8, 1)]:
            short = agent.transcript("", stored=transcript.cut(place))
            assert short.holds(short.at(place.count)), (captured.name, place)
            assert place.count == end.count or not short.holds(end), (captured.name, place)
            same(short.end(end).count, place.count, (captured.name, place))


def reads_lines_as_they_come(rig: Rig, folder: Path) -> None:
    """While the lines of a captured transcript are written one after the other, its end never goes back, and what is
    told from an end on is what was not told before it, unless some of that was taken back; half a line says nothing.
    """
    chosen = rig.some(rig.transcripts)
    for number, (captured, agent, transcript) in enumerate(_each(rig)):
        data = transcript.snapshot()
        lines = data.splitlines(keepends=True)
        if captured not in chosen or questions.is_document(data) or len(lines) < 2:
            continue
        file, before = _beside(captured, folder / f"{number}"), START
        whole = between(agent, transcript)
        for count in sorted({len(lines) * part // _CUTS for part in range(_CUTS + 1)} - set(captured.unsettled)):
            where = (captured.name, count)
            file.write_bytes(b"".join(lines[:count]))
            short: Any = agent.transcript(str(file))
            end, told = short.end(), between(agent, short)
            assert not short.is_later(before, end), where
            if count < len(lines):
                with file.open("ab") as half:
                    half.write(lines[count][: len(lines[count]) // 2])
                cut: Any = rig.adapter().transcript(str(file))
                same(_said(between(agent, cut)), _said(told), where)
            file.write_bytes(data)
            rest = between(agent, rig.adapter().transcript(str(file)), questions.stored(end))
            before = end
            said, every = (_said(part)[0] for part in (told, whole))
            if said == every[: len(said)]:  # else some was taken back
                both = {name: [*told[name], *rest[name]] for name in ("prompts", "files")}
                same(_said(both), _said(whole), where)


def _said(told: dict[str, Any]) -> Any:
    return [text for text, *_ in told["prompts"]], sorted(questions.paths(told["files"]))


def tells_nothing_beyond_the_end(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """From the end of a transcript on, and from far beyond it, there is nothing."""
    lines = b'{"role": "user", "text": "a line"}\n{"role": "agent", "text": "another one"}\n'
    agent = rig.adapter()
    for data in (b"{}", lines, *(transcript.snapshot() for _, _, transcript in _each(rig))):
        end = agent.transcript("", stored=data).end()
        for place in (end, Position(count=end.count + 999, byte=10**9), Position(count=10**9, byte=10**12)):
            told = between(agent, rig.adapter().transcript("", stored=data), questions.stored(place))
            same({name: answer for name, answer in told.items() if answer}, {}, (data[:40], place))


def finds_the_end_of_an_answer(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """The end of the answer that was running at a moment lies between the position asked about and the end, and divides
    the tokens; an unknown commit was made by no answer.
    """
    for captured, agent, transcript in _each(rig):
        places, unknown = boundaries(transcript), "0" * 40
        for since in rig.some(places[:: max(len(places) // 12, 1)]):
            for moment in (0.0, 1e12):
                boundary = transcript.answer_boundary(questions.stored(since), moment)
                where = (captured.name, since, moment)
                same(boundary, transcript.answer_boundary(since, moment, unknown), where)
                assert not transcript.is_later(since, boundary), where
                assert not transcript.is_later(boundary, places[-1]), where
                assert transcript.holds(boundary), where
                if CALCULATOR in agent.capabilities:
                    both = transcript.tokens(START, boundary) + transcript.tokens(boundary)
                    same(both, transcript.tokens(START), where)
            if hasattr(transcript, "makes_commit"):
                assert not transcript.makes_commit(since, 0.0, unknown), captured.name


def reads_nothing_where_nothing_is(rig: Rig, folder: Path) -> None:
    """A transcript that is missing, a folder, or has an impossible path is an empty one."""
    agent = rig.adapter()
    for ref in ("", str(folder / "missing.jsonl"), str(folder), "a\0b", str(folder / ("x" * 5000))):
        transcript = agent.transcript(ref)
        same(transcript.snapshot(), b"", ref)
        for known in (START, Position(count=3, byte=9, mark="x")):
            same(transcript.end(known), START, ref)
        told = between(agent, transcript, Position(count=3, byte=9, mark="x"))
        assert not any(told.values()), ref


def agrees_with_its_stored_copy(rig: Rig, folder: Path) -> None:
    """A stored copy, which is redacted, agrees with the agent's own transcript, whichever of them goes on longer; and
    the agent's own words count, so redaction does not get into its file.
    """
    secret = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
    player = rig.play(folder, "a-session")
    player.start()
    own: list[bytes] = []
    for number in range(3):
        player.prompt(f"prompt {number} with {secret}")
        player.answer(f"answer {number}")
        player.stop()
        own.append(rig.adapter().transcript(player.ref).snapshot())
    same(len(set(own)), len(own))
    for number, data in enumerate(own):
        redacted = host.redacted(data, is_document=questions.is_document(data))
        assert secret.encode() not in redacted
        agreement = rig.adapter().transcript(player.ref).agreement(redacted)
        assert not agreement.stored_is_longer, number
        assert agreement.own_is_longer is (number < 2), number
        assert questions.same(rig.adapter(), bytes(agreement.common), data), number
        assert secret.encode() in bytes(agreement.common)
        for earlier in own[: number + 1]:
            _check_longer(rig, earlier, redacted, is_longer=earlier != data)
    other = rig.play(folder, "b-session")
    other.start()
    other.prompt("something else")
    agreement = rig.adapter().transcript(player.ref).agreement(rig.adapter().transcript(other.ref).snapshot())
    assert agreement.own_is_longer
    assert agreement.stored_is_longer


def _check_longer(rig: Rig, own: bytes, stored: bytes, *, is_longer: bool) -> None:
    agreement = rig.adapter().transcript("", stored=own).agreement(stored)
    assert agreement.stored_is_longer is is_longer
    assert not agreement.own_is_longer
    assert questions.same(rig.adapter(), bytes(agreement.common), own)
    joined = rig.adapter().transcript("", stored=bytes(agreement.joined))
    same(joined.end().count, rig.adapter().transcript("", stored=stored).end().count)
