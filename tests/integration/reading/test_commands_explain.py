"""``entire explain`` and ``entire status`` on repositories that the Go Entire CLI left, and on what it never left."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.model.records import SessionRecord
from entire.redact import trusted
from entire.store import checkpoint_writer, gojson, lineage_file
from tests import golden
from tests.integration.commandline import Repo


def open_world(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = golden.repositories(golden.unpack(stage, tmp_path))[-1]
    monkeypatch.chdir(top)
    return Repo(top, capsys)


@pytest.fixture
def world(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Repo:
    return open_world(request.param, tmp_path, monkeypatch, capsys)


def in_world(stage: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("world", [stage], indirect=True)


every_stage = pytest.mark.parametrize("world", golden.STAGES, indirect=True)
LAST = "manual/12-amend-with-open-step"


# ---------------------------------------------------------------- every stage


@every_stage
def test_everything_is_shown_and_nothing_is_written(world: Repo, request: pytest.FixtureRequest) -> None:
    before = world.files()
    assert world.ok("status").startswith("Enabled (")
    world.ok("status", "--detailed")
    states = {path.stem for path in (world.top / ".git/entire-sessions").glob("*.json")}
    assert {one["session_id"] for one in world.json("status")["sessions"]} == states

    listed = world.json("explain")
    trailers = world.git("log", "--format=%B", "HEAD").count("Entire-Checkpoint:")
    assert listed["total"] == len(listed["checkpoints"]) == trailers
    assert f"Checkpoints: {trailers}\n" in world.ok("explain")
    is_whole = request.node.callspec.params["world"] in golden.WHOLE
    for one in listed["checkpoints"] if is_whole else ():
        _check_listed(world, one)
    for session_id in states | {name for one in listed["checkpoints"] for name in one["session_ids"]}:
        assert f"Filtered by session: {session_id}\n" in world.ok("explain", "--session", session_id)
        assert world.ok("explain", session_id) == world.ok("explain", "--session", session_id)
    assert world.files() == before


def _check_listed(world: Repo, one: dict[str, object]) -> None:
    """A checkpoint of the list is shown whole, by its id and by its commit; one without its checkpoint is fine."""
    name = str(one["id"])
    commit = one["commits"][0]  # type: ignore[index]
    by_commit = world.ok("explain", "--commit", commit["oid"])
    if not one["is_stored"]:
        assert by_commit.startswith("No associated Entire checkpoint")
        assert world.entire("explain", "-c", name) == 1
        assert "checkpoint not found" in world.err
        return
    assert world.ok("explain", "-c", name) == by_commit
    assert world.ok("explain", commit["oid"][:10]) == by_commit
    assert f"Checkpoint {name}\n" in by_commit
    assert commit["oid"][:7] in by_commit
    for path in one["files"]:  # type: ignore[attr-defined]
        assert path in by_commit
    whole = world.json("explain", "-c", name)
    stored = f"entire/checkpoints/v1:{name[:2]}/{name[2:]}"
    for part in whole["parts"]:
        record = json.loads(world.git("show", f"{stored}/{part['slot']}/metadata.json"))
        assert part["session_id"] == record["session_id"]
        assert part["start"] == record.get("checkpoint_transcript_start", 0)
        for key in ("agent_lines", "human_added", "total_committed"):
            assert (part["lines"] or {}).get(key) == record.get("initial_attribution", {}).get(key)
        for key in ("input_tokens", "output_tokens", "api_call_count"):
            assert (part["tokens"] or {}).get(key) == (record.get("token_usage") or {}).get(key)
        _check_conversation(world, name, part)
    last = whole["parts"][-1]["slot"]
    raw = subprocess.run(["git", "cat-file", "blob", f"{stored}/{last}/full.jsonl"], capture_output=True, check=True)
    assert world.ok("explain", "-c", name, "--raw-transcript").encode() == raw.stdout


def _check_conversation(world: Repo, name: str, part: dict[str, object]) -> None:
    own, whole = world.ok("explain", "-c", name, "--transcript"), world.ok("explain", "-c", name, "--full")
    for prompt in part["prompts"]:  # type: ignore[attr-defined]
        assert prompt["text"] in own
        assert prompt["text"] in whole
    slot = f"entire/checkpoints/v1:{name[:2]}/{name[2:]}/{part['slot']}"
    if "prompt.txt" in world.git("ls-tree", "--name-only", slot).split():
        for prompt in world.git("show", f"{slot}/prompt.txt").split("\n\n---\n\n"):
            assert prompt in whole


# ---------------------------------------------------------------- what is told


@in_world("manual/03-user-commit")
def test_the_page_of_a_checkpoint(world: Repo) -> None:
    out = world.ok("explain", "HEAD")
    session = "b1bddc73-1449-4282-9e10-c81014e45e9f"
    assert [line.rstrip() for line in out.split("\n")] == [
        "Checkpoint 1cc5a4cd674f",
        "  Commit   a0a3576 Add greeting (Dev, 2026-11-21 12:08)",
        "  Branch   main",
        "  Created  2026-11-21 12:08 (manual-commit)",
        "",
        f"Session {session} (Claude Code)",
        "  Files   hello.py, shell.txt",
        "  Lines   100 % of 2 added lines (2 by the agent, 0 by people)",
        "  Tokens  3,500 in, 160 out, 730 cache (5 calls)",
        "  Prompts (2)",
        "    1. create greeting file",
        "    2. shell edit",
        "",
    ]
    short = world.ok("explain", "--short", "HEAD")
    assert "Prompts" not in short
    assert "3,500 in" in short


@in_world(LAST)
def test_a_part_begins_where_the_checkpoint_says(world: Repo) -> None:
    out = world.ok("explain", "--checkpoint", "da654")
    assert out.count("Session ") == 2
    assert "1. create greeting file and say hi" in out
    assert "1. change greeting" in out
    assert "shell edit" not in out  # an earlier checkpoint's


@in_world(LAST)
def test_the_list(world: Repo) -> None:
    lines = world.ok("explain").split("\n")
    assert lines[:2] == ["Branch: main", "Checkpoints: 7"]
    ids = [
        "da654c830473",
        "c58db9bba54a",
        "cdb7deec082b",
        "bfc12feaeec0",
        "a412eb830957",
        "b1fac6cd5d81",
        "1cc5a4cd674f",
    ]
    assert [name for line in lines for name in ids if f"  {name}  " in line] == ids
    log = world.ok("log").splitlines()
    assert lines[2 : 3 + len(log)] == ["", *log]
    assert "not stored here" in next(line for line in lines if "a412eb830957" in line)
    some = world.ok("explain", "--limit", "2")
    assert "Checkpoints: 7\n" in some
    assert "and 5 older ones" in some
    mine = world.json("explain", "--session", "224684a9")
    assert [one["id"] for one in mine["checkpoints"]] == ["da654c830473"]


@in_world(LAST)
def test_status_tells_what_is_open(world: Repo) -> None:
    view = world.json("status")
    assert (view["strategy"], view["branch"], view["checkpoints"], view["push_sessions"]) == (
        "manual-commit",
        "main",
        6,
        None,
    )
    by_id = {one["session_id"][:8]: one for one in view["sessions"]}
    assert by_id["b1bddc73"]["open_files"] == ["hello.py"]
    assert by_id["255dad9f"]["is_here"] is False
    out = world.ok("status")
    assert "uncommitted: hello.py" in out
    assert "some hooks are broken" in out  # the archive holds no git hooks
    assert "255dad9f-bc32-429e-8f3f-18163d22b904" in world.ok("status", "--detailed")


@in_world("live/05-active-agent-committed")
def test_status_in_the_middle_of_a_turn(world: Repo) -> None:
    (one,) = world.json("status")["sessions"]
    assert one["phase"] == "active_committed"
    assert "working" in world.ok("status")


@in_world("clones/01-two-clones-pushed")
def test_what_is_not_pushed(world: Repo) -> None:
    assert world.json("status")["unpushed"] == {}
    world.git("update-ref", "refs/heads/entire/checkpoints/v1", world.git(
        "commit-tree", "entire/checkpoints/v1^{tree}", "-p", "entire/checkpoints/v1", "-m", "x"))  # fmt: skip
    assert world.json("status")["unpushed"] == {"origin": 1}
    (world.top / ".entire/settings.local.json").write_text('{"strategy_options": {"push_sessions": true}}')
    assert "origin lacks 1 checkpoint commit" in world.ok("status")


@in_world("gemini/03-user-commit")
def test_an_agent_that_this_version_does_not_know(world: Repo) -> None:
    out = world.ok("explain", "--full", "HEAD")
    assert "(Gemini CLI)" in out
    assert "1. Create hello.txt, please" in out
    assert "Done: Append a line" in out
    assert "* write_file: /home/dev/gem/hello.txt" in out


@in_world("auto/03-third-turn")
def test_a_subagents_task_is_named(world: Repo) -> None:
    out = world.ok("explain", "b0cbf7a11f84")
    assert "toolu_1a1fe02d99f000400scripted" in out
    assert "a2601ff26f8fe7762" in out


@in_world("auto/01-one-turn")
def test_the_first_line_of_status_names_the_strategy(world: Repo) -> None:
    assert world.ok("status").split("\n")[0] == "Enabled (manual-commit)"  # what a commit brought is not followed
    world.ok("enable", "--agent", "claude-code", "--strategy", "auto-commit")
    assert world.ok("status").split("\n")[0] == "Enabled (auto-commit)"


# ---------------------------------------------------------------- our own record


@in_world("manual/03-user-commit")
def test_who_made_which_lines_is_shown_where_it_is_known(world: Repo) -> None:
    session = "b1bddc73-1449-4282-9e10-c81014e45e9f"
    (part,) = world.json("explain", "HEAD")["checkpoints"][0]["parts"]
    second = part["prompts"][1]["position"]
    turns = {
        session: [{"turn": "00aa", "prompt_position": 0}, {"turn": "00bb", "prompt_position": second, "model": "m-1"}]
    }
    turns[session][0]["prompt_position"] = part["prompts"][0]["position"]
    files = {
        "hello.py": lineage_file.FileLines(status="A", added=((1, 3, f"{session}/00aa"), (4, 4, "person"))),
        "logo.png": lineage_file.FileLines(status="A", binary=True, made_by=f"{session}/00bb"),
        "old.txt": lineage_file.FileLines(status="M", removed={f"{session}/00bb": 2, "person": 1}),
    }
    link = lineage_file.LineageLink(commit=world.git("rev-parse", "HEAD"), tree="t")
    put_beside(world, "1cc5a4cd674f", lineage_file.NAME, lineage_file.dumps(lineage_file.LineageFile(
        commits=(link,), turns=turns, files=files)))  # fmt: skip
    out = [line.strip() for line in world.ok("explain", "HEAD").split("\n")]
    assert "Model    m-1" in out
    at = out.index("Attribution")
    assert out[at + 1 : at + 4] == [
        "hello.py  lines 1-3: prompt 1, line 4: a person",
        "logo.png  binary file, added by prompt 2",
        "old.txt   2 removed by prompt 2, 1 removed by a person",
    ]
    whole = world.json("explain", "-c", "1cc5")
    assert whole["recorded_commits"] == [link.commit]
    person = {"first": 4, "last": 4, "session_id": "", "turn": "", "is_by_hook": False}
    assert whole["lines"][0]["added"][1] == person
    assert whole["parts"][0]["prompts"][1]["turn"] == "00bb"


def put_beside(world: Repo, checkpoint: str, name: str, data: bytes) -> None:
    """Put a file into a checkpoint's folder by git alone."""
    env = {**os.environ, "GIT_INDEX_FILE": str(world.top / ".git/test-index")}

    def git(*args: str, stdin: bytes = b"") -> str:
        done = subprocess.run(["git", *args], cwd=world.top, env=env, input=stdin, capture_output=True, check=True)
        return done.stdout.decode().strip()

    branch = "refs/heads/entire/checkpoints/v1"
    git("read-tree", branch)
    oid = git("hash-object", "-w", "--stdin", stdin=data)
    git("update-index", "--add", "--cacheinfo", f"100644,{oid},{checkpoint[:2]}/{checkpoint[2:]}/{name}")
    git("update-ref", branch, git("commit-tree", git("write-tree"), "-p", branch, "-m", "x"))
    os.unlink(env["GIT_INDEX_FILE"])


