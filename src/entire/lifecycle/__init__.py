"""The conductor: what follows from what."""
