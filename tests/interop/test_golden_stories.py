"""The stories of the golden worlds, played on our tool, give the column "true" of their table.

The same prompts, tools, files and usage as the scripted model gave; each ``claude -p`` of ``manual`` starts and ends.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import golden
from tests.integration.story import Session, Story
from tests.interop import strict

TEXT = (100, 20)
LAST = (50, 5)
SUBAGENT = "a9e0498363051388d"
TASK = "toolu_1a1fe023a56000800scripted"


class Scripted(Session):
    """A session whose answers cost what the script of the world says."""

    def __init__(self, story: Story) -> None:
        super().__init__(story, str(uuid.uuid4()))
        self.usage: list[tuple[int, int]] = []

    def answer(self, *blocks: dict[str, Any], tokens: int = 0) -> str:
        """Write one answer with the next usage of the script."""
        before = len(self.file.read_bytes()) if self.file.exists() else 0
        message_id = super().answer(*blocks, tokens=tokens or self.usage[0][0])
        data = self.file.read_bytes()
        lines = []
        for line in data[before:].splitlines():
            record = json.loads(line)
            record["message"]["usage"]["output_tokens"] = self.usage[0][1]
            lines.append(json.dumps(record).encode() + b"\n")
        self.file.write_bytes(data[:before] + b"".join(lines))
        del self.usage[0]
        return message_id

    @contextmanager
    def print_mode(self, text: str, *usage: tuple[int, int]) -> Iterator[None]:
        """Play one ``claude -p``: the session starts or resumes, one turn, the session ends."""
        self.usage = list(usage)
        self.hook("session-start", source="resume" if self.file.exists() else "startup")
        with self.turn(text):
            yield
        assert self.usage == []
        self.end()


def subagent(session: Scripted) -> None:
    """Let a subagent of its own transcript write a file."""
    given = {"description": "Write a note", "prompt": "Write it", "subagent_type": "general-purpose"}
    session.answer({"type": "tool_use", "id": TASK, "name": "Agent", "input": given})
    session.hook("pre-task", tool_name="Agent", tool_use_id=TASK, tool_input=given)
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    note = {"agentType": "general-purpose", "description": "Write a note", "toolUseId": TASK, "spawnDepth": 1}
    (folder / f"agent-{SUBAGENT}.meta.json").write_text(json.dumps(note))
    inner = Scripted(session.story)
    inner.id, inner.usage, inner.file = session.id, [(70, 7), (80, 8)], folder / "whole.jsonl"
    inner.write("note.txt", "note from helper\n")
    inner.answer({"type": "text", "text": "Note written."})
    lines = [json.loads(line) for line in inner.file.read_text().splitlines()]
    inner.file.unlink()
    (folder / f"agent-{SUBAGENT}.jsonl").write_text(
        "".join(json.dumps({**line, "isSidechain": True, "agentId": SUBAGENT}) + "\n" for line in lines)
    )
    result = {"status": "completed", "agentId": SUBAGENT, "agentType": "general-purpose", "content": []}
    block = {"tool_use_id": TASK, "type": "tool_result", "content": [{"type": "text", "text": "Note written."}]}
    session.record("user", message={"role": "user", "content": [block]}, toolUseResult=result)
    session.hook("post-task", tool_name="Agent", tool_use_id=TASK, tool_input=given, tool_response=result)


class Told:
    """A story with its commits by subject."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.sessions: dict[str, Scripted] = {}
        self.at_commit: dict[str, list[int]] = {}  # tokens as they were when the commit was made

    def commit_of(self, subject: str) -> str:
        for line in self.story.git("log", "--all", "--format=%H %s", "HEAD").splitlines():
            if line.partition(" ")[2] == subject:
                return line.partition(" ")[0]
        raise AssertionError(subject)


def tokens(usage: dict[str, Any] | None) -> list[int]:
    return [(usage or {}).get(name, 0) for name in ("input_tokens", "output_tokens", "api_call_count")]


