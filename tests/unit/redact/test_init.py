"""Whose rules apply, and that they are read when they are needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from entire.redact import Redacted, Redactor, Sources, trusted


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(config=str(tmp_path / "redact.toml"), memory=str(tmp_path / "known"))


def test_what_is_redacted_is_marked_and_not_redacted_again() -> None:
    own = Redactor()
    for redacted in (own.redact(b"a"), own.redact_json(b"{}"), own.redact_jsonl(b"{}\n"), trusted(b"a")):
        assert isinstance(redacted, Redacted)
        assert own.redact(redacted) is own.redact_json(redacted) is own.redact_jsonl(redacted) is redacted


def test_words_are_redacted_as_their_bytes_are() -> None:
    assert Redactor().redact_text("ä \udcff db_password = 'tr0ub4dor&3-xK'") == (
        "ä \udcff db_password = '[REDACTED:generic-quoted]'"
    )


def test_two_repositories_have_each_its_rules_and_its_memory(tmp_path: Path) -> None:
    """In one process, by turns."""
    text = b"use tr0ub4dor&3-xK and acme_0123456789ab"
    redactors = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        sources = Sources(config=str(tmp_path / name / "redact.toml"), memory=str(tmp_path / name / "known"))
        redactors.append(Redactor(sources))
    one, two = redactors
    assert one.config is None
    (tmp_path / "two/redact.toml").write_text(
        "[[rule]]\nid = 'acme'\npattern = 'acme_[0-9a-f]{12}'\nexample = 'acme_0123456789ab'\n"
    )
    one, two = (Redactor(each.sources) for each in redactors)
    one.redact(b"db_password = 'tr0ub4dor&3-xK'")
    for _ in range(2):
        assert one.redact(text) == b"use [REDACTED:generic-quoted] and acme_0123456789ab"
        assert two.redact(text) == b"use tr0ub4dor&3-xK and [REDACTED:acme]"
    assert (one.remembered() > 0, one.rules_version() == two.rules_version()) == (True, False)


def test_without_a_file_there_is_no_configuration(sources: Sources) -> None:
    assert Redactor(sources).config is None
    Path(sources.config).write_text('[allow]\nrules = ["jwt"]\n')
    config = Redactor(sources).config
    assert config is not None
    assert config.own.allowed.rules == {"jwt"}


def test_a_redactor_loads_no_rule_before_it_redacts() -> None:
    code = "import sys; from entire.redact import Redactor, Sources; Redactor(Sources(config='a', memory='b'));"
    code += "print([name for name in sys.modules if name.startswith(('entire.redact', 'entire_secrets'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['entire.redact']"
