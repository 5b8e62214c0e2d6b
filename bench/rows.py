"""The rows of the table: what is played, what is measured, and the budgets.

Floor and subject alternate, so that a slow moment of the machine affects both; the fastest time of each counts.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import blamed, conversations, range_stories
from bench.agents import CLAUDE_CODE, GEMINI_CLI, PYTHON_PLUGIN, SHELL_PLUGIN, Agent
from bench.installed import ROOT
from bench.play import Session
from bench.processes import Programs, Spent, count_git
from bench.results import Result, ms
from bench.worlds import Kind, World

STATUS_FACTOR = 1.3
TURN_BUDGET = 3.0
COMMIT_BUDGET = 5.0
TURN_COMMIT_BUDGET = 8.0  # as of a turn's end and a commit
AWAY_BUDGET = 1.0
START_BUDGET = 2.5
REFUSAL_BUDGET = 0.5  # ours: the launcher alone, no interpreter
DISK_BUDGET = 1.3
REDACTION_BUDGET = 50.0
DENSE = {"10,000 tokens": 5, "bcrypt": 1.5}  # MB
DENSE_BUDGET = 1.0  # seconds of processor time
FIRST_TURN_BUDGET = 1.3  # times compression and redaction; 2 s on the machine of the budgets
FIRST_TURN_BYTES = 50_000_000
COMMAND_BUDGET = 0.3
BLAME_FACTOR = 1.5
BLAMED_LINES, BLAMED_COMMITS = 5_000, 500
HISTORY_BUDGET = 0.15
REWIND_BUDGET = 6.0
REWOUND_FILES = 20
MEMORY_BUDGET = 64.0
SEARCH_BUILD_BUDGET = 20_000.0
SEARCH_ANSWER_BUDGET = 10.0
STORY_FIRST_BUDGET, STORY_BUDGET = 3.0, 0.5
SEARCH_FIRST_BUDGET = 20.0

KINDS = (
    Kind("small"),
    Kind("medium", files=10_000),
    Kind("large", files=100_000),
    Kind("ignored", ignored=100_000),
    Kind("sessions", sessions=500),
    Kind("checkpoints", checkpoints=10_000),
    Kind("long", transcript=12_000_000, growth=50_000),  # each commit hashes the whole transcript
    Kind("transcript", transcript=100_000_000, growth=50_000),
    Kind("gemini", agent=GEMINI_CLI),
    Kind("gemini-long", transcript=12_000_000, growth=50_000, agent=GEMINI_CLI),  # stored in one piece
    Kind("plugin", agent=SHELL_PLUGIN),
    Kind("plugin-long", transcript=12_000_000, growth=50_000, agent=SHELL_PLUGIN),
    Kind("plugin-python", agent=PYTHON_PLUGIN),
)
TURN_COMMITS = ("small", "medium", "large")  # where turns that auto-commit commits are measured
AGENT_COMMITS = ("small", "transcript", "gemini")  # where commits by the agent during its turn are measured too
MEMORY = "transcript"  # where memory is measured
LISTED = 5_000
TURNS, TURN_BYTES, TURNS_A_COMMIT = 100, 50_000, 10
REDACTED_MB = 100


@dataclass
class Run:
    """A run of the benchmarks: its programs, the folder for its worlds, its size."""

    programs: Programs
    folder: Path
    repeat: int
    divide: int = 1  # 10 with --quick
    is_selected: Callable[[str], bool] = bool
    bare: list[float] = field(default_factory=list)

    @property
    def p(self) -> float:
        """P of this run so far."""
        return min(self.bare)

    def start(self) -> None:
        """Measure P once more."""
        self.bare.append(self.programs.bare())

    def smaller(self, kind: Kind) -> Kind:
        """Return ``kind``, scaled down for this run."""
        numbers = {
            name: getattr(kind, name) // self.divide for name in ("ignored", "sessions", "checkpoints", "transcript")
        }
        return replace(kind, files=max(100, kind.files // self.divide), **numbers)

    def world(self, name: str, agent: Agent = CLAUDE_CODE) -> World:
        return World(self.folder / name, self.programs, agent)


Group = tuple[tuple[str, ...], Callable[[Run], Iterator[Result]]]


def groups() -> list[Group]:
    """Return all rows, in groups that are measured together."""
    found: list[Group] = [(("start", "refusal"), _starts)]
    for kind in KINDS:
        names = [f"{action}@{kind.name}" for action in ("turn-start", "turn-end", "commit", "commit-away")]
        if kind.name == MEMORY:
            names.append("memory")
        if kind.name in AGENT_COMMITS:
            names += [f"agent-commit@{kind.name}", f"turn-end-after@{kind.name}"]
        found.append((tuple(names), lambda run, kind=kind: _matrix(run, run.smaller(kind))))  # type: ignore[misc]
    for kind in (kind for kind in KINDS if kind.name in TURN_COMMITS):
        row = f"turn-end-commit@{kind.name}"
        found.append(((row,), lambda run, kind=kind: _turn_commits(run, run.smaller(kind))))  # type: ignore[misc]
    found.append((("rewind",), _rewind))
    found.append((("disk",), _disk))
    found.append((("redaction",), _redaction))
    for agent in (CLAUDE_CODE, GEMINI_CLI):
        found.append(((f"first-turn@{agent.name}",), lambda run, agent=agent: _first_turn(run, agent)))  # type: ignore[misc]
    found.append((tuple(_BLAMES), _blames))
    found.append((("search-build", "search-answer"), _search))
    found.append((_STORIES, _stories))
    found.append((tuple(_COMMANDS), lambda run: _commands(run, LISTED, _COMMANDS, COMMAND_BUDGET)))
    for count, commands in _HISTORY.items():
        found.append((tuple(commands), lambda run, n=count, c=commands: _commands(run, n, c, HISTORY_BUDGET)))  # type: ignore[misc]
    return found


# ---------------------------------------------------------------- starting


def _starts(run: Run) -> Iterator[Result]:
    """Measure a hook that has nothing to do, and a hook in a repository where Entire is not enabled."""
    world, other = run.world("start"), run.world("refusal")
    world.enable()
    payload = json.dumps({"session_id": "a", "cwd": str(world.root)}).encode()
    nothing: list[float] = []
    refused: list[float] = []
    for _ in range(run.repeat * 3):
        run.start()
        for place, verb, times in ((world, "notification", nothing), (other, "stop", refused)):
            argv = [run.programs.entire, "hooks", world.agent.name, verb]
            times.append(run.programs.run(argv, cwd=place.root, stdin=payload).seconds)
    for row, title, times, budget in (
        ("start", "hook that has nothing to do", nothing, START_BUDGET),
        ("refusal", "hook where Entire is not enabled", refused, REFUSAL_BUDGET),
    ):
        yield Result(row, title, ms(run.p), ms(min(times)), min(times) / run.p, budget, "{} P")


# ---------------------------------------------------------------- turns and commits


@dataclass
class Times:
    """The times of a world's hooks, and of git itself at the same moments."""

    status_start: list[float] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    status_end: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    commit: list[float] = field(default_factory=list)
    plain_agent: list[float] = field(default_factory=list)
    agent: list[float] = field(default_factory=list)
    status_after: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    plain_away: list[float] = field(default_factory=list)
    away: list[float] = field(default_factory=list)
    own_start: list[float] = field(default_factory=list)  # of the agent's plugin
    own_end: list[float] = field(default_factory=list)
    git: dict[str, int] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)  # of the agent's plugin
    peak: int = 0
    first_peak: int = 0


