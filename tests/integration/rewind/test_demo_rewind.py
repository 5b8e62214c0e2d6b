"""Back to a point and on from there, in another clone too, with the demo agent: it tells what it remembers.

The agent is connected by the built-in adapter, and by a plugin that is made of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from tests import forks, plugins
from tests.conftest import GIT_CONFIG

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
MARK = "[REDACTED:github-token]"
SESSION = "a-session"
FIRST = f"create a file a.txt with one then run echo b > b.txt then remember {SECRET}"
SECOND = "replace one with two in a.txt then run rm b.txt && mkdir sub && echo c > sub/c.txt then remember the second"
THIRD = "append three to a.txt then create a file d.txt with d then remember the third"
RECALL = "what do you remember"


class Desk:
    """A person's machine: a home, a worktree, the demo agent and the commands as programs of their own."""

    def __init__(self, home: Path, root: Path, agent: str = "demo") -> None:
        self.home = home
        self.root = root
        self.agent = agent
        path = os.pathsep.join((str(home / "bin"), forks.path(commands=True)))
        self.env = {**os.environ, "HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
                    "XDG_CONFIG_HOME": str(home / ".config"), "PATH": path}  # fmt: skip
        plugins.demo(home / "bin")
        self.program = home / "bin/demo-agent"
        forks.write(self.program, forks.call("entire_demo_agent.program"))
        (home / ".gitconfig").write_text(GIT_CONFIG)
        if agent not in registry.BUILTIN:
            subprocess.run(
                ["entire", "plugin", "allow", agent], env=self.env, cwd=home, check=True, capture_output=True
            )

    def run(self, *words: str) -> str:
        """Run a program that must succeed; return what it prints."""
        done = subprocess.run(words, cwd=self.root, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="surrogateescape", timeout=60, check=False)  # fmt: skip
        assert done.returncode == 0, (words, done.stderr, done.stdout)
        return done.stdout

    def git(self, *words: str) -> str:
        return self.run("git", *words)

    def json(self, *words: str) -> Any:
        return json.loads(self.run("entire", *words, "--json"))

    def begin(self) -> None:
        """Make the repository."""
        self.root.mkdir(parents=True)
        self.git("init", "-q")
        (self.root / "README.md").write_text("start\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "Start")
        self.enable()

    def enable(self) -> None:
        self.run("entire", "enable", "--agent", self.agent, "--push-sessions")
        if self.git("status", "--porcelain"):
            self.commit("Use entire")

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def ask(self, prompt: str, *, resume: bool = True) -> str:
        """Give the agent one prompt in the session; return what it shows."""
        which = "--resume" if resume else "--session-id"
        return self.run(str(self.program), "-p", prompt, which, SESSION)

    def work(self) -> bytes:
        """Let the session work over three turns; return its transcript."""
        self.ask(FIRST, resume=False)
        self.ask(SECOND)
        self.ask(THIRD)
        return self.transcript().read_bytes()

    def transcript(self) -> Path:
        (path,) = self.home.glob(f".entire-demo/sessions/*/{SESSION}.jsonl")
        return path

    def prompts(self) -> list[str]:
        """Return the prompts in the agent's own file."""
        return [one["text"] for one in self.records() if one["type"] == "prompt"]

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.transcript().read_bytes().splitlines()]

    def spent(self, *turns: str) -> int:
        """Return the output tokens of the answers to these prompts, by the agent's own file."""
        asked = {one["prompt_id"] for one in self.records() if one["type"] == "prompt" and one["text"] in turns}
        answers = [one for one in self.records() if one["type"] == "answer" and one["prompt_id"] in asked]
        assert len(asked) == len(turns)
        return sum(one["usage"]["output"] for one in answers)

    def files(self) -> dict[str, str]:
        """Return the worktree without hidden folders."""
        found = {path.relative_to(self.root): path for path in sorted(self.root.rglob("*")) if path.is_file()}
        return {str(name): path.read_text() for name, path in found.items() if not name.parts[0].startswith(".")}

    def points(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.run("entire", "rewind", "--list"))
        return found

    def point(self, prompt: str, kind: str = "step") -> str:
        """Return the newest point of this kind after this prompt."""
        return next(str(one["id"]) for one in self.points() if (one["kind"], one["prompt"]) == (kind, prompt))

    def rewind(self, *words: str) -> Any:
        return self.json("rewind", *words, "--yes")

    def slot(self, commit: str = "HEAD") -> dict[str, Any]:
        """Return the session's record in a commit's one checkpoint, with its prompts."""
        message = self.git("log", "-1", "--format=%B", commit)
        (name,) = re.findall(r"^Entire-Checkpoint: ([0-9a-f]{12})$", message, re.MULTILINE)
        folder = f"entire/checkpoints/v1:{name[:2]}/{name[2:]}/0"
        record: dict[str, Any] = json.loads(self.git("show", f"{folder}/metadata.json"))
        assert record["session_id"] == SESSION
        record["prompts"] = self.git("show", f"{folder}/prompt.txt").split("\n\n---\n\n")
        record["spent"] = (record.get("token_usage") or {}).get("output_tokens", 0)
        return record

    def log_errors(self) -> list[str]:
        log = self.root / ".git" / "entire" / "logs" / "entire.log"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [line["msg"] for line in lines if line["level"] in ("ERROR", "WARN")]


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Desk:
    """With the built-in adapter, if the test names no other."""
    made = Desk(tmp_path / "home", tmp_path / "project", getattr(request, "param", "demo"))
    made.begin()
    return made


