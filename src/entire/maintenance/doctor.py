"""``entire doctor``: finds problems in a repository and repairs them. Checks never write.

``CHECKS`` is the table: each check has a function in ``checks`` or ``corruption``, and where a repair is possible,
one in ``repairs``.
"""

from __future__ import annotations

from entire.errors import EntireError, LockTimeoutError
from entire.maintenance import checks, corruption, repairs
from entire.maintenance.checks import Case
from entire.model.value import replace
from entire.model.views.maintenance import DoctorView, FindingView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.layout import Place
    from entire.model.requests import DoctorRequest

    Check = Callable[[Case], Iterable[FindingView]]
    Remedy = Callable[[Case], None]

CHECKS: dict[str, tuple[Check, Remedy | None]] = {
    "git": (checks.git_program, None),
    "settings": (checks.settings_files, repairs.settings_files),
    "foreign files": (checks.foreign_files, None),
    "redaction": (checks.redaction, None),
    "permissions": (corruption.permissions, None),
    "lock": (corruption.lock, None),
    "broken files": (corruption.broken_files, repairs.broken_files),
    "git's locks": (corruption.standing_locks, repairs.stale_locks),
    "transactions": (corruption.unfinished, repairs.unfinished),
    "refs": (corruption.broken_refs, repairs.broken_refs),
    "journal": (corruption.lost_objects, repairs.lost_objects),
    "commits": (checks.pending_commit, repairs.pending_commit),
    "sessions": (checks.stuck_sessions, repairs.stuck_sessions),
    "git hooks": (checks.git_hooks, repairs.git_hooks),
    "agents": (checks.agents, None),
    "plugins": (checks.used_plugins, repairs.plugin_failures),
    "agent hooks": (checks.agent_hooks, repairs.agent_hooks),
    "recording": (checks.unrecorded_sessions, None),
    "links": (checks.dangling_links, repairs.dangling_links),
    "forgotten": (checks.forgetful_remotes, repairs.returned_secrets),
    "objects": (corruption.missing_files, None),
    "checkpoints": (checks.damaged_checkpoints, None),
    "clutter": (checks.clutter, None),
    "log": (checks.logged_errors, None),
}
"""Name of a check: how it is done and how it is repaired. In the order of repair: later repairs need earlier ones."""
_ALWAYS = ("git", "settings", "foreign files", "permissions")
_WHERE_ENABLED = ("sessions", "commits", "git hooks", "plugins", "agent hooks", "recording")


def diagnose(place: Place, request: DoctorRequest, *, now: Callable[[], float]) -> DoctorView:
    """Return the findings; with ``fix``, repair what can be repaired, and return what was fixed and what is left."""
    findings = examine(place, now=now())
    if not request.fix or not any(each.fixable for each in findings):
        return DoctorView(findings=tuple(findings))
    failed = repair(place, findings, now=now())
    return DoctorView(findings=tuple(compare(findings, examine(place, now=now()))), failed=tuple(failed))


def examine(place: Place, *, now: float) -> list[FindingView]:
    """Return the findings in the order of the table; a check that fails is a finding itself."""
    case = Case(place, now)
    try:
        findings = _check("git", case)
        if findings:  # the other checks need git
            return findings
        notes = checks.enabled(case)
        names = [name for name in CHECKS if name != "git"]
        if case.settings is None or not corruption.can_read(place):
            names = [name for name in names if name in _ALWAYS]
        elif not case.settings.enabled:
            names = [name for name in names if name not in _WHERE_ENABLED]
        return [*notes, *(finding for name in names for finding in _check(name, case))]
    finally:
        case.close()


def _check(name: str, case: Case) -> list[FindingView]:
    try:
        return [replace(finding, check=name) for finding in CHECKS[name][0](case)]
    except (EntireError, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [FindingView(check=name, severity=checks.ERROR, message=f"could not be checked: {_describe(error)}",
                        hint=error.hint if isinstance(error, EntireError) else "")]  # fmt: skip


def repair(place: Place, findings: Sequence[FindingView], *, now: float) -> list[str]:
    """Repair what can be repaired; return the failures."""
    wanted = {finding.check for finding in findings if finding.fixable}
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
            failed.append(f"{name}: {_describe(error)}")
        finally:
            case.close()
    return failed


def compare(before: Sequence[FindingView], after: Sequence[FindingView]) -> list[FindingView]:
    """Return what was fixed, then what is left."""
    left = {(finding.check, finding.message) for finding in after}
    gone = [
        finding
        for finding in before
        if finding.severity != checks.NOTE and (finding.check, finding.message) not in left
    ]
    return [*(replace(finding, fixed=True) for finding in gone), *after]


def _describe(error: Exception) -> str:
    if isinstance(error, EntireError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}"
    return f"{type(error).__name__}"
