"""GitHub Copilot CLI: its hooks, its events, its settings; as observed on version 1.0.102."""
