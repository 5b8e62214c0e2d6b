"""Facts about agents stand in their rooms and in the table; other copies are compared with it."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from entire.agents import registry
from entire.agents.registry import BUILTIN, AgentEntry
from entire.directory import AgentDirectory
from entire.githooks import scripts
from tests.architecture.places import ROOT, place_of, source_files

LAUNCHER = ROOT / "src" / "launcher" / "entire"
TO_COME = {"codex", "opencode", "cursor", "aider", "copilot"}
COMMON = {"agent", "cli", "code", "dir", "entire", "github", "hooks", "id", "project", "session", "test"}
# Words that mean something else in a room as well.
# A terminal has a cursor; so has a provider of keys its name; "demo" is a password in examples; keys begin with "pi".
ELSEWHERE = {"ui": {"cursor"}, "entire_secrets": {"cursor", "demo", "pi"}}


def words_of(entry: AgentEntry) -> set[str]:
    """Return the words by which an agent would be recognised."""
    texts = (
        entry.name,
        entry.type,
        *entry.protected_dirs,
        entry.project_variable,
        entry.session_variable,
        entry.session_dir_variable,
        entry.spoken_name,
    )
    return set(re.findall("[a-z]+", " ".join(texts).lower())) - COMMON


WORDS = TO_COME.union(*map(words_of, BUILTIN.values()))


def named_in(text: str) -> set[str]:
    """Return the agents' words in some source text, also as part of an identifier."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return WORDS & {word for part in (text, apart) for word in re.findall("[a-z]+", part.lower())}


def test_the_words_are_found_wherever_they_hide() -> None:
    assert {"claude", "demo"} <= WORDS
    assert WORDS & {"code", "agent", "session"} == set()
    found = named_in('CLAUDE_DIR = "x"; class GeminiAgent: codex_home = ".aider"  # the OpenCode, as Copilot')
    assert found == {"claude", "gemini", "codex", "aider", "opencode", "copilot"}


def test_only_the_rooms_of_agents_name_agents() -> None:
    named = {}
    for path in source_files():
        room = place_of(path).parts[0]
        if room != "agents" and (found := named_in(path.read_text()) - ELSEWHERE.get(room, set())):
            named[str(place_of(path))] = found
    assert named == {}


# The formats of stored data name the fields; a lineage and a journal have marks of another kind.
POSITION_FIELDS = re.compile(r"\b(?:position|since|until|finish|boundary|counted|start|end)\.(?:byte|mark)\b")
POSITION_COMPARED = re.compile(
    r"\b(?:counted|finish|turn\.start|boundary)\.count\s*[<>]|[<>]=?\s*(?:\w+\.)*(?:counted|finish|boundary)\.count\b"
)
COUNTS_OF_THE_GO_FORMS = {"store/sessions.py", "store/transcripts.py"}  # lines, as the Go CLI counts them


def test_positions_are_their_adapters_business() -> None:
    read, compared = {}, {}
    for path in source_files():
        name = str(place_of(path))
        if name.startswith(("agents/", "plugin_host/")):
            continue
        text = path.read_text()
        if found := POSITION_FIELDS.findall(text):
            read[name] = found
        if (found := POSITION_COMPARED.findall(text)) and name not in COUNTS_OF_THE_GO_FORMS:
            compared[name] = found
    assert (read, compared) == ({}, {})


def test_the_launcher_knows_the_same_project_folders_as_the_table() -> None:
    read = set(re.findall(r"\$\{?([A-Z_]+)", LAUNCHER.read_text())) - {"GIT_DIR", "PWD"}
    assert read == {entry.project_variable for entry in BUILTIN.values() if entry.project_variable}


def test_the_launcher_knows_which_agents_name_their_project_folder() -> None:
    named = set(re.findall(r" 2([a-z-]+)", LAUNCHER.read_text()))
    assert named == {
        name for entry in BUILTIN.values() if entry.project_variable for name in (entry.name, *entry.aliases)
    }


@pytest.mark.parametrize("name", scripts.NAMES)
def test_the_git_hooks_leave_sessions_to_the_table(name: str) -> None:
    script = scripts.text(name).decode()
    of_agents = {entry.session_variable for entry in BUILTIN.values() if entry.session_variable}
    used = set(re.findall(r"\$\{?([A-Z_]+)", script)) - {"GIT_DIR", "GIT_EDITOR", "PATH", "PPID", "ENTIRE_COMMIT"}
    assert used == (of_agents if name == "prepare-commit-msg" else set())
    for variable in of_agents:
        script = script.replace(f"${variable}", "")
    assert named_in(script) == set()


def test_the_table_is_sorted() -> None:
    assert list(BUILTIN) == sorted(BUILTIN)
    assert {name: entry.name for name, entry in BUILTIN.items()} == {name: name for name in BUILTIN}
    assert {registry.DEFAULT, registry.UNNAMED} <= set(BUILTIN)


@pytest.mark.parametrize("entry", BUILTIN.values(), ids=list(BUILTIN))
def test_a_line_of_the_table_says_what_the_room_says(entry: AgentEntry) -> None:
    module, _, attribute = entry.target.partition(":")
    agent = getattr(importlib.import_module(module), attribute)()
    assert (agent.name, agent.type) == (entry.name, entry.type)
    for config in agent.hook_config_paths("/repo", "project"):
        assert any(config.startswith(f"/repo/{folder}/") for folder in entry.protected_dirs)


@pytest.mark.parametrize("entry", BUILTIN.values(), ids=list(BUILTIN))
def test_a_harness_can_say_where_sessions_are(entry: AgentEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    if entry.session_dir_variable:
        monkeypatch.setenv(entry.session_dir_variable, "/given")
        agent = AgentDirectory.without_plugins().make(entry.name)
        assert agent.session_dir("/repo") == "/given"  # type: ignore[attr-defined]


def test_the_table_names_the_versions_that_the_stories_run() -> None:
    """And the README names them, too."""
    package = json.loads((ROOT / "tests/e2e/agents/package.json").read_text())
    pinned = package["dependencies"] | package["optionalDependencies"]
    packages = {
        "claude-code": ("@anthropic-ai/claude-code", "claude-code-newest"),
        "codex": ("codex-older", "@openai/codex"),
        "copilot-cli": ("@github/copilot",),
        "pi": ("@mariozechner/pi-coding-agent",),
        "gemini": ("@google/gemini-cli",),
        "opencode": ("opencode-ai",),
    }
    readme = " ".join((ROOT / "README.md").read_text().split())
    for entry in registry.BUILTIN.values():
        played = tuple(pinned[name].rpartition("@")[2].partition("-linux")[0] for name in packages.get(entry.name, ()))
        assert entry.tested_versions == played
        assert not played or f"(tested with {' and '.join(played)})" in readme
