"""How it looks and how it asks. Nothing here decides."""
