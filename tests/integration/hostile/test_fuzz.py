"""Whatever stands in a payload, a setting, a session's state or a foreign checkpoint: no traceback, no hang, nothing
written outside, and the right exit status. ``ENTIRE_LONG=1`` tries many more.
"""

from __future__ import annotations

import copy
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from entire.agents import registry
from entire.cli import main
from entire.directory import AgentDirectory
from tests.integration.hostile import texts as hostile
from tests.integration.hostile.texts import EVIL
from tests.integration.shown import begun
from tests.integration.story import Story

LONG = bool(os.environ.get("ENTIRE_LONG"))
EXAMPLES = 1000 if LONG else 12
SECONDS = 30  # which no hook or command may take here
BUGS = ("TypeError", "AttributeError", "KeyError", "IndexError", "ValueError", "AssertionError", "RecursionError",
        "UnicodeEncodeError", "UnicodeDecodeError", "OverflowError", "MemoryError", "ZeroDivisionError", "NameError",
        "StopIteration", "RuntimeError", "Slow")  # fmt: skip
FIXTURES = Path(__file__).parents[2] / "fixtures"
NESTED = json.loads("[" * 150 + "]" * 150)
NESTED_BYTES = b"[" * 5000
TEXTS = [
    "", " ", ".", "..", "../outside", "../../outside/file", "a/../../outside", "a\0b", "a\nb", "-", "--all", "~",
    "\ud800", "\udc80", "x" * 5000, EVIL, "0", "1e999", "refs/heads/main", "HEAD", ".git/config", "C:\\x", "*", "%s%n",
    "/", "/dev/null", "/proc/self/mem", "{outside}", "{outside}/file", "{repo}", "{repo}/.git/HEAD", "{repo}/hello.py",
]  # fmt: skip
ODD = [
    None, True, False, 0, -1, 1, 2**31, 2**70, -(2**70), 1e308, float("inf"), float("nan"), [], {}, [[]], [None],
    {"": None}, ["a", 1], {"a": {"b": []}}, NESTED,
]  # fmt: skip
TEXT = st.sampled_from(TEXTS)
VALUES = st.one_of(
    st.sampled_from(ODD), TEXT, st.text(max_size=12), st.integers(), st.floats(), st.lists(TEXT, max_size=3),
    st.dictionaries(TEXT, TEXT, max_size=3),
)  # fmt: skip
DELETED = object()
CHANGES = st.lists(st.tuples(st.randoms(use_true_random=False), VALUES | st.just(DELETED)), min_size=1, max_size=3)


class Slow(Exception):
    """A hook or command took too long."""


def record(line: bytes) -> Any:
    """Return a line of the log; None where the log itself is what was broken."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class World:
    """A repository with sessions, a folder beside it that nobody may touch, and a copy to begin again from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "file").write_text("mine\n")
        self.story = Story(folder / "repo")
        self.session = begun(self.story)
        self.root = self.story.root
        self._fill()
        self.checkpoint = self.story.ids()[0]
        self.stored = sorted(hostile.stored(self.story).items())
        self._kept = folder / "kept"
        shutil.copytree(self.root, self._kept, symlinks=True)
        self.before = self.elsewhere()

    def _fill(self) -> None:
        """Leave a file of each kind: of searches, audits, undo points, and of a commit that was not finished."""
        for words in ("search hello", "audit", f"forget --checkpoint {self.story.ids()[0]} --yes", "forget --undo"):
            assert self.run(*words.split(" "))[0] == 0, words
        self.story.git("add", "rest.py")
        self.story.git("commit", ok=False, env={"GIT_EDITOR": "false"})
        assert (self.root / ".git/entire/pending.json").exists()

    def elsewhere(self) -> dict[str, tuple[int, int]]:
        """Return all files but those in which Entire keeps its own."""
        found = {}
        for top, folders, names in os.walk(self.folder):
            if top == str(self.folder):
                folders.remove("kept")
            if top == str(self.root):
                folders[:] = [name for name in folders if name not in (".git", ".entire")]
            for name in names:
                status = os.lstat(os.path.join(top, name))
                found[os.path.join(top, name)] = (status.st_mtime_ns, status.st_size)
        return found

    def reset(self) -> None:
        for name in (".git", ".entire"):
            shutil.rmtree(self.root / name)
            shutil.copytree(self._kept / name, self.root / name, symlinks=True)

    def filled(self, value: Any) -> Any:
        """Return a value with this world's paths."""
        if isinstance(value, dict):
            return {self.filled(key): self.filled(field) for key, field in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, str):
            return value.replace("{outside}", str(self.outside)).replace("{repo}", str(self.root))
        return value

    def run(self, *words: str, given: bytes = b"") -> tuple[int, str]:
        """Run a command or hook; return its status and all that it printed."""
        before = sys.stdin, sys.stdout, sys.stderr
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(given)), out, err
        os.chdir(self.root)
        os.environ["ENTIRE_LOG_LEVEL"] = "debug"  # with the traceback of an error
        try:
            with within(SECONDS):
                status = main(list(words))
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        for stream in (out, err):
            stream.flush()
        return status, (out.buffer.getvalue() + err.buffer.getvalue()).decode()

    def bugs(self) -> list[str]:
        """Return what the log says of errors that are none of a person, git or the system."""
        log = self.root / ".git/entire/logs/entire.log"
        records = map(record, log.read_bytes().splitlines() if log.exists() else [])
        lines = [str(said["msg"]) for said in records if isinstance(said, dict) and "msg" in said]
        wrong = [number for number, line in enumerate(lines) if line.startswith(BUGS)]
        return ["\n".join(lines[number : number + 2]) for number in wrong]  # the second is the traceback

    def hook(self, agent: str, verb: str, payload: object) -> None:
        status, printed = self.run("hooks", agent, verb, given=json.dumps(payload).encode())
        assert (status, self.bugs()) == (0, [])
        assert not printed or json.loads(printed)
        assert hostile.commanding(printed, in_colour=False) == []
        assert self.elsewhere() == self.before

    def command(self, *words: str) -> None:
        status, printed = self.run(*words)
        assert "internal error" not in printed, f"{words}: {self.reports()}"
        assert status in (0, 1, 2), (words, printed)
        assert hostile.commanding(printed, in_colour=False) == [], words
        if "--json" in words or "--list" in words:
            json.loads(printed)
        assert self.elsewhere() == self.before

    def reports(self) -> str:
        return "".join(path.read_text() for path in (self.root / ".git/entire/logs").glob("crash-*.md"))


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise what no code here catches if it takes longer."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise Slow(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the values in a JSON value are."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, field in items:
        yield (*at, key)
        yield from places(field, (*at, key))


