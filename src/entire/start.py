"""Runs a hook, or a plugin that is written in Python, in an interpreter that has not imported ``site``.

Without ``site`` no ``.pth`` file of the environment is read, which saves a hook 3 ms in a small environment and more
than 30 ms in one with many packages. The import path is completed here instead.
"""

from __future__ import annotations

import gc
import os
import sys

from entire import bundle


def search_path(package_root: str, executable: str, version: tuple[int, int]) -> list[str]:
    """Return the folders to import from: the one that holds ``entire``, then the environment's ``site-packages``."""
    prefix = os.path.dirname(os.path.dirname(executable))
    packages = os.path.join(prefix, "lib", f"python{version[0]}.{version[1]}", "site-packages")
    return [package_root] if package_root == packages else [package_root, packages]


def run(root: str) -> None:
    """Do what the arguments say; ``root`` is the folder that holds ``entire``. Does not return."""
    sys.path[-1:] = search_path(root, sys.executable, sys.version_info[:2])
    modules = bundle.install(f"{root}/entire/__pycache__", ("entire", "entire_secrets"))
    if sys.argv[1] == "run":
        sys.argv = sys.argv[2:]
        from entire.plugin import script

        script.run(sys.argv[0])
        return
    gc.disable()  # a hook ends before a collection pays off
    from entire.cli import main

    status = main(sys.argv[1:])
    modules.grow()
    if (patterns := sys.modules.get("entire_secrets.patterns")) is not None:
        patterns.save(bundle.replace)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # the agent may have closed it
            stream.flush()
    os._exit(status)  # skips the interpreter's shutdown, another 3 ms