def _matrix(run: Run, kind: Kind) -> Iterator[Result]:
    """Measure turns and commits in a world."""
    world = run.world(kind.name, kind.agent)
    world.fill(kind)
    if kind.sessions or kind.checkpoints:
        past = Session(world)
        past.turn(kind.growth)
        world.git("add", "-A")
        world.commit("past")
        world.linked()
        if kind.sessions:
            world.multiply_sessions(past.id, kind.sessions)
        if kind.checkpoints:
            world.multiply_checkpoints(kind.checkpoints)
    times = Times()
    session = Session(world, history=kind.transcript)
    # The first turn also stores the history: its time is not typical, but its memory counts.
    first = session.turn(kind.growth, peak=True)
    times.first_peak = max(spent.peak for spent in first)
    _commit_linked(world, "first")
    for number in range(run.repeat):
        _round(run, world, session, times, kind.growth, number)
    if kind.name in AGENT_COMMITS:
        for number in range(run.repeat):
            _agent_round(world, session, times, kind.growth, number)
    times.peak = max(spent.peak for spent in session.turn(kind.growth, peak=True))
    _commit_linked(world, "for memory")
    _trace(world, session, times, kind.growth)
    session.end()
    _away(run, world, times)
    if world.complaints():
        raise RuntimeError(f"hooks failed: {world.complaints()[:3]}")
    yield from _turn_results(run, kind, times)
    shutil.rmtree(world.folder)


