"""A plugin without extensions keeps every promise that version 1 of the protocol can carry."""

import pytest

from entire_plugin_kit import Case, cases
from tests.plugins import rig


@pytest.mark.parametrize("case", cases(rig.RIG), ids=str)
def test_promises(case: Case) -> None:
    case.run()
