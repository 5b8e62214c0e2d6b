"""The only room that speaks git: bytes and refs, through the user's own ``git``."""
