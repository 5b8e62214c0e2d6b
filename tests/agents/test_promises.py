"""Every agent keeps every promise that it can give."""

import pytest

from entire.agents.registry import BUILTIN
from entire_plugin_kit import Case, cases
from tests import rigs


@pytest.mark.parametrize("case", cases(*rigs.every()), ids=str)
def test_promises(case: Case) -> None:
    case.run()


def test_every_agent_has_a_rig() -> None:
    assert set(BUILTIN) - {rig.entry.name for rig in rigs.every()} == set()
