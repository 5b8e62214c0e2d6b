"""Turns events into actions: turns, snapshots, commits and checkpoints."""
