"""What the Go Entire CLI left is continued by our tool: sessions in every state, open work, turns in progress.

Tokens: what the Go CLI has counted, however wrongly, is never counted again; what it has not counted comes with the
next checkpoint. ``Taken`` sessions go on with answers of 2^20, 2^21, ... input and 10 output tokens.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.go_takeover import sessions
from tests.interop import strict
from tests.interop.takeover import World

MAIN, SECOND = "b1bddc73-1449-4282-9e10-c81014e45e9f", "224684a9-5fee-4124-9127-8ff0ebd509d9"
LINKED = "255dad9f-bc32-429e-8f3f-18163d22b904"
LIVE = "0aaa0000-1111-4222-8333-000000000001"
NEW_TURN = [2**20 + 2**21, 20, 2]  # a write and the last word

# stage, session, its open files, lines in them (agent, human), tokens of answers that the Go CLI did not count
IDLE: list[tuple[str, str, list[str], list[int], list[int]]] = [
    ("manual/01-one-turn", MAIN, ["hello.py"], [1, 0], [3300, 120, 3]),
    ("manual/02-two-turns", MAIN, ["hello.py", "shell.txt"], [2, 0], [3500, 160, 5]),
    ("manual/03-user-commit", MAIN, [], [0, 0], [0, 0, 0]),
    ("manual/04-partial-commit-carry-forward", MAIN, ["src/two.py"], [2, 0], [0, 0, 0]),
    ("manual/05-rest-committed", MAIN, [], [0, 0], [0, 0, 0]),
    ("manual/06-subagent", MAIN, ["note.txt"], [1, 0], [1100, 51, 2]),
    ("manual/07-agent-commit", MAIN, [], [0, 0], [100, 20, 1]),
    ("manual/08-two-agent-commits", MAIN, [], [0, 0], [100, 20, 1]),
    ("manual/09-two-sessions", MAIN, ["src/sum.py"], [3, 0], [300, 60, 3]),
    ("manual/09-two-sessions", SECOND, [], [0, 0], [3300, 120, 3]),
    ("manual/10-both-committed", MAIN, [], [0, 0], [0, 0, 0]),
    ("manual/10-both-committed", SECOND, [], [0, 0], [0, 0, 0]),
    ("manual/11-linked-worktree", MAIN, [], [0, 0], [0, 0, 0]),
    ("manual/12-amend-with-open-step", MAIN, ["hello.py"], [1, 0], [0, 0, 0]),
    ("live/02-idle-after-first-turn", LIVE, ["src/parser.py", "tests/test_parser.py"], [7, 0], [250, 45, 3]),
    ("live/03-idle-part-committed", LIVE, ["tests/test_parser.py"], [5, 0], [0, 0, 0]),
    ("live/04-idle-rest-committed", LIVE, [], [0, 0], [0, 0, 0]),
    ("live/06-idle-after-agent-commit", LIVE, ["README.md"], [2, 0], [150, 25, 2]),
    ("clones/01-two-clones-pushed", "", [], [0, 0], [0, 0, 0]),
]
OPEN = [row for row in IDLE if row[2]]
NAMES = [f"{stage.replace('/', '-')}-{session[:4]}" for stage, session, *_ in IDLE]


def tokens(record: dict[str, Any]) -> list[int]:
    usage = record.get("token_usage") or {}
    return [usage.get(key, 0) for key in ("input_tokens", "output_tokens", "api_call_count")]


def lines(record: dict[str, Any]) -> list[int]:
    return [record["initial_attribution"][key] for key in ("agent_lines", "human_added")]


def plus(*sums: list[int]) -> list[int]:
    return [sum(column) for column in zip(*sums, strict=True)]


def is_sound(world: World, *finalised: str) -> None:
    """What the Go CLI wrote is the same blobs, what we wrote can be read by it, and nothing went wrong."""
    now = world.stored()
    for name, blob in world.before.items():
        if name[:2] + name[3:13] not in finalised:
            assert now.get(name) == blob, name
    for name in sorted(set(now) - set(world.before)):
        checkpoint_id = name[:2] + name[3:13]
        if name.endswith("/metadata.json"):
            (strict.session if name.count("/") == 3 else strict.root)(world.show(name), checkpoint_id)
    for path in (world.root / ".git/entire-sessions").glob("*.json"):
        value = json.loads(path.read_text())
        if "entire_py" in value:
            strict.state(path.read_text())
    assert [error for error in world.log_errors() if "sentinel" not in error] == []


@pytest.mark.parametrize(("stage", "session_id", "files", "made", "uncounted"), IDLE, ids=NAMES)
def test_what_is_open_is_linked_to_the_next_commit(
    stage: str, session_id: str, files: list[str], made: list[int], uncounted: list[int], tmp_path: Path
) -> None:
    world = World(stage, tmp_path)
    session = world.taken(session_id)
    if not files:
        world.commit("Nothing of a session", "--allow-empty", add=False)
        assert world.ids() == []
        return
    world.git("add", "--", *files)
    world.commit("What was left open", add=False)
    slot = world.linked()["slots"][session.id]
    assert slot["files_touched"] == files
    assert lines(slot) == made
    assert tokens(slot) == uncounted
    assert set(world.linked()["slots"]) == {session.id}
    is_sound(world)


@pytest.mark.parametrize(("stage", "session_id", "files", "made", "uncounted"), IDLE, ids=NAMES)
def test_the_session_goes_on(
    stage: str, session_id: str, files: list[str], made: list[int], uncounted: list[int], tmp_path: Path
) -> None:
    """Resumed, one more turn, then one commit of the new and the old open work."""
    world = World(stage, tmp_path)
    session = world.taken(session_id)
    before = len(session.file.read_text().splitlines())
    session.hook("session-start", source="resume")
    with session.turn("One more"):
        session.write("more.py", "one\ntwo\n")
    strict.state((world.root / ".git/entire-sessions" / f"{session.id}.json").read_text())
    world.git("add", "--", "more.py", *files)
    world.commit("More", add=False)
    slot = world.linked()["slots"][session.id]
    assert slot["files_touched"] == sorted([*files, "more.py"])
    assert lines(slot) == plus(made, [2, 0])
    assert tokens(slot) == plus(uncounted, NEW_TURN)
    assert slot["prompts"][-1] == "One more"
    assert slot["transcript"] == session.file.read_text()
    if not files:
        assert slot["checkpoint_transcript_start"] == before
        state = strict.state((world.root / ".git/entire-sessions" / f"{session.id}.json").read_text())
        assert state["checkpoint_transcript_start"] == len(session.file.read_text().splitlines())
    is_sound(world)


@pytest.mark.parametrize(
    ("stage", "session_id", "files", "made", "uncounted"), OPEN, ids=[row[0].replace("/", "-") for row in OPEN]
)
def test_only_the_new_work_is_committed(
    stage: str, session_id: str, files: list[str], made: list[int], uncounted: list[int], tmp_path: Path
) -> None:
    """What stays open is carried forward, in the form that the Go CLI can continue, and linked later without tokens."""
    world = World(stage, tmp_path)
    session = world.taken(session_id)
    with session.turn("One more"):
        session.write("more.py", "one\ntwo\n")
    world.git("add", "more.py")
    world.commit("More", add=False)
    slot = world.linked()["slots"][session.id]
    assert slot["files_touched"] == ["more.py"]
    assert lines(slot) == [2, 0]
    assert tokens(slot) == plus(uncounted, NEW_TURN)
    state = strict.state((world.root / ".git/entire-sessions" / f"{session.id}.json").read_text())
    counted = len(session.file.read_text().splitlines())
    assert state.get("files_touched", []) == files
    assert state["checkpoint_transcript_start"] == counted - 1
    branch = f"entire/{world.head()[:7]}-e3b0c4"
    names = world.git("ls-tree", "-r", "--name-only", branch).splitlines()
    assert f".entire/metadata/{session.id}/full.jsonl" in names
    assert set(files) <= set(names)
    world.git("add", "--", *files)
    world.commit("The rest", add=False)
    rest = world.linked()["slots"][session.id]
    assert rest["files_touched"] == files
    assert lines(rest) == made
    assert tokens(rest) == [0, 0, 0]
    is_sound(world)


# ---------------------------------------------------------------- turns in progress


def test_the_first_turn_goes_on(tmp_path: Path) -> None:
    """Stage 01 of live: a prompt and one file; no step and no checkpoint yet."""
    world = World("live/01-active-in-first-turn", tmp_path)
    session = world.taken(LIVE)
    session.write("tests/test_parser.py", "a\nb\nc\nd\ne\n")
    session.stop()
    world.git("add", "src/parser.py")
    world.commit("Add parser", add=False)
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["src/parser.py"]
    assert lines(slot) == [2, 0]
    assert tokens(slot) == plus([100, 20, 1], NEW_TURN)
    assert slot["turn_id"] == world.states_before[LIVE]["turn_id"]
    world.commit("Add parser tests")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["tests/test_parser.py"]
    assert lines(slot) == [5, 0]
    assert tokens(slot) == [0, 0, 0]
    assert "checkpoint_transcript_start" not in slot
    is_sound(world)


def test_the_agent_commits_in_the_first_turn(tmp_path: Path) -> None:
    world = World("live/01-active-in-first-turn", tmp_path)
    session = world.taken(LIVE)
    session.commit("Add parser")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["src/parser.py"]
    assert lines(slot) == [2, 0]
    assert tokens(slot) == plus([100, 20, 1], [2**20, 10, 1])
    session.stop()
    assert tokens(world.linked()["slots"][LIVE]) == plus([100, 20, 1], NEW_TURN)
    is_sound(world)


def test_a_turn_with_a_commit_of_the_go_cli_is_finalised(tmp_path: Path) -> None:
    """Stage 05 of live: the checkpoint of the running turn had counted the session's first turn a second time."""
    world = World("live/05-active-agent-committed", tmp_path)
    session = world.taken(LIVE)
    session.write("README.md", "# demo\n\nA parser and a lexer.\n")
    session.stop()
    slot = world.checkpoint_without_record("80751900d3c0")
    assert tokens(slot) == plus([100, 20, 1], NEW_TURN)
    assert slot["transcript"] == session.file.read_text()
    is_sound(world, "80751900d3c0")
    world.commit("Say it")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["README.md"]
    assert lines(slot) == [2, 0]
    assert tokens(slot) == [0, 0, 0]
    assert slot["checkpoint_transcript_start"] == 7
    is_sound(world, "80751900d3c0")


