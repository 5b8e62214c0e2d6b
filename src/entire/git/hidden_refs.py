"""Keeps our refs out of what ``git log`` shows: settings of the repository's own configuration, and their removal."""

from __future__ import annotations

from entire.git import run

_OURS = ("refs/entire/*", "refs/heads/entire/*", "refs/remotes/*/entire/*")
_LABELS = "log.excludeDecoration"
_ALIAS = "alias.log-all"
_LOG_ALL = " ".join(["log", *(f"--exclude={pattern}" for pattern in _OURS), "--all"])


def hide(where: str) -> list[str]:
    """Hide our refs; return the names of the settings. An alias that the user has under our name stays theirs."""
    present = _values(where, _LABELS, "--local")
    for pattern in _OURS:
        if pattern not in present:
            run.git(where, "config", "--local", "--add", _LABELS, pattern)
    alias = _values(where, _ALIAS)
    if not alias:
        run.git(where, "config", "--local", _ALIAS, _LOG_ALL)
    return [_LABELS, _ALIAS] if alias in ([], [_LOG_ALL]) else [_LABELS]


def show(where: str) -> list[str]:
    """Remove what ``hide`` set, and nothing else; return the names of the settings."""
    removed = []
    for name, values in ((_LABELS, _OURS), (_ALIAS, (_LOG_ALL,))):
        present = _values(where, name, "--local")
        for value in sorted(set(values).intersection(present)):
            run.git(where, "config", "--local", "--unset-all", name, f"^{_escaped(value)}$")
            removed.append(name)
    return list(dict.fromkeys(removed))


def are_hidden(where: str) -> bool:
    return set(_OURS).issubset(_values(where, _LABELS))


def _values(where: str, name: str, *scope: str) -> list[str]:
    output = run.git(where, "config", *scope, "-z", "--get-all", name, ok=(0, 1)).stdout
    return [value for value in output.decode("utf-8", "surrogateescape").split("\0") if value]


def _escaped(value: str) -> str:
    """Return a value as an extended regular expression that matches only it."""
    return "".join(char if char.isalnum() else f"[{char}]" for char in value)
