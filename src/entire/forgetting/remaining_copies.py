"""Which remotes still have what was forgotten here, and the commands that change that."""

from __future__ import annotations

from entire.audit import remotes
from entire.layout import METADATA_BRANCH
from entire.model.audits import HolderView
from entire.model.ids import shell_word
from entire.store import forgotten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find(where: str, record: forgotten.Record, *, now: float) -> Iterator[HolderView]:
    """Yield the branches of remotes whose history holds what the record replaces, as far as that is known here."""
    for known in remotes.find(where, fetch=False, now=now):
        name = known.view.name
        for source in known.sources:
            branch = source.ref.partition(":")[2]
            if branch == METADATA_BRANCH and forgotten.is_old(where, record, source.tip):
                command = forgotten.replacing(name, source.tip)
                yield HolderView(remote=name, branch=branch, tip=source.tip, time=known.view.time, commands=(command,))
            elif branch != METADATA_BRANCH:  # steps are never pushed by us; they hold the same conversations
                full = branch if branch[:1] != "-" else f"refs/heads/{branch}"
                command = f"git push --no-verify --delete {shell_word(name, 'REMOTE')} {shell_word(full, 'BRANCH')}"
                yield HolderView(remote=name, branch=branch, tip=source.tip, time=known.view.time, commands=(command,))
