"""Editing a user's JSON file in place: every byte that is not ours stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from entire.agents import json_document
from entire.agents.json_document import Document
from entire.errors import EntireError

NEW = '{\n  "a": 1\n}\n'


def test_get_follows_keys_and_indexes() -> None:
    document = Document('{"a": [{"b": 1}, 2], "0": 3}')
    assert document.get(()) == document.value
    assert document.get(("a", 0, "b")) == 1
    missing: list[json_document.Path] = [("a", 2), ("a", "0"), ("x",), ("a", 0, "b", "c"), (0,)]
    for path in missing:
        assert document.get(path) is None


@pytest.mark.parametrize(
    ("text", "path", "value", "key", "result"),
    [
        ('{"a": 1}', (), 2, "b", '{"a": 1, "b": 2}'),
        ('{\n\t"a": 1\n}', (), {"c": 2}, "b", '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}'),
        ('{\r\n  "a": []\r\n}', ("a",), {"c": 2}, None, '{\r\n  "a": [\r\n    {\r\n      "c": 2\r\n    }]\r\n}'),
        ('{"a": [1,\n  2\n]}', ("a",), 3, None, '{"a": [1,\n  2,\n  3\n]}'),
        ('{ "a": [1 , 2 ] }', ("a",), 3, None, '{ "a": [1 , 2, 3 ] }'),
        ('{"a": {}, "a": []}', ("a",), 3, None, '{"a": {}, "a": [3]}'),  # the last of two counts
        ('{"é": "}]"}', (), "☃", "ü", '{"é": "}]", "ü": "☃"}'),
    ],
)  # fmt: skip
def test_append_keeps_the_layout(
    text: str, path: json_document.Path, value: object, key: str | None, result: str
) -> None:
    document = Document(text)
    document.append(path, value, key)
    assert document.text == result
    assert document.value == json.loads(result)


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ('{"a": 1, "b": 2}', ("b",), '{"a": 1}'),
        ('{"a": 1, "b": 2}', ("a",), '{"b": 2}'),
        ('{"a": [1, 2, 3]}', ("a", 1), '{"a": [1, 3]}'),
        ('{\n  "a": [ 1 ]\n}', ("a", 0), '{\n  "a": [ ]\n}'),
        ('{"x": 0,\n  "a": [\n    1\n  ]\n}', ("a", 0), '{"x": 0\n}'),  # a list of ours goes with its last member
        ('{\n  "a": [\n    1\n  ]\n}', ("a", 0), ""),
        ('{"a": 1, "a": 2}', ("a",), '{"a": 1}'),
    ],
)
def test_remove_takes_what_was_created_around_it(text: str, path: json_document.Path, result: str) -> None:
    document = Document(text)
    document.remove(path)
    assert document.text == result


@pytest.mark.parametrize("data", [None, b"", b" \r\n\t"])
def test_an_empty_file_is_none(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "a.json"
    if data is not None:
        path.write_bytes(data)
    assert json_document.load(str(path)) is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1,}', "not valid JSON"),
        (b"\xff\xfe{}", "not valid JSON"),
        (b"[" * 100000, "not valid JSON"),
        (b"[1]", "not a JSON object"),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(EntireError, match=words):
        json_document.load(str(path))
    assert path.read_bytes() == data


def test_comments_are_named_as_the_likely_cause(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{} // "why"')
    with pytest.raises(EntireError) as caught:
        json_document.load(str(path))
    assert "comments" in caught.value.hint


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EntireError, match="cannot read"):
        json_document.load(str(tmp_path))


def test_save_keeps_the_mark_and_the_mode_and_says_whether_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    path.chmod(0o666)
    document = json_document.load(str(path))
    assert document is not None
    assert not json_document.save(str(path), document)
    document.append((), 2, "b")
    assert json_document.save(str(path), document)
    assert path.read_bytes() == b'\xef\xbb\xbf{"a": 1, "b": 2}'
    assert path.stat().st_mode & 0o777 == 0o666


def test_a_document_with_nothing_left_removes_the_file_and_its_empty_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    document = Document(NEW)
    assert json_document.save(str(path), document)
    document.remove(("a",))
    assert document.text == ""
    assert json_document.save(str(path), document)
    assert not path.parent.exists()


def test_the_folder_stays_if_something_else_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    (tmp_path / "b.json").touch()
    document = Document(NEW)
    json_document.save(str(path), document)
    document.remove(("a",))
    json_document.save(str(path), document)
    assert os.listdir(tmp_path) == ["b.json"]


def test_a_link_stays_with_an_empty_object_behind_it(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(target)
    document = Document(NEW)
    json_document.save(str(link), document)
    document.remove(("a",))
    json_document.save(str(link), document)
    assert link.is_symlink()
    assert target.read_text() == "{}\n"


# ---------------------------------------------------------------- comments

VALUE = {"run": ["x"]}
COMMENTED = {
    "at the end of a line": ('{\n  "a": 1 // why\n}\n', (), '{\n  "a": 1, // why\n  "n": 2\n}\n'),
    "after the last member": ('{\n\t"a": 1\n\t// "b": 2\n}', (), '{\n\t"a": 1,\n\t// "b": 2\n\t"n": 2\n}'),
    "on one line": ('{"a": 1 /* why */}', (), '{"a": 1, /* why */ "n": 2}'),
    "behind the last member on one line": ('{"a": 1 // why\n}', (), '{"a": 1, // why\n  "n": 2\n}'),
    "in an empty object": ('{ // none yet\n}\n', (), '{ // none yet\n  "n": 2\n}\n'),
    "in an empty object on one line": ("{/* none */}", (), '{/* none */ "n": 2}'),
    "around the document": ('// mine\n{}\n// end', (), '// mine\n{"n": 2}\n// end'),
    "with a comma before it": ('{\n  "a": 1, // why\n}', (), '{\n  "a": 1, // why\n  "n": 2,\n}'),
    "like a string": ('{"a": "// \\" /*", /* "} */ "b": {}}', ("b",), '{"a": "// \\" /*", /* "} */ "b": {"n": 2}}'),
    "CRLF": ('{\r\n  "a": 1 // why\r\n}', (), '{\r\n  "a": 1, // why\r\n  "n": 2\r\n}'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "path", "result"), COMMENTED.values(), ids=COMMENTED)
def test_a_comment_stays_with_what_it_is_about(text: str, path: json_document.Path, result: str) -> None:
    document = Document(text, comments=True)
    document.append(path, 2, "n")
    assert document.text == result
    document.remove((*path, "n"))
    assert document.text == text


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ("[1, // one\n 2, 3]", (1,), "[1, // one\n  3]"),
        ("[1, // one\n 2]", (1,), "[1 // one\n ]"),
        ("[1, 2, // two\n]", (1,), "[1, // two\n]"),
        ("[ // one\n 1, // end\n 2]", (0,), "[ // one\n // end\n 2]"),
        ("[1, // one\n 2 /* two\n */, 3]", (1,), "[1, // one\n  /* two\n */ 3]"),
        ('{"a": [\n  1 // mine\n]}', ("a", 0), '{"a": [ // mine\n]}'),  # a list with the user's comment stays
        ('{"a": [\n  1,\n]}', ("a", 0), "{}"),
        ('// mine\n{\n  "a": 1\n}\n', ("a",), "// mine\n{}\n"),
    ],
)
def test_no_comment_goes_with_a_removed_member(text: str, path: json_document.Path, result: str) -> None:
    document = Document(text, comments=True)
    document.remove(path)
    assert document.text == result


@pytest.mark.parametrize("text", ["{\n}", "{\r\n\r\n}\r\n", "{ \n }", '{"a": [\n]}', '{"a": {\n\n}}'])
@pytest.mark.parametrize("value", [2, VALUE])
def test_an_empty_object_or_list_on_several_lines_comes_back(text: str, value: object) -> None:
    document = Document(text)
    path: json_document.Path = ("a",) if "a" in text else ()
    if isinstance(document.get(path), dict):
        document.append(path, value, "n")
        document.remove((*path, "n"))
    else:
        document.append(path, value)
        document.remove((*path, 0))
    assert document.text == text


@pytest.mark.parametrize("text", ["{,}", '{"a": 1,,}', '{"a":,}', '{"a": 1} /*', '{"a": 1} / /', '{"a": "// }', "//{}"])
def test_a_broken_file_with_comments_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(EntireError, match="is not valid JSON and was not changed") as caught:
        json_document.load(str(path), comments=True)
    assert caught.value.hint == "correct the file and try again"
    assert path.read_text() == text


def test_a_file_with_comments_is_loaded_and_saved_with_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf// mine\n{"a": 1}')
    document = json_document.load(str(path), comments=True)
    assert document is not None
    document.append((), 2, "b")
    assert json_document.save(str(path), document)
    assert path.read_bytes() == b'\xef\xbb\xbf// mine\n{"a": 1, "b": 2}'


blanks = st.sampled_from(
    [
        "",
        "",
        " ",
        "\n",
        "\t",
        "\r\n",
        "\n\n  ",
        "// c\n",
        '// "x": [1,]\n',
        "//\r\n",
        "/* c */",
        "/* ] */ ",
        "/* a\n */",
    ]
)
gaps = st.lists(blanks, max_size=3).map("".join)
scalars = st.sampled_from(["1", "null", '"s"', '"//"', '"/* \\" ]"', "-2.50e3"])


def _joined(opening: str, members: list[tuple[str, str, str]], last: tuple[str, bool]) -> str:
    text = ",".join(before + member + after for before, member, after in members)
    return opening + text + ("," if members and last[1] else "") + last[0] + {"[": "]", "{": "}"}[opening]


def _containers(inner: st.SearchStrategy[str], *, commas: bool) -> st.SearchStrategy[str]:
    last = st.tuples(gaps, st.booleans() if commas else st.just(False))
    items = st.lists(st.tuples(gaps, inner, gaps), max_size=3)
    lists = st.builds(_joined, st.just("["), items, last)
    keyed = items.map(lambda found: [(a, f'"k{at}":{value}', b) for at, (a, value, b) in enumerate(found)])
    return lists | st.builds(_joined, st.just("{"), keyed, last)


def _texts(*, commas: bool) -> st.SearchStrategy[str]:
    values = st.recursive(scalars, lambda inner: _containers(inner, commas=commas), max_leaves=8)
    return st.tuples(gaps, _containers(values, commas=commas), gaps).map("".join)


def _paths(value: object) -> list[json_document.Path]:
    """Return the paths of all lists and objects."""
    steps = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [()] * isinstance(value, list | dict) + [
        (step, *path) for step, inner in steps for path in _paths(inner)
    ]  # fmt: skip


def _append(document: Document, path: json_document.Path, value: object) -> json_document.Path:
    found = document.get(path)
    key = "new" + str(len(found)) if isinstance(found, dict) else None
    document.append(path, value, key)
    return (*path, key if key is not None else len(found))


@given(st.data(), st.booleans())
def test_whatever_is_added_can_be_removed_without_a_trace(data: st.DataObject, commas: bool) -> None:
    text = data.draw(_texts(commas=commas))
    document = Document(text, comments=True)
    added = []
    for value in data.draw(st.lists(st.sampled_from([2, "s", VALUE, [VALUE], [], {}]), min_size=1, max_size=4)):
        added.append(_append(document, data.draw(st.sampled_from(_paths(document.value))), value))
        assert document.get(added[-1]) == value
        if not commas:
            assert json.loads(document._bare) == document.value
    for path in reversed(added):
        document.remove(path)
    assert document.text == text


@given(st.data())
def test_removing_any_member_leaves_the_others_and_all_comments(data: st.DataObject) -> None:
    document = Document(data.draw(_texts(commas=True)), comments=True)
    outer = data.draw(st.sampled_from(_paths(document.value)))
    assume(document.get(outer))
    members = document.get(outer)
    step = data.draw(st.sampled_from(list(members) if isinstance(members, dict) else list(range(len(members)))))
    node = document._find((*outer, step))
    comments = [document.text[start:end] for start, end in document._comments if not node.start < start < node.end]
    del members[step]
    rest = document.value
    document.remove((*outer, step))
    left = [document.text[start:end].rstrip() for start, end in document._comments if document.text]
    assert left == [comment.rstrip() for comment in comments]  # blanks behind a member may now be behind a comment
    assert document.value == rest or not members  # the list or object may go with its only member
