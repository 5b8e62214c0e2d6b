"""What every agent's adapter promises to the framework, and the framework to every agent: one suite for all agents.

A **rig** describes an agent to the suite: how its adapter is made, what was captured from the real agent and what that
means, how a session of it is played. A test file of three lines runs every promise over a rig::

    from entire.testing import promises
    from parrot_rig import PARROT

    test_promises = promises.cases(PARROT)

A promise that needs what the rig or the agent does not have is skipped, and pytest's ``-rs`` says why.
"""

from entire.testing.promises.checklist import CHECKLIST, Point
from entire.testing.promises.promise import Promise
from entire.testing.promises.rig import Captured, ConfigSample, Payload, Player, Rig
from entire.testing.promises.suite import cases, missing_rigs
from entire.testing.promises.table import PROMISES

__all__ = [
    "CHECKLIST",
    "PROMISES",
    "Captured",
    "ConfigSample",
    "Payload",
    "Player",
    "Point",
    "Promise",
    "Rig",
    "cases",
    "missing_rigs",
]
