"""Finds out which git command runs the hook, and what it was asked to do (linking.md section 4)."""

from __future__ import annotations

import os

from entire import files, process
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_SQUASHED = "Squashed commit of the following:"
_SEQUENCERS = ("rebase", "cherry-pick", "revert", "am", "merge", "pull")
_VALUE_OPTIONS = (
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
)


class GitCommand(Value):
    """The git command that runs a hook. ``command``: '' if unknown; ``outer``: a sequencer above it."""

    command: str = ""
    outer: str = ""
    amends: bool | None = None  # None: unknown
    arguments: tuple[str, ...] = ()  # of the command, up to ``--``
    pid: int = 0
    started: str = ""

    def has_option(self, name: str, letter: str = "") -> bool:
        """Tell whether an option was given, in full, shortened (``--dry``) or among other letters (``-un``)."""
        for word in self.arguments:
            if word.startswith("--"):
                if len(word) > 3 and name.startswith(word):
                    return True
            elif letter and word.startswith("-") and letter in word.partition("o")[0]:  # -o takes the rest as its value
                return True
        return False

    @property
    def cleanup(self) -> str:
        """How the message is to be cleaned up, as ``--cleanup`` says; '' without it."""
        mode = ""
        for word, following in zip(self.arguments, (*self.arguments[1:], ""), strict=False):
            name, is_joined, value = word.partition("=")
            if len(name) > 3 and "--cleanup".startswith(name):
                mode = value if is_joined else following
        return mode

    @property
    def edits(self) -> bool:
        """Tell whether an editor was asked for, with ``--edit``."""
        return self.has_option("--edit") or "-e" in self.arguments

    @property
    def picks(self) -> bool:
        """Tell whether a rebase or cherry-pick copies commits, rather than a person or agent making one."""
        return any(word in ("rebase", "cherry-pick", "am") for word in (self.command, self.outer))


def find() -> GitCommand:
    """Inspect the parent processes of this hook."""
    above = [
        program
        for program in process.ancestors(os.getppid())
        if program.name == "git" or program.name.startswith("git-")
    ]
    commands = [(program, *_command(program.argv)) for program in above]
    commands = [entry for entry in commands if entry[1]]
    if not commands:
        return GitCommand()
    nearest, command, rest = commands[0]
    outer = next((word for _, word, _ in commands[1:] if word in _SEQUENCERS), "")
    before_paths = rest[: rest.index("--")] if "--" in rest else rest
    amends = any(word.startswith("--am") and "--amend".startswith(word) for word in before_paths)
    return GitCommand(
        command=command,
        outer=outer,
        amends=amends if command == "commit" else False,
        arguments=before_paths,
        pid=nearest.pid,
        started=nearest.started,
    )


def _command(argv: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return git's subcommand and its arguments."""
    name = os.path.basename(argv[0]) if argv else ""
    if name.startswith("git-"):
        return name[4:], argv[1:]
    at = 1
    while at < len(argv):
        if argv[at] in _VALUE_OPTIONS:
            at += 2
        elif argv[at].startswith("-"):
            at += 1
        else:
            return argv[at], argv[at + 1 :]
    return "", ()


class Operation(Value):
    """Merge, pick, rebase or squash in progress, as the git directory records it."""

    merge_heads: tuple[str, ...] = ()
    picked: str = ""  # the commit of a cherry-pick or of a rebase that a conflict has stopped
    rebasing: bool = False
    message: str = ""  # of what was picked without a commit (``cherry-pick -n``)
    folds: str = ""  # the commit that a rebase folds into HEAD (squash, fixup)
    squash_message: str = ""
    squashed: tuple[str, ...] = ()  # the commits that `merge --squash` combines, oldest first


def state(place: Place) -> Operation:
    """Return the operations in progress."""
    folder = place.git_dir
    squash = (files.read(os.path.join(folder, "SQUASH_MSG")) or b"").decode("utf-8", "surrogateescape")
    return Operation(
        merge_heads=tuple((files.read(os.path.join(folder, "MERGE_HEAD")) or b"").decode("ascii", "replace").split()),
        picked=_content(folder, "CHERRY_PICK_HEAD") or _stopped_at(folder),
        message=_message(folder),
        folds=_folded_commit(folder),
        rebasing=is_rebasing(place),
        squash_message=squash,
        squashed=_squashed(squash),
    )


def _content(folder: str, name: str) -> str:
    return (files.read(os.path.join(folder, name)) or b"").decode("ascii", "replace").strip()


def _message(folder: str) -> str:
    """Return the message of a commit that was picked without being committed: then git has merged, and nothing else
    says what.
    """
    others = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "rebase-merge", "rebase-apply")
    if not os.path.exists(os.path.join(folder, "AUTO_MERGE")):
        return ""
    if any(os.path.exists(os.path.join(folder, name)) for name in others):
        return ""
    return (files.read(os.path.join(folder, "MERGE_MSG")) or b"").decode("utf-8", "surrogateescape")


def _stopped_at(folder: str) -> str:
    """Return the commit at whose conflict a rebase has stopped, until that is resolved and committed; '' if there is
    none. A stop to edit a commit does not count: that commit is picked already.
    """
    stopped = _content(folder, os.path.join("rebase-merge", "stopped-sha"))
    is_edit = os.path.exists(os.path.join(folder, "rebase-merge", "amend"))
    return stopped if stopped and not is_edit and os.path.exists(os.path.join(folder, "MERGE_MSG")) else ""


def merged_tree(place: Place) -> str:
    """Return the tree that git has merged for the operation in progress, with conflicts as it marks them; '' if it does
    not say.
    """
    return _content(place.git_dir, "AUTO_MERGE")


_MARKS = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert",
    "BISECT_LOG": "a bisect",
    "SQUASH_MSG": "a squashed merge",
}


def in_progress(place: Place) -> str:
    """Return what git is in the middle of, in words; '' for nothing."""
    operations = (words for name, words in _MARKS.items() if os.path.exists(os.path.join(place.git_dir, name)))
    return next(operations, "")


def of_message(message: str, merge_heads: tuple[str, ...]) -> Operation:
    """Return the operation that a finished commit shows: a merge, or a squash whose message was not edited."""
    squash = message if message.startswith(_SQUASHED) else ""
    return Operation(merge_heads=merge_heads, squash_message=squash, squashed=_squashed(squash))


def _squashed(message: str) -> tuple[str, ...]:
    """Return the commits that the message of `merge --squash` lists, oldest first."""
    _, *commits = ("\n" + message).split("\ncommit ")
    return tuple(reversed([text.split(maxsplit=1)[0] for text in commits if text.strip()]))


def is_rebasing(place: Place) -> bool:
    return any(os.path.isdir(os.path.join(place.git_dir, name)) for name in ("rebase-merge", "rebase-apply"))


def _folded_commit(folder: str) -> str:
    """Return the commit that an interactive rebase folds into the previous one, or ''."""
    done = (files.read(os.path.join(folder, "rebase-merge", "done")) or b"").decode("utf-8", "replace").split("\n")
    words = next((line.split() for line in reversed(done) if line.strip()), [])
    if len(words) < 2 or words[0] not in ("squash", "s", "fixup", "f"):
        return ""
    return next((word for word in words[1:] if not word.startswith("-")), "")