def test_a_second_commit_in_that_turn(tmp_path: Path) -> None:
    world = World("live/05-active-agent-committed", tmp_path)
    session = world.taken(LIVE)
    session.write("README.md", "# demo\n\nA parser and a lexer.\n")
    world.git("add", "README.md")
    session.commit("Say it", add=False)
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["README.md"]
    assert lines(slot) == [2, 0]
    session.stop()
    assert tokens(world.checkpoint_without_record("80751900d3c0")) == [100, 20, 1]
    assert tokens(world.linked()["slots"][LIVE]) == [2**20 + 2**21 + 2**22, 30, 3]
    is_sound(world, "80751900d3c0")


def test_a_prompt_over_a_persons_edit(tmp_path: Path) -> None:
    """Stage 07 of live: README.md was open; a person changed its line and added human.txt, then prompted."""
    world = World("live/07-active-again", tmp_path)
    session = world.taken(LIVE)
    session.edit("src/lexer.py", "list(s)", "s.split()")
    session.stop()
    world.commit("Nicer")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["README.md", "src/lexer.py"]
    counted = slot["initial_attribution"]
    assert [counted[key] for key in ("agent_lines", "human_added", "human_modified", "total_committed")] == [2, 1, 1, 4]
    assert tokens(slot) == plus([150, 25, 2], NEW_TURN)
    assert slot["checkpoint_transcript_start"] == 7  # turn 2 made a part
    is_sound(world)


