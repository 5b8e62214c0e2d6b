"""The agents that installed packages bring: they join the built-in ones in the directory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.registry import BUILTIN
from entire.directory import AgentDirectory
from entire.directory import packages as installed
from entire.errors import EntireError, UsageError

ENTRY = """\
from entire.agents.registry import AgentEntry
ENTRY = AgentEntry(name="parrot", type="Parrot", target="parrot_adapter:Parrot", protected_dirs=(".parrot",),
                   project_variable="PARROT_DIR", session_dir_variable="PARROT_SESSIONS")
"""
ADAPTER = """\
class Parrot:
    name, type, capabilities = "parrot", "Parrot", frozenset()
    def __init__(self, *, metadata={}):
        self.metadata = metadata
"""


class Packages:
    """A folder of installed packages on the import path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bring(self, package: str, name: str, entry: str, adapter: str = "") -> None:
        """Install a package with an agent."""
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[entire.agents]\n{name} = {package}_entry:ENTRY\n")
        (self.folder / f"{package}_entry.py").write_text(entry)
        if adapter:
            (self.folder / f"{package}_adapter.py").write_text(adapter)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Packages]:
    folder = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)

    monkeypatch.setattr(installed, "_searched", {})
    yield Packages(folder)
    for name in set(sys.modules) - before:
        if name.endswith(("_entry", "_adapter")):
            del sys.modules[name]


def known() -> AgentDirectory:
    return AgentDirectory.without_plugins()


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(packages: Packages) -> None:
    packages.bring("parrot", "parrot", ENTRY, ADAPTER)
    with pytest.raises(UsageError, match="no agent called 'raven'") as caught:
        known().make("raven")
    assert caught.value.hint == f"known agents: {', '.join([*BUILTIN, 'parrot'])}"
    assert known().find_by_type("Raven") is None
    assert known().make_by_type("Raven") is None
    assert known().describe("raven").project_dir({"": "/p"}) == ""


def test_a_package_brings_an_agent(packages: Packages) -> None:
    packages.bring("parrot", "parrot", ENTRY, ADAPTER)
    assert known().find("parrot").type == "Parrot"
    assert ".parrot" in known().protected_dirs()
    assert known().find("parrot").project_dir({"PARROT_DIR": "/p"}) == "/p"
    assert known().find("parrot").session_dir({"PARROT_SESSIONS": "/s"}) == "/s"
    assert "parrot_adapter" not in sys.modules, "a line is read without the room"
    agent = known().make_by_type("Parrot", {"colour": "green"})
    assert agent is not None
    assert (agent.name, agent.metadata) == ("parrot", {"colour": "green"})
    assert [agent.name for agent in known().agents()] == [*BUILTIN, "parrot"]
    assert known().problems() == []


WRONG = {
    "broken": ("raise SystemExit('no')", "SystemExit: no"),
    "missing": ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    "no entry": ("ENTRY = 'parrot'", "its entry point is not an AgentEntry"),
    "other name": (ENTRY.replace('"parrot"', '"other"'), "its AgentEntry has the name 'other' and the type 'Parrot'"),
    "no type": (ENTRY.replace('"Parrot"', '""'), "its AgentEntry has the name 'parrot' and the type ''"),
    "type taken": (ENTRY.replace('"Parrot"', '"Claude Code"'), "the type 'Claude Code' is taken"),
    "wrong field": (ENTRY.replace('(".parrot",)', '".parrot"'), "a field of its AgentEntry has the wrong type"),
    "no text": (ENTRY.replace('"PARROT_DIR"', "7"), "a field of its AgentEntry has the wrong type"),
    "unknown field": (
        ENTRY.replace("project_variable", "colour"),
        "TypeError: AgentEntry: missing [], unknown ['colour']",
    ),
}


@pytest.mark.parametrize(("entry", "why"), WRONG.values(), ids=WRONG)
def test_an_entry_that_cannot_be_used_is_reported(packages: Packages, entry: str, why: str) -> None:
    packages.bring("parrot", "parrot", entry)
    assert known().problems() == [f"the agent 'parrot' of the package parrot is ignored: {why}"]
    assert [line.name for line in known().entries()] == sorted(BUILTIN)
    assert [agent.name for agent in known().agents()] == sorted(BUILTIN)


@pytest.mark.parametrize("name", ["claude-code", "gemini-cli", "git"])
def test_a_name_that_is_taken_stays_with_its_owner(packages: Packages, name: str) -> None:
    packages.bring("thief", name, ENTRY.replace('"parrot"', f'"{name}"'))
    assert known().problems() == [f"the agent {name!r} of the package thief is ignored: the name is taken"]
    assert isinstance(known().make("claude-code"), ClaudeCode)


def test_of_two_packages_the_first_by_name_wins(packages: Packages) -> None:
    packages.bring("parrot", "parrot", ENTRY, ADAPTER)
    packages.bring("ape", "parrot", ENTRY.replace("Parrot", "Ape"))
    assert known().problems()[0] == "the agent 'parrot' of the package parrot is ignored: the name is taken"
    assert known().find("parrot").type == "Ape"


@pytest.mark.parametrize(
    ("adapter", "why"),
    [
        ("", "ModuleNotFoundError: No module named 'parrot_adapter'"),
        ("class Parrot:\n  name = type = 'x'\n", "TypeError: Parrot() takes no arguments"),
        (ADAPTER.replace('"Parrot"', '"Ape"'), "ValueError: its adapter calls itself 'parrot', 'Ape'"),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_reported(packages: Packages, adapter: str, why: str) -> None:
    packages.bring("parrot", "parrot", ENTRY, adapter)
    said = f"the agent 'parrot' cannot be loaded: {why}"
    with pytest.raises(EntireError) as caught:
        known().make("parrot")
    assert caught.value.message == said
    assert known().make_by_type("Parrot") is None
    assert [agent.name for agent in known().agents()] == sorted(BUILTIN)
    assert known().problems() == [said]


def test_metadata_of_packages_that_cannot_be_read_is_reported(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    packages.bring("any", "parrot", ENTRY)

    def fail(**_: str) -> None:
        raise ValueError("broken\nmetadata")

    monkeypatch.setattr(metadata, "entry_points", fail)
    assert known().problems() == [
        "installed packages cannot be searched for agents: ValueError: broken metadata",
    ]
    assert known().find("claude-code").name == "claude-code"


def test_metadata_is_read_only_if_a_package_may_offer_an_agent(
    packages: Packages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from importlib import metadata

    monkeypatch.setattr(sys, "path", [str(packages.folder), str(tmp_path / "missing")])
    reads: list[str] = []

    def read(*, group: str) -> list[metadata.EntryPoint]:
        reads.append(group)
        return []

    monkeypatch.setattr(metadata, "entry_points", read)
    (packages.folder / "other-1.0.dist-info").mkdir(parents=True)
    (packages.folder / "other-1.0.dist-info/entry_points.txt").write_text("[console_scripts]\nx = y:z\n")
    (packages.folder / "plain-1.0.dist-info").mkdir()
    (packages.folder / "old-1.0.egg-info").write_text("a file")
    assert (known().problems(), reads) == ([], [])

    (tmp_path / "packages.zip").write_bytes(b"")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "packages.zip")])
    assert (known().problems(), reads) == ([], ["entire.agents"])
