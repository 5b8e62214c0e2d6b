"""Every command line of README.md and docs/**/*.md does what its page says, in a scratch repository.

With ENTIRE_ACCEPT=1 the pages get the output that differs from theirs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.documented import pages, worlds


def id_of(path: Path) -> str:
    return str(path.relative_to(pages.ROOT))


def with_commands() -> list[Path]:
    return [path for path in pages.PAGES if any(isinstance(item, pages.Command) for item in pages.read(path))]


@pytest.mark.parametrize("path", with_commands(), ids=id_of)
def test_the_commands_of_a_page(path: Path, tmp_path: Path) -> None:
    world: worlds.World | None = None
    names: dict[str, str] = {}
    accepted: dict[int, str] = {}
    for item in pages.read(path):
        if isinstance(item, pages.World):
            world = worlds.World(tmp_path / f"world-{item.line}", item.name)
            names = {shown: world.id_of(what) for shown, what in item.names.items()}
            continue
        assert world is not None, f"{id_of(path)}: no comment names the world of its commands (see CONTRIBUTING.md)"
        words = item.words
        for shown, real in names.items():
            words = words.replace(shown, real)
        status, output = world.run(words)
        assert status == item.status, f"{id_of(path)}:{item.line}: `{words}` exits with {status}:\n{output}"
        if item.expected is None or is_like(world.neutral(item.expected), world.neutral(output)):
            continue
        if not os.environ.get("ENTIRE_ACCEPT"):
            assert world.neutral(output) == world.neutral(item.expected), f"{id_of(path)}:{item.line} is out of date"
        accepted[item.line] = world.shown(output)
    if accepted:
        pages.rewrite(path, accepted)


def is_like(expected: str, found: str) -> bool:
    """Tell whether output is what a page shows; a line of three dots stands for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in expected.split("\n")
    )
    return re.fullmatch(pattern, found + "\n") is not None


# ---------------------------------------------------------------- the convention itself


def commands(tmp_path: Path, text: str) -> list[pages.Command | pages.World]:
    path = tmp_path / "page.md"
    path.write_text(text)
    return list(pages.read(path))


def test_commands_and_their_output(tmp_path: Path) -> None:
    assert commands(tmp_path, "```console\n$ a && b  # why\nout\n\n$ c\n```\n") == [
        pages.Command(2, "a && b", "out"), pages.Command(5, "c", ""),
    ]  # fmt: skip
    assert commands(tmp_path, "```sh\na 'b' # why\n# only words\nc \\\n  --d\n```\n") == [
        pages.Command(2, "a 'b'"), pages.Command(5, "c   --d"),
    ]  # fmt: skip


def test_what_comments_say(tmp_path: Path) -> None:
    page = "<!-- world: commit, 1f3a9c0 is a point -->\n<!-- run: hidden -->\n\n<!-- exits: 2 -->\n```sh\na\n```\n"
    assert commands(tmp_path, page) == [
        pages.World(1, "commit", {"1f3a9c0": "point"}), pages.Command(2, "hidden"), pages.Command(6, "a", status=2),
    ]  # fmt: skip
    assert commands(tmp_path, "<!-- not run: it needs a network -->\n```sh\na\n```\n") == []
    left_out = "<!-- not run: `a`: it asks on a terminal -->\n```sh\na\nb\n```\n"
    assert commands(tmp_path, left_out) == [pages.Command(4, "b")]


@pytest.mark.parametrize(
    "text",
    [
        "```\n$ a\n```\n",  # output of a command that nothing would compare
        "<!-- not run: it needs a network -->\n\nWords.\n",
        "<!-- not run: `a`: another command -->\n```sh\nb\n```\n",
    ],
)
def test_what_would_be_skipped_silently_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"page\.md:"):
        commands(tmp_path, text)


def test_a_comparison_fails_for_other_output() -> None:
    assert is_like("a\n...\nc", "a\nb\nb\nc")
    assert is_like("a\n...", "a")
    assert not any(is_like("a\n...\nc", found) for found in ("a\nb", "b\nc", "a\nb\nc\nd"))


def test_accepted_output_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```console\n$ a\nold\n\n$ b\n```\nold\n")
    pages.rewrite(path, {2: "new", 5: "x\ny"})
    assert path.read_text() == "```console\n$ a\nnew\n\n$ b\nx\ny\n```\nold\n"
