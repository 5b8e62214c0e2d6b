"""Commands in a change: run after its files, taken back with them, and what is left when one of them fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from entire import files, layout
from entire.errors import EntireError
from entire.layout import Place
from entire.model.effects import Run
from entire.model.value import replace
from entire.undo import commands, completion, inverse, transaction
from entire.undo.draft import Draft
from entire.undo.transaction import Transaction
from tests import faults

NOW = 1_770_000_000.0
_LOG = 'echo "$0 $*" >>log; '


class World:
    """A repository, and beside it a store that only commands change; each notes in ``log`` that it ran."""

    def __init__(self, folder: Path) -> None:
        self.top, self.store = folder / "work", folder / "store"
        subprocess.run(["git", "init", "-q", self.top], check=True)
        (self.top / ".git/info/exclude").write_text("log\n")
        (self.top / "file").write_text("before\n")
        self.store.mkdir()
        place = layout.find(str(self.top))
        assert place is not None
        self.place: Place = place

    def put(self, name: str, *, also: str = "true", undo_if: str = "true") -> Run:
        """Return a command that writes its standard input to the store, and then does ``also``."""
        text = f'{_LOG}cat >"{self.store}/$1"; {also}'
        undo = f'{_LOG}{undo_if} && rm -f "{self.store}/$1"'
        return Run(argv=("sh", "-c", text, "put", name), undo_argv=("sh", "-c", undo, "drop", name),
                   stdin=name.encode())  # fmt: skip

    def draft(self, *effects: Run) -> Draft:
        change = Draft(self.place, "rewind", "rewind to abc", now=NOW)
        change.write_bytes("file", b"after\n", 0o644)
        for effect in effects:
            change.run(effect)
        return change

    def undo(self, *undone: Transaction) -> Transaction:
        return inverse.of(self.place, *(undone or [self.latest()]), now=NOW).carry_out()

    def latest(self) -> Transaction:
        found = transaction.latest(self.place, "rewind")
        assert found is not None
        return found

    def states(self) -> list[str]:
        return [found.state for found in transaction.find_all(self.place)]

    def complete(self) -> list[str]:
        return completion.complete(self.place)

    def log(self) -> list[str]:
        """Return which commands have run since the last call."""
        lines = (files.read(str(self.top / "log")) or b"").decode().splitlines()
        files.remove(str(self.top / "log"))
        return lines

    def look(self) -> tuple[str, dict[str, str]]:
        return (self.top / "file").read_text(), {path.name: path.read_text() for path in self.store.iterdir()}


BEFORE: tuple[str, dict[str, str]] = ("before\n", {})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def refused(change: Draft) -> EntireError:
    with pytest.raises(EntireError) as caught:
        change.carry_out()
    return caught.value


# ---------------------------------------------------------------- how they run


def test_in_order_and_back_in_reverse_order(world: World) -> None:
    said: list[str] = []
    world.draft(world.put("a"), world.put("b")).carry_out(said.append)
    assert [message.partition(" ")[0] for message in said] == ["Running", "Running"]
    assert (world.look(), world.log()) == (("after\n", {"a": "a", "b": "b"}), ["put a", "put b"])
    world.undo()
    assert (world.look(), world.log()) == (BEFORE, ["drop b", "drop a"])
    world.undo()
    assert (world.look(), world.log()) == (("after\n", {"a": "a", "b": "b"}), ["put a", "put b"])


def test_both_ways_find_every_file_in_its_place(world: World) -> None:
    copy = ("sh", "-c", f'cp file "{world.store}/copy"')
    world.draft(Run(argv=copy, undo_argv=copy)).carry_out()
    assert world.look() == ("after\n", {"copy": "after\n"})
    world.undo()
    assert world.look() == ("before\n", {"copy": "before\n"})


def test_a_command_runs_in_the_worktree_without_our_surroundings(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an agent's program runs when a person starts it there: not as a child of git, not with our input."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    monkeypatch.setenv("INHERITED", "yes")
    script = (
        "import json, os, sys; names = ('GIT_DIR', 'GIT_INDEX_FILE', 'INHERITED', 'ADDED');"
        f"json.dump([os.getcwd(), sys.argv[1:], sys.stdin.read(), [os.environ.get(name) for name in names]],"
        f" open({str(world.store / 'seen')!r}, 'w'))"
    )
    hostile = "$(touch x) `y` ' \"\n\udcff"
    seen = Run(argv=(sys.executable, "-c", script, hostile), undo_argv=("true",), env={"ADDED": "too"})
    here = os.getcwd()
    world.draft(seen).carry_out()
    assert os.getcwd() == here
    assert json.loads((world.store / "seen").read_text()) == [
        os.path.realpath(world.top), [hostile], "", [None, None, "yes", "too"],
    ]  # fmt: skip


def test_much_on_standard_input_is_stored_with_the_undo_point(world: World) -> None:
    big = b"\0\xff\n" * 1_000_000
    put = ("sh", "-c", f'cat >"{world.store}/big"')
    done = world.draft(Run(argv=put, undo_argv=put, stdin=big, undo_stdin=big[:7])).carry_out()
    assert (world.store / "big").read_bytes() == big
    folder = Path(world.place.own_dir, "undo", done.id)
    assert (folder / "commands/0.undo").read_bytes() == big[:7]
    assert (folder / "commands/0.in").stat().st_mode & 0o777 == 0o600
    world.undo()
    assert (world.store / "big").read_bytes() == big[:7]


@pytest.mark.parametrize(
    "broken",
    [{"argv": ()}, {"undo_argv": ()}, {"argv": ("",)}, {"argv": ("a\0b",)}, {"undo_argv": ("\ud800",)},
     {"env": {"": "x"}}, {"env": {"A=B": "x"}}, {"env": {"A": "\0"}}],
)  # fmt: skip
def test_what_cannot_be_run_or_taken_back_is_refused_at_once(world: World, broken: dict[str, object]) -> None:
    change = world.draft()
    with pytest.raises(EntireError):
        change.run(replace(world.put("a"), **broken))
    change.discard()
    assert (world.look(), world.states()) == (BEFORE, [])


def test_a_plan_of_an_earlier_version_has_no_commands(world: World) -> None:
    done = world.draft().carry_out()
    plan = Path(world.place.own_dir, "undo", done.id, "plan.json")
    value = json.loads(plan.read_text())
    del value["commands"]
    plan.write_text(json.dumps(value))
    world.undo()
    assert world.look() == BEFORE


@pytest.mark.parametrize("commands", [[[[], ["x"], "", "", {}]], [[["x"], ["y"], "../../config", "", {}]], ["x"], 7])
def test_a_garbled_command_is_not_run(world: World, commands: object) -> None:
    done = world.draft(world.put("a")).carry_out()
    plan = Path(world.place.own_dir, "undo", done.id, "plan.json")
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "commands": commands}))
    assert world.states() == []
    Path(world.place.own_dir, "undo", f"{done.id}.applying").touch()
    (message,) = world.complete()
    assert "cannot be finished" in message


# ---------------------------------------------------------------- one that fails


def test_a_second_command_that_fails(world: World) -> None:
    """It says itself that it changed nothing; only the one before it is taken back, and the files."""
    failing = Run(argv=("sh", "-c", "exit 3"), undo_argv=("sh", "-c", _LOG, "never"))
    error = refused(world.draft(world.put("a"), failing, world.put("c")))
    assert error.message == "rewind to abc failed: `sh -c exit 3` exited with status 3; everything is as before"
    assert error.hint
    assert (world.look(), world.log(), world.states()) == (BEFORE, ["put a", "drop a"], ["rolled back"])
    assert transaction.latest(world.place, "rewind") is None
    assert world.complete() == []


def test_the_error_repeats_what_the_command_said(world: World) -> None:
    failing = Run(argv=("sh", "-c", "echo out; echo 'no such\033 table' >&2; exit 3"), undo_argv=("true",))
    assert r"exited with status 3: no such\x1b table; everything is as before" in refused(world.draft(failing)).message


def test_a_program_that_is_missing(world: World) -> None:
    missing = Run(argv=("no-such-agent", "import"), undo_argv=("no-such-agent", "delete"))
    error = refused(world.draft(world.put("a"), missing))
    assert "cannot start no-such-agent: No such file or directory; everything is as before" in error.message
    assert "installed" in error.hint
    assert (world.look(), world.log(), world.states()) == (BEFORE, ["put a", "drop a"], ["rolled back"])


@pytest.mark.parametrize(
    ("also", "reason"), [("sleep 60", "did not finish within"), ("kill -9 $$", "killed by signal 9")]
)
def test_one_that_did_not_end_by_itself_is_taken_back_too(
    world: World, monkeypatch: pytest.MonkeyPatch, also: str, reason: str
) -> None:
    """It may have changed anything."""
    monkeypatch.setattr(commands, "SECONDS", 0.7)
    error = refused(world.draft(world.put("a"), world.put("b", also=also)))
    assert reason in error.message
    assert (world.look(), world.log()) == (BEFORE, ["put a", "put b", "drop b", "drop a"])


def test_one_that_is_given_much_has_more_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "SECONDS", 0.2)
    slow = replace(world.put("a", also="sleep 0.5"), stdin=bytes(1 << 20))
    world.draft(slow).carry_out()
    assert world.log() == ["put a"]
    assert "did not finish within" in refused(world.draft(world.put("b", also="sleep 0.5"))).message


def test_an_interrupt_takes_everything_back(world: World) -> None:
    def interrupt(message: str) -> None:
        if "put b" in message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.draft(world.put("a"), replace(world.put("b"), argv=("put b",))).carry_out(interrupt)
    assert (world.look(), world.states()) == (BEFORE, ["rolled back"])


def test_an_undo_whose_command_fails(world: World) -> None:
    """Nothing is undone, and it can be tried again."""
    block = world.store / "locked"
    world.draft(world.put("a"), world.put("b", undo_if=f'[ ! -e "{block}" ]')).carry_out()
    block.touch()
    world.log()
    with pytest.raises(EntireError, match=r"undo of rewind to abc failed: .*; everything is as before"):
        world.undo()
    assert world.log() == ["drop b"]
    block.unlink()
    assert world.look() == ("after\n", {"a": "a", "b": "b"})
    world.undo()
    assert (world.look(), world.log()) == (BEFORE, ["drop b", "drop a"])


# ---------------------------------------------------------------- a way back that fails


def blocked(world: World) -> Iterable[Run]:
    """Return commands of which the last fails, and the first cannot be taken back while the store is locked."""
    locked = f'{{ [ ! -e "{world.store}/locked" ] || {{ echo "store is locked"; exit 4; }}; }}'
    yield world.put("a", undo_if=locked)
    yield world.put("b")
    yield Run(argv=("sh", "-c", f'touch "{world.store}/locked"; exit 1'), undo_argv=("true",))


def test_a_way_back_that_fails_is_tried_once_more(world: World) -> None:
    error = refused(world.draft(*blocked(world)))
    assert "the files are as before, but `sh -c" in error.message
    assert "exited with status 4: store is locked" in error.message
    assert error.hint.endswith("the next `entire` command rolls it back")
    assert (world.log(), world.states()) == (["put a", "put b", "drop b", "drop a"], ["rolling back"])
    (world.store / "locked").unlink()
    assert world.complete() == ["rewind to abc was interrupted and has now been rolled back"]
    assert (world.look(), world.log(), world.states()) == (BEFORE, ["drop a"], ["rolled back"])
    assert transaction.problem(world.place, transaction.find_all(world.place)[0].id) == ""


def test_a_way_back_that_fails_again_is_told_and_left(world: World) -> None:
    refused(world.draft(*blocked(world)))
    (message,) = world.complete()
    assert message.startswith("rewind to abc was interrupted and rolled back, but `sh -c")
    assert "store is locked" in message
    assert world.states() == ["rolled back"]
    assert world.complete() == []
    (found,) = transaction.find_all(world.place)
    assert message.startswith(transaction.problem(world.place, found.id))
    assert "store is locked" in transaction.problem(world.place, found.id)


def test_a_way_back_that_fails_keeps_no_other_from_running(world: World) -> None:
    failing = Run(argv=("sh", "-c", "exit 3"), undo_argv=("sh", "-c", _LOG, "never"))
    refused(world.draft(world.put("a"), world.put("b", undo_if="exit 4"), failing))
    assert (world.look()[1], world.log()) == ({"b": "b"}, ["put a", "put b", "drop b", "drop a"])


# ---------------------------------------------------------------- kills


def killed_at(world: World, name: str, *effects: Run) -> None:
    """Carry out a change that is killed while the command called ``name`` runs."""
    pid = os.fork()
    if not pid:
        try:
            change = world.draft(*effects)
            run = commands.CommandRunner._run

            def deadly(self: commands.CommandRunner, argv: tuple[str, ...], *more: object) -> None:
                run(self, argv, *more)  # type: ignore[arg-type]
                if argv[-1] == name:
                    os._exit(faults.KILLED)

            commands.CommandRunner._run = deadly  # type: ignore[method-assign,assignment]
            change.carry_out()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == faults.KILLED


def test_after_a_kill_only_the_one_that_was_begun_runs_again(world: World) -> None:
    killed_at(world, "b", world.put("a"), world.put("b"), world.put("c"))
    assert world.log() == ["put a", "put b"]
    assert world.complete() == ["rewind to abc was interrupted and has now been finished"]
    assert (world.look(), world.log()) == (("after\n", {"a": "a", "b": "b", "c": "c"}), ["put b", "put c"])
    world.undo()
    assert (world.look(), world.log()) == (BEFORE, ["drop c", "drop b", "drop a"])


def test_what_cannot_be_finished_after_a_kill_is_rolled_back(world: World) -> None:
    """Also the command that was begun: this time it failed, but it may have succeeded the first time."""
    once = world.put("b", also=f'[ ! -e "{world.store}/gone" ]')
    killed_at(world, "b", world.put("a"), once)
    (world.store / "gone").touch()
    world.log()
    told = world.complete()
    assert told[0].startswith("rewind to abc was interrupted and cannot be finished: `sh -c")
    assert told[1:] == ["rewind to abc was interrupted and has now been rolled back"]
    (world.store / "gone").unlink()
    assert (world.look(), world.log(), world.states()) == (BEFORE, ["put b", "drop b", "drop a"], ["rolled back"])
    assert world.complete() == []


# ---------------------------------------------------------------- several at once


def test_an_undo_and_what_it_undid_cancel_each_other_out(world: World) -> None:
    first = world.draft(world.put("a")).carry_out()
    second = world.draft(world.put("b")).carry_out()
    undo = world.undo(second)
    world.log()
    world.undo(undo, second, first)
    assert (world.look(), world.log()) == (BEFORE, ["drop a"])


def test_commands_that_are_their_own_way_back_do_not(world: World) -> None:
    again = ("sh", "-c", _LOG, "index")
    first = world.draft(Run(argv=again, undo_argv=again)).carry_out()
    second = world.draft(Run(argv=again, undo_argv=again)).carry_out()
    world.log()
    world.undo(second, first)
    assert world.log() == ["index ", "index "]


# ---------------------------------------------------------------- hooks that a command calls


def test_hooks_that_a_command_calls_do_not_wait_for_the_lock(world: World) -> None:
    """An agent that imports a session may report it; the lock is ours until the command has ended."""
    (world.top / ".entire").mkdir()
    (world.top / ".entire/settings.json").write_text('{"strategy": "manual-commit", "enabled": true}')
    payload = json.dumps({"session_id": "s-1", "cwd": str(world.top), "hook_event_name": "SessionStart"}).encode()
    hook = (str(Path(sys.executable).parent / "entire"), "hooks", "claude-code", "session-start")
    called = Run(argv=hook, undo_argv=hook, stdin=payload, undo_stdin=payload)
    with files.Lock(world.place.lock_file):
        world.draft(called).carry_out()
    assert not Path(world.place.log).exists()
    env = {**os.environ, commands.TRANSACTION: str(Path(world.place.own_dir, "undo", world.latest().id))}
    subprocess.run(hook, input=payload, cwd=world.top, env=env, check=True)  # a daemon that the command left behind
    assert any(Path(world.place.common_own_dir).rglob("s-1*"))
