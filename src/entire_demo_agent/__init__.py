"""A small coding agent for the demonstration and the tests: it has no model and follows simple instructions.

It does not import ``entire``, nor ``entire`` it. The adapter ``entire.agents.demo`` treats it like any other agent,
through its hooks and files.
"""
