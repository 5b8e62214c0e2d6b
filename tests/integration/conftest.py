"""What the stories of this folder share."""

from tests.integration.story import story

__all__ = ["story"]
