"""What a name means among the checkpoints, commits and sessions of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.git import history, read, refs
from entire.model.ids import CheckpointId
from entire.model.views.checkpoints import TargetView
from entire.store.catalog import Catalog
from entire.workspace import Workspace
from tests import golden

SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return golden.unpack("manual/12-amend-with-open-step", tmp_path) / "demo"


@pytest.fixture
def catalog(top: Path) -> Catalog:
    return Catalog(Workspace.find(top).place)


def test_names_of_every_kind(catalog: Catalog, top: Path) -> None:
    whole = "c58db9bba54a"
    head = history.resolve(str(top), "HEAD")
    for name, kind, meaning in (
        (whole, "checkpoint", whole),
        (whole[:7], "checkpoint", whole),
        ("HEAD", "commit", head),
        (head[:10], "commit", head),
        (SESSION, "session", SESSION),
        (SESSION[:9], "session", SESSION),
    ):
        assert catalog.find(name) == TargetView(kind=kind, id=meaning), name
    for name in ("", "nobody", "ffffffffffff", "fffffff"):
        assert catalog.find(name) is None, name


def test_a_commit_wins_over_the_beginning_of_another_id(catalog: Catalog, top: Path) -> None:
    head = history.resolve(str(top), "HEAD")
    for name in (SESSION[:9], "c58db9b"):
        (top / ".git" / "refs" / "tags" / name).write_text(head + "\n")
        assert catalog.find(name) == TargetView(kind="commit", id=head)
    (top / ".git" / "refs" / "tags" / "c58db9bba54a").write_text(head + "\n")
    assert catalog.find("c58db9bba54a") == TargetView(kind="checkpoint", id="c58db9bba54a")


def test_several_of_a_kind(catalog: Catalog) -> None:
    for name, kind in (("2", "sessions"), ("c", "checkpoints")):
        with pytest.raises(EntireError, match=f"several {kind} start with '{name}'"):
            catalog.find(name)


def test_states_and_checkpoints_are_looked_at_together(catalog: Catalog, top: Path) -> None:
    assert catalog.session("b1b") == SESSION
    states = top / ".git" / "entire-sessions"
    (states / f"{SESSION}.json").rename(states / "b1bddc73-another.json")
    with pytest.raises(EntireError, match="several sessions"):
        catalog.session("b1b")
    assert catalog.session(SESSION) == SESSION


def test_it_knows_what_was_there_when_it_was_asked_first(catalog: Catalog, top: Path) -> None:
    before = catalog.commits
    assert len(catalog.checkpoint_ids) == len(catalog.sessions_by_checkpoint) > 0
    for ref in refs.find(str(top), "refs/heads/entire/checkpoints"):
        (top / ".git" / ref).unlink(missing_ok=True)
    assert catalog.commits == before
    assert Catalog(catalog.place).commits == []


def test_the_checkpoint_that_was_read_last_is_not_read_again(catalog: Catalog, top: Path) -> None:
    """Who shows one asks for it with each of its sessions, of which it may hold thousands."""
    with read.Objects(str(top)) as objects:
        first = catalog.read(objects, CheckpointId("c58db9bba54a"))
        assert first is not None
        assert catalog.read(objects, CheckpointId("c58db9bba54a")) is first
        assert catalog.read(objects, CheckpointId("0" * 12)) is None
        assert catalog.read(objects, CheckpointId("c58db9bba54a")) == first