def _commit_linked(world: World, message: str, *, env: dict[str, str] | None = None) -> Spent:
    world.git("add", "-A")
    spent = world.commit(message, env=env)
    world.linked()
    return spent


def _round(run: Run, world: World, session: Session, times: Times, growth: int, number: int) -> None:
    """Play a turn and its commit, each next to its floor."""
    run.start()
    times.plain.append(world.plain_commit(number).seconds)
    times.status_start.append(world.status().seconds)
    times.start.append(session.prompt().seconds)
    times.own_start.append(session.repeat_calls())
    session.work(growth)
    text = session.finish()
    times.status_end.append(world.status().seconds)
    times.end.append(session.stop(text).seconds)
    times.own_end.append(session.repeat_calls())
    times.commit.append(_commit_linked(world, f"turn {number}").seconds)


def _agent_round(world: World, session: Session, times: Times, growth: int, number: int) -> None:
    """Play a turn in which the agent commits; its end finalises that checkpoint with the whole turn."""
    times.plain_agent.append(world.plain_commit(30_000 + number).seconds)
    session.prompt()
    session.work(growth)
    times.agent.append(session.commit(f"by the agent {number}"))
    text = session.finish()
    times.status_after.append(world.status().seconds)
    times.after.append(session.stop(text).seconds)


def _trace(world: World, session: Session, times: Times, growth: int) -> None:
    """Play a turn and a commit with tracing, and count git's processes; the times are not used."""
    trace = world.folder / "trace.json"
    env = {"GIT_TRACE2_EVENT": str(trace)}
    world.plain_commit(10_000, env=env)
    plain = count_git(trace)
    session.prompt(env=env)
    times.git["turn-start"], times.calls["turn-start"] = count_git(trace), len(session.calls())
    session.work(growth)
    session.stop(session.finish(), env=env)
    times.git["turn-end"], times.calls["turn-end"] = count_git(trace), len(session.calls())
    _commit_linked(world, "traced", env=env)
    times.git["commit"] = count_git(trace) - plain
    world.write("d0/f1.txt", "no live session\n")
    session.end()
    world.git("add", "-A")
    world.commit("traced, no live session", env=env)
    times.git["commit-away"] = count_git(trace) - plain


def _away(run: Run, world: World, times: Times) -> None:
    """Commit without a live session."""
    if (world.root / ".git/entire/live").exists():
        raise RuntimeError("a session is still live")
    for number in range(run.repeat):
        times.plain_away.append(world.plain_commit(20_000 + number).seconds)
        world.write("d0/f1.txt", f"no live session {number}\n")
        world.write(f"work/away{number}.py", "print(1)\n" * 20)
        world.git("add", "-A")
        times.away.append(world.commit(f"no live session {number}").seconds)


