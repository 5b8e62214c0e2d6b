"""What the lifecycle makes of events that some agents report in their own way: late, in part, twice, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from entire import layout, process
from entire.agents import registry
from entire.model.ids import is_tool_id
from tests import bare_agent
from tests.bare_agent import Bare, Chosen
from tests.integration.agents.test_bare_agent import Bared, give
from tests.integration.story import Story


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


# subagents under any id, or none


def delegate(played: Bared, number: int, ids: dict[str, str], **more: object) -> None:
    """Let a subagent write a file, with whatever ids the agent reports."""
    played.hook("subagent-start", subagent_type="Explore", task_description="Look", **ids)
    played.hook("subagent-note", tool_name="Todo", tool_input=json.dumps({"number": number}), **ids)
    played.story.write(f"{number}.txt", "x\n")
    played.hook("subagent-end", **ids, **more)


@pytest.mark.parametrize(
    ("ids", "name", "agent"),
    [
        ({"tool_use_id": "tool_1"}, "tool_1", ""),
        ({"tool_use_id": "tool_1", "subagent_id": "h1"}, "tool_1", "h1"),
        ({"subagent_id": "h1"}, "h1", "h1"),
        ({"subagent_id": "/team/maker 1"}, "id-", "id-"),
        ({"tool_use_id": "functions.task:0"}, "id-", ""),
        ({}, "unnamed-1-", ""),
    ],
)
def test_a_subagent_is_recorded_under_any_id(played: Bared, ids: dict[str, str], name: str, agent: str) -> None:
    played.hook("turn-start", prompt="Delegate")
    ref = child(played, "child", answer="inner")
    delegate(played, 1, ids, subagent_ref=ref)
    ((found, task),) = own_state(played)["tasks"].items()
    assert found.startswith(name)
    assert is_tool_id(found)
    assert task["subagent"].startswith(agent or name)
    step = played.step()
    subject = played.story.git("log", "-1", "--format=%s", step).strip()
    assert subject == f"Completed 'Explore' agent: Look ({found[:12]})"
    folder = f".entire/metadata/{played.id}/tasks/{found}"
    assert played.story.git("show", f"{step}:{folder}/agent-{task['subagent']}.jsonl") == Path(ref).read_text()
    played.hook("turn-end")
    played.commit("Add 1")
    folder = f"{played.folder()}/tasks/{found}"
    record = json.loads(played.story.show(f"{folder}/checkpoint.json"))
    assert (record["session_id"], record["tool_use_id"], record["agent_id"]) == (played.id, found, task["subagent"])
    assert played.story.show(f"{folder}/agent-{task['subagent']}.jsonl") == Path(ref).read_text()
    note = json.loads(played.story.show(f"{folder}/checkpoints/001-{found}.json"))
    assert (note["tool_use_id"], note["data"]) == (found, {"number": 1})
    assert played.story.log_errors() == []


def test_subagents_without_ids_end_in_the_order_of_their_start(played: Bared) -> None:
    played.hook("turn-start", prompt="Delegate")
    for kind in ("Explore", "Plan", "Explore"):
        played.hook("subagent-start", subagent_type=kind)
    first, second, third = own_state(played)["tasks"]
    refs = [child(played, name, answer=name) for name in "abc"]
    for ref, kind in zip(refs, ("Plan", "Explore", ""), strict=True):
        played.hook("subagent-end", subagent_type=kind, subagent_ref=ref)
    assert {name: task["ref"] for name, task in own_state(played)["tasks"].items()} == {
        second: refs[0],
        first: refs[1],
        third: refs[2],
    }
    played.hook("turn-end")


def test_a_subagent_without_an_end_takes_none_from_the_next_turn(played: Bared) -> None:
    for prompt in ("Interrupted", "Again"):
        played.hook("turn-start", prompt=prompt)
        played.hook("subagent-start")
    played.hook("subagent-end")
    old, new = own_state(played)["tasks"].values()
    assert (old.get("done"), bool(new["done"])) == (None, True)


def test_an_end_without_a_start_counts_once(played: Bared) -> None:
    played.hook("turn-start", prompt="Delegate")
    for _ in range(2):
        played.hook("subagent-end", subagent_type="Explore", task_description="Look")
        played.hook("subagent-end")
    ((name, task),) = own_state(played)["tasks"].items()
    assert (name[:10], task["type"]) == ("unnamed-1-", "Explore")
    played.hook("subagent-end", subagent_type="Plan")
    assert len(own_state(played)["tasks"]) == 2


def test_one_subagent_under_two_ids_is_one_task(played: Bared) -> None:
    """Some agents report a call by its id, and the subagent by its own."""
    played.hook("turn-start", prompt="Delegate")
    played.hook("subagent-start", tool_use_id="tool_1", subagent_type="Explore")
    played.hook("subagent-end", subagent_id="h1")
    played.hook("subagent-end", tool_use_id="tool_1", subagent_id="h1")
    played.hook("subagent-start", subagent_id="h2")
    played.hook("subagent-start", tool_use_id="tool_2", subagent_id="h2")
    played.hook("subagent-end", subagent_id="h2")
    tasks = own_state(played)["tasks"]
    assert {name: (task["subagent"], bool(task["done"])) for name, task in tasks.items()} == {
        "tool_1": ("h1", True),
        "h2": ("h2", True),
    }


def test_the_transcript_names_subagents_that_no_event_named(played: Bared, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may do so only after the subagent's end was reported."""
    give(monkeypatch, "transcript_analyzer", "token_calculator", "subagent_extractor")
    refs = [child(played, name, answer=name, tokens=100, file=f"{name}.txt") for name in "ab"]
    played.hook("turn-start", prompt="Delegate")
    played.say(prompt="Delegate")
    for _ in refs:
        played.hook("subagent-start")
    played.story.write("a.txt", "1\n")
    for _ in refs:
        played.hook("subagent-end")
    for number, ref in enumerate(refs):
        played.say(helper=f"h{number}", ref=ref)
    played.say(answer="Done.", tokens=1)
    played.hook("turn-end")
    tasks = own_state(played)["tasks"].values()
    assert [(task["subagent"], task["ref"]) for task in tasks] == [("h0", refs[0]), ("h1", refs[1])]
    played.commit("Add a")
    names = played.story.git("ls-tree", "-r", "--name-only", f"entire/checkpoints/v1:{played.folder()}/tasks").split()
    assert [name.rpartition("/")[2] for name in names if "agent-" in name] == ["agent-h0.jsonl", "agent-h1.jsonl"]
    assert played.slot()["token_usage"]["subagent_tokens"]["output_tokens"] == 200
    assert played.story.log_errors() == []


