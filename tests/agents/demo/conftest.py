"""The adapter is tested on what the demo agent really does and writes."""

from tests.unit.entire_demo_agent.conftest import bench as bench
