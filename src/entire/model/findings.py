"""What a search asks for, and what it finds."""

from __future__ import annotations

from entire.model.value import Value

PROMPT, ANSWER, TOOL, OUTPUT = "prompt", "answer", "tool", "output"
KINDS = (PROMPT, ANSWER, TOOL, OUTPUT)
"""What a text of a conversation can be, in the order of search results."""


class SearchRequest(Value):
    """Search all conversations. Every filter that is set must hold."""

    query: str
    kinds: tuple[str, ...] = ()  # of KINDS; () means all
    agent: str = ""  # display name or its beginning, in any case
    author: str = ""  # part of the name of a linked commit's author, in any case
    branch: str = ""  # the branch that the checkpoint was made on
    file: str = ""  # a file that the checkpoint has, a folder, or a pattern
    session: str = ""  # a session's id or the beginning of it
    tool: str = ""  # the tool's name, in any case
    failed: bool = False  # only calls that failed, and their outputs
    since: str = ""  # an age such as 7d, or a time as git understands it
    until: str = ""
    limit: int = 20  # 0: all


class Finding(Value):
    """A text that matches, and where it is. A text that occurs several times is found once, where it is newest."""

    kind: str  # of KINDS
    snippet: str
    highlights: tuple[tuple[int, int], ...] = ()  # start and end in the snippet of what matches
    is_cut: bool = False  # the snippet is only a part of the text
    session_id: str = ""
    subagent: str = ""  # the id of the session's subagent whose conversation it is
    agent: str = ""
    turn: int = 0  # the number of the prompt that the text belongs to, 1 for the session's first
    is_taken_back: bool = False  # the newest state of the conversation does not have it any more
    position: int = 0  # records of the transcript before it
    time: float = 0.0
    tool: str = ""
    has_failed: bool = False
    checkpoint_id: str = ""  # the first that contains it; '' if no checkpoint has it yet
    commits: tuple[str, ...] = ()  # the checkpoint's, newest first
    author: str = ""  # of the newest of these
    branch: str = ""
    occurrences: int = 1
    show: str = ""  # the command that shows it in its conversation


class SearchView(Value):
    """The findings, best first. ``notes``: what kept the search from using its index, and what is left out."""

    findings: tuple[Finding, ...] = ()
    has_more: bool = False  # than the limit
    notes: tuple[str, ...] = ()
