"""A summary in the form that is stored."""

from __future__ import annotations

import json

from entire.model.records import CodeLearning, Summary
from entire.redact import Redactor
from entire.store import summaries

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"


def test_no_field_keeps_a_secret() -> None:
    code = (CodeLearning(path=SECRET, finding=SECRET),)
    lists = dict.fromkeys(("repo", "workflow", "friction", "open_items"), (f"use {SECRET}", "plain"))
    data = summaries.redacted(Summary(intent=SECRET, outcome=SECRET, code=code, **lists), Redactor())
    assert SECRET not in data.decode()
    found = Summary.from_json(json.loads(data))
    assert found is not None
    assert found.friction[1] == "plain"
    assert data.count(b"REDACTED") == 8


def test_without_secrets_nothing_changes() -> None:
    summary = Summary(intent="<a> & b", code=(CodeLearning(path="p", finding="f", line=3),), friction=("x", "y"))
    assert json.loads(summaries.redacted(summary, Redactor())) == summary.to_json()
