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
    """The answer of an audit. ``unread``: what could not be read, or not as a whole, with the reason."""

    secrets: tuple[SecretView, ...] = ()
    remotes: tuple[RemoteView, ...] = ()
    scanned: int = 0  # texts: blobs, messages and files
    remembered: int = 0  # of these, texts that an earlier audit with the same rules had read
    unread: tuple[str, ...] = ()
    rules: str = ""
    pushed: bool = False
    unfollowed: tuple[str, ...] = ()  # what files of the repository ask for and is not followed, with the way to agree
    exceptions: str = ""  # those of .entire/redact.toml that count, in words


class ForgetRequest(Value):
    """Forget one of these. The only value that holds a secret: ``secret``; ``finding`` is the digest of an audit."""

    secret: str = ""
    finding: str = ""
    session: str = ""  # id or id prefix
    checkpoint: str = ""  # id or id prefix
    dry_run: bool = False

    def __repr__(self) -> str:
        return "ForgetRequest(...)"


class HolderView(Value):
    """A remote that still has what was forgotten here. ``commands`` change that."""

    remote: str
    branch: str
    tip: str
    time: float = 0.0  # of which moment this is known, 0.0 if unknown
    commands: tuple[str, ...] = ()


class ForgetView(Value):
    """What a forgetting changes, or changed: then ``undo_id`` is set."""

    kind: str  # secret, session, checkpoint
    name: str  # the finding's digest, or the id
    mask: str = ""  # of a secret
    texts: int = 0  # blobs that change or go
    commits: int = 0  # of the checkpoints branch
    checkpoints: tuple[str, ...] = ()  # whose content changes or goes
    sessions: tuple[str, ...] = ()
    steps: int = 0  # commits of steps and snapshots
    refs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # absolute paths
    top: str = ""  # the worktree
    has_index: bool = False  # the search index goes, and is built again by the next search
    holders: tuple[HolderView, ...] = ()
    own_files: int = 0  # the user's own files in steps that hold it: they stay
    notes: tuple[str, ...] = ()
    undo_id: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is stored here."""
        return not (self.texts or self.refs or self.files or self.has_index)


class PrunedView(Value):
    """The undo points that were deleted for good."""

    removed: tuple[str, ...] = ()
