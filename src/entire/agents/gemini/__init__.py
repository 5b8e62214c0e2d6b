"""Gemini CLI: its hooks, its chat files, its settings; as observed on version 0.61.0."""
