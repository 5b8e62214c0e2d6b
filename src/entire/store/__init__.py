"""Session states, the worktree's journal, steps and checkpoints, as stored on disk and in git."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.redact import Redactor


def redactor_of(place: Place) -> Redactor:
    """Return what redacts all that a worktree stores: with its own rules, with its exceptions if they are this person's
    own, and with what the repository remembers.
    """
    from entire.redact import Redactor, Sources

    def is_own() -> bool:
        from entire.git import tracked

        return tracked.is_own(place.redact_config)

    sources = Sources(config=place.redact_config, memory=place.known_secrets, trusted=place.trusted_exceptions)
    return Redactor(sources, is_own)
