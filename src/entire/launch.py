"""Start a hook without ``site``: run by the launcher as ``python -I -S launch.py hooks ...``.

With ``run FILE ...`` it starts a plugin that is written in Python instead.

Without ``site`` no ``.pth`` file of the environment is read, which saves a hook 3 ms in a small environment and more
than 30 ms in one with many packages. The import path is completed here instead.
"""

from __future__ import annotations

import gc
import os
import sys


def search_path(package_root: str, executable: str, version: tuple[int, int]) -> list[str]:
    """Return the folders to import from: the one that holds ``entire``, then the environment's ``site-packages``."""
    prefix = os.path.dirname(os.path.dirname(executable))
    packages = os.path.join(prefix, "lib", f"python{version[0]}.{version[1]}", "site-packages")
    return [package_root] if package_root == packages else [package_root, packages]


def start() -> int:
    """Run entire; return the exit status."""
    gc.disable()  # a hook ends before a collection pays off
    from entire.cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    _root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path += search_path(_root, sys.executable, sys.version_info[:2])
    if sys.argv[1] == "run":
        sys.argv = sys.argv[2:]
        from entire.plugin import script

        script.run(sys.argv[0])
    else:
        status = start()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the agent may have closed it
                stream.flush()
        os._exit(status)  # skips the interpreter's shutdown, another 3 ms