by_plugin_too = pytest.mark.parametrize("desk", ["demo", "demo-plugin"], indirect=True)
"""What the two ways of connecting could do differently; every promise is kept in both (tests/agents)."""
BEFORE = {"README.md": "start\n"}
AFTER_FIRST = {**BEFORE, "a.txt": "one\n", "b.txt": "b\n"}
AFTER_ALL = {**BEFORE, "a.txt": "two\nthree\n", "sub/c.txt": "c\n", "d.txt": "d\n"}
STORED_FIRST = FIRST.replace(SECRET, MARK)


@by_plugin_too
def test_two_turns_back_and_on_from_there(desk: Desk) -> None:
    whole = desk.work()
    (desk.root / "mine.txt").write_text("mine\n")
    assert desk.files() == {**AFTER_ALL, "mine.txt": "mine\n"}
    step = desk.point(STORED_FIRST)
    stored = desk.git("show", f"{step}:.entire/metadata/{SESSION}/full.jsonl")
    assert MARK in stored
    assert SECRET not in stored
    done = desk.rewind("--to", step)
    assert {one["path"]: one["what"] for one in done["edits"]} == {
        "a.txt": "write", "b.txt": "create", "d.txt": "delete", "sub/c.txt": "delete",
    }  # fmt: skip
    assert [one["what"] for one in done["conversations"]] == ["cut"]
    assert desk.files() == {**AFTER_FIRST, "mine.txt": "mine\n"}
    assert not (desk.root / "sub").exists()
    cut = desk.transcript().read_bytes()
    assert whole.startswith(cut)
    assert desk.prompts() == [FIRST]

    assert f"I remember: {SECRET}. This is turn 2 of our conversation." in desk.ask(RECALL)
    desk.ask("create a file e.txt with e")
    desk.commit("Add it")
    kept = desk.slot()
    assert kept["prompts"] == [STORED_FIRST, RECALL, "create a file e.txt with e"]
    assert kept["files_touched"] == ["a.txt", "b.txt", "e.txt"]
    assert kept["spent"] == desk.spent(FIRST, RECALL, "create a file e.txt with e")
    assert kept["initial_attribution"]["agent_lines"] == 3
    assert desk.log_errors() == []


