"""The other source of events: git, through hook scripts that look before they start us."""
