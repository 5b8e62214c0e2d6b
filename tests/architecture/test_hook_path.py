"""What a hook may load and how often it may start git: proved by counting, never by time.

One session of Claude Code is played, hook by hook, each in a child process that starts as the launcher starts it. What
the hooks did is asserted too: a hook that fails is silent, and would load and start next to nothing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.opencode.store import Store
from tests.agents.opencode.writer import Session
from tests.architecture.hookworld import ELSEWHERE, HEAVY, SESSION, World
from tests.architecture.places import PACKAGE


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_the_hooks_of_a_turn_load_only_what_they_need(world: World) -> None:
    for verb, modules, _ in world.turn():
        assert modules & HEAVY == set(), verb
        assert {
            name for name in modules if name in ELSEWHERE or name.startswith(tuple(e + "." for e in ELSEWHERE))
        } == set(), verb
        rooms = {name.split(".")[2] for name in modules if name.startswith("entire.agents.")}
        others = {path.name for path in PACKAGE.glob("agents/*/") if path.is_dir()} - {"claude_code", "__pycache__"}
        assert rooms & others == set(), verb
        commands = {name for name in modules if name.startswith("entire.commands.")}
        assert commands == {"entire.commands.hooks"}, verb
        foreign = (
            {name.partition(".")[0] for name in modules}
            - sys.stdlib_module_names
            - {"entire", "entire_secrets", "__main__"}
        )
        assert {name for name in foreign if not name.startswith("_sysconfigdata")} == set(), verb
        if verb == "stop":
            assert len(world.steps()) == 1, "the turn's end saved nothing"
    assert world.state()["session_id"] == SESSION


# Processes of git itself, exactly. A prompt: status, objects read. The end of a turn: status, changed files stored, the
# user's name (every ten minutes), refs moved. Each costs 1.5 ms and more; a lower number belongs here.
BUDGET = {"session-start": 0, "user-prompt-submit": 2, "stop": 4, "session-end": 0}


# With auto-commit a turn's end also reads objects and what is staged, and needs three for the index and the tree, two
# for the lines, the hooks' folder, the settings for signing, the commit, HEAD's move, and two for the checkpoint.
COMMITTING_BUDGET = {**BUDGET, "stop": BUDGET["stop"] + 13}


# Modules of Entire that each hook loads, at most: each costs its import, some tenths of a millisecond. A prompt and
# the end of a turn have text to redact: the list of keywords tells which tables of rules a text needs. Here one is
# needed, for "hooks" in the name of the test's folder. One module finds what is rare in large texts, one opens
# settings in the worktree, where a cloned repository may have brought a link, and one locks that a killed git left:
# commits would wait for a lock that no process holds. A session's start reads no transcript and starts no git, so it
# loads neither. Of a conversation, one module has the records, two derive what is asked of them (three where tools
# were at work), and three of the agent's read them. Two have what adapters share. One keeps compiled patterns,
# instead of the ten modules of `re`. A text to search for secrets is apart from what searches it, which needs it in
# turn; of a session, one knows what reads its transcript, beside its state. One writes objects, which saves two
# processes. A session's start and end read no object of git: what keeps git offline is apart from the reader.
MODULES = {"session-start": 49, "user-prompt-submit": 92, "stop": 108, "session-end": 47}


def test_the_hooks_of_a_turn_load_no_more_modules(world: World) -> None:
    loaded = {verb: {name for name in modules if name.startswith("entire")} for verb, modules, _ in world.turn()}
    assert {verb: len(names) for verb, names in loaded.items() if len(names) > MODULES[verb]} == {}, loaded


# What tells whether there is anything to redact, and with which rules: it holds no rule itself.
LIGHT = {"entire.redact"}


def test_hooks_without_new_text_load_no_rule(world: World) -> None:
    played = {verb: rules(modules) for verb, modules, _ in world.turn()}
    assert {verb for verb, loaded in played.items() if loaded} == {"user-prompt-submit", "stop"}, played
    before = world.state()["last_interaction_time"]
    again: dict[str, dict[str, Any]] = {
        "session-start": {"source": "resume"},
        "notification": {"message": "waiting"},
        "pre-task": {"tool_name": "Task", "tool_use_id": "toolu_1", "tool_input": {}},
        "post-task": {"tool_name": "Task", "tool_use_id": "toolu_1", "tool_input": {}, "tool_response": {}},
        "pre-compact": {"trigger": "auto"},
        "stop": {},
        "session-end": {},
    }
    found = {verb: rules(world.hook(verb, **payload)[0]) for verb, payload in again.items()}
    assert found == {verb: set() for verb in again}
    assert world.state()["last_interaction_time"] > before, "the hooks have done nothing"


def test_a_commit_of_what_a_turn_stored_loads_no_rule(world: World) -> None:
    for verb, _, _ in world.turn():
        if verb == "stop":
            break
    assert {verb: rules(modules) for verb, modules, _ in world.commit()} == {
        "prepare-commit-msg": set(),
        "post-commit": set(),
    }
    assert world.steps() == ["entire/checkpoints/v1"], "the commit was not linked"


def rules(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith(("entire.redact", "entire_secrets"))} - LIGHT


def test_the_hooks_of_a_turn_stay_within_their_git_budget(world: World) -> None:
    started = {verb: commands for verb, _, commands in world.turn()}
    assert {verb: len(commands) for verb, commands in started.items()} == BUDGET, started
    assert len(world.steps()) == 1, "the turn's end saved nothing"
    assert any("status" in command for command in started["stop"]), "git on PATH was not the one that counts"


def test_a_turns_end_that_commits_stays_within_its_git_budget(world: World) -> None:
    (world.repo / ".entire/settings.json").write_text('{"strategy": "auto-commit", "enabled": true}')
    (world.repo / ".git/entire/agreed").write_bytes(b"settings.json")  # as `enable` remembers the choice
    head, started = world.git("rev-parse", "HEAD"), {}
    for verb, modules, commands in world.turn():
        started[verb] = commands
        assert modules & HEAVY == set(), verb
    assert {verb: len(commands) for verb, commands in started.items()} == COMMITTING_BUDGET, started
    assert world.git("rev-list", "--count", f"{head}..HEAD") == "1", "the turn's end committed nothing"
    assert world.steps() == ["entire/checkpoints/v1"]


def test_the_hooks_of_another_agent_cost_no_more(world: World) -> None:
    """Gemini CLI's: its chat is written as the agent does, with one change by a tool."""
    chat, names = world.transcript.with_name(f"session-2026-01-01T10-00-{SESSION[:8]}.jsonl"), set()

    def say(**record: Any) -> None:
        with chat.open("a") as file:
            file.write(json.dumps({"timestamp": "2026-01-01T10:00:00.000Z", **record}) + "\n")

    def hook(verb: str, claudes: str, **payload: Any) -> None:
        modules, commands = world.hook(verb, "gemini", transcript_path=str(chat), **payload)
        names.update(modules)
        assert (modules & HEAVY, len(commands)) == (set(), BUDGET[claudes]), (verb, commands)
        loaded = {name for name in modules if name.startswith("entire")}
        assert len(loaded) <= MODULES[claudes], (verb, loaded)

    say(sessionId=SESSION, projectHash="x", kind="main")
    hook("session-start", "session-start", source="startup")
    hook("before-agent", "user-prompt-submit", prompt="Write b.txt")
    say(id="u1", type="user", content=[{"text": "Write b.txt"}])
    (world.repo / "b.txt").write_text("two\n")
    call = {"id": "c1", "name": "write_file", "args": {"file_path": "b.txt"}, "status": "success"}
    say(id="a1", type="gemini", content="Done.", tokens={"input": 3, "output": 2, "cached": 0}, toolCalls=[call])
    hook("after-agent", "stop", prompt="Write b.txt", prompt_response="Done.")
    assert len(world.steps()) == 1, "the turn's end saved nothing"
    hook("session-end", "session-end", reason="exit")
    assert {name.split(".")[2] for name in names if name.startswith("entire.agents.")} & {
        "claude_code",
        "demo",
    } == set()


