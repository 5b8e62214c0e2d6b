"""Whose rules apply, and that they are read when they are needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.redact import Sources, adopt, current


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Sources]:
    yield Sources(config=str(tmp_path / "redact.toml"), memory=str(tmp_path / "known"))
    adopt(Sources())


def test_another_repository_has_other_rules(sources: Sources, tmp_path: Path) -> None:
    adopt(sources)
    here = current()
    adopt(sources)
    assert current() is here
    adopt(Sources(config=str(tmp_path / "other"), memory=sources.memory))
    assert current() is not here


def test_without_a_file_there_is_no_configuration(sources: Sources) -> None:
    adopt(sources)
    assert current().config is None
    Path(sources.config).write_text('[allow]\nrules = ["jwt"]\n')
    adopt(Sources())
    adopt(sources)
    config = current().config
    assert config is not None
    assert config.own.allowed.rules == {"jwt"}


def test_to_adopt_rules_loads_none() -> None:
    code = "import sys; from entire.redact import Sources, adopt; adopt(Sources(config='a', memory='b'));"
    code += "print([name for name in sys.modules if name.startswith(('entire.redact', 'entire_secrets'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['entire.redact']"
