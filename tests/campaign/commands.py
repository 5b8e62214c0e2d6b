"""Scenarios: the commands that change something are hurt; then everything is wholly as before or wholly as after."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.campaign.hurt import Ended, Fault
from tests.campaign.scenario import Scenario, Views
from tests.campaign.truth import Told, goes_on, open_files, picture, same, sound
from tests.campaign.worlds import World
from tests.integration.kept import shadows

Words = tuple[str, ...]
UNDOES_UNDO = ("rewind", "resume")


def _command(
    name: str,
    prepare: Callable[[World], None],
    words: Callable[[World], Words],
    undo: Words = (),
    own: Callable[[World], object] = lambda world: None,
    end: Callable[[World, bool], None] | None = None,
) -> Scenario:
    """Return the scenario of one command: ``undo`` takes it back, ``own`` is what it changes of ours, ``end`` goes on
    from there (told whether it happened).
    """

    def act(world: World, fault: Fault) -> Ended:
        return world.entire(*words(world), fault=fault)

    def then(world: World, ended: Ended, views: Views) -> str:
        _said(ended)
        told = Told(world)
        next_command(world)
        is_done = _outcome(world, views)
        assert is_done or ended.status != 0
        sound(world, broken=views.was_told or own is not _nothing)
        if is_done and undo:
            world.ok(*undo)
            _is(world, views, done=False)
            world.ok(*(undo if undo[0] in UNDOES_UNDO else words(world)))
            _is(world, views, done=True)
        told.none()
        (end or _go_on)(world, is_done)
        return "as after" if is_done else "as before"

    return Scenario(name, prepare, act, then, own, words)


def _nothing(world: World) -> object:
    return None


def _said(ended: Ended) -> None:
    """Check what a person sees of a failure: a sentence, and no traceback."""
    if ended.killed or ended.status == 0:
        return
    assert b"Traceback" not in ended.err
    assert b"internal error" not in ended.err, ended.err
    assert ended.err.startswith(b"entire: ") or ended.out


def next_command(world: World) -> None:
    """Run a command that changes something in principle, so that it first finishes what was left half-done; this one
    then only shows what it would do.
    """
    was_left = any(world.story.path(".git/entire/undo").glob("*.applying"))
    ended = world.entire("rewind", "--to", world.points()[0]["id"], "--preview")
    assert ended.status == 0, ended
    assert (b"was interrupted and has now been finished" in ended.err) == was_left, ended.err


def _outcome(world: World, views: Views) -> bool:
    """Tell whether everything is as after; fails if it is neither that nor as before."""
    if views.before != views.after:
        is_done = bool(same(picture(world), views.before, views.after))
    else:
        same(picture(world), views.before)
        is_done = _own(world, views) == views.own_after
    assert _own(world, views) in ((views.own_after,) if is_done else (views.own_before,))
    return is_done


def _own(world: World, views: Views) -> object:
    return views.own_before if views.own_before == views.own_after else OWN[world.notes["scenario"]](world)


def _is(world: World, views: Views, *, done: bool) -> None:
    same(picture(world), views.after if done else views.before)
    assert _own(world, views) == (views.own_after if done else views.own_before)


def _go_on(world: World, is_done: bool) -> None:
    goes_on(world, links=[world.a, world.b] if "b.py" in open_files(world.story) else [world.a], broken=True)


# ---------------------------------------------------------------- rewind


def _prepared(world: World) -> None:
    pass


def _to(kind: str, prompt: str, *more: str) -> Callable[[World], Words]:
    def words(world: World) -> Words:
        if "point" not in world.notes:
            world.notes["point"] = next(
                point["condensation_id"] or point["id"]
                for point in world.points()
                if point["message"] == prompt and bool(point["condensation_id"]) == (kind == "checkpoint")
            )
        return ("rewind", "--to", str(world.notes["point"]), *more)

    return words


_BACK = _to("step", "Improve it")


def _rewound(world: World) -> None:
    world.ok(*_BACK(world))


def _second_commit(world: World) -> None:
    world.story.git("add", "b.py", "more.py", "hello.py", "pkg")
    world.story.git("commit", "-q", "-m", "Second", "--", "b.py", "more.py", "hello.py", "pkg")
    with world.a.turn("After the second"):
        world.a.write("late.py", "late\n")


def _reset(world: World) -> None:
    _second_commit(world)


# ---------------------------------------------------------------- resume


def _without_transcripts(world: World) -> None:
    world.story.commit("All of it")
    for session in (world.a, world.b):
        session.file.unlink()


def _resumed(world: World) -> None:
    _without_transcripts(world)
    world.ok("resume")


def _after_resume(world: World, is_done: bool) -> None:
    if all(session.file.exists() for session in (world.a, world.b)):
        goes_on(world, links=[world.a], broken=True)


# ---------------------------------------------------------------- clean, reset, doctor


def _orphan(world: World) -> None:
    world.story.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "The person goes on")
    for name in ("entire/sessions", "entire-sessions"):
        world.story.path(f".git/{name}/{world.b.id}.json").unlink()
    world.story.path(".git/entire/sessions/x.json.broken").write_text("{")


def _ours(world: World) -> object:
    """Return what clean and reset remove: branches of steps, states and files put aside."""
    git = world.story.path(".git")
    states = sorted(path.name for path in (git / "entire-sessions").glob("*.json"))
    return shadows(world.story), states, sorted(path.name for path in git.rglob("*.broken"))


def _after_clean(world: World, is_done: bool) -> None:
    world.ok("clean", "-f")
    assert b"Nothing to clean up." in world.ok("clean")
    goes_on(world, links=[world.a], files=_of_a(world), broken=True)


def _of_a(world: World) -> list[str]:
    return [path for path in open_files(world.story) if path != "b.py"]


def _after_reset(world: World, is_done: bool) -> None:
    if not is_done:
        _go_on(world, is_done)
        return
    found = json.loads(world.ok("doctor", "--json"))["findings"]
    assert [finding for finding in found if finding["severity"] != "note"] == []
    with world.a.turn("Anew"):
        world.a.write("anew.py", "anew\n")
    world.story.commit("After the reset")
    found = world.story.linked()
    assert list(found["slots"]) == [world.a.id]
    assert found["files_touched"] == ["anew.py"]
    sound(world, broken=True)


def _damaged(world: World) -> None:
    """Break what the doctor repairs: a hook, a ref, a state, a look."""
    git = world.story.path(".git")
    (git / "hooks/post-commit").unlink()
    world.story.git(
        "update-ref",
        "-d",
        next(
            iter(ref for ref in world.story.git("for-each-ref", "--format=%(refname)", "refs/entire/journal").split())
        ),
    )
    (git / "entire-sessions" / f"{world.b.id}.json").write_bytes(b'{"cut')
    (git / "entire/snapshot.json").write_bytes(b"\xff\xfe")  # fmt: skip


def _healed(world: World, ended: Ended, views: Views) -> str:
    _said(ended)
    now = picture(world)
    assert (now.files, now.index, now.head, now.refs, now.transcripts) == (
        views.before.files, views.before.index, views.before.head, views.before.refs, views.before.transcripts,
    )  # fmt: skip
    world.ok("doctor", "--fix", "--yes")
    found = json.loads(world.ok("doctor", "--json"))
    assert found["healthy"], found
    sound(world, broken=True)
    same(picture(world), views.after)
    goes_on(world, links=[world.a, world.b], broken=True)
    return "healed"


_FIX = ("doctor", "--fix", "--yes")


def _doctor(world: World, fault: Fault) -> Ended:
    return world.entire(*_FIX, fault=fault)


SCENARIOS = (
    _command("rewind --to", _prepared, _BACK, ("rewind", "--undo", "--yes")),
    _command("rewind --to, only the conversation", _prepared, _to("step", "Improve it", "--logs-only"),
             ("rewind", "--undo", "--yes")),
    _command("rewind --to --keep-mine", _prepared, _to("step", "Improve it", "--keep-mine"),
             ("rewind", "--undo", "--yes")),
    _command("rewind --to --reset", _reset, _to("checkpoint", "Greeting", "--reset"), ("rewind", "--undo", "--yes")),
    _command("rewind --to --take-back", _reset, _to("checkpoint", "Greeting", "--take-back"),
             ("rewind", "--undo", "--yes")),
    _command("rewind --undo", _rewound, lambda world: ("rewind", "--undo", "--yes"), ("rewind", "--undo", "--yes")),
    _command("resume", _without_transcripts, lambda world: ("resume",), ("resume", "--undo"), end=_after_resume),
    _command("resume --undo", _resumed, lambda world: ("resume", "--undo"), ("resume", "--undo"), end=_after_resume),
    _command("clean -f", _orphan, lambda world: ("clean", "-f"), ("clean", "--undo"), _ours, _after_clean),
    _command("reset -f", _prepared, lambda world: ("reset", "-f"), ("reset", "--undo"), _ours, _after_reset),
    Scenario("doctor --fix", _damaged, _doctor, _healed, words=lambda world: _FIX),
)  # fmt: skip
OWN = {scenario.name: scenario.own for scenario in SCENARIOS}