def changed(value: Any, changes: list[tuple[Any, Any]]) -> Any:
    """Return a JSON value with fields, at any depth, replaced or deleted."""
    value = copy.deepcopy(value)
    for random, new in changes:
        found = list(places(value))
        if not found:
            break
        *parents, last = random.choice(found)
        owner = value
        for key in parents:
            owner = owner[key]
        if new is DELETED:
            del owner[last]
        else:
            owner[last] = copy.deepcopy(new)
    return value


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("fuzz"))


# ---------------------------------------------------------------- payloads


def payloads(name: str) -> list[dict[str, Any]]:
    """Return payloads that agents sent, of each event and tool one."""
    folder = FIXTURES / name.replace("-", "_") / "payloads"
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


PAYLOADS = {name: payloads(name) or payloads("claude-code") for name in registry.BUILTIN}
CALLS = [(name, verb) for name in registry.BUILTIN for verb in AgentDirectory.without_plugins().make(name).hook_names]


def of_world(world: World, payload: dict[str, Any]) -> dict[str, Any]:
    """Return a payload of this world's session."""
    own = {"session_id": world.session.id, "transcript_path": str(world.session.file), "cwd": str(world.root)}
    return {**payload, **own, "session_ref": str(world.session.file)}


@settings(max_examples=EXAMPLES)
@given(call=st.sampled_from(CALLS), number=st.integers(0, 1000), changes=CHANGES)
def test_payloads(world: World, call: tuple[str, str], number: int, changes: list[tuple[Any, Any]]) -> None:
    found = PAYLOADS[call[0]]
    payload = world.filled(changed(of_world(world, found[number % len(found)]), changes))
    note(f"{call}: {payload}")
    world.hook(*call, payload)


# ---------------------------------------------------------------- settings

OPTIONS = ("push_sessions", "summarize", "max_untracked_bytes", "keep_steps_days", "keep_steps_bytes",
           "commit_hook_seconds", "enabled", "strategy", "log_level", "")  # fmt: skip
KNOWN = ("enabled", "strategy", "log_level", "commit_linking", "external_agents", "redaction", "strategy_options",
         "telemetry", "local_dev", "absolute_git_hook_path", "", EVIL)  # fmt: skip
SETTINGS = st.dictionaries(
    st.sampled_from(KNOWN), VALUES | st.dictionaries(st.sampled_from(OPTIONS), VALUES, max_size=3), max_size=4
)


