"""Codex CLI: its hooks, its rollouts, its settings; as observed on versions 0.118.0, 0.169.0 and 0.171.0."""
