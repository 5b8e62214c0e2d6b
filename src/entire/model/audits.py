"""What ``audit`` and ``forget`` are asked and answer. No value here holds a secret."""

from __future__ import annotations

from entire.model.value import Value


class AuditRequest(Value):
    """Scan what is stored. ``pushed``: only what remotes hold; ``fetch``: ask them first, over the network."""

    pushed: bool = False
    fetch: bool = False


class PlaceView(Value):
    """Where a secret is: in a checkpoint, a step, a turn without a step, a commit message or a file of ours."""

    kind: str
    ref: str = ""  # '' for a file
    path: str = ""  # in the commit's tree, or relative to the worktree if it is below it
    checkpoint: str = ""
    session: str = ""
    commit: str = ""  # of ours: the first that has it there
    time: float = 0.0


class SecretView(Value):
    """A secret that is stored, with its places, the oldest first. ``pushed``: remotes that have it, as last seen."""

    digest: str
    rule: str
    mask: str
    places: tuple[PlaceView, ...] = ()
    pushed: tuple[str, ...] = ()

    @property
    def since(self) -> float:
        """When it was first stored, 0.0 if only files have it."""
        return min((place.time for place in self.places if place.time), default=0.0)


class RemoteView(Value):
    """What is known of a remote. ``time``: of which moment that is, 0.0 if unknown; ``note``: what is not known."""

    name: str
    tip: str = ""  # of its checkpoints branch
    time: float = 0.0
    note: str = ""


class AuditView(Value):
    """The answer of an audit. ``unread``: objects and files that could not be read, with the reason."""

    secrets: tuple[SecretView, ...] = ()
    remotes: tuple[RemoteView, ...] = ()
    scanned: int = 0  # texts: blobs, messages and files
    remembered: int = 0  # of these, texts that an earlier audit with the same rules had read
    unread: tuple[str, ...] = ()
    rules: str = ""
    pushed: bool = False
