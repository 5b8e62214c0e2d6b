"""What must be true after a fault, told from git, the files and the transcripts alone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tests.campaign.worlds import MINE, World
from tests.integration.kept import check, checkpoints, ids_of, tokens
from tests.integration.story import Session, Story
from tests.trees import Tree, tree

_OURS = ("refs/entire/", "refs/heads/entire/")
_HEAD = ("rev-list", "--ignore-missing", "-1", "--no-commit-header", "--format=%T %P %B", "HEAD")  # '' before the first
_BETWEEN = frozenset((b".git", b".entire"))


@dataclass(frozen=True)
class Picture:
    """Everything that is the person's or the agent's, nothing of what is ours."""

    files: Tree
    index: str
    index_bytes: bytes
    head: str
    refs: tuple[str, ...]
    hooks: Tree
    config: bytes
    transcripts: Tree

    def unlike(self, other: Picture) -> list[str]:
        """Return the names of what differs, for a message."""
        found = []
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if mine != theirs:
                found.append(f"{field.name}: {_difference(mine, theirs)}")
        return found


def _difference(left: Any, right: Any) -> str:
    if isinstance(left, dict):
        paths = [path for path in {*left, *right} if left.get(path) != right.get(path)]
        return ", ".join(f"{path!r} {left.get(path)!r} -> {right.get(path)!r}"[:300] for path in sorted(paths)[:5])
    return f"{left!r} -> {right!r}"[:600]


def picture(world: World) -> Picture:
    """Look at everything. The index comes first: git itself may refresh it. Commits are told by what they hold, since
    one that a command makes has another time in each play.
    """
    root = world.story.root
    index = root / ".git/index"
    data = index.read_bytes() if index.exists() else b""
    refs = git(world.story, "for-each-ref", "--format=%(refname) %(tree) %(parent) %(subject)").splitlines()
    return Picture(
        files=tree(root, but=_BETWEEN),
        index=git(world.story, "ls-files", "-s"),
        index_bytes=data,
        head=git(world.story, *_HEAD) + (root / ".git/HEAD").read_text(),
        refs=tuple(ref for ref in refs if not ref.startswith(_OURS)),
        hooks=tree(root / ".git/hooks"),
        config=(root / ".git/config").read_bytes(),
        transcripts=tree(world.story.projects),
    )


def git(story: Story, *args: str) -> str:
    """Ask git something, without letting it refresh the index."""
    done = subprocess.run(["git", *args], cwd=story.root, env={**story.env, "GIT_OPTIONAL_LOCKS": "0"},
                          capture_output=True, text=True, check=False, errors="surrogateescape")  # fmt: skip
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return done.stdout


def same(now: Picture, *allowed: Picture) -> int:
    """Check that everything is as in one of these pictures; return which."""
    for number, state in enumerate(allowed):
        if now == state:
            return number
    raise AssertionError("neither as before nor as after:\n" + "\n--\n".join(
        "\n".join(state.unlike(now)) for state in allowed))  # fmt: skip


def sound(world: World, *, broken: bool = False) -> None:
    """Check that git and all that we keep are whole; with ``broken`` a file of ours may have been put aside."""
    story = world.story
    said = subprocess.run(["git", "fsck", "--connectivity-only", "--no-dangling"], cwd=story.root,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert (said.returncode, said.stdout.strip()) == (0, ""), said
    git_dir = story.path(".git")
    locks = [path for path in git_dir.rglob("*.lock") if path.name != "lock" and path.parent.parent.name != "commit"]
    assert locks == [], locks  # one that a killed git left beside an index of ours is removed with its folder
    assert broken or not list(git_dir.rglob("*.broken"))
    whole_states(git_dir)
    assert not (git_dir / "entire/pending.json").exists()
    assert linked_ids(story) == checkpoints(story), "commits and checkpoints do not tell the same"


def linked_ids(story: Story) -> set[str]:
    """Return the ids of commits, in their messages or recorded for their own ids: of the commits of branches, and of
    those to which a rewind by branch can be undone.
    """
    return ids_of(story, git(story, "log", "-z", "--branches", "--glob=refs/entire/backup", "--format=%H %B"))


def whole_states(git_dir: Path) -> None:
    """Check that every file of ours that is written as a whole can be read (lines may be cut; readers know)."""
    ours = [path for path in git_dir.glob("entire/**/*.json") if "undo" not in path.parts]
    for path in (*ours, *git_dir.glob("entire-sessions/*.json")):
        value = json.loads(path.read_text("utf-8", "surrogateescape"))
        assert isinstance(value, dict), path


LOCK_REMOVED = "removed the lock of a git process that was killed"


class Told:
    """The log's lines up to now: what comes after them is new."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._before = len(world.story.log_errors())

    def none(self) -> None:
        """Check that nothing went wrong since; that a killed git's lock was removed is told, and right."""
        found = [line for line in self._world.story.log_errors()[self._before :] if line != LOCK_REMOVED]
        assert found == [], found


