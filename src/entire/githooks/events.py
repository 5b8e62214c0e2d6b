"""Git as a source of events: translates the arguments and environment of a git hook."""

from __future__ import annotations

from entire.model.events import EventType, GitEvent, PushedRef

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


def parse_hook(name: str, args: Sequence[str], env: Mapping[str, str], given: bytes = b"") -> GitEvent | None:
    """Return the event of a git hook's call; None for a hook without one. ``given``: its standard input."""
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
        return GitEvent(type=EventType.PRE_PUSH, remote=args[0] if args else "", pushed=_pushed(given))
    return None


def _pushed(given: bytes) -> tuple[PushedRef, ...]:
    lines = given.decode("utf-8", "surrogateescape").split("\n")
    rows = (line.rsplit(" ", 3) for line in lines)
    return tuple(PushedRef(source=words[0], new=words[1], ref=words[2], old=words[3]) for words in rows
                 if len(words) == 4)  # fmt: skip
