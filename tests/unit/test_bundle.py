"""Modules are loaded from the bundle as from their sources, or else from these: never old code, never none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from entire import bundle

SCRIPT = """
import sys
root, *names = sys.argv[1:]
sys.path += [{source!r}, root]
from entire import bundle
modules = bundle.install(root + "/pack/__pycache__", ("pack",))
import json, importlib
loaded = {{name: importlib.import_module(name) for name in names}}
modules.grow()
print(json.dumps({{name: [type(module.__spec__.loader).__name__, getattr(module, "VALUE", None), module.__file__]
                  for name, module in loaded.items()}}))
"""
NAMES = ("pack", "pack.one", "pack.sub", "pack.sub.two")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in {"__init__": "", "one": "VALUE = 1", "sub/__init__": "VALUE = __path__", "other": "VALUE = 3",
                       "sub/two": "from pack.one import VALUE as one\nVALUE = one + 1"}.items():  # fmt: skip
        (tmp_path / "pack" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "pack" / f"{path}.py").write_text(text)
    return tmp_path


def load(root: Path, *names: str, options: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    """Import modules in a process of its own; return the type of each one's loader, its value and its file."""
    code = SCRIPT.format(source=str(Path(bundle.__file__).parents[1]))
    argv = [sys.executable, "-I", "-S", *options, "-c", code, str(root), *(names or NAMES)]
    found: dict[str, list[Any]] = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return found


def loaders(found: dict[str, list[Any]]) -> set[str]:
    return {loader for loader, _, _ in found.values()}


def bundles(root: Path) -> list[Path]:
    return list((root / "pack" / "__pycache__").glob("hooks.*"))


def test_the_second_process_loads_all_from_the_bundle(root: Path) -> None:
    first, second = load(root), load(root)
    assert (loaders(first), loaders(second)) == ({"SourceFileLoader"}, {"Bundle"})
    assert {name: rest for name, (_, *rest) in first.items()} == {name: rest for name, (_, *rest) in second.items()}
    assert second["pack.sub.two"][1] == 2
    assert len(bundles(root)) == 1


def test_what_is_not_in_it_is_found_as_usual_and_added(root: Path) -> None:
    load(root, "pack")
    assert load(root, "pack", "pack.other")["pack.other"][:2] == ["SourceFileLoader", 3]
    assert load(root, "pack", "pack.other")["pack.other"][:2] == ["Bundle", 3]


def test_changed_code_is_loaded_from_its_source(root: Path) -> None:
    load(root)
    source = root / "pack/one.py"
    old = source.stat()
    source.write_text("VALUE = 7")  # as long as before
    os.utime(source, ns=(old.st_atime_ns, old.st_mtime_ns + 1_000_000_000))
    assert load(root)["pack.one"][:2] == ["SourceFileLoader", 7]
    assert load(root)["pack.one"][:2] == ["Bundle", 7]
    source.unlink()
    with pytest.raises(subprocess.CalledProcessError):
        load(root)


@pytest.mark.parametrize("size", [0, 5, 15, 40, -1])
def test_a_broken_bundle_is_replaced(root: Path, size: int) -> None:
    load(root)
    (path,) = bundles(root)
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    assert loaders(load(root)) == {"SourceFileLoader"}
    assert path.read_bytes() == whole


@pytest.mark.parametrize("at", [30, -400, -20])
def test_a_bundle_that_lost_bytes_is_not_used_there(root: Path, at: int) -> None:
    """After a crash of the machine, a file may have its size but not all of its content."""
    expected = {name: rest for name, (_, *rest) in load(root).items()}
    (path,) = bundles(root)
    whole = path.read_bytes()
    at %= len(whole)
    path.write_bytes(whole[:at] + bytes(len(whole[at : at + 200])) + whole[at + 200 :])
    assert {name: rest for name, (_, *rest) in load(root).items()} == expected
    assert loaders(load(root)) == {"Bundle"}


def test_another_interpreters_code_is_not_run(root: Path) -> None:
    load(root)
    (path,) = bundles(root)
    whole = path.read_bytes()
    path.write_bytes(whole[:8] + bytes([whole[8] ^ 1]) + whole[9:])
    assert loaders(load(root)) == {"SourceFileLoader"}


def test_where_no_bytecode_is_written_there_is_no_bundle(root: Path) -> None:
    load(root, options=("-B",))
    load(root, options=("-B",))
    assert bundles(root) == []


def test_a_moved_environment_loads_its_own_sources(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    load(root)
    moved = tmp_path_factory.mktemp("moved") / "root"
    root.rename(moved)
    assert loaders(load(moved)) == {"SourceFileLoader"}
    found = load(moved)
    assert loaders(found) == {"Bundle"}
    assert found["pack.one"][2] == str(moved / "pack/one.py")


def test_what_a_killed_process_left_is_removed(root: Path) -> None:
    (root / "pack" / "__pycache__").mkdir()
    path = root / f"pack/__pycache__/hooks.{sys.implementation.cache_tag}.bundle"
    left = path.with_name(path.name + ".new")
    left.write_bytes(b"half")
    load(root)  # another process may be writing it
    assert bundles(root) == [left]
    os.utime(left, (1, 1))
    load(root)
    load(root)
    assert bundles(root) == [path]
    assert loaders(load(root)) == {"Bundle"}
