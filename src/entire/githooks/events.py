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


def parse_hook(name: str, args: Sequence[str], env: Mapping[str, str]) -> GitEvent | None:
    """Translate a call of a git hook; None for one that means nothing."""
    if name == "prepare-commit-msg" and args:
        return GitEvent(
            type=EventType.PREPARE_COMMIT,
            message_file=args[0],
            message_source=args[1] if len(args) > 1 else "",
            environment={name: env[name] for name in VARIABLES if name in env},
        )
    if name == "post-commit":
        return GitEvent(type=EventType.GIT_COMMIT)
    if name == "pre-push":
        return GitEvent(type=EventType.PRE_PUSH, remote=args[0] if args else "")
    return None
