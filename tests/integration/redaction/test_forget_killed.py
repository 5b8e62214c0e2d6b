"""``entire forget``, killed before each of its writes and git commands in turn; and its undo, when more was stored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.errors import UsageError
from entire.forgetting import planning, removal, targets, undo
from entire.forgetting.values import Secret
from entire.git.read import Objects
from entire.model.audits import ForgetRequest
from entire.recording.context import Context
from entire.settings import Settings
from entire.store.catalog import Catalog
from entire.undo import completion
from tests.integration import secrets
from tests.integration.secrets import TULIP
from tests.integration.setup.test_clean import place_of
from tests.integration.setup.test_clean_killed import each, killed, put
from tests.integration.story import Story


def refs(story: Story) -> str:
    return story.git("for-each-ref", "refs/heads/entire", "refs/entire")


def test_all_of_it_is_forgotten_or_nothing(story: Story) -> None:
    secrets.with_tulip(story)
    before = refs(story)
    outcomes = set()

    def check() -> None:
        completion.complete(place_of(story))
        if refs(story) == before:
            outcomes.add("before")
            assert secrets.files_with(story, TULIP)
            assert not (story.root / ".git/entire/forgotten.json").exists()
        else:
            outcomes.add("after")
            assert not secrets.objects_with(story, TULIP)
            assert not secrets.files_with(story, TULIP)
            assert (story.root / ".git/entire/forgotten.json").exists()
            assert story.entire("forget", "--undo") == 0
            assert refs(story) == before
        assert story.entire("doctor") == 0
        assert story.entire("forget", "--secret", TULIP, "--yes") == 0
        assert not secrets.objects_with(story, TULIP)

    roots = killed(story, "forget", "--secret", TULIP, "--yes")
    each(story, [*roots[:: max(len(roots) // 8, 1)], *roots[-6:]], check)
    assert outcomes == {"before", "after"}


def is_half_way(root: Path) -> bool:
    return bool(list(root.glob(".git/entire/undo/*.applying")))


def test_a_turn_after_a_kill_finds_all_of_it_done(story: Story) -> None:
    session, _ = secrets.with_tulip(story)
    before = refs(story)
    put(story, next(filter(is_half_way, killed(story, "forget", "--secret", TULIP, "--yes"))))
    session.prompt("go on")
    session.write("more.py", "x = 1\n")
    session.hook("stop")
    assert refs(story) != before
    assert not secrets.objects_with(story, TULIP)


def context_of(story: Story) -> Context:
    place = layout.find(str(story.root))
    assert place is not None
    return Context(place, Settings(enabled=True), AgentDirectory.without_plugins())


def test_a_dry_plan_writes_no_object(story: Story) -> None:
    secrets.with_tulip(story)
    place = place_of(story)
    objects = story.git("count-objects", "-v")
    with Objects(place.top) as read:
        target = planning.ForgetTarget(secret=Secret(TULIP.encode(), "forgotten"))
        plan = planning.Planner(place, read, target, is_dry=True).plan(now=0.0)
    assert plan.texts
    assert story.git("count-objects", "-v") == objects
    assert not [path for path in plan.files if "/forget" in path]


def test_an_undo_keeps_what_a_state_became_since(story: Story) -> None:
    session, _ = secrets.with_tulip(story)
    before = refs(story)
    assert story.entire("forget", "--secret", TULIP, "--yes") == 0
    session.hook("session-end", reason="other")
    assert story.entire("forget", "--undo") == 0
    assert refs(story) == before
    state = Path(story.root, f".git/entire/sessions/{session.id}.json").read_text()
    assert '"phase":"ended"' in state
    assert story.entire("doctor") == 0
    session.hook("session-start", source="resume")
    session.prompt("again")
    session.write("third.py", "x = 1\n")
    session.hook("stop")
    story.commit("Third")
    assert story.ids()
    assert story.entire("doctor") == 0


def test_the_library_forgets_and_undoes_it_beside_a_new_step(story: Story) -> None:
    session, _ = secrets.with_tulip(story)
    request = ForgetRequest(secret=TULIP)
    with closing(context_of(story)) as context:
        target, view = targets.find(context, Catalog(context.place), request)
        assert target.secret is not None and target.secret.value == TULIP.encode()
        with pytest.raises(UsageError, match="nothing to forget is named"):
            targets.find(context, Catalog(context.place), ForgetRequest())
        done = removal.forget(context, Catalog(context.place), request)
    assert (done.name, done.mask) == (view.name, view.mask)
    assert done.undo_id
    assert TULIP not in repr(request)
    session.prompt("go on")
    session.write("third.py", "x = 1\n")
    session.hook("stop")
    with closing(context_of(story)) as context:
        undo.undo(context)
    assert secrets.objects_with(story, TULIP)
    assert story.log_errors() == []
