"""Snapshots of the worktree: taken, recorded, and followed across commits."""
