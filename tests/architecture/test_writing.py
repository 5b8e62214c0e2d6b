"""Text for people is written by one function, which keeps it from commanding the terminal."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.places import place_of, source_files

# Who writes to a standard stream by itself, and what.
WRITERS = {
    "commands/hooks.py": "answers in an agent's own form; messages in them are made plain by the dispatcher",
    "lifecycle/push.py": "a sentence with the remote's name, which is made plain",
    "plugin/answering.py": "answers of the plugin protocol",
    "plugin/program.py": "answers of the plugin protocol, and the errors of a plugin",
    "plugin/recording.py": "answers of the plugin protocol",
    "ui/console/bar.py": "a bar that draws over itself, without text from elsewhere",
    "ui/console/pager.py": "hands lines from that function to the pager",
    "ui/console/text.py": "is that function",
}


PRINTS = ("print", "click.echo", "click.secho", "click.echo_via_pager", "traceback.print_exc")


def writings(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of calls that print, write to a standard stream or take its bytes."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called, given = ast.unparse(node.func), ast.unparse(node)
        is_stream = called.startswith(("sys.stdout.", "sys.stderr."))
        if called in PRINTS or (is_stream and called.endswith("write")) or given.startswith("getattr(sys.std"):
            yield node.lineno


def test_text_is_written_by_one_function() -> None:
    found = {}
    for path in source_files():
        name = place_of(path).as_posix()
        lines = list(writings(ast.parse(path.read_text())))
        if lines:
            found[name] = lines
    assert {name: lines for name, lines in found.items() if name not in WRITERS} == {}
    assert sorted(found) == sorted(WRITERS)
