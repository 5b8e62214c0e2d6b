"""Our hooks under real git: started only when there is something to do, no failure of git, strangers' hooks kept."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from entire import files
from entire.githooks import install, scripts

TRAILER = "Entire-Checkpoint: a1b2c3d4e5f6"
RECORDER = """#!/bin/sh
echo "$@" >>"{log}"
case "$*" in *pre-push*) cat >>"{log}.stdin" ;; esac
{more}
"""


class World:
    """A repository with one commit, and a program ``entire`` on the PATH that writes down how it was called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.top = folder / "repo"
        self.log = folder / "calls"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.entire()
        monkeypatch.setenv("PATH", f"{self.bin}:{os.environ['PATH']}")
        subprocess.run(["git", "init", "-q", str(self.top)], check=True)
        self.git("commit", "-q", "--allow-empty", "-m", "first")

    def entire(self, more: str = "exit 0") -> None:
        self.program(self.bin / "entire", RECORDER.format(log=self.log, more=more))

    def program(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *args: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *args], cwd=cwd or self.top, capture_output=True, text=True, check=False, env={**os.environ, **env}
        )

    def git(self, *args: str, cwd: Path | None = None) -> str:
        done = self.run(*args, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, *args: str) -> None:
        self.git("commit", "-q", "--allow-empty", *args)

    def calls(self) -> list[str]:
        """Return how ``entire`` was called since the last look."""
        try:
            lines = self.log.read_text().split("\n")[:-1]
        except FileNotFoundError:
            return []
        self.log.unlink()
        return lines

    def mark(self, name: str, git_dir: Path | None = None) -> Path:
        path = (git_dir or self.top / ".git") / "entire" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        return path

    def hook(self, name: str) -> Path:
        return self.top / ".git" / "hooks" / name


def problems(world: World) -> list[str]:
    return [problem.message for problem in install.problems(str(world.top))]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


@pytest.fixture
def installed(world: World) -> World:
    install.install(str(world.top))
    return world


def test_far_from_a_session_nothing_is_started(installed: World) -> None:
    installed.commit("-m", "plain")
    installed.commit("--amend", "-m", "again")
    assert installed.calls() == []


@pytest.mark.parametrize("marker", ["live", "pending.json"])
def test_near_a_session_both_hooks_run(installed: World, marker: str) -> None:
    installed.mark(marker)
    installed.commit("-m", "plain")
    prepare, post = installed.calls()
    assert prepare.startswith("hooks git prepare-commit-msg .git/COMMIT_EDITMSG message")
    assert post == "hooks git post-commit"


def test_from_a_subfolder_and_with_another_index(installed: World) -> None:
    installed.mark("live")
    (installed.top / "sub").mkdir()
    (installed.top / "sub" / "x").write_text("x")
    installed.git("add", "sub/x")
    installed.git("commit", "-q", "-m", "x", "--", "x", cwd=installed.top / "sub")
    assert len(installed.calls()) == 2


def session_state(world: World, name: str = "s") -> Path:
    """Write a session state as the Go CLI does: beside the file, then renamed."""
    path = world.top / ".git" / "entire-sessions" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".json.tmp")
    beside.write_text("{}")
    beside.rename(path)
    return path


def test_session_states_that_another_program_wrote_start_us(installed: World) -> None:
    session_state(installed)
    installed.commit("-m", "x")
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg", "post-commit"]
    seen = installed.mark("sessions-seen")
    folder = installed.top / ".git" / "entire-sessions"
    os.utime(seen, ns=(folder.stat().st_mtime_ns, folder.stat().st_mtime_ns))
    installed.commit("-m", "x")
    assert installed.calls() == []
    os.utime(seen, ns=(seen.stat().st_mtime_ns, folder.stat().st_mtime_ns - 1_000_000))
    installed.commit("-m", "x")
    assert len(installed.calls()) == 2


