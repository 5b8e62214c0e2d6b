"""Our entries in an agent's JSON hook file, by the table of its room."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents import hookfiles
from entire.agents.hookfiles import Entry, Table
from entire.agents.json_document import Document
from entire.errors import EntireError
from entire.model.health import HooksHealth, HookStatus

STOP = Entry(event="Stop", command="entire hooks x stop")
TASK = Entry(event="PreToolUse", matcher="Task", command="entire hooks x pre-task", timeout=5)
NAMED = Entry(event="Stop", command="entire hooks x late", matcher="*", timeout=60_000, name="entire-late")
FLAT = Entry(event="Stop", command="entire hooks x stop", is_flat=True)
TABLES = {
    "nested": Table(entries=(STOP, TASK)),
    "flat": Table(entries=(FLAT,)),
    "named, two of one event": Table(entries=(STOP, TASK, NAMED), comments=True),
    "with another list": Table(entries=(STOP,), others=((("rules", "deny"), "x"),), comments=True),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "settings.json"


def given(path: Path, text: str) -> str:
    path.parent.mkdir()
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        (STOP, {"matcher": "", "hooks": [{"type": "command", "command": "entire hooks x stop"}]}),
        (FLAT, {"command": "entire hooks x stop"}),
        (
            NAMED,
            {
                "matcher": "*",
                "hooks": [
                    {"name": "entire-late", "type": "command", "command": "entire hooks x late", "timeout": 60000}
                ],
            },
        ),
    ],
)
def test_the_forms_of_an_entry(entry: Entry, value: object) -> None:
    assert entry.value() == value


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_new_file_goes_again(path: Path, table: Table) -> None:
    assert hookfiles.health(str(path), table) == HooksHealth(status=HookStatus.MISSING)
    assert hookfiles.install(str(path), table, force=False) == len(table.entries)
    written = json.loads(path.read_text())
    for entry in table.entries:
        assert entry.value() in written["hooks"][entry.event]
    assert [written[a][b] for (a, b), _ in table.others] == [[value] for _, value in table.others]
    assert hookfiles.health(str(path), table) == HooksHealth(status=HookStatus.INSTALLED)
    assert hookfiles.install(str(path), table, force=False) == 0
    assert hookfiles.uninstall(str(path), table) == len(table.entries)
    assert not path.parent.exists()
    assert hookfiles.uninstall(str(path), table) == 0


@pytest.mark.parametrize("table", [table for table in TABLES.values() if table.comments])
@pytest.mark.parametrize(
    "text",
    [
        '// mine\n{\n  "hooks": {\n    "Stop": [] // none\n  } // end\n}',
        '{"hooks": { /* none yet */ }, "rules": {"deny": [ // none\n]}}',
        '{\r\n\t"rules": {\r\n\t\t"deny": ["y", /* and */ ]\r\n\t},\r\n}\r\n',
        "{\n  // nothing\n}\n",
        "{\n}\n",
    ],
)
def test_comments_stay(path: Path, table: Table, text: str) -> None:
    given(path, "")
    path.write_bytes(text.encode())
    assert hookfiles.install(str(path), table, force=False) == len(table.entries)
    assert hookfiles.health(str(path), table).status is HookStatus.INSTALLED
    assert hookfiles.install(str(path), table, force=True) == len(table.entries)
    assert hookfiles.uninstall(str(path), table) == len(table.entries)
    assert path.read_bytes() == text.encode()


def test_each_entry_is_needed_once(path: Path) -> None:
    table = Table(entries=(STOP, TASK))
    hookfiles.install(str(path), table, force=False)
    good = path.read_text()
    path.write_text(good.replace('"Task"', '"Bash"'))
    assert hookfiles.health(str(path), table) == HooksHealth(status=HookStatus.STALE)
    assert hookfiles.install(str(path), table, force=False) == 1
    assert path.read_text() == good
    value = json.loads(good)
    value["hooks"]["Stop"] *= 2
    path.write_text(json.dumps(value))
    assert hookfiles.health(str(path), table).status is HookStatus.INSTALLED
    assert hookfiles.install(str(path), table, force=False) == 1
    assert json.loads(path.read_text())["hooks"]["Stop"] == [STOP.value()]


def test_a_missing_value_of_another_list_is_stale(path: Path) -> None:
    table = TABLES["with another list"]
    given(path, '{"rules": {"deny": ["y"]}}')
    hookfiles.install(str(path), table, force=False)
    path.write_text(path.read_text().replace('"x"', '"z"'))
    assert hookfiles.health(str(path), table).status is HookStatus.STALE
    assert hookfiles.install(str(path), table, force=False) == 1
    assert json.loads(path.read_text())["rules"] == {"deny": ["y", "z", "x"]}


def test_only_commands_with_our_prefix_are_ours() -> None:
    text = """{"hooks": {"Stop": [
      {"hooks": [{"command": "mine"}, {"command": "entire a"}, {"command": "entirely"}]},
      {"matcher": "flat", "command": "entire b"},
      3, {"hooks": 4}, {"hooks": [null, {"command": 5}]}
    ], "Other": 6}}"""
    document = Document(text)
    assert [(event, matcher) for event, matcher, _ in hookfiles.present_hooks(document)] == [
        ("Stop", ""),
        ("Stop", "flat"),
    ]
    assert hookfiles.remove(document) == 2
    left = document.get(("hooks", "Stop"))
    assert left == [
        {"hooks": [{"command": "mine"}, {"command": "entirely"}]},
        3,
        {"hooks": 4},
        {"hooks": [None, {"command": 5}]},
    ]
    assert hookfiles.remove(document) == 0


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"hooks": []}', "hooks"),
        ('{"hooks": null}', "hooks"),
        ('{"hooks": {"Stop": {}}}', "hooks"),
        ('{"hooks": {"Stop": 1}}', "hooks"),
        ('{"rules": 1}', "rules"),
        ('{"rules": {"deny": "x"}}', "rules"),
    ],
)
def test_a_file_of_another_form_is_left_alone(path: Path, text: str, key: str) -> None:
    table = TABLES["with another list"]
    given(path, text)
    with pytest.raises(EntireError, match=f"`{key}` in .*settings.json does not have the form"):
        hookfiles.install(str(path), table, force=False)
    assert path.read_text() == text


def test_a_broken_file_has_an_unknown_state_that_says_why(path: Path) -> None:
    given(path, "{")
    health = hookfiles.health(str(path), TABLES["flat"])
    assert health.status is HookStatus.UNKNOWN
    assert health.detail.startswith(f"{path} is not valid JSON")
    assert health.detail.endswith("correct the file and try again")


def test_a_longer_prefix_leaves_another_adapters_entries_alone(path: Path) -> None:
    """Both are ours, but each adapter installs, checks and removes only its own."""
    one, two = (
        Table(entries=(Entry(event="Stop", command=f"entire hooks {name} stop", is_flat=True),),
              prefix=f"entire hooks {name} ")
        for name in ("x", "x-too")
    )  # fmt: skip
    assert hookfiles.install(str(path), one, force=False) == 1
    assert hookfiles.health(str(path), two).status is HookStatus.MISSING
    assert hookfiles.install(str(path), two, force=True) == 1
    assert [hookfiles.health(str(path), table).status for table in (one, two)] == [HookStatus.INSTALLED] * 2
    assert hookfiles.install(str(path), one, force=False) == 0
    assert hookfiles.uninstall(str(path), one) == 1
    assert [entry["command"] for entry in json.loads(path.read_text())["hooks"]["Stop"]] == ["entire hooks x-too stop"]