def _turn_results(run: Run, kind: Kind, times: Times) -> Iterator[Result]:
    turns = [
        ("turn-start", "turn start", times.status_start, times.start, times.own_start),
        ("turn-end", "turn end", times.status_end, times.end, times.own_end),
    ]
    commits = [
        ("commit", "commit", times.plain, times.commit, COMMIT_BUDGET),
        ("commit-away", "commit without a live session", times.plain_away, times.away, AWAY_BUDGET),
    ]
    if times.agent:
        turns.append(("turn-end-after", "end of a turn with a commit", times.status_after, times.after, []))
        commits.append(("agent-commit", "commit by the agent", times.plain_agent, times.agent, COMMIT_BUDGET))
    for row, title, floor, ours, plugin in turns:
        own = min(plugin, default=0.0)
        value = (min(ours) - STATUS_FACTOR * min(floor) - own) / run.p
        called = f"plugin {ms(own)}, {times.calls.get(row)} calls" if kind.agent.plugin else ""
        yield Result(f"{row}@{kind.name}", f"{title}, {kind.title}", f"status {ms(min(floor))}", ms(min(ours)),
                     value, TURN_BUDGET, f"{STATUS_FACTOR} x + {'plugin + ' if called else ''}{{}} P",
                     times.git.get(row), note=called)  # fmt: skip
    for row, title, floor, ours, budget in commits:
        value = (min(ours) - min(floor)) / run.p
        yield Result(f"{row}@{kind.name}", f"{title}, {kind.title}", f"commit {ms(min(floor))}", ms(min(ours)),
                     value, budget, "+ {} P", times.git.get(row))  # fmt: skip
    if kind.name == MEMORY:
        steady = times.peak / 1e6
        first = times.first_peak / 1e6
        yield Result("memory", f"memory of a hook, {kind.title}", "", f"{steady:.0f} MB", max(steady, first),
                     MEMORY_BUDGET, "{} MB", note=f"first turn {first:.0f} MB")  # fmt: skip


def _turn_commits(run: Run, kind: Kind) -> Iterator[Result]:
    """Measure the ends of turns that auto-commit commits, next to `git status` and git's own commit of their files."""
    world = run.world(f"commits-{kind.name}", kind.agent)
    world.fill(kind)
    world.enable("--strategy", "auto-commit")
    session = Session(world)
    session.turn(kind.growth)
    status, commit, ours = [], [], []
    for _ in range(run.repeat):
        run.start()
        session.prompt()
        paths = session.work(kind.growth)
        text = session.finish()
        commit.append(world.plain_commit_of(paths).seconds)
        status.append(world.status().seconds)
        ours.append(session.stop(text).seconds)
        world.linked()
    trace = world.folder / "trace.json"
    session.prompt()
    paths = session.work(kind.growth)
    world.plain_commit_of(paths)
    session.stop(session.finish(), env={"GIT_TRACE2_EVENT": str(trace)})
    if world.git("status", "--porcelain") or world.complaints():
        raise RuntimeError(f"a turn was not committed; the log says: {world.complaints()[:3]}")
    floor = STATUS_FACTOR * min(status) + min(commit)
    yield Result(f"turn-end-commit@{kind.name}", f"turn end with its commit, {kind.title}",
                 f"status {ms(min(status))} + commit {ms(min(commit))}", ms(min(ours)), (min(ours) - floor) / run.p,
                 TURN_COMMIT_BUDGET, f"{STATUS_FACTOR} x + commit + {{}} P", count_git(trace))  # fmt: skip
    shutil.rmtree(world.folder)


# ---------------------------------------------------------------- rewind


