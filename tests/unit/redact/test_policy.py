"""Whose rules apply, and that they are read when they are needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.redact import policy


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[policy.Sources]:
    yield policy.Sources(config=str(tmp_path / "redact.toml"), memory=str(tmp_path / "known"))
    policy.adopt(policy.Sources())


def test_another_repository_has_other_rules(sources: policy.Sources, tmp_path: Path) -> None:
    policy.adopt(sources)
    here = policy.current()
    policy.adopt(sources)
    assert policy.current() is here
    policy.adopt(policy.Sources(config=str(tmp_path / "other"), memory=sources.memory))
    assert policy.current() is not here


def test_without_a_file_there_is_no_configuration(sources: policy.Sources) -> None:
    policy.adopt(sources)
    assert policy.current().config is None
    Path(sources.config).write_text('[allow]\nrules = ["jwt"]\n')
    policy.adopt(policy.Sources())
    policy.adopt(sources)
    config = policy.current().config
    assert config is not None
    assert config.allowed_rules == {"jwt"}


def test_to_adopt_rules_loads_none() -> None:
    code = "import sys; from entire.redact import policy; policy.adopt(policy.Sources(config='a', memory='b'));"
    code += "print([name for name in sys.modules if name.startswith('entire.redact')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['entire.redact', 'entire.redact.policy']"