@by_plugin_too
def test_undo_and_undo_of_the_undo(desk: Desk) -> None:
    whole = desk.work()
    desk.rewind("--to", desk.point(STORED_FIRST))
    desk.ask("remember what was in between")
    between = desk.transcript().read_bytes()

    done = desk.rewind("--undo")
    assert desk.files() == AFTER_ALL
    assert desk.transcript().read_bytes() == whole
    kept = desk.root / ".git" / "entire" / "undo" / done["undo_id"]
    assert between in [path.read_bytes() for path in kept.rglob("*") if path.is_file()]
    assert f"I remember: {SECRET}; the second; the third. This is turn 4 of our conversation." in desk.ask(RECALL)
    whole = desk.transcript().read_bytes()

    desk.rewind("--undo")
    assert desk.files() == AFTER_FIRST
    assert desk.transcript().read_bytes() == between
    assert f"I remember: {SECRET}; what was in between. This is turn 3" in desk.ask(RECALL)

    desk.rewind("--undo")
    assert desk.files() == AFTER_ALL
    assert desk.transcript().read_bytes() == whole
    desk.commit("Add all")
    kept_record = desk.slot()
    assert kept_record["prompts"] == [STORED_FIRST, SECOND, THIRD, RECALL]
    assert kept_record["files_touched"] == ["a.txt", "d.txt", "sub/c.txt"]
    assert kept_record["spent"] == desk.spent(FIRST, SECOND, THIRD, RECALL)
    assert desk.log_errors() == []


def test_undo_keeps_what_the_next_turn_wrote_since(desk: Desk) -> None:
    """A turn after the rewind changed a file that the undo puts back, and made a new one that it knows nothing of."""
    desk.work()
    desk.rewind("--to", desk.point(STORED_FIRST))
    other = "append other to a.txt then create a file e.txt with e"
    desk.ask(other)
    assert desk.files() == {**AFTER_FIRST, "a.txt": "one\nother\n", "e.txt": "e\n"}
    desk.rewind("--undo")
    assert desk.files() == {**AFTER_ALL, "e.txt": "e\n"}
    assert desk.prompts() == [FIRST, SECOND, THIRD]
    desk.rewind("--undo")
    assert desk.files() == {**AFTER_FIRST, "a.txt": "one\nother\n", "e.txt": "e\n"}
    assert desk.prompts() == [FIRST, other]
    desk.commit("Add the other way")
    assert desk.slot()["files_touched"] == ["a.txt", "b.txt", "e.txt"]
    assert desk.log_errors() == []


def test_back_behind_a_commit(desk: Desk) -> None:
    first, second, third = "create a file a.txt with one", "append two to a.txt", "append 2 to a.txt"
    desk.ask(first, resume=False)
    desk.ask(second)
    tip = desk.commit("Add a")
    assert desk.slot()["spent"] == desk.spent(first, second)
    desk.rewind("--to", desk.point(first))
    assert desk.files() == {**BEFORE, "a.txt": "one\n"}
    assert desk.git("rev-parse", "HEAD").strip() == tip
    assert desk.git("diff", "--cached", "--name-only") == ""
    desk.ask(third)
    desk.commit("Another way")
    kept = desk.slot()
    assert kept["prompts"] == [first, third]
    assert (kept["spent"], kept["files_touched"]) == (desk.spent(third), ["a.txt"])
    assert desk.slot(tip)["prompts"] == [first, second]
    assert desk.log_errors() == []


def test_undo_behind_a_commit_of_what_came_after_the_rewind(desk: Desk) -> None:
    """The commit stays; the session goes on with its old conversation, on the new commit."""
    first, second, third = "create a file a.txt with one", "create a file b.txt with b", "create a file c.txt with c"
    desk.ask(first, resume=False)
    desk.ask(second)
    whole = desk.transcript().read_bytes()
    desk.rewind("--to", desk.point(first))
    desk.ask(third)
    tip = desk.commit("Add a and c")
    assert desk.slot()["spent"] == desk.spent(first, third)
    desk.rewind("--undo")
    assert desk.git("rev-parse", "HEAD").strip() == tip
    assert desk.files() == {**BEFORE, "a.txt": "one\n", "b.txt": "b\n", "c.txt": "c\n"}
    assert desk.transcript().read_bytes() == whole
    fourth = "create a file d.txt with d"
    desk.ask(fourth)
    assert f"entire/{tip[:7]}-" in desk.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire")
    desk.commit("Add b and d")
    kept = desk.slot()
    assert kept["prompts"] == [first, second, fourth]
    assert kept["files_touched"] == ["b.txt", "d.txt"]
    assert kept["initial_attribution"]["agent_lines"] == 2
    desk.ask("append e to d.txt")
    desk.commit("More")
    assert desk.slot()["spent"] == desk.spent("append e to d.txt")
    assert desk.log_errors() == []


