"""``entire blame``: what git blame prints, with origins for people and for editors."""

from __future__ import annotations

import json

import pytest

from entire.git import blame
from entire.model.origins import BlamedCommit, BlamedLines, BlameView, Origin
from entire.ui.screens import blame as shown
from tests.integration.story import Story
from tests.integration.why.test_why import FIRST, MINE, W1, W2, second_turn


@pytest.fixture
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A repository with a file of two turns and a person, and a file whose name looks like an option."""
    story = Story(tmp_path_factory.mktemp("world") / "repo")
    session = story.started()
    with session.turn(W1):
        session.write("a.py", FIRST)
    story.commit("First")
    second_turn(story)
    story.write("a.py", story.read("a.py") + MINE)
    story.write("-x", MINE)
    story.commit("Second")
    return story


def printed(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert story.entire("blame", *args) == 0
    return capsys.readouterr().out


def without_ours(output: str) -> str:
    return "".join(line for line in output.splitlines(keepends=True) if not line.startswith("entire-"))


PORCELAIN = ["--porcelain", "-p", "--line-porcelain", "--incremental"]
OPTIONS = [
    [],
    ["-L", "2,3"],
    ["-L/second/,+2"],
    ["-w", "-M", "-C", "-C"],
    ["--ignore-rev", "HEAD"],
    ["HEAD~1"],
    ["--root"],
    ["-s", "-e"],
]


@pytest.mark.parametrize("options", OPTIONS)
def test_porcelain_is_gits_with_headers_added(
    story: Story, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    for form in PORCELAIN[:3]:
        ours = printed(story, capsys, form, *options, "--", "a.py")
        assert without_ours(ours) == story.git("blame", form, *options, "--", "a.py")
        assert "entire-kind turn\n" in ours


def test_a_line_has_its_headers_before_its_content(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(story, capsys, "--porcelain", "-L", "8,9", "a.py").splitlines()
    names = [line.partition(" ")[0] for line in lines if line.startswith("entire-")]
    assert names == [
        "entire-kind",
        "entire-session",
        "entire-turn",
        "entire-agent",
        "entire-prompt",
        "entire-checkpoint",
        "entire-kind",
    ] or names == [
        "entire-kind",
        "entire-session",
        "entire-turn",
        "entire-agent",
        "entire-model",
        "entire-prompt",
        "entire-checkpoint",
        "entire-kind",
    ]
    assert lines[-2:] == ["entire-kind person", "\t" + MINE.rstrip("\n")]
    assert f"entire-prompt {W2}" in lines


def test_line_porcelain_has_headers_at_each_line(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    output = printed(story, capsys, "--line-porcelain", "a.py")
    assert output.count("entire-kind turn\n") == 8
    assert output.count("entire-kind person\n") == 1


def test_incremental_entries_are_split_by_owner(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(story, capsys, "--incremental", "a.py").splitlines()
    heads = [line.split()[2:] for line in lines if len(line.split()) == 4 and len(line.split()[0]) == 40]
    assert sorted(heads) == [["1", "4"], ["5", "4"], ["9", "1"]]
    assert [line.partition(" ")[0] for line in lines].count("filename") == 3


def test_people_see_agent_and_prompt_in_the_place_of_the_author(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = printed(story, capsys, "a.py").splitlines()
    gits = story.git("blame", "a.py").splitlines()
    assert [line.partition(" (")[0] for line in ours] == [line.partition(" (")[0] for line in gits]
    assert [line.partition(") ")[2] for line in ours] == [line.partition(") ")[2] for line in gits]
    assert f"(Claude Code: {W1} " in ours[0]
    assert "(Ada Tester " in ours[8]
    assert len({line.index(")") for line in ours}) == 1


@pytest.mark.parametrize(
    "options", [["-s"], ["-l", "-s"], ["-s", "-f", "-n"], ["-s", "--abbrev=12"], ["-s", "-b"], ["-L9,9", "-e"],
                ["-L9,9", "-t"], ["-L9,9", "--date=short"], ["-L9,9", "--date=relative"], ["-L9,9"]],
)  # fmt: skip
def test_where_no_turn_is_shown_the_output_is_gits(
    story: Story, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert printed(story, capsys, *options, "a.py") == story.git("blame", *options, "a.py")


def test_gits_configuration_counts(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.git("config", "blame.date", "short")
    story.git("config", "blame.showEmail", "true")
    assert printed(story, capsys, "-L9,9", "a.py") == story.git("blame", "-L9,9", "a.py")


def test_a_file_named_like_an_option(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(story, capsys, "--", "-x") == story.git("blame", "--", "-x")


@pytest.mark.parametrize(
    ("args", "message", "status"),
    [
        (["--nonsense", "a.py"], "git blame: unknown option `--nonsense'", 2),
        (["none.py"], "git blame: no such path 'none.py' in HEAD", 1),
        (["-L", "99,100", "a.py"], "git blame: file a.py has only 9 lines", 1),
        (["--reverse", "HEAD~1..HEAD", "a.py"], "--reverse tells when lines went away, not who wrote them", 2),
    ],
)
def test_what_git_refuses(
    story: Story, capsys: pytest.CaptureFixture[str], args: list[str], message: str, status: int
) -> None:
    capsys.readouterr()
    assert story.entire("blame", *args) == status
    assert message in capsys.readouterr().err


def test_json(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(story, capsys, "--json", "a.py"))
    assert [(part["first"], len(part["lines"]), part["origin"]["kind"]) for part in found] == [
        (1, 4, "turn"),
        (5, 4, "turn"),
        (9, 1, "person"),
    ]


def test_a_merge_says_nothing_about_lines_of_its_branches(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.git("checkout", "-q", "-b", "topic")
    second_turn(story, "b.py")
    story.commit("On a branch")
    story.git("checkout", "-q", "main")
    story.commit("Nothing", "--allow-empty")
    story.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    assert "entire-kind turn" in printed(story, capsys, "-p", "b.py")
    assert "entire-kind unknown" in printed(story, capsys, "-p", "--first-parent", "b.py")


# ---------------------------------------------------------------- forms


def test_several_paths_of_a_commit_are_parsed() -> None:
    head = b"a" * 40
    data = head + b' 1 1 1\nauthor A\nfilename "\\303\\244"\n\tx\n' + head + b" 7 2 2\nfilename b\n\ty\n" + head
    found = blame.parse(data + b" 8 3\n\tz\n")
    assert [(group.path, group.source_line, group.line, group.count) for group in found.groups] == [
        ("ä", 1, 1, 1),
        ("b", 7, 2, 2),
    ]
    assert found.lines == (b"x", b"y", b"z")
    assert blame.clip(found, 3, 9).groups == (found.groups[1].__class__(oid="a" * 40, path="b", source_line=8, line=3,
                                                                        count=1),)  # fmt: skip


def test_wide_prompts_are_aligned() -> None:
    commit = BlamedCommit(oid="a" * 40, author="Ada", mail="<a@b>", time=0.0, zone="-0130")
    origins = [Origin(kind="turn", agent="Agent", prompt="日本語のプロンプト\x1b[31m" * 5), Origin(kind="person")]
    ranges = tuple(
        BlamedLines(commit=commit, path="p", source_line=n, first=n, lines=(b"text",), origin=origin)
        for n, origin in enumerate(origins, 1)
    )
    lines = [line.decode() for line in shown.lines(BlameView(ranges=ranges), shown.BlameForm())]
    assert "\x1b" not in "".join(lines)
    assert lines[1] == "aaaaaaaa (Ada" + " " * 37 + " 1969-12-31 22:30:00 -0130 2) text\n"
