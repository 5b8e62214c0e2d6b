"""Who may import whom: the contracts of pyproject.toml."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import entire
from tests.architecture.places import PACKAGE, ROOT


@pytest.mark.parametrize("config", ["pyproject.toml", "tests/architecture/hooks.toml"])
def test_the_import_contracts_are_kept(config: str) -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache", "--no-logo", "--config", config],
        cwd=ROOT,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken." in done.stdout


def test_every_agent_is_in_the_contract_that_keeps_agents_apart() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    apart = next(contract for contract in contracts if contract["name"] == "Agents do not import each other")
    rooms = {f"entire.agents.{path.parent.name}" for path in PACKAGE.glob("agents/*/__init__.py")}
    rooms |= {f"entire.agents.{path.parent.name}" for path in PACKAGE.glob("agents/*/agent.py")}
    assert set(apart["modules"]) == rooms | {"entire.plugin_host"}


def test_commands_may_import_nothing_behind_the_workspace() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    name = "Commands and the terminal reach everything through the workspace"
    behind = next(contract for contract in contracts if contract["name"] == name)
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    allowed = {"commands", "errors", "model", "ui", "workspace"}
    rooms -= {"__init__", "__main__", "bundle", "cli", "launch", "start"}  # above the commands
    assert set(behind["forbidden_modules"]) == {f"entire.{room}" for room in rooms - allowed}


DOORS = {"entire", "entire.plugin", "entire.plugin.host", "entire.cli"}


def test_the_kit_for_authors_knows_only_the_doors_of_the_house() -> None:
    """Also for the type checker, which import-linter leaves out."""
    for path in (ROOT / "src/entire_plugin_kit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if module.split(".")[0] != "entire":
                continue
            assert module in DOORS, (path, module)
            assert isinstance(node, ast.ImportFrom)
            if module == "entire":
                names = {alias.name for alias in node.names}
                assert names <= {*entire.__all__, "cli", "plugin"}, (path, names)
