"""Sources of events and transcripts, one room per agent. They parse and read; they never save, call git or decide."""
