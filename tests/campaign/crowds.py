"""Scenarios: several processes at the same moment, and a git that works beside."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Mapping

from tests import forks
from tests.campaign import truth
from tests.campaign.hooks import polite
from tests.campaign.hurt import Ended, Fault
from tests.campaign.truth import goes_on, open_files, picture, same, sound
from tests.campaign.worlds import World, hook

MANY = 16


def _start(world: World, args: tuple[str, ...], stdin: bytes = b"") -> subprocess.Popen[bytes]:
    child = subprocess.Popen([*forks.command(), *args], cwd=world.story.root, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert child.stdin is not None
    child.stdin.write(stdin)
    child.stdin.close()
    child.stdin = None
    return child


def _end(child: subprocess.Popen[bytes]) -> Ended:
    out, err = child.communicate(timeout=120)
    return Ended(child.returncode, out, err, 0)


def many_hooks(world: World) -> str:
    """Sixteen sessions begin and end a turn at the same moment: none loses anything."""
    sessions = [world.story.session() for _ in range(MANY)]
    for number, session in enumerate(sessions):
        session.prompt_id = f"prompt-{number}"

    def at_once(verb: str, **extra: object) -> None:
        children = [_start(world, hook(verb), world.payload(session, verb, **extra)) for session in sessions]
        for child in children:
            polite(_end(child))

    at_once("session-start", source="startup")
    at_once("user-prompt-submit", prompt="Work")
    for number, session in enumerate(sessions):
        session.record("user", promptId=session.prompt_id, promptSource="sdk",
                       message={"role": "user", "content": "Work"})  # fmt: skip
        session.write(f"f{number}.py", f"{number}\n")
        session.answer({"type": "text", "text": "Done."})
    at_once("stop", last_assistant_message="Done.")
    before = picture(world)
    goes_on(world, links=[world.a, world.b, *sessions])
    slots = world.story.linked()["slots"]
    for number, session in enumerate(sessions):
        assert slots[session.id]["files_touched"] == [f"f{number}.py"]
    assert before.transcripts
    return "nothing lost"


def _point(world: World, prompt: str) -> str:
    points = (point for point in world.points() if point["message"] == prompt)
    return str(next(point["id"] for point in points if not point["condensation_id"]))


def hook_and_rewind(world: World) -> str:
    """A prompt is given while a rewind runs: it happens before the turn, or is refused because of it."""
    before, words = picture(world), ("rewind", "--to", _point(world, "Improve it"))
    world.ok(*words)
    after = picture(world)
    world.restore()
    rewind = _start(world, words)
    prompt = _start(world, hook("user-prompt-submit"), world.payload(world.b, "user-prompt-submit", prompt="Next"))
    polite(_end(prompt))
    ended = _end(rewind)
    assert ended.status in (0, 1) and b"internal" not in ended.err, ended.err
    is_done = bool(same(picture(world), before, after))
    assert is_done == (ended.status == 0)
    world.b.stop()
    sound(world)
    goes_on(world, links=[world.a, world.b] if "b.py" in open_files(world.story) else [world.a])
    return "rewound" if is_done else "refused"


def two_rewinds(world: World) -> str:
    """Two rewinds to two points: one after the other, or one is refused; what there is, is one of the two points."""
    pictures = [picture(world)]
    commands = [("rewind", "--to", _point(world, prompt)) for prompt in ("Improve it", "Something else")]
    for words in commands:
        world.ok(*words)
        pictures.append(picture(world))
        world.restore()
    children = [_start(world, words) for words in commands]
    ended = [_end(child) for child in children]
    assert all(process.status in (0, 1) and b"internal" not in process.err for process in ended), ended
    now = picture(world)
    files = [state.files for state in pictures]
    transcripts = [state.transcripts for state in pictures]
    assert now.files in files and now.transcripts in transcripts
    assert now.files != files[0] and any(process.status == 0 for process in ended)
    world.ok("rewind", "--undo", "--yes")
    assert picture(world).files in files
    sound(world)
    goes_on(world, links=[world.a, world.b] if "b.py" in open_files(world.story) else [world.a])
    return "both" if all(process.status == 0 for process in ended) else "one"


def _in_the_end(world: World, *words: str) -> None:
    """Run a command; ``git gc`` deletes empty folders of objects under the hands of any git that writes one, which then
    fails, and with it the command: nothing has changed then, and it works the next time.
    """
    before = picture(world)
    for _ in range(5):
        ended = world.entire(*words)
        if ended.status == 0:
            return
        assert b"entire: git " in ended.err, ended.err
        now = picture(world)
        assert (now.files, now.index, now.transcripts) == (before.files, before.index, before.transcripts)
    raise AssertionError(ended.err)


def git_beside(world: World) -> str:
    """Turns, commits, rewinds and undos while ``git gc`` and ``git repack -ad`` run again and again."""
    over = threading.Event()
    runs = [0]

    def collect() -> None:
        while not over.is_set():
            for command in (("gc", "-q"), ("repack", "-adq"), ("pack-refs", "--all", "--prune")):
                subprocess.run(["git", *command], cwd=world.story.root, capture_output=True, check=False)
                runs[0] += 1

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        before = picture(world)
        point = _point(world, "Improve it")
        for number in range(4):
            _in_the_end(world, "rewind", "--to", point)
            _in_the_end(world, "rewind", "--undo", "--yes")
            now = picture(world)
            assert (now.files, now.index, now.transcripts) == (before.files, before.index, before.transcripts)
            with world.a.turn(f"Beside {number}"):
                world.a.write(f"g{number}.py", f"{number}\n")
            before = picture(world)
    finally:
        over.set()
        thread.join()
    goes_on(world, links=[world.a, world.b])
    assert runs[0] > 2
    return "nothing lost"


def index_is_locked(world: World) -> str:
    """Somebody holds ``index.lock``: hooks and a rewind of files go on, a rewind by branch is refused."""
    world.story.git("commit", "-q", "--allow-empty", "-m", "On top")
    lock = world.story.path(".git/index.lock")
    lock.write_bytes(b"somebody's")
    before = picture(world)
    with world.a.turn("Beside a lock"):
        world.a.write("l.py", "l\n")
    then = picture(world)
    assert then.index_bytes == before.index_bytes
    point = next(str(point["condensation_id"]) for point in world.points() if point["condensation_id"])
    ended = world.entire("rewind", "--to", point, "--reset")
    assert ended.status == 1 and b"holds the index" in ended.err, ended
    same(picture(world), then)
    world.ok("rewind", "--to", _point(world, "Improve it"))
    assert picture(world).index_bytes == before.index_bytes
    world.ok("rewind", "--undo", "--yes")
    same(picture(world), then)
    assert lock.read_bytes() == b"somebody's"
    lock.unlink()
    goes_on(world)
    return "nothing lost"


def half_rewound_and_the_agent_goes_on(world: World) -> str:
    """A rewind is killed in the middle of its writes, and the agent works on before anybody finishes it: what it does
    then is never overwritten.
    """
    words = ("rewind", "--to", _point(world, "Improve it"))
    calls = world.entire(*words, fault=Fault("kill")).calls
    found = set()
    for count in range(calls // 2, calls, 7):
        world.restore()
        world.entire(*words, fault=Fault("kill", count))
        truth.go_on_from_file(world.a)
        with world.a.turn("Goes on"):
            world.story.write("hello.py", f"new {count}\n")
            world.a.write("new.py", "new\n")
        talk = world.a.file.read_bytes()
        world.ok("rewind", "--to", world.points()[0]["id"], "--preview")
        assert world.story.read("hello.py") == f"new {count}\n"
        assert world.story.read("new.py") == "new\n"
        assert world.a.file.read_bytes() == talk
        sound(world)
        found.add(world.story.path("b.py").exists())
    return "nothing new lost"


CROWDS: Mapping[str, Callable[[World], str]] = {
    f"{MANY} hooks at once": many_hooks,
    "a prompt and a rewind at once": hook_and_rewind,
    "two rewinds at once": two_rewinds,
    "git gc, repack and pack-refs beside": git_beside,
    "index.lock is held": index_is_locked,
    "a killed rewind, and the agent goes on": half_rewound_and_the_agent_goes_on,
}