def test_a_persons_edits_are_merged(desk: Desk) -> None:
    lines = "".join(f"line {number}\\n" for number in range(9))
    desk.ask(f'create a file a.txt with "{lines}"', resume=False)
    first = desk.files()["a.txt"]
    desk.ask("replace 'line 8' with last in a.txt")
    mine = desk.files()["a.txt"].replace("line 1\n", "my line\n")
    (desk.root / "a.txt").write_text(mine)
    points = desk.points()
    done = desk.rewind("--to", points[1]["id"], "--keep-mine")
    assert done["edits"] == [{"path": "a.txt", "what": "merge"}]
    assert desk.files()["a.txt"] == first.replace("line 1\n", "my line\n")
    desk.rewind("--undo")
    assert desk.files()["a.txt"] == mine
    done = desk.rewind("--to", points[1]["id"])
    assert done["yours"] == ["a.txt"]
    assert desk.files()["a.txt"] == first
    desk.commit("Add it")
    attribution = desk.slot()["initial_attribution"]
    assert (attribution["agent_lines"], attribution["human_added"], attribution["human_modified"]) == (9, 0, 0)
    assert desk.log_errors() == []


def test_only_the_conversation_and_only_the_files(desk: Desk) -> None:
    whole = desk.work()
    desk.rewind("--to", desk.point(STORED_FIRST), "--logs-only")
    assert (desk.files(), desk.prompts()) == (AFTER_ALL, [FIRST])
    desk.rewind("--undo")
    desk.rewind("--to", desk.point(STORED_FIRST), "--files-only")
    assert (desk.files(), desk.transcript().read_bytes()) == (AFTER_FIRST, whole)
    assert desk.log_errors() == []


def test_back_to_a_turn_that_changed_no_file(desk: Desk) -> None:
    desk.ask("create a file a.txt with one", resume=False)
    desk.ask("remember the talk")
    desk.ask("create a file b.txt with two then remember more")
    desk.rewind("--to", desk.point("remember the talk", "turn"))
    assert desk.files() == {**BEFORE, "a.txt": "one\n"}
    assert "I remember: the talk. This is turn 3 of our conversation." in desk.ask(RECALL)
    assert desk.log_errors() == []


def test_a_helper_alone_comes_back(desk: Desk) -> None:
    """The session's transcript is as it was at the point; only the helper's is missing."""
    desk.ask("ask a helper to create a file h.txt with help", resume=False)
    (helper,) = desk.transcript().with_suffix("").glob("helpers/*.jsonl")
    written, own = helper.read_bytes(), desk.transcript().read_bytes()
    desk.commit("The helper's file")
    helper.unlink()
    done = desk.json("rewind", "--to", desk.git("rev-parse", "HEAD").strip())
    assert [conversation["what"] for conversation in done["conversations"]] == ["written"]
    assert (helper.read_bytes(), desk.transcript().read_bytes()) == (written, own)
    desk.run("entire", "rewind", "--undo", "--yes")
    assert not helper.exists()
    assert desk.transcript().read_bytes() == own


@by_plugin_too
def test_a_helpers_turn(desk: Desk) -> None:
    asked = "ask a helper to create a file h.txt with help"
    desk.ask(asked, resume=False)
    (helper,) = desk.transcript().with_suffix("").glob("helpers/*.jsonl")
    written = helper.read_bytes()
    desk.ask("append more to h.txt")
    helper.unlink()
    points = desk.points()
    assert [one["kind"] for one in points] == ["step", "turn", "task"]  # nothing changed after the helper's step
    assert points[2]["parent"] == points[1]["id"]
    desk.rewind("--to", desk.point(asked, "turn"))
    assert desk.files() == {**BEFORE, "h.txt": "help\n"}
    assert helper.read_bytes() == written
    assert desk.prompts() == [asked]
    desk.rewind("--undo")
    assert desk.files() == {**BEFORE, "h.txt": "help\nmore\n"}
    assert not helper.exists()
    assert desk.log_errors() == []


