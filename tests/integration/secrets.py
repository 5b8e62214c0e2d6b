"""Repositories in which secrets were stored: by rules that knew less, or as values that no rule can know."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.integration.story import Session, Story
from tests.unit.entire_secrets import planted_secrets

TOKEN = "ghp_" + planted_secrets.word(36)
TULIP = "tulip-orange-42"  # a password in prose, as no rule finds it


def put(story: Story, path: str, text: str, message: str = "Checkpoint: old") -> str:
    """Write a file on the checkpoints branch by git alone, as a version with fewer rules did; return the commit."""
    branch = "refs/heads/entire/checkpoints/v1"
    env = {"GIT_INDEX_FILE": str(story.root / ".git/other-index")}
    story.git("read-tree", branch, env=env)
    blob = story.git("hash-object", "-w", "--stdin", stdin=text).strip()
    story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=env)
    tree = story.git("write-tree", env=env).strip()
    commit = story.git("commit-tree", tree, "-p", branch, "-m", message).strip()
    story.git("update-ref", branch, commit)
    return commit


def with_tulip(story: Story) -> tuple[Session, str]:
    """Return a session whose turns say a password in prose, and the checkpoint that stores the first of them."""
    session = story.started()
    session.prompt(f"the door code is {TULIP}, use it")
    session.write("door.py", "opened = True\n")
    session.answer({"type": "text", "text": f'I shall use "{TULIP}"\nand nothing else'})
    session.hook("stop")
    story.commit("Open the door")
    session.prompt(f"again with {TULIP}")
    session.write("window.py", "opened = True\n")
    session.hook("stop")
    return session, story.ids()[0]


def objects_with(story: Story, text: str, *revisions: str) -> list[str]:
    """Return the objects of ours that hold a text, of all that the revisions (all refs of ours) reach."""
    names = revisions or ("--glob=refs/heads/entire", "--glob=refs/entire")
    listed = [line.split(" ", 1) for line in story.git("rev-list", "--objects", *names).splitlines()]
    return [line[0] for line in listed if text in story.git("cat-file", "-p", line[0])]


def files_with(story: Story, text: str, *, leaving: str = "undo") -> list[str]:
    """Return the files of ours that hold a text."""
    found = []
    for top in (".git/entire", ".git/entire-sessions", ".entire"):
        for folder, folders, names in os.walk(story.root / top):
            folders[:] = [name for name in folders if name != leaving]
            paths = [Path(folder, name) for name in names]
            found += [str(path.relative_to(story.root)) for path in paths if text.encode() in path.read_bytes()]
    return sorted(found)


def stored(story: Story) -> str:
    """Return all that our refs reach, and all files of ours."""
    listed = story.git("rev-list", "--objects", "--glob=refs/heads/entire", "--glob=refs/entire")
    names = "".join(line.split(" ", 1)[0] + "\n" for line in listed.splitlines())
    texts = [story.git("cat-file", "--batch", stdin=names)]
    for top in (".git/entire", ".git/entire-sessions", ".git/entire/logs", ".entire/tmp"):
        paths = [path for path in (story.root / top).rglob("*") if path.is_file()]
        texts += [path.read_bytes().decode("utf-8", "replace") for path in paths]
    return "\n".join(texts)


def remote(story: Story, name: str = "origin") -> Path:
    """Add a bare repository as a remote, and push all branches and the checkpoints."""
    folder = story.root.parent / f"{name}.git"
    story.git("init", "-q", "--bare", "-b", "main", str(folder))
    story.git("remote", "add", name, str(folder))
    story.git("push", "-q", "--no-verify", name, "main", "entire/checkpoints/v1")
    return folder


def parsed_lines(text: str) -> list[Any]:
    """Return the values of JSON lines; fails if one is none."""
    return [json.loads(line) for line in text.splitlines()]
