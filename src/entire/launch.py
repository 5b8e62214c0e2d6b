"""Start a hook without ``site``: run by the launcher as ``python -I -S launch.py hooks ...``.

With ``run FILE ...`` it starts a plugin that is written in Python instead. Python compiles this file at each start, so
that all but the import path is ``entire.start``'s.
"""

import os
import sys

if __name__ == "__main__":
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path.append(root)
    from entire import start

    start.run(root)
