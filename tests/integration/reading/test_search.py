"""``entire search``: what is found, where it says it is, and what is forgotten again."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bench import conversations
from entire.cli import main
from entire.git.read import Objects
from entire.index import database
from entire.index.entries import IndexEntry, IndexSource
from entire.model.findings import SearchRequest
from entire.model.ids import CheckpointId
from entire.queries.searches.stored_conversations import StoredConversations
from entire.redact import trusted
from entire.store import checkpoint_writer, checkpoints, transcript_ends
from entire.workspace import Workspace
from tests import golden
from tests.integration.story import Session, Story

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


class Searcher:
    """Runs searches in a repository and returns what they print."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
        self.story = story
        self._capsys = capsys

    def run(self, *args: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        status = self.story.entire("search", *args)
        return (status, *self._capsys.readouterr())

    def view(self, *args: str) -> dict[str, Any]:
        status, out, err = self.run(*args, "--json")
        assert (status, err) == (0, ""), (args, out, err)
        found: dict[str, Any] = json.loads(out)
        return found

    def __call__(self, *args: str) -> list[dict[str, Any]]:
        findings: list[dict[str, Any]] = self.view(*args)["findings"]
        return findings

    def texts(self, *args: str) -> list[str]:
        return [found["snippet"] for found in self(*args)]

    @property
    def file(self) -> Path:
        return self.story.root / ".git/entire/index/search.db"


@pytest.fixture
def search(story: Story, capsys: pytest.CaptureFixture[str]) -> Searcher:
    return Searcher(story, capsys)


def play(session: Session, prompt: str, name: str, text: str, answer: str = "Done.") -> None:
    """Play a turn in which the agent writes a file."""
    session.prompt(prompt)
    session.write(name, text)
    session.stop(answer)


def failing(session: Session, command: str, output: str) -> None:
    """Have the agent run a command that fails."""
    session.answer({"type": "tool_use", "id": "toolu_f", "name": "Bash", "input": {"command": command}})
    block = {"tool_use_id": "toolu_f", "type": "tool_result", "content": output, "is_error": True}
    session.record("user", message={"role": "user", "content": [block]}, toolUseResult=f"Error: {output}")


# ---------------------------------------------------------------- what is found


def test_every_kind_of_text_is_found_with_its_place(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, "Write the zebra module", "zebra.py", "def quagga():\n    pass\n", "Wrote the okapi.")
    with session.turn("Now run it"), session.shell("python zebra.py --stripes") as output:
        output.append("ImportError: giraffe\n")
    commit = story.commit("Add zebra")
    (checkpoint,) = story.ids()

    (found,) = search("zebra module")
    assert {name: found[name] for name in ("kind", "snippet", "session_id", "turn", "position", "checkpoint_id",
                                            "commits", "agent", "branch", "show", "occurrences")} == {
        "kind": "prompt", "snippet": "Write the zebra module", "session_id": session.id, "turn": 1, "position": 0,
        "checkpoint_id": checkpoint, "commits": [commit], "agent": "Claude Code", "branch": "main",
        "show": f"entire show {session.id}:1", "occurrences": 1,
    }  # fmt: skip
    assert found["highlights"] == [[10, 15], [16, 22]]
    assert [(one["kind"], one["turn"]) for one in search("okapi")] == [("answer", 1)]
    assert [(one["kind"], one["tool"], one["turn"]) for one in search("quagga")] == [("tool", "Write", 1)]
    assert [(one["kind"], one["tool"]) for one in search("stripes")] == [("tool", "Bash")]
    assert [(one["kind"], one["tool"], one["turn"]) for one in search("giraffe")] == [("output", "Bash", 2)]


def test_a_search_says_how_many_conversations_it_does_not_have_as_a_whole(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def notes(query: str) -> list[str]:
        told: list[str] = json.loads(search.run(query, "--json")[1])["notes"]
        return told

    short, long = story.started(), story.started()
    play(short, "Write a zebra", "zebra.py", "z = 1\n")
    assert notes("zebra") == []
    for number in range(3):
        play(long, f"Write okapi {number}", f"okapi{number}.py", "o = 1\n")
    monkeypatch.setattr(transcript_ends, "RECORDS", 8)
    assert [note.rpartition(" ")[2] for note in notes("okapi")] == ["1"]
    story.commit("Add them")
    (note,) = notes("okapi")
    assert (note.startswith("very long conversations"), note.rpartition(" ")[2]) == (True, "1")
    assert notes("zebra") == [note]
    search.file.unlink()
    monkeypatch.undo()
    assert notes("okapi") == []


def test_an_uncommitted_session_is_found_and_a_running_one(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, "Plant a baobab", "tree.txt", "baobab\n")
    session.prompt("Water the marula")
    (planted,) = search("baobab", "--kind", "prompt")
    assert (planted["checkpoint_id"], planted["commits"], planted["show"]) == ("", [], f"entire show {session.id}:1")
    assert search.texts("marula") == ["Water the marula"]


def test_a_prompt_is_found_before_the_agent_has_written_it(story: Story, search: Searcher) -> None:
    session = story.started()
    session.hook("user-prompt-submit", prompt="Look for the aardvark")
    assert search.texts("aardvark") == ["Look for the aardvark"]


def test_the_same_session_in_many_checkpoints_is_found_once_in_the_first(story: Story, search: Searcher) -> None:
    session = story.started()
    ids = []
    for number in range(5):
        play(session, f"Make part {number}", f"part{number}.txt", f"content {number}\n", f"Made {number}.")
        story.commit(f"Part {number}")
        ids += story.ids()
    found = search("make part", "--limit", "0", "--kind", "prompt")
    assert [(one["snippet"], one["checkpoint_id"]) for one in found] == [
        (f"Make part {number}", ids[number]) for number in reversed(range(5))
    ]


def test_what_redaction_removed_is_not_in_the_index(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, f"Use the token {SECRET} for the ibex", "ibex.py", f"token = '{SECRET}'\n")
    (prompt,) = search("ibex", "--kind", "prompt")
    assert "[REDACTED" in prompt["snippet"]
    story.commit("Add ibex")
    assert search("ibex", "--kind", "prompt")[0]["checkpoint_id"]
    assert search("ghp_aB3dE5*") == []
    assert SECRET.encode() not in search.file.read_bytes()


# ---------------------------------------------------------------- order, filters


def test_phrases_come_first_then_prompts_then_newer_texts(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, "Fix the login page", "a.txt", "login fix\n", "The login is what I fix.")
    play(session, "The login needs a fix", "b.txt", "nothing\n", "fix login")
    found = search("fix login")
    assert [(one["kind"], one["snippet"].splitlines()[0]) for one in found][:4] == [
        ("answer", "fix login"),
        ("prompt", "The login needs a fix"),
        ("prompt", "Fix the login page"),
        ("answer", "The login is what I fix."),
    ]


def test_filters(story: Story, search: Searcher) -> None:
    first, second = story.started(), story.started()
    play(first, "Add the heron", "birds/heron.py", "heron = 1\n")
    story.git("-c", "user.name=Zoë Müller", "commit", "-q", "--allow-empty", "-m", "x")
    story.git("add", "-A")
    story.git("-c", "user.name=Zoë Müller", "commit", "-q", "-m", "Add heron")
    story.git("switch", "-q", "-c", "topic")
    second.prompt("Add the heron test")
    failing(second, "pytest heron", "E assert heron")
    second.write("tests/heron.py", "assert 1\n")
    second.stop()
    story.commit("Add test")
    both = ["Add the heron test", "Add the heron"]
    prompt = ("heron", "--kind", "prompt")
    assert search.texts(*prompt) == both
    assert search.texts(*prompt, "--session", first.id[:8]) == both[1:]
    assert search.texts(*prompt, "--author", "MÜLLER") == both[1:]
    assert search.texts(*prompt, "--branch", "topic") == both[:1]
    assert search.texts(*prompt, "--file", "birds") == both[1:]
    assert search.texts(*prompt, "--file", "tests/heron.py") == both[:1]
    assert search.texts(*prompt, "--file", "*.py") == both
    assert search.texts(*prompt, "--agent", "claude") == both
    assert search.texts(*prompt, "--agent", "gemini") == []
    assert search.texts(*prompt, "--since", "yesterday") == both
    assert search.texts(*prompt, "--since", "45d") == both
    assert search.texts(*prompt, "--until", "yesterday") == search.texts(*prompt, "--until", "45d") == []
    assert [(one["kind"], one["has_failed"]) for one in search("heron", "--failed")] == [
        ("tool", True), ("output", True)
    ]  # fmt: skip
    assert {one["tool"] for one in search("heron", "--tool", "bash")} == {"Bash"}
    assert len(search("heron", "--kind", "tool", "--kind", "output")) == 4


def test_an_agent_that_is_not_known_is_named(story: Story, search: Searcher) -> None:
    session = story.started()
    with session.turn("Look for the axolotl"):
        session.write("a.txt", "a\n")
    assert search("axolotl", "--agent", "gemini") == []
    assert search("axolotl", "--agent", "claude") == search("axolotl")
    status, out, err = search.run("axolotl", "--agent", "gemimi")
    assert (status, out) == (1, "")
    assert err.startswith(
        "entire: no session of an agent called 'gemimi' is recorded here\n"
        "hint: did you mean `gemini`? Known agents: claude-code, "
    )


def test_the_limit(story: Story, search: Searcher) -> None:
    session = story.started()
    for number in range(4):
        play(session, f"Count dodos {number}", "n.txt", f"{number}\n")
    view = search.view("dodos", "--limit", "2", "--kind", "prompt")
    assert (len(view["findings"]), view["has_more"]) == (2, True)
    view = search.view("dodos", "--limit", "0", "--kind", "prompt")
    assert (len(view["findings"]), view["has_more"]) == (4, False)
    assert search.run("dodos", "--limit", "-1") == (
        2, "", "entire: --limit cannot be negative\nhint: 0 lists all findings\n"
    )  # fmt: skip


def test_a_text_that_was_said_often_is_shown_once_where_it_is_newest(story: Story, search: Searcher) -> None:
    session = story.started()
    for _ in range(3):
        play(session, "continue with the emu", "emu.txt", "emu\n")
    (found,) = search("emu", "--kind", "prompt")
    assert (found["occurrences"], found["turn"]) == (3, 3)


# ---------------------------------------------------------------- queries


ODD = [
    '"', "'", "''", '"""', "C++", "foo.bar()", "a/b/c.py", "--", "(", ")", "(a OR", "OR", "OR OR a", "a OR",
    "NEAR(a b)",
    "a AND b", "NOT a", "-a", "-", "--flag", "*", "a*b*", "^a", "body:a", "{a b}:c", "a:b", "\\", "%",
    ";DROP TABLE text",
    "\x00", "é", "́", "日", "日本語", "🎉", "\ud800", "a\nb", "[x]", "$HOME", "`x`", "a-b", "a -b", '-"a b"', '"a b"*',
    "x" * 5000, "a " * 500, '"' * 99,
]  # fmt: skip


@pytest.mark.parametrize("query", ODD)
def test_no_query_is_an_error_of_sqlite(query: str, story: Story, search: Searcher) -> None:
    status, _, err = search.run("--", query)
    assert status in (0, 2), err
    assert "Traceback" not in err and "sqlite" not in err.lower() and "fts5" not in err.lower()


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("parse_config", True), ("config", True), ("parseConfig", True), ("HTMLReader", True), ("reader", True),
        ("htmlRead*", True), ("src/app/main.py", True), ("main.py", True), ("app/main", True), ("C++", True),
        ("C#", False), ("登录", True), ("登录错误", True), ("误", True), ("错登", False), ('"parse config"', True),
        ('"config parse"', False), ("config -reader", False), ("config -walrus", True), ("walrus OR config", True),
        ("walrus config", False), ("pars*", True), ("par", False), ("naive", True), ("NAÏVE", True),
        ("foo.bar(1)", True), ("git commit --amend", True), ("readhtml", False), ("ReadHTML", False),
    ],
)  # fmt: skip
def test_the_words_of_code(query: str, is_found: bool, story: Story, search: Searcher) -> None:
    text = "parse_config HTMLReader parseConfig src/app/main.py C++ naïve foo.bar(1) git commit --amend 修复登录错误"
    story.started().prompt(text)
    assert search.texts(query) == ([text] if is_found else [])


