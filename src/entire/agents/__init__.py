"""Adapters, one room per agent: they translate hooks and transcripts; they never save, call git or decide."""