# ---------------------------------------------------------------- the next turn and commit


def open_files(story: Story) -> list[str]:
    """Return the paths that differ from HEAD and are not the person's: what the next commit links."""
    out = subprocess.run(["git", "status", "--porcelain", "-z", "-uall", "--no-renames"], cwd=story.root, text=True,
                         capture_output=True, check=True, env={**story.env, "GIT_OPTIONAL_LOCKS": "0"})  # fmt: skip
    return sorted({entry[3:] for entry in out.stdout.split("\0") if entry} - MINE)


def said_in(path: Path) -> set[int]:
    """Return the numbers of the answers in a transcript."""
    found = set()
    for line in path.read_text().splitlines() if path.exists() else ():
        usage = json.loads(line).get("message", {}).get("usage")
        if usage:
            found.add(int(usage["input_tokens"]).bit_length() - 1)
    return found


def counted(story: Story, session: Session) -> tuple[int, int]:
    """Return the tokens and answers of a session in all checkpoints together."""
    slots = [story.checkpoint(checkpoint_id)["slots"].get(session.id) for checkpoint_id in sorted(linked_ids(story))]
    found = [tokens(slot) for slot in slots if slot is not None]
    return sum(total for total, _ in found), sum(count for _, count in found)


def numbers(total: tuple[int, int]) -> set[int]:
    """Return the answers that make up a sum; fails where one was counted twice."""
    found = {number for number in range(total[0].bit_length()) if total[0] >> number & 1}
    assert len(found) == total[1], f"an answer is counted twice, or lost: {total}"
    return found


def goes_on(world: World, *, links: Iterable[Session] | None = None, files: Iterable[str] | None = None,
            broken: bool = False) -> dict[str, Any]:  # fmt: skip
    """Play another turn and a commit of all: it is linked to the sessions (``a`` and ``b``) with all that is open;
    every answer is counted once; and nothing went wrong.
    """
    story, a, told = world.story, world.a, Told(world)
    linked = list(links) if links is not None else [world.a, world.b]
    before = {session.id: numbers(counted(story, session)) for session in linked}
    go_on_from_file(a)
    with a.turn("Last"):
        a.write("last.py", "last\n")
    expected = sorted({*files, "last.py"}) if files is not None else open_files(story)
    commit = story.commit("The rest")
    found = check(story, commit, expected)
    assert set(found["slots"]) == {session.id for session in linked}
    for session in linked:
        assert numbers(counted(story, session)) == before[session.id] | said_in(session.file), session.id
        assert found["slots"][session.id]["transcript"] == session.file.read_text()
    sound(world, broken=broken)
    told.none()
    assert found["slots"][a.id]["prompts"][-1] == "Last"
    return found


def go_on_from_file(session: Session) -> None:
    """Let the agent go on from what its transcript says."""
    records = session.file.read_bytes().splitlines() if session.file.exists() else []
    session.parent = json.loads(records[-1])["uuid"] if records else None
