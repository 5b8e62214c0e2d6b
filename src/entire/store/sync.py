"""Pushes the checkpoints branch, and joins it with the remote's if both have new commits (formats.md section 10).

Called by the pre-push hook if the user enabled it: it never prompts, has a time limit, and never fails the user's push.
"""

from __future__ import annotations

import hashlib
import os
import time

from entire.errors import EntireError, PartialCloneError, RefMovedError
from entire.git import diff, history, promised, refs, remote, write
from entire.git.offline import promisor
from entire.git.pack import Pack
from entire.git.read import Objects
from entire.layout import METADATA_BRANCH
from entire.model.value import Value
from entire.store import forgotten, merge, reintroduced
from entire.store.checkpoints import LOCAL_REF
from entire.store.rewriting import BlobRewrite, Rewriter

LIMIT = 120.0
_PUSHES = 6  # how often others may push between our fetch and our push
_MOVES = 20
_FOLDER = len("a1/b2c3d4e5f6")  # the name of a checkpoint's folder
HAS_FORGOTTEN = "the remote still has what was forgotten here: `entire status` says how to replace it"


class Outcome(Value):
    """The result of a push. ``failed`` says why it failed; ``joined``: checkpoints of the remote were added locally."""

    pushed: bool = False
    joined: bool = False
    failed: str = ""


class _TimedOutError(EntireError):
    pass


class _Sync:
    """One push, its deadline, and what is known about the remote."""

    def __init__(self, where: str, name: str, limit: float) -> None:
        self.where = where
        self.remote = name
        self.deadline = time.monotonic() + limit
        scratch = f"refs/entire/fetched/{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}"
        self.tracking = f"refs/remotes/{name}/{METADATA_BRANCH}" if remote.is_named(where, name) else scratch
        self.joined = False

    def left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise _TimedOutError("timed out")
        return left

    def run(self) -> Outcome:
        local, known = self._tips()
        if not local or local == known:
            return Outcome()
        for _ in range(_PUSHES):
            rejected = self._try_push(local)
            if not rejected:
                return Outcome(pushed=True, joined=self.joined)
            try:
                remote.fetch(self.where, self.remote, LOCAL_REF, self.tracking, self.left())
            except _TimedOutError:
                raise
            except EntireError:
                return Outcome(failed=rejected)  # the remote cannot be read either, or lacks the branch
            before = local
            if self._has_forgotten():
                return Outcome(joined=self._adopt(), failed=HAS_FORGOTTEN)
            try:
                local, theirs = self._join()
            except PartialCloneError:
                self._fetch_records()
                local, theirs = self._join()
            if local == theirs:
                return Outcome(joined=self.joined)
            if local == before:
                return Outcome(failed=rejected)  # nothing was missing locally: there is another reason
        return Outcome(joined=self.joined, failed="others kept pushing at the same time; try again later")

    def _tips(self) -> tuple[str, str]:
        by_ref = refs.read(self.where, LOCAL_REF, self.tracking)
        return by_ref.get(LOCAL_REF, ""), by_ref.get(self.tracking, "")

    def _try_push(self, local: str) -> str:
        """Push, and update the tracking ref on success; return why the push was rejected, or ''."""
        try:
            remote.push(self.where, self.remote, local, LOCAL_REF, self.left())
        except _TimedOutError:
            raise
        except EntireError as error:
            self.left()
            return error.message
        refs.move(self.where, [refs.RefMove(ref=self.tracking, new=local)])
        return ""

    def _has_forgotten(self) -> bool:
        """Tell whether the fetched history holds what was forgotten here, in old commits or in new ones."""
        theirs = self._tips()[1]
        with Objects(self.where) as objects:
            record = reintroduced.note(self.where, objects, theirs)
        return bool(theirs) and forgotten.is_old(self.where, record, theirs)

    def take_in(self) -> bool:
        """Join the fetched checkpoints if what was forgotten here is in them, without that."""
        return self._has_forgotten() and self._adopt()

    def _adopt(self) -> bool:
        """Join the fetched checkpoints without what was forgotten here; tell whether there were new ones."""
        record = forgotten.of(self.where)
        change = BlobRewrite(blobs=record.blobs, commits=record.commits, checkpoints=frozenset(record.checkpoints),
                        sessions=frozenset(record.sessions))  # fmt: skip
        with Objects(self.where) as objects:
            pack = Pack(self.where, history.oid_size(self.where))
            rewriter = Rewriter(objects, pack, change)
            for _ in range(_MOVES):
                local, theirs = self._tips()
                rewriter.rewrite(self.where, [theirs])
                pack.flush()
                new = rewriter.commits.get(theirs, theirs)
                if local and remote.is_ancestor(self.where, new, local):
                    return False
                author = write.author(write.identity(self.where), time.time())
                joined = merge.join(self.where, objects, local, new, author) if local else new
                try:
                    refs.move(self.where, [refs.RefMove(ref=LOCAL_REF, new=joined, old=local)])
                except RefMovedError:
                    continue
                return True
        return False

    def _fetch_records(self) -> None:
        """Fetch what a partial clone lacks of the checkpoints that both sides have, and that differ, all at once."""
        local, theirs = self._tips()
        changed = diff.changes(self.where, local, theirs)
        folders = sorted({change.path[:_FOLDER] for change in changed if change.status != "A"})
        lacking = promised.missing(self.where, [f"{local}^{{tree}}", f"{theirs}^{{tree}}"], folders) if folders else ()
        remote.fetch_objects(self.where, promisor(self.where), sorted(lacking), self.left())

    def _join(self) -> tuple[str, str]:
        """Join the fetched checkpoints into the local branch, which others may write meanwhile; return both tips."""
        with Objects(self.where) as objects:
            for _ in range(_MOVES):
                self.left()
                local, theirs = self._tips()
                if not theirs or remote.is_ancestor(self.where, theirs, local):
                    return local, theirs
                if remote.is_ancestor(self.where, local, theirs):
                    new = theirs
                else:
                    author = write.author(write.identity(self.where), time.time())
                    new = merge.join(self.where, objects, local, theirs, author)
                try:
                    refs.move(self.where, [refs.RefMove(ref=LOCAL_REF, new=new, old=local)])
                except RefMovedError:
                    continue
                self.joined = True
                return new, theirs
        raise EntireError("the local checkpoints branch kept changing; try again later")


def push(where: str, remote_name: str) -> Outcome:
    """Push the local checkpoints to a remote (a name or URL) that may lack some; join first if it has others.

    Raises nothing: the outcome's ``failed`` says what went wrong. No checkpoint is lost, whenever it stops.
    """
    if not remote_name or remote_name.startswith("-"):
        return Outcome(failed=f"not a remote: {remote_name!r}")
    try:
        return _Sync(where, remote_name, LIMIT).run()
    except EntireError as error:
        return Outcome(failed=error.message)


def fetch(where: str, remote_name: str, *, limit: float = LIMIT) -> Outcome:
    """Fetch a remote's checkpoints for reading. The local branch changes only if what was forgotten here is in them:
    then it gets them without that.
    """
    if not remote_name or remote_name.startswith("-"):
        return Outcome(failed=f"not a remote: {remote_name!r}")
    try:
        sync = _Sync(where, remote_name, limit)
        remote.fetch(where, remote_name, LOCAL_REF, sync.tracking, sync.left())
        return Outcome(joined=sync.take_in())
    except EntireError as error:
        return Outcome(failed=error.message)


def take_in(where: str, remote_name: str) -> bool:
    """Join what was fetched of a remote, if it holds what was forgotten here, without that; tell whether it was new."""
    return _Sync(where, remote_name, LIMIT).take_in()
