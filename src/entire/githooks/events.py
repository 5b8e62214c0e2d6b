"""Git as a source of events: translates the arguments and environment of a git hook."""

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


def parse_hook(name: str, args: Sequence[str], env: Mapping[str, str]) -> GitEvent | None:
    """Return the event of a git hook's call; None for a hook without one."""
    if name == "prepare-commit-msg" and args:
        return GitEvent(
            type=EventType.PREPARE_COMMIT,
            message_file=args[0],
            message_source=args[1] if len(args) > 1 else "",
            environment={variable: env[variable] for variable in VARIABLES if variable in env},
        )
    if name == "post-commit":
        return GitEvent(type=EventType.GIT_COMMIT)
    if name == "pre-push":
        return GitEvent(type=EventType.PRE_PUSH, remote=args[0] if args else "")
    return None