def commit_in_turn(told: Told, session: Scripted, message: str, *add: str) -> None:
    told.story.git("add", *(add or ("-A", ".")))
    session.commit(message, add=False)
    (record,) = told.story.linked()["slots"].values()
    told.at_commit[message] = tokens(record["token_usage"])


def tell_manual(told: Told) -> None:
    story = told.story
    one = told.sessions["one"] = Scripted(story)
    with one.print_mode("create greeting file", (1000, 50), (1100, 40), (1200, 30)):
        one.write("hello.py", "print('hello')\n")
        with one.shell("python3 hello.py"):
            pass
    with one.print_mode("shell edit", TEXT, TEXT), one.shell("echo shell > shell.txt"):
        story.write("shell.txt", "shell\n")
    story.commit("Add greeting")
    with one.print_mode("write two modules", TEXT, TEXT):
        write_both(one)
    story.git("add", "src/one.py")
    story.commit("feat: add one", add=False)
    story.git("add", "-A")
    story.git("commit", "-q", "-m", "Add two\n\nSigned-off-by: Ada Tester <ada@example.com>")
    with one.print_mode("use a helper", (500, 25), (600, 26)):
        subagent(one)
    with one.print_mode("commit it", TEXT, TEXT):
        commit_in_turn(told, one, "Agent commit")
    with one.print_mode("two commits in one turn", *[TEXT] * 5):
        one.write("a.txt", "a\n")
        commit_in_turn(told, one, "Add a", "a.txt")
        one.write("b.txt", "b\n")
        commit_in_turn(told, one, "Add b", "b.txt")
    two = told.sessions["two"] = Scripted(story)
    with two.print_mode("create greeting file and say hi", (1000, 50), (1100, 40), (1200, 30)):
        two.write("hello.py", "print('hello')\n")
        with two.shell("python3 hello.py"):
            pass
    with one.print_mode("sum <them> & log", TEXT, TEXT):
        one.write("src/sum.py", "from one import ONE\nfrom two import TWO\nprint(ONE + TWO)\n")
    story.write("README.md", story.read("README.md") + "typed by a person\n")
    story.write("src/sum.py", "# typed on top\n" + story.read("src/sum.py"))
    story.commit("Both sessions")


def write_both(session: Scripted) -> None:
    """Write two files with two calls of one answer."""
    blocks, results = [], []
    for name, text in (("src/one.py", "ONE = 1\n"), ("src/two.py", "TWO = 2\nTHREE = 3\n")):
        path, call = str(session.story.root / name), f"toolu_{uuid.uuid4().hex[:20]}"
        given = {"file_path": path, "content": text}
        blocks.append({"type": "tool_use", "id": call, "name": "Write", "input": given})
        result: dict[str, Any] = {
            "type": "create",
            "filePath": path,
            "content": text,
            "structuredPatch": [],
            "originalFile": None,
        }
        results.append((name, text, call, result))
    session.answer(*blocks)
    for name, text, call, result in results:
        session.story.write(name, text)
        block = {"tool_use_id": call, "type": "tool_result", "content": "ok"}
        session.record("user", message={"role": "user", "content": [block]}, toolUseResult=result)


def tell_live(told: Told) -> None:
    story = told.story
    one = told.sessions["one"] = Scripted(story)
    one.start()
    one.usage = [TEXT, TEXT, LAST]
    with one.turn("Add the parser & its <tests>"):
        one.write("src/parser.py", "def parse(s):\n    return s\n")
        one.write("tests/test_parser.py", "".join(f"line {n}\n" for n in range(5)))
    story.git("add", "src/parser.py")
    story.commit("Add parser", add=False)
    story.commit("Add parser tests")
    one.usage = [TEXT, TEXT, LAST]
    with one.turn("Now a lexer, and commit it"):
        one.write("src/lexer.py", "def lex(s):\n    return list(s)\n")
        told.at_commit["Add lexer"] = []
        # The golden story's commit has no tool call of its own: the agent's hook environment tells it.
        story.git("add", "src/lexer.py")
        story.git("commit", "-q", "-m", "Add lexer", env={"CLAUDE_CODE_SESSION_ID": one.id, "CLAUDECODE": "1"})
        told.at_commit["Add lexer"] = tokens(next(iter(story.linked()["slots"].values()))["token_usage"])
        one.write("README.md", "start\n\nA parser and a lexer.\n")


