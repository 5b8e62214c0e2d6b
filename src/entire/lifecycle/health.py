"""``entire doctor``: what is wrong in a repository, and putting it right. Looking writes nothing.

``CHECKS`` is the table: each check has a function in ``symptoms`` that finds, and where something can be done about it
one in ``remedies``.
"""

from __future__ import annotations

from entire.errors import EntireError, LockTimeoutError
from entire.lifecycle import breakage, remedies, symptoms
from entire.lifecycle.symptoms import Case, Finding
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.layout import Place

    Check = Callable[[Case], Iterable[Finding]]
    Remedy = Callable[[Case], None]

CHECKS: dict[str, tuple[Check, Remedy | None]] = {
    "git": (symptoms.git_program, None),
    "settings": (symptoms.settings_files, remedies.settings_files),
    "permissions": (breakage.permissions, None),
    "lock": (breakage.lock, None),
    "broken files": (breakage.broken_files, remedies.broken_files),
    "transactions": (breakage.unfinished, remedies.unfinished),
    "refs": (breakage.broken_refs, remedies.broken_refs),
    "journal": (breakage.lost_objects, remedies.lost_objects),
    "commits": (symptoms.pending_commit, remedies.pending_commit),
    "sessions": (symptoms.stuck_sessions, remedies.stuck_sessions),
    "git hooks": (symptoms.git_hooks, remedies.git_hooks),
    "agent hooks": (symptoms.agent_hooks, remedies.agent_hooks),
    "links": (symptoms.dangling_links, remedies.dangling_links),
    "checkpoints": (symptoms.damaged_checkpoints, None),
    "clutter": (symptoms.clutter, None),
    "log": (symptoms.logged_errors, None),
}
"""Name of a check: what finds, and what repairs. In the order of repair: later ones build on earlier ones."""
_ALWAYS = ("git", "settings", "permissions")
_WHERE_ENABLED = ("sessions", "commits", "git hooks", "agent hooks")


def examine(place: Place, *, now: float) -> list[Finding]:
    """Return what is found, in the order of the table; a check that cannot be done is a finding itself."""
    case = Case(place, now)
    try:
        found = _ask("git", case)
        if found:  # nothing else could be asked
            return found
        state = symptoms.enabled(case)
        names = [one for one in CHECKS if one != "git"]
        if case.settings is None or not breakage.can_read(place):
            names = [one for one in names if one in _ALWAYS]
        elif not case.settings.enabled:
            names = [one for one in names if one not in _WHERE_ENABLED]
        return [*state, *(finding for name in names for finding in _ask(name, case))]
    finally:
        case.close()


def _ask(name: str, case: Case) -> list[Finding]:
    try:
        return [replace(one, check=name) for one in CHECKS[name][0](case)]
    except (EntireError, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [Finding(check=name, severity=symptoms.ERROR, message=f"could not be checked: {_words(error)}",
                        hint=error.hint if isinstance(error, EntireError) else "")]  # fmt: skip


def repair(place: Place, findings: Sequence[Finding], *, now: float) -> list[str]:
    """Repair what can be repaired; return what went wrong in doing so."""
    wanted = {one.check for one in findings if one.fixable}
    failed: list[str] = []
    for name, (_, remedy) in CHECKS.items():
        if name not in wanted or remedy is None:
            continue
        case = Case(place, now)
        try:
            remedy(case)
        except LockTimeoutError as error:
            return [*failed, f"{name}: {error.message}"]
        except (EntireError, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
            failed.append(f"{name}: {_words(error)}")
        finally:
            case.close()
    return failed


def compare(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """Return what was repaired, then what is left."""
    left = {(one.check, one.message) for one in after}
    gone = [one for one in before if one.severity != symptoms.NOTE and (one.check, one.message) not in left]
    return [*(replace(one, fixed=True) for one in gone), *after]


def is_healthy(findings: Sequence[Finding]) -> bool:
    """Tell whether nothing is left but notes."""
    return all(one.fixed or one.severity == symptoms.NOTE for one in findings)


def _words(error: Exception) -> str:
    if isinstance(error, EntireError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}"
    return f"{type(error).__name__}"
