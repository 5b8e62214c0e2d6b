"""What was forgotten in this clone, by object ids only: so that no merge, push or fetch brings it back.

``<common>/entire/forgotten.json``: old commits and blobs of the checkpoints branch with their replacements ('' for
none), removed checkpoints and sessions, and the first old commits of each line of history, by which an old history is
recognised. It holds no text.
"""

from __future__ import annotations

import os

from entire import files, layout
from entire.git import refs, remote
from entire.model import jsontext
from entire.model.ids import shell_word
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "forgotten.json"


class Record(Value):
    """The replacements, and when something was forgotten last."""

    commits: Mapping[str, str] = {}
    blobs: Mapping[str, str] = {}
    origins: tuple[str, ...] = ()
    checkpoints: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()  # commits whose history was looked through for what was forgotten, newest first
    time: float = 0.0


def path(common_dir: str) -> str:
    return os.path.join(common_dir, "entire", NAME)


def read(common_dir: str) -> Record:
    """Return what was forgotten here; an empty record if nothing was, or if the file cannot be read."""
    try:
        return parse(files.read(path(common_dir)))
    except OSError:
        return Record()


def parse(content: bytes | None) -> Record:
    """Return the record of a file's content; an empty one if there is none, or it cannot be read."""
    try:
        value = jsontext.loads(content) if content else {}
        known = {name: value[name] for name in Record._fields if name in value}
        for name in ("origins", "checkpoints", "sessions", "checked"):
            known[name] = tuple(map(str, known.get(name, ())))
        return Record(**known)
    except (TypeError, ValueError, RecursionError):
        return Record()


def of(where: str) -> Record:
    """Return what was forgotten in the repository of a worktree."""
    place = layout.find(where)
    return read(place.common_dir) if place is not None else Record()


def data(record: Record) -> bytes:
    """Return the content of the record's file."""
    return files.json_bytes({"version": 1, **record.__dict__})


def joined(old: Record, new: Record) -> Record:
    """Return both: what was replaced before leads to its newest replacement."""
    return replace(
        new,
        commits={**{name: new.commits.get(to, to) for name, to in old.commits.items()}, **new.commits},
        blobs={**{name: new.blobs.get(to, to) for name, to in old.blobs.items()}, **new.blobs},
        origins=tuple(dict.fromkeys((*old.origins, *new.origins))),
        checkpoints=tuple(dict.fromkeys((*old.checkpoints, *new.checkpoints))),
        sessions=tuple(dict.fromkeys((*old.sessions, *new.sessions))),
    )


def without_old(where: str, tips: dict[str, str], local: str) -> dict[str, str]:
    """Return the tips of checkpoints branches without those of remotes whose history is an old one."""
    record = of(where)
    if not record.origins:
        return tips
    return {ref: tip for ref, tip in tips.items() if ref == local or not is_old(where, record, tip)}


def is_old(where: str, record: Record, tip: str) -> bool:
    """Tell whether a commit's history holds what was forgotten here."""
    return tip in record.commits or any(remote.is_in_history(where, origin, tip) for origin in record.origins)


def holding(where: str) -> dict[str, str]:
    """Return the remotes whose checkpoints branch, as last seen, holds what was forgotten here, and the command that
    replaces it there.
    """
    record = of(where)
    if not record.origins:
        return {}
    by_ref = refs.find(where, f"refs/remotes/**/{layout.METADATA_BRANCH}")
    names = {ref: ref.removeprefix("refs/remotes/").removesuffix("/" + layout.METADATA_BRANCH) for ref in by_ref}
    return {names[ref]: replacing(names[ref], tip) for ref, tip in by_ref.items() if is_old(where, record, tip)}


def replacing(name: str, tip: str) -> str:
    """Return the command that replaces a remote's checkpoints branch, if it is still at ``tip``."""
    lease = f"--force-with-lease={layout.METADATA_BRANCH}:{tip}"
    return f"git push --no-verify {lease} {shell_word(name, 'REMOTE')} {layout.METADATA_BRANCH}"
