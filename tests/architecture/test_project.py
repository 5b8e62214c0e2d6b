"""The project as a whole: what stands in its files, and that each module has a test."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest

from tests.architecture.places import ROOT, module_name, project_files, source_files

# In pieces, so that this file is not one that has them.
MACHINE = re.compile(
    "|".join(["/wo" "rk/", "/ro" "ot/", "/fa" "rm/", r"\.pye" "nv/", "/tmp/bash_" "jobs"])
)  # fmt: skip
FETCHED = re.compile(rb'"resol' rb'ved"\s*:|\bsha256' rb":[0-9a-f]{64}")

FRAGMENT = re.compile(r"(\d+|\+[a-z0-9-]+)\.(feature|fix|change|removal|docs)\.md")


def test_no_file_names_a_machine() -> None:
    files = {str(path.relative_to(ROOT)): path.read_bytes().decode("utf-8", "replace") for path in project_files()}
    assert len(files) > 50
    assert {name: found[0] for name, text in files.items() if (found := MACHINE.search(text))} == {}


@pytest.mark.parametrize("name", ["constraints.txt", "tests/e2e/agents/package-lock.json"])
def test_pins_name_versions_and_no_place_to_fetch_them_from(name: str) -> None:
    content = (ROOT / name).read_bytes()
    thanks = rb'"url": "https?://[^"]*"|"funding": \[[^\]]*\]'
    assert b"://" not in re.sub(thanks, b"", content)
    assert FETCHED.search(content) is None


def test_constraints_are_exact_and_sorted() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    names = [line.partition("==")[0] for line in lines]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+", line)] == []
    assert names == sorted(names, key=str.lower)


def test_the_agents_are_pinned_exactly() -> None:
    wanted = json.loads((ROOT / "tests/e2e/agents/package.json").read_text())["dependencies"]
    locked = json.loads((ROOT / "tests/e2e/agents/package-lock.json").read_text())["packages"]
    pinned = {name: version.rpartition("@")[2] for name, version in wanted.items()}  # npm:PACKAGE@VERSION under a name
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == pinned


def test_changelog_fragments_are_named_and_say_something() -> None:
    for path in (ROOT / "changelog.d").iterdir():
        if path.name == "README.md":
            continue
        assert FRAGMENT.fullmatch(path.name), f"{path.name}: see changelog.d/README.md"
        text = path.read_text().strip()
        assert text
        assert text.endswith("."), path.name
        assert not text.startswith(("#", "-")), path.name


def test_decisions_are_numbered_without_gaps_and_listed() -> None:
    names = sorted(path.name for path in (ROOT / "docs/decisions").glob("0*.md"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    listed = re.findall(r"\((\d{4}[^)]*\.md)\)", (ROOT / "docs/decisions/README.md").read_text())
    assert listed == names


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
            if "://" not in target and not (path.parent / target).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def imported_by(tree: ast.AST) -> Iterator[str]:
    """Yield every dotted name that a test imports: modules, and what it takes from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_module_of_some_size_has_a_test() -> None:
    """A test imports it, a test file bears its name, or, for a command, a test says its word."""
    tests = {path: path.read_text() for path in (ROOT / "tests").rglob("*.py") if "node_modules" not in path.parts}
    tested = {name for text in tests.values() for name in imported_by(ast.parse(text))}
    named = {path.stem.removeprefix("test_") for path in tests if path.stem.startswith("test_")}
    words = {word for text in tests.values() for word in re.findall(r'"([a-z-]+)"', text)}
    missing = []
    for path in source_files():
        name = module_name(path)
        parent, _, last = name.rpartition(".")
        said = parent.startswith("entire.commands") and last.replace("_", "-") in words
        is_named = bool({last, f"{parent.rpartition('.')[2]}_{last}"} & named)
        if not (name in tested or is_named or said) and len(path.read_text().splitlines()) > 20:
            missing.append(name)
    assert missing == []


def test_every_document_is_in_the_table_of_contents() -> None:
    """docs/README.md, or the README of the folder that it leads to, links each page."""
    docs = ROOT / "docs"
    linked = set()
    for contents in docs.rglob("README.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", contents.read_text()):
            linked.add((contents.parent / target).resolve())
    assert [str(page.relative_to(docs)) for page in docs.rglob("*.md") if page.resolve() not in linked] == ["README.md"]
