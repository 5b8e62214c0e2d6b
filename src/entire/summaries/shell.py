"""Shell commands as programs and their arguments, as far as that can be seen without a shell."""

from __future__ import annotations

import functools
import os
import re

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX = 20_000  # characters of a command that are looked at
_SEPARATORS = ("&&", "||", ";", "|", "|&", "&", "(", ")", "\n")
_WORD = re.compile(r"""(?:[^ \t\r\n();<>|&'"\\]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S])+|[();<>|&]+|['"\\]""")
_QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])""")
_ESCAPED = re.compile(r"""\\(["\\])""")
_QUOTES = str.maketrans("", "", "'\"\\")
_HAS_QUOTES = re.compile(r"""['"\\]""")
_OPEN = ("'", '"', "\\")  # of what does not end
_ASSIGNMENT = re.compile(r"\w+=")
_PYTHON = re.compile(r"(?:python|pypy)\d*(?:\.\d+)?")
_WRAPPERS = {
    ("sudo",): 0, ("time",): 0, ("nice",): 0, ("nohup",): 0, ("env",): 0, ("exec",): 0, ("command",): 0,
    ("timeout",): 1, ("npx",): 0, ("bunx",): 0, ("uvx",): 0, ("pipx", "run"): 0, ("uv", "run"): 0,
    ("poetry", "run"): 0, ("pipenv", "run"): 0, ("pdm", "run"): 0, ("hatch", "run"): 0, ("rye", "run"): 0,
    ("bundle", "exec"): 0, ("pnpm", "exec"): 0, ("npm", "exec"): 0, ("yarn", "exec"): 0, ("xvfb-run",): 0,
}  # fmt: skip
"""Programs that run the program after them, and how many words of their own come first."""
_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
_LOOKING = frozenset("awk cat cd cut diff du echo file find grep head jq less ls more printf pwd rg sed sleep sort stat"
                     " tail test tree type uniq wc which".split())  # fmt: skip
"""Programs that fix nothing, and whose exit status 1 often only says that there was nothing to find."""
_LOOKING_GIT = frozenset("blame branch diff log ls-files rev-parse show status".split())


class ShellProgram(Value):
    """One program of a command line; ``words`` are its name, without folders, and its arguments."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.words[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.words[1:]


def programs(command: str) -> list[ShellProgram]:
    """Return the programs that a command line runs, in order, without wrappers, assignments and redirections."""
    return list(_parsed(command[:_MAX]))


@functools.lru_cache(maxsize=256)
def _parsed(command: str) -> tuple[ShellProgram, ...]:
    """Parse a command once for all that is asked about it."""
    parsed: list[ShellProgram] = []
    words: list[str] = []
    for word in [*_words(command), ";"]:
        if word not in _SEPARATORS:
            words.append(word)
            continue
        own = _unwrapped(_without_redirections(words))
        inner = _script(own)
        if inner:
            parsed += programs(inner)
        elif own:
            parsed.append(ShellProgram(words=tuple(own)))
        words = []
    return tuple(parsed)


def normal(command: str) -> str:
    """Return a command in a form in which a repetition is the same: without changes of folder, pipes to what shortens
    the output, redirections, assignments and wrappers.
    """
    essential = [program for program in programs(command) if program.name not in _LOOKING]
    return "\n".join(" ".join(program.words) for program in essential) or " ".join(command.split())


def only_looks(command: str) -> bool:
    """Tell whether a command only looks at things."""
    return all(
        program.name in _LOOKING or (program.name == "git" and program.words[1:2] and program.words[1] in _LOOKING_GIT)
        for program in programs(command)
    )


def _script(words: Sequence[str]) -> str:
    """Return what ``sh -c SCRIPT`` runs, '' of other programs."""
    if len(words) < 3 or words[0] not in _SHELLS:
        return ""
    at = next((number for number, word in enumerate(words[:-1]) if word.startswith("-") and word.endswith("c")), 0)
    script = words[at + 1] if at else ""
    return script if len(script) < sum(map(len, words)) else ""  # shorter, so this ends


def _words(command: str) -> list[str]:
    """Split as a shell does (and ``shlex``, ten times slower); by blanks where quotes do not match."""
    text = command.replace("\\\n", " ").replace("\n", " ; ")
    words = _WORD.findall(text)
    if any(word in _OPEN for word in words):
        return text.split()
    return [_QUOTED.sub(_unquoted, word) if _HAS_QUOTES.search(word) else word for word in words]


def _unquoted(quoted: re.Match[str]) -> str:
    plain, escaping, escaped = quoted.groups()
    return _ESCAPED.sub(r"\1", escaping) if escaping is not None else plain if plain is not None else escaped


def naming(names: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern with which ``may_run`` looks for programs."""
    return re.compile(rf"(?<![^\s();<>|&/])(?:{'|'.join(map(re.escape, sorted(names)))})(?![^\s();<>|&])")


def may_run(command: str, names: re.Pattern[str]) -> bool:
    """Tell whether one of these programs may be in a command: most have none of them and need not be parsed."""
    return names.search(command[:_MAX].translate(_QUOTES)) is not None


def _without_redirections(words: Sequence[str]) -> list[str]:
    rest: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif word and set(word) <= set("<>&"):
            skips = True
            if rest and rest[-1].isdigit() and len(rest) > 1:
                rest.pop()  # the number of what is redirected
        else:
            rest.append(word)
    return rest


def _unwrapped(words: list[str]) -> list[str]:
    while words:
        if _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        name = os.path.basename(words[0])
        if _PYTHON.fullmatch(name):
            return _module(words) or ["python", *words[1:]]
        wrapped = next((key for key in ((name, *words[1:2]), (name,)) if key in _WRAPPERS), None)
        if wrapped is None or len(words) == 1:
            return [name, *words[1:]]
        rest = words[len(wrapped) :]
        while rest and rest[0].startswith("-"):
            rest = rest[1:]
        words = rest[_WRAPPERS[wrapped] :]
    return []


def _module(words: Sequence[str]) -> list[str]:
    """Return what ``python -m MODULE`` runs: a program of the module's name."""
    at = next((number for number, word in enumerate(words[1:-1], 1) if word == "-m"), 0)
    return list(words[at + 1 :]) if at and all(word.startswith("-") for word in words[1:at]) else []
