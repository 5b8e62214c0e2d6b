"""Promises about what is stored: parts and their join, conversations that are put back."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.plugin import START, Event, EventType, Run, SessionRef, Write
from entire_plugin_kit.adapter import questions
from entire_plugin_kit.adapter.questions import ANALYZER, between
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from entire.plugin import Agent, PutBack
    from entire_plugin_kit.rig import Rig

_LEAST = 256  # no store asks for smaller parts


def joins_what_it_split(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """Whatever the size of parts, none is larger, and as long as no record is larger than a part, their join is the
    same transcript, byte for byte (a document may be printed differently): around every limit, with and without a
    final newline, with blank lines.
    """
    samples = [rig.adapter().transcript(str(one.path)).snapshot() for one in rig.transcripts] or [b'{"a": 1}\n' * 99]
    samples += [b"", b"\n", b"\n\n\n", b'{"a": 1}']
    wholes = [
        whole
        for data in samples
        for whole in (data, data.removesuffix(b"\n"), data + b"\n\n", data.replace(b"\n", b"\n\n", 2))
    ]
    cases = [
        (whole, limit + near)
        for whole in wholes
        for limit in (len(whole) // 2, len(whole), _longest_line(whole))
        for near in (-1, 0, 1, 2)
    ]
    for whole, limit in rig.some(cases):
        _check_parts(rig, whole, max(limit, _LEAST))

    from hypothesis import strategies as st

    from entire_plugin_kit.adapter.inventing import examples

    @examples(rig, st.sampled_from(samples), st.integers(_LEAST, 20_000))
    def check(data: bytes, limit: int) -> None:
        _check_parts(rig, data, limit)


def _check_parts(rig: Rig, whole: bytes, limit: int) -> None:
    agent = rig.adapter()
    parts = agent.chunk_transcript(whole, limit)
    joined = agent.reassemble_transcript(parts)
    assert all(len(part) <= limit for part in parts), (limit, [len(part) for part in parts])
    if _longest_line(whole) < limit or len(whole) <= limit:
        assert joined == whole or _is_reprinted(whole, joined), limit
    else:
        _is_shortened(agent, whole, joined)


def _longest_line(data: bytes) -> int:
    return max(map(len, data.split(b"\n")))


def _is_reprinted(whole: bytes, joined: bytes) -> bool:
    """Tell whether both are the same JSON document."""
    try:
        return bool(json.loads(whole) == json.loads(joined))
    except ValueError:
        return False


def _is_shortened(agent: Agent, whole: bytes, joined: bytes) -> None:
    before, after = agent.transcript("", stored=whole), agent.transcript("", stored=joined)
    same(after.end().count, before.end().count)


def shortens_a_record_that_is_too_large(rig: Rig, folder: Path) -> None:
    """A record larger than a part is shortened inside: the others stay, and what follows is read as before."""
    player = rig.play(folder, "a-session")
    player.start()
    player.prompt("p" * 100_000)
    player.answer("Done.")
    player.stop()
    player.prompt("the next one")
    player.answer("Done again.")
    player.stop()
    agent = rig.adapter()
    whole = agent.transcript(player.ref).snapshot()
    parts = agent.chunk_transcript(whole, 20_000)
    assert all(len(part) <= 20_000 for part in parts)
    stored = agent.transcript("", stored=agent.reassemble_transcript(parts))
    same(stored.end().count, agent.transcript(player.ref).end().count)
    if ANALYZER in agent.capabilities:
        told: Any = stored
        first, second = (prompt.text for prompt in told.prompts(START))
        assert first.startswith("p" * 1000)
        same(second, "the next one")


def puts_back_what_it_cut(rig: Rig, folder: Path) -> None:
    """A conversation that is cut at the end of a turn and put back is read as it was then; nothing put back removes it;
    and planning changes nothing.
    """
    player = rig.play(folder, "a-session")
    ends = [START]
    player.start()
    for number in range(3):
        player.prompt(f"prompt {number}")
        player.change(str(folder / f"{number}.txt"))
        player.answer(f"answer {number}")
        player.stop()
        ends.append(rig.adapter().transcript(player.ref).end())
    agent: Any = rig.adapter()
    whole = agent.transcript(player.ref).snapshot()
    for end in reversed(ends[1:]):
        source = agent.transcript("", stored=whole)
        data, told = source.cut(end), between(agent, source, START, source.at(end.count))
        before = _files(folder)
        plan = agent.put_back(player.ref, data, {})
        same(plan.problem, "")
        same(_files(folder), before, "a plan changes nothing")
        carry_out(plan)
        restored = agent.transcript(player.ref)
        same(restored.end().count, end.count)
        same(restored.snapshot(), data)
        same(between(agent, restored), told)
    carry_out(agent.put_back(player.ref, b"", {}))
    same(agent.transcript(player.ref).snapshot(), b"")
    carry_out(agent.put_back(player.ref, whole, {}))
    same(agent.transcript(player.ref).snapshot(), whole)


def puts_subagents_back(rig: Rig, folder: Path) -> None:
    """A subagent's transcript is put back where its session finds it."""
    player = rig.play(folder, "a-session")
    player.start()
    player.prompt("let a subagent work")
    player.subagent("helper1", "make a file", str(folder / "made.txt"))
    player.answer("Done.")
    player.stop()
    agent: Any = rig.adapter()
    own = agent.transcript(player.ref)
    whole = own.snapshot()
    (subagent,) = own.subagents(START)
    data = agent.transcript(subagent.session_ref).snapshot()
    assert data
    carry_out(agent.put_back(player.ref, b"", {}))
    Path(subagent.session_ref).unlink(missing_ok=True)
    carry_out(agent.put_back(player.ref, whole, {subagent.id: data}))
    (restored,) = agent.transcript(player.ref).subagents(START)
    same(restored, subagent)
    same(agent.transcript(restored.session_ref).snapshot(), data)
    if ANALYZER in agent.capabilities:
        same(questions.paths(agent.transcript(restored.session_ref).files(START)), [str(folder / "made.txt")])