def _rewind(run: Run) -> Iterator[Result]:
    """Measure rewinds back and forth by ``REWOUND_FILES`` files, next to `git status` and git's restore of them."""
    kind = run.smaller(Kind("rewind", files=100_000))
    world = run.world("rewind")
    world.fill(kind)
    session = Session(world)
    names = [f"d{number}/f{number}.txt" for number in range(1, REWOUND_FILES)]  # the last one is added and removed
    for turn in (1, 2):
        session.prompt()
        for name in names:
            world.write(name, f"{name} after turn {turn}\n" * 20)
        if turn == 2:
            world.write("work/second.txt", "second turn\n" * 20)
        session.stop(session.finish())
    points = [str(point["id"]) for point in json.loads(world.entire("rewind", "--list").output)]
    status, restore, ours = [], [], []
    for number in range(run.repeat):
        run.start()
        saved = {name: world.read(name) for name in names}
        restore.append(run.programs.run(["git", "restore", "--", *names], cwd=world.root).seconds)
        for name, text in saved.items():
            world.write(name, text)
        status.append(world.status().seconds)
        ours.append(world.entire("rewind", "--to", points[(number + 1) % 2]).seconds)
    floor = min(status) + min(restore)
    value = (min(ours) - STATUS_FACTOR * floor) / run.p
    yield Result("rewind", f"rewind by {REWOUND_FILES} files, {kind.title}", f"status + restore {ms(floor)}",
                 ms(min(ours)), value, REWIND_BUDGET, f"{STATUS_FACTOR} x + {{}} P")  # fmt: skip
    shutil.rmtree(world.folder)


# ---------------------------------------------------------------- disk


