"""Editing a user's TOML file in place, with the configuration of an agent that keeps its hooks in such a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from entire.agents import toml_document
from entire.agents.toml_document import Document
from entire.errors import EntireError

STOP = ("hooks", "Stop")
ENTRY: dict[str, object] = {
    "matcher": "",
    "hooks": [{"type": "command", "command": "entire hooks x 'stop' 2>/dev/null || true", "timeout": 60}],
}
WRITTEN = """[[hooks.Stop]]
matcher = ""

[[hooks.Stop.hooks]]
type = "command"
command = "entire hooks x 'stop' 2>/dev/null || true"
timeout = 60
"""
CODEX = '''# mine
model = "gpt-5.5"   # the local one
approval_policy = "never"
notify = ["program", "arg"]
check_for_update_on_startup = false

[model_providers.local]
name="local"
base_url = "http://127.0.0.1:8080/v1"
request_max_retries=0

[projects."/home/dev/project"]
trust_level = "trusted"

[features]
hooks = true

# runs the linter
[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = """
make \\
  lint"""
timeout = 60

[hooks.state."/home/dev/.codex/config.toml:stop:0:0"]
trusted_hash = "sha256:0123"
'''
FILES = {
    "the agent's own": CODEX,
    "without a final newline": CODEX.rstrip("\n"),
    "with CRLF": CODEX.replace("\n", "\r\n"),
    "no hooks": 'model = "x"\n',
    "a comment alone": "# mine",
    "blank lines at the end": "a = 1\n\n\n",
    "blanks at the end": "a = 1\n  ",
    "dotted keys": "hooks.other.x = 1\n",
    "a list in brackets": "[hooks]\nStop = [{hooks = [{command = 'lint'}]}] # mine\n",
    "a list of several lines": "[hooks]\nStop = [\n  {a = 1}, # one\n  {b = 2},\n]\n\n[x]\n",
    "headers in values": "a = '''\n[[hooks.Stop]]\n'''\nb = [\n  [1],\n  [[2]], # [[hooks.Stop]]\n]\n",
    "odd headers": '[ "hooks" . x ]\ny = 1\n  [[ hooks."Stop" ]] # here\n  z = """a""""\n\n[other]\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_is_added_can_be_removed_without_a_trace(text: str) -> None:
    document = Document(text)
    before = document.get(STOP) or []
    for count in (1, 2):
        document.append(STOP, ENTRY)
        assert document.get(STOP) == [*before, *[ENTRY] * count]
        assert tomllib.loads(document.text) == document.value
        assert "\r\n" not in text or document.text.count("\n") == document.text.count("\r\n")
    document.append(("hooks", "SessionEnd"), ENTRY)
    document.remove(STOP, len(before))
    document.remove(("hooks", "SessionEnd"), 0)
    document.remove(STOP, len(before))
    assert document.text == text


def test_where_an_entry_is_added() -> None:
    document = Document(CODEX)
    document.append(STOP, ENTRY)
    assert document.text == CODEX.replace("timeout = 60\n", f"timeout = 60\n\n{WRITTEN}")
    document.append(("hooks", "SessionEnd"), {"a": 1})
    assert document.text.endswith('"sha256:0123"\n\n[[hooks.SessionEnd]]\na = 1\n')


def test_a_document_of_ours_alone() -> None:
    document = Document("")
    document.append(STOP, ENTRY)
    assert document.text == WRITTEN
    document.remove(STOP, 0)
    assert (document.text, document.value) == ("", {})


def test_an_entry_between_those_of_the_user_is_removed_with_its_comments_only() -> None:
    document = Document("[[a]]\nx = 1\n\n[[a]] # two\nx = 2\n# end\n\n# three\n[[a]]\nx = 3\n")
    document.remove(("a",), 1)
    assert document.text == "[[a]]\nx = 1\n# end\n\n# three\n[[a]]\nx = 3\n"
    assert document.get(("a", 1, "x")) == 3
    assert document.get(("a", 2, "x")) is None
    assert document.get(("a", "x")) is None


@pytest.mark.parametrize(
    "text",
    [
        "hooks = 1\n",
        "hooks = {}\n",
        "[hooks]\nStop = 'x'\n",
        "[hooks.Stop]\nx = 1\n",
        "[hooks]\nStop = [ ]\n",
        "[[x]]\n[y]\n[[x]]\n[hooks]\nStop = []\n",  # tomlkit would move the second [[x]]
    ],
)
def test_a_form_that_cannot_be_edited_exactly_is_refused(text: str) -> None:
    document = Document(text)
    with pytest.raises(EntireError, match=r"`hooks\.Stop` is written in a form that cannot be edited") as caught:
        document.append(STOP, ENTRY)
    assert caught.value.hint == "write it as `[[hooks.Stop]]` tables and try again"
    assert document.text == text


def test_a_table_of_which_a_part_stands_elsewhere_is_not_removed() -> None:
    text = "[[a]]\nx = 1\n[b]\n[a.c]\ny = 1\n"
    document = Document(text)
    with pytest.raises(EntireError):
        document.remove(("a",), 0)
    assert document.text == text


@pytest.mark.parametrize("data", [b"a = ", b"a = 1\na = 2\n", b"\xff", b"[[a]]\n[a]\n"])
def test_a_file_that_cannot_be_edited_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)
    with pytest.raises(EntireError, match="is not valid TOML and was not changed"):
        toml_document.load(str(path))
    assert path.read_bytes() == data


def test_load_and_save(tmp_path: Path) -> None:
    path = tmp_path / "agent" / "config.toml"
    assert toml_document.load(str(path)) is None
    document = Document("")
    document.append(STOP, ENTRY)
    assert toml_document.save(str(path), document)
    assert not toml_document.save(str(path), document)
    document.remove(STOP, 0)
    assert toml_document.save(str(path), document)
    assert not path.parent.exists()


def test_a_byte_order_mark_a_mode_and_a_link_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "real.toml", tmp_path / "config.toml"
    target.write_bytes(b"\xef\xbb\xbfa = 1\n")
    target.chmod(0o600)
    link.symlink_to(target)
    document = toml_document.load(str(link))
    assert document is not None
    document.append(STOP, ENTRY)
    toml_document.save(str(link), document)
    assert target.read_bytes() == b"\xef\xbb\xbfa = 1\n\n" + WRITTEN.encode()
    target.write_text(WRITTEN)
    document = toml_document.load(str(link))
    assert document is not None
    document.remove(STOP, 0)
    toml_document.save(str(link), document)
    assert (link.is_symlink(), target.read_bytes()) == (True, b"")
    assert target.stat().st_mode & 0o777 == 0o600


lines = st.sampled_from(["", "  ", "# c", "# [[hooks.Stop]]", "# '''"])
values = st.sampled_from(
    ["1", "'#'", '"\\""', '"""\n[x]\n"" """', "'''a''''", "[1, 2]", "[ # c\n [1],\n]", "{ a = 1 }"]
)
headers = st.sampled_from(
    ["[[hooks.Stop]]", "[[hooks.Stop]] # c", "[[hooks.Stop.hooks]]", "  [[other]]", "[hooks.state.'x']", "[x]", "[x.y]"]
)
bodies = st.lists(lines | st.builds("{1} = {0}".format, values, st.sampled_from(["a", "b.c", "'d'"])), max_size=4)
texts = st.tuples(bodies, st.lists(st.tuples(headers, bodies), max_size=5), st.booleans(), st.booleans())


def _text(parts: tuple[list[str], list[tuple[str, list[str]]], bool, bool]) -> str:
    first, sections, has_end, has_crlf = parts
    found = "\n".join([*first, *(line for header, body in sections for line in (header, *body))])
    found += "\n" * has_end
    return found.replace("\n", "\r\n") if has_crlf else found


def _is_valid(text: str) -> bool:
    try:
        tomllib.loads(text)
        Document(text)
    except ValueError:
        return False
    return bool(text.strip())


@given(texts.map(_text).filter(_is_valid), st.integers(1, 3))
def test_any_text_comes_back(text: str, count: int) -> None:
    document = Document(text)
    assume(not isinstance(document.get(STOP), dict))  # refused, see above
    before = len(document.get(STOP) or [])
    for _ in range(count):
        document.append(STOP, ENTRY)
    assert "\r" in text or tomllib.loads(document.text) == document.value  # tomllib reads all line ends as \n
    assert document.get(STOP)[before:] == [ENTRY] * count
    for index in reversed(range(before, before + count)):
        document.remove(STOP, index)
    assert document.text == text
