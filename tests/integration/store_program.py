"""The program of ``store_agent``: ``put DATABASE SESSION`` stores standard input, ``delete DATABASE SESSION``.

``<database>.broken`` makes it fail.
"""

import os
import sqlite3
import sys

verb, database, session = sys.argv[1:]
if os.path.exists(database + ".broken"):
    sys.exit("database disk image is malformed")
with sqlite3.connect(database) as connection:
    connection.execute("create table if not exists sessions (id text primary key, content blob)")
    if verb == "put":
        connection.execute("insert or replace into sessions values (?, ?)", (session, sys.stdin.buffer.read()))
    else:
        connection.execute("delete from sessions where id = ?", (session,))