EMPTY: dict[str, object] = {"version": 1, "commits": [], "turns": {}, "files": {}}
SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"
PARTS: tuple[dict[str, object], ...] = (
    {"turns": []},
    {"turns": {SESSION: 5}},
    {"turns": {SESSION: [5, {"prompt_position": "x"}, {"prompt_position": 1, "token_usage": 7, "model": 3}]}},
    {"files": {"a": {"status": ["A"], "added": [], "removed": [1], "made_by": 7, "old_path": 5}}},
    {"files": {"a": {"status": "M", "added": [[1, 2, 3]], "removed": {"x": "y"}}}},
    {"files": {"a": {"status": "M", "added": [[1]]}}},
)
ODD = [json.dumps({**EMPTY, **part}).encode() for part in PARTS]


@in_world("manual/03-user-commit")
@pytest.mark.parametrize("data", [b"", b"[]", b'{"version": 99}', b'{"version": 1, "commits": [{}]}', b"\xff{", *ODD])
def test_a_record_that_cannot_be_read_is_left_out(world: Repo, data: bytes) -> None:
    put_beside(world, "1cc5a4cd674f", lineage_file.NAME, data)
    assert "1. create greeting file" in world.ok("explain", "HEAD")


# ---------------------------------------------------------------- wishes that cannot be met


