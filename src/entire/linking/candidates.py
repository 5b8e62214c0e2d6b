"""Which session a commit belongs to, if nobody says so."""

from __future__ import annotations

from entire.errors import EntireError
from entire.linking import reconstruction
from entire.model import prefix, reasons
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from entire.git.history import Logged
    from entire.linking.reconstruction import Reconstruction
    from entire.model.session import Session
    from entire.recording.context import Context

_HINT = "add --session ID, or --checkpoint ID to link it to a checkpoint that exists"
_SHOWN = 10


def choose(context: Context, commit: Logged, known: Reconstruction, name: str, reason: str) -> list[str]:
    """Return the sessions that a commit is linked to: the one called ``name`` (id or id prefix); without a name those
    with content in it, else the one that most likely made it.

    Raises EntireError if there is none, or if several are as likely.
    """
    states = {state.session_id: state for state in sessions.list_states(context.place)}
    if name:
        return [_named(states, name)]
    if known.decided.sessions:
        return [session_id for session_id in known.decided.sessions if session_id in states]
    for is_likely in _tests(context, commit, known, reason):
        likely = [state for state in states.values() if is_likely(state)]
        if len(likely) == 1:
            return [likely[0].session_id]
        if likely:
            raise EntireError(f"several sessions may have made commit {commit.oid[:7]}: {_listed(likely)}",
                              hint=_HINT)  # fmt: skip
    raise EntireError(f"no session is recorded that may have made commit {commit.oid[:7]}; nothing was changed",
                      hint=_HINT)  # fmt: skip


def _named(states: Iterable[str], name: str) -> str:
    """Return the recorded session with an id or id prefix."""
    hint = "run `entire status --detailed` to list sessions; --checkpoint ID links a checkpoint of another clone"
    return prefix.require(name, states, "session", hint)


def _tests(context: Context, commit: Logged, known: Reconstruction, reason: str) -> list[Callable[[Session], bool]]:
    """Return what speaks for a session, the strongest first."""
    recorded = reasons.NOT_RECORDED.matches(reason)
    return [
        lambda state: recorded and f" {state.session_id} " in reason,
        lambda state: state.session_id in known.touching,
        lambda state: state.session_id in known.present,
        lambda state: _began_before(context, state, commit.made_by) and context.in_this_worktree(state),
        lambda state: _began_before(context, state, commit.made_by),
    ]


def _began_before(context: Context, state: Session, moment: float) -> bool:
    """Tell whether a session had a prompt before a moment."""
    return bool(reconstruction.turn_at(context, state, moment))


def _listed(likely: list[Session]) -> str:
    """Name sessions with their prompts, the one that was seen last first."""
    likely = sorted(likely, key=lambda state: state.times.last_seen, reverse=True)
    names = [f"{state.session_id} ({state.first_prompt[:40]!r})" for state in likely[:_SHOWN]]
    more = f" and {len(likely) - _SHOWN} more" if len(likely) > _SHOWN else ""
    return ", ".join(names) + more
