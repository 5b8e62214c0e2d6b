"""Where a plugin's sessions are: references to transcripts, and putting them back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from entire.model.effects import Delete, Run, Write
from entire.plugin_host.agent import ExternalAgent
from entire_plugin_kit.adapter.storing import carry_out
from tests import plugins
from tests.unit.plugin_host.world import World, shell

# ---------------------------------------------------------------- references


def find(agent: ExternalAgent, verb: str) -> str:
    event = agent.parse_hook(verb, b'{"session_id": "s1"}')
    assert event is not None
    assert event.session_ref == ""
    return agent.find_transcript(event)


def test_a_missing_reference_is_the_resolved_file(world: World) -> None:
    Path(world.ref()).write_text("{}\n")
    plugin = plugins.version_one(world.bin)
    assert find(world.adapter(plugin), "stop") == world.ref()
    assert plugins.asked(plugin) == ["parse-hook", "get-session-dir", "resolve-session-file"]


def test_a_missing_reference_is_what_the_plugin_read(world: World) -> None:
    other = world.sessions / "by-date" / "x.jsonl"
    plugin = plugins.version_one(world.bin, session={"session_ref": str(other)})
    assert find(world.adapter(plugin), "session-start") == str(other)


def test_only_events_that_need_a_reference_ask_for_one(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    assert find(world.adapter(plugin), "session-end") == ""
    assert plugins.asked(plugin) == ["parse-hook"]


@pytest.mark.parametrize(
    "ref",
    ["/etc/passwd", "{sessions}", "{sessions}/../other", "{sessions}/./s.jsonl", "{sessions}/link/x", "{sessions}/a\0b",
     "{sessions}/a\nb", "../x", "a/../../x", "..", "a\\..\\..\\x", "/", "{sessions}-other/s.jsonl",
     "rows:/etc/a.db#s", "rows:{sessions}/../a.db#s", "rows:{sessions}/a.db#s\n"],
)  # fmt: skip
def test_a_reference_that_escapes_is_refused(world: World, ref: str) -> None:
    (world.sessions / "link").symlink_to("/etc")
    agent = world.adapter(plugins.version_one(world.bin, fails=["resolve-session-file", "read-session"]))
    ref = ref.replace("{sessions}", str(world.sessions))
    event = agent.parse_hook("stop", world.payload(session_ref=ref))
    assert event is not None
    assert event.session_ref == ""
    assert "is ignored" in world.notes[0]


@pytest.mark.parametrize(
    "ref",
    [
        "{sessions}/s 1.jsonl",
        "{sessions}/é'\"/s.jsonl",
        "db:17",
        "a/b",
        "x..y",
        "{real}/s.jsonl",
        "rows:{sessions}/a.db#s 1",
    ],
)
def test_a_reference_in_its_place_is_accepted(world: World, ref: str, tmp_path: Path) -> None:
    (tmp_path / "real").symlink_to(world.sessions)
    ref = ref.replace("{sessions}", str(world.sessions)).replace("{real}", str(tmp_path / "real"))
    event = world.adapter(plugins.version_one(world.bin)).parse_hook("stop", world.payload(session_ref=ref))
    assert event is not None
    assert event.session_ref == ref
    assert world.notes == []


def test_a_session_that_was_started_in_a_folder_of_the_repository(world: World) -> None:
    """The agent keeps sessions by the folder in which it was started."""
    script = """get-session-dir) printf '{"session_dir": "%s"}' "$HOME/sessions$3" ;; parse-hook) cat ;;"""
    agent = shell(world, "entire_positions", script)
    inside, outside = str(world.root / "sub"), str(world.root.parent / "elsewhere")
    for cwd, is_accepted in ((inside, True), (outside, False), ("/", False), ("sub", False), ("", False)):
        ref, helper = (f"{world.sessions}{cwd}/{name}" for name in ("s.jsonl", "s/helpers/h.jsonl"))
        own = {"cwd": cwd, "subagent_ref": helper}
        event = agent.parse_hook("stop", json.dumps(
            {"type": 3, "session_id": "s", "session_ref": ref, "entire": own}
        ).encode())  # fmt: skip
        assert event is not None
        assert (event.session_ref, event.subagent_ref) == ((ref, helper) if is_accepted else ("", "")), cwd


@pytest.mark.parametrize("place", ["/srv/parrot", "/srv/parrot/../parrot", "/etc", "/", "/proc/self"])
def test_a_session_folder_outside_of_home_is_refused_until_it_is_allowed(world: World, place: str) -> None:
    script = f"""get-session-dir) printf '{{"session_dir": "{place}"}}' ;; parse-hook) cat ;;"""
    agent = shell(world, "entire_positions", script)
    ref = "/srv/parrot/s.jsonl" if "parrot" in place else f"{place}/passwd"
    event = agent.parse_hook("stop", world.payload(type=3, session_ref=ref))
    assert event is not None
    assert (event.session_ref, agent.session_dir(str(world.root))) == ("", "")
    assert agent.resolve_session_file(agent.session_dir(str(world.root)), "s1") == ""
    assert (
        f"keeps its sessions in {os.path.normpath(place)}, which is neither in your home folder nor in the"
        in world.notes[0]
    )
    assert f"--folder {os.path.normpath(place)}` allows it" in world.notes[0]


@pytest.mark.parametrize("allowed", ["/srv/parrot", "/srv"])
def test_an_allowed_folder_outside_of_home_is_read(world: World, allowed: str) -> None:
    script = """get-session-dir) printf '{"session_dir": "/srv/parrot"}' ;; parse-hook) cat ;;"""
    agent = shell(world, "entire_positions", script, permits=lambda folder: f"{folder}/".startswith(f"{allowed}/"))
    event = agent.parse_hook("stop", world.payload(type=3, session_ref="/srv/parrot/s.jsonl"))
    assert event is not None
    assert (event.session_ref, world.notes) == ("/srv/parrot/s.jsonl", [])


def test_a_link_in_home_that_leads_out_of_it_is_outside(world: World) -> None:
    (world.sessions.parent / "linked").symlink_to("/etc")
    script = """get-session-dir) printf '{"session_dir": "%s"}' "$HOME/linked" ;; parse-hook) cat ;;"""
    agent = shell(world, "entire_positions", script)
    event = agent.parse_hook("stop", world.payload(type=3, session_ref=f"{world.sessions.parent}/linked/passwd"))
    assert event is not None
    assert event.session_ref == ""


def test_a_session_folder_that_moved_is_asked_for_again(world: World) -> None:
    known = {"dir": str(world.sessions.parent / "old")}

    def cache(_root: str, ask: Callable[[], str], *, fresh: bool = False) -> str:
        if fresh:
            known["dir"] = ask()
        return known["dir"]

    plugin = plugins.version_one(world.bin)
    agent = world.adapter(plugin, folders=cache)
    event = agent.parse_hook("stop", world.payload())
    assert event is not None
    assert event.session_ref == world.ref()
    assert agent.parse_hook("prompt", world.payload()) is not None
    assert plugins.asked(plugin) == ["parse-hook", "get-session-dir", "parse-hook"]


# ---------------------------------------------------------------- resuming


def test_where_sessions_are(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    assert agent.session_dir(str(world.root)) == str(world.sessions)
    assert agent.resolve_session_file(str(world.sessions), "s1") == world.ref()
    assert agent.resolve_session_file(str(world.sessions), "../s1") == ""
    assert agent.format_resume_command("s1") == "one --resume s1"


def test_a_resolved_file_must_be_in_the_folder(world: World) -> None:
    plugin = plugins.version_one(world.bin, answers={"resolve-session-file": {"session_file": "/etc/passwd"}})
    assert world.adapter(plugin).resolve_session_file(str(world.sessions), "s1") == ""
    assert "is ignored" in world.notes[0]


def test_a_resolved_file_must_be_in_the_folder_that_was_asked_about(world: World) -> None:
    plugin = plugins.version_one(world.bin, answers={"resolve-session-file": {"session_file": world.ref("other")}})
    folder = str(world.sessions / "of-this-one")
    assert world.adapter(plugin).resolve_session_file(folder, "s1") == ""
    assert f"it is not in the session folder {folder}" in world.notes[0]


def test_a_plain_file_is_put_back_as_a_file(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    Path(world.ref()).write_text('{"prompt": "one"}\n{"prompt": "two"}\n')
    assert agent.put_back(world.ref(), b'{"prompt": "one"}\n', {}).effects == (
        Write(path=world.ref(), data=b'{"prompt": "one"}\n'),
    )
    assert agent.put_back(world.ref(), b"", {}).effects == (Delete(path=world.ref()),)


def test_a_session_that_is_not_there_is_written_by_the_plugin(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    ref = agent.resolve_session_file(str(world.sessions), "s1")
    plan = agent.put_back(ref, b"data\n", {})
    (effect,) = plan.effects
    assert isinstance(effect, Run)
    for _ in range(2):
        carry_out(plan)
        assert Path(world.ref()).read_bytes() == b"data\n"
    for _ in range(2):
        carry_out(type(plan)(effects=(effect.inverse(),)))
        assert not Path(world.ref()).exists()


def test_what_a_plugin_keeps_in_its_own_way_is_written_by_it_and_back(world: World) -> None:
    plugin = plugins.version_one(world.bin, capabilities=["hooks", "transcript_preparer"])
    agent = world.adapter(plugin, in_hook=False)
    Path(world.ref()).write_bytes(b"before\n")
    plan = agent.put_back(world.ref(), b"after\n", {})
    (effect,) = plan.effects
    assert isinstance(effect, Run)
    assert effect.env["ENTIRE_PROTOCOL_VERSION"] == "1"
    carry_out(plan)
    assert Path(world.ref()).read_bytes() == b"after\n"
    carry_out(type(plan)(effects=(effect.inverse(),)))
    assert Path(world.ref()).read_bytes() == b"before\n"


def test_no_place_to_put_a_session(world: World) -> None:
    agent = world.adapter(plugins.version_one(world.bin), in_hook=False)
    assert agent.put_back("", b"data", {}).problem
