"""``entire explain --generate``: an agent's own model writes the summaries of a checkpoint."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from entire import SummaryRequest, Workspace
from entire.agents import registry
from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.registry import AgentEntry
from entire.errors import EntireError
from entire.git import refs
from tests import bare_agent, golden
from tests.bare_agent import Bare, Chosen, TextGenerator, with_capabilities
from tests.integration.commandline import Repo
from tests.integration.reading.test_digest import run
from tests.integration.story import Story

BRANCH = "entire/checkpoints/v1"
ONE, TWO = "1cc5a4cd674f", "da654c830473"  # checkpoints with one and two sessions
STAGE = "manual/12-amend-with-open-step"
ANSWER = {
    "intent": "Greet people",
    "outcome": "hello.py says hi",
    "learnings": {
        "repo": ["It is small"],
        "code": [{"path": "hello.py", "line": 1, "end_line": 2, "finding": "prints <hi> & more"}],
        "workflow": ["Run it"],
    },
    "friction": ["None to speak of"],
    "open_items": ["Tests"],
}
SHOWN = """\
  Intent      Greet people
  Outcome     hello.py says hi
  Repository  It is small
  Code        hello.py:1-2: prints <hi> & more
  Workflow    Run it
  Friction    None to speak of
  Open        Tests
"""


class Poet(Bare):
    """Its model answers what the test says, and remembers what it was asked."""

    capabilities = frozenset({"text_generator"})
    asked: ClassVar[list[tuple[str, str]]] = []
    answer: ClassVar[Callable[[], Any]]

    def generate_text(self, prompt: str, model: str) -> str:
        self.asked.append((prompt, model))
        found: str = type(self).answer()
        return found


class Bard(Poet):
    name: ClassVar[str] = "bard"
    type: ClassVar[str] = "Bard"


def answers(monkeypatch: pytest.MonkeyPatch, *texts: str | Exception) -> None:
    """Let the model give these answers, the last one from then on."""
    left = list(texts)

    def answer() -> str:
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(Poet, "answer", staticmethod(answer), raising=False)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> type[Bare]:
    """Let the registry know an agent whose model writes."""
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", Poet)
    monkeypatch.setattr(Poet, "asked", [])
    monkeypatch.setattr(ClaudeCode, "text_problem", lambda _: "claude is not on the PATH")
    answers(monkeypatch, json.dumps(ANSWER))
    return Poet


@pytest.fixture
def bard(monkeypatch: pytest.MonkeyPatch, bare: type[Bare]) -> None:
    """A second such agent."""
    entry = AgentEntry(name="bard", type="Bard", target=f"{__name__}:Bard")
    monkeypatch.setitem(registry.BUILTIN, "bard", entry)


@pytest.fixture
def world(
    tmp_path: Path, bare: type[Bare], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Repo:
    """A repository that the Go CLI left; its sessions' agent writes no summaries."""
    top = golden.repositories(golden.unpack(STAGE, tmp_path))[0]
    monkeypatch.chdir(top)
    return Repo(top, capsys)


def tree(world: Repo, commit: str = BRANCH) -> dict[str, str]:
    lines = world.git("ls-tree", "-r", commit).splitlines()
    return {line.split("\t")[1]: line.split("\t")[0] for line in lines}


