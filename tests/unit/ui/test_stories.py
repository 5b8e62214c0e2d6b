"""A story as Markdown: whatever it is made of, it stays valid and links to nobody."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from entire.model.digests import FailureDigest, TestRunDigest
from entire.model.stories import StoryCommitView, StoryFileView, StorySessionView, StoryView
from entire.model.tokens import TokenUsage
from entire.ui.console import text
from entire.ui.screens import stories

VIEW = StoryView(
    base="b" * 40,
    head="a" * 40,
    title="Add a greeting for @ada, fixes #12",
    commits=(
        StoryCommitView(oid="1" * 40, subject="Add <b>hello</b>", author="Ada | Co", time=1.0, agents=("Claude Code",),
                        prompts=("Add a greeting", "# not a heading"), checkpoint_ids=("0123456789ab",)),
        StoryCommitView(oid="2" * 40, subject="Typo", author="Ada", time=2.0, reason="no line is a session's"),
        StoryCommitView(oid="3" * 40, subject="Merge branch 'x'", author="Ada", time=3.0, is_merge=True),
        StoryCommitView(oid="4" * 40, subject="Far", author="Bo", time=4.0, checkpoint_ids=("ffffffffffff",),
                        missing=("ffffffffffff",)),
    ),
    files=(
        StoryFileView(path="src/a|b.py", added=1200, removed=3, by_agents=1100, by_people=100),
        StoryFileView(path="new`name.png", old_path="old.png"),
    ),
    by_agents=1100,
    by_people=100,
    failures=(
        FailureDigest(command="pytest -q", at=1, error="assert *1* == 2", times=2, is_fixed=True, files=("src/a.py",)),
        FailureDigest(command="make", at=2),
    ),
    tests=(TestRunDigest(command="pytest -q", at=3, runner="pytest", result="passed", passed=3),),
    sessions=(
        StorySessionView(session_id="s-1", agent="Claude Code", models=("m_1",), prompts=2, commits=1,
                         tokens=TokenUsage(input_tokens=1500, output_tokens=20, api_call_count=2)),
    ),
)  # fmt: skip
DOCUMENT = """\
# Add a greeting for @&#8203;ada, fixes #&#8203;12

## What was asked

- Add &lt;b&gt;hello&lt;/b&gt; (`1111111`)
  1. Add a greeting
  2. \\# not a heading

## What changed

2 files, +1,200 -3 lines. Of the 1,200 added lines whose origin is recorded, agents wrote 1,100 (92 %), people 100.

| File | Lines | By agents | By people |
| --- | --- | --- | --- |
| `src/a\\|b.py` | +1,200 -3 | 1,100 | 100 |
| ``new`name.png`` (was `old.png`) | binary |  |  |

## How it went

Commands that failed:

- `pytest -q` (2 times): assert \\*1\\* == 2; fixed in `src/a.py`
- `make`; not fixed

Tests:

- `pytest -q`: passed (3 passed)

## Sessions

| Session | Agent | Model | Prompts | Commits | Tokens |
| --- | --- | --- | --- | --- | --- |
| `s-1` | Claude Code | m\\_1 | 2 | 1 | 1,500 in, 20 out (2 calls) |

## Commits

| Commit | Subject | Author | Agents | Checkpoints |
| --- | --- | --- | --- | --- |
| `1111111` | Add &lt;b&gt;hello&lt;/b&gt; | Ada \\| Co | Claude Code | `0123456789ab` |
| `2222222` | Typo | Ada |  |  |
| `3333333` | Merge branch 'x' | Ada |  | merge |
| `4444444` | Far | Bo |  | `ffffffffffff` (not stored here) |

## Commits without a session

- `2222222` Typo: no line is a session's
"""
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = st.lists(
    st.sampled_from(["@ada", "#12", "GH-7", "!3", "<script>", "</details>", "```", "~~~", "|", "* ", "- ", "1. ",
                     "# ", "\\", "[x](http://e.org)", "![i](j)", "https://e.org/i/1", "www.e.org", "&amp;", "\n",
                     "\r", "\x1b[2J", "> ", "***", "---", "===", "<!--", "-->", "$x$", "_a_", "~~b~~", "日本",
                     "\u202e", "`", "word", " ", "a@b.org", ":tada:", "[^1]", "[ ] ", "+", "7)"]),
    max_size=12,
).map("".join)  # fmt: skip


def inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or []]


def shown(markdown: str) -> str:
    return "".join(token.content for token in inline(PARSER.parse(markdown))).replace("\u200b", "")


def test_the_whole_document() -> None:
    assert "".join(line + "\n" for line in stories.markdown(VIEW)) == DOCUMENT


def test_it_is_the_markdown_that_it_means_to_be() -> None:
    tokens = PARSER.parse(DOCUMENT)
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 7
    assert kinds.count("table_open") == 3
    assert kinds.count("tr_open") == 3 + 2 + 1 + 4
    assert {"html_block", "code_block", "fence", "hr"}.isdisjoint(kinds)
    assert "src/a|b.py" in [token.content for token in inline(tokens)]


def test_an_empty_range_is_a_document_too() -> None:
    empty = StoryView(base="b" * 40, head="b" * 40)
    assert list(stories.markdown(empty)) == ["# Changes", "", "There are no commits in `bbbbbbb`..`bbbbbbb`."]


@given(NASTY)
def test_any_text_stays_text(given_text: str) -> None:
    for before, after in (("", ""), ("- ", ""), ("- x\n  1. ", "")):
        tokens = PARSER.parse(f"{before}{stories.plain(given_text)}{after}")
        assert {token.type for token in inline(tokens)} <= {"text", "softbreak", "text_special"}
        assert {token.type for token in tokens} <= {
            "paragraph_open", "paragraph_close", "inline", "bullet_list_open", "bullet_list_close", "list_item_open",
            "list_item_close", "ordered_list_open", "ordered_list_close",
        }  # fmt: skip
    assert shown(stories.plain(given_text)).strip() == text.one_line(given_text, 300).strip()


@given(NASTY)
def test_any_text_is_one_cell_and_one_code_span(given_text: str) -> None:
    view = StoryView(
        base="b", head="a", title=given_text,
        commits=(StoryCommitView(oid="1" * 40, subject=given_text, author=given_text, time=0.0, prompts=(given_text,),
                                 agents=(given_text,), reason=given_text),),
        files=(StoryFileView(path=given_text, added=1, removed=1, old_path=given_text),),
        failures=(FailureDigest(command=given_text, at=0, error=given_text, is_fixed=True, files=(given_text,)),),
        tests=(TestRunDigest(command=given_text, at=0),),
        sessions=(StorySessionView(session_id=given_text, agent=given_text, models=(given_text,)),),
    )  # fmt: skip
    tokens = PARSER.parse("\n".join(stories.markdown(view)))
    kinds = [token.type for token in tokens]
    assert (kinds.count("heading_open"), kinds.count("table_open"), kinds.count("tr_open")) == (7, 3, 6)
    assert kinds.count("td_open") + kinds.count("th_open") == 2 * (4 + 6 + 5)
    assert {"html_block", "code_block", "fence", "hr", "blockquote_open"}.isdisjoint(kinds)
    assert {token.type for token in inline(tokens)} <= {"text", "softbreak", "text_special", "code_inline"}


@pytest.mark.parametrize(
    "reference", ["@ada", "#12", "GH-7", "gh-7", "!3", "https://e.org/a/1", "www.e.org", "a@b.org"]
)
def test_no_reference_is_left(reference: str) -> None:
    said = f"see {reference}, ({reference}) and x{reference}"
    found = stories.plain(said)
    assert reference not in found
    assert not re.search(r"@\w|#\d|!\d|://\w|\bwww\.|GH-\d", found.replace("&#8203;", "\0"))
    assert shown(found) == said
