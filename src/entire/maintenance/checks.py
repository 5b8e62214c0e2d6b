"""The checks of ``doctor.CHECKS``: one function for each. They only read."""

from __future__ import annotations

import os

from entire import layout, log, settings, tree_files
from entire.agents import capabilities
from entire.commits import unfinished
from entire.directory import AgentDirectory
from entire.errors import CorruptError, MissingObjectError
from entire.git import bulk, history, program
from entire.git.read import Objects
from entire.githooks import install
from entire.maintenance import agent_setup, clean, unrecorded
from entire.maintenance.plugins import are_waited_for, find_problems, of_live_sessions
from entire.maintenance.repository import Repository, is_committing
from entire.model import jsontext
from entire.model.health import HookStatus
from entire.model.ids import CheckpointId
from entire.model.times import parse_time
from entire.model.value import replace
from entire.model.views.maintenance import FindingView
from entire.recording import liveness, pending, proposals, redact_problems
from entire.store import (
    checkpoints,
    forgotten,
    redactor_of,
    reintroduced,
    stored_contents,
    tombstones,
)
from entire.store.catalog import Catalog
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.directory import Installed
    from entire.layout import Place
    from entire.model.session import Session
    from entire.store.checkpoints import Slot

ERROR, WARNING, NOTE = "error", "warning", "note"
SHOWN = 5
_HASHES = 20  # the newest checkpoints whose transcripts are hashed: reading all would take too long


class Case:
    """What the checks examine, read on first use."""

    def __init__(self, place: Place, now: float) -> None:
        self.place = place
        self.now = now
        self.settings = settings.load(place)
        self.objects = Objects(place.top)
        self.agents = AgentDirectory.with_plugins(place)
        self._repository: Repository | None = None
        self._installed: list[Installed] | None = None
        self.redactor = redactor_of(place)

    @property
    def repository(self) -> Repository:
        if self._repository is None:
            self._repository = Repository(self.place, self.now)
        return self._repository

    @property
    def installed(self) -> list[Installed]:
        """The hooks of agents; a plugin is asked once."""
        if self._installed is None:
            self._installed = self.agents.installed(self.place.top)
        return self._installed

    def close(self) -> None:
        """End git's helper processes."""
        self.objects.close()
        self.agents.close()


def finding(severity: str, message: str, hint: str = "", *, fixable: bool = False) -> FindingView:
    """Return a finding without the name of its check, which ``doctor`` adds."""
    return FindingView(severity=severity, message=message, hint=hint, fixable=fixable)


def git_program(case: Case) -> Iterator[FindingView]:
    installed = program.version(case.place.top)
    if installed and installed < program.OLDEST:
        names = [".".join(map(str, version)) for version in (installed, program.OLDEST)]
        yield finding(ERROR, f"git {names[0]} is too old", f"install git {names[1]} or newer")


def enabled(case: Case) -> list[FindingView]:
    """Return a note if Entire is not enabled here."""
    if case.settings is None:
        message = "Entire is not enabled in this repository"
        return [FindingView(check="settings", severity=NOTE, message=message, hint="run `entire enable` to enable it")]
    if not case.settings.enabled:
        message = "Entire is disabled in this repository"
        return [FindingView(check="settings", severity=NOTE, message=message, hint="run `entire enable` to enable it")]
    return []


# ---------------------------------------------------------------- settings


def settings_files(case: Case) -> Iterator[FindingView]:
    broken = broken_settings(case.place)
    for path, in_conflict in broken.items():
        rewritten = " and writes a new one" if path == case.place.settings else ""
        repair = f"`entire doctor --fix` renames it to *.broken{rewritten}"
        hint = "resolve the merge conflict in it" if in_conflict else repair
        yield finding(ERROR, f"{path} is not a JSON object", hint, fixable=not in_conflict)
    for warning in case.settings.warnings if case.settings is not None else ():
        if not any(warning.startswith(path) for path in broken):
            yield finding(WARNING, warning, "correct it; until then it is ignored")
    for each in proposals.unfollowed(case.place, case.settings, case.redactor):
        yield finding(NOTE, each.text, each.remedy)


