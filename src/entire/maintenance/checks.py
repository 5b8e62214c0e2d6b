"""What can be wrong in a repository: one function per check of ``doctor.CHECKS``. None of them writes anything."""

from __future__ import annotations

import os

from entire import files, log, settings
from entire.agents import registry
from entire.errors import CorruptError
from entire.git import history, program
from entire.git.read import Objects
from entire.githooks import install
from entire.lifecycle import liveness
from entire.maintenance import clean
from entire.maintenance.repository import Repository, is_committing
from entire.model import jsontext, trailers
from entire.model.ids import CheckpointId
from entire.model.times import parse_time
from entire.model.views import FindingView
from entire.store import browse, checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.model.session import Session

ERROR, WARNING, NOTE = "error", "warning", "note"
SHOWN = 5
_HASHES = 20  # transcripts whose hash is compared, the newest: it is only a diagnostic


class Case:
    """What the checks look at: asked once, when a check needs it."""

    def __init__(self, place: Place, now: float) -> None:
        self.place = place
        self.now = now
        self.settings = settings.load(place)
        self.objects = Objects(place.top)
        self._ground: Repository | None = None

    @property
    def repository(self) -> Repository:
        """The repository as it stands."""
        if self._ground is None:
            self._ground = Repository(self.place, self.now)
        return self._ground

    def close(self) -> None:
        """End the helper processes."""
        self.objects.close()


def finding(severity: str, message: str, hint: str = "", *, fixable: bool = False) -> FindingView:
    """Return a finding; the table says of which check."""
    return FindingView(severity=severity, message=message, hint=hint, fixable=fixable)


def git_program(case: Case) -> Iterator[FindingView]:
    """The git program is there and new enough."""
    found = program.version(case.place.top)
    if found and found < program.OLDEST:
        names = [".".join(map(str, one)) for one in (found, program.OLDEST)]
        yield finding(ERROR, f"git {names[0]} is too old", f"install git {names[1]} or newer")


def enabled(case: Case) -> list[FindingView]:
    """Tell where Entire does nothing."""
    if case.settings is None:
        said = "Entire is not enabled in this repository"
        return [FindingView(check="settings", severity=NOTE, message=said, hint="`entire enable` starts it")]
    if not case.settings.enabled:
        said = "Entire is disabled here"
        return [FindingView(check="settings", severity=NOTE, message=said, hint="`entire enable` turns it on again")]
    return []


# ---------------------------------------------------------------- settings


def settings_files(case: Case) -> Iterator[FindingView]:
    """Settings that cannot be understood."""
    broken = broken_settings(case.place)
    for path, in_conflict in broken.items():
        hint = "resolve the conflict in it" if in_conflict else "it is put aside as *.broken, and written anew"
        yield finding(ERROR, f"{path} holds no JSON object", hint, fixable=not in_conflict)
    for warning in case.settings.warnings if case.settings is not None else ():
        if not any(warning.startswith(path) and "no JSON object" in warning for path in broken):
            yield finding(WARNING, warning, "it does not count until it is corrected")


