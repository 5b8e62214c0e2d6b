"""Runs a plugin that is written in Python: ``entire plugin run``, started without ``site`` by the launcher."""

from __future__ import annotations

import atexit
import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run(path: str) -> None:
    """Run a Python program in this process, as Python itself would, and end."""
    sys.meta_path.append(_PathFiles())  # type: ignore[arg-type]
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]  # as ``site`` defines them
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    program = sys.modules["__main__"] = type(sys)("__main__")
    program.__file__ = path
    try:
        exec(code, program.__dict__)  # noqa: S102
    except SystemExit as end:
        if isinstance(end.code, int) and "threading" not in sys.modules:
            _end(end.code)
        raise


def _end(status: int) -> NoReturn:
    """End without the interpreter's shutdown, which takes 2 ms to free modules."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


class _PathFiles:
    """Reads the environment's ``.pth`` files once a module is found nowhere else."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:  # noqa: ARG002
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        import site
        from importlib.util import find_spec

        for folder in [folder for folder in sys.path if folder.endswith("site-packages")]:
            site.addsitedir(folder)
        return find_spec(name)