def test_the_hooks_of_an_agent_with_a_database_load_what_reads_it_only_to_read_it(world: World) -> None:
    """OpenCode's, whose sessions are rows: neither the package `sqlite3`, nor the room of another agent."""
    folder, names = world.folder / "data", set()
    world.env["ENTIRE_TEST_OPENCODE_DIR"] = str(folder)
    session = Session(Store(folder / "opencode.db"), SESSION, str(world.repo))

    def hook(verb: str, claudes: str, **payload: Any) -> bool:
        modules, commands = world.hook(verb, "opencode", **payload)
        names.update(modules)
        assert (modules & HEAVY, len(commands)) == (set(), BUDGET[claudes]), (verb, commands)
        loaded = {name for name in modules if name.startswith("entire")}
        assert len(loaded) <= MODULES[claudes], (verb, len(loaded), loaded)
        return "_sqlite3" in modules

    session.begin()
    assert not hook("session-start", "session-start", source="startup")
    hook("turn-start", "user-prompt-submit", prompt="Write b.txt", turn_id="m1")
    session.prompt("Write b.txt")
    (world.repo / "b.txt").write_text("two\n")
    session.add_file(str(world.repo / "b.txt"))
    session.answer("Done.")
    assert hook("turn-end", "stop", turn_id="m1")
    assert len(world.steps()) == 1, "the turn's end saved nothing"
    assert not hook("session-end", "session-end", reason="exit")
    rooms = {path.name for path in PACKAGE.glob("agents/*/") if path.is_dir()} - {"opencode", "__pycache__"}
    assert {name.split(".")[2] for name in names if name.startswith("entire.agents.")} & rooms == set()


