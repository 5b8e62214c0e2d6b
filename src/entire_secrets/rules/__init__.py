"""The rules: what a secret looks like, and where one stands."""
