"""Every place that builds or prints a command checks what may come from elsewhere: see ``entire.model.ids.Argument``.

A word of a command is written in the code, or begins with what is written there, or is made an ``Argument``, or stands
after ``--`` or ``--end-of-options``, or is the value of an option before it. The tables name the few that are checked
in another way, and how.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tests.architecture.places import PACKAGE

ENDS = {"--", "--end-of-options"}
TAKES_A_VALUE = {"-C", "-F", "-L", "-c", "-m", "-p", "--git-dir", "--work-tree"}
GIT = {"run.git", "run.lines", "run.at_once", "run.argv", "_log", "_values"}  # in the room that runs git
"""What starts git with its arguments after the first; private functions only pass them on."""
STARTS = {"process.run", "process.start", "process.run_at_once", "process.Child", "process.become", "Run"}

CHECKED = {
    ("agents/claude_code/printing.py", "program"): "found by process.find",
    ("agents/codex/thread_list.py", "sys.executable"): "an absolute path",
    ("agents/codex/thread_list.py", "os.path.abspath(__file__)"): "an absolute path",
    ("agents/codex/thread_list.py", "database"): "in the agent's folder; sqlite3 takes it as a path",
    ("agents/opencode/restoring.py", "sys.executable"): "an absolute path",
    ("agents/opencode/restoring.py", "os.path.abspath(__file__)"): "an absolute path",
    ("plugin_host/language/wire.py", "argv"): "a command of an allowed plugin, started as it is",
    ("plugin_host/language/wire.py", "undo_argv"): "a command of an allowed plugin, started as it is",
    ("plugin_host/programs/running.py", "argv"): "checked by Program._start",
    ("plugin_host/sessions.py", "self.calls.program.path"): "the executable, which the user allowed",
    ("git/blame.py", "*args"): "from people, as to git; what we add is checked where it is added",
    ("git/checkout.py", "word"): "a label after -L",
    ("git/commit_hooks.py", "path"): "an absolute path: git's own answer",
    ("git/commit_hooks.py", "args"): "a file of ours and words of git",
    ("git/history.py", "*_from(start, first_parent=first_parent)"): "ends with --end-of-options, start",
    ("git/history.py", "*args"): "checked where _log is called",
    ("git/hidden_refs.py", "*scope"): "written where _values is called",
    ("git/hidden_refs.py", "pattern"): "written above",
    ("git/hidden_refs.py", "name"): "written above",
    ("git/log_stream.py", "*options"): "begin with what is written where batches is called",
    ("git/new_commit.py", "*options"): "of _signing: options with what is written",
    ("git/new_commit.py", "_signing(place, folder, env)"): "options with what is written",
    ("git/remote.py", "*args"): "after -- where _run is called",
    ("git/run.py", "argv(where, args)"): "checked where git is called",
    ("git/write.py", "*self._compression()"): "numbers",
    ("model/effects.py", "self.argv"): "checked where an effect is made",
    ("model/effects.py", "self.undo_argv"): "checked where an effect is made",
    ("plugin/sessions.py", "effect.argv"): "of an agent's own adapter, checked where it is made",
    ("resume/start.py", "resuming.words(session.command)"): "of resuming.words, made by resuming.command",
    ("undo/commands.py", "argv"): "of an effect, checked where it is made",
    ("undo/commands.py", "command.argv"): "of an effect, checked where it is made",
    ("undo/commands.py", "command.undo_argv"): "of an effect, checked where it is made",
}
_AGENTS_OWN = "a name that the registry or the protocol lets pass"
_OURS = "an id of ours, in hex digits"
_WRITTEN = "written in the code"
PRINTED = {
    ("directory/__init__.py", "name"): _AGENTS_OWN,
    ("plugin_host/agent.py", "self.name"): _AGENTS_OWN,
    ("plugin_host/programs/program.py", "self.name"): _AGENTS_OWN,
    ("commands/enable.py", "' '.join(names)"): "quoted, of the worktree",
    ("commands/enable.py", "_SUBJECT"): _WRITTEN,
    ("commands/help.py", "words[0]"): "as the person typed it",
    ("commands/plugin/allow.py", "plugin.name"): _AGENTS_OWN,
    ("commands/plugin/deny.py", "name"): _AGENTS_OWN,
    ("commands/plugin/list.py", "name"): _AGENTS_OWN,
    ("commands/plugin/new.py", "text.plain(folder)"): "quoted",
    ("commands/plugin/new.py", "written.name"): _AGENTS_OWN,
    ("commands/resume.py", "done.elsewhere[:10]"): _OURS,
    ("commands/version.py", "entire.__version__"): _WRITTEN,
    ("commands/version.py", "python"): _WRITTEN,
    ("git/offline.py", "self._ref"): _WRITTEN,
    ("git/run.py", "words"): "tells what failed",
    ("git/run.py", "args[0]"): "tells what failed",
    ("commits/turn_commit.py", "oid"): _OURS,
    ("linking/undo.py", "notes.commit[:7]"): _OURS,
    ("log.py", "' '.join((_word(word) for word in command))"): "as the person typed it",
    ("maintenance/agent_hooks.py", "agent.name"): _AGENTS_OWN,
    ("maintenance/agent_hooks.py", "entry.name"): _AGENTS_OWN,
    ("maintenance/checks.py", "names[0]"): "a version",
    ("maintenance/corruption.py", "checkpoints.LOCAL_REF"): _WRITTEN,
    ("maintenance/corruption.py", "interrupted.command"): _WRITTEN,
    ("maintenance/locks.py", "path"): "quoted, absolute",
    ("maintenance/plugins.py", "failed.name"): _AGENTS_OWN,
    ("maintenance/plugins.py", "name"): _AGENTS_OWN,
    ("maintenance/uninstall.py", "top"): "quoted, absolute",
    ("maintenance/uninstall.py", "VERSION"): _WRITTEN,
    ("resume/plan.py", "checkpoint_id"): _OURS,
    ("rewind/branch.py", "commit[:12]"): _OURS,
    ("store/checkpoints.py", "METADATA_BRANCH"): _WRITTEN,
    ("store/forgotten.py", "layout.METADATA_BRANCH"): _WRITTEN,
    ("store/forgotten.py", "lease"): "an option that begins with what is written",
    ("store/summaries.py", "new.checkpoint_id"): _OURS,
    ("undo/inverse.py", "command"): _WRITTEN,
}
COMMAND = re.compile(r"(?:^|`|\n\s*|: )(?:cd \S* && )?(entire|git|mv|rm|cd) (?![a-z ]*[.,;:])[^`]*$")
"""Written text that ends inside of a command."""


def test_every_word_of_every_started_command_is_checked() -> None:
    found = {(place, word) for place, words in _started() for word in words}
    assert found - CHECKED.keys() == set()
    assert CHECKED.keys() - found == set(), "the table names what is no longer there"


def test_every_word_of_every_printed_command_is_checked() -> None:
    found = {(place, ast.unparse(word)) for place, word in _printed()}
    assert found - PRINTED.keys() == set()
    assert PRINTED.keys() - found == set(), "the table names what is no longer there"


def test_the_check_finds_what_is_not_checked() -> None:
    code = """
