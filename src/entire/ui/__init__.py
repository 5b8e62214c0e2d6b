"""Output and questions. Nothing here makes decisions."""