def test_an_amend_of_a_linked_commit_starts_us(installed: World) -> None:
    installed.commit("-m", f"one\n\n{TRAILER}")
    assert installed.calls() == []
    installed.commit("--amend", "-m", "two")
    installed.commit("-m", f"three\n\n{TRAILER}")
    installed.commit("-m", "with\n\nlines", "--amen", "--no-edit")
    installed.commit("-m", f"four\n\n{TRAILER}")
    installed.git("-c", f"alias.again=commit -q --allow-empty -m 'x {TRAILER}' --amend", "again")
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg"] * 3


def test_an_amend_below_a_hook_manager_is_seen(world: World) -> None:
    world.git("config", "core.hooksPath", "team")
    world.program(world.top / "team" / "x", "")
    world.git("add", "team")
    report = install.install(str(world.top))
    for line in report.lines:
        world.program(Path(line.path), f"#!/bin/sh\n{line.line}\n")
    world.commit("-m", f"one\n\n{TRAILER}")
    assert world.calls() == []
    world.commit("--amend", "-m", "two")
    assert [call.split()[2] for call in world.calls()] == ["prepare-commit-msg"]


def test_squash_and_reset_start_us(installed: World) -> None:
    installed.commit("-m", "two")
    installed.git("reset", "-q", "--soft", "HEAD~1")
    installed.git("reset", "-q")
    installed.commit("-m", "again")
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg"]
    installed.commit("-m", "next")
    installed.git("reset", "-q")
    installed.commit("-m", "only unstaged before")
    assert installed.calls() == []
    installed.git("checkout", "-q", "-b", "side", "HEAD~1")
    (installed.top / "f").write_text("f")
    installed.git("add", "f")
    installed.commit("-m", "f")
    installed.git("checkout", "-q", "main")
    installed.git("merge", "-q", "--squash", "side")
    installed.commit("-m", "squashed")
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg"]


def test_a_linked_worktree_has_its_own_markers(installed: World) -> None:
    other = installed.folder / "other"
    installed.git("worktree", "add", "-q", str(other))
    marker = installed.mark("live")
    installed.git("commit", "-q", "--allow-empty", "-m", "x", cwd=other)
    assert installed.calls() == []
    marker.unlink()
    installed.mark("live", installed.top / ".git" / "worktrees" / "other")
    installed.git("commit", "-q", "--allow-empty", "-m", "x", cwd=other)
    assert len(installed.calls()) == 2
    assert install.install(str(other)).written == ()


def test_a_turn_of_another_worktree_may_commit_in_this_one(installed: World) -> None:
    other = installed.folder / "other"
    installed.git("worktree", "add", "-q", str(other))
    marker = installed.mark("running")
    installed.git("commit", "-q", "--allow-empty", "-m", "x", cwd=other)
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg"]
    marker.unlink()
    installed.mark("running", installed.top / ".git" / "worktrees" / "other")
    installed.commit("-m", "plain")
    assert [call.split()[2] for call in installed.calls()] == ["prepare-commit-msg"]


def test_a_submodule_has_its_own_hooks(world: World) -> None:
    library = world.folder / "library"
    subprocess.run(["git", "init", "-q", str(library)], check=True)
    world.git("commit", "-q", "--allow-empty", "-m", "x", cwd=library)
    world.git("submodule", "--quiet", "add", str(library), "lib")
    top = world.top / "lib"
    assert install.install(str(top)).folder == str(world.top / ".git" / "modules" / "lib" / "hooks")
    world.mark("live", world.top / ".git" / "modules" / "lib")
    world.git("commit", "-q", "--allow-empty", "-m", "y", cwd=top)
    assert len(world.calls()) == 2


@pytest.mark.parametrize("more", ["exit 3", "kill -9 $$", "echo noise >&2; exit 1"])
def test_whatever_happens_to_us_the_commit_goes_on(installed: World, more: str) -> None:
    installed.entire(more)
    installed.mark("live")
    done = installed.run("commit", "--allow-empty", "-m", "x")
    assert done.returncode == 0
    assert "noise" not in done.stderr
    assert "illed" not in done.stderr
    assert len(installed.calls()) == 2


