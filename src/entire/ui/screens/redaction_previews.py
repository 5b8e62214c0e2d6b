"""What ``redact`` shows, as lines of text."""

from __future__ import annotations

from itertools import groupby

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.redaction_previews import HitView, PreviewView, RuleView
    from entire.ui.console.text import Style

_WIDTH = 64  # of an example
_TITLES = {
    "provider": "Tokens and keys with a form of their own",
    "place": "Secrets in a known place",
    "name": "Values of a suspicious name",
    "opinion": "Random values that no rule knows",
    "own": "Rules of this repository",
    "personal": "Personal data, if .entire/redact.toml asks for it",
}


def preview(view: PreviewView) -> Iterator[str]:
    """Show what would be replaced."""
    if view.hits:
        rows = [("PLACE", "RULE", "VALUE", "HASH"), *map(_row, view.hits)]
        yield from text.table(rows)
        yield ""
    number = text.count(len(view.hits), "value") if view.hits else "Nothing"
    files = text.count(view.files, "file")
    where = f"the transcript of session {text.plain(view.session)} ({_SOURCES[view.source]})" if view.session else files
    if view.session or view.files or not view.unread:
        yield f"{number} would be replaced in {where}. Nothing was changed."
    for name in view.unread:
        yield f"Could not be read: {text.plain(name)}"
    for problem in view.problems:
        yield f"{text.plain(view.config)}: {text.plain(problem)}"
    if view.unfollowed:
        file, remedy = text.plain(view.config), "`entire redact trust` agrees to them"
        yield f"{file}: its exceptions ({view.unfollowed}) are not followed here; {remedy}"


_SOURCES = {"agent": "the agent's own", "step": "as the last turn's end stored it",
            "checkpoint": "as its last checkpoint stored it"}  # fmt: skip


def _row(hit: HitView) -> Sequence[str]:
    record = f"record {hit.record}" if hit.record else f"line {hit.line}"
    place = f"{text.plain(hit.file)}:{hit.line}" if hit.file else record
    return place, hit.rule, text.plain(hit.mask), hit.hash


def rules(listed: Sequence[RuleView], style: Style) -> Iterator[str]:
    """List rules by kind."""
    for kind, group in groupby(listed, key=lambda rule: rule.kind):
        yield style(_TITLES[kind], "bold")
        rows = [(rule.id, text.one_line(rule.example, _WIDTH), text.plain(rule.source)) for rule in group]
        yield from text.table([("RULE", "EXAMPLE", "SOURCE"), *rows], lead="  ")
        yield ""
    yield "In an example <hex:32> are 32 hex digits, and «» enclose the secret if it is not the whole."