def test_a_subagent_that_continues_in_a_later_turn_ends_again(played: Bared) -> None:
    for number in (1, 2):
        played.hook("turn-start", prompt=f"Delegate {number}")
        delegate(played, number, {"subagent_id": "h1"})
        played.hook("turn-end")
        played.commit(f"Add {number}")
        assert json.loads(played.story.show(f"{played.folder()}/tasks/h1/checkpoint.json"))["agent_id"] == "h1"


# turns that are reported in part, twice, or late


def log(played: Bared) -> list[tuple[str, bool]]:
    """Return the session's log of turns: the prompts, and whether each turn ended."""
    path = played.story.root / ".git" / "entire" / "sessions" / f"{played.id}.turns"
    notes = [json.loads(line) for line in path.read_text().splitlines() if line]
    assert len({note["turn"] for note in notes}) == len(notes)
    return [(note["prompt"], bool(note["ended"])) for note in notes]


def in_step(played: Bared, name: str) -> str:
    return played.story.git("show", f"{played.step()}:.entire/metadata/{played.id}/{name}", ok=False)


@pytest.mark.parametrize("refs", [("t1", "t2"), ("", "")])
def test_an_agent_that_only_reports_its_answers(played: Bared, refs: tuple[str, str]) -> None:
    """The prompt and the answer come with a turn's end; what changed the files since is not known."""
    for number, ref in enumerate(refs):
        played.story.write(f"{number}.txt", "x\n")
        played.say(text=f"{number}")
        end = {"prompt": f"Create {number}.txt with AKIAQ3EGRTYU7XZ2MNPL", "final_text": f"Created {number}."}
        played.hook("turn-end", turn_ref=ref, **end)
        played.hook("turn-end", turn_ref=ref, **end)
        assert state(played)["phase"] == "idle"
        assert in_step(played, "summary.txt") == f"Created {number}."
    assert log(played) == [
        ("Create 0.txt with [REDACTED:aws-access-key]", True),
        ("Create 1.txt with [REDACTED:aws-access-key]", True),
    ]
    assert state(played)["first_prompt"] == "Create 0.txt with [REDACTED:aws-access-key]"
    assert in_step(played, "prompt.txt").split("\n\n---\n\n") == [
        "Create 0.txt with [REDACTED:aws-access-key]",
        "Create 1.txt with [REDACTED:aws-access-key]",
    ]
    assert in_step(played, "full.jsonl") == played.file.read_text()
    subjects = played.story.git("log", "--format=%s", played.step()).splitlines()[:2]
    assert subjects == ["Create 1.txt with [REDACTED:aws-access-key]", "Create 0.txt with [REDACTED:aws-access-key]"]
    played.commit("Add both")
    assert played.story.ids() == [], "a person may have written the files"
    assert played.story.log_errors() == []