def test_without_entire_there_is_silence(installed: World) -> None:
    (installed.bin / "entire").unlink()
    installed.mark("live")
    done = installed.run("commit", "-q", "--allow-empty", "-m", "x")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_poor_path_finds_the_remembered_command(world: World) -> None:
    moved = world.folder / "a b" / "entire"
    moved.parent.mkdir()
    shutil.move(world.bin / "entire", moved)
    install.install(str(world.top), command=str(moved))
    world.mark("live")
    world.commit("-m", "x")
    assert len(world.calls()) == 2


def test_an_empty_message_still_aborts(installed: World) -> None:
    installed.entire(
        'case $3 in prepare-commit-msg) { printf "\\n\\n'
        + TRAILER
        + '\\n"; cat "$4"; } >"$4.new"; mv "$4.new" "$4" ;; esac'
    )
    installed.mark("live")
    done = installed.run("commit", "--allow-empty", GIT_EDITOR="true")
    assert done.returncode == 1
    assert "empty commit message" in done.stderr
    assert installed.run("commit", "--allow-empty", "-m", "").returncode == 1
    installed.entire(f'case $3 in prepare-commit-msg) printf "\\n{TRAILER}\\n" >>"$4" ;; esac')
    assert installed.run("commit", "--allow-empty", "-m", "").returncode == 1
    installed.commit("-m", "#12 fix")
    assert "Entire-Checkpoint" in installed.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("status", [0, 1, 42])
@pytest.mark.parametrize("name", ["prepare-commit-msg", "commit-msg"])
def test_the_exit_code_of_a_chained_hook_counts(world: World, name: str, status: int) -> None:
    world.program(world.hook(name), f'#!/bin/sh\necho "$0 $@" >"{world.folder}/foreign"\nexit {status}\n')
    assert install.install(str(world.top)).chained == (name,)
    world.mark("live")
    done = world.run("commit", "--allow-empty", "-m", "x")
    assert (done.returncode == 0) == (status == 0)
    said = (world.folder / "foreign").read_text()
    assert said.startswith(f".git/hooks/{name}.pre-entire .git/COMMIT_EDITMSG")


def test_a_chained_post_commit_runs_after_ours(world: World) -> None:
    world.program(world.hook("post-commit"), f'#!/bin/sh\necho foreign >>"{world.log}"\n')
    install.install(str(world.top))
    world.mark("live")
    world.commit("-m", "x")
    assert world.calls()[-2:] == ["hooks git post-commit", "foreign"]


def remote(world: World) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(world.folder / "remote")], check=True)
    world.git("remote", "add", "origin", str(world.folder / "remote"))


def test_pre_push_hands_its_input_on(world: World) -> None:
    remote(world)
    world.program(
        world.hook("pre-push"), f'#!/bin/sh\ncat >"{world.folder}/foreign"\necho "$@" >"{world.folder}/args"\n'
    )
    install.install(str(world.top))
    world.mark("push")
    for number in range(3):
        world.git("branch", f"b{number}")
    world.git("push", "-q", "--all", "origin")
    said = (world.folder / "foreign").read_text()
    assert len(said.split("\n")) == 5
    assert (world.folder / "calls.stdin").read_text() == said
    assert (world.folder / "args").read_text() == f"origin {world.folder}/remote\n"
    assert world.calls() == [f"hooks git pre-push origin {world.folder}/remote"]


