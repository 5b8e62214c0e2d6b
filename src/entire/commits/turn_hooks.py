"""Runs the repository's own hooks for the commit of a turn, and looks at what they changed."""

from __future__ import annotations

import os
import stat

from entire import files
from entire.commits.turn_plan import RefusedError
from entire.git import new_commit, partial_commit
from entire.git.commit_hooks import HookError
from entire.model import trailers
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.commits.turn_plan import TurnPlan
    from entire.git.commit_hooks import CommitHooks
    from entire.recording.context import Context

_LINK, _SUBMODULE = "120000", "160000"
_MESSAGE = "COMMIT_EDITMSG"


def run(context: Context, plan: TurnPlan, hooks: CommitHooks) -> str:
    """Run the repository's own hooks, and return the message as they leave it; raises HookError or RefusedError."""
    if hooks.has("pre-commit"):
        hooks.run("pre-commit")
        if partial_commit.tree(context.place, plan.prepared.index) != plan.prepared.tree:
            raise RefusedError("the pre-commit hook changes what is committed")
        if changed := _changed_meanwhile(context, plan):
            raise RefusedError(f"{changed} was changed while the pre-commit hook ran")
    path = os.path.join(plan.prepared.folder, _MESSAGE)
    given = plan.message.encode("utf-8", "surrogateescape")
    files.write(path, given)
    for name, arguments in (("prepare-commit-msg", (path, "message")), ("commit-msg", (path,))):
        if _has_foreign(hooks, name):
            hooks.run(name, *arguments)
    written = files.read(path) or b""
    if written == given:
        return plan.message
    message = new_commit.clean(context.place, written).decode("utf-8", "surrogateescape")
    if not trailers.has_content(message, ""):
        raise RefusedError("a hook emptied the commit's message")
    return message


def run_post_commit(context: Context, hooks: CommitHooks) -> None:
    if _has_foreign(hooks, "post-commit"):
        try:
            replace(hooks, index=os.path.join(context.place.git_dir, "index")).run("post-commit")
        except HookError as error:
            context.log.info(error.message)


def _has_foreign(hooks: CommitHooks, name: str) -> bool:
    """Tell whether a hook does more than call us."""
    from entire.githooks import scripts

    return hooks.has(name) and not scripts.is_alone(os.path.join(hooks.folder, name))


def _changed_meanwhile(context: Context, plan: TurnPlan) -> str:
    """Return a path that is no longer as it is committed, '' if all are."""
    from entire.git import status

    known = context.journal.snapshot.files
    suspects = []
    for path, entry in plan.paths.items():
        if entry is not None and entry[0] == _SUBMODULE:
            continue
        current = _file(os.path.join(context.place.top, path))
        if (current is None) != (entry is None):
            return path
        if current is None or entry is None:
            continue
        facts = [current.st_size, current.st_mtime_ns, current.st_ctime_ns, current.st_ino]
        if known.get(path, [])[2:] == facts:
            continue
        if not stat.S_ISREG(current.st_mode) or entry[0] == _LINK:
            return path
        suspects.append(path)
    stored = status.store_files(context.place.top, suspects) if suspects else {}
    return next((path for path in suspects if stored.get(path) != plan.paths[path][1]), "")  # type: ignore[index]


def _file(path: str) -> os.stat_result | None:
    """Look at a file or link; a folder may have taken the place of one that was deleted."""
    try:
        facts = os.lstat(os.fsencode(path))
    except OSError:
        return None
    return None if stat.S_ISDIR(facts.st_mode) else facts