def test_an_agent_in_its_turn_is_left_alone(desk: Desk) -> None:
    """The agent itself asks for it: its own turn is in progress."""
    desk.ask("create a file a.txt with one", resume=False)
    step = desk.point("create a file a.txt with one")
    said = desk.ask(f"append two to a.txt then run entire rewind --to {step} --yes")
    assert "in the middle of a turn" in said
    assert "nothing was changed" in said
    assert desk.files() == {**BEFORE, "a.txt": "one\ntwo\n"}


def test_forward_again(desk: Desk) -> None:
    """A point that lies ahead: what was said till then comes from where it was left, secrets and turns included."""
    desk.ask("create a file 0.txt with 0", resume=False)
    more = f"create a file 1.txt with 1 then remember {SECRET}"
    desk.ask(more)
    whole = desk.transcript().read_bytes()
    desk.rewind("--to", desk.point("create a file 0.txt with 0"))
    other = "create a file 2.txt with 2"
    desk.ask(other)
    desk.commit("Another way")
    assert desk.slot()["spent"] == desk.spent("create a file 0.txt with 0", other)
    done = desk.rewind("--to", desk.point(more.replace(SECRET, MARK)))
    assert [one["what"] for one in done["conversations"]] == ["written"]
    assert whole.startswith(desk.transcript().read_bytes())
    assert desk.prompts() == ["create a file 0.txt with 0", more]
    assert f"I remember: {SECRET}. This is turn 3" in desk.ask(RECALL)
    desk.commit("Both ways")
    kept = desk.slot()
    assert kept["prompts"] == ["create a file 0.txt with 0", more.replace(SECRET, MARK), RECALL]
    assert (kept["files_touched"], kept["spent"]) == (["1.txt"], desk.spent(more, RECALL))
    assert desk.log_errors() == []


def test_nothing_to_put_back_makes_no_undo_point(desk: Desk) -> None:
    desk.work()
    step = desk.point(STORED_FIRST)
    desk.rewind("--to", step)
    done = desk.rewind("--to", step)
    assert (done["edits"], done["undo_id"]) == ([], "")
    desk.rewind("--undo")  # the rewind before
    assert (desk.files(), desk.prompts()) == (AFTER_ALL, [FIRST, SECOND, THIRD])


def test_two_sessions(desk: Desk) -> None:
    def other(prompt: str, which: str = "--resume") -> str:
        return desk.run(str(desk.program), "-p", prompt, which, "b-session")

    desk.ask("create a file a1.txt with a", resume=False)
    other("create a file b1.txt with b", "--session-id")
    both = desk.commit("Both")
    desk.ask("create a file a2.txt with a")
    other("create a file b2.txt with b")
    done = desk.rewind("--to", both)  # a commit has the conversations of all its sessions
    assert {one["session_id"]: one["what"] for one in done["conversations"]} == {SESSION: "cut", "b-session": "cut"}
    assert desk.files() == {**BEFORE, "a1.txt": "a\n", "b1.txt": "b\n"}
    assert "This is turn 2 of our conversation." in other(RECALL)
    desk.rewind("--undo")
    assert desk.files().keys() == {*BEFORE, "a1.txt", "a2.txt", "b1.txt", "b2.txt"}
    assert "This is turn 3 of our conversation." in other(RECALL)
    done = desk.rewind("--to", desk.point("create a file a2.txt with a"))  # a step has its own session's
    assert (done["others"], [one["session_id"] for one in done["conversations"]]) == (["b-session"], [SESSION])
    assert desk.files().keys() == {*BEFORE, "a1.txt", "a2.txt", "b1.txt"}
    assert "This is turn 4 of our conversation." in other(RECALL)
    assert desk.log_errors() == []


