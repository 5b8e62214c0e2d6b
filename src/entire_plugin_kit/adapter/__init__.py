"""Promises of an agent's adapter, in this process or behind the host of a plugin."""
