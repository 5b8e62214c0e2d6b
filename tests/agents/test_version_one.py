"""A plugin without extensions keeps every promise that version 1 of the protocol can carry."""

from entire.testing import promises
from tests.plugins import rig

test_promises = promises.cases(rig.RIG)
