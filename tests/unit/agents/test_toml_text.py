"""Edits of an agent's configuration in TOML: one table changes, all else stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from entire.agents import toml_text
from entire.errors import EntireError

NAME = ("hooks", "state", '/a "b".json:stop:0')
MINE = '# mine\nmodel = "m"  # this one\n\n[tui]\nx = 1\n'


@pytest.mark.parametrize("text", ["", MINE, MINE.rstrip("\n"), f"{MINE}\n[after]\ny = 2\n"])
def test_a_table_comes_and_goes(text: str) -> None:
    added = toml_text.with_value(text, NAME, "hash", "1")
    assert added.startswith(text)
    assert tomllib.loads(added)["hooks"]["state"][NAME[-1]] == {"hash": "1"}
    assert toml_text.with_value(added, NAME, "hash", "1") == added
    changed = toml_text.with_value(added, NAME, "hash", "2")
    assert changed == added.replace('"1"', '"2"')
    assert toml_text.without_table(changed, NAME) == (text if text.endswith("\n") or not text else f"{text}\n")


def test_other_keys_of_a_table_stay(tmp_path: Path) -> None:
    text = '[a."b"]\nhash = "1"\nkept = true\n\n[c]\n'
    changed = toml_text.with_value(text, ("a", "b"), "hash", "2")
    assert tomllib.loads(changed) == {"a": {"b": {"hash": "2", "kept": True}}, "c": {}}


@pytest.mark.parametrize("data", [b"a = [\n", b"\xff"])
def test_what_is_no_toml_stays(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)
    assert toml_text.values(str(path)) == {}
    with pytest.raises(EntireError, match="it was not changed"):
        toml_text.save(str(path), toml_text.with_value(toml_text.read(str(path)), NAME, "hash", "1"))
    assert path.read_bytes() == data


def test_a_file_that_is_not_there_is_written(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert (toml_text.read(str(path)), toml_text.values(str(path))) == ("", {})
    toml_text.save(str(path), toml_text.with_value("", NAME, "hash", "1"))
    assert toml_text.values(str(path))["hooks"]["state"][NAME[-1]]["hash"] == "1"
