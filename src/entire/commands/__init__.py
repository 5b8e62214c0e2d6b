"""The table of commands: name to one-line summary, in the order of the help. Each has a module of its name here.

A module holds ``command`` (a click command: options, help text with an example) and ``run``. It is imported when its
command is used. ``hooks`` is not in the table: agents and git call it, people do not.
"""

from __future__ import annotations

TABLE = {
    "enable": "Start keeping sessions of this repository.",
    "disable": "Stop keeping sessions; with --uninstall, remove every trace.",
    "status": "Show what is kept: sessions, steps, commits without a link, hooks.",
    "rewind": "Put files and conversation back to a point; --undo takes that back.",
    "resume": "Continue the sessions behind a branch, a commit or a checkpoint.",
    "explain": "Show which session, prompts, files and tokens made a commit.",
    "clean": "Show what nobody needs any more; with --force, remove it.",
    "reset": "Forget the steps on the present commit, and the sessions on them.",
    "doctor": "Look for what is wrong here; with --fix, repair it.",
    "completion": "Print the completion script for a shell.",
    "version": "Print the version.",
}