def _disk(run: Run) -> Iterator[Result]:
    """Measure what a session adds to the repository, relative to its compressed transcript."""
    world = run.world("disk")
    world.fill(Kind("disk"))
    before, start = _objects(world), world.git("rev-parse", "HEAD").strip()
    session = Session(world)
    turns = max(TURNS_A_COMMIT, TURNS // run.divide)
    for number in range(turns):
        session.turn(TURN_BYTES)
        if number % TURNS_A_COMMIT == TURNS_A_COMMIT - 1:
            _commit_linked(world, f"turn {number}")
    ours = _objects(world) - before - _commits(world, start) + _state(world)
    data = session.file.read_bytes()
    compressed = len(zlib.compress(data))
    title = f"disk, {turns} turns, {len(data) / 1e6:.1f} MB transcript, {turns // TURNS_A_COMMIT} commits"
    world.git("gc", "-q", "--prune=now")
    packed = _objects(world) + _state(world) - _commits(world, start)
    yield Result("disk", title, f"zlib {compressed / 1e6:.2f} MB", f"{ours / 1e6:.2f} MB", ours / compressed,
                 DISK_BUDGET, "{} x", note=f"{packed / compressed:.2f} x after gc")  # fmt: skip
    shutil.rmtree(world.folder)


def _objects(world: World) -> int:
    """Return the bytes of all objects on disk."""
    return sum(map(int, world.git("cat-file", "--batch-all-objects", "--batch-check=%(objectsize:disk)").split()))


def _commits(world: World, start: str) -> int:
    """Return the bytes of the objects that the user's own commits added since Entire was enabled."""
    lines = world.git("rev-list", "--objects", "main", f"^{start}").splitlines()
    oids = "".join(line.split()[0] + "\n" for line in lines)
    return sum(map(int, world.git("cat-file", "--batch-check=%(objectsize:disk)", stdin=oids.encode()).split()))


def _state(world: World) -> int:
    """Return the bytes of our files in the git directory."""
    folders = [world.root / ".git/entire", world.root / ".git/entire-sessions"]
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------- redaction, commands


def _redaction(run: Run) -> Iterator[Result]:
    """Measure the redaction of a clean transcript, in a separate process."""
    argv = [run.programs.python, "-I", str(ROOT / "bench" / "redaction.py"), "--json", str(REDACTED_MB // run.divide)]
    rates = json.loads(run.programs.run(argv, output=True).output)
    others = ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items() if name != "redact_jsonl")
    rate = rates["redact_jsonl"]
    yield Result("redaction", f"redaction, {REDACTED_MB // run.divide} MB", "", f"{rate:.0f} MB/s", rate,
                 REDACTION_BUDGET, "{} MB/s", at_least=True, note=others)  # fmt: skip
    argv = [run.programs.python, "-I", str(ROOT / "bench" / "redaction.py"), "--dense"]
    for name, seconds in json.loads(run.programs.run(argv, output=True).output).items():
        yield Result(
            "redaction", f"redaction, {name} in {DENSE[name]} MB", "", ms(seconds), seconds, DENSE_BUDGET, "{} s"
        )


def _first_turn(run: Run, agent: Agent) -> Iterator[Result]:
    """Measure the end of a session's first turn, whose transcript is all new, next to zlib and redaction of it."""
    seconds, floors = [], []
    for number in range(min(run.repeat, 5)):
        world = run.world(f"first-{agent.name}-{number}", agent)
        world.fill(Kind("first"))
        session = Session(world, history=FIRST_TURN_BYTES // run.divide)
        session.prompt()
        session.work(5_000)
        text = session.finish()
        seconds.append(session.stop(text).seconds)
        argv = [run.programs.python, "-I", str(ROOT / "bench" / "redaction.py"), "--floor", str(session.file)]
        floors.append(json.loads(run.programs.run(argv, output=True).output))
        shutil.rmtree(world.folder)
    zipped, redacted = (min(each) for each in zip(*floors, strict=True))
    title = f"end of a first turn of {FIRST_TURN_BYTES // run.divide / 1e6:g} MB, {agent.title}"
    yield Result(f"first-turn@{agent.name}", title, f"zlib {ms(zipped)} + redaction {ms(redacted)}", ms(min(seconds)),
                 min(seconds) / (zipped + redacted), FIRST_TURN_BUDGET, "{} x")  # fmt: skip


_STORIES = ("story-first", "story", "search-first", "search-then")


def _stories(run: Run) -> Iterator[Result]:
    """Measure the story of commits with long conversations, and a search in these: the first time, and then."""
    world = run.world("stories")
    count = range_stories.fill(world.root, run.divide)
    kept = world.root / ".git/entire/index"
    name = f"HEAD~{range_stories.TOLD_COMMITS}..HEAD"
    what = f"{count} transcripts"
    for rows, words, title, budgets in (
        (_STORIES[:2], ["story", name], f"story of {range_stories.TOLD_COMMITS} commits, {what}",
         (STORY_FIRST_BUDGET, STORY_BUDGET)),
        (_STORIES[2:], ["search", "deploy"], f"search in {what}", (SEARCH_FIRST_BUDGET, COMMAND_BUDGET)),
    ):  # fmt: skip
        shutil.rmtree(kept, ignore_errors=True)
        for row, budget in zip(rows, budgets, strict=True):
            spent = [run.programs.run([run.programs.entire, *words], cwd=world.root, output=True)
                     for _ in range(1 if row.endswith("first") else 3)]  # fmt: skip
            seconds = min(each.seconds for each in spent)
            first = "the first time" if row.endswith("first") else "then"
            yield Result(row, f"{title}, {first}", "", ms(seconds), seconds, budget, "{} s")
    shutil.rmtree(world.folder)


_COMMANDS = {
    "status": ["status"],
    "status-json": ["status", "--json"],
    "explain": ["explain", "HEAD"],
    "explain-id": ["explain", "--checkpoint", "{id}"],
    "list": ["explain", "--no-pager"],
    "list-all": ["explain", "--limit", "0", "--json"],
    "rewind-list": ["rewind", "--list"],
    "search": ["search", "prompt"],
}
_HISTORY = {
    600: {"log@600": ["log"], "rewind-list@600": ["rewind", "--list"]},
    10_000: {"log-first@10000": ["log", "--limit", "100"], "rewind-list@10000": ["rewind", "--list"]},
}
"""What a person waits for, by the number of checkpoints: the whole of a small history, the first page of a long one."""
_NO_SUCH_COMMAND = 2


def _commands(run: Run, listed: int, commands: dict[str, list[str]], budget: float) -> Iterator[Result]:
    """Measure the CPU time of commands that read many checkpoints; skip commands that do not exist yet."""
    world = run.world(f"commands-{listed}")
    world.fill(Kind("commands"))
    session = Session(world)
    session.turn(10_000)
    _commit_linked(world, "linked")
    count = listed // run.divide
    world.multiply_checkpoints(count)
    log = ["git", "log", "--format=%H%n%B"]
    floor = min(run.programs.run(log, cwd=world.root).cpu for _ in range(3))
    for row, words in commands.items():
        argv = [run.programs.entire, *(word.format(id=world.linked()) for word in words)]
        if not run.is_selected(row) or run.programs.run(argv, cwd=world.root, ok=(0, _NO_SUCH_COMMAND)).status:
            continue
        ours = min(run.programs.run(argv, cwd=world.root, output=True).cpu for _ in range(max(2, run.repeat // 2)))
        title = " ".join(["entire", *words]).replace("--checkpoint {id}", "CHECKPOINT")
        yield Result(row, f"{title}, {count:,} checkpoints", f"git log {ms(floor)}", ms(ours), ours, budget, "{} s CPU")
    shutil.rmtree(world.folder)


_BLAMES = {
    "why": ["why", blamed.PATH],
    "blame": ["blame", blamed.PATH],
    "blame-porcelain": ["blame", "--porcelain", blamed.PATH],
}


def _blames(run: Run) -> Iterator[Result]:
    """Compare the CPU time of ``why`` and ``blame`` with that of ``git blame`` on the same file."""
    world = run.world("blamed")
    world.fill(Kind("blamed"))
    Session(world).turn(10_000)
    _commit_linked(world, "linked")
    commits, lines = BLAMED_COMMITS // run.divide, BLAMED_LINES // run.divide
    blamed.build(world, commits, lines)
    for row, words in _BLAMES.items():
        git = ["git", "blame", *words[1:]]
        pairs = [
            (run.programs.run(git, cwd=world.root, output=True).cpu,
             run.programs.run([run.programs.entire, *words], cwd=world.root, output=True).cpu)
            for _ in range(max(2, run.repeat))
        ]  # fmt: skip
        floor, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        title = f"{' '.join(['entire', *words])}, {lines:,} lines, {commits} commits"
        yield Result(row, title, ms(floor), ms(ours), ours / floor, BLAME_FACTOR, "{} x git blame")


def _search(run: Run) -> Iterator[Result]:
    """Measure the first search of a repository with many conversations, and SQLite's slowest answer to a query."""
    world = run.world("search")
    messages = conversations.fill(world.root, conversations.MESSAGES // run.divide)
    folder = world.root / ".git/entire/index"
    times = []
    for _ in range(max(2, run.repeat // 5)):
        shutil.rmtree(folder, ignore_errors=True)
        times.append(run.programs.run([run.programs.entire, "search", "deploy"], cwd=world.root, output=True).seconds)
    rate = messages / min(times)
    yield Result("search-build", f"first search of {messages:,} messages", "", ms(min(times)), rate,
                 SEARCH_BUILD_BUDGET, "{} messages/s", at_least=True)  # fmt: skip
    asked = conversations.QUERIES.items()
    answers = {name: conversations.answer_time(folder, request, run.repeat) for name, request in asked}
    slowest = max(answers, key=lambda query: answers[query])
    yield Result("search-answer", f"SQLite's answer in {messages:,} messages", "", ms(answers[slowest]),
                 answers[slowest] * 1000, SEARCH_ANSWER_BUDGET, "{} ms", note=f"slowest: {slowest}")  # fmt: skip
    shutil.rmtree(world.folder)
