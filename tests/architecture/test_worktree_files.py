"""Files of ours in a worktree, and settings of agents, are opened by ``tree_files``, which follows no link there.

Here by the source; `tests/integration/hostile/test_hostile_worktree.py` sees what every command and hook really opens.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.places import PACKAGE

PLACES = {"entire_dir", "settings", "local_settings", "main_local_settings", "own_options", "redact_config", "tmp_dir"}
"""What a ``Place`` names in the worktree."""
OPENERS = {"open", "io.open", "os.open", "os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.mkdir", "os.makedirs",
           "os.rename", "os.replace", "os.unlink", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.symlink",
           "shutil.rmtree", "shutil.copyfile", "shutil.move"}  # fmt: skip
OF_AGENTS = ("settings.py", "install.py", "hookfiles.py", "json_document.py")


def is_opener(node: ast.Call) -> bool:
    called = ast.unparse(node.func)
    return called in OPENERS or (called.startswith("files.") and called != "files.json_object")


def is_move(node: ast.Call) -> bool:
    return ast.unparse(node.func).endswith(("rename", "replace", "link", "copyfile", "move"))


def names_a_place(node: ast.AST, known: set[str]) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr in PLACES and ast.unparse(part.value).endswith("place"))
        or (isinstance(part, ast.Name) and part.id in known)
        or (isinstance(part, ast.Constant) and part.value == ".entire")
        for part in ast.walk(node)
    )


def openings(function: ast.AST) -> Iterator[str]:
    """Yield the calls in a function that open something in a worktree by its path, also through its variables."""
    known: set[str] = set()
    for node in sorted((node for node in ast.walk(function) if hasattr(node, "lineno")), key=lambda node: node.lineno):
        if isinstance(node, ast.Assign | ast.For) and names_a_place(
            node.value if isinstance(node, ast.Assign) else node.iter, known
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            known |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        if (
            isinstance(node, ast.Call)
            and is_opener(node)
            and any(names_a_place(word, known) for word in node.args[: 2 if is_move(node) else 1])
        ):
            yield f"{node.lineno}: {ast.unparse(node)}"


def found_in(path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sorted({found for function in functions for found in openings(function)})


def test_no_module_opens_a_file_of_ours_by_its_path() -> None:
    assert {str(path): found for path in PACKAGE.rglob("*.py") if (found := found_in(path))} == {}


def test_agents_write_their_settings_by_one_module() -> None:
    modules = [path for name in OF_AGENTS for path in (PACKAGE / "agents").rglob(name)]
    assert len(modules) >= len(OF_AGENTS)
    for path in modules:
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert [ast.unparse(call) for call in calls if is_opener(call)] == [], path


@pytest.mark.parametrize(
    "line",
    [
        "open(place.settings, 'rb')",
        "files.read(self.place.redact_config)",
        "path = case.place.tmp_dir\n    os.listdir(path)",
        "for path in (place.settings, 'x'):\n        files.write(path, b'')",
        "os.rename(other, os.path.join(top, '.entire', name))",
    ],
)
def test_what_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "module.py").write_text(f"def function():\n    {line}\n")
    assert found_in(tmp_path / "module.py") != []
