"""What is kept of a commit, in short names, so that a test reads as a sentence; and whether it adds up."""

from __future__ import annotations

import json
from typing import Any

from entire.model.trailers import checkpoint_ids
from tests.integration.story import Session, Story

PERSON = {"ENTIRE_TEST_TTY": "1"}  # the tests' own process is what hooks take for the agent's: say who commits
AGENT = {"ENTIRE_TEST_TTY": "0"}


def lines(record: dict[str, Any]) -> tuple[int, ...]:
    """Return (agent, human added, human modified, human removed, total) of a session's record."""
    found = record["initial_attribution"]
    return tuple(
        found[name] for name in ("agent_lines", "human_added", "human_modified", "human_removed", "total_committed")
    )


def percent(record: dict[str, Any]) -> float:
    """Return the session's share."""
    share: float = record["initial_attribution"]["agent_percentage"]
    return share


def tokens(record: dict[str, Any]) -> tuple[int, int]:
    """Return (input tokens, answers) of a record, of the root or of a session."""
    usage = record.get("token_usage") or {}
    return usage.get("input_tokens", 0), usage.get("api_call_count", 0)


def input_tokens(record: dict[str, Any]) -> int:
    """Return the input tokens of a record alone."""
    return tokens(record)[0]


def start(record: dict[str, Any]) -> int:
    """Return the record of the transcript at which a session's part begins."""
    return int(record.get("checkpoint_transcript_start", 0))


def answers(*numbers: int) -> tuple[int, int]:
    """Return what ``tokens`` says if exactly a session's answers with those numbers (from 0) are counted."""
    return sum(2**number for number in numbers), len(numbers)


def check(story: Story, commit: str, files: list[str]) -> dict[str, Any]:
    """Check a linked commit's single checkpoint, its root and our record beside it; return it."""
    found = story.linked(commit)
    assert found["files_touched"] == files, found["files_touched"]
    full = commit_of(story, commit)
    assert full in [one["commit"] for one in found["lineage"]["commits"]]
    slots = found["slots"].values()
    assert sorted({path for slot in slots for path in slot["files_touched"]}) == files
    assert found["checkpoints_count"] == sum(slot["checkpoints_count"] for slot in slots)
    sums = [tokens(slot) for slot in slots]
    assert tokens(found) == (sum(one for one, _ in sums), sum(count for _, count in sums))
    _partition(story, full, found["lineage"]["files"])
    return found


def _partition(story: Story, commit: str, files: dict[str, Any]) -> None:
    """Check that the ranges of each file partition the lines that git counts as added."""
    counted = story.git("show", "--format=", "--numstat", "-M", "--first-parent", commit).splitlines()
    added = [one.split("\t")[0] for one in counted if "\t" in one]
    total = sum(int(one) for one in added if one.isdigit())
    for found in files.values():
        at = 0
        for first, last, _ in found["added"]:
            assert at < first <= last
            at = last
    assert sum(last - first + 1 for one in files.values() for first, last, _ in one["added"]) == total


def sole(story: Story, session: Session, files: list[str], commit: str = "HEAD") -> dict[str, Any]:
    """Check that a commit is linked to this session alone, with these files; return the session's record."""
    found = check(story, commit, files)
    assert list(found["slots"]) == [session.id]
    record: dict[str, Any] = found["slots"][session.id]
    return record


def slot_of(story: Story, session: Session, commit: str = "HEAD") -> dict[str, Any]:
    """Return the session's record in the commit's only checkpoint; if it is alone, its files are the checkpoint's."""
    checkpoint = story.linked(commit)
    slot: dict[str, Any] = checkpoint["slots"][session.id]
    assert set(slot["files_touched"]) <= set(checkpoint["files_touched"])
    if len(checkpoint["slots"]) == 1:
        assert slot["files_touched"] == checkpoint["files_touched"]
        assert tokens(checkpoint) == tokens(slot)
    assert commit_of(story, commit) in [one["commit"] for one in checkpoint["lineage"]["commits"]]
    return slot


def commit_of(story: Story, name: str) -> str:
    """Return the id of a commit."""
    return story.git("rev-parse", name).strip()


def folder(story: Story, commit: str = "HEAD") -> str:
    """Return the id of the git tree of a commit's only checkpoint: the same as long as not a byte changed."""
    (one,) = story.ids(commit)
    return story.git("rev-parse", f"entire/checkpoints/v1:{one.path}").strip()


def reason(story: Story, commit: str = "HEAD") -> str:
    """Return why a commit is not linked, '' if nothing was noted."""
    return story.reasons().get(commit_of(story, commit), "")


def unlinked(story: Story, commit: str = "HEAD") -> str:
    """Check that a commit carries no id; return the recorded reason."""
    assert story.ids(commit) == []
    return reason(story, commit)


def elsewhere(story: Story) -> Session:
    """Return a session that was started in a linked worktree, ``side``."""
    session = story.session()
    session.cwd = story.root.parent / "linked"
    story.git("worktree", "add", "-q", "-b", "side", str(session.cwd))
    session.start()
    return session


def journal(story: Story) -> dict[str, Any]:
    """Return the worktree's journal."""
    value: dict[str, Any] = json.loads((story.root / ".git/entire/journal.json").read_text())
    return value


def all_ids(story: Story) -> set[str]:
    """Return the ids of the commits of all branches, in their messages or recorded for their own ids."""
    return ids_of(story, story.git("log", "-z", "--branches", "--format=%H %B"))


def ids_of(story: Story, log: str) -> set[str]:
    """Return the ids of the commits of a log, whose entries are ``%H %B``."""
    commits = [entry.partition(" ") for entry in log.split("\0") if entry]
    named = {str(one) for _, _, message in commits for one in checkpoint_ids(message)}
    return named | set(story.recorded_for(*(oid for oid, _, _ in commits)))


def checkpoints(story: Story) -> set[str]:
    """Return the ids of all checkpoints."""
    if not story.git("for-each-ref", "refs/heads/entire/checkpoints/v1"):
        return set()
    names = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").splitlines()
    return {name[:2] + name[3:13] for name in names if not name.startswith("links/")}


def shadows(story: Story) -> list[str]:
    """Return the names of the branches that hold steps."""
    names = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire").split()
    return sorted(set(names) - {"entire/checkpoints/v1"})