def test_a_turn_whose_agent_is_gone_takes_nothing_from_people(tmp_path: Path) -> None:
    """The Go CLI left it active, hours ago: only what its tools reported is its."""
    world = World("live/01-active-in-first-turn", tmp_path, hours=5)
    world.write("mine.txt", "typed\n")
    world.commit("Both")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["src/parser.py"]
    assert lines(slot) == [2, 1]
    is_sound(world)


# ---------------------------------------------------------------- more


def test_a_linked_worktree_has_its_own_steps(tmp_path: Path) -> None:
    world = World("manual/11-linked-worktree", tmp_path, "demo-wt")
    world.git("add", "wt.txt")
    world.commit("Work", add=False)
    slot = world.linked()["slots"][LINKED]
    assert slot["files_touched"] == ["wt.txt"]
    assert lines(slot) == [1, 0]
    assert tokens(slot) == [200, 40, 2]


def test_the_subagents_task_is_kept(tmp_path: Path) -> None:
    world = World("manual/06-subagent", tmp_path)
    world.commit("Note")
    checkpoint = world.linked()
    slot = checkpoint["slots"][MAIN]
    assert slot["token_usage"]["subagent_tokens"]["input_tokens"] == 150
    folder = f"{world.ids()[0].path}/tasks/toolu_1a1fe023a56000800scripted"
    task = json.loads(world.show(f"{folder}/checkpoint.json"))
    assert task["agent_id"] == "a9e0498363051388d"
    assert world.show(f"{folder}/agent-a9e0498363051388d.jsonl").count("\n") > 1