@in_world(LAST)
def test_what_is_not_there(world: Repo) -> None:
    for args, about in (
        (["-c", "ffffffffffff"], "checkpoint not found"),
        (["-c", "zz"], "checkpoint not found"),
        (["-c", ""], "checkpoint not found"),
        (["-c", "../../etc"], "checkpoint not found"),
        (["--commit", "nowhere"], "commit not found"),
        (["--commit", "--all"], "commit not found"),
        (["nonsense"], "no commit, checkpoint or session"),
        (["fffffff"], "checkpoint not found"),
        (["-c", "c"], "several checkpoints start with"),
    ):
        assert world.entire("explain", *args) == 1, args
        assert about in world.err
        assert world.out == ""
    assert world.entire("explain", "--json", "-c", "ffffffffffff") == 1
    assert "checkpoint not found" in json.loads(world.out)["error"]["message"]


@in_world(LAST)
@pytest.mark.parametrize(
    "args",
    [
        ["-c", "da654", "--session", "b1"],
        ["--commit", "HEAD", "-c", "da"],
        ["--session", "b1", "--commit", "HEAD"],
        ["HEAD", "-c", "da"],
    ],
)
def test_selectors_cannot_be_combined(world: Repo, args: list[str]) -> None:
    assert world.entire("explain", *args) == 2


