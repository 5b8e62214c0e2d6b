"""What auto-commit keeps of steps, compared with manual-commit."""

from __future__ import annotations

from entire.strategies.auto_commit import AutoCommit
from entire.strategies.manual_commit import ManualCommit


def test_a_checkpoint_names_no_branch_of_steps_and_retains_only_what_its_commit_has_not() -> None:
    assert (ManualCommit.records_source, AutoCommit.records_source) == (True, False)
    assert (ManualCommit.least_retained, AutoCommit.least_retained) == (1, 2)
