"""What differs from HEAD, untracked files included."""

from __future__ import annotations

from entire.git import worktree_diff
from tests.unit.git.repo import Repo


def test_tracked_and_untracked_files(repo: Repo) -> None:
    repo.write("a.txt", "100644", b"one\n")
    repo.write("gone.txt", "100644", b"x\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "First")
    repo.write("a.txt", "100644", b"two\n")
    repo.remove("gone.txt")
    repo.write("new file.sh", "100755", b"a\nb")
    repo.write("empty", "100644", b"")
    repo.write("other.txt", "100644", b"not asked for\n")
    repo.write("binary", "100644", b"\0\1")
    repo.write("link", "120000", b"a.txt")
    paths = ["a.txt", "gone.txt", "new file.sh", "empty", "binary", "link", "missing"]
    found = worktree_diff.of_files(repo.top, paths).decode()
    assert "-one\n+two\n" in found
    assert "deleted file mode 100644\n" in found
    assert "--- /dev/null\n+++ b/new file.sh\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n" in found
    assert "diff --git a/new file.sh b/new file.sh\nnew file mode 100755\n" in found
    assert "diff --git a/empty b/empty\nnew file mode 100644\n" in found
    assert "Binary files /dev/null and b/binary differ\n" in found
    assert "new file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1,1 @@\n+a.txt\n" in found
    assert "not asked for" not in found


def test_without_a_commit(repo: Repo) -> None:
    repo.write("a.txt", "100644", b"one\n")
    assert b"+one\n" in worktree_diff.of_files(repo.top, ["a.txt"])
    repo.git("add", "a.txt")
    assert b"+one\n" in worktree_diff.of_files(repo.top, ["a.txt"])
    assert worktree_diff.of_files(repo.top, []) == b""


def test_a_large_file_is_named_only(repo: Repo) -> None:
    repo.write("large", "100644", b"x" * (2 << 20))
    assert worktree_diff.of_files(repo.top, ["large"]).endswith(b"\nA file of 2097152 bytes\n")
