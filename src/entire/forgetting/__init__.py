"""``entire forget``: removes a secret, a session or a checkpoint from everything that is stored here.

Histories of ours are written again and moved in one transaction, which can be undone while git still has the old
objects. A record of object ids keeps merges from bringing the old content back.
"""