_CORRECT = "correct it, and run `entire redact --test FILE` to try it; the rest applies"


def foreign_files(case: Case) -> Iterator[FindingView]:
    """Find files of ours, and settings of agents, that are never opened: a repository may bring links and the like."""
    place = case.place
    folders = [place.entire_dir, *(os.path.join(place.entire_dir, name) for name in ("logs", "metadata", "tmp"))]
    own = [place.settings, place.local_settings, place.own_options, place.redact_config,
           os.path.join(place.entire_dir, ".gitignore")]  # fmt: skip
    for path in dict.fromkeys(tree_files.link_to(path) or path for path in (*folders, *own, *_project_settings(case))):
        reason = tree_files.refusal(place.top, path, is_folder=path in folders)
        if reason:
            yield finding(ERROR, f"{path} is not used: {reason}", tree_files.REMEDY)


def _project_settings(case: Case) -> Iterator[str]:
    for installer in filter(None, map(capabilities.hook_installer, AgentDirectory.without_plugins().agents())):
        paths = installer.hook_config_paths(case.place.top, "project")
        yield from (path for path in paths if tree_files.top_of(path) == case.place.top)


def redaction(case: Case) -> Iterator[FindingView]:
    """Find what is wrong with the repository's own rules and exceptions."""
    for problem in redact_problems.find(case.place):
        is_late = problem == redact_problems.UNCHECKED
        remedy = "end what a pattern repeats with a separator" if is_late else _CORRECT
        yield finding(WARNING, f"{case.place.redact_config}: {problem}", remedy)