def test_what_the_tools_of_an_agent_that_only_reports_its_answers_changed_is_its_own(
    played: Bared, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "transcript_analyzer", "line_transcript")
    for number in range(2):
        played.say(prompt=f"Create {number}.txt")
        played.story.write(f"{number}.txt", "x\n")
        played.say(file=f"{number}.txt")
        played.say(answer="From the transcript.")
        played.hook("turn-end", turn_ref=f"t{number}", prompt=f"Create {number}.txt", final_text="From the event.")
        assert in_step(played, "summary.txt") == "From the transcript."
    assert log(played) == [("Create 0.txt", True), ("Create 1.txt", True)]
    played.commit("Add both")
    assert played.slot()["files_touched"] == ["0.txt", "1.txt"]
    assert played.slot()["prompts"] == ["Create 0.txt", "Create 1.txt"]
    assert played.story.log_errors() == []


def test_a_prompt_that_only_the_end_names(played: Bared) -> None:
    played.hook("turn-start", turn_ref="t1")
    played.story.write("1.txt", "x\n")
    played.hook("turn-end", turn_ref="t1", prompt="Create 1.txt")
    assert log(played) == [("Create 1.txt", True)]
    assert state(played)["first_prompt"] == "Create 1.txt"
    played.commit("Add 1")
    assert played.slot()["prompts"] == ["Create 1.txt"]


def test_a_turns_end_reported_twice_counts_once(played: Bared) -> None:
    played.hook("turn-start", prompt="Create 1.txt")
    played.story.write("1.txt", "x\n")
    for _ in range(2):
        played.hook("turn-end", prompt="Create 1.txt", final_text="Created.")
    before = played.story.git("rev-parse", played.step())
    played.hook("turn-end")
    assert played.story.git("rev-parse", played.step()) == before
    assert log(played) == [("Create 1.txt", True)]
    played.commit("Add 1")
    assert played.slot()["prompts"] == ["Create 1.txt"]
    assert played.slot()["checkpoints_count"] == 1


def test_the_same_prompt_again_under_another_id_is_another_turn(played: Bared, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "transcript_analyzer", "token_calculator")
    for ref in ("t1", "t2", "t2"):
        played.hook("turn-end", turn_ref=ref, prompt="Go on")
    assert log(played) == [("Go on", True)] * 2


def test_a_late_report_of_an_end_does_not_end_the_next_turn(played: Bared) -> None:
    played.hook("turn-start", prompt="First", turn_ref="t1")
    played.hook("turn-end", turn_ref="t1")
    played.hook("turn-start", prompt="Second", turn_ref="t2")
    played.hook("turn-end", turn_ref="t1", prompt="First")
    assert state(played)["phase"] == "active"
    played.story.write("2.txt", "x\n")
    played.hook("turn-end", turn_ref="t2")
    assert log(played) == [("First", True), ("Second", True)]


@pytest.mark.parametrize("prompts", [("First", "Second"), ("Again", "Again")])
def test_the_next_start_ends_a_turn_whose_end_was_not_reported(played: Bared, prompts: tuple[str, str]) -> None:
    for number, prompt in enumerate(prompts):
        played.hook("turn-start", prompt=prompt)
        played.say(text=prompt)
        played.story.write(f"{number}.txt", "x\n")
    assert (state(played)["phase"], log(played)) == ("active", [(prompts[0], True)])
    assert state(played)["files_touched"] == ["0.txt"]
    played.hook("session-end")
    assert (state(played)["phase"], log(played)) == ("ended", [(prompts[0], True), (prompts[1], True)])
    played.commit("Add both")
    assert played.slot()["files_touched"] == ["0.txt", "1.txt"]
    assert played.slot()["prompts"] == list(prompts)
    assert played.story.log_errors() == []


# the agent's process


@pytest.fixture
def pids() -> Iterator[list[int]]:
    """Two processes that run, and one that does not any more."""
    running = [subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) for _ in range(3)]
    running[2].communicate(b"\n")
    yield [child.pid for child in running]
    for child in running[:2]:
        child.communicate(b"\n")


