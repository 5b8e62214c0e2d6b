"""Whether a value in the place of a secret looks like one."""