@pytest.mark.parametrize("data", [b"", b"\n", b"a b c d\n\n\n", b"no newline", b"\xff\\n%s \\ x\n" * 5000])
def test_pre_push_input_byte_for_byte(world: World, data: bytes) -> None:
    world.program(world.hook("pre-push"), f'#!/bin/sh\ncat >"{world.folder}/foreign"\nexit 7\n')
    install.install(str(world.top))
    done = subprocess.run(
        [world.hook("pre-push"), "origin", "url"], cwd=world.top, input=data, capture_output=True, check=False
    )
    assert done.returncode == 7
    assert (world.folder / "foreign").read_bytes() == data


def test_a_hook_that_does_not_read_is_no_error(world: World) -> None:
    world.program(world.hook("pre-push"), "#!/bin/sh\nexit 0\n")
    install.install(str(world.top))
    world.entire("exit 0")
    world.mark("push")
    done = subprocess.run(
        [world.hook("pre-push"), "origin", "url"],
        cwd=world.top,
        input=b"x y z w\n" * 50000,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_pre_push_does_not_start_us_unless_chosen(installed: World) -> None:
    remote(installed)
    installed.git("push", "-q", "origin", "main")
    assert installed.calls() == []


def test_a_failing_push_of_ours_does_not_stop_the_users(installed: World) -> None:
    remote(installed)
    installed.mark("push")
    installed.entire("echo trouble >&2; exit 1")
    done = installed.run("push", "origin", "main")
    assert done.returncode == 0
    assert "trouble" in done.stderr


def snapshot(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if not path.name.endswith(".sample")
    }


def test_install_twice_changes_nothing(world: World) -> None:
    world.program(world.hook("commit-msg"), "#!/bin/sh\n")
    first = install.install(str(world.top), command="/x/entire")
    assert first.written == scripts.NAMES
    assert problems(world) == []
    before = snapshot(world.hook(""))
    second = install.install(str(world.top), command="/x/entire")
    assert snapshot(world.hook("")) == before
    assert second.unchanged == scripts.NAMES
    assert second.chained == ("commit-msg",)
    assert all(world.hook(name).stat().st_mode & 0o777 == 0o755 for name in scripts.NAMES)


def test_a_script_that_could_not_be_read_at_first_is_not_set_aside(
    installed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = installed.top / ".git/hooks"
    before = {path.name: path.read_bytes() for path in hooks.iterdir()}
    failing = iter([str(hooks / "post-commit")])
    read = files.read

    def fail_once(path: str) -> bytes | None:
        if path.endswith("/post-commit") and path == next(failing, ""):
            raise OSError(errno.EIO, "Input/output error", path)
        return read(path)

    monkeypatch.setattr(files, "read", fail_once)
    install.install(str(installed.top))
    assert {path.name: path.read_bytes() for path in hooks.iterdir()} == before


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o644])
def test_removal_restores_bytes_and_mode(world: World, mode: int) -> None:
    hook = world.hook("post-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/sh\n\xff\r\n")
    hook.chmod(mode)
    before = snapshot(world.hook(""))
    install.install(str(world.top), command="/x/entire")
    removal = install.uninstall(str(world.top))
    assert snapshot(world.hook("")) == before
    assert removal.restored == (str(hook),)
    assert not (world.top / ".git" / "entire" / "command").exists()
    assert install.uninstall(str(world.top)) == install.HookRemoval()


def test_a_symbolic_link_is_kept_as_one(world: World) -> None:
    target = world.folder / "shared"
    world.program(target, "#!/bin/sh\nexit 1\n")
    world.hook("").mkdir(exist_ok=True)
    world.hook("commit-msg").symlink_to(target)
    install.install(str(world.top))
    assert world.run("commit", "--allow-empty", "-m", "x").returncode == 1
    assert target.read_text() == "#!/bin/sh\nexit 1\n"
    install.uninstall(str(world.top))
    assert world.hook("commit-msg").is_symlink()