def test_the_hook_after_a_shell_command_needs_no_pattern(world: World) -> None:
    """Gemini CLI runs it after each: it must not import ``re`` for an output that tells of no commit."""
    answer = {"llmContent": "Output: a.txt", "returnDisplay": "a.txt"}
    shell = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": answer}
    world.hook("session-start", "gemini", source="startup")
    world.hook("before-agent", "gemini", prompt="Look around")
    modules, commands = world.hook("after-tool", "gemini", **shell)
    assert world.state()["phase"] == "active", "the hook has not run"
    assert ("re" in modules, commands) == (False, [])


def test_the_hook_after_a_commit_reads_the_log_once(world: World) -> None:
    """Gemini CLI's own commits run no git hooks: the hook after the command links them."""
    world.hook("session-start", "gemini", source="startup")
    world.hook("before-agent", "gemini", prompt="Commit it")
    (world.repo / "b.txt").write_text("two\n")
    world.git("add", ".")
    answer = {"llmContent": world.git("-c", "core.hooksPath=", "commit", "-m", "Second")}
    _, commands = world.hook("after-tool", "gemini", tool_name="run_shell_command", tool_input={}, tool_response=answer)
    assert world.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1", "links/commits/"), "it was not linked"
    assert len([command for command in commands if " log " in command]) == 1, commands


def test_a_hook_without_meaning_starts_no_git(world: World) -> None:
    modules, commands = world.hook("notification", hook_event_name="Notification", message="waiting")
    assert commands == []
    assert modules & HEAVY == set()


def test_a_hook_in_a_repository_that_is_not_enabled_loads_neither_agent_nor_git(world: World) -> None:
    shutil.rmtree(world.repo / ".entire")
    modules, commands = world.hook("stop", hook_event_name="Stop")
    assert commands == []
    loaded = {name for name in modules if name.startswith(("entire.agents.", "entire.git", "entire.store"))}
    assert loaded == {"entire.agents.registry"}, "the table alone says where the agent was started"
    assert world.git("status", "--porcelain") == ""


def test_importing_entire_loads_nothing_else() -> None:
    code = f"import sys; before = set(sys.modules); sys.path.append({str(PACKAGE.parent)!r}); import entire; "
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"entire", "__future__"}
