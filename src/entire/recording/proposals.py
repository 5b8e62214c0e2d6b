"""What files of a repository ask for beyond recording on this machine: followed only if this person chose it here.

A commit can bring any of these files, so a file that git tracks only proposes. What ``enable`` was told in this clone
is remembered in git's directory; a file that git does not track is the person's own.
"""

from __future__ import annotations

import os

from entire.git import tracked
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.redact import Redactor
    from entire.settings import Proposal, Settings

PUSH = "strategy_options.push_sessions"
"""Only ``enable`` can say it: the script of pre-push looks for its mark."""
_REMEDIES = {
    "strategy": "`entire enable --strategy auto-commit` agrees",
    PUSH: "`entire enable --push-sessions` agrees",
}
_OTHER_REMEDY = "an .entire/entire.json that git does not track may say so"


class Unfollowed(Value):
    """What is proposed and not followed: a sentence, and what the person can do to agree."""

    key: str
    text: str
    remedy: str


def followed(loaded: Settings) -> Settings:
    """Return settings with what files propose that are this person's own."""
    if not loaded.proposals:
        return loaded
    own = {path: tracked.is_own(path) for path in {each.file for each in loaded.proposals if each.key != PUSH}}
    chosen = [each for each in loaded.proposals if each.key != PUSH and own[each.file]]
    rest = tuple(each for each in loaded.proposals if each not in chosen)
    return replace(loaded, **{each.key: each.value for each in chosen}, proposals=rest)


def unfollowed(place: Place, loaded: Settings | None, redactor: Redactor) -> list[Unfollowed]:
    """Return what the files of a worktree propose and what is not followed here; ``loaded``: its settings as loaded."""
    proposed = followed(loaded).proposals if loaded is not None else ()
    return [*(_of_setting(place, each) for each in proposed), *_of_exceptions(place, redactor)]


def _of_setting(place: Place, proposal: Proposal) -> Unfollowed:
    asked = {"strategy": str(proposal.value), PUSH: "pushing checkpoints"}
    what = asked.get(proposal.key, f"{proposal.key} {proposal.value}")
    file = os.path.relpath(proposal.file, place.top)
    return Unfollowed(key=proposal.key, text=f"{file} asks for {what}: not followed here",
                      remedy=_REMEDIES.get(proposal.key, _OTHER_REMEDY))  # fmt: skip


def _of_exceptions(place: Place, redactor: Redactor) -> list[Unfollowed]:
    if not os.path.lexists(place.redact_config):
        return []
    config = redactor.config
    if config is None or not config.unfollowed:
        return []
    file = os.path.relpath(place.redact_config, place.top)
    what = f"exceptions from redaction ({config.unfollowed})"
    return [Unfollowed(key="allow", text=f"{file} asks for {what}: not followed here",
                       remedy="`entire redact trust` agrees to what they are now")]  # fmt: skip
