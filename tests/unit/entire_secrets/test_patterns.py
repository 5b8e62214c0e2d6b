"""A pattern from the file finds what ``re`` finds, and without the file nothing changes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets import patterns
from entire_secrets.rules import table
from entire_secrets.rules.macros import expand

EXPRESSIONS = [
    rb"(?i:token)[=: ]{1,3}(?P<s>[A-Za-z0-9]{2,8})", rb"(a)(?P<b>b)?|(?<!x)c++", rb"[^\s\"']{1,3}+", rb"\b\w{2}\Z",
    rb"(?x: a # comment" b"\n" rb" [0-9] )", rb"((a|b)*?)(?=c)", rb"",
]  # fmt: skip


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "forms"
    monkeypatch.setattr(patterns, "_PATH", str(path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    start_again(monkeypatch)
    yield path
    assert sorted(path.parent.iterdir()) in ([], [path])


def write(path: str, data: bytes) -> None:
    Path(path).write_bytes(data)


def start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what is in this process, as a new one knows nothing."""
    for name, value in (("_compiled", {}), ("_new", {}), ("_kept", None)):
        monkeypatch.setattr(patterns, name, value)


def kept(expressions: list[bytes], monkeypatch: pytest.MonkeyPatch, flags: int = 0) -> list[re.Pattern[bytes]]:
    """Compile, keep, and return the patterns from the file; fails if one of them is compiled again."""
    for expression in expressions:
        patterns.compile(expression, flags)
    patterns.save(write)
    start_again(monkeypatch)
    with monkeypatch.context() as context:
        context.setattr(patterns, "_form", None)
        context.setattr(re, "compile", None)
        return [patterns.compile(expression, flags) for expression in expressions]


@pytest.mark.parametrize("flags", [0, patterns.DOTALL, int(re.IGNORECASE | re.MULTILINE)])
def test_a_kept_pattern_is_that_of_re(monkeypatch: pytest.MonkeyPatch, flags: int) -> None:
    for found, expression in zip(kept(EXPRESSIONS, monkeypatch, flags), EXPRESSIONS, strict=True):
        assert found == re.compile(expression, flags)  # compares the code, too
        assert found.groupindex == re.compile(expression, flags).groupindex


def test_every_rule_is_compiled_as_by_re(monkeypatch: pytest.MonkeyPatch) -> None:
    expressions = sorted({expand(rule.expression) for rule in table.RULES})
    assert len(expressions) > 300
    found = kept(expressions, monkeypatch)
    assert found == [re.compile(expression) for expression in expressions]


@given(st.text(alphabet="abcx 01:=TokentokenÄé\n\"'", max_size=60))
def test_a_kept_pattern_finds_what_re_finds(text: str) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = kept(EXPRESSIONS, monkeypatch)
    for pattern in found:
        same = re.compile(pattern.pattern)
        spans = [[match.span(), match.groups(), match.groupdict()] for match in pattern.finditer(text.encode())]
        assert spans == [[match.span(), match.groups(), match.groupdict()] for match in same.finditer(text.encode())]


def test_text_may_be_searched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns.compile("é+|[à-ÿ]\\b")
    patterns.save(write)
    start_again(monkeypatch)
    assert patterns.compile("é+|[à-ÿ]\\b").findall("éé à") == ["éé", "à"]


def test_a_pattern_is_compiled_once() -> None:
    assert patterns.compile(b"a+") is patterns.compile(b"a+")


def test_a_pattern_that_is_wrong_is_reported_as_by_re() -> None:
    with pytest.raises(re.error):
        patterns.compile(b"(")


@pytest.mark.parametrize("size", [0, 1, 30, -1])
def test_a_broken_file_is_replaced(file: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    kept([b"a(b)"], monkeypatch)
    whole = file.read_bytes()
    file.write_bytes(whole[:size])
    start_again(monkeypatch)
    assert patterns.compile(b"a(b)").groups == 1
    patterns.save(write)
    assert file.read_bytes() == whole


@pytest.mark.parametrize("head", [(1, 0, 4), (0, patterns._HEAD[1], 4), None])
def test_another_interpreters_forms_are_not_used(file: Path, monkeypatch: pytest.MonkeyPatch, head: Any) -> None:
    import marshal

    file.write_bytes(marshal.dumps((head, {(b"a", 0): marshal.dumps((0, b"", 0, {}, ()))})))
    assert patterns.compile(b"a").match(b"a")


def test_a_form_that_no_engine_takes_is_compiled_again(file: Path) -> None:
    import marshal

    file.write_bytes(marshal.dumps((patterns._HEAD, {(b"a", 0): marshal.dumps((0, b"\7\0\0\0" * 9, 0, {}, (None,)))})))
    assert patterns.compile(b"a").match(b"a")


@pytest.mark.parametrize("form", [b"", b"(", b"\0\0\0", b"N"])
def test_a_form_that_lost_bytes_is_compiled_again(file: Path, form: bytes) -> None:
    import marshal

    file.write_bytes(marshal.dumps((patterns._HEAD, {(b"a", 0): form})))
    assert patterns.compile(b"a").match(b"a")


def test_a_second_process_needs_no_re(file: Path) -> None:
    code = (
        "import sys; sys.path.append(sys.argv[1]); from entire_secrets import patterns; patterns._PATH = sys.argv[2]; "
        "print(patterns.compile(b'a(?P<n>b+)').search(b'xabb')['n'], 're' in sys.modules); "
        "patterns.save(lambda path, data: open(path, 'wb').write(data))"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, str(Path(patterns.__file__).parents[1]), str(file)]
    said = [subprocess.run(argv, capture_output=True, check=True, text=True).stdout for _ in range(2)]
    assert said == ["b'bb' True\n", "b'bb' False\n"]


def test_nothing_is_kept_where_no_bytecode_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    patterns.compile(b"a")
    patterns.save(write)
    assert not file.exists()
