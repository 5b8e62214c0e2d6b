"""How bytes read: escapes, terminals, and what is encoded in text."""
