"""Rules for the tokens of providers, by trade."""