def test_a_word_with_a_dash_excludes_on_the_command_line(story: Story, search: Searcher) -> None:
    session = story.started()
    session.prompt("lynx and bobcat")
    session.prompt("lynx and caracal")
    assert search.texts("lynx", "-bobcat") == ["lynx and caracal"]
    assert search.run("lynx", "--bobcat")[0] == 2


# ---------------------------------------------------------------- forgetting


def test_a_deleted_branch_a_reset_session_and_a_rewound_conversation_are_forgotten(
    story: Story, search: Searcher
) -> None:
    session = story.started()
    play(session, "Feed the narwhal", "n.txt", "n\n")
    assert search.texts("narwhal")
    assert story.entire("reset", "--force") == 0
    session.file.unlink()
    assert search.texts("narwhal") == []

    session = story.started()
    play(session, "Feed the manatee", "m.txt", "m\n")
    story.commit("Feed")
    assert search.texts("manatee")
    session.end()
    story.git("update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    shutil.rmtree(story.root / ".git/entire/sessions")
    shutil.rmtree(story.root / ".git/entire-sessions")
    assert search.texts("manatee") == []
    assert b"manatee" not in search.file.read_bytes()


def test_what_the_agent_rewound_is_forgotten(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, "First question", "a.txt", "a\n")
    lines = session.file.read_text()
    play(session, "Ask about the walrus", "b.txt", "b\n")
    assert search.texts("walrus", "--kind", "prompt")
    (story.root / ".git/entire/sessions" / f"{session.id}.turns").write_text("")
    session.file.write_text(lines)
    session.parent = json.loads(lines.splitlines()[-1])["uuid"]
    session.prompt("Ask about the seal")
    assert search.texts("walrus", "--kind", "prompt") == []
    assert search.texts("seal", "--kind", "prompt") == ["Ask about the seal"]


# ---------------------------------------------------------------- the file


def test_the_index_can_be_deleted_damaged_or_older_at_any_time(story: Story, search: Searcher) -> None:
    story.started().prompt("Find the tapir")
    expected = search("tapir")
    assert len(expected) == 1
    shutil.rmtree(search.file.parent)
    assert search("tapir") == expected
    for damage in (b"", b"not a database at all", search.file.read_bytes()[:5000]):
        search.file.write_bytes(damage)
        assert search("tapir") == expected
    subprocess.run([sys.executable, "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("
                    "'PRAGMA user_version = 99')", str(search.file)], check=True)  # fmt: skip
    assert search("tapir") == expected
    assert search.file.stat().st_mode & 0o777 == 0o600


def test_a_damaged_page_is_noticed_and_the_index_made_again(story: Story, search: Searcher) -> None:
    session = story.started()
    for number in range(30):
        session.prompt(f"Prompt {number} about the kudu")
    expected = search("kudu", "--limit", "0")
    assert len(expected) == 30
    data = bytearray(search.file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    search.file.write_bytes(data)
    assert search("kudu", "--limit", "0") == expected


def test_without_a_place_to_write_the_search_works_in_memory(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.started().prompt("Find the okapi")
    (story.root / ".git/entire/index").write_text("a file where the folder should be")
    status, out, err = search.run("okapi")
    assert status == 0
    assert "Find the okapi" in out
    assert "in memory" in err


def test_a_linked_worktree_shares_the_index(story: Story, search: Searcher, tmp_path: Path) -> None:
    story.started().prompt("Find the bongo")
    assert search.texts("bongo")
    story.git("worktree", "add", "-q", str(tmp_path / "other"), "HEAD")
    before = search.file.stat().st_mtime_ns
    assert story.entire("search", "bongo", cwd=tmp_path / "other") == 0
    assert search.file.stat().st_mtime_ns == before
    assert not os.path.exists(story.root / ".git/worktrees/other/entire/index")


def test_an_index_that_may_not_be_written_is_read_and_completed_in_memory(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = story.started()
    session.prompt("Find the civet")
    assert search.texts("civet")
    session.prompt("Find another civet")
    before = search.file.read_bytes()
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(search.file) and may(path, mode))
    status, out, err = search.run("civet")
    assert (status, out.count("Find "), "in memory" in err) == (0, 2, True)
    assert search.file.read_bytes() == before


def test_a_full_disk_does_not_stop_a_search(story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    story.started().prompt("Find the genet")

    def full(db: sqlite3.Connection) -> sqlite3.Connection:
        if db.execute("PRAGMA database_list").fetchone()[2]:
            db.execute("PRAGMA max_page_count = 2")
        return prepared(db)

    prepared = database.prepared
    monkeypatch.setattr(database, "prepared", full)
    status, out, err = search.run("genet")
    assert (status, "Find the genet" in out) == (0, True), err
    assert "full" in err


def test_searches_killed_at_any_moment_leave_an_index_that_answers(story: Story, search: Searcher) -> None:
    session = story.started()
    for number in range(40):
        session.prompt(f"Prompt {number} about the oribi {'x' * number}")
    command = [sys.executable, "-m", "entire", "search", "oribi", "--limit", "0", "--json"]
    for pause in range(12):
        session.record("user", promptSource="typed", message={"role": "user", "content": f"Late oribi {pause}"})
        child = subprocess.Popen(command, cwd=story.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.04 * pause)
        child.kill()
        child.wait()
    found = search("oribi", "--limit", "0", "--kind", "prompt")
    assert len(found) == 52
    shutil.rmtree(search.file.parent)
    assert search("oribi", "--limit", "0", "--kind", "prompt") == found


def test_an_interrupted_first_search_says_how_far_it_is_and_the_next_goes_on_there(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversations.fill(story.root, 3 * conversations.MESSAGES_A_SESSION)
    asked: list[str] = []
    told: list[str] = []
    read = StoredConversations.read

    def interrupted(stored: StoredConversations, source: IndexSource) -> list[IndexEntry]:
        asked.append(source.key)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return read(stored, source)

    monkeypatch.setattr(StoredConversations, "read", interrupted)
    monkeypatch.setattr("entire.ui.console.text.progress", told.append)
    monkeypatch.setattr("entire.queries.searches.search._MANY", 0)
    assert search.run("the")[0] == 130
    assert told[0] == "Building the search index: 0 of 12 conversations, 0 messages"
    assert told[-2].startswith("Building the search index: 5 of 12 conversations, ")
    assert told[-1].startswith("Interrupted: the index has 5 of 12 conversations, ")
    monkeypatch.setattr("entire.queries.searches.search._MANY", 100)
    found = search("the")
    assert (len(asked), len(set(asked))) == (13, 12)
    shutil.rmtree(search.file.parent)
    assert search("the") == found


def test_two_searches_at_once_answer_the_same(story: Story, search: Searcher) -> None:
    session = story.started()
    for number in range(30):
        session.prompt(f"Prompt {number} about the topi")
    command = [sys.executable, "-m", "entire", "search", "topi", "--limit", "0", "--json"]
    children = [subprocess.Popen(command, cwd=story.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(3)]  # fmt: skip
    answers = [child.communicate() for child in children]
    assert len({out for out, _ in answers}) == 1
    assert {err for _, err in answers} == {b""}
    assert len(json.loads(answers[0][0])["findings"]) == 30


def test_without_fts5_the_error_says_what_to_do(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    class Without(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if "fts5" in sql:
                refuse()
            return super().execute(sql, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **given: connect(path, factory=Without, **given))
    status, _, err = search.run("anything")
    assert status == 1
    assert "has no FTS5" in err and "hint: install" in err


def test_uninstalling_removes_the_index_and_clean_leaves_it(story: Story, search: Searcher) -> None:
    story.started().prompt("Find the nyala")
    assert search.texts("nyala")
    assert story.entire("clean", "--force") == 0
    assert story.entire("doctor") == 0
    assert search.file.exists()
    assert story.entire("disable", "--uninstall", "--force") == 0
    assert not search.file.parent.exists()


# ---------------------------------------------------------------- repositories of all kinds


@pytest.mark.parametrize("stage", golden.STAGES)
def test_what_the_go_cli_wrote_is_found(stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = golden.repositories(golden.unpack(stage, tmp_path))[-1]
    with contextlib.chdir(top):
        workspace = Workspace.find()
        for name in workspace.checkpoints.ids():
            for part in workspace.checkpoints.find(name).parts:
                for prompt in part.prompts:
                    words = " ".join(re.findall(r"[A-Za-z]{3,}", prompt.text)[:6])
                    view = workspace.history.search(SearchRequest(query=words, kinds=("prompt",), limit=0))
                    assert part.session_id in {found.session_id for found in view.findings}, (name, prompt.text)


def test_of_a_transcript_that_is_stored_whole_with_each_checkpoint_only_the_longest_is_read(
    story: Story, search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = conversations.fill(story.root, 1)
    rows = story.git("ls-tree", "-r", "entire/checkpoints/v1").splitlines()
    transcripts = {row.split()[2] for row in rows if row.endswith("full.jsonl")}
    sizes = {int(story.git("cat-file", "-s", oid)): oid for oid in transcripts}
    asked = []
    blob = Objects.blob

    def recorded(objects: Objects, name: str) -> bytes | None:
        asked.append(name)
        return blob(objects, name)

    monkeypatch.setattr(Objects, "blob", recorded)
    search("the")
    assert len(sizes) == conversations.CHECKPOINTS_A_SESSION
    assert [name for name in asked if name in transcripts] == [sizes[max(sizes)]]
    with contextlib.closing(sqlite3.connect(search.file)) as db:
        assert db.execute("SELECT count(*) FROM message").fetchone() == (messages,)


def test_another_clone_finds_what_it_fetched(story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = story.started()
    play(session, "Find the eland", "e.txt", "e\n")
    story.commit("Eland")
    other = tmp_path / "other"
    story.git("clone", "-q", str(story.root), str(other))
    capsys.readouterr()
    assert story.entire("search", "eland", "--kind", "prompt", "--json", cwd=other) == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["session_id"], found["checkpoint_id"]) == (session.id, story.ids()[0])


@pytest.mark.parametrize("arguments", [(), ("--object-format=sha256",)])
def test_a_repository_without_anything_has_no_findings(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", *arguments, str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    assert main(["search", "anything"]) == 0
    assert capsys.readouterr().out == "Nothing found.\n"


def test_what_a_subagent_said_is_found_in_its_own_conversation(story: Story, search: Searcher) -> None:
    session = story.started()
    play(session, "Ask a helper", "h.txt", "h\n")
    story.commit("Help")
    (checkpoint,) = story.ids()
    said = [{"type": "user", "isSidechain": True, "agentId": "f00d", "message": {"role": "user", "content": text}}
            for text in ("Look for the serval", "And the oncilla")]  # fmt: skip
    with Objects(str(story.root)) as objects:
        found = checkpoints.read(objects, [checkpoints.LOCAL_REF], CheckpointId(checkpoint))
        assert found is not None and found.latest is not None and found.latest.record is not None
        task = checkpoint_writer.TaskContent(
            tool_use_id="toolu_1", session_id=session.id, agent_id="f00d",
            transcript=trusted("".join(json.dumps(record) + "\n" for record in said).encode()),
        )  # fmt: skip
        slot = checkpoint_writer.SlotContent(record=found.latest.record)
        changes = checkpoint_writer.compose([slot], found, tasks=[task])
        for attempt in checkpoint_writer.attempts(str(story.root), objects):
            attempt.write(changes, message=b"task", author="A <a@b> 1 +0000")
    (serval,) = search("serval", "--session", session.id[:8])
    assert (serval["kind"], serval["session_id"], serval["subagent"], serval["show"], serval["checkpoint_id"]) == (
        "prompt", session.id, "f00d", f"entire show {session.id}/f00d", checkpoint
    )  # fmt: skip
