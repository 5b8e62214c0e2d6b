"""What the Go Entire CLI does with a repository that we wrote, step by step (formats.md sections 3 and 5)."""

from __future__ import annotations

import json
import shutil
from typing import Any

from tests.integration.story import Session, Story


def shadow(story: Story) -> str:
    """Return the only shadow branch."""
    names = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").split()
    (name,) = [name for name in names if not name.startswith("entire/checkpoints")]
    return name


def step_files(story: Story, session: Session, commit: str = "") -> dict[str, str]:
    """Return the files of a session's metadata folder in a step (default: the last one) with their contents."""
    folder = f"{commit or shadow(story)}:.entire/metadata/{session.id}"
    names = story.git("ls-tree", "-r", "--name-only", folder).split()
    return {name: story.git("show", f"{folder}/{name}") for name in names}


def lines(text: str) -> int:
    """Count a transcript's lines as the Go CLI does: without blank ones at its end."""
    return len(text.rstrip("\n").split("\n")) if text.strip() else 0


def links(story: Story, session: Session) -> bool:
    """Tell whether a commit now gets a trailer for the session: the last step's base file has lines not counted yet."""
    base = step_files(story, session)["full.jsonl"]
    start: int = session.state().get("checkpoint_transcript_start", 0)
    return lines(base) > start


def restored(story: Story, session: Session, commit: str = "") -> str:
    """Return the transcript that a rewind restores from a step: the base file and all numbered ones."""
    files = step_files(story, session, commit)
    return "\n".join(files[name] for name in sorted(files) if name.startswith("full.jsonl"))


def write_state(story: Story, session: Session, **changes: Any) -> None:
    """Write a session's state as at any hook; keys that the Go CLI does not know are lost."""
    path = story.root / ".git/entire-sessions" / f"{session.id}.json"
    value = {**json.loads(path.read_text()), **changes}
    value.pop("entire_py", None)
    path.write_text(json.dumps(value, indent=2) + "\n")


def save_step(story: Story, session: Session) -> str:
    """Write a step on top of the last one: the base file is the whole transcript, what else was there stays there."""
    branch, folder = shadow(story), f".entire/metadata/{session.id}"
    env = {"GIT_INDEX_FILE": str(story.root / ".git/go-index")}
    story.git("read-tree", branch, env=env)
    story.git("add", "--", ":!.entire", ":!.claude", env=env)
    blob = story.git("hash-object", "-w", "--stdin", stdin=session.file.read_text()).strip()
    story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{folder}/full.jsonl", env=env)
    tree = story.git("write-tree", env=env).strip()
    message = f"Step\n\nEntire-Metadata: {folder}\nEntire-Session: {session.id}\nEntire-Strategy: manual-commit\n"
    commit = story.git("commit-tree", tree, "-p", branch, "-m", message).strip()
    story.git("update-ref", f"refs/heads/{branch}", commit)
    count = session.state()["checkpoint_count"] + 1
    write_state(story, session, checkpoint_count=count, phase="idle")
    return commit


def clean(story: Story) -> None:
    """Delete the shadow branches and all session states, as ``clean``, ``reset`` and ``disable --uninstall`` do."""
    for name in story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire/").split():
        if not name.endswith("checkpoints/v1"):
            story.git("update-ref", "-d", name)
    for path in (story.root / ".git/entire-sessions").glob("*.json"):
        path.unlink()


def uninstall(story: Story) -> None:
    """Remove the settings, git's hooks and the agent's, and what ``clean`` deletes."""
    clean(story)
    shutil.rmtree(story.root / ".git/entire-sessions")
    shutil.rmtree(story.root / ".entire")
    for path in (story.root / ".git/hooks").iterdir():
        if "Entire CLI hooks" in path.read_text():
            path.unlink()
    (story.root / ".claude/settings.json").unlink()