def test_each_work_tree_by_itself(desk: Desk, tmp_path: Path) -> None:
    desk.ask("create a file m.txt with m", resume=False)
    main, desk.root = desk.root, tmp_path / "linked"
    subprocess.run(["git", "worktree", "add", "-q", str(desk.root), "-b", "side"], cwd=main, env=desk.env, check=True)
    for how, name in (("--session-id", "1"), ("--resume", "2")):
        desk.run(str(desk.program), "-p", f"create a file {name}.txt with x", how, "w-session")
    desk.rewind("--to", desk.point("create a file 1.txt with x"))
    assert desk.files() == {**BEFORE, "1.txt": "x\n"}
    desk.root = main
    points = desk.points()
    assert [one["prompt"] for one in points] == ["create a file m.txt with m"]
    with pytest.raises(AssertionError, match="there is no rewind to undo"):
        desk.rewind("--undo")
    desk.root = tmp_path / "linked"
    desk.rewind("--undo")
    assert desk.files() == {**BEFORE, "1.txt": "x\n", "2.txt": "x\n"}


@by_plugin_too
def test_to_a_commit_of_a_session_that_was_never_here(desk: Desk, tmp_path: Path) -> None:
    desk.work()
    desk.commit("Add all")
    there = Desk(tmp_path / "home of robin", tmp_path / "clone", desk.agent)
    subprocess.run(["git", "clone", "-q", str(desk.root), str(there.root)], env=there.env, check=True)
    there.enable()
    done = there.rewind("--to", "HEAD~0")
    assert [one["what"] for one in done["conversations"]] == ["written"]
    there.ask("create a file e.txt with e")
    there.commit("Add e")
    kept = there.slot()
    assert kept["prompts"] == [STORED_FIRST, SECOND, THIRD, "create a file e.txt with e"]
    assert kept["spent"] == there.spent("create a file e.txt with e")
    assert there.log_errors() == []


@by_plugin_too
def test_a_session_goes_on_in_another_clone(desk: Desk, tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    desk.git("init", "-q", "--bare", "-b", "main", str(origin))
    desk.git("remote", "add", "origin", str(origin))
    desk.git("push", "-q", "-u", "origin", "main")
    desk.git("switch", "-q", "-c", "feature")
    desk.work()
    desk.commit("Add all")
    desk.git("push", "-q", "-u", "origin", "feature")

    there = Desk(tmp_path / "home of robin", tmp_path / "deep" / "My_Clone.v2 (x)", desk.agent)
    there.root.parent.mkdir()
    subprocess.run(["git", "clone", "-q", str(origin), str(there.root)], env=there.env, check=True)
    there.enable()
    shown = there.run("entire", "resume", "feature")
    assert f"Session: {SESSION}\n" in shown
    assert f" -P -m entire_demo_agent --resume {SESSION}\n" in shown
    assert there.files() == AFTER_ALL
    assert f"I remember: {MARK}; the second; the third. This is turn 4 of our conversation." in there.ask(RECALL)
    there.ask("create a file e.txt with e")
    there.commit("Add e")
    kept = there.slot()
    assert (kept["files_touched"], kept["prompts"][-2:]) == (["e.txt"], [RECALL, "create a file e.txt with e"])
    assert kept["spent"] == there.spent(RECALL, "create a file e.txt with e")
    there.git("push", "-q")

    local = desk.transcript().read_bytes()
    desk.git("pull", "-q")
    assert desk.json("resume")["sessions"][0]["what"] == "written"
    assert desk.transcript().read_bytes().startswith(local)
    assert f"I remember: {SECRET}; the second; the third. This is turn 6" in desk.ask(RECALL)
    assert desk.log_errors() == []
    assert there.log_errors() == []


def test_resume_starts_the_agent(desk: Desk) -> None:
    desk.ask("remember the milk then create a file a.txt with one", resume=False)
    desk.commit("Add a")
    done = subprocess.run(["entire", "resume", "--run"], cwd=desk.root, env=desk.env, input=f"{RECALL}\n",
                          capture_output=True, text=True, timeout=60, check=True)  # fmt: skip
    assert "I remember: the milk. This is turn 2 of our conversation." in done.stdout
    assert desk.log_errors() == []