TELLERS = {"manual": tell_manual, "live": tell_live}


@pytest.mark.parametrize("world", TELLERS)
def test_a_story_gives_what_is_true(world: str, tmp_path: Path) -> None:
    told = Told(Story(tmp_path / "repo"))
    TELLERS[world](told)
    story, one = told.story, told.sessions["one"]
    for row in (row for row in golden.TRUTH if row["world"] == world):
        commit = told.commit_of(row["commit"])
        checkpoint = story.linked(commit)
        assert list(checkpoint["slots"]) == [one.id], row
        slot = checkpoint["slots"][one.id]
        attribution = slot["initial_attribution"]
        assert slot["files_touched"] == checkpoint["files_touched"] == row["files"], row
        changed = story.git("diff-tree", "-r", "--name-only", "--no-commit-id", commit).splitlines()
        assert changed == row.get("committed", row["files"]), row
        assert [attribution["agent_lines"], attribution["human_added"]] == row["lines"], row
        assert tokens(slot.get("token_usage")) == tokens(checkpoint.get("token_usage")) == row["tokens"], row
        inner = (slot.get("token_usage") or {}).get("subagent_tokens")
        assert tokens(inner) == row.get("subagent_tokens", [0, 0, 0]), row
        (checkpoint_id,) = story.ids(commit)
        strict.root(story.show(f"{checkpoint_id.path}/metadata.json"), checkpoint_id)
        strict.session(story.show(f"{checkpoint_id.path}/0/metadata.json"), checkpoint_id)
    check = {"manual": rest_of_manual, "live": rest_of_live}[world]
    check(told)
    assert story.log_errors() == []


def rest_of_manual(told: Told) -> None:
    story, one, two = told.story, told.sessions["one"], told.sessions["two"]
    assert told.at_commit == {"Agent commit": [1200, 71, 3], "Add a": [200, 40, 2], "Add b": [200, 40, 2]}
    # Trailers: a conventional commit's subject stands alone, a sign-off and the link are one paragraph.
    message = story.git("log", "-1", "--format=%B", told.commit_of("feat: add one"))
    assert message.splitlines()[1] == ""
    message = story.git("log", "-1", "--format=%B", told.commit_of("Add two")).strip()
    assert [line.partition(":")[0] for line in message.split("\n\n")[-1].splitlines()] == [
        "Signed-off-by",
        "Entire-Checkpoint",
    ]
    # The subagent's task is there with its transcript.
    (agent_commit,) = story.ids(told.commit_of("Agent commit"))
    task = json.loads(story.show(f"{agent_commit.path}/tasks/{TASK}/checkpoint.json"))
    assert (task["session_id"], task["tool_use_id"], task["agent_id"]) == (one.id, TASK, SUBAGENT)
    kept = story.show(f"{agent_commit.path}/tasks/{TASK}/agent-{SUBAGENT}.jsonl")
    assert kept == (one.file.with_suffix("") / f"subagents/agent-{SUBAGENT}.jsonl").read_text()
    # What is carried forward shows the prompt that made it.
    rest = story.linked(told.commit_of("Add two"))["slots"][one.id]
    shown = rest["transcript"].splitlines()[rest["checkpoint_transcript_start"]]
    assert json.loads(shown)["message"]["content"] == "write two modules"
    sum_of = story.linked(told.commit_of("Both sessions"))["slots"][one.id]
    assert sum_of["initial_attribution"]["total_committed"] == 5
    assert sum_of["initial_attribution"]["agent_percentage"] == 60
    assert sum_of["prompts"][-1] == "sum <them> & log"
    linked_worktree(told)
    amend_with_an_open_step(told)
    assert two.state()["checkpoint_count"] == 0


