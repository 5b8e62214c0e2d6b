"""Promises of a plugin as a program, asked with nothing but the executable: the rules of the protocol."""