def lists_its_sessions(rig: Rig, folder: Path) -> None:
    """The sessions started in a folder are listed with their own ids and transcripts, those of another folder are not;
    one has a conversation as soon as something was said.
    """
    here, elsewhere = folder / "here", folder / "elsewhere"
    for root in (here, elsewhere):
        root.mkdir()
    agent: Any = rig.adapter()
    same(agent.session_files(str(here)), [])
    began = time.time()
    for root, session_id in ((here, "a-session"), (here, "b-session"), (elsewhere, "c-session")):
        player = rig.play(root, session_id)
        player.start()
        if session_id != "b-session":
            player.prompt("say hi")
            player.answer("hi")
            player.stop()
    listed = {one.session_id: one for one in agent.session_files(str(here))}
    assert "a-session" in listed
    assert set(listed) <= {"a-session", "b-session"}
    for session_id, one in listed.items():
        ref = rig.play(here, session_id).ref
        if SessionRef(ref).file:
            assert os.path.samefile(one.session_ref, ref)
            assert abs(one.changed - os.stat(ref).st_mtime) < 1e-3
        else:
            same(one.session_ref, ref)
            assert began - 1 < one.changed < time.time() + 1
        assert agent.has_conversation(one.session_ref) is (session_id == "a-session")
    assert not agent.has_conversation(str(folder / "missing"))


def waits_only_a_moment(rig: Rig, folder: Path) -> None:
    """Preparing a transcript ends within ten seconds, also where the answer never comes or there is no transcript, and
    changes nothing.
    """
    player = rig.play(folder, "a-session")
    player.start()
    player.prompt("say hi")
    before = _files(folder)
    for ref in (player.ref, str(folder / "missing"), "a\0b", ""):
        agent: Any = rig.adapter()
        event = Event(type=EventType.TURN_END, session_id=player.id, session_ref=ref, final_text="it never comes")
        started = time.monotonic()
        agent.prepare_transcript(event, agent.transcript(ref).end())
        assert time.monotonic() - started < 10, ref
    same(_files(folder), before)


def carry_out(plan: PutBack) -> None:
    """Carry the effects of a plan out as the framework would, without its transaction."""
    for effect in plan.effects:
        if isinstance(effect, Run):
            env = {**os.environ, **effect.env}
            done = subprocess.run(effect.argv, input=bytes(effect.stdin), env=env, timeout=60, capture_output=True)
            same(done.returncode, 0, done.stderr)
        elif isinstance(effect, Write):
            os.makedirs(os.path.dirname(effect.path), exist_ok=True)
            Path(effect.path).write_bytes(bytes(effect.data))
        else:
            Path(effect.path).unlink(missing_ok=True)


def _files(folder: Path) -> dict[Path, bytes]:
    roots = (folder, Path(os.environ["HOME"]))
    return {path: path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()}
