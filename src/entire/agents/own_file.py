"""A file of ours in an agent's folder, such as an extension that the agent loads: installs, updates and removes it.

An agent's room calls this module with the file, as it calls ``hookfiles`` with its table.
"""

from __future__ import annotations

import re

from entire.agents import configfile
from entire.errors import EntireError
from entire.model.health import HooksHealth, HookStatus
from entire.model.value import Value


class OwnFile(Value):
    """What this version writes; ``agent``: whose hooks it calls.

    A file that calls them is ours, whoever wrote it, as is one that says that `enable` wrote it: the Go CLI's may.
    """

    text: str
    agent: str

    def is_in(self, data: bytes | None) -> bool:
        """Tell whether a file's bytes are ours."""
        calls = rb"entire\W{1,6}(?:hooks\W{1,6}|enable --agent )" + re.escape(self.agent).encode() + rb"\W"
        return data is not None and re.search(calls, data) is not None


def install(path: str, file: OwnFile, *, force: bool) -> int:
    """Write the file; return 1, or 0 if it was there. Raises EntireError if there is one of the user's."""
    data = configfile.read(path)
    if data is not None and not file.is_in(data):
        raise EntireError(f"{path} is not from Entire; it was not changed", hint="move it away and try again")
    if _is_current(data, file) and not force:
        return 0
    configfile.write(path, file.text.encode())
    return 1


def uninstall(path: str, file: OwnFile) -> int:
    """Remove the file; return 1, or 0 if there is none of ours."""
    if not file.is_in(configfile.read(path)):
        return 0
    configfile.write(path, None)
    return 1


def health(path: str, file: OwnFile) -> HooksHealth:
    """Tell whether the file is there, as this version writes it."""
    try:
        data = configfile.read(path)
    except EntireError as error:
        return HooksHealth(status=HookStatus.UNKNOWN, detail=f"{error.message}: {error.hint}")
    if not file.is_in(data):
        return HooksHealth(status=HookStatus.MISSING)
    return HooksHealth(status=HookStatus.INSTALLED if _is_current(data, file) else HookStatus.STALE)


def _is_current(data: bytes | None, file: OwnFile) -> bool:
    """Tell whether a file is what this version writes; git may have converted its line ends."""
    return data is not None and data.replace(b"\r\n", b"\n") == file.text.encode()
