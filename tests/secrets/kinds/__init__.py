"""The kinds of secrets, by trade: what each looks like, and how people and tools spell the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

ACRONYMS = {"api", "aws", "gcp", "id", "url", "pat", "sdk", "sas", "jwt", "ssh", "db", "ci"}


@dataclass(frozen=True)
class Kind:
    """A kind of secret: its name, the group it is counted in, and templates of texts that hold it."""

    name: str
    group: str
    spellings: tuple[str, ...]
    command: bool = False


Row = tuple[str, str, str]


def tokens(group: str, rows: Iterable[Row]) -> list[Kind]:
    """Return kinds that their own form gives away: wherever they stand, also where nothing names them."""
    bare = ("use «{}» for this", "Authorization: Bearer «{}»", "it printed «{}», nothing else")
    return [
        Kind(name, group, (*_assigned(variable, value), *(_filled(text, value) for text in bare)))
        for name, variable, value in rows
    ]


def keyed(group: str, rows: Iterable[Row]) -> list[Kind]:
    """Return kinds that only the name beside them gives away."""
    return [Kind(name, group, _assigned(variable, value)) for name, variable, value in rows]


def in_context(group: str, rows: Iterable[tuple[str, tuple[str, ...]]], *, command: bool = False) -> list[Kind]:
    """Return kinds that the text around them gives away."""
    return [Kind(name, group, spellings, command) for name, spellings in rows]


def every() -> list[Kind]:
    """Return all kinds, in the order of the table."""
    from tests.secrets.kinds import (
        apis,
        business,
        clouds,
        data,
        generic,
        hosting,
        identity,
        keys,
        models,
        payments,
        places,
        scanners,
        services,
    )

    # New modules come last: the place of a kind decides which carriers the samples try it in.
    first = (clouds, hosting, services, payments, models, identity, keys, places, generic)
    modules = (*first, business, data, apis, scanners)
    return [kind for module in modules for kind in module.KINDS]


def _assigned(variable: str, value: str) -> tuple[str, ...]:
    """Return the spellings of a name with a value: in files, code and prose."""
    words = variable.lower().split("_")
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    said = " ".join(word.upper() if word in ACRONYMS else word for word in words)
    said = said[:1].upper() + said[1:]
    forms = (
        f"{variable}=«{{}}»",
        f'export {variable}="«{{}}»"',
        f"{variable.lower()}: «{{}}»",
        f'  "{camel}": "«{{}}»",',
        f'{variable.lower()} = "«{{}}»"',
        f"const {camel} = '«{{}}»';",
        f"The {said} is «{{}}» for staging.",
    )
    return tuple(_filled(form, value) for form in forms)


def _filled(form: str, value: str) -> str:
    """Put the value in; a value that marks its own secret part needs no marks around it."""
    if "«" in value:
        form = re.sub("[«»]", "", form)
    return form.replace("{}", value)