def read(where, name, ids, *others):
    run.git(where, "log", name)
    run.git(where, "log", *ids)
    run.git(where, "log", f"{name}..HEAD")
    options = ["-x", *others]
    run.git(where, "log", *options)
    process.Child(["git", name], {})
"""
    words = [word for _, found in _in_code("git/x.py", ast.parse(code)) for word in found]
    assert words == ["name", "*ids", "f'{name}..HEAD'", "*others", "name"]


def test_the_check_lets_pass_what_is_checked() -> None:
    code = """
def read(where, name, ids, limit):
    run.git(where, "log", Argument(name), *map(Argument, ids), f"--max-count={limit}", f"^{name}", "--", *ids)
    words = [*OPTIONS, *(["-S"] if limit else []), "-F", name]
    run.argv(where, [*words, "--end-of-options", *ids])
"""
    assert [word for _, found in _in_code("git/x.py", ast.parse(code)) for word in found] == []


def test_no_other_room_starts_programs_by_itself() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if re.fullmatch(r"os\.(posix_spawnp?|exec\w+|spawn\w+|system|popen)|shutil\.which", name):
                place = str(path.relative_to(PACKAGE))
                assert place in ("process.py", "commands/plugin/run.py"), (place, name)


# ---------------------------------------------------------------- what is started


def _started() -> Iterator[tuple[str, list[str]]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        place = str(path.relative_to(PACKAGE))
        if place != "process.py":
            yield from _in_code(place, ast.parse(path.read_text()))


def _in_code(place: str, tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in GIT | STARTS:
            continue
        inside = [known for known in functions if known.lineno <= node.lineno <= (known.end_lineno or 0)]
        around = max(inside, key=lambda known: known.lineno, default=None)
        if name in GIT and place.startswith("git/"):
            words: Iterable[ast.expr] = node.args[1:]
            if name == "run.argv" and isinstance(node.args[1], ast.List):
                words = node.args[1].elts
            yield place, list(_unchecked(words, around))
        elif name in STARTS:
            given = [*node.args[:1], *(word.value for word in node.keywords if word.arg in ("argv", "undo_argv"))]
            found = (word for argv in given for word in _unchecked([ast.Starred(argv)], around))
            yield place, [word.removeprefix("*") for word in found]


def _unchecked(words: Iterable[ast.expr], around: ast.FunctionDef | None) -> Iterator[str]:
    """Yield the words that are neither written in the code nor checked."""
    before = ""
    for word in _flat(words, around):
        if before in TAKES_A_VALUE:
            before = ""
            continue
        before = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else ""
        if before in ENDS:
            return
        known = _assigned(word.id, around) if isinstance(word, ast.Name) else None
        if not _is_checked(known or word):
            yield ast.unparse(word)


def _flat(words: Iterable[ast.expr], around: ast.FunctionDef | None) -> Iterator[ast.expr]:
    """Yield words, with the lists of words that stand for several resolved as far as the function tells them."""
    for word in words:
        if not isinstance(word, ast.Starred):
            yield word
            continue
        value = word.value
        if isinstance(value, ast.Name):
            known = _assigned(value.id, around)
            value = known if known is not None else value
        if isinstance(value, ast.IfExp):
            yield from _flat([ast.Starred(value.body), ast.Starred(value.orelse)], around)
        elif isinstance(value, ast.List | ast.Tuple):
            yield from _flat(value.elts, around)
        elif isinstance(value, ast.GeneratorExp | ast.ListComp):
            yield from _flat([value.elt], around)
        elif isinstance(value, ast.Name) and not value.id.isupper() and value is not word.value:
            yield value
        else:
            yield word if isinstance(word.value, ast.Name | ast.Call) and value is word.value else ast.Starred(value)


def _assigned(name: str, around: ast.FunctionDef | None) -> ast.expr | None:
    """Return what a name of a function stands for, if it is set once."""
    found = [
        node.value
        for node in (ast.walk(around) if around is not None else ())
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]
    ]
    return found[0] if len(found) == 1 else None


def _is_checked(word: ast.expr) -> bool:
    if isinstance(word, ast.Starred):
        value = word.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "map":
            return ast.unparse(value.args[0]) == "Argument"

        if isinstance(value, ast.Call) and ast.unparse(value.func) == "run.argv":
            return True  # a call that is checked by itself
        return isinstance(value, ast.Name) and value.id.isupper()
    if isinstance(word, ast.JoinedStr):
        return isinstance(word.values[0], ast.Constant)
    if isinstance(word, ast.Call):
        return ast.unparse(word.func) in ("Argument", "str")
    return isinstance(word, ast.Constant) or (isinstance(word, ast.Name) and word.id.isupper())


# ---------------------------------------------------------------- what is printed


def _printed() -> Iterator[tuple[str, ast.expr]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        place = str(path.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(path.read_text())):
            text = ""
            for part in node.values if isinstance(node, ast.JoinedStr) else ():
                if isinstance(part, ast.Constant):
                    text += str(part.value)
                    continue
                assert isinstance(part, ast.FormattedValue)
                name = ast.unparse(part.value.func) if isinstance(part.value, ast.Call) else ""
                if COMMAND.search(text) and name not in ("shell_word", "shlex.quote"):
                    yield place, part.value
                text += "X"
