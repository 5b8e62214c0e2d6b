"""Setting up a repository and looking after it: enable, disable, doctor, clean, reset."""
