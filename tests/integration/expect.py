"""Short forms of what the tests of commits ask of a checkpoint."""

from __future__ import annotations

from typing import Any

from tests.integration.story import Session, Story

LINES = ("agent_lines", "human_added", "human_modified", "human_removed", "total_committed")


def lines(slot: dict[str, Any]) -> tuple[int, ...]:
    """Return a slot's attribution: agent, human added, human modified, human removed, all committed lines."""
    return tuple(slot["initial_attribution"].get(name, 0) for name in LINES)


def tokens(slot: dict[str, Any]) -> int:
    """Return the input tokens of a slot or of a checkpoint's root."""
    return int((slot.get("token_usage") or {}).get("input_tokens", 0))


def start(slot: dict[str, Any]) -> int:
    """Return the record at which the part to be shown begins."""
    return int(slot.get("checkpoint_transcript_start", 0))


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


def reason(story: Story, commit: str = "HEAD") -> str:
    """Return why a commit is not linked, '' if nothing was noted."""
    return story.reasons().get(commit_of(story, commit), "")


def unlinked(story: Story, commit: str = "HEAD") -> str:
    """Assert that a commit carries no id; return the recorded reason."""
    assert story.ids(commit) == []
    return reason(story, commit)


def folder(story: Story, commit: str = "HEAD") -> str:
    """Return the id of the git tree of a commit's only checkpoint: the same as long as not a byte changed."""
    (one,) = story.ids(commit)
    return story.git("rev-parse", f"entire/checkpoints/v1:{one.path}").strip()


def written(story: Story) -> int:
    """Return how many checkpoints there are."""
    if not story.git("for-each-ref", "refs/heads/entire/checkpoints/v1"):
        return 0
    names = story.git("ls-tree", "-d", "-r", "--name-only", "entire/checkpoints/v1").split()
    return len([name for name in names if name.count("/") == 1])
