"""Modules are loaded from the bundle as from their sources, or else from these: never old code, never none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from entire import bundle, start

SCRIPT = """
import sys
root, *names = sys.argv[1:]
sys.path += [{source!r}, root]
from entire import start
start.PACKAGES = frozenset(("pack",))
bundles = start.Bundles(root + "/pack", ["agent", "hook"])
whence = bundles.load()
sys.meta_path.insert(0, bundles)
import importlib, json
loaded = {{name: importlib.import_module(name) for name in names}}
bundles.grow(root)
def facts(name, module):
    where = 1 if name in bundles._loaded[0] else 2 if name in bundles._loaded[1] else 0
    return [where, getattr(module, "VALUE", None), module.__file__, module.__package__]
print(json.dumps([whence, {{name: facts(name, module) for name, module in loaded.items()}}]))
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
    """Import modules in a process of its own; return for each which bundle had it, its value, file and package."""
    code = SCRIPT.format(source=str(Path(bundle.__file__).parents[1]))
    argv = [sys.executable, "-I", "-S", *options, "-c", code, str(root), *(names or NAMES)]
    whence, loaded = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    assert whence == (str(root) if any(bundled for bundled, *_ in loaded.values()) else "")
    facts: dict[str, list[Any]] = loaded
    return facts


def bundled(loaded: dict[str, list[Any]]) -> set[int]:
    return {facts[0] for facts in loaded.values()}


def bundles(root: Path) -> list[Path]:
    return list((root / "pack" / "__pycache__").glob("agent.hook.*"))


def test_the_second_process_loads_all_from_the_bundle(root: Path) -> None:
    first, second = load(root), load(root)
    assert (bundled(first), bundled(second)) == ({0}, {1})
    assert {name: rest for name, (_, *rest) in first.items()} == {name: rest for name, (_, *rest) in second.items()}
    assert second["pack.sub.two"][1] == 2
    assert len(bundles(root)) == 1


def test_what_a_hook_loads_if_it_goes_on_is_in_a_second_bundle(root: Path) -> None:
    load(root, "pack", "pack.one")
    first, second = load(root), load(root)
    assert [facts[0] for facts in first.values()] == [1, 1, 0, 0]
    assert [facts[0] for facts in second.values()] == [1, 1, 2, 2]
    assert {name: rest for name, (_, *rest) in first.items()} == {name: rest for name, (_, *rest) in second.items()}
    assert [facts[0] for facts in load(root, "pack", "pack.one").values()] == [1, 1], "the first has grown"


def test_the_second_bundle_grows(root: Path) -> None:
    load(root, "pack")
    load(root, "pack", "pack.other")
    assert load(root, "pack", "pack.other", "pack.sub")["pack.sub"][0] == 0
    assert [facts[0] for facts in load(root, "pack", "pack.sub", "pack.other").values()] == [1, 2, 2]


def test_a_few_rare_modules_are_not_added(root: Path) -> None:
    for number in range(8):
        (root / f"pack/more{number}.py").touch()
    names = (*NAMES, *(f"pack.more{number}" for number in range(8)))
    load(root, *names)
    for _ in range(2):
        loaded = load(root, *names, "pack.other")
        assert (loaded["pack.one"][0], loaded["pack.other"][:2]) == (1, [0, 3])


def test_libraries_are_loaded_where_they_were_found(root: Path) -> None:
    (root / "pack/other.py").write_text("import sys\nknown = 'zlib' in sys.modules\nimport zlib\n"
                                        "VALUE = [known, zlib.crc32(b'a'), zlib.__spec__.name]")  # fmt: skip
    loaded = [load(root, "pack", "pack.other")["pack.other"][1] for _ in range(2)]
    assert loaded == [[False, 3904355907, "zlib"], [hasattr(zlib, "__file__"), 3904355907, "zlib"]]


def test_changed_code_is_loaded_from_its_source(root: Path) -> None:
    load(root)
    source = root / "pack/one.py"
    old = source.stat()
    source.write_text("VALUE = 7")  # as long as before
    os.utime(source, ns=(old.st_atime_ns, old.st_mtime_ns + 1_000_000_000))
    assert load(root)["pack.one"][:2] == [0, 7]
    assert load(root)["pack.one"][:2] == [1, 7]
    source.unlink()
    with pytest.raises(subprocess.CalledProcessError):
        load(root)


@pytest.mark.parametrize("size", [0, 5, 15, 40, -1])
def test_a_broken_bundle_is_replaced(root: Path, size: int) -> None:
    load(root)
    (path,) = bundles(root)
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    assert bundled(load(root)) == {0}
    assert path.read_bytes() == whole


def test_a_bundle_whose_modules_need_another_that_is_gone_is_replaced(root: Path) -> None:
    helper = root / "helper.py"
    helper.write_text("VALUE = 5")
    (root / "pack/other.py").write_text("import sys\nsys.path.append(__file__.rpartition('/pack/')[0])\nimport helper")
    load(root, "pack", "pack.other")
    helper.unlink()
    (root / "pack/other.py").touch()
    with pytest.raises(subprocess.CalledProcessError):
        load(root, "pack", "pack.other")
    assert load(root, "pack")["pack"][0] == 0


def test_another_interpreters_code_is_not_run(root: Path) -> None:
    load(root)
    (path,) = bundles(root)
    whole = path.read_bytes()
    path.write_bytes(whole[:8] + bytes([whole[8] ^ 1]) + whole[9:])
    assert bundled(load(root)) == {0}


def test_where_no_bytecode_is_written_there_is_no_bundle(root: Path) -> None:
    load(root, options=("-B",))
    load(root, options=("-B",))
    assert bundles(root) == []


def test_a_moved_environment_loads_its_own_sources(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    load(root)
    moved, copied = (tmp_path_factory.mktemp(name) / "root" for name in ("moved", "copied"))
    shutil.copytree(root, copied)  # times and bundle too, while the original is there
    root.rename(moved)
    for other in (moved, copied):
        assert bundled(load(other)) == {0}
        loaded = load(other)
        assert bundled(loaded) == {1}
        assert loaded["pack.one"][2] == str(other / "pack/one.py")


def test_what_a_killed_process_left_is_removed(root: Path) -> None:
    (root / "pack" / "__pycache__").mkdir()
    path = Path(start.paths(str(root / "pack"), ["agent", "hook"])[0])
    left = path.with_name(path.name + ".new")
    left.write_bytes(b"half")
    load(root)  # another process may be writing it
    assert bundles(root) == [left]
    os.utime(left, (1, 1))
    load(root)
    load(root)
    assert bundles(root) == [path]
    assert bundled(load(root)) == {1}


@pytest.mark.parametrize("kind", [[], [""], ["../x", "y"], ["x" * 99]])
def test_only_plain_words_name_a_bundle(kind: list[str]) -> None:
    assert start.paths("/folder", kind) == ("", "")


def test_a_bundle_is_of_an_absolute_folder() -> None:
    assert start.paths("folder", ["git", "post-commit"]) == ("", "")
