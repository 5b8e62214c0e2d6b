"""``entire doctor``: what is wrong in a repository, and putting it right. Looking writes nothing.

``CHECKS`` is the table: each check has a function in ``symptoms`` that finds, and where something can be done about it
one in ``remedies``.
"""

from __future__ import annotations

from entire.errors import EntireError, LockTimeoutError
from entire.maintenance import checks, corruption, repairs
from entire.maintenance.checks import Case, Finding
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.layout import Place

    Check = Callable[[Case], Iterable[Finding]]
    Remedy = Callable[[Case], None]

CHECKS: dict[str, tuple[Check, Remedy | None]] = {
    "git": (checks.git_program, None),
    "settings": (checks.settings_files, repairs.settings_files),
    "permissions": (corruption.permissions, None),
    "lock": (corruption.lock, None),
    "broken files": (corruption.broken_files, repairs.broken_files),
    "transactions": (corruption.unfinished, repairs.unfinished),
    "refs": (corruption.broken_refs, repairs.broken_refs),
    "journal": (corruption.lost_objects, repairs.lost_objects),
    "commits": (checks.pending_commit, repairs.pending_commit),
    "sessions": (checks.stuck_sessions, repairs.stuck_sessions),
    "git hooks": (checks.git_hooks, repairs.git_hooks),
    "agents": (checks.agents, None),
    "agent hooks": (checks.agent_hooks, repairs.agent_hooks),
    "links": (checks.dangling_links, repairs.dangling_links),
    "checkpoints": (checks.damaged_checkpoints, None),
    "clutter": (checks.clutter, None),
    "log": (checks.logged_errors, None),
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
        state = checks.enabled(case)
        names = [one for one in CHECKS if one != "git"]
        if case.settings is None or not corruption.can_read(place):
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
        return [Finding(check=name, severity=checks.ERROR, message=f"could not be checked: {_words(error)}",
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
    gone = [one for one in before if one.severity != checks.NOTE and (one.check, one.message) not in left]
    return [*(replace(one, fixed=True) for one in gone), *after]


def is_healthy(findings: Sequence[Finding]) -> bool:
    """Tell whether nothing is left but notes."""
    return all(one.fixed or one.severity == checks.NOTE for one in findings)


def _words(error: Exception) -> str:
    if isinstance(error, EntireError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}"
    return f"{type(error).__name__}"
