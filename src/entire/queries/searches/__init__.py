"""The questions to the search index, and what it is told first."""
