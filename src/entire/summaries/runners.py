"""Recognises runs of a project's tests by the words of a command, and reads their figures out of the output."""

from __future__ import annotations

import re

from entire.model.digests import TestRunDigest
from entire.summaries import excerpts, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import ToolCall
    from entire.summaries.shell import ShellProgram

_ALONE = frozenset(
    "ava bats cypress ctest jest karma mocha nose2 nosetests nox phpunit prove py.test pytest rspec tox unittest"
    " vitest".split()
)
"""Programs that do nothing but run tests."""
_TASKS = {
    "bazel": ("test",), "bun": ("test",), "cabal": ("test",), "cargo": ("test", "nextest"), "dart": ("test",),
    "deno": ("test",), "django-admin": ("test",), "dotnet": ("test",), "flutter": ("test",), "go": ("test",),
    "gradle": ("test", "check"), "gradlew": ("test", "check"), "hatch": ("test",), "just": ("test", "tests", "check"),
    "lein": ("test",), "make": ("test", "tests", "check"), "manage.py": ("test",), "meson": ("test",),
    "mix": ("test",), "mvn": ("test", "verify"), "mvnw": ("test", "verify"), "ninja": ("test", "check"),
    "node": ("--test",), "npm": ("test", "t", "tst"), "playwright": ("test",), "pnpm": ("test", "t"),
    "rails": ("test",), "rake": ("test", "spec"), "sbt": ("test",), "stack": ("test",), "swift": ("test",),
    "task": ("test",), "yarn": ("test",), "zig": ("test",),
}  # fmt: skip
"""Programs with tasks, and the words among their arguments that run tests."""
_SCRIPTS = frozenset({"npm", "pnpm", "yarn", "bun", "deno"})  # `npm run test:unit`
_TARGETS = frozenset({"gradle", "gradlew", "just", "make", "mvn", "mvnw", "ninja", "rake", "task"})
"""Programs that take several tasks; of others the first argument is the task."""
_NAMED = shell.naming({*_ALONE, *_TASKS})
_PLAIN_NAMES = {"py.test": "pytest", "gradlew": "gradle", "mvnw": "mvn"}
_ONLY_ASKS = frozenset({"--version", "--help", "-h", "--collect-only", "--co", "--list", "--listTests"})

_PASSED, _FAILED, _SKIPPED = "passed", "failed", "skipped"
_KINDS = {
    _PASSED: ("passed", "passing", "pass", "xpassed"),
    _FAILED: ("failed", "failing", "fail", "failure", "failures", "error", "errors"),
    _SKIPPED: ("skipped", "pending", "ignored", "skip", "xfailed", "todo", "incomplete"),
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words}
_COUNT = re.compile(r"(\d+) (" + "|".join(sorted(_KIND_OF, key=len, reverse=True)) + r")\b")
_NAMED_COUNT = re.compile(r"(?i)\b(failures|errors|failed|passed|skipped|pass|fail|skip|todo)\s*[:=]?\s+?(\d+)\b|"
                          r"\b(failures|errors|skipped)=(\d+)")  # fmt: skip
_TOTAL = re.compile(r"(?i)\b(?:tests run:|ran|total:|tests:) *(\d+)\b|\b(\d+) (?:examples?|tests? completed|tests?\b)")
_CTEST = re.compile(r"(\d+) tests? failed out of (\d+)")
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_BACKGROUND = re.compile(r"(?i)\bin (?:the )?background\b")
_MAX_OUTPUT = 1 << 16  # a summary is at the end

_SUMMARY = re.compile(
    r"^=*\s*\d+ (?:passed|failed|errors?|skipped|xfailed|deselected)\b.*\bin [\d.]+m?s"  # pytest
    r"|^\s*Tests:?\s+.*\b\d+ (?:passed|failed|skipped|todo)\b"  # jest, vitest
    r"|^\s*\d+ (?:passing|failing|pending)\b"  # mocha
    r"|^test result: "  # cargo
    r"|^(?:Ran \d+ tests? in|FAILED \(|OK\b)"  # unittest, phpunit
    r"|^\d+ examples?, \d+ failures?"  # rspec
    r"|^(?:\[\w+\] )?Tests run: \d+, "  # maven
    r"|^\d+ tests? completed"  # gradle
    r"|^\d+% tests passed"  # ctest
    r"|^Tests: \d+, "  # phpunit
    r"|^(?:Passed|Failed)!\s+-"  # dotnet
    r"|^\s*(?:\d+ (?:pass|fail)$|[#ℹ] (?:pass|fail|skipped|todo) \d+)"  # bun, node
    r"|^Executed \d+ tests?, with ",  # swift
)
_VERBOSE = re.compile(r"^\s*--- (PASS|FAIL|SKIP): ", re.MULTILINE)  # go test -v


