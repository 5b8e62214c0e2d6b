"""Makes docs/reference/library.md: what ``entire.__all__`` names, and every class that its annotations lead to.

All is read from the sources, so that the page is the same under every version of Python: signatures, docstrings, the
fields of values with the comments beside them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import entire
from entire.model.value import Value

HEAD = """\
# The library

What a program can ask of a repository: `import entire`. This page is written by `make docs`, from the docstrings.

```python
import entire

workspace = entire.Workspace.find()
for listed in workspace.checkpoints(limit=5):
    print(listed.id, listed.session_ids, listed.files)

with workspace.rewind(entire.RewindRequest(to="HEAD", files_only=True)) as rewind:
    print(rewind.diff().decode())
    rewind.carry_out()
```

Reading writes nothing. What is returned are values: they are immutable, have the fields shown below, and compare by
them. Times are seconds since the epoch, paths are relative to the top of the worktree unless a field says otherwise.
"""
ERRORS = """\
## Errors

Each has a `message`, a `hint` that says what to do next, and an `exit_code`, with which a command ends.

| error | exit code | meaning |
|---|---|---|
"""
NAME = re.compile(r"[A-Za-z_][\w.]*")


class Source:
    """One class as its module's source defines it."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.module = importlib.import_module(cls.__module__)
        self.text = Path(inspect.getfile(cls)).read_text()
        self.lines = self.text.splitlines()
        tree = ast.parse(self.text)
        self.node = next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == cls.__name__)
        self._imports = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def segment(self, node: ast.AST) -> str:
        return " ".join((ast.get_source_segment(self.text, node) or "").split())

    def find(self, name: str) -> type | None:
        """Return the class of ours that a name in an annotation stands for."""
        first, *rest = name.split(".")
        found = getattr(self.module, first, None)
        if found is None and first in self._imports:
            module, attribute = self._imports[first]
            if module.startswith("entire"):
                found = getattr(importlib.import_module(module), attribute, None)
        for one in rest:
            found = getattr(found, one, None)
        return found if isinstance(found, type) and found.__module__.startswith("entire.") else None

    def annotation(self, node: ast.AST | None) -> str:
        """Return an annotation, with classes of ours by their bare names."""
        text = self.segment(node) if node is not None else "None"
        return NAME.sub(lambda match: found.__name__ if (found := self.find(match[0])) else match[0], text)

    def types(self, *nodes: ast.AST | None) -> list[type]:
        """Return the classes of ours in annotations."""
        names = [name for node in nodes if node is not None for name in NAME.findall(self.segment(node))]
        return [found for name in names if (found := self.find(name)) is not None]

    # ------------------------------------------------------------ members

    def methods(self) -> list[ast.FunctionDef]:
        return [one for one in self.node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]

    def fields(self) -> list[ast.AnnAssign]:
        found = [one for one in self.node.body if isinstance(one, ast.AnnAssign)]
        return [one for one in found if not self.segment(one).startswith("_")]

    def field(self, node: ast.AnnAssign) -> str:
        """Return a field as it is written, with the comment beside it."""
        default = f" = {self.segment(node.value)}" if node.value is not None else ""
        return f"{self.segment(node.target)}: {self.annotation(node.annotation)}{default}{self.comment(node)}"

    def comment(self, node: ast.stmt) -> str:
        """Return the comment behind a statement; not what it says to a tool."""
        line = self.lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset or 0 :].decode().strip()
        return f"  {line}" if line.startswith("#") and not line.startswith(("# fmt", "# noqa", "# type")) else ""

    def attributes(self) -> list[str]:
        """Return what ``__init__`` makes public, with the type that stands there or that its parameter has."""
        functions = [one for one in self.node.body if isinstance(one, ast.FunctionDef)]
        node = next((one for one in functions if one.name == "__init__"), None)
        given = {one.arg: one.annotation for one in _arguments(node)} if node is not None else {}
        found = []
        for line in node.body if node is not None else ():
            if not isinstance(line, (ast.Assign, ast.AnnAssign)):
                continue
            target = line.target if isinstance(line, ast.AnnAssign) else line.targets[0]
            if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
                kind = line.annotation if isinstance(line, ast.AnnAssign) else given.get(self.segment(line.value))
                found.append(target.attr + (f": {self.annotation(kind)}" if kind else "") + self.comment(line))
        return found

    def referred(self) -> list[type]:
        """Return the classes that the public members lead to."""
        found = [one for node in self.fields() for one in self.types(node.annotation)]
        if not issubclass(self.cls, Value):
            for node in self.methods():
                found += self.types(*(arg.annotation for arg in _arguments(node)), node.returns)
        return found


