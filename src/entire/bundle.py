"""Makes a bundle: the modules that a hook has loaded, in one file beside their bytecode.

``entire.start`` loads it. See docs/decisions/0011-a-bundle-of-modules.md.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from _frozen_importlib_external import MAGIC_NUMBER, cache_from_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import Any

    Entry = tuple[str, str, int, int, CodeType | None]

_PYC_HEAD = 16  # bytes: magic number, flags, time and size of the source
_ABANDONED = 60.0  # seconds, after which a file that is not written yet never will be


def write(path: str, head: bytes, made_for: tuple[str, str], names: Iterable[str]) -> None:
    """Make the bundle of modules that are loaded; nothing where bytecode is not to be written."""
    if sys.dont_write_bytecode or not os.access(os.path.dirname(path), os.W_OK):
        return
    try:
        modules = {name: sys.modules[name] for name in names}
        entries = [_entry(name, module) for name, module in modules.items() if hasattr(module, "__file__")]
        if None not in entries:
            replace(path, head + marshal.dumps((*made_for, entries)))
    except OSError:  # a full disk: the next hook tries again
        pass


def _entry(name: str, module: Any) -> Entry | None:
    """Return a module's name, its source, the size and time of that, and its code, of a library None. Return None if
    there is no bytecode of that source.
    """
    source = module.__file__
    facts = os.stat(source)
    if not source.endswith(".py"):
        return name, source, facts.st_size, facts.st_mtime_ns, None
    try:
        with open(cache_from_source(source), "rb") as file:
            head, code = file.read(_PYC_HEAD), file.read()
    except OSError:
        return None
    told = [int.from_bytes(head[at : at + 4], "little") for at in (4, 8, 12)]  # flags 0: the next two count
    if head[:4] != MAGIC_NUMBER or told != [0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF]:
        return None
    return name, source, facts.st_size, facts.st_mtime_ns, marshal.loads(code)  # noqa: S302


def replace(path: str, data: bytes) -> None:
    """Write a file whole, or leave what is there: on a full disk, or while another process writes it. What a process
    left half-written is removed later.
    """
    new = f"{path}.new"
    try:
        with open(new, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a machine that crashes leaves all of it, or nothing
        os.replace(new, path)
    except OSError:
        try:
            if time.time() - os.stat(new).st_mtime > _ABANDONED:
                os.unlink(new)
        except OSError:  # it is gone
            pass
