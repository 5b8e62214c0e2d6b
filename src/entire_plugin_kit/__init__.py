"""For authors who connect an agent to Entire: what an agent promises, and a suite that asks for it.

Each promise is stated once (``PROMISES``), by a plugin as a program, by an agent's adapter, or by Entire to every
agent. ``entire plugin check`` asks a plugin for all of them. A **rig** describes an agent to the suite: how its adapter
is made, what was captured from the real agent and what that means, how a session of it is played. With a rig, any test
runner asks an adapter in the same process::

    import pytest
    from entire_plugin_kit import cases
    from parrot_rig import PARROT

    @pytest.mark.parametrize("case", cases(PARROT), ids=str)
    def test_promises(case):
        case.run()

A promise that needs what the rig or the agent does not have is skipped, and says why.
"""

from entire_plugin_kit.cases import Case, cases
from entire_plugin_kit.checklist import CHECKLIST, Point
from entire_plugin_kit.promise import Promise
from entire_plugin_kit.rig import Captured, ConfigSample, Payload, Player, Rig
from entire_plugin_kit.table import PROMISES

__all__ = [
    "CHECKLIST",
    "PROMISES",
    "Captured",
    "Case",
    "ConfigSample",
    "Payload",
    "Player",
    "Point",
    "Promise",
    "Rig",
    "cases",
]
