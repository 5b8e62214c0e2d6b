"""Every agent keeps every promise that it can give."""

from entire.testing import promises
from tests import rigs

test_promises = promises.cases(*rigs.every())


def test_every_agent_has_a_rig() -> None:
    assert promises.missing_rigs(rigs.every()) == []
