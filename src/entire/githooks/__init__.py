"""The second source of events: git, through hook scripts that start Entire only if there is something to do."""