def broken_settings(place: Place) -> dict[str, bool]:
    """Return the settings files that are not JSON objects, and whether each holds git's conflict markers."""
    broken = {}
    for path in (place.settings, place.main_local_settings, place.local_settings, place.own_options):
        try:
            data = tree_files.read(tree_files.own_top(path), path) if path else None
        except OSError:
            continue  # settings.load warns about it
        if data is None:
            continue
        try:
            value = jsontext.loads(data.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            broken[path] = b"<<<<<<<" in data
    return broken


# ---------------------------------------------------------------- sessions and commits


def pending_commit(case: Case) -> Iterator[FindingView]:
    path = case.place.pending_file
    if not os.path.exists(path) or is_committing(case.place):
        return
    try:
        decided = pending.read(case.place)
    except CorruptError:
        return  # reported by broken_files
    if decided is None or unfinished.commit_of(case.place, case.objects, decided) is None:
        message = "the record of a commit that was never made, or not linked, is left over"
        yield replace(
            finding(WARNING, message, "`entire doctor --fix` deletes it; nothing is lost", fixable=True),
            remedy="dropped",
        )
        return
    yield finding(
        WARNING,
        "a commit's checkpoint has not been written (its hook was killed)",
        "`entire doctor --fix` writes it",
        fixable=True,
    )


def stuck_sessions(case: Case) -> Iterator[FindingView]:
    """Find sessions whose agent ended during a turn, and checkpoints that were never finalised."""
    for session in case.repository.states:
        if is_stuck(session, case.now):
            yield finding(
                WARNING,
                f"session {session.session_id}: its agent exited during a turn",
                "`entire doctor --fix` saves the work of that turn",
                fixable=True,
            )
        elif session.turn_checkpoints and not session.is_running:
            yield finding(
                WARNING,
                f"session {session.session_id}: its last checkpoints are incomplete",
                "`entire doctor --fix` completes them from the transcript",
                fixable=True,
            )


def is_stuck(session: Session, now: float) -> bool:
    """Tell whether a turn is in progress although its agent has exited."""
    return liveness.has_lost_turn(session, now, silence=liveness.AN_HOUR)


# ---------------------------------------------------------------- hooks


def git_hooks(case: Case) -> Iterator[FindingView]:
    for problem in install.problems(case.place.top):
        severity = WARNING if problem.is_outdated else ERROR
        yield finding(severity, problem.message, problem.remedy, fixable=problem.installable)


def agents(case: Case) -> Iterator[FindingView]:
    """Find agents of installed packages that cannot be loaded."""
    for problem in case.agents.problems():
        yield finding(WARNING, problem, "reinstall or remove the package that provides it")


def used_plugins(case: Case) -> Iterator[FindingView]:
    """Find what keeps plugins from working that are used in this repository."""
    live = of_live_sessions(case.repository.states, case.now)
    for problem in find_problems(case.place, case.agents, live, now=case.now):
        problem_finding = finding(WARNING, problem.problem, problem.hint, fixable=problem.is_past)
        yield replace(problem_finding, remedy="dropped") if problem.is_past else problem_finding


def agent_hooks(case: Case) -> Iterator[FindingView]:
    installed = case.installed
    for hooks in installed:
        problem = agent_setup.problem(hooks.health)
        if problem:
            is_choice = hooks.health.status is HookStatus.DISABLED
            where = f" in {' and '.join(hooks.paths)}" if hooks.paths else f" of the plugin {hooks.plugin}"
            yield finding(
                NOTE if is_choice else WARNING,
                f"{hooks.agent_type}: hooks{where} {problem}",
                agent_setup.remedy(hooks.health),
                fixable=hooks.health.status in agent_setup.REPAIRABLE,
            )
    if not installed and not are_waited_for(case.agents):
        yield finding(
            WARNING,
            "no agent has hooks in this repository, so no sessions are recorded",
            "run `entire enable --agent NAME` to install them",
        )


def unrecorded_sessions(case: Case) -> Iterator[FindingView]:
    """Find sessions that an agent kept since ``enable`` and whose hooks never reached us."""
    types = unrecorded.recording(case.installed)
    for view in unrecorded.find(case.place, Catalog(case.place), types, case.agents, now=case.now):
        yield finding(WARNING, view.problem, view.hint)


# ---------------------------------------------------------------- checkpoints


def dangling_links(case: Case) -> Iterator[FindingView]:
    """Find commits of this branch whose checkpoint is not stored here."""
    lost = lost_links(case)
    remotes = history.remotes(case.place.top) if lost else []
    hint = (
        f"`entire doctor --fix` tries to fetch it from {' and '.join(remotes)}"
        if remotes
        else "the commit itself is intact; if another clone has the checkpoint, push "
        f"{checkpoints.LOCAL_REF.removeprefix('refs/heads/')} there and fetch it here"
    )
    for commit, ids in list(lost.items())[: SHOWN * 4]:
        yield finding(
            WARNING, f"commit {commit[:7]} names {_list(ids)}, which is not stored here", hint, fixable=bool(remotes)
        )
    if len(lost) > SHOWN * 4:
        yield finding(
            WARNING,
            f"{len(lost) - SHOWN * 4} more commits name checkpoints that are not stored here",
            hint,
            fixable=bool(remotes),
        )


def _list(ids: list[CheckpointId]) -> str:
    return ("checkpoint " if len(ids) == 1 else "checkpoints ") + ", ".join(ids)


def lost_links(case: Case) -> dict[str, list[CheckpointId]]:
    """Return the commits of this branch, newest first, with the checkpoints they name that are not stored here."""
    tips = list(checkpoints.tips(case.place.top).values())
    entries = CheckpointLinks(case.place.top, case.objects, tips).log(start="HEAD")
    linked = {entry.commit.oid: list(entry.checkpoint_ids) for entry in entries}
    trees = {entry.id: entry.tree for entry in checkpoints.list_all(case.place.top, tips)}
    absent = set(bulk.missing(case.place.top, list(trees.values())))
    stored = {name for name, tree in trees.items() if tree not in absent}
    gone = tombstones.all_of(case.objects, *tips)[0]
    lost = {commit: [name for name in ids if name not in stored and name not in gone] for commit, ids in linked.items()}
    return {commit: ids for commit, ids in lost.items() if ids}


def returned_secrets(case: Case) -> dict[str, str]:
    """Return the checkpoints branches, this clone's and those of remotes as last seen, with new checkpoints that have
    again what was forgotten here: ref to commit.
    """
    where = case.place.top
    if not forgotten.read(case.place.common_dir).time:
        return {}
    tips = checkpoints.tips(where)
    known = forgotten.read(case.place.common_dir).commits
    commits = reintroduced.find(case.place, case.objects, list(tips.values()))
    return {ref: tip for ref, tip in tips.items() if tip in commits.commits and tip not in known}


def forgetful_remotes(case: Case) -> Iterator[FindingView]:
    """Find remotes that still have what was forgotten here, and checkpoints that have it again."""
    for ref in returned_secrets(case):
        remote = ref.removeprefix("refs/remotes/").removesuffix(f"/{layout.METADATA_BRANCH}")
        message = ("the checkpoints branch has again what was forgotten here" if ref == checkpoints.LOCAL_REF
                   else f"{remote} has new checkpoints with what was forgotten here")  # fmt: skip
        yield finding(WARNING, message, "run `entire doctor --fix` to keep them here without it", fixable=True)
    for remote, command in forgotten.holding(case.place.top).items():
        yield finding(WARNING, f"{remote} still has what was forgotten here, so checkpoints are not pushed there",
                      f"run `{command}`")  # fmt: skip


def damaged_checkpoints(case: Case) -> Iterator[FindingView]:
    """Find checkpoints with missing or unreadable parts, and transcripts that do not match their hash."""
    tips = list(checkpoints.tips(case.place.top).values())
    newest: list[tuple[float, CheckpointId]] = []
    for entry in checkpoints.list_all(case.place.top, tips):
        checkpoint = checkpoints.read(case.objects, tips, entry.id)
        if checkpoint is None:
            continue
        if checkpoint.problems:
            yield finding(
                WARNING,
                f"checkpoint {checkpoint.id}: {'; '.join(checkpoint.problems)}",
                "the rest can still be read; look for a complete copy in another clone",
            )
        newest.append(
            (max((parse_time(record.created_at) for record in checkpoint.records), default=0.0), checkpoint.id)
        )
    for _, name in sorted(newest, reverse=True)[:_HASHES]:
        checkpoint = checkpoints.read(case.objects, tips, name)
        for slot in checkpoint.slots if checkpoint is not None else ():
            if _hash_matches(case, slot) is False:
                yield finding(
                    NOTE,
                    f"checkpoint {name}: the transcript of session "
                    f"{slot.session_id or slot.number} does not match its hash",
                    "expected for checkpoints of old versions, which hashed before redaction",
                )


def _hash_matches(case: Case, slot: Slot) -> bool | None:
    try:
        return stored_contents.hash_matches(case.objects, slot)
    except MissingObjectError:  # reported by corruption.missing_files
        return None


# ---------------------------------------------------------------- the rest


def clutter(case: Case) -> Iterator[FindingView]:
    """Find what ``entire clean`` would remove, except retained steps."""
    unused = [item for item in clean.find(case.place, now=case.now).items if item.kind != "retained steps"]
    if unused:
        kinds = sorted({item.kind for item in unused})
        number = f"{len(unused)} unused item" + ("s" if len(unused) > 1 else "")
        yield finding(NOTE, f"{number} ({', '.join(kinds)})", "run `entire clean` to list what can be removed")


def logged_errors(case: Case) -> Iterator[FindingView]:
    """Report errors in the hooks' log: hooks fail silently, so they show nowhere else."""
    count = log.failures(case.place.log)
    if count:
        yield finding(NOTE, f"errors in {case.place.log}: {count}", "read the end of that file")
