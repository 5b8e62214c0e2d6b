"""What the stories of this folder share with those of tests/integration."""

from tests.integration.story import story

__all__ = ["story"]
