"""A story as Markdown for a pull request. Whatever people, agents and programs wrote stays text: no markup, HTML,
mention, reference or link comes out of it.
"""

from __future__ import annotations

import re

from entire.ui.console import text
from entire.ui.screens import checkpoint_page, digests
from entire.ui.screens.digests import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.stories import StoryCommitView, StoryFileView, StorySessionView, StoryView

_FILES, _ROWS = 50, 30
_LONG = 300
_MARKUP = re.compile(r"[\\`*_\[\]|~$^{}]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ENTITY = re.compile("[&<>]")
_BREAK = "&#8203;"  # shows nothing, and keeps what is around it from being a reference
_REFERENCES = re.compile(r"@(?=\w)|[#!%](?=\d)|(?i:gh)(?=-\d)|:(?=//)|(?i:www)(?=\.)")
_BLOCK = re.compile(r"^([#+=:-]|\d+(?=[.)]))")


def markdown(view: StoryView) -> Iterator[str]:
    """Yield the lines of a document."""
    yield f"# {plain(view.title) or 'Changes'}"
    if not view.commits:
        yield from ("", f"There are no commits in {code(view.base[:7])}..{code(view.head[:7])}.")
        return
    sections = {
        "What was asked": _asked(view.commits),
        "What changed": _changed(view),
        "How it went": _went(view),
        "Sessions": _sessions(view.sessions),
        "Commits": _commits(view.commits),
        "Commits without a session": _unlinked(view.commits),
    }
    for title, lines in sections.items():
        shown = list(lines)
        if shown:
            yield from ("", f"## {title}", "", *shown)


def plain(given: str, width: int = _LONG) -> str:
    """Return text on one line that Markdown shows as it is."""
    words = text.one_line(given, width)
    safe = _BLOCK.sub(lambda found: _escaped_start(found[1]), _MARKUP.sub(lambda found: "\\" + found[0], words))
    html = _ENTITY.sub(lambda found: _ENTITIES[found[0]], safe)
    return _REFERENCES.sub(lambda found: found[0] + _BREAK, html)


def code(given: str, width: int = 120) -> str:
    """Return text on one line as a code span."""
    words = text.one_line(given, width).replace("\t", " ")
    if not words:
        return ""
    ticks = "`" * (max(map(len, re.findall("`+", words)), default=0) + 1)
    pad = " " if words[0] == "`" or words[-1] == "`" else ""
    return f"{ticks}{pad}{words}{pad}{ticks}"


_MARKED = Words(command=code, name=code, said=plain, names=5)


def _escaped_start(start: str) -> str:
    return f"{start}\\" if start[0].isdigit() else f"\\{start}"


# ---------------------------------------------------------------- sections


def _asked(commits: Sequence[StoryCommitView]) -> Iterator[str]:
    for commit in commits:
        if commit.prompts:
            yield f"- {plain(commit.subject)} ({code(commit.oid[:7])})"
            yield from (f"  {number}. {plain(prompt)}" for number, prompt in enumerate(commit.prompts, 1))


def _changed(view: StoryView) -> Iterator[str]:
    added, removed = (sum(getattr(file, name) or 0 for file in view.files) for name in ("added", "removed"))
    lines = f"{text.count(len(view.files), 'file')}, +{added:,} -{removed:,} lines"
    if not all(file.is_counted for file in view.files):
        lines = f"{text.count(len(view.files), 'file')}; a partial clone lacks what counting their lines needs"
    yield from (f"{lines}. {_share(view.by_agents, view.by_people)}", "")
    rows = [_file(file) for file in view.files[:_FILES]]
    yield from _table(("File", "Lines", "By agents", "By people"), rows)
    yield from _more(len(view.files), _FILES, "file")


def _share(agents: int, people: int) -> str:
    known = agents + people
    if not known:
        return "Who wrote the lines is not recorded."
    return (f"Of the {text.count(known, 'added line')} whose origin is recorded, agents wrote {agents:,}"
            f" ({100 * agents / known:.0f} %), people {people:,}.")  # fmt: skip


def _file(file: StoryFileView) -> tuple[str, ...]:
    name = code(file.path) + (f" (was {code(file.old_path)})" if file.old_path else "")
    unknown = "binary" if file.is_counted else "?"
    lines = unknown if file.added is None else f"+{file.added:,} -{file.removed or 0:,}"
    return name, lines, *(f"{number:,}" if number else "" for number in (file.by_agents, file.by_people))


def _went(view: StoryView) -> Iterator[str]:
    if view.failures:
        yield from ("Commands that failed:", "")
        yield from (f"- {digests.failure(failure, _MARKED)}" for failure in view.failures[:_ROWS])
        yield from _more(len(view.failures), _ROWS, "command")
    if view.tests:
        yield from ([""] if view.failures else [])
        yield from ("Tests:", "")
        yield from (f"- {digests.outcome(run, _MARKED)}" for run in view.tests[-_ROWS:])
        yield from _more(len(view.tests), _ROWS, "earlier run")


def _sessions(sessions: Sequence[StorySessionView]) -> Iterator[str]:
    rows = [
        (code(session.session_id, 40), plain(session.agent), plain(", ".join(session.models), 80),
         f"{session.prompts:,}", f"{session.commits:,}", checkpoint_page.tokens(session.tokens))
        for session in sessions
    ]  # fmt: skip
    yield from _table(("Session", "Agent", "Model", "Prompts", "Commits", "Tokens"), rows)


def _fate(commit: StoryCommitView, name: str) -> str:
    day = commit.forgotten.get(name)
    return f"forgotten on {day}" if day else "not stored here"


def _commits(commits: Sequence[StoryCommitView]) -> Iterator[str]:
    rows = []
    for commit in commits:
        names = [code(name) + (f" ({_fate(commit, name)})" if name in commit.missing else "")
                 for name in dict.fromkeys((*commit.checkpoint_ids, *commit.missing))]  # fmt: skip
        linked = ", ".join(names) or ("merge" if commit.is_merge else "")
        rows.append((code(commit.oid[:7]), plain(commit.subject, 100), plain(commit.author, 60),
                     plain(", ".join(commit.agents), 60), linked))  # fmt: skip
    yield from _table(("Commit", "Subject", "Author", "Agents", "Checkpoints"), rows)


def _unlinked(commits: Sequence[StoryCommitView]) -> Iterator[str]:
    for commit in commits:
        if not (commit.checkpoint_ids or commit.missing or commit.is_merge):
            reason = f": {plain(commit.reason)}" if commit.reason else ""
            yield f"- {code(commit.oid[:7])} {plain(commit.subject, 100)}{reason}"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield from ("| " + " | ".join(names) + " |", "|" + " --- |" * len(names))
        yield from ("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _cell(given: str) -> str:
    """Return a cell: a bar in a code span ends the cell, too."""
    return re.sub(r"(?<!\\)\|", r"\\|", given)


def _more(total: int, shown: int, word: str) -> Iterator[str]:
    if total > shown:
        yield from ("", f"And {text.count(total - shown, f'more {word}')}.")