@settings(max_examples=EXAMPLES // 3)
@given(project=SETTINGS, local=SETTINGS, verb=st.sampled_from(["status", "doctor", "stop"]))
def test_settings(world: World, project: dict[str, Any], local: dict[str, Any], verb: str) -> None:
    world.reset()
    for name, value in (("settings.json", project), ("settings.local.json", local)):
        (world.root / ".entire" / name).write_text(json.dumps(world.filled(value)))
    if verb == "stop":
        world.hook("claude-code", verb, of_world(world, {"hook_event_name": "Stop"}))
    else:
        world.command(verb)
        world.command(verb, "--json")


# ---------------------------------------------------------------- states

READING = [["status"], ["status", "--json"], ["log", "-p"], ["rewind", "--list"], ["show", "--uncommitted"], ["doctor"],
           ["why", "--uncommitted"], ["clean"], ["reset", "-n"], ["rewind", "--before-last-prompt", "--preview"],
           ["search", "greeting"], ["link", "-n", "HEAD"]]  # fmt: skip
HOOKS = ["stop", "user-prompt-submit", "session-end", "session-start"]


def states(world: World) -> list[Path]:
    git = world.root / ".git"
    return [*git.glob("entire-sessions/*.json"), *git.glob("entire/sessions/*")]


@settings(max_examples=EXAMPLES)
@given(number=st.integers(0, 1000), changes=CHANGES, words=st.sampled_from([*READING, *HOOKS]))
def test_states(world: World, number: int, changes: list[tuple[Any, Any]], words: list[str] | str) -> None:
    world.reset()
    files = sorted(states(world))
    file = files[number % len(files)]
    lines = file.read_text().splitlines() if file.suffix == ".turns" else [file.read_text()]
    new = [json.dumps(world.filled(changed(json.loads(line), changes))) for line in lines if line.strip()]
    file.write_text("".join(line + "\n" for line in new))
    note(f"{file.name}: {new}")
    if isinstance(words, str):
        world.hook("claude-code", words, of_world(world, {"prompt": "x"}))
    else:
        world.command(*words)


# ---------------------------------------------------------------- our other files

WRITING = [["audit"], ["link", "HEAD"], ["reset", "--force"], ["reset", "--undo"], ["clean", "--force"],
           ["doctor", "--fix", "--yes"], ["forget", "--checkpoint", "{checkpoint}", "--yes"], ["forget", "--undo"],
           ["forget", "--prune"]]  # fmt: skip
BYTES = st.sampled_from([b"", b"\0", b"{", b"[]", b"null", b"1", b"\xff\xfe", b"x" * 70_000, NESTED_BYTES]) | st.binary(
    max_size=40
)


def own_files(world: World) -> list[Path]:
    """Return all that we keep in the repository and read back, but for session states."""
    git = world.root / ".git/entire"
    found = [path for path in sorted(git.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [path for path in found if path.parent.name != "sessions"]


@settings(max_examples=EXAMPLES // 3)
@given(number=st.integers(0, 1000), changes=CHANGES, junk=st.none() | BYTES,
       words=st.sampled_from([*READING, *WRITING, *HOOKS]))  # fmt: skip
def test_own_files(
    world: World, number: int, changes: list[tuple[Any, Any]], junk: bytes | None, words: list[str] | str
) -> None:
    world.reset()
    files = own_files(world)
    file = files[number % len(files)]
    try:
        value = changed(json.loads(file.read_text()), changes)
        new = json.dumps(world.filled(value)).encode() if junk is None else junk
    except ValueError:  # no JSON
        new = junk if junk is not None else file.read_bytes()[: number % 50]
    file.write_bytes(new)
    note(f"{file.relative_to(world.root)}: {new!r}")
    if isinstance(words, str):
        world.hook("claude-code", words, of_world(world, {"prompt": "x"}))
    else:
        world.command(*(world.checkpoint if word == "{checkpoint}" else word for word in words))


# ---------------------------------------------------------------- checkpoints of others

STORED = [
    ["log", "-p"], ["log", "--json"], ["show", "HEAD", "--full"], ["show", "HEAD", "--full", "--json"],
    ["explain", "HEAD"], ["explain", "HEAD", "--json"], ["explain", "HEAD", "--full"], ["why", "hello.py"],
    ["blame", "hello.py"], ["search", "hello"], ["story", "HEAD~2..HEAD"], ["rewind", "--list"], ["doctor"],
    ["status"], ["resume", "main", "--json"], ["unlink", "-n", "HEAD"],
]  # fmt: skip


@settings(max_examples=EXAMPLES)
@given(number=st.integers(0, 1000), changes=CHANGES, words=st.sampled_from(STORED))
def test_checkpoints_of_others(world: World, number: int, changes: list[tuple[Any, Any]], words: list[str]) -> None:
    world.reset()
    path, data = world.stored[number % len(world.stored)]

    def change(value: bytes) -> bytes:
        try:
            return json.dumps(world.filled(changed(json.loads(value), changes))).encode()
        except ValueError:
            return str(world.filled(changes[0][1])).encode("utf-8", "replace") + value[3:]

    lines = data.split(b"\n") if "full.jsonl" in path else [data]
    new = b"\n".join(map(change, lines))
    note(f"{path}: {new!r}")
    hostile.put(world.story, {path: new})
    world.command(*words)
