"""What linking and unlinking say."""

from __future__ import annotations

from entire.model import reasons
from entire.model.linking import LinkedSessionView, LinkUndoneView, LinkView
from entire.model.value import replace
from entire.ui.console import text
from entire.ui.screens import linking
from tests import screens

IDS = ("00000000000a", "00000000000b")
SESSION = LinkedSessionView(
    session_id="5fd3", agent="Claude Code", first_prompt="Make\nit \x1b[31m", added=2, files=("a",)
)
COMMIT = "abcdef0" + "0" * 33
VIEW = LinkView(commit=COMMIT, subject="Fix \x07it", before=IDS[:1], after=IDS, sessions=(SESSION,), added=5)


def test_a_link_names_the_sessions_the_lines_and_the_checkpoints() -> None:
    view = replace(VIEW, reason="its trailer was removed by hand")
    assert list(linking.linking(view)) == [
        "Commit abcdef0 Fix ^Git",
        "  It was not linked: its trailer was removed by hand",
        "  Link to a checkpoint of session 5fd3 (Claude Code)",
        "    Make it ^[[31m",
        "    2 of 5 added lines recorded as the agent's, in 1 file",
        "  Link to checkpoint 00000000000b",
        "The commit and its message do not change.",
    ]
    nothing = replace(SESSION, added=0, agent="", first_prompt="")
    assert list(linking.linking(replace(VIEW, sessions=(nothing,), added=1)))[1:3] == [
        "  Link to a checkpoint of session 5fd3",
        "    0 of 1 added line recorded as the agent's: they count as yours",
    ]


def test_unlinking_names_what_is_left() -> None:
    view = replace(VIEW, before=IDS, after=IDS[:1], is_named=True)
    assert list(linking.unlinking(view)) == [
        "Commit abcdef0 Fix ^Git",
        "  Unlink from checkpoint 00000000000b, which stays stored",
        "  Its message keeps the trailer, which Entire then ignores.",
        "The commit and its message do not change.",
    ]
    assert next(linking.unlinked(view)) == "Unlinked commit abcdef0 from checkpoint 00000000000b."
    assert next(linking.linked(VIEW)) == "Linked commit abcdef0 to checkpoint 00000000000b."


def test_what_is_done_already_is_said() -> None:
    name = "Commit abcdef0 Fix ^Git"
    assert linking.unchanged(VIEW, unlink=False) == f"{name} is linked already, to checkpoint 00000000000a."
    assert linking.unchanged(replace(VIEW, before=()), unlink=True) == f"{name} is not linked to any checkpoint."
    assert linking.unchanged(replace(VIEW, before=IDS), unlink=True) == (
        f"{name} is not linked to that checkpoint; it is linked to checkpoints 00000000000a, 00000000000b."
    )


def test_an_undo_says_whether_it_was_exact() -> None:
    done = LinkUndoneView(undo_id="u", undoes="t", commit=VIEW.commit, before=(), after=IDS[:1], is_exact=True)
    assert list(linking.undone(done)) == ["Commit abcdef0 is linked to checkpoint 00000000000a again."]
    lines = list(linking.undone(replace(done, after=(), is_exact=False)))
    assert lines[0] == "Commit abcdef0 is not linked any more."
    assert len(lines) == 2


def test_every_reason_has_a_remedy_in_plain_words() -> None:
    assert linking.remedy("words of another version", COMMIT) == ""
    for reason in reasons.TABLE:
        words = linking.remedy(reason.text(session="s", agent="a", commit="c", checkpoints="d"), COMMIT)
        assert words.endswith(".")
        assert "COMMIT" not in words


def test_the_screens_of_links() -> None:
    session = replace(SESSION, session_id="5fd3c8f0-2b1e-4a57-9d50-6d1f0f3f2c11", first_prompt="写一个函数 " * 12)
    view = replace(VIEW, subject="加入问候语 " * 9, reason="its trailer was removed by hand", sessions=(session,))
    unlinked = replace(VIEW, before=IDS, after=IDS[:1], is_named=True)
    lines = [*linking.linking(view), "", *linking.unlinking(unlinked), "", linking.unchanged(view, unlink=False), "",
             *linking.linked(view), *linking.unlinked(unlinked)]  # fmt: skip
    screens.check("links", lambda width, _: text.broken(lines, width))
