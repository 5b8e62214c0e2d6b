"""Python programs for tests that start by a fork instead of an interpreter: hooks that git runs, and plugins.

An interpreter with the modules of a hook takes four times as long to start as the hook takes to work, and a whole run
starts ten thousand. Here each worker has one server that has imported these modules, has run none of them, and forks
for each call. What is called is a small Perl program (git needs Perl anyway, and it starts in a millisecond): it hands
its standard files, current folder, arguments, environment, umask and parent to the child, and ends as the child does.
Killed, it takes the child along.

What a fork cannot show starts an interpreter: a call with another locale or loader, one with a closed standard file,
one after the server's end, and every call on a machine without Perl. What is about processes themselves (the launcher,
``/proc``, limits, terminals, kills at a system call, instructions, real agents) calls the installed ``entire`` by its
path, which is never one of these. ``ENTIRE_FORKS=0`` starts interpreters for everything.
"""

from __future__ import annotations

import atexit
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import entire

BIN = Path(sys.executable).parent
_HERE = Path(__file__).parent
_ROOT = str(Path(entire.__file__).parents[1])
_PACKAGES = sysconfig.get_path("purelib")
_SENDMSG = {("Linux", "x86_64"): 46, ("Linux", "aarch64"): 211}
_HOOKS = """\
import gc, sys
gc.disable()
from entire.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""What ``entire.start`` does for a hook."""


@cache
def folder() -> Path:
    """Return a folder for the front of PATH: its ``entire`` forks for git's hooks, else is the installed one."""
    made = _folder() / "bin"
    made.mkdir()
    if _server():
        _write(made / "entire", _HOOKS, (str(BIN / "entire"),), only=("hooks", "git"))
    return made


@cache
def command() -> tuple[str, ...]:
    """Return the words that start ``entire`` for any command line, as ``python -m entire`` does."""
    real = (sys.executable, "-m", "entire")
    if not _server():
        return real
    made = _folder() / "every" / "entire"
    made.parent.mkdir()
    _write(made, "import sys\nfrom entire.cli import main\nsys.exit(main(sys.argv[1:]))\n", real)
    return (str(made),)


def path(*, commands: bool = False) -> str:
    """Return the PATH of this process with ``entire`` and the installed plugins in front; ``commands``: what people
    type forks as well.
    """
    front = Path(command()[0]).parent if commands and _server() else folder()
    return os.pathsep.join((str(front), str(BIN), os.environ["PATH"]))


def call(module: str, given: str = "", before: str = "") -> str:
    """Return code for ``write``: what ``main`` of a module of ours returns, which is ``given`` words, is the exit
    status; ``before`` runs first.
    """
    path = f"import sys\nsys.path += {[_ROOT, _PACKAGES]!r}\n"
    return f"{path}{before}\nfrom {module} import main\nsys.exit(main({given}))\n"


def write(file: Path, code: str, real: tuple[str, ...] = ()) -> None:
    """Write a program that runs Python code as ``python -I -S`` does; the code sees the file as its own. ``real``: what
    is started where there is no fork, if not the code.
    """
    if _server():
        itself = (sys.executable, "-I", "-S", "-c", f"import sys\nsys.argv[0] = {str(file)!r}\n{code}")
        _write(file, code, real or itself)
        return
    file.write_text(f'#!/bin/sh\nexec {shlex.join(real)} "$@"\n' if real else f"#!{sys.executable} -IS\n{code}")
    file.chmod(0o755)


def _write(file: Path, code: str, real: tuple[str, ...], only: tuple[str, ...] = ()) -> None:
    client = (_HERE / "client.pl").read_text()
    texts = {"socket": (_server(),), "code": (code,), "real": real, "only": only}
    blanks = {name: ", ".join(map(_quoted, words)) for name, words in texts.items()}
    blanks |= {"perl": shutil.which("perl") or "", "number": str(_number())}
    file.write_text(re.sub(r"\{([a-z]+)\}", lambda blank: blanks[blank[1]], client))
    file.chmod(0o755)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@cache
def _folder() -> Path:
    made = tempfile.TemporaryDirectory(prefix="entire-forks-")
    atexit.register(made.cleanup)
    return Path(made.name)


def _number() -> int:
    return _SENDMSG.get((platform.system(), platform.machine()), 0)


@cache
def _server() -> str:
    """Start this process's server; return the path of its socket, or '' where there can be none."""
    if not (_number() and shutil.which("perl") and hasattr(os, "pidfd_open")) or os.environ.get("ENTIRE_FORKS") == "0":
        return ""
    socket = str(_folder() / "socket")
    lifetime, ours = os.pipe()  # its other end closes with this process
    command = [sys.executable, "-I", "-S", str(_HERE / "server.py"), socket, _ROOT, _PACKAGES]
    subprocess.run(command, stdin=lifetime, check=True, cwd="/")
    os.close(lifetime)
    atexit.register(os.close, ours)
    return socket