@in_world("manual/03-user-commit")
def test_a_commit_without_a_checkpoint_is_no_error(world: Repo) -> None:
    assert world.ok("explain", "HEAD~1").startswith("No associated Entire checkpoint for ")
    own = world.top / ".git/entire"
    own.mkdir()
    commit = world.git("rev-parse", "HEAD~1")
    (own / "journal.json").write_text(
        json.dumps({"reasons": [{"commit": commit, "reason": "it is a revert", "time": 1.0}]})
    )
    assert "Reason: it is a revert\n" in world.ok("explain", "HEAD~1")
    (one,) = world.json("status")["unlinked"]
    assert (one["commit"], one["reason"]) == (commit, "it is a revert")
    assert "it is a revert" in world.ok("status")


@in_world("manual/05-rest-committed")
def test_a_commit_with_several_ids_shows_them_all(world: Repo) -> None:
    world.git("checkout", "-q", "-b", "squashed", "HEAD~3")
    world.git("commit", "-q", "--allow-empty", "-m", "All of it\n\n    Entire-Checkpoint: 1cc5a4cd674f\n"
              "Entire-Checkpoint: b1fac6cd5d81\nEntire-Checkpoint: a412eb830957")  # fmt: skip
    out = world.ok("explain", "HEAD")
    assert "Checkpoint 1cc5a4cd674f\n" in out
    assert "Checkpoint b1fac6cd5d81\n" in out
    assert "The commit message also names checkpoint a412eb830957, which is not stored here" in out
    assert world.json("explain", "HEAD")["missing"] == ["a412eb830957"]
    assert "Checkpoints: 3\n" in world.ok("explain")


