"""The reference says what the code does: generated pages are current, citations lead somewhere, nothing is left out."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import entire
from entire import plugin, settings
from entire.agents import capabilities
from entire.model.events import Event, EventType
from entire.store import lineage_file
from tests.architecture.places import ROOT, source_files

REFERENCE = ROOT / "docs" / "reference"

# "formats.md section 2.5", "formats.md sections 3, 5 and 6", "formats.md 2.7"
CITATION = re.compile(r"\b(formats|linking)\.md\s+(?:sections?\s+)?(\d+(?:\.\d+)?(?:(?:,\s+|\s+and\s+)\d+(?:\.\d+)?)*)")


def test_generated_pages_are_current() -> None:
    """In a process of its own: click remembers how it showed help first."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reference", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, ""), "run: make docs"


def test_the_library_is_documented() -> None:
    page = (REFERENCE / "library.md").read_text()
    for name in entire.__all__:
        assert f"# {name}\n" in page or f"| `{name}` |" in page
    assert [name for name in plugin.__all__ if f"| `{name}` |" not in page] == []
    for name in (name for name in vars(entire.Workspace) if not name.startswith("_")):
        assert f"### Workspace.{name}\n" in page
    bare = re.findall(r"^#+ ([\w.]+)\n\n(?:```python\n(?:[^`]*)```\n\n)?\n", page, re.MULTILINE)
    assert bare == [], "without a docstring"


@pytest.mark.parametrize("page", ["formats", "linking"])
def test_what_the_code_cites_is_there(page: str) -> None:
    sections = re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", (REFERENCE / f"{page}.md").read_text(), re.MULTILINE)
    assert len(set(sections)) == len(sections)
    cited = {}
    for path in [*source_files(), *(ROOT / "tests").rglob("*.py")]:
        text = " ".join(line.strip().lstrip("#") for line in path.read_text().splitlines())
        for name, numbers in CITATION.findall(text):
            if name == page:
                cited.update(dict.fromkeys(re.findall(r"\d+(?:\.\d+)?", numbers), path.name))
    assert len(cited) > 4
    assert {number: where for number, where in cited.items() if number not in sections} == {}


def test_every_event_field_and_capability_is_documented() -> None:
    page = (REFERENCE / "events.md").read_text()
    for event in EventType:
        assert f"| {event.value} | `{event.name}` |" in page
    for name in (*Event._fields, *capabilities.NAMES):
        assert f"`{name}`" in page, name


def test_every_setting_is_documented() -> None:
    page = (REFERENCE / "settings.md").read_text()
    known = set(settings._TYPES) - {"strategy_options"} | {"strategy_options.push_sessions", "max_untracked_bytes"}
    assert {key for key in known if f"`{key}`" not in page} == set()
    assert str(settings.MAX_UNTRACKED_BYTES) in page


def test_the_record_beside_the_slots_is_documented_in_its_version() -> None:
    page = (REFERENCE / "lineage.md").read_text()
    assert f"**version**: {lineage_file.VERSION}." in page
    for name in (*lineage_file.LineageLink._fields, *lineage_file.FileLines._fields, *lineage_file.LineageFile._fields):
        assert name in page, name
