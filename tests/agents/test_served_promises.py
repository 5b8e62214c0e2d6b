"""Every built-in agent keeps the same promises when it is served through the plugin protocol, and answers the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from entire.conversation.messages import Reading
from entire_plugin_kit import Case, cases
from entire_plugin_kit.adapter import questions
from entire_plugin_kit.cases import why_not
from entire_plugin_kit.promise import FRAMEWORK
from entire_plugin_kit.surroundings import sealed
from tests import served

SERVED = served.rigs()
BY_HOST = {"session_resumer", "transcript_preparer"}
"""What the host offers for every plugin."""


def in_turn(every: Sequence[Case]) -> list[Case]:
    """Return the adapters' promises with every agent, and each of the framework's with two of the agents that give it.

    A served agent answers the same as the one itself (below), so the framework cannot tell these two apart. With
    ``ENTIRE_LONG=1``, all.
    """
    if os.environ.get("ENTIRE_LONG"):
        return list(every)
    chosen = [case for case in every if case.promise.by != FRAMEWORK or why_not(case.promise, case.rig)]
    by_promise: dict[str, list[Case]] = {}
    for case in every:
        if case not in chosen:
            by_promise.setdefault(case.promise.name, []).append(case)
    for turn, given in enumerate(by_promise.values()):
        chosen += {given[number % len(given)] for number in (2 * turn, 2 * turn + 1)}
    return [case for case in every if case in chosen]


def test_each_promise_is_asked_for_and_each_agent_is_asked() -> None:
    every, chosen = cases(*SERVED), in_turn(cases(*SERVED))
    assert {case.promise.name for case in chosen} == {case.promise.name for case in every}
    asked = [case for case in chosen if case.promise.by == FRAMEWORK and not why_not(case.promise, case.rig)]
    assert {case.rig.entry.name for case in asked} == {rig.entry.name for rig in SERVED}
    for name in {case.promise.name for case in asked}:
        agents = [case for case in every if case.promise.name == name and not why_not(case.promise, case.rig)]
        assert len([case for case in asked if case.promise.name == name]) >= min(2, len(agents))


@pytest.mark.parametrize("case", in_turn(cases(*SERVED)), ids=str)
def test_promises(case: Case) -> None:
    case.run()


@pytest.fixture(autouse=True)
def leave_nothing_running() -> Iterator[None]:
    """End what waits for questions: other tests of the same process look for children that are left."""
    yield
    served.PROGRAMS.close()


def test_every_built_in_agent_is_here() -> None:
    assert {rig.entry.name for rig in SERVED} == set(registry.BUILTIN)


@pytest.mark.parametrize("rig", SERVED, ids=lambda rig: rig.entry.name)
def test_the_same_promises_are_skipped(rig: served.ServedRig) -> None:
    assert rig.adapter().capabilities == rig.plain.adapter().capabilities | BY_HOST
    for case in cases(rig):
        if not BY_HOST & set(case.promise.needs):
            assert why_not(case.promise, rig) == why_not(case.promise, rig.plain), str(case)
        else:
            assert not why_not(case.promise, rig), str(case)


class Quiet:
    """A transcript without a display of its own, as those of the built-in agents are."""

    def __init__(self, transcript: Any) -> None:
        self._transcript = transcript

    def __getattr__(self, name: str) -> Any:
        if name == "messages":
            raise AttributeError(name)
        return getattr(self._transcript, name)


@pytest.mark.parametrize("rig", SERVED, ids=lambda rig: rig.entry.name)
def test_every_answer_is_the_same(rig: served.ServedRig, tmp_path: Path) -> None:
    with sealed(tmp_path / "home"):
        _answers_the_same(rig)


def _answers_the_same(rig: served.ServedRig) -> None:
    plain: Any = rig.plain.adapter()
    folder = Path(plain.session_dir(os.getcwd()))
    for captured in rig.transcripts:
        path = folder / captured.path.name
        shutil.copytree(captured.path.parent, folder, dirs_exist_ok=True)
        behind: Any = rig.adapter()
        for stored in (None, path.read_bytes()):
            own: Any = plain.transcript(str(path), stored)
            places = questions.boundaries(own)
            for place in places[:: max(len(places) // 2, 1)] if stored is None else places[len(places) // 2 :][:1]:
                served_too = Quiet(behind.transcript(str(path), stored))
                assert questions.ask_all(behind, served_too, place) == questions.ask_all(plain, own, place)
            said = Reading(own.records()).messages()
            assert behind.transcript(str(path), stored).messages() == said
        data = path.read_bytes()
        assert behind.put_back(str(path), data, {"h1": b"x"}) == plain.put_back(str(path), data, {"h1": b"x"})
        assert behind.own_session_id("an-id", data) == plain.own_session_id("an-id", data)
        assert behind.has_conversation(str(path)) == plain.has_conversation(str(path))
    assert sorted(map(str, behind.session_files(os.getcwd()))) == sorted(map(str, plain.session_files(os.getcwd())))
