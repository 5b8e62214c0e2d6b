"""Makes commits in the user's name, as ``git commit`` would: author, committer and signature as git is configured."""

from __future__ import annotations

import os

from entire.git import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_IDENTITY = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")]


def make(where: str, tree: str, parents: Sequence[str], message: str) -> str:
    """Write a commit and return its id; no ref moves and no hook runs. Raises GitError if git knows no identity, or
    cannot sign.
    """
    signs = run.lines(where, "config", "--type=bool", "--get", "commit.gpgSign", ok=(0, 1)) == ["true"]
    options = [*(["-S"] if signs else []), *(word for parent in parents for word in ("-p", parent))]
    env = run.environment(**{name: os.environ[name] for name in _IDENTITY if name in os.environ})
    stdin = message.encode("utf-8", "surrogateescape")
    done = run.git(where, "-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree, *options, "-F", "-",
                   stdin=stdin, env=env)  # fmt: skip
    return done.stdout.decode("ascii").strip()
