"""A change of files and refs, all or nothing, and the way back."""
