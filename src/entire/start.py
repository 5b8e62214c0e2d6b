"""Runs a hook, or a plugin that is written in Python, in an interpreter that has not imported ``site``.

Without ``site`` no ``.pth`` file of the environment is read, which saves a hook 3 ms in a small environment and more
than 30 ms in one with many packages. The import path is completed here instead. What the last hook of this kind loaded
is in one file, its bundle: see docs/decisions/0011-a-bundle-of-modules.md. Until that is read every import is dear, so
this module does without ``__future__``.
"""

import gc
import marshal
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from _imp import create_dynamic, exec_dynamic
from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    Entry = tuple[str, str, int, int, CodeType | None]

HEAD = b"entire 2" + MAGIC_NUMBER
"""What a bundle begins with. The folder of this package follows, the one that holds it, and the modules: their names,
their sources' paths, sizes and times in ns, and their codes.
"""
PACKAGES = frozenset(("entire", "entire_secrets", "__future__", "bisect"))
LIBRARIES = frozenset(("_bisect", "_json", "_sha1", "_sha2", "_sha256", "binascii", "fcntl", "select", "zlib"))
"""What is in bundles, and what they name, as it is not Python code. Other modules that hooks import are built in, or
rare.
"""
_PACKAGE = "/__init__.py"


def run(folder: str) -> None:
    """Do what the arguments say; ``folder``: that of this package, as the launcher names it. Does not return."""
    gc.disable()  # a hook ends before a collection pays off
    is_plugin = sys.argv[1] == "run"
    if not is_plugin:
        _import_os()
    import os

    bundles = Bundles(folder, ["plugin"] if is_plugin else sys.argv[2:4])
    root = bundles.load() or os.path.dirname(os.path.realpath(folder))
    sys.path += search_path(root, sys.executable, sys.version_info[:2])
    sys.meta_path.insert(0, bundles)
    if is_plugin:
        import atexit

        from entire.plugin import script

        gc.enable()
        atexit.register(bundles.grow, root)
        sys.argv = sys.argv[2:]
        script.run(sys.argv[0])
        return
    from entire.cli import main

    status = main(sys.argv[1:])
    bundles.grow(root)
    if (patterns := sys.modules.get("entire_secrets.patterns")) is not None:
        patterns.save(_replace)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # the agent may have closed it
            stream.flush()
    os._exit(status)  # skips the interpreter's shutdown, another 3 ms


def _replace(path: str, data: bytes) -> None:
    from entire import bundle

    bundle.replace(path, data)


def search_path(package_root: str, executable: str, version: tuple[int, int]) -> list[str]:
    """Return the folders to import from: the one that holds ``entire``, then the environment's ``site-packages``."""
    prefix = executable.rpartition("/")[0].rpartition("/")[0]
    packages = f"{prefix}/lib/python{version[0]}.{version[1]}/site-packages"
    return [package_root] if package_root == packages else [package_root, packages]


