"""What a workspace returns: plain values for commands and programs, by subject. Times are seconds since the epoch.

No hook loads them.
"""