def run(call: ToolCall, at: int) -> TestRunDigest | None:
    """Return what a tool call ran of a project's tests, None if it ran none."""
    name = runner(call.command)
    if not name:
        return None
    figures = counts(call.output)
    if call.has_failed or figures.get(_FAILED):
        result = "failed"
    elif figures or (call.output.strip() and not _BACKGROUND.search(call.output[:300])):
        result = "passed"
    else:
        result = "unknown"  # nothing is recorded of what it printed
    return TestRunDigest(
        command=excerpts.line(call.command), at=at, runner=name, result=result,
        passed=figures.get(_PASSED), failed=figures.get(_FAILED), skipped=figures.get(_SKIPPED),
    )  # fmt: skip


def runner(command: str) -> str:
    """Return the names of the programs in a command that run tests, '' if there are none."""
    if not shell.may_run(command, _NAMED):
        return ""
    names = [_name(program) for program in shell.programs(command)]
    return ", ".join(dict.fromkeys(name for name in names if name))


def _name(program: ShellProgram) -> str:
    name, given = program.name, program.arguments
    if _ONLY_ASKS.intersection(given):
        return ""
    if name == "python" and given:  # a script of the project's, such as Django's
        name, given = given[0].rpartition("/")[2], given[1:]
    if name in _ALONE:
        return _PLAIN_NAMES.get(name, name)
    tasks = _TASKS.get(name, ())
    words = [word for word in given if not word.startswith("-") or word in tasks]
    if name in _SCRIPTS and words:
        return _name_of_script(name, words, tasks)
    asked = [word.rpartition(":")[2] for word in (words if name in _TARGETS else words[:1])]
    task = next((word for word in asked if word in tasks), "")
    return f"{_PLAIN_NAMES.get(name, name)} {task}" if task else ""


def _name_of_script(name: str, words: list[str], tasks: tuple[str, ...]) -> str:
    """Return the name of a script of a package, or of a program that the package manager runs."""
    first = words[1] if words[0] in ("run", "run-script", "task") and len(words) > 1 else ""
    if first.split(":")[0] in ("test", "tests"):
        return f"{name} run {first}"
    if first in _ALONE or words[0] in _ALONE:
        return first or words[0]
    return f"{name} {words[0]}" if words[0] in tasks else ""


def counts(output: str) -> dict[str, int]:
    """Return how many tests passed, failed and were skipped, as far as the output of a test runner says so."""
    text = _TERMINAL.sub("", output[-_MAX_OUTPUT:])
    lines = [line for line in text.splitlines() if _SUMMARY.search(line)]
    numbers: dict[str, int] = {}
    for line in lines:
        for kind, number in _figures(line).items():
            numbers[kind] = numbers.get(kind, 0) + number if line.startswith("test result: ") else number
    if not numbers:
        verbose = _VERBOSE.findall(text)
        names = {"PASS": _PASSED, "FAIL": _FAILED, "SKIP": _SKIPPED}
        numbers = {names[kind]: verbose.count(kind) for kind in dict.fromkeys(verbose)}
    return _with_passed(numbers, lines)


def _figures(line: str) -> dict[str, int]:
    ctest = _CTEST.search(line)
    if ctest:
        return {_PASSED: int(ctest[2]) - int(ctest[1]), _FAILED: int(ctest[1])}
    numbers: dict[str, int] = {}
    pairs = [(word, number) for number, word in _COUNT.findall(line)]
    if not pairs:
        pairs = [(a or c, b or d) for a, b, c, d in _NAMED_COUNT.findall(line)]
    for word, number in pairs:
        kind = _KIND_OF.get(word.lower(), "")
        if kind:
            numbers[kind] = numbers.get(kind, 0) + int(number)
    return numbers


def _with_passed(numbers: dict[str, int], lines: list[str]) -> dict[str, int]:
    """Add how many passed where the summary has the total instead."""
    if _PASSED in numbers or not lines:
        return numbers
    totals = [next(filter(None, match), "") for line in lines for match in _TOTAL.findall(line)]
    if not totals:
        return numbers
    total = int(totals[-1])
    return {**numbers, _PASSED: max(0, total - numbers.get(_FAILED, 0) - numbers.get(_SKIPPED, 0))}
