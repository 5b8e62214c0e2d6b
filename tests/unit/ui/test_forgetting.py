"""What ``forget`` says holds no control characters, and every command that is to be run."""

from __future__ import annotations

from entire.model.audits import ForgetView, HolderView
from entire.ui.screens import forgetting

HOLDER = HolderView(remote="or\x1bigin", branch=forgetting.BRANCH, tip="a" * 40, commands=("git push x",))
VIEW = ForgetView(
    kind="secret", name="d" * 12, mask="tul\x1b\u2026", texts=2, commits=1, steps=3, checkpoints=("1", "2"),
    sessions=tuple("abcdefg"), files=("/r/.git/entire/x\ny",), top="/r", has_index=True, holders=(HOLDER,), own_files=2,
)  # fmt: skip


def test_a_preview_names_all_that_changes() -> None:
    text = "\n".join(forgetting.changes(VIEW, 0.0))
    assert "\x1b" not in text
    assert "2 files of your own in steps hold it too" in text
    assert "a, b, c, d, e and 2 more" in text
    assert ".git/entire/x^Jy" in text
    assert "  git push x" in text


def test_what_was_forgotten_is_followed_by_what_is_left_to_do() -> None:
    text = "\n".join(forgetting.forgotten(VIEW, 0.0))
    assert "replace it at its source" in text
    assert "entire forget --prune && git gc --prune=now" in text
    assert "git branch --force entire/checkpoints/v1" in text
    alone = "\n".join(forgetting.forgotten(ForgetView(kind="session", name="s", refs=("r",)), 0.0))
    assert "No remote has it" in alone
    assert "source" not in alone
    assert list(forgetting.elsewhere(ForgetView(kind="session", name="s"), 0.0)) == []
