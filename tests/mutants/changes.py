"""How the text of a module is changed: at a place that its words do not tell, and by operators that fit any code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Continue,
    ast.Break,
    ast.Delete,
    ast.Expr,
    ast.Raise,
    ast.Return,
)
_WITH_VALUE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_OTHER: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


@dataclass(frozen=True)
class Span:
    """Replaces the characters from ``start`` to ``end``."""

    start: int
    end: int
    becomes: str

    def made(self, text: str) -> str:
        return f"{text[: self.start]}{self.becomes}{text[self.end :]}"


@dataclass(frozen=True)
class Anchor:
    """Replaces the only ``kind`` (condition, statement, or the value of one) of a function that mentions a name."""

    function: str  # with its class only where two have the name
    kind: str
    name: str
    becomes: str

    def made(self, text: str) -> str:
        """Return the changed text. Raises ValueError unless there is one such place."""
        ending = f".{self.function}"
        functions = [node for name, node in _functions(ast.parse(text), "") if f".{name}".endswith(ending)]
        if len(functions) != 1:
            raise ValueError(f"there are {len(functions)} functions {self.function}")
        places = [place for where, place in _places(functions[0], self.kind) if self.name in _names(where)]
        if len(places) != 1:
            raise ValueError(f"{len(places)} {self.kind}s of {self.function} mention {self.name}")
        return _span(text, places[0], self.becomes).made(text)


def of_lines(text: str, lines: set[int]) -> Iterator[tuple[str, Span]]:
    """Yield what can be broken in these lines: each with a word for it."""
    for node in ast.walk(ast.parse(text)):
        if getattr(node, "lineno", 0) not in lines:
            continue
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield "negated", _span(text, node.test, f"not ({ast.unparse(node.test)})")
        elif isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield "and-or", _span(text, node, f"({word.join(f'({ast.unparse(part)})' for part in node.values)})")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            new = f"({ast.unparse(node.left)} {_OTHER[type(node.ops[0])]} {ast.unparse(node.comparators[0])})"
            yield "compared", _span(text, node, new)
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield "off-by-one", _span(text, node, f"({node.value} + 1)")
        elif isinstance(node, ast.Expr | ast.AugAssign | ast.Continue | ast.Raise) and not _is_text(node):
            yield "dropped", _span(text, node, "pass")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _functions(node: ast.AST, above: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        inner = above
        if isinstance(child, Function | ast.ClassDef):
            inner = f"{above}{child.name}."
            if isinstance(child, Function):
                yield inner[:-1], child
        yield from _functions(child, inner)


def _places(function: Function, kind: str) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield what names are looked for in, and what is replaced."""
    for node in _own(function):
        if kind == "condition":
            tests = [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While) else []
            tests += node.ifs if isinstance(node, ast.comprehension) else []
            yield from ((test, test) for test in tests)
        elif kind == "statement" and isinstance(node, _SIMPLE):
            yield node, node
        elif kind == "value" and isinstance(node, _WITH_VALUE) and node.value is not None:
            yield node, node.value


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef | ast.arguments):
            yield child
            yield from _own(child)


def _names(node: ast.AST) -> set[str]:
    nodes = list(ast.walk(node))
    return {one.id for one in nodes if isinstance(one, ast.Name)} | {
        one.attr for one in nodes if isinstance(one, ast.Attribute)
    }


def _span(text: str, node: ast.AST, becomes: str) -> Span:
    """Return a change of a whole node, whose columns count bytes."""
    assert isinstance(node, ast.expr | ast.stmt) and node.end_lineno is not None and node.end_col_offset is not None
    lines = text.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())

    return Span(at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset), becomes)