def linked_worktree(told: Told) -> None:
    story = told.story
    top = story.root.parent / "demo-wt"
    story.git("worktree", "add", "-q", "-b", "feature-x", str(top))
    three = told.sessions["three"] = Scripted(story)
    three.cwd = top
    with three.print_mode("work in the worktree", TEXT, TEXT), three.shell("echo wt > wt.txt"):
        (top / "wt.txt").write_text("wt\n")
    branch = f"entire/{story.head()[:7]}-{golden_id('demo-wt')}"
    assert story.git("diff", "--name-only", "HEAD", branch, "--", ":!.entire/metadata").split() == ["wt.txt"]
    state = three.state()
    assert (state["worktree_id"], state["worktree_path"]) == ("demo-wt", str(top))
    assert state["files_touched"] == ["wt.txt"]
    assert state.get("untracked_files_at_start", []) == []
    story.git("-C", str(top), "add", "wt.txt")
    story.git("-C", str(top), "commit", "-q", "-m", "Work in the worktree")
    record = story.linked("feature-x")["slots"][three.id]
    assert record["files_touched"] == ["wt.txt"]
    assert record["branch"] == "feature-x"
    assert tokens(record["token_usage"]) == [200, 40, 2]


def golden_id(name: str) -> str:
    import hashlib

    return hashlib.sha256(name.encode()).hexdigest()[:6]


def amend_with_an_open_step(told: Told) -> None:
    story, one = told.story, told.sessions["one"]
    with one.print_mode("change greeting", TEXT, TEXT, TEXT):
        one.tool("Read", {"file_path": str(story.root / "hello.py")}, {"type": "text"})
        one.edit("hello.py", "hello", "goodbye")
    ids, head = story.ids(), story.head()
    folder = story.git("rev-parse", f"entire/checkpoints/v1:{ids[0].path}")
    story.git("commit", "-q", "--amend", "--no-edit", env={"GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z"})
    assert story.head() != head
    assert story.ids() == ids
    assert story.git("rev-parse", f"entire/checkpoints/v1:{ids[0].path}") == folder
    assert one.state()["files_touched"] == ["hello.py"]
    story.commit("Say goodbye")
    record = story.linked()["slots"][one.id]
    assert record["files_touched"] == ["hello.py"]
    assert tokens(record["token_usage"]) == [300, 60, 3]


def rest_of_live(told: Told) -> None:
    story, one = told.story, told.sessions["one"]
    assert told.at_commit == {"Add lexer": [100, 20, 1]}
    assert one.state()["files_touched"] == ["README.md"]
    assert one.state()["phase"] == "idle"
    finalised = story.linked(told.commit_of("Add lexer"))["slots"][one.id]
    assert finalised["transcript"] == one.file.read_text()
    story.write("README.md", "start\n\nA parser, a lexer.\n")
    story.write("human.txt", "typed by a person\n")
    one.usage = [TEXT, LAST]
    with one.turn("Make it nicer"):
        one.edit("src/lexer.py", "list(s)", "s.split()")
    story.git("add", "human.txt")
    story.commit("A person's", add=False)
    assert story.ids() == []
    story.commit("The rest")
    record = story.linked()["slots"][one.id]
    assert record["files_touched"] == ["README.md", "src/lexer.py"]
    attribution = record["initial_attribution"]
    assert [attribution[name] for name in ("agent_lines", "human_added", "human_modified")] == [2, 0, 1]
    assert tokens(record["token_usage"]) == [150, 25, 2]
    assert os.path.exists(story.root / "human.txt")