def test_the_process_that_the_adapter_names(played: Bared, pids: list[int]) -> None:
    played.hook("turn-start", prompt="One", pid=pids[0])
    found = process.look(pids[0])
    assert found is not None
    assert own_state(played)["process"] == [pids[0], found.started]
    for wrong in (pids[2], -1, 0):
        played.hook("turn-start", prompt="Two", pid=wrong)
        assert own_state(played)["process"][0] not in (pids[0], wrong), "the nearest ancestor"


# the repository where the agent works


@pytest.mark.parametrize("where", ["outside", "not enabled", "linked"])
@pytest.mark.parametrize("inside", ["", "sub/dir"])
def test_the_folder_that_the_agent_names_counts_where_the_hook_runs_elsewhere(
    played: Bared, where: str, inside: str
) -> None:
    """Some agents run the hooks of all repositories in one folder."""
    elsewhere = played.story.root.parent / "elsewhere"
    elsewhere.mkdir()
    if where == "not enabled":
        subprocess.run(["git", "init", "-q", elsewhere], check=True)
    if where == "linked":
        elsewhere = played.story.root.parent / "linked"
        played.story.git("worktree", "add", "-q", str(elsewhere), "HEAD~1")
    folder = played.story.root / inside
    folder.mkdir(parents=True, exist_ok=True)
    root, played.story.root = played.story.root, elsewhere
    played.hook("session-start", cwd=str(folder))
    played.hook("turn-start", prompt="Create 1.txt", cwd=str(folder))
    (folder / "1.txt").write_text("x\n")
    played.hook("turn-end", cwd=str(folder))
    place = layout.find(str(elsewhere))
    assert place is None or not Path(place.log).exists()
    played.story.root = root
    assert state(played)["worktree_path"] == str(root)
    assert state(played)["files_touched"] == [str(Path(inside, "1.txt"))]
    assert played.story.log_errors() == []


@pytest.mark.parametrize("cwd", ["", ".", "repo", "/", "/no/such/folder", "\0"])
def test_no_other_folder_counts(played: Bared, cwd: str) -> None:
    """A payload may name files in an enabled repository where the agent does not work."""
    root, played.story.root = played.story.root, played.story.root.parent / "projects"
    played.hook("turn-start", prompt=str(root), tool_input=str(root), cwd=cwd)
    played.hook("turn-start", prompt=str(root))
    assert not (root / ".git" / "entire-sessions").exists()
    assert sorted(played.story.root.iterdir()) == []


def test_the_folder_where_the_hook_runs_comes_first(played: Bared, tmp_path: Path) -> None:
    other = Story(tmp_path / "other" / "repo")
    played.hook("turn-start", prompt="Here", cwd=str(other.root))
    assert state(played)["worktree_path"] == str(played.story.root)


def test_a_failure_is_logged_where_the_agent_works(played: Bared, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("entire.lifecycle.handle", fail)
    root, played.story.root = played.story.root, played.story.root.parent / "projects"
    subprocess.run(["git", "init", "-q", played.story.root], check=True)
    played.hook("turn-start", prompt="Here", cwd=str(root))
    assert [path.name for path in played.story.root.iterdir()] == [".git"]
    played.story.root = root
    assert played.story.log_errors() == ["RuntimeError: on purpose"]


# an agent whose package is removed


def test_a_transcript_that_was_stored_whole_stays_whole_without_its_agent(
    played: Bared, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.hook("turn-start", prompt="Create 1.txt")
    played.say(prompt="Create 1.txt")
    played.story.write("1.txt", "x\n")
    played.hook("turn-end")
    monkeypatch.delitem(registry.BUILTIN, "bare")
    played.say(answer="Written late.")
    played.commit("Add 1")
    assert played.slot()["transcript"] == played.file.read_text()


def test_what_is_recorded_answers_for_an_agent_until_it_is_installed_again(
    played: Bared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Chosen, "agent", bare_agent.with_capabilities("transcript_analyzer", "token_calculator", "line_transcript")
    )
    played.turn("1.txt", 3)
    played.turn("2.txt", 10)
    monkeypatch.delitem(registry.BUILTIN, "bare")
    played.story.git("add", "1.txt")
    played.commit_added("Add 1")
    assert played.slot()["token_usage"]["output_tokens"] == 13, "as its turns recorded"
    (step,) = played.story.git("for-each-ref", "--format=%(objectname)", "refs/heads/entire/*").split()
    assert played.story.git("show", f"{step}:2.txt") == "1\n", "open work is carried to the new base"
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    played.turn("3.txt", 100)
    played.commit("Add the others")
    assert (played.slot()["token_usage"]["output_tokens"], played.slot()["transcript"]) == (
        100, played.file.read_text(),
    )  # fmt: skip
