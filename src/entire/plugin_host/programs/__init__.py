"""Runs the processes of a plugin: within limits, and never longer than its hook."""
