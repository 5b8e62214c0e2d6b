"""Why a commit is not linked is said in the words of one table (entire.model.reasons), from which a page is made."""

from __future__ import annotations

import ast

from entire.model import reasons
from tests.architecture.places import PACKAGE, ROOT

CARRIERS = {"reason", "unrecorded"}  # the fields of a decision, and the parameter of what records it
RECORDERS = {"note_reason", "note_unlinked"}
DECIDERS = {"_reason", "_unrecorded"}


def words(node: ast.AST) -> list[str]:
    """Return the words that an expression itself holds; names of fields that it asks for are not among them."""
    skipped = {id(inner) for call in ast.walk(node) if isinstance(call, ast.Call) for keyword in call.keywords
               if isinstance(call.func, ast.Attribute) and call.func.attr == "text"
               for inner in ast.walk(keyword.value)}  # fmt: skip
    return [
        inner.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value and id(inner) not in skipped
    ]


def said(tree: ast.Module) -> list[str]:
    """Return the words in what a module records as a reason."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in RECORDERS:
                found += [word for argument in node.args for word in words(argument)]
            found += [word for key in node.keywords if key.arg in CARRIERS for word in words(key.value)]
        elif isinstance(node, ast.FunctionDef) and node.name in DECIDERS:
            found += [word for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value is not None
                      for word in words(inner.value)]  # fmt: skip
    return found


def test_no_reason_is_recorded_outside_the_table() -> None:
    found = {}
    for room in ("lifecycle", "linking", "queries"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            if said(ast.parse(path.read_text())):
                found[path.relative_to(PACKAGE).as_posix()] = said(ast.parse(path.read_text()))
    assert found == {}, "say it in entire.model.reasons"


def test_the_search_finds_a_reason_outside_the_table() -> None:
    code = "journal.note_reason(oid, f'a {kind} commit', now)\nPending(reason='x')\ndef _reason():\n    return 'y'\n"
    assert sorted(said(ast.parse(code))) == [" commit", "a ", "x", "y"]
    assert said(ast.parse("note_reason(oid, reasons.COPY.text(ids=', '.join(ids)), now)")) == []


def test_every_reason_is_recorded_by_some_code() -> None:
    code = "".join(path.read_text() for path in PACKAGE.rglob("*.py") if path.name != "reasons.py")
    own = (PACKAGE / "model/reasons.py").read_text().partition("\nTABLE = ")[2]
    names = {name for name, value in vars(reasons).items() if isinstance(value, reasons.Reason)}
    unused = {name for name in names if f"reasons.{name}" not in code and f"{name}.text(" not in own}
    assert unused == {"CHANGED_COPY"}, "earlier versions recorded it"
    assert len(names) == len(reasons.TABLE)


def test_the_page_has_every_reason_and_its_remedy() -> None:
    page = (ROOT / "docs/reference/unlinked-reasons.md").read_text()
    for reason in reasons.TABLE:
        assert f"**Remedy.** {reason.remedy}" in page
        assert reason.cause in page
