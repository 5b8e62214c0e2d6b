"""A repository in which every text from elsewhere is hostile: what is stored, named, said and answered."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.integration.story import Story

BRANCH = "entire/checkpoints/v1"
EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1bP1$q\x1b\\\x1b]8;;http://evil\x1b\\link\x1bc\x9b31mC1\x9d0;t\x9c"
    "\rover\b\b\x7f\x0b\x0c\x00\x85 \u202eesrever\u2066\u2069\u200b\u200c\u200d\u2060\ufeff\u200e\u061c\xad"
    "\u2028\u2029\U000e0041\U000e007f\u3164a\ufe0f\ufdd0[35m \u05d0\u05d1"
)
"""Ends with two Hebrew letters, which are ordinary text."""
NAME = EVIL.replace("\x00", "")  # no name of anything outside JSON holds a zero
LETTERS = "\u05d0\u05d1"
COLOUR = re.compile("\x1b\\[(?:0|1|2|31|32|33|36)m")
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e007f]|(?<=[!-~])[\ufe00-\ufe0f]"
)
_EVE = "Eve <eve@example.com>"
_STRUCTURE = frozenset({"checkpoint_id", "session_id", "commit", "tree", "patch_id", "turn", "turn_id", "phase"})
_PLACES = frozenset({"metadata", "transcript", "context", "content_hash", "prompt", "transcript_path", "worktree_path",
                     "base_commit", "attribution_base_commit"})  # fmt: skip
_RECORD = _STRUCTURE | frozenset({"type", "role", "uuid", "parentUuid", "timestamp", "id", "sessionId", "promptId",
                                  "tool_use_id", "name"})  # fmt: skip


def commanding(shown: str, *, in_colour: bool) -> list[str]:
    """Return the forbidden characters of an output, with what stands around each."""
    rest = COLOUR.sub("", shown) if in_colour else shown
    return [rest[max(0, at.start() - 30) : at.end() + 20] for at in FORBIDDEN.finditer(rest)]


def poisoned(value: Any, evil: str, *, kept: frozenset[str] = _STRUCTURE | _PLACES) -> Any:
    """Return JSON's value with a hostile text at the end of every string, but those that hold the parts together."""
    if isinstance(value, dict):
        return {
            key + (evil if "." in key else ""): field if key in kept or key.endswith("_at") or key == "time" else
            poisoned(field, evil, kept=kept) for key, field in value.items()
        }  # fmt: skip
    if isinstance(value, list):
        return [item if _is_owner(item) else poisoned(item, evil, kept=kept) for item in value]
    return value + evil if isinstance(value, str) else value


def _is_owner(item: object) -> bool:
    """Tell whether this is lines with their session and turn."""
    return isinstance(item, list) and len(item) == 3 and isinstance(item[0], int)


def stored(story: Story) -> dict[str, bytes]:
    """Return the files on the checkpoints branch."""
    paths = _git(story, "ls-tree", "-r", "-z", "--name-only", BRANCH).decode("utf-8", "surrogateescape").split("\0")
    return {path: _git(story, "cat-file", "blob", f"{BRANCH}:{path}") for path in paths if path}


def put(story: Story, changed: Mapping[str, bytes]) -> None:
    """Write a commit with these files on the checkpoints branch, as another tool would."""
    head = f"commit refs/heads/{BRANCH}\ncommitter {_EVE} 1700000000 +0000\ndata 1\nx\nfrom refs/heads/{BRANCH}^0\n"
    stream = [head.encode()]
    for path, data in changed.items():
        stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data))
    _git(story, "fast-import", "--quiet", stdin=b"".join(stream))


def poison_checkpoints(story: Story, evil: str = EVIL) -> None:
    """Make all texts of all stored checkpoints hostile."""

    def change(path: str, data: bytes) -> bytes:
        if path.endswith(".json"):
            return json.dumps(poisoned(json.loads(data), evil), ensure_ascii=False).encode()
        if "full.jsonl" in path:
            lines = [poisoned(json.loads(line), evil, kept=_RECORD) for line in data.splitlines() if line.strip()]
            return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        return data + evil.encode() if path.endswith(("prompt.txt", "context.md")) else data

    put(story, {path: change(path, data) for path, data in stored(story).items()})


def poison_states(story: Story, evil: str = EVIL) -> None:
    """Make all texts of the sessions' states hostile."""
    for file in (story.root / ".git/entire-sessions").glob("*.json"):
        state = poisoned(json.loads(file.read_text()), evil)
        state["agent_type"] = "Claude Code"  # else nothing of the session can be read
        file.write_text(json.dumps(state))


def _git(story: Story, *args: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["git", *args], cwd=story.root, input=stdin, env=story.env, capture_output=True, check=False)
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout
