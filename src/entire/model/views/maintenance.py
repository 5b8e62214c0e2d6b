"""What is unused, discarded or damaged."""

from __future__ import annotations

from entire.model.value import Value


class UnusedView(Value):
    """Unused data, and why it is unused. ``size`` in bytes, 0 for data in git."""

    kind: str  # steps, session, retained steps, scratch, snapshots, backup, leftover, undo point
    name: str
    reason: str
    size: int = 0
    ref: str = ""
    oid: str = ""
    paths: tuple[str, ...] = ()
    undo_id: str = ""  # of an undo point


class CleanView(Value):
    """What ``clean`` found and deleted. ``notes`` explain what is kept."""

    items: tuple[UnusedView, ...] = ()
    notes: tuple[str, ...] = ()
    removed: tuple[UnusedView, ...] = ()
    undo_id: str = ""  # '' if there is nothing to restore


class ForgottenView(Value):
    """A session that a reset discards. ``stays``: its state is kept, reduced to what its checkpoints hold."""

    session_id: str
    agent: str
    steps: int = 0
    open_files: tuple[str, ...] = ()
    first_prompt: str = ""
    is_at_work: bool = False
    stays: bool = False


class StepsView(Value):
    """A shadow branch. ``others``: sessions that also use it, so it is kept."""

    name: str
    tip: str
    steps: int = 0
    others: tuple[str, ...] = ()


class ResetView(Value):
    """What a reset will discard, or discarded; ``undo_id`` is set once it did."""

    head: str
    sessions: tuple[ForgottenView, ...] = ()
    branches: tuple[StepsView, ...] = ()
    undo_id: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to discard."""
        return not self.sessions and not any(not branch.others for branch in self.branches)

    @property
    def at_work(self) -> tuple[str, ...]:
        """The sessions with a running turn."""
        return tuple(session.session_id for session in self.sessions if session.is_at_work)


class FindingView(Value):
    """A problem, or with severity ``note`` a remark. ``fixed``: this run repaired it, or as ``remedy`` says."""

    severity: str  # error, warning, note
    message: str
    hint: str = ""
    check: str = ""
    fixable: bool = False
    fixed: bool = False
    remedy: str = "fixed"  # or dropped: what was to be repaired is gone


class DoctorView(Value):
    """What the doctor found. ``failed``: repairs that failed, and why."""

    findings: tuple[FindingView, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is left but notes."""
        return all(finding.fixed or finding.severity == "note" for finding in self.findings)

    @property
    def fixable(self) -> tuple[FindingView, ...]:
        """The findings that can be repaired."""
        return tuple(finding for finding in self.findings if finding.fixable)
