"""The user's commits as a workspace shows them: linked, and not linked for a reason."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from entire import layout
from entire.layout import Place
from entire.model.views.status import UnlinkedView
from entire.queries import commits
from entire.store.catalog import Catalog
from tests import golden


@pytest.fixture
def top(tmp_path: Path) -> str:
    return str(golden.unpack("manual/12-amend-with-open-step", tmp_path) / "demo")


@pytest.fixture
def place(top: str) -> Place:
    found = layout.find(top)
    assert found is not None
    return found


@pytest.fixture
def catalog(place: Place) -> Catalog:
    return Catalog(place)


def git(top: str, *args: str) -> str:
    return subprocess.run(["git", "-C", top, *args], capture_output=True, text=True, check=True).stdout.strip()


def test_linked_commits_of_this_branch_and_of_all(top: str, catalog: Catalog) -> None:
    here = commits.linked(catalog)
    assert [one.time for one in here] == sorted((one.time for one in here), reverse=True)
    assert all(one.checkpoint_ids or one.foreign_ids for one in here)
    git(top, "switch", "-q", "-c", "aside", f"{here[0].oid}~1")
    assert here[0] not in commits.linked(catalog)
    assert here[0] in commits.linked(catalog, everywhere=True)


def test_the_commits_of_a_checkpoint(catalog: Catalog) -> None:
    (newest, *_) = commits.linked(catalog)
    (name, *_) = newest.checkpoint_ids
    assert newest in commits.of_checkpoint(catalog, name)
    assert commits.of_checkpoint(catalog, "ffffffffffff") == ()


def test_why_a_commit_was_not_linked(top: str, place: Place, catalog: Catalog) -> None:
    linked = commits.linked(catalog)[0].oid
    found = [oid for oid in git(top, "rev-list", "HEAD").split() if not commits.find(catalog, oid).checkpoint_ids]
    first, second = found[:2]
    reasons = [{"commit": second, "reason": "a revert"}, {"commit": "f" * 40, "reason": "gone"},
               {"commit": first, "reason": "a merge"}, {"commit": linked, "reason": "linked since"}]  # fmt: skip
    Path(top, ".git/entire").mkdir(exist_ok=True)
    Path(top, ".git/entire/journal.json").write_text(json.dumps({"reasons": reasons}))
    assert commits.reason(place, second) == "a revert"
    assert commits.reason(place, "e" * 40) == ""
    shown = {oid: commits.find(catalog, oid) for oid in (first, second)}
    assert commits.unlinked(catalog) == [
        UnlinkedView(commit=oid, subject=shown[oid].subject, reason=reason, time=shown[oid].time)
        for oid, reason in ((first, "a merge"), (second, "a revert"))
    ]
    assert commits.reason(place, second, ["00000000000a"]) == "unlinked by hand from 00000000000a"
