"""The table of commands: name and one-line summary, in the order of the help. Each has a module of its name here.

A module holds ``command`` (a click command: options, help text with an example) and ``run``, and is imported only when
its command is used. ``agent`` and ``plugin`` are groups with tables of
their own. ``hooks`` is not in the table: agents and git call
it, people do not.
"""

from __future__ import annotations

TABLE = {
    "enable": "Start recording sessions in this repository.",
    "disable": "Stop recording sessions; with --uninstall, remove Entire from this repository.",
    "agent": "List the agents that can be recorded here; add or remove one.",
    "status": "Show sessions, steps, unlinked commits and the state of the hooks.",
    "log": "List commits with their prompts, agents, lines and tokens.",
    "rewind": "Restore files and conversation to a point; --undo reverts that.",
    "resume": "Continue the sessions behind a branch, commit or checkpoint.",
    "show": "Show the conversation behind a commit, checkpoint, session or turn.",
    "explain": "Show the sessions, prompts, files and tokens behind a commit.",
    "why": "Show which prompt, or which person, each line of a file comes from.",
    "blame": "Show git blame with the agents and prompts behind the lines.",
    "link": "Link a commit to its session by hand; --undo reverts that.",
    "unlink": "Record that a commit does not belong to its checkpoints; --undo reverts that.",
    "undo": "Undo the last change of a command; --list shows what can be undone.",
    "search": "Search all prompts, answers, tool calls and outputs.",
    "story": "Write the story of a range of commits as Markdown, for a pull request.",
    "redact": "Show what redaction replaces in a file or session; list its rules.",
    "audit": "Scan what is stored, or what remotes hold, for secrets.",
    "forget": "Remove a secret, session or checkpoint from all storage; --undo reverts that.",
    "clean": "List unused data; with --force, delete it.",
    "reset": "Discard the steps on the current commit and the sessions that made them.",
    "doctor": "Find problems; with --fix, repair them.",
    "plugin": "List, allow, check and write plugins, which connect any agent.",
    "completion": "Print the completion script for a shell.",
    "help": "Show the help of a command.",
    "version": "Print the version.",
}
