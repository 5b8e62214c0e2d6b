"""What remotes hold of our branches: as last seen, as a local one is now, or as a fetch brings it."""

from __future__ import annotations

import os

from entire.audit import sources
from entire.errors import EntireError
from entire.git import history, refs, remote
from entire.layout import METADATA_BRANCH
from entire.model.audits import RemoteView
from entire.model.value import Value
from entire.store.checkpoints import LOCAL_REF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.audit.sources import AuditSource

_SCRATCH = "refs/entire/audit"
_LIMIT = 120.0


class KnownRemote(Value):
    """What a remote is known to hold."""

    view: RemoteView
    sources: tuple[AuditSource, ...] = ()


def find(where: str, *, fetch: bool, now: float) -> list[KnownRemote]:
    """Return what each remote is known to hold. Without ``fetch`` no network is used, and nothing is written."""
    return [_fetched(where, name, now) if fetch else _seen(where, name, now) for name in history.remotes(where)]


def forget_fetched(where: str) -> None:
    """Delete the refs that a fetch left, with which git keeps what it brought."""
    fetched = refs.find(where, _SCRATCH)
    refs.move(where, [refs.RefMove(ref=ref, new="", old=oid) for ref, oid in fetched.items()])


def _fetched(where: str, name: str, now: float) -> KnownRemote:
    scratch = f"{_SCRATCH}/{os.getpid()}/{name}"
    try:
        remote.fetch(where, name, "refs/heads/entire/*", f"{scratch}/entire/*", _LIMIT)
    except EntireError as error:
        raise EntireError(f"{name} could not be read: {error.message}",
                          hint="run `entire audit --pushed` to see what was last known of it") from error  # fmt: skip
    tips = {ref.replace(f"{scratch}/", "refs/heads/", 1): oid for ref, oid in refs.find(where, scratch).items()}
    return _known(where, name, tips, now, "" if LOCAL_REF in tips else "it has no checkpoints branch")


def _seen(where: str, name: str, now: float) -> KnownRemote:
    tracking = f"refs/remotes/{name}/"
    tips = {ref.replace(tracking, "refs/heads/", 1): oid
            for ref, oid in refs.find(where, f"{tracking}entire").items()}  # fmt: skip
    moment = refs.moved_at(where, f"{tracking}{METADATA_BRANCH}")
    present = remote.local_tips(where, name, "refs/heads/entire")
    if present is None:
        note = "" if LOCAL_REF in tips else "what it holds is not known here; --fetch asks it"
        return _known(where, name, tips, moment, note)
    here = {ref: oid for ref, oid in present.items() if history.resolve(where, oid)}
    note = "" if len(here) == len(present) else "it has commits that are not known here; --fetch reads them"
    return _known(where, name, {**tips, **here} if note else here, now, note)


def _known(where: str, name: str, tips: Mapping[str, str], moment: float, note: str) -> KnownRemote:
    view = RemoteView(name=name, tip=tips.get(LOCAL_REF, ""), time=moment, note=note)
    return KnownRemote(view=view, sources=tuple(sources.of_remote(where, name, tips)))
