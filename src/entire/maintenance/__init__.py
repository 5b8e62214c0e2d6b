"""Looking after a repository: doctor, clean, reset."""
