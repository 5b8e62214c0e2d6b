"""Git as a source of events: what a hook script hands over, and who runs git."""

from __future__ import annotations

from entire.model.events import EventType, GitEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLES = (
    "ENTIRE_TEST_TTY",
    "GIT_AUTHOR_DATE",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
)
SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "DEMO_AGENT_SESSION_ID")
"""What agents set in the shells they run: a commit made there was made by that session's agent."""


def parse_hook(name: str, args: Sequence[str], env: Mapping[str, str]) -> GitEvent | None:
    """Translate a call of a git hook; None for one that means nothing."""
    if name == "prepare-commit-msg" and args:
        return GitEvent(
            type=EventType.PREPARE_COMMIT,
            message_file=args[0],
            message_source=args[1] if len(args) > 1 else "",
            session_id=next((env[name] for name in SESSION_VARIABLES if env.get(name)), ""),
            environment={name: env[name] for name in VARIABLES if name in env},
        )
    if name == "post-commit":
        return GitEvent(type=EventType.GIT_COMMIT)
    if name == "pre-push":
        return GitEvent(type=EventType.PRE_PUSH, remote=args[0] if args else "")
    return None
