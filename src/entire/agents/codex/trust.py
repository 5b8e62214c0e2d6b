"""Which of our hooks Codex's user has accepted: the agent runs no other, and says nothing of it outside its terminal.

``$CODEX_HOME/config.toml`` holds ``[projects."<folder>"] trust_level``, without which hooks of a project do not count,
and for each entry ``[hooks.state."<file>:<event>:<group>:<entry>"] trusted_hash``: of what the entry says, so a changed
one has to be accepted again (the hash is that of 0.171.0, compared with what the agent answers). Only hashes of our own
entries are written here. Whether a project is trusted concerns its other settings, too, and is the agent's question.
"""

from __future__ import annotations

import json
import os
import re

from entire.agents import hookfiles, json_document, toml_text
from entire.agents.codex import notify
from entire.agents.untrusted import dict_of
from entire.model.digest import sha256
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.agents.hookfiles import Table

CONFIG = "config.toml"
_TRUST_PROJECT = "start Codex here, and say that you trust the folder when it asks"
_DEFAULT_TIMEOUT = 600
_AT_THE_END = ("session_end", "interrupt")  # whose timeout is 1 second if none is given, and at most 3
_WITHOUT_MATCHER = ("interrupt", "stop", "user_prompt_submit")


class HooksFile(Value):
    """A file with our entries. ``config``: the user's settings; ``project``: whose file it is, '' for the user's own.

    Only entries of the table can be trusted: a repository may bring others that look like ours.
    """

    path: str
    table: Table
    config: str
    project: str = ""

    def obstacle(self, command: str) -> str:
        """Return why the agent does not run our entries, and what to do; '' if it runs them. ``command``: what has us
        trust them.
        """
        config = toml_text.values(self.config)
        if are_hooks_off(config):
            return ""
        known, wanted = _known(config), self._hashes()
        is_foreign = bool(self.project) and not _is_trusted(config, self.project)
        if all(known.get(key) == digest for key, digest in wanted.items()):
            return f"Codex does not trust this project: {_TRUST_PROJECT}" if is_foreign else ""
        state = "have changed" if any(key in known for key in wanted) else "are not trusted"
        if is_foreign:
            return (f"Codex does not trust this project, and these hooks {state}: {_TRUST_PROJECT}, and its hooks "
                    f"(`{command}` trusts the hooks)")  # fmt: skip
        ways = f"start Codex here and trust them when it asks, or run `{command}`"
        return f"Codex leaves these hooks out, which {state}: {ways}"

    def trust(self) -> int:
        """Write that the user trusts our entries; return how many were not trusted. In the user's settings, where hooks
        are off, have ``notify`` tell us of turns, if it is free.

        Raises EntireError if the agent's settings cannot be edited; they are unchanged then.
        """
        config, text = toml_text.values(self.config), toml_text.read(self.config)
        if not self.project and are_hooks_off(config) and notify.is_free(config):
            toml_text.save(self.config, notify.added(text))
            return 1
        known = _known(config)
        missing = {key: digest for key, digest in self._hashes().items() if known.get(key) != digest}
        for key, digest in missing.items():
            text = toml_text.with_value(text, ("hooks", "state", key), "trusted_hash", digest)
        toml_text.save(self.config, text)
        return len(missing)

    def forget(self) -> None:
        """Remove what was written about our entries, which are to be removed next."""
        text = toml_text.read(self.config)
        text = text if self.project else notify.removed(text)
        for key in self._hashes():
            text = toml_text.without_table(text, ("hooks", "state", key))
        toml_text.save(self.config, text)

    def _hashes(self) -> dict[str, str]:
        """Return the hashes of our entries, by what Codex calls them."""
        document = json_document.load(self.path)
        if document is None:
            return {}
        wanted = [(entry.event, entry.matcher, entry.hook()) for entry in self.table.entries]
        hashes = {}
        for place, matched, hook in hookfiles.own_hooks(document):
            event, group, *inner = place[1:]
            if inner and (event, matched, hook) in wanted:
                name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
                matcher = document.get(place[:3]).get("matcher")
                key = f"{os.path.realpath(self.path)}:{name}:{group}:{inner[-1]}"
                hashes[key] = digest_of(name, hook, matcher)
        return hashes


def digest_of(event: str, hook: Mapping[str, Any], matcher: str | None) -> str:
    """Return Codex's hash of an entry; ``event`` is in snake case."""
    kept = {key: hook[key] for key in ("type", "command", "statusMessage", "additionalContextLimit") if key in hook}
    is_at_the_end = event in _AT_THE_END
    timeout = min(hook.get("timeout", 1), 3) if is_at_the_end else hook.get("timeout", _DEFAULT_TIMEOUT)
    normal = {**kept, "timeout": timeout, "async": hook.get("async", False)}
    value: dict[str, Any] = {"event_name": event, "hooks": [normal]}
    if matcher is not None and event not in _WITHOUT_MATCHER:
        value["matcher"] = matcher
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


# ---------------------------------------------------------------- the agent's settings


def are_hooks_off(config: Mapping[str, Any]) -> bool:
    """Tell whether the user has switched hooks off."""
    features = dict_of(config.get("features"))
    return features.get("hooks") is False or features.get("codex_hooks") is False


def _known(config: Mapping[str, Any]) -> dict[str, object]:
    states = dict_of(dict_of(config.get("hooks")).get("state"))
    return {key: dict_of(state).get("trusted_hash") for key, state in states.items()}


def _is_trusted(config: Mapping[str, Any], project: str) -> bool:
    return dict_of(dict_of(config.get("projects")).get(os.path.realpath(project))).get("trust_level") == "trusted"
