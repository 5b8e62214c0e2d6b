"""What the lifecycle makes of events that some agents report in their own way: late, in part, twice, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from tests.integration import bare_agent
from tests.integration.bare_agent import Bare, Chosen
from tests.integration.story import Story
from tests.integration.test_bare_agent import Bared, give


@pytest.fixture
def played(story: Story, monkeypatch: pytest.MonkeyPatch) -> Bared:
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", Bare)
    return Bared(story)


def state(played: Bared, session_id: str = "", folder: str = "entire-sessions") -> dict[str, Any]:
    """Return a session's state as both programs see it; ours alone is in ``entire/sessions``."""
    path = played.story.root / ".git" / folder / f"{session_id or played.id}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def own_state(played: Bared, session_id: str = "") -> dict[str, Any]:
    return state(played, session_id, "entire/sessions")


def child(played: Bared, name: str, **record: object) -> str:
    """Write the transcript of a subagent; return its path."""
    path = played.story.projects / f"{name}.jsonl"
    path.write_text(json.dumps(record) + "\n")
    return str(path)


# a session's transcript is never its subagent's


@pytest.mark.parametrize("key", ["subagent_ref", "session_ref"])
@pytest.mark.parametrize("verb", ["subagent-start", "subagent-end", "subagent-note"])
def test_a_subagents_transcript_never_takes_the_place_of_its_sessions(
    played: Bared, monkeypatch: pytest.MonkeyPatch, key: str, verb: str
) -> None:
    """Some adapters name the subagent's transcript as if it were the session's."""
    give(monkeypatch, "transcript_analyzer")
    path = child(played, "child", answer="inner")
    played.hook("turn-start", prompt="Delegate")
    played.say(prompt="Delegate")
    played.story.write("one.txt", "1\n")
    for name in ("subagent-start", verb, "subagent-end"):
        played.hook(name, tool_use_id="task_1", subagent_id="h1", **{key: path})
    assert state(played)["transcript_path"] == str(played.file)
    played.say(answer="Done.")
    played.hook("turn-end")
    played.commit("Add one")
    assert played.slot()["transcript"] == played.file.read_text()
    folder = f"{played.folder()}/tasks/task_1"
    assert played.story.show(f"{folder}/agent-h1.jsonl") == Path(path).read_text()
    assert played.story.log_errors() == []


def test_a_path_that_both_references_name_is_the_subagents(played: Bared) -> None:
    path = child(played, "child", answer="inner")
    played.hook("subagent-end", tool_use_id="task_1", subagent_id="h1", session_ref=path, subagent_ref=path)
    assert "transcript_path" not in state(played)
    played.hook("turn-start", prompt="Next")
    assert state(played)["transcript_path"] == str(played.file)
    played.hook("turn-end", session_ref=path)
    assert state(played)["transcript_path"] == str(played.file), "known to be the subagent's"


def test_a_session_first_seen_in_a_subagent_learns_its_path(played: Bared) -> None:
    played.hook("subagent-start", tool_use_id="task_1")
    assert state(played)["transcript_path"] == str(played.file)
    played.id = "another"
    played.hook("turn-start", prompt="Without a transcript", session_ref="")
    played.hook("subagent-end", subagent_id="h1", session_ref=child(played, "child", answer="inner"))
    assert "transcript_path" not in state(played), "its own events named none"
