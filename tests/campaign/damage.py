"""Scenarios: what is kept is damaged: files cut, garbled, of another type; refs deleted or moved; objects gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.campaign import truth
from tests.campaign.hooks import polite
from tests.campaign.truth import picture, same
from tests.campaign.worlds import MINE, World
from tests.integration.kept import shadows, tokens

FILES: Mapping[str, str] = {
    "journal.json": "entire/journal.json",
    "snapshot.json": "entire/snapshot.json",
    "past.jsonl": "entire/past.jsonl",
    "sessions/*.json, ours": "entire/sessions/{}.json",
    "sessions/*.json, the shared one": "entire-sessions/{}.json",
    "*.turns": "entire/sessions/{}.turns",
    "pending.json": "entire/pending.json",
    "live": "entire/live",
    "lock": "entire/lock",
    "settings.json": "../.entire/settings.json",
    "settings.local.json": "../.entire/settings.local.json",
    "plan.json of an undo point": "entire/undo/{}/plan.json",
    "plan.json of an interrupted rewind": "entire/undo/{}/plan.json",
}
"""What is damaged: a name, and the path below the git directory."""


def _cut(part: float) -> Callable[[bytes], bytes]:
    return lambda data: data[: int(len(data) * part)]


BYTES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "half": _cut(0.5),
    "all but the last bytes": lambda data: data[:-3],
    "garbage": lambda data: bytes(range(256)) * 4,
    "zeros": lambda data: b"\0" * len(data),
    "null": lambda data: b"null\n",
    "a list": lambda data: b"[1, 2]\n",
    "a number": lambda data: b"7",
    "other types": lambda data: _other_types(data),
    "empty object": lambda data: b"{}\n",
    "deep": lambda data: b"[" * 5000,
}
FOLDER = "a folder"
WAYS = (*BYTES, FOLDER)


_OTHER: tuple[tuple[type, object], ...] = ((dict, []), (list, {}), (str, 7))


def _other_types(data: bytes) -> bytes:
    """Return the same keys with values of another type."""
    try:
        value = json.loads(data)
    except ValueError:
        return b'{"a": 1}\n'
    turned: dict[str, object] = {}
    for key, item in value.items() if isinstance(value, dict) else ():
        turned[key] = next((other for kind, other in _OTHER if isinstance(item, kind)), "x")
    return json.dumps(turned).encode()


def damage_file(world: World, name: str, way: str) -> str:
    """Damage a file; the hooks and commands go on; return a word for the outcome."""
    path = _path(world, name)
    data = path.read_bytes() if path.is_file() else b'{"kind": "plain"}'
    if way == FOLDER:
        path.unlink(missing_ok=True)
        (path / "x").mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(BYTES[way](data))
    return _goes_on(world, with_settings="settings" in name)


def _path(world: World, name: str) -> Path:
    git = world.story.path(".git")
    if name.startswith("plan.json"):
        found = max((git / "entire/undo").glob("*/plan.json"))
        if "interrupted" in name:
            Path(f"{found.parent}.applying").touch()
        return found
    return (git / FILES[name].format(world.a.id)).resolve()


def with_undo_point(world: World) -> None:
    """Let there be a rewind that could be undone, taken back again, so that everything is as it was."""
    points = (point for point in world.points() if point["message"] == "Improve it")
    point = next(point["id"] for point in points if not point["condensation_id"])
    world.ok("rewind", "--to", point)
    world.ok("rewind", "--undo", "--yes")


def _goes_on(world: World, *, with_settings: bool = False) -> str:
    """A turn, a commit and the doctor, whatever is left of the past; what the person has stays."""
    story, a = world.story, world.a
    before = picture(world)
    polite(world.hook(a, "session-end", reason="other"))
    polite(world.hook(a, "session-start", source="resume"))
    now = picture(world)
    same(now, before)
    for command in (("status",), ("rewind", "--list"), ("doctor",), ("doctor", "--fix", "--yes"), ("clean", "-f")):
        ended = world.entire(*command)
        assert ended.status is not None and b"internal error" not in ended.err, (command, ended.err)
    now = picture(world)
    same(now, before)
    with a.turn("Last"):
        a.write("last.py", "last\n")
    commit = story.commit("The rest")
    found = story.ids(commit)
    if not found and with_settings:
        return "off"
    checkpoint = story.linked(commit)
    assert "last.py" in checkpoint["files_touched"]
    assert not set(checkpoint["files_touched"]) & MINE, checkpoint["files_touched"]
    assert a.id in checkpoint["slots"]
    slot = checkpoint["slots"][a.id]
    assert slot["transcript"] == a.file.read_text()
    truth.numbers(tokens(slot))
    truth.sound(world, broken=True)
    ended = world.entire("doctor", "--json")
    known = ("log", "settings") if with_settings else ("log",)
    problems = [finding for finding in json.loads(ended.out)["findings"]
                if finding["severity"] != "note" and finding["check"] not in known]  # fmt: skip
    assert problems == [], problems
    whole = set(truth.open_files(story)) == set() and "more.py" in checkpoint["files_touched"]
    return "nothing lost" if whole else "begins anew"


# ---------------------------------------------------------------- refs and objects


def _no_journal_ref(world: World) -> None:
    for ref in world.story.git("for-each-ref", "--format=%(refname)", "refs/entire/journal").split():
        world.story.git("update-ref", "-d", ref)


def _no_shadow(world: World) -> None:
    for name in shadows(world.story):
        world.story.git("branch", "-q", "-D", name)


def _moved_shadow(world: World) -> None:
    for name in shadows(world.story):
        world.story.git("update-ref", f"refs/heads/{name}", "HEAD")


def _rewritten_shadow(world: World) -> None:
    for name in shadows(world.story):
        tree = world.story.git("rev-parse", "HEAD^{tree}").strip()
        other = world.story.git("commit-tree", tree, "-m", "somebody's", stdin="").strip()
        world.story.git("update-ref", f"refs/heads/{name}", other)


def _no_objects(world: World) -> None:
    for ref in world.story.git("for-each-ref", "--format=%(refname)", "refs/entire").split():
        world.story.git("update-ref", "-d", ref)
    _no_shadow(world)
    world.story.git("-c", "gc.reflogExpire=now", "reflog", "expire", "--expire=now", "--all")
    world.story.git("gc", "-q", "--prune=now")


def _packed(world: World) -> None:
    world.story.git("pack-refs", "--all", "--prune")
    world.story.git("repack", "-adq")
    world.story.git("prune-packed")


def _garbled_ref(world: World) -> None:
    (ref,) = world.story.git("for-each-ref", "--format=%(refname)", "refs/entire/journal").split()
    world.story.path(f".git/{ref}").write_bytes(b"\0" * 41)


def _no_own_folder(world: World) -> None:
    shutil.rmtree(world.story.path(".git/entire"))


def _no_states(world: World) -> None:
    shutil.rmtree(world.story.path(".git/entire-sessions"))


def _no_remembrance(world: World) -> None:
    _no_own_folder(world)
    _no_states(world)


OTHERS: Mapping[str, Callable[[World], None]] = {
    "the journal's ref is deleted": _no_journal_ref,
    "the shadow branch is deleted": _no_shadow,
    "the shadow branch is moved to HEAD": _moved_shadow,
    "the shadow branch is rewritten by somebody": _rewritten_shadow,
    "our refs are deleted, then gc --prune=now": _no_objects,
    "refs are packed, objects repacked": _packed,
    "a ref of ours is zeros": _garbled_ref,
    "our folder is deleted": _no_own_folder,
    "the states are deleted": _no_states,
    "our folder and the states are deleted": _no_remembrance,
}


def damage_other(world: World, name: str) -> str:
    """Damage something else; the hooks and commands go on; return a word for the outcome."""
    OTHERS[name](world)
    return _goes_on(world)
