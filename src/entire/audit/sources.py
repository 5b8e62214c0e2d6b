"""Where what people and agents said is stored in git: the refs, and what a path in them means."""

from __future__ import annotations

from entire.git import refs
from entire.git.read import Objects
from entire.model import trailers
from entire.model.ids import HEX
from entire.model.value import Value
from entire.store import steps
from entire.store.checkpoints import LOCAL_REF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKPOINT, STEP, TURN, MESSAGE = "checkpoint", "step", "turn", "commit message"
SAID = ".entire/metadata"
"""The folder of a step's tree with what redaction passed; all other files there are the user's own."""
_JOURNAL, _RETAINED = "refs/entire/journal", "refs/entire/kept"


class AuditSource(Value):
    """A ref of ours. ``folders``: what in its trees is ours to scan, () for everything."""

    ref: str
    tip: str
    kind: str
    folders: tuple[str, ...] = ()


def local(where: str) -> list[AuditSource]:
    """Return the refs of this repository that hold sessions, the checkpoints branch first."""
    tips = refs.find(where, "refs/heads/entire", _RETAINED, _JOURNAL)
    sources = [AuditSource(ref=LOCAL_REF, tip=tips[LOCAL_REF], kind=CHECKPOINT)] if LOCAL_REF in tips else []
    with Objects(where) as objects:
        for ref, tip in tips.items():
            if steps.is_shadow(objects, ref, tip) or ref.startswith(_RETAINED):
                sources.append(AuditSource(ref=ref, tip=tip, kind=STEP, folders=(SAID,)))
            elif ref.startswith(_JOURNAL):
                sources.append(AuditSource(ref=ref, tip=tip, kind=TURN, folders=(SAID,)))
    return sources


def of_remote(where: str, remote: str, tips: Mapping[str, str]) -> list[AuditSource]:
    """Return the branches of ours that a remote has: ``tips`` maps them, as named there, to commits."""
    sources = []
    with Objects(where) as objects:
        for ref, tip in sorted(tips.items()):
            name = f"{remote}:{ref.removeprefix('refs/heads/')}"
            if ref == LOCAL_REF:
                sources.append(AuditSource(ref=name, tip=tip, kind=CHECKPOINT))
            elif steps.is_shadow(objects, ref, tip):
                sources.append(AuditSource(ref=name, tip=tip, kind=STEP, folders=(SAID,)))
    return sources


def checkpoint_of(path: str) -> str:
    """Return the id of the checkpoint whose folder holds a path of the checkpoints branch, '' for none."""
    name = path[:2] + path[3:13]
    is_one = len(name) == 12 and path[2:3] == "/" and path[13:14] == "/" and HEX.issuperset(name)
    return name if is_one else ""


def session_of(path: str, message: str) -> str:
    """Return the session that a path belongs to: of a step by its folder, of a checkpoint by its commit's trailer."""
    if path.startswith(SAID + "/"):
        return path.split("/")[2]
    named = trailers.parse(message).get(trailers.SESSION, [])
    return named[0] if len(named) == 1 else ""