def test_an_amend_keeps_the_id_of_a_checkpoint_of_the_go_cli(tmp_path: Path) -> None:
    world = World("manual/12-amend-with-open-step", tmp_path)
    ids = world.ids()
    world.git("commit", "--amend", "-q", "--no-edit")
    assert world.ids() == ids
    is_sound(world)
    state = json.loads((world.root / ".git/entire-sessions" / f"{MAIN}.json").read_text())
    assert state["files_touched"] == ["hello.py"]


def test_taking_over_twice_changes_nothing(tmp_path: Path) -> None:
    world = World("live/06-idle-after-agent-commit", tmp_path)
    own = world.root / ".git/entire"
    before = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
    assert world.entire("enable", "--agent", "claude-code", "-f") == 0
    after = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
    journals = [json.loads(some[own / "journal.json"])["entries"] for some in (before, after)]
    assert journals[0] == journals[1]
    assert {path for path in before if before[path] != after.get(path)} <= {own / "journal.json", own / "snapshot.json"}


def test_the_go_cli_writes_in_between(tmp_path: Path) -> None:
    """Ours, then a hook of the Go CLI that rewrites the state without our key, then ours again."""
    world = World("live/03-idle-part-committed", tmp_path)
    session = world.taken(LIVE)
    with session.turn("One more"):
        session.write("more.py", "one\n")
    path = world.root / ".git/entire-sessions" / f"{LIVE}.json"
    state = json.loads(path.read_text())
    del state["entire_py"]
    path.write_text(json.dumps(state))
    world.commit("All")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["more.py", "tests/test_parser.py"]
    assert lines(slot) == [6, 0]
    assert tokens(slot) == NEW_TURN
    is_sound(world)


# ---------------------------------------------------------------- what may be wrong with it


def test_what_a_person_had_changed_before_the_first_step_is_the_persons(tmp_path: Path) -> None:
    """The Go CLI puts everything that `git status` reports into a session's first step."""

    def change(world: World) -> None:
        branch = "refs/heads/entire/19e9769-e3b0c4"
        step, index = world.git("rev-parse", branch).strip(), {"GIT_INDEX_FILE": str(world.home / "index")}
        world.write("typed.txt", "typed before\n")
        world.git("read-tree", step, env=index)
        world.git("update-index", "--add", "typed.txt", env=index)
        tree = world.git("write-tree", env=index).strip()
        message = world.git("log", "-1", "--format=%B", step)
        world.git("update-ref", branch, world.git("commit-tree", tree, stdin=message).strip())

    world = World("live/02-idle-after-first-turn", tmp_path, change=change)
    world.commit("All")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["src/parser.py", "tests/test_parser.py"]
    assert lines(slot) == [7, 1]
    is_sound(world)


def test_a_shadow_branch_that_is_gone(tmp_path: Path) -> None:
    """Nobody can tell any more who made the open file: a person's commit of it is not linked, the session goes on."""
    branch = "refs/heads/entire/f6c9011-e3b0c4"
    world = World("live/03-idle-part-committed", tmp_path, change=lambda world: world.git("update-ref", "-d", branch))
    world.commit("Add parser tests")
    assert world.ids() == []
    session = world.taken(LIVE)
    with session.turn("One more"):
        session.write("more.py", "one\n")
    world.commit("More")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["more.py"]
    assert tokens(slot) == NEW_TURN
    is_sound(world)


def test_a_transcript_that_is_gone(tmp_path: Path) -> None:
    """Its steps still tell what the session made."""

    def change(world: World) -> None:
        Path(world.states_before[LIVE]["transcript_path"]).unlink()

    world = World("live/02-idle-after-first-turn", tmp_path, change=change)
    world.commit("All")
    slot = world.linked()["slots"][LIVE]
    assert slot["files_touched"] == ["src/parser.py", "tests/test_parser.py"]
    assert lines(slot) == [7, 0]
    assert tokens(slot) == [0, 0, 0]
    is_sound(world)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"step_transcript_start": "x", "untracked_files": 7}', '{"a": \0}'])
