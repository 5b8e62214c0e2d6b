"""The adapter is tested on what the demo agent really does and writes."""

from tests.unit.demo.conftest import bench as bench
