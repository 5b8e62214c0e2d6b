"""A little coding agent of our own: it has no model, it obeys. It serves the demonstration and the tests.

It knows nothing of the rest of ``entire`` (and the rest nothing of it, but for the adapter ``entire.agents.demo``,
which knows it as it knows any other agent: by its hooks and its files).
"""