def broken_settings(place: Place) -> dict[str, bool]:
    """Return the settings files that are no JSON objects, and whether there are conflict markers of git in them."""
    found = {}
    for path in (place.settings, place.main_local_settings, place.local_settings, place.own_options):
        try:
            data = files.read(path) if path else None
        except OSError:
            continue  # settings.load warns of it
        if data is None:
            continue
        try:
            value = jsontext.loads(data.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            found[path] = b"<<<<<<<" in data
    return found


# ---------------------------------------------------------------- sessions and commits


def pending_commit(case: Case) -> Iterator[FindingView]:
    """A commit that was decided and never carried out."""
    path = case.place.pending_file
    if not os.path.exists(path) or is_committing(case.place):
        return
    try:
        files.read_json(path)
    except CorruptError:
        return  # broken_files tells of it
    yield finding(
        WARNING,
        "the checkpoint of a commit was not written yet (its hook was killed)",
        "it is written now",
        fixable=True,
    )


def stuck_sessions(case: Case) -> Iterator[FindingView]:
    """Sessions with a turn in progress whose agent is gone."""
    for one in case.repository.states:
        if is_stuck(one, case.now):
            yield finding(
                WARNING,
                f"session {one.session_id}: its agent is gone within a turn",
                "the turn is saved as far as it came",
                fixable=True,
            )
        elif one.turn_checkpoints and not one.is_running:
            yield finding(
                WARNING,
                f"session {one.session_id}: its last checkpoints are not complete",
                "they are completed from the transcript",
                fixable=True,
            )


def is_stuck(session: Session, now: float) -> bool:
    """Tell whether a turn is in progress and its agent gone."""
    return liveness.has_lost_turn(session, now, silence=liveness.AN_HOUR)


# ---------------------------------------------------------------- hooks


def git_hooks(case: Case) -> Iterator[FindingView]:
    """Git hooks that are missing, broken or somebody else's."""
    for problem in install.health(case.place.top):
        by_hand = " does not call entire" in problem or problem.startswith("core.hooksPath")
        other = "another version" in problem
        hint = "change it by hand" if by_hand else "it is installed again; a hook of somebody else's runs after ours"
        yield finding(WARNING if other else ERROR, problem, hint, fixable=not by_hand)


def agents(_case: Case) -> Iterator[FindingView]:
    """Agents of installed packages that cannot be used."""
    for problem in registry.problems():
        yield finding(WARNING, problem, "reinstall or remove the package that brings it")


def agent_hooks(case: Case) -> Iterator[FindingView]:
    """Agents that are connected in part, or not at all."""
    found = registry.installed(case.place.top)
    for one in found:
        if not one.is_whole:
            yield finding(
                WARNING,
                f"{one.agent_type}: hooks in {one.path} are missing, or not as this version writes them",
                "they are written again",
                fixable=True,
            )
    if not found:
        yield finding(
            WARNING, "no agent has hooks here: sessions are not seen", "`entire enable --agent NAME` installs them"
        )


# ---------------------------------------------------------------- checkpoints


def dangling_links(case: Case) -> Iterator[FindingView]:
    """Commits of this branch that name a checkpoint which is stored nowhere here."""
    lost = lost_links(case)
    remotes = history.remotes(case.place.top) if lost else []
    hint = (
        f"it is looked for on {' and '.join(remotes)}"
        if remotes
        else "the commit is as good as ever; where its session was kept in another clone, push "
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
    """Return the commits of this branch with the checkpoints that they name in vain, the newest first."""
    found = history.containing(case.place.top, trailers.CHECKPOINT, start="HEAD")
    linked = {one.oid: trailers.checkpoint_ids(one.message) for one in found}
    names = sorted({name for ids in linked.values() for name in ids})
    stored = browse.listed(case.place.top, list(checkpoints.tips(case.place.top).values()), names) if names else {}
    lost = {commit: [name for name in ids if name not in stored] for commit, ids in linked.items()}
    return {commit: ids for commit, ids in lost.items() if ids}


def damaged_checkpoints(case: Case) -> Iterator[FindingView]:
    """Checkpoints with missing or unreadable parts, and transcripts that are not as their hash says."""
    tips = list(checkpoints.tips(case.place.top).values())
    newest: list[tuple[float, CheckpointId]] = []
    for entry in checkpoints.list_all(case.place.top, tips):
        found = checkpoints.read(case.objects, tips, entry.id)
        if found is None:
            continue
        if found.problems:
            yield finding(
                WARNING,
                f"checkpoint {found.id}: {'; '.join(found.problems)}",
                "what is there can still be read; another clone may have it whole",
            )
        newest.append((max((parse_time(one.created_at) for one in found.records), default=0.0), found.id))
    for _, name in sorted(newest, reverse=True)[:_HASHES]:
        found = checkpoints.read(case.objects, tips, name)
        for slot in found.slots if found is not None else ():
            if checkpoints.hash_matches(case.objects, slot) is False:
                yield finding(
                    NOTE,
                    f"checkpoint {name}: the transcript of session "
                    f"{slot.session_id or slot.number} is not as its hash says",
                    "old versions hashed before they removed secrets",
                )


# ---------------------------------------------------------------- the rest


def clutter(case: Case) -> Iterator[FindingView]:
    """What `entire clean` would remove."""
    found = [one for one in clean.find(case.place, now=case.now).items if one.kind != "kept steps"]
    if found:
        kinds = sorted({one.kind for one in found})
        yield finding(
            NOTE, f"there is what nobody needs: {len(found)} in all ({', '.join(kinds)})", "`entire clean` removes it"
        )


def logged_errors(case: Case) -> Iterator[FindingView]:
    """Errors that hooks wrote into the log: nobody else would see them."""
    count = log.failures(case.place.log)
    if count:
        yield finding(NOTE, f"errors in {case.place.log}: {count}", "the last lines tell more")
