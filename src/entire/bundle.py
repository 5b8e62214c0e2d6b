"""The modules that hooks have loaded, in one file beside their bytecode: to look each of them up in the file system
takes a sixth of a small hook's time.

A hook that had to load a module as usual adds it when its work is done. A module whose source has another size or time
than when it was added is loaded as usual, and so is everything where the file is missing, broken or of another
interpreter. See docs/decisions/0011-a-bundle-of-modules.md.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType
    from typing import Any

    Entry = tuple[str, int, int, int, int]
    # A module's source, its size and time in ns, and where its code begins and ends.

_HEAD = b"entire 1" + MAGIC_NUMBER
_PYC_HEAD = 16  # bytes: magic number, flags, time and size of the source
_PACKAGE = "/__init__.py"
_BROKEN = (OSError, ValueError, EOFError, TypeError)  # what a file raises that is not what was written
_ABANDONED = 60.0  # seconds, after which a file that is not written yet never will be


class Bundle:
    """Finds and loads modules of ``packages`` and of the standard library; the first on ``sys.meta_path``.

    ``folder``: where it is, beside bytecode.
    """

    def __init__(self, folder: str, packages: Sequence[str]) -> None:
        self._packages = packages
        self._folder = folder
        self._path = f"{folder}/hooks.{sys.implementation.cache_tag}.bundle"
        self._before = frozenset(sys.modules)
        self._file = -1
        self._codes = 0  # where the codes begin
        self._index: dict[str, Entry] = {}
        self._found: dict[str, Any] = {}  # codes of modules that are about to be loaded
        try:
            self._open()
        except _BROKEN:  # or there is none yet
            pass

    def _open(self) -> None:
        self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        head = os.read(self._file, len(_HEAD) + 8)
        index, codes = (int.from_bytes(head[at : at + 4], "little") for at in (len(_HEAD), len(_HEAD) + 4))
        self._codes = len(head) + index
        if head.startswith(_HEAD) and os.fstat(self._file).st_size == self._codes + codes:
            self._index = marshal.loads(os.read(self._file, index))  # noqa: S302 (as trusted as the bytecode beside it)

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return how to load a module from here; None for one that is not here, or has changed since."""
        entry = self._index.get(name)
        if entry is None:
            return None
        source = entry[0]
        try:
            facts = os.stat(source)
        except OSError:
            return None
        if (facts.st_size, facts.st_mtime_ns) != entry[1:3]:
            return None
        try:
            self._found[name] = marshal.loads(self._code(entry))  # noqa: S302
        except _BROKEN:
            return None
        spec = ModuleSpec(name, self, origin=source)  # type: ignore[arg-type]  # as all but few loaders
        if source.endswith(_PACKAGE):
            spec.submodule_search_locations = [source.removesuffix(_PACKAGE)]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a new module that knows its source."""
        module = type(sys)(spec.name)
        module.__file__ = spec.origin
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        exec(self._found.pop(module.__name__), module.__dict__)  # noqa: S102

    def _code(self, entry: Entry) -> bytes:
        _, _, _, start, end = entry
        return os.pread(self._file, end - start, self._codes + start)

    # ---------------------------------------------------------------- adding

    def grow(self) -> None:
        """Add the modules that this process loaded from elsewhere; nothing where bytecode is not to be written."""
        loaded = list(sys.modules.items())
        new = [module for name, module in loaded if name not in self._before and self._is_missing(module)]
        if not new or sys.dont_write_bytecode or not os.access(self._folder, os.W_OK):
            return
        try:
            self._write(new)
        except OSError:  # a full disk: the next hook tries again
            pass

    def _is_missing(self, module: Any) -> bool:
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.loader is self or not spec.has_location or not spec.origin.endswith(".py"):
            return False
        package = spec.name.partition(".")[0]
        return package in self._packages or package in sys.stdlib_module_names

    def _write(self, new: Iterable[Any]) -> None:
        added = {module.__name__: compiled for module in new if (compiled := _compiled(module)) is not None}
        if not added:
            return
        kept = {name: entry for name, entry in self._index.items() if self.find_spec(name) is not None}
        codes = {name: (entry[:3], self._code(entry)) for name, entry in kept.items()} | added
        index: dict[str, Entry] = {}
        end = 0
        for name, (source, code) in codes.items():
            index[name] = (*source, end, end + len(code))
            end += len(code)
        head = marshal.dumps(index)
        sizes = b"".join(size.to_bytes(4, "little") for size in (len(head), end))
        replace(self._path, b"".join((_HEAD, sizes, head, *(code for _, code in codes.values()))))


def _compiled(module: Any) -> tuple[tuple[str, int, int], bytes] | None:
    """Return a module's source, its size and time, and its code; None if there is no bytecode of that source."""
    source = module.__spec__.origin
    facts = os.stat(source)
    try:
        with open(module.__spec__.cached, "rb") as file:
            head, code = file.read(_PYC_HEAD), file.read()
    except OSError:
        return None
    told = [int.from_bytes(head[at : at + 4], "little") for at in (4, 8, 12)]  # flags 0: the next two count
    if head[:4] != MAGIC_NUMBER or told != [0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF]:
        return None
    return (source, facts.st_size, facts.st_mtime_ns), code


def replace(path: str, data: bytes) -> None:
    """Write a file whole, or leave what is there: on a full disk, or while another process writes it. What a process
    left half-written is removed later.
    """
    new = f"{path}.new"
    try:
        with open(new, "xb") as file:
            file.write(data)
        os.replace(new, path)
    except OSError:
        try:
            if time.time() - os.stat(new).st_mtime > _ABANDONED:
                os.unlink(new)
        except OSError:  # it is gone
            pass


def install(folder: str, packages: Sequence[str]) -> Bundle:
    """Let modules be found in the bundle first."""
    bundle = Bundle(folder, packages)
    sys.meta_path.insert(0, bundle)
    return bundle