def test_a_broken_note_of_the_prompt(text: str, tmp_path: Path) -> None:
    def change(world: World) -> None:
        (world.root / f".entire/tmp/pre-prompt-{LIVE}.json").write_text(text)

    world = World("live/05-active-agent-committed", tmp_path, change=change)
    session = world.taken(LIVE)
    session.write("README.md", "# demo\n\nA parser and a lexer.\n")
    session.stop()
    assert tokens(world.checkpoint_without_record("80751900d3c0")) == plus([100, 20, 1], NEW_TURN)
    is_sound(world, "80751900d3c0")


def test_what_cannot_be_taken_over_stops_no_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("nonsense")

    monkeypatch.setattr(sessions, "record_steps", fail)
    world = World("live/06-idle-after-agent-commit", tmp_path)
    monkeypatch.undo()
    assert [error for error in world.log_errors() if "could not import sessions of the Go CLI: nonsense" in error]
    session = world.taken(LIVE)
    with session.turn("One more"):
        session.write("more.py", "one\n")
    world.git("add", "more.py")
    world.commit("More", add=False)
    assert world.linked()["slots"][LIVE]["files_touched"] == ["more.py"]
    assert len(world.log_errors()) == 1


# ---------------------------------------------------------------- the two tools take turns


def shadows(world: World, prefix: str = "refs/heads/entire/") -> list[str]:
    names = world.git("for-each-ref", "--format=%(refname)", prefix).split()
    return [name.removeprefix(prefix) for name in names if not name.endswith("checkpoints/v1")]


def hide_states(world: World) -> None:
    """Take away what the Go CLI will write: its states, and the branches that only they need."""
    (world.root / ".git/entire-sessions").rename(world.home / "states")
    for name in shadows(world):
        world.git("update-ref", f"refs/later/{name}", f"refs/heads/entire/{name}")
        world.git("update-ref", "-d", f"refs/heads/entire/{name}")


def show_states(world: World) -> None:
    """Write the states as the Go CLI does: beside the file, then renamed."""
    for name in shadows(world, "refs/later/"):
        world.git("update-ref", f"refs/heads/entire/{name}", f"refs/later/{name}")
    folder = world.root / ".git/entire-sessions"
    folder.mkdir(exist_ok=True)
    for path in (world.home / "states").iterdir():
        beside = folder / f"{path.name}.tmp"
        beside.write_bytes(path.read_bytes())
        beside.rename(folder / path.name)


@pytest.mark.parametrize(
    ("stage", "session_id", "files", "made"), [row[:4] for row in OPEN], ids=[row[0].replace("/", "-") for row in OPEN]
)
def test_a_session_that_the_go_cli_wrote_after_ours_ended_is_linked(
    stage: str, session_id: str, files: list[str], made: list[int], tmp_path: Path
) -> None:
    world = World(stage, tmp_path, change=hide_states)
    world.commit("Nothing is known", "--allow-empty", add=False)
    own = world.session()
    own.start()
    own.end()
    world.commit("Nothing is live", "--allow-empty", add=False)
    assert not (world.root / ".git/entire/live").exists()
    show_states(world)
    world.git("add", "--", *files)
    world.commit("What the Go CLI left", add=False)
    slot = world.linked()["slots"][session_id]
    assert (slot["files_touched"], lines(slot)) == (files, made)


def test_a_commit_in_another_worktree_keeps_the_hooks_awake_where_the_session_is(tmp_path: Path) -> None:
    stage, session_id, files, made, _ = OPEN[0]
    world = World(stage, tmp_path, change=hide_states)
    world.git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    show_states(world)
    world.git("-C", str(tmp_path / "side"), "commit", "-q", "--allow-empty", "-m", "Beside")
    seen = (world.root / ".git/entire/sessions-seen").stat().st_mtime_ns
    assert seen >= (world.root / ".git/entire-sessions").stat().st_mtime_ns
    world.git("add", "--", *files)
    world.commit("What the Go CLI left", add=False)
    assert lines(world.linked()["slots"][session_id]) == made
    is_sound(world)


def test_own_states_do_not_wake_the_hooks(tmp_path: Path) -> None:
    world = World(OPEN[0][0], tmp_path)
    session = world.session()
    session.start()
    with session.turn("One"):
        session.write("own.txt", "own\n")
    world.commit("All")
    session.end()
    folder, seen = world.root / ".git/entire-sessions", world.root / ".git/entire/sessions-seen"
    assert seen.stat().st_mtime_ns >= folder.stat().st_mtime_ns