def page() -> str:
    """Return the page."""
    public = [getattr(entire, name) for name in entire.__all__]
    errors = [one for one in public if issubclass(one, Exception)]
    asked = [one for one in public if one not in errors]
    reached = _reached(asked)
    services = [one for one in (*asked, *reached) if not issubclass(one, Value)]
    requests = [one for one in asked if issubclass(one, Value)]
    views = sorted((one for one in reached if issubclass(one, Value)), key=lambda one: one.__name__)
    shown = {*services, *requests, *views}
    parts = [HEAD, *(_service(Source(one), shown) for one in services)]
    parts += ["## Requests\n", *(_value(Source(one)) for one in requests)]
    parts += ["## Values\n", *(_value(Source(one)) for one in views)]
    parts += [ERRORS + "\n".join(map(_error, errors)) + "\n"]
    return "\n".join(parts)


def _reached(classes: list[type]) -> list[type]:
    """Return the further classes that annotations lead to, in the order in which they are met."""
    found: list[type] = []
    left = list(classes)
    while left:
        for one in Source(left.pop(0)).referred():
            if one not in found and one not in classes and not issubclass(one, Exception):
                found.append(one)
                left.append(one)
    return found


def _service(source: Source, shown: set[type]) -> str:
    parts = [f"## {source.cls.__name__}\n\n{_prose(source.node)}\n"]
    attributes = source.attributes()
    if attributes:
        parts.append("```python\n" + "\n".join(attributes) + "\n```\n")
    for node in source.methods():
        decorators = [source.segment(one) for one in node.decorator_list]
        if "property" in decorators:
            code = f"{node.name}: {source.annotation(node.returns)}"
        else:
            code = "".join(f"@{one}\n" for one in decorators) + _signature(source, node)
        types = source.types(*(arg.annotation for arg in _arguments(node)), node.returns)
        links = [f"[{one.__name__}](#{one.__name__.lower()})" for one in dict.fromkeys(types)
                 if one in shown and one is not source.cls]  # fmt: skip
        more = f"\nSee {', '.join(links)}.\n" if links else ""
        parts.append(f"### {source.cls.__name__}.{node.name}\n\n```python\n{code}\n```\n\n{_prose(node)}\n{more}")
    return "\n".join(parts)


def _value(source: Source) -> str:
    lines = [source.field(node) for node in source.fields()]
    for node in source.methods():
        if any(source.segment(one) == "property" for one in node.decorator_list):
            said = (ast.get_docstring(node) or "").partition("\n")[0]
            lines.append(f"{node.name}: {source.annotation(node.returns)}  # {said}")
    return f"### {source.cls.__name__}\n\n{_prose(source.node)}\n\n```python\n" + "\n".join(lines) + "\n```\n"


def _error(cls: type) -> str:
    said = " ".join(_prose(Source(cls).node).split())
    return f"| `{cls.__name__}` | {getattr(cls, 'exit_code', 1)} | {said} |"


def _prose(node: ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").replace("``", "`")


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    given = node.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _signature(source: Source, node: ast.FunctionDef) -> str:
    given = node.args
    ordinary = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(ordinary) - len(given.defaults))
    words = [_argument(source, *pair) for pair in zip(ordinary, [*defaults, *given.defaults], strict=True)]
    words = words if any(source.segment(one) == "staticmethod" for one in node.decorator_list) else words[1:]
    if given.kwonlyargs:
        words += ["*", *(_argument(source, *pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True))]
    result = f") -> {source.annotation(node.returns)}"
    line = f"{node.name}({', '.join(words)}{result}"
    return line if len(line) <= 100 else f"{node.name}(\n" + "".join(f"    {one},\n" for one in words) + result


def _argument(source: Source, arg: ast.arg, default: ast.expr | None) -> str:
    kind = f": {source.annotation(arg.annotation)}" if arg.annotation is not None else ""
    return f"{arg.arg}{kind}" + (f" = {source.segment(default)}" if default is not None else "")
