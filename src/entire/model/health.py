"""Whether an agent's hooks are installed, and whether the agent runs them."""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.value import Value


class HookStatus(Choice):
    """The state of our hooks in an agent's configuration."""

    INSTALLED = "installed"
    MISSING = "missing"  # there are none
    STALE = "stale"  # some are missing, or not as this version writes them
    UNTRUSTED = "untrusted"  # installed, but the agent does not run them until the user trusts them
    DISABLED = "disabled"  # there, but the user has switched hooks off
    UNKNOWN = "unknown"  # the configuration cannot be read


class HooksHealth(Value):
    """A status, and in ``detail`` a sentence that says what to do; '' if the status says it all."""

    status: HookStatus
    detail: str = ""