@in_world("manual/03-user-commit")
def test_an_id_of_a_later_format_is_known_to_be_one(world: Repo) -> None:
    world.git("commit", "-q", "--allow-empty", "-m", "Later\n\nEntire-Checkpoint: 01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert "01ARZ3NDEKTSV4RRFFQ69G5FAV, which is not stored here" in world.ok("explain", "HEAD")
    assert "Checkpoints: 2\n" in world.ok("explain")


@in_world("manual/03-user-commit")
def test_what_a_transcript_says_cannot_command_the_terminal(world: Repo) -> None:
    world.git("commit", "-q", "--allow-empty", "-m", "Evil \x1b]0;title\x07\n\nEntire-Checkpoint: 1cc5a4cd674f")
    for args in (["explain"], ["explain", "HEAD"]):
        assert "\x1b" not in world.ok(*args)


@in_world("manual/03-user-commit")
def test_broken_checkpoints_are_shown_as_far_as_they_go(world: Repo) -> None:
    put_beside(world, "1cc5a4cd674f", "metadata.json", b"{ broken")
    put_beside(world, "1cc5a4cd674f", "0/metadata.json", b"\xff")
    out = world.ok("explain", "HEAD")
    assert "Problems" in out
    assert "the checkpoint's metadata.json is missing or broken" in out
    world.ok("explain")
    world.ok("explain", "--full", "HEAD")
    world.ok("explain", "--json")


# ---------------------------------------------------------------- places without much in them


@pytest.fixture
def bare_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    monkeypatch.chdir(tmp_path / "new")
    return Repo(tmp_path / "new", capsys)


def test_a_repository_without_a_commit_that_never_was_enabled(bare_start: Repo) -> None:
    before = bare_start.files()
    assert "disabled" in bare_start.ok("status").split("\n", 1)[0]
    assert bare_start.json("status")["is_set_up"] is False
    assert bare_start.ok("explain") == "Branch: main\nCheckpoints: 0\n"
    assert bare_start.entire("explain", "HEAD") == 1
    assert bare_start.files() == before


def test_a_detached_head(bare_start: Repo) -> None:
    bare_start.git("commit", "-q", "--allow-empty", "-m", "First")
    bare_start.git("checkout", "-q", "--detach")
    assert bare_start.ok("explain").startswith("Branch: (detached HEAD)\nCheckpoints: 0\n")
    assert bare_start.json("status")["branch"] == ""


# ---------------------------------------------------------------- agents that are not installed


@pytest.mark.parametrize(
    ("name", "start", "prompts", "calls"),
    [
        ("codex/two-turns.jsonl", 28, ["first task", "second task"], ["apply_patch: hello.py, notes.txt"]),
        ("copilot-cli/subagent.jsonl", 0, ["delegate"], ["task: make sub file"]),
        ("cursor/described-shape-not-observed.jsonl", 0, ["first task please"], ["Write: /home/dev/project/hello.py"]),
        ("opencode/turn2-same-session.json", 5, ["please do the first task", "second task please"],
         ["write: /home/dev/project/c.txt"]),
        ("pi/01-print-then-continue.jsonl", 13, ["create hello", "second prompt"], ["write: second.txt"]),
    ],
)  # fmt: skip
def test_the_conversation_of_an_agent_that_is_not_installed(
    name: str, start: int, prompts: list[str], calls: list[str],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    monkeypatch.chdir(tmp_path / "repo")
    world = Repo(tmp_path / "repo", capsys)
    stored = (Path(__file__).parents[2] / "fixtures" / "conversations" / name).read_bytes()
    _store(world.top, stored, start)
    page, own, whole = (world.ok("explain", "-c", "a1b2c3d4e5f6", *form) for form in ([], ["--transcript"], ["--full"]))
    *_, last = prompts
    assert "Session s (Unheard Of)" in page
    assert [line for line in page.split("\n") if last in line]
    for prompt in prompts:
        assert prompt in whole
        assert (prompt in own) is (prompt in page) is (start == 0 or prompt == last)
    for call in calls:
        assert f"  * {call}" in own
        assert f"  * {call}" in whole


def _store(top: Path, transcript: bytes, start: int) -> None:
    """Write a checkpoint with a session of an agent that nobody knows here."""
    record = SessionRecord(
        checkpoint_id="a1b2c3d4e5f6", session_id="s", strategy="manual-commit", created_at=gojson.rfc3339(1.7e9),
        agent="Unheard Of", checkpoint_transcript_start=start,
    )  # fmt: skip
    content = checkpoint_writer.SlotContent(record=record, parts=(trusted(transcript),))
    with Objects(str(top)) as objects:
        for attempt in checkpoint_writer.attempts(str(top), objects):
            composed = checkpoint_writer.compose([content], None)
            attempt.write(composed, message=b"x", author="Ada <ada@example.com> 1700000000 +0000")
