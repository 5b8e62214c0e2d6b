"""Transcripts read as conversations: of a checkpoint, a session, a turn, or the work of this moment."""
