"""What begins a comment, read from what git wrote."""

from __future__ import annotations

import pytest

from entire.model import comments
from entire.model.comments import Comments
from entire.model.trailers import SCISSORS


def block(prefix: str) -> str:
    lines = ("Please enter the commit message", "", "On branch main", "\tmodified: a", "")
    return "".join(f"{prefix}{'' if line[:1] in ('', chr(9)) else ' '}{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("message", "configured", "prefix"),
    [
        ("\n" + block("#"), [], "#"),
        ("# Title\n\n" + block(";"), ["auto"], ";"),
        ("# Title\n; note\n\n" + block("@"), ["auto"], "@"),
        ("subject\n\n" + block("//"), ["//"], "//"),
        ("subject\n\n" + block("#"), ["//"], "#"),  # an older git does not know core.commentString
        ("subject\n\n" + block(";"), [";", "//"], ";"),
        ("subject\n\n" + block("//"), [";", "//"], "//"),
        ("# x\n\n" + block(";") + ";" + SCISSORS + "\n; Do not modify\ndiff --git a b\n# y\n", ["auto"], ";"),
        ("# x\n;" + SCISSORS + "\n; Do not modify\n", ["auto"], ";"),
        ("* x\n\n" + block("*"), ["*"], "*"),
    ],
)
def test_the_block_or_the_scissors_tell(message: str, configured: list[str], prefix: str) -> None:
    found = comments.find(message, configured, "", edits=True)
    assert found == Comments(prefix=prefix, removes=True, has_block=True)


@pytest.mark.parametrize(
    ("message", "configured", "prefix"),
    [
        ("subject\n", [], "#"),
        ("subject\n", [";"], ";"),
        ("# x\n; y\n", ["auto"], "@"),
        ("x\r# y\r\n", ["auto"], ";"),
        ("#\n;\n@\n!\n$\n%\n^\n&\n|\n:\n", ["auto"], "#"),
        ("# x\n\n# y\n", [], "#"),
    ],
)
def test_without_them_git_chooses_by_the_text(message: str, configured: list[str], prefix: str) -> None:
    for edits in (False, True):
        found = comments.find(message, configured, "strip", edits=edits)
        assert found == Comments(prefix=prefix, removes=True)


@pytest.mark.parametrize(
    ("cleanup", "edits", "removes"),
    [("", True, True), ("default", True, True), ("strip", True, True), ("strip", False, True), ("", False, False),
     ("default", False, False), ("whitespace", True, False), ("verbatim", True, False), ("scissors", True, False)],
)  # fmt: skip
def test_what_git_removes(cleanup: str, edits: bool, removes: bool) -> None:
    assert comments.find("x\n", [], cleanup, edits=edits).removes is removes


def test_only_some_messages_may_hold_comments() -> None:
    assert not any(map(comments.may_hold, ("", "x\n\ny\n", "x\n # y\n")))
    assert comments.may_hold("x\n#y\n")
