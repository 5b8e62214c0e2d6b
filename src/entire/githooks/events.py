"""Git as a source of events: what a hook script hands over, and who runs git."""

from __future__ import annotations

from entire.model.events import Event, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FACTS = ("GIT_INDEX_FILE", "GIT_DIR", "GIT_WORK_TREE", "GIT_AUTHOR_DATE", "GIT_EDITOR", "GIT_PREFIX")
SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "DEMO_AGENT_SESSION_ID")
"""What agents set in the shells they run: a commit made there was made by that session's agent."""


def parse_hook(name: str, args: Sequence[str]) -> Event | None:
    """Translate a git hook into its event; prepare-commit-msg is none, because nothing has happened yet."""
    if name == "post-commit":
        return Event(type=EventType.GIT_COMMIT, session_id="")
    if name == "pre-push":
        return Event(type=EventType.PRE_PUSH, session_id="", source=args[0] if args else "")
    return None


def facts(env: Mapping[str, str]) -> dict[str, str]:
    """Return what git told the hook by its environment, before that is cleaned for our own git commands."""
    return {name: env[name] for name in FACTS if name in env}


def calling_session(env: Mapping[str, str]) -> str:
    """Return the session id that an agent put into the environment of git, or ''."""
    return next((env[name] for name in SESSION_VARIABLES if env.get(name)), "")
