"""Every reason for which a commit is not linked: the sentence that is stored and shown, and what to do about it.

The code that records a reason takes its sentence from here, and docs/reference/unlinked-reasons.md is generated from
``TABLE``. Stored sentences keep their words: those of earlier versions must be found again.
"""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LINK = "`entire link COMMIT` links it by hand"


class Reason(Value):
    """A reason. ``sentence`` holds {fields} for what differs; ``cause`` and ``remedy`` are for people, in Markdown.

    ``hides_session``: the commit may contain lines of a session all the same, so no line of it is surely a
    person's.
    """

    sentence: str
    cause: str
    remedy: str
    hides_session: bool = False

    def text(self, **fields: str) -> str:
        """Return the sentence with its fields."""
        return self.sentence.format(**fields)

    def matches(self, text: str) -> bool:
        """Tell whether a stored text is this sentence, whatever its fields hold."""
        first, *others = [part.partition("}")[2] if number else part for number, part in enumerate(self._parts)]
        if not text.startswith(first) or (not others and text != first):
            return False
        at = len(first)
        for part in others:
            at = text.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return not others or text.endswith(others[-1])

    @property
    def _parts(self) -> list[str]:
        return self.sentence.split("{")


BY_HAND = Reason(
    sentence="its trailer was removed by hand",
    cause="The line `Entire-Checkpoint: ...` was deleted from the commit message in the editor, or by another hook "
    "after ours. That is how to leave a commit unlinked.",
    remedy=f"Nothing, if that was meant. Else {_LINK}.",
    hides_session=True,
)
NO_CONTENT = Reason(
    sentence="it contains no session content",
    cause="No line, file, mode or rename in the commit was traced to a session: a person wrote all of it, or replaced "
    "what the agent had written.",
    remedy=f"Nothing, if that is true. If the agent did write it, {_LINK}; lines that cannot be proved to be the "
    "agent's stay yours. If it happens often, `entire doctor` checks the agent's hooks.",
)
NO_SESSION = Reason(
    sentence="no session has run in this worktree yet",
    cause="Nothing is recorded here: the agent's hooks are not installed, or no session has started since `entire "
    "enable`.",
    remedy="`entire status` shows whether hooks run; `entire enable --agent NAME` installs them. Later commits are "
    f"linked by themselves; for one that a recorded session made, {_LINK}.",
)
NOT_RECORDED = Reason(
    sentence="made by session {session} of {agent}, which was not recorded (is entire on the agent's PATH?)",
    cause="An agent made the commit, but none of its hooks reached Entire: `entire` is not on the `PATH` of the "
    "program that started the agent, or the agent's hooks are switched off or not trusted.",
    remedy="Run `entire doctor`, which says which hooks are missing; start the agent from a shell in which `entire "
    "version` works. What was not recorded cannot be linked afterwards.",
    hides_session=True,
)
NO_REFLOG = Reason(
    sentence="HEAD's reflog does not say that it was made here",
    cause="HEAD is at a commit that no hook saw, and its reflog does not tell how it got there: reflogs are switched "
    "off (`core.logAllRefUpdates`), git keeps them in another form (reftable), or another program writes none. The "
    "commit may have come in from elsewhere, so its lines are given to no session.",
    remedy=f"If it was made here, {_LINK}. Switch reflogs on with `git config core.logAllRefUpdates true`, and let git "
    "run its hooks.",
    hides_session=True,
)
EMPTY = Reason(
    sentence="an empty commit has no content",
    cause="The commit changes nothing (`--allow-empty`).",
    remedy=f"Nothing. To link it all the same, {_LINK}.",
)
COVERED = Reason(
    sentence="its content is already in checkpoints",
    cause="The commit only repeats what other linked commits contain.",
    remedy="Nothing. `entire link COMMIT --checkpoint ID` links it to one of those checkpoints.",
)
MERGE = Reason(
    sentence="a merge with no new session content",
    cause="A merge brings commits that are linked themselves; only what a session changed in it would be new.",
    remedy="Nothing: `entire explain` of the merged commits shows their sessions.",
)
REVERT = Reason(
    sentence="a revert with no new session content",
    cause="A revert restores older lines; they are no session's new work, even if an agent ran the command.",
    remedy=f"Nothing. To link it all the same, {_LINK}.",
)
PICK = Reason(
    sentence="a pick with no new session content",
    cause="A cherry-pick or rebase that stopped, or a pick with `-n`, of a commit that has no checkpoint itself.",
    remedy=f"Link the original commit first, or {_LINK}.",
)
CHANGED_COPY = Reason(
    sentence="a copy of commit {commit}, which is linked to {checkpoints}, with other changes",
    cause="A rebase changed a commit that is linked by its id, and an earlier version left the copy unlinked.",
    remedy="`entire link COMMIT --checkpoint ID` links the copy to the original's checkpoint.",
    hides_session=True,
)
GO_REMOVED = Reason(
    sentence="the Go CLI removed its session",
    cause="The Go Entire CLI deleted the state of the session (`entire reset`, `entire clean`) before the commit.",
    remedy="Nothing: the steps are gone. `entire link COMMIT --checkpoint ID` links it to an earlier checkpoint of the "
    "session.",
    hides_session=True,
)
LACKING = Reason(
    sentence="this partial clone lacks what it changed",
    cause="A clone with `--filter=tree:0` had not the folders that the commit was made on, and a hook fetches nothing.",
    remedy=f"`git fetch --refetch --no-filter`, then {_LINK}.",
    hides_session=True,
)
UNLINKED = Reason(
    sentence="unlinked by hand from {checkpoints}",
    cause="A person ran `entire unlink`. The checkpoint is still stored, and the commit's message may still name it.",
    remedy="`entire link COMMIT` links it again.",
    hides_session=True,
)

TABLE = (
    BY_HAND, NO_CONTENT, NO_SESSION, NOT_RECORDED, NO_REFLOG, EMPTY, COVERED, MERGE, REVERT, PICK, CHANGED_COPY,
    GO_REMOVED, LACKING, UNLINKED,
)  # fmt: skip


def find(text: str) -> Reason | None:
    """Return the reason whose sentence a stored text is; None for a text of another version."""
    return next((reason for reason in TABLE if reason.matches(text)), None)


def may_hide_a_session(text: str) -> bool:
    """Tell whether a commit that is not linked for this reason may contain lines of a session."""
    reason = find(text)
    return reason is not None and reason.hides_session


def by_hand(checkpoint_ids: Sequence[str]) -> str:
    """Return the reason of a commit that a person has unlinked from these checkpoints; '' without any."""
    return UNLINKED.text(checkpoints=", ".join(checkpoint_ids)) if checkpoint_ids else ""
