"""What every plugin promises to its host: the rules of the protocol, checked with nothing but the executable.

``run`` makes the checks in ``table.CHECKS`` one after the other. Each has a HOME, a temporary folder and a repository
of its own, so that a plugin never meets the user's. `entire plugin check` is this suite.
"""

from entire.testing.compliance.check import Check, Exchange, Result, Status
from entire.testing.compliance.probe import Limits
from entire.testing.compliance.suite import Options, chosen, run
from entire.testing.compliance.table import CHECKS

__all__ = ["CHECKS", "Check", "Exchange", "Limits", "Options", "Result", "Status", "chosen", "run"]
