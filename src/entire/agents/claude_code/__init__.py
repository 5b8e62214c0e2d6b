"""Claude Code: its hooks, its transcripts, its settings; as observed on version 2.1.197."""
