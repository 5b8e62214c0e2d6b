"""What host and plugin say to each other: the protocol's facts, its values as JSON, and our questions."""
