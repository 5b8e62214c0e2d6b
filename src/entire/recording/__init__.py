"""What hooks and commands share while they work in a repository: the unit of work, and which agents there are."""