def record(world: Repo, name: str, slot: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(world.git("show", f"{BRANCH}:{name[:2]}/{name[2:]}/{slot}/metadata.json"))
    return found


def raw(world: Repo, name: str, slot: int = 0) -> bytes:
    path = f"{BRANCH}:{name[:2]}/{name[2:]}/{slot}/metadata.json"
    return subprocess.run(["git", "cat-file", "blob", path], check=True, capture_output=True).stdout


def commits(world: Repo) -> int:
    return int(world.git("rev-list", "--count", BRANCH))


# ---------------------------------------------------------------- writing


def test_a_summary_is_written_shown_and_nothing_else_changes(world: Repo) -> None:
    before, old, known = tree(world), raw(world, ONE), commits(world)
    session = record(world, ONE)["session_id"]
    user = world.git("rev-parse", "HEAD"), world.git("status", "--porcelain"), world.git("stash", "list")

    out = world.ok("explain", "--generate", "-c", ONE)
    assert out.startswith(f"Bare Agent wrote the summary of session {session}.\n\nCheckpoint {ONE}\n")
    assert SHOWN in out
    assert world.ok("explain", "--no-pager", ONE) == out.partition("\n\n")[2]
    assert world.json("explain", ONE)["parts"][0]["summary"]["intent"] == "Greet people"

    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"
    assert {name for name, entry in tree(world).items() if before.get(name) != entry} == {path}
    assert before.keys() == tree(world).keys()
    assert commits(world) == known + 1
    message = world.git("log", "-1", "--format=%B", BRANCH)
    assert message == f"Update summary for checkpoint {ONE} (session: {session})"
    assert user == (world.git("rev-parse", "HEAD"), world.git("status", "--porcelain"), world.git("stash", "list"))
    added = json.dumps({"summary": ANSWER}, indent=2)[4:-2] + ",\n"
    for char in "<>&":
        added = added.replace(char, f"\\u{ord(char):04x}")
    new = raw(world, ONE)
    at = new.index(b'"summary"')
    assert new == old[:at] + added.encode() + b"  " + old[at:], "byte for byte"
    keys = list(json.loads(new))
    assert keys[keys.index("summary") - 1 :][:3] == ["token_usage", "summary", "initial_attribution"]


def test_the_commit_selects_its_checkpoint(world: Repo) -> None:
    commit = world.json("explain", ONE)["commits"][0]["oid"]
    assert SHOWN in world.ok("explain", "--generate", "--commit", commit)
    assert "--generate --force replaces it" in world.ok("explain", "--generate", commit)


def test_json_is_what_explain_prints(world: Repo) -> None:
    generated = world.json("explain", "--generate", "-c", ONE)
    assert generated == world.json("explain", "-c", ONE)
    assert generated["parts"][0]["summary"]["open_items"] == ["Tests"]


def test_a_summary_that_is_there_is_shown_and_replaced_only_by_force(
    world: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ok("explain", "--generate", ONE)
    before = world.git("rev-parse", BRANCH)
    answers(monkeypatch, "Something else")
    out = world.ok("explain", "--generate", ONE)
    assert out.startswith(f"Checkpoint {ONE} has its summary already; --generate --force replaces it.\n\n")
    assert SHOWN in out
    assert (world.git("rev-parse", BRANCH), len(Poet.asked)) == (before, 1), "no model was asked"
    out = world.ok("explain", "--generate", "--force", ONE)
    assert "Intent  Something else\n" in out
    assert "Greet people" not in out
    assert list(record(world, ONE)["summary"]) == ["intent", "outcome", "learnings", "friction", "open_items"]


def test_each_session_gets_its_own(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    known = commits(world)
    answers(monkeypatch, "The first", "The second")
    world.ok("explain", "--generate", TWO)
    assert [record(world, TWO, slot)["summary"]["intent"] for slot in (0, 1)] == ["The first", "The second"]
    assert commits(world) == known + 2
    first, second = (prompt for prompt, _ in Poet.asked)
    assert "create greeting file and say hi" in first + second
    assert ("create greeting file and say hi" in first) != ("create greeting file and say hi" in second)


def test_only_the_session_without_one_is_asked_for(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "The first", EntireError("no more"))
    assert world.entire("explain", "--generate", TWO) == 1
    assert "summary" not in record(world, TWO, 0), "all or none"
    answers(monkeypatch, "The first")
    world.ok("explain", "--generate", TWO)
    before = record(world, TWO, 1)
    data = json.loads(raw(world, TWO, 0))
    del data["summary"]
    world.put(f"{TWO[:2]}/{TWO[2:]}/0/metadata.json", json.dumps(data))
    answers(monkeypatch, "Once more")
    out = world.ok("explain", "--generate", TWO)
    assert out.count("wrote the summary") == 1
    assert record(world, TWO, 0)["summary"]["intent"] == "Once more"
    assert record(world, TWO, 1) == before


# ---------------------------------------------------------------- what the model gets


def test_the_prompt_holds_what_is_stored_of_this_checkpoint(world: Repo) -> None:
    world.ok("explain", "--generate", "--model", "small-1", ONE)
    ((prompt, model),) = Poet.asked
    assert model == "small-1"
    assert '"open_items"' in prompt
    assert "- hello.py\n- shell.txt\n" in prompt
    assert "1. create greeting file\n2. shell edit\n" in prompt
    assert "Person: create greeting file\n" in prompt
    assert "Tool " in prompt
    assert "Agent: " in prompt


def test_the_prompt_says_what_failed_and_what_was_taken_back(
    story: Story, bare: type[Bare], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(story.root)
    session = story.started()
    with session.turn("Add a greeting"):
        session.write("hello.py", "def hello():\n    return 'helo'\n")
        run(session, "pytest -q", "E   AssertionError: helo\n1 failed in 0.1s", fails=True)
        session.edit("hello.py", "helo", "hello")
        run(session, "pytest -q", "2 passed in 0.1s")
    story.commit("Add a greeting")
    Workspace.find().checkpoints.summarize(SummaryRequest(checkpoint=story.ids()[0]))
    ((prompt, _),) = Poet.asked
    assert (
        """\
## Commands that failed

{"command": "pytest -q", "error": "E AssertionError: helo", "times": 1, "is_fixed": true, "files": ["hello.py"]}

## Test runs

{"command": "pytest -q", "runner": "pytest", "result": "failed", "failed": 1}
{"command": "pytest -q", "runner": "pytest", "result": "passed", "passed": 2}

## Lines that were taken back

{"path": "hello.py", "fate": "replaced", "text": "return 'helo'", "lines": 1, "instead": "return 'hello'"}

## Prompts
"""
        in prompt
    )


def test_an_earlier_checkpoints_conversation_is_not_in_it(world: Repo) -> None:
    world.ok("explain", "--generate", TWO)
    assert "shell edit" not in "".join(prompt for prompt, _ in Poet.asked)


# ---------------------------------------------------------------- who writes


def test_without_an_agent_that_can_it_says_what_to_do(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chosen, "agent", Bare)
    before = world.git("rev-parse", BRANCH)
    assert world.entire("explain", "--generate", ONE) == 1
    assert world.err == (
        "entire: no agent here can write summaries (Claude Code: claude is not on the PATH)\n"
        "hint: install such an agent, or allow a plugin with the capability text_generator; `entire plugin list` shows"
        " what is installed\n"
    )
    assert world.git("rev-parse", BRANCH) == before


def test_of_several_one_is_chosen(world: Repo, bard: None) -> None:
    assert world.entire("explain", "--generate", ONE) == 1
    assert world.err == ("entire: several agents can write summaries\nhint: choose one with --with: bare, bard\n")
    assert world.ok("explain", "--generate", "--with", "bard", ONE).startswith("Bard wrote")


def test_a_named_agent_must_exist_and_be_able(world: Repo) -> None:
    assert world.entire("explain", "--generate", "--with", "nobody", ONE) == 2
    assert "there is no agent called 'nobody'" in world.err
    assert world.entire("explain", "--generate", "--with", "gemini", ONE) == 1
    assert world.err == "entire: Gemini CLI cannot write summaries\nhint: choose one with --with: bare\n"


def test_the_sessions_own_agent_comes_first(
    story: Story, bard: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del bard
    monkeypatch.chdir(story.root)
    session = story.started()
    session.prompt("Create a.txt")
    session.write("a.txt", "1\n")
    session.stop()
    story.commit("Add a")
    (name,) = story.ids()
    path = f"{name.path}/0/metadata.json"
    world = Repo(story.root, capsys)
    world.put(path, story.show(path).replace("Claude Code", "Bard"))
    assert world.ok("explain", "--generate", name).startswith("Bard wrote")


# ---------------------------------------------------------------- failures change nothing


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (EntireError("the model is asleep"), "the model is asleep"),
        (ValueError("boom\x1b[31m"), "Bare Agent failed: ValueError: boom^[[31m; nothing was changed"),
        (OSError(5, "gone"), "Bare Agent failed: OSError: [Errno 5] gone"),
        ("", "Bare Agent answered nothing"),
        (" \n", "Bare Agent answered nothing"),
        ("{", "the model's answer is JSON, but not a summary"),
        ('```json\n{"intent": "cut of', "the model's answer is JSON, but not a summary"),
        ("[1, 2]", "the model's answer is JSON, but not a summary"),
        ('{"text": "hello"}', "the model's answer is JSON, but not a summary"),
        ('{"intent": 3, "outcome": null}', "the model's answer holds no summary"),
        ("\x00\x07", "the model's answer holds no summary"),
        ("x" * (1 << 17) + "x", "the model's answer is too long"),
    ],
)
def test_what_is_no_summary(world: Repo, monkeypatch: pytest.MonkeyPatch, given: str | Exception, said: str) -> None:
    before = world.files()
    answers(monkeypatch, given)
    assert world.entire("explain", "--generate", ONE) == 1
    assert said in world.err
    assert "; nothing was changed\nhint: try again" in world.err
    assert "\x1b" not in world.err
    assert "Traceback" not in world.err
    assert world.files() == before


def test_an_answer_of_the_wrong_type(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Poet, "answer", staticmethod(lambda: None))
    assert world.entire("explain", "--generate", ONE) == 1
    assert "Bare Agent answered nothing" in world.err


def test_a_model_that_never_answers(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = world.files()

    def hang() -> str:
        try:
            time.sleep(30)
        except Exception:  # an agent that survives everything
            return "late"
        return "never"

    monkeypatch.setattr(Poet, "answer", staticmethod(hang))
    start = time.monotonic()
    with pytest.raises(EntireError, match=r"Bare Agent did not answer within 0.2 seconds; nothing was changed"):
        Workspace.find().checkpoints.summarize(SummaryRequest(checkpoint=ONE, seconds=0.2))
    assert time.monotonic() - start < 10
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert world.files() == before


def test_in_another_thread_too(world: Repo) -> None:
    """Signals reach the main thread only."""
    found: list[object] = []
    request = SummaryRequest(checkpoint=ONE)
    thread = threading.Thread(target=lambda: found.append(Workspace.find().checkpoints.summarize(request).written_by))
    thread.start()
    thread.join()
    assert found == [{record(world, ONE)["session_id"]: "Bare Agent"}]


def test_ctrl_c_changes_nothing(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = world.files()

    def interrupt() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
        return "never"

    monkeypatch.setattr(Poet, "answer", staticmethod(interrupt))
    assert world.entire("explain", "--generate", ONE) == 130
    assert world.files() == before
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


# ---------------------------------------------------------------- other writers


def test_what_another_process_wrote_meanwhile_stays(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"

    def slow() -> str:
        world.put(path, json.dumps({**record(world, ONE), "summary": {"intent": "Faster"}, "later_key": [1]}))
        return "Slower"

    monkeypatch.setattr(Poet, "answer", staticmethod(slow))
    out = world.ok("explain", "--generate", ONE)
    assert "Intent  Faster\n" in out
    assert out.startswith(f"Checkpoint {ONE} has its summary already")
    assert "Intent  Slower\n" in world.ok("explain", "--generate", "--force", ONE)
    assert record(world, ONE)["later_key"] == [1]


def test_a_branch_that_moves_is_written_again(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer's commit, between our reading and our moving of the ref, is not lost."""
    move = refs.move
    waiting = [True]

    def racing(where: str, moves: list[refs.RefMove]) -> None:
        if waiting:
            waiting.clear()
            world.put("zz/other.txt", "other\n")
        move(where, moves)

    monkeypatch.setattr(refs, "move", racing)
    world.ok("explain", "--generate", ONE)
    assert record(world, ONE)["summary"] == ANSWER
    assert world.git("show", f"{BRANCH}:zz/other.txt") == "other"


def test_a_session_that_is_gone(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"

    def slow() -> str:
        world.put(path, json.dumps({**record(world, ONE), "session_id": "other"}))
        return "Slower"

    monkeypatch.setattr(Poet, "answer", staticmethod(slow))
    assert world.entire("explain", "--generate", ONE) == 1
    assert f"checkpoint {ONE} changed" in world.err
    assert f"`entire explain {ONE}`" in world.err


@pytest.mark.parametrize("local", [False, True])
def test_a_checkpoint_that_only_the_remote_has(world: Repo, tmp_path: Path, local: bool) -> None:
    """It is taken over with all its files; a local branch of other checkpoints continues."""
    tip, before = world.git("rev-parse", BRANCH), tree(world)
    world.git("update-ref", f"refs/remotes/origin/{BRANCH}", tip)
    world.git("update-ref", "-d", f"refs/heads/{BRANCH}")
    if local:
        empty = world.git("hash-object", "-t", "tree", "-w", "--stdin")
        own = world.git("commit-tree", empty, "-m", "Initialize metadata branch")
        world.git("update-ref", f"refs/heads/{BRANCH}", own)
    assert SHOWN in world.ok("explain", "--generate", ONE)
    root = f"{ONE[:2]}/{ONE[2:]}/"
    after = tree(world)
    wanted = {name: entry for name, entry in before.items() if not local or name.startswith(root)}
    assert after.keys() == wanted.keys()
    assert {name for name, entry in wanted.items() if after[name] != entry} == {f"{root}0/metadata.json"}
    assert world.git("rev-parse", f"refs/remotes/origin/{BRANCH}") == tip


def test_a_turns_end_keeps_it(story: Story, bare: type[Bare], monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint written in a running turn is finalised at its end; an amended commit's is written again."""
    monkeypatch.chdir(story.root)
    session = story.started()
    session.prompt("Create a.txt")
    session.write("a.txt", "1\n")
    story.commit("Add a")
    (name,) = story.ids()
    Workspace.find().checkpoints.summarize(SummaryRequest(checkpoint=name))
    session.write("b.txt", "1\n")
    session.stop()
    (slot,) = story.checkpoint(name)["slots"].values()
    assert slot["summary"] == ANSWER
    assert "b.txt" in slot["transcript"], "finalised"
    story.git("add", "-A")
    story.git("commit", "-q", "--amend", "--no-edit")
    (slot,) = story.checkpoint(story.ids()[0])["slots"].values()
    assert slot["summary"] == ANSWER
    assert "b.txt" in slot["files_touched"]


# ---------------------------------------------------------------- odd requests


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--generate"], "--generate needs a commit or a checkpoint"),
        (["--generate", "--session", "b1bddc73"], "--generate needs a commit or a checkpoint"),
        (["--generate", "b1bddc73"], "--generate needs a commit or a checkpoint, not a session"),
        (["--force", ONE], "--force, --with and --model need --generate"),
        (["--with", "bare", ONE], "--force, --with and --model need --generate"),
        (["--model", "m", ONE], "--force, --with and --model need --generate"),
        (["--generate", "--raw-transcript", ONE], "--generate cannot be combined with"),
        (["--generate", "--transcript", ONE], "--generate cannot be combined with"),
    ],
)
def test_a_request_that_makes_no_sense(world: Repo, words: list[str], said: str) -> None:
    assert world.entire("explain", *words) == 2
    assert said in world.err
    assert "hint: " in world.err
    assert Poet.asked == []


def test_a_commit_without_a_checkpoint_is_no_error(world: Repo) -> None:
    root = world.git("rev-list", "--max-parents=0", "HEAD")
    assert world.ok("explain", "--generate", "--commit", root).startswith("No associated Entire checkpoint")
    assert world.entire("explain", "--generate", "-c", "ffffffffffff") == 1
    assert "checkpoint not found" in world.err
    assert Poet.asked == []


def test_a_checkpoint_with_nothing_to_summarize(world: Repo) -> None:
    folder = f"{ONE[:2]}/{ONE[2:]}/0"
    world.put(f"{folder}/full.jsonl", "")
    world.put(f"{folder}/prompt.txt", "")
    assert world.entire("explain", "--generate", ONE) == 1
    assert world.err == f"entire: checkpoint {ONE} holds no prompt and no conversation to summarize\n"
    assert Poet.asked == []


# ---------------------------------------------------------------- the Go CLI's own


def test_a_summary_in_the_form_of_the_go_cli_is_shown(world: Repo) -> None:
    """Its updates rewrite the session's record; null lists and missing line numbers are common."""
    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"
    given = {**ANSWER, "friction": None, "learnings": {"repo": [], "code": [{"path": "a.py", "finding": "x"}]}}
    world.put(path, json.dumps({**record(world, ONE), "summary": given}, indent=2) + "\n",
        f"Update summary for checkpoint {ONE} (session: {record(world, ONE)['session_id']})")  # fmt: skip
    out = world.ok("explain", ONE)
    assert "  Intent   Greet people\n  Outcome  hello.py says hi\n  Code     a.py: x\n  Open     Tests\n" in out
    short = world.ok("explain", "--short", ONE)
    assert "  Intent   Greet people\n  Outcome  hello.py says hi\n" in short
    assert "a.py" not in short
    assert world.json("explain", ONE)["parts"][0]["summary"]["code"][0] == {
        "path": "a.py", "finding": "x", "line": 0, "end_line": 0,
    }  # fmt: skip
    assert "--generate --force replaces it" in world.ok("explain", "--generate", ONE)


def test_an_empty_summary_counts_as_none(world: Repo) -> None:
    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"
    world.put(path, json.dumps({**record(world, ONE), "summary": {}}))
    assert SHOWN in world.ok("explain", "--generate", ONE)


def test_the_capability_is_the_contracts(world: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any adapter with the capability will do, whatever else it has."""
    monkeypatch.setattr(Chosen, "agent", with_capabilities("text_generator"))
    assert TextGenerator in Chosen.agent.__mro__
    assert "Intent  text\n" in world.ok("explain", "--generate", ONE)
