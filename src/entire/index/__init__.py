"""The search index: every text of every conversation, in one SQLite file that can be deleted at any time.

It knows nothing of git, checkpoints or agents: ``queries.search`` tells it which conversations there are. No hook uses
it.
"""