def test_a_hook_that_replaced_ours_is_left_alone(world: World) -> None:
    world.program(world.hook("commit-msg"), "#!/bin/sh\n# first\n")
    install.install(str(world.top))
    world.program(world.hook("commit-msg"), "#!/bin/sh\n# third party\n")
    assert any("replaced" in problem for problem in problems(world))
    assert install.uninstall(str(world.top)).moved == (str(world.hook("commit-msg.old")),)
    assert world.hook("commit-msg").read_text() == "#!/bin/sh\n# third party\n"
    assert world.hook("commit-msg.old").read_text() == "#!/bin/sh\n# first\n"
    assert not world.hook("commit-msg.pre-entire").exists()


def test_both_are_kept_when_the_backups_name_is_taken(world: World) -> None:
    world.program(world.hook("commit-msg"), "#!/bin/sh\n# first\n")
    install.install(str(world.top))
    world.program(world.hook("commit-msg"), "#!/bin/sh\n# second\n")
    report = install.install(str(world.top))
    assert report.set_aside == (str(world.hook("commit-msg.pre-entire.1")),)
    assert world.hook("commit-msg.pre-entire.1").read_text() == "#!/bin/sh\n# first\n"
    assert world.hook("commit-msg.pre-entire").read_text() == "#!/bin/sh\n# second\n"
    install.uninstall(str(world.top))
    assert world.hook("commit-msg").read_text() == "#!/bin/sh\n# second\n"
    assert world.hook("commit-msg.old").read_text() == "#!/bin/sh\n# first\n"
    assert not list(world.hook("").glob("*.pre-entire*"))


def test_hooks_of_the_go_cli_are_replaced_and_never_chained(world: World) -> None:
    go = '#!/bin/sh\n# Entire CLI hooks\nentire hooks git commit-msg "$1" || exit 1\n'
    world.program(world.hook("commit-msg"), go)
    world.program(world.hook("post-commit.pre-entire"), go)
    assert install.install(str(world.top)).chained == ()
    assert world.hook("commit-msg").read_bytes() == scripts.text("commit-msg")
    assert not world.hook("commit-msg.pre-entire").exists()
    assert not world.hook("post-commit.pre-entire").exists()


def test_a_mix_of_ours_and_theirs_is_set_aside(world: World) -> None:
    mix = "#!/bin/sh\nset -e\nlint\nlint more\n# Entire CLI hooks\nentire hooks git commit-msg\n"
    world.program(world.hook("commit-msg"), mix)
    report = install.install(str(world.top))
    assert report.chained == ()
    assert Path(report.set_aside[0]).read_text() == mix


def test_our_hook_as_a_backup_does_not_call_itself(world: World) -> None:
    world.program(world.hook("post-commit"), scripts.text("post-commit").decode())
    world.program(world.hook("post-commit.pre-entire"), scripts.text("post-commit").decode())
    assert any("must not be chained" in problem for problem in problems(world))
    world.mark("live")
    world.commit("-m", "x")
    assert world.calls() == ["hooks git post-commit"]
    install.install(str(world.top))
    assert not world.hook("post-commit.pre-entire").exists()
    assert problems(world) == []


MANAGER = """#!/bin/sh
# File generated by pre-commit: https://pre-commit.com
echo manager >>"{log}"
[ "$(grep -c manager "{log}")" -lt 5 ] || exit 0 # enough to see that it does not end
exec "${{0%/*}}/post-commit.legacy"
"""


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_manager_and_our_hook_run_once_each(installed: World, *, is_copied: bool) -> None:
    """The manager renamed our hook and calls it, whose own backup is the manager. Then ours was written again."""
    ours, manager = scripts.text("post-commit").decode(), MANAGER.format(log=installed.log)
    installed.program(installed.hook("post-commit.legacy"), ours)
    installed.program(installed.hook("post-commit.pre-entire"), manager)
    installed.program(installed.hook("post-commit"), ours if is_copied else manager)
    installed.mark("live")
    installed.commit("-m", "x")
    assert sorted(call for call in installed.calls() if "post-commit" in call or call == "manager") == [
        "hooks git post-commit",
        "manager",
    ]