class Bundles:
    """The two files of a kind of hook: modules that each such hook loads, and those that it loads if it goes on."""

    def __init__(self, folder: str, kind: list[str]) -> None:
        self._folder = folder
        self._first, self._second = paths(folder, kind)
        self._loaded: tuple[list[str], list[str]] = [], []  # from each: names, each after those that it imports
        self._is_read = False  # the second

    def load(self) -> str:
        """Load the modules of the first; return the folder that holds the packages, '' if there are none."""
        root = self._load(self._first, 0)
        self._is_read = not root
        return root

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Load the modules of the second, once a module is missing; return that one."""
        if self._is_read or name.partition(".")[0] not in PACKAGES:
            return None
        self._is_read = True
        self._load(self._second, 1)
        return sys.modules[name].__spec__ if name in sys.modules else None

    def create_module(self, spec: ModuleSpec) -> "Any":
        return sys.modules[spec.name]

    def exec_module(self, module: object) -> None:
        """Do nothing: it was loaded with all others."""

    def grow(self, root: str) -> None:
        """Make the first if there is none, or the second if this process had to load many modules beside them.

        What only rare hooks load, or another agent's, would cost every hook, so the first does not grow. What made
        something that is kept is not needed again.
        """
        first, second = self._loaded
        patterns = sys.modules.get("entire_secrets.patterns")
        known = {*first, *second, *(patterns.once if patterns is not None else ())}
        # A module moves to the end when it is loaded, so those that it imports are before it.
        beside = [name for name in sys.modules if name.partition(".")[0] in PACKAGES and name not in known]
        if not self._first or len(beside) <= len(known) // 8:
            return
        from entire import bundle

        libraries = [name for name in sys.modules if name in LIBRARIES and name not in known]
        path = self._second if first else self._first
        bundle.write(path, HEAD, (self._folder, root), [*second, *libraries, *beside])

    def _load(self, path: str, place: int) -> str:
        root, entries = _read(path, self._folder)
        new = [(name, source, code) for name, source, _, _, code in entries if name not in sys.modules]
        for name, source, code in new:
            if code is not None:
                self._announce(name, source)
        try:
            for name, source, code in new:
                if code is None:
                    _load_library(name, source)
                else:
                    _run(name, code)
        except Exception:  # another module that was there is missing
            for name, *_ in new:
                sys.modules.pop(name, None)
            return ""
        self._loaded[place].extend(name for name, *_ in new)
        return root

    def _announce(self, name: str, source: str) -> None:
        """Make a module known before it is run."""
        module = sys.modules[name] = type(sys)(name)
        module.__spec__ = ModuleSpec(name, self, origin=source)  # type: ignore[arg-type]
        module.__file__ = source
        if source.endswith(_PACKAGE):
            module.__path__ = [source[: -len(_PACKAGE)]]
            module.__package__ = name
        else:
            module.__path__ = []  # without it, `from module import name` raises an error and catches it
            module.__package__ = name.rpartition(".")[0]


def paths(folder: str, kind: list[str]) -> tuple[str, str]:
    """Return where the bundles of a kind of hook are: beside bytecode; '' for what cannot be one."""
    name = ".".join(kind)
    if not name.replace("-", "").replace(".", "").isalnum() or len(name) > 80 or folder[:1] != "/":
        return "", ""
    start = f"{folder}/__pycache__/{name}.{sys.implementation.cache_tag}"
    return f"{start}.bundle", f"{start}.more.bundle"


def _read(path: str, folder: str) -> "tuple[str, list[Entry]]":
    """Return the folder that holds the packages, and the modules of a bundle; none if a source has changed."""
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read()
        if not data.startswith(HEAD):
            return "", []
        made_for, root, entries = marshal.loads(memoryview(data)[len(HEAD) :])  # noqa: S302 (as trusted as bytecode)
        for _, source, size, changed, _ in entries:
            facts = stat(source)
            if facts.st_size != size or facts.st_mtime_ns != changed:
                return "", []
    except (OSError, ValueError, EOFError, TypeError):
        return "", []
    return (root, entries) if made_for == folder else ("", [])


def _run(name: str, code: "CodeType") -> None:
    module = sys.modules[name]
    package, _, last = name.rpartition(".")
    if package:
        sys.modules[package].__dict__[last] = module
    exec(code, module.__dict__)  # noqa: S102


def _load_library(name: str, source: str) -> None:
    spec = ModuleSpec(name, None, origin=source)
    module = sys.modules[name] = create_dynamic(spec)
    module.__spec__ = spec
    exec_dynamic(module)


# ---------------------------------------------------------------- os


def _import_os() -> None:
    """Import ``os`` without the abstract classes of ``collections``, which take as long as the rest of it. It needs
    two of them, for ``os.environ``.
    """
    short = type(sys)("_collections_abc")
    short.__dict__.update(_check_methods=_check_methods, Mapping=dict, MutableMapping=_Environment)
    sys.modules[short.__name__] = short
    try:
        import os  # noqa: F401
    except ImportError:  # another Python's needs more of them: it is imported as always
        pass
    finally:
        del sys.modules[short.__name__]


def _check_methods(kind: type, *names: str) -> bool:
    return all(any(name in base.__dict__ for base in kind.__mro__) for name in names) or NotImplemented


class _Environment:
    """What ``os.environ`` has of ``MutableMapping``."""

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == (dict(other.items()) if isinstance(other, _Environment) else other)

    def get(self, name: "Any", default: "Any" = None) -> "Any":
        try:
            return self[name]  # type: ignore[index]
        except KeyError:
            return default

    def keys(self) -> list[str]:
        return [*self]  # type: ignore[misc]

    def values(self) -> list[str]:
        return [self.get(name) for name in self.keys()]

    def items(self) -> list[tuple[str, str]]:
        return [(name, self.get(name)) for name in self.keys()]

    def pop(self, name: "Any", *default: "Any") -> "Any":
        if default and name not in self:
            return default[0]
        value = self[name]  # type: ignore[index]
        del self[name]  # type: ignore[attr-defined]
        return value

    def popitem(self) -> tuple[str, str]:
        for name in self.keys():
            return name, self.pop(name)
        raise KeyError

    def clear(self) -> None:
        for name in self.keys():
            self.pop(name)

    def update(self, other: "Any" = (), /, **more: str) -> None:
        for name, value in dict(other, **more).items():
            self[name] = value  # type: ignore[index]