def test_a_local_untracked_hooks_path_is_ours(world: World) -> None:
    world.git("config", "core.hooksPath", "my hooks")
    report = install.install(str(world.top))
    assert report.refused == ""
    assert report.folder == str(world.top / "my hooks")
    world.mark("live")
    world.commit("-m", "x")
    assert len(world.calls()) == 2
    assert len(install.uninstall(str(world.top)).removed) == 4


@pytest.mark.parametrize("kind", ["global", "tracked", "husky", "null"])
def test_folders_of_others_are_not_written(world: World, kind: str) -> None:
    folder = world.top / {"tracked": "team", "husky": ".husky/_"}.get(kind, "../global")
    world.program(folder / "h", "")
    if kind == "global":
        world.git("config", "--global", "core.hooksPath", str(folder))
    elif kind == "null":
        world.git("config", "core.hooksPath", "/dev/null")
    else:
        world.git("config", "core.hooksPath", str(folder.relative_to(world.top)))
    if kind == "tracked":
        world.git("add", "team")
    before = sorted(os.listdir(folder))
    report = install.install(str(world.top))
    assert report.refused
    assert sorted(os.listdir(folder)) == before
    if kind == "null":
        assert problems(world) == [report.refused]
        return
    assert [os.path.basename(line.path) for line in report.lines] == list(scripts.NAMES)
    assert len(problems(world)) == 4
    for line in report.lines:
        path = Path(line.path.replace("/_", "/_") if kind != "husky" else str(folder / os.path.basename(line.path)))
        world.program(path, f"#!/bin/sh -e\n{line.line}\n")
        world.program(Path(line.path), f"#!/bin/sh -e\n{line.line}\n")
    assert problems(world) == []
    world.mark("live")
    world.commit("-m", "x")
    assert [call.split()[2] for call in world.calls()] == ["prepare-commit-msg", "post-commit"]
    removal = install.uninstall(str(world.top))
    assert len(removal.edited) == 4
    assert removal.left == ()
    assert all(Path(path).read_text() == "#!/bin/sh -e\n" for path in removal.edited)
    assert world.run("commit", "--allow-empty", "-m", "y").stderr == ""
    assert world.calls() == []


@pytest.mark.parametrize(
    ("text", "manager"),
    [
        ("# File generated by pre-commit: https://pre-commit.com\n", "pre-commit"),
        ("call_lefthook run commit-msg\n", "lefthook"),
    ],
)
def test_hook_managers_are_recognised_and_chained(world: World, text: str, manager: str) -> None:
    world.program(world.hook("commit-msg"), f"#!/bin/sh\n{text}")
    for _ in range(2):
        report = install.install(str(world.top))
        assert report.managers == (manager,)
        assert report.chained == ("commit-msg",)


def test_health_names_what_is_wrong(world: World) -> None:
    assert len(problems(world)) == 4
    install.install(str(world.top))
    world.hook("commit-msg").chmod(0o644)
    world.hook("post-commit").unlink()
    world.hook("pre-push").write_text("#!/bin/sh\n# Entire CLI hooks\n")
    assert problems(world) == [
        "the git hook commit-msg is not executable",
        f"the git hook post-commit is missing from {world.hook('')}".rstrip("/"),
        "the git hook pre-push was written by another version of Entire",
    ]


def test_uninstall_goes_on_where_a_file_of_others_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.git("config", "--global", "core.hooksPath", str(world.folder / "global"))
    report = install.install(str(world.top))
    assert all(install.add_line(line) for line in report.lines)
    assert problems(world) == []

    def refuse(path: str, name: str) -> bool:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("entire.githooks.lines.remove", refuse)
    removal = install.uninstall(str(world.top))
    assert [os.path.basename(path) for path in removal.left] == list(scripts.NAMES)
    assert world.run("commit", "--allow-empty", "-m", "x").stderr == ""
