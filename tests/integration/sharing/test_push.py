"""What stays on this machine: pre-push stops a push that sends private refs, and no other, before anything is sent."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path

import pytest

import entire
from entire.githooks import install
from entire.layout import METADATA_BRANCH
from tests import golden
from tests.integration.story import Story

CHECKPOINTS = f"refs/heads/{METADATA_BRANCH}"
STOPPED = "entire: stopped this push before anything was sent"
ALLOW = "entire.allowPrivatePush"


class Remote:
    """A story with a bare remote called origin, by path or by URL."""

    def __init__(self, story: Story, *, url: bool = False) -> None:
        self.story = story
        self.bare = story.root.parent / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", str(self.bare)], check=True)
        story.git("remote", "add", "origin", f"file://{self.bare}" if url else str(self.bare))

    def push(self, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *args],
            cwd=self.story.root,
            env={**self.story.env, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )

    def refs(self) -> list[str]:
        done = subprocess.run(
            ["git", "-C", str(self.bare), "for-each-ref", "--format=%(refname)"],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.split()

    def refuses(self, *args: str, naming: str = "") -> str:
        """It must be stopped, name what it would have published, and have changed nothing. Return what it said."""
        before = self.refs()
        done = self.push(*args)
        assert (done.returncode, self.refs()) == (1, before), done.stderr
        assert STOPPED in done.stderr
        assert f"  {naming}" in done.stderr
        return done.stderr

    def takes(self, *args: str) -> str:
        done = self.push(*args)
        assert done.returncode == 0, done.stderr
        assert STOPPED not in done.stderr
        return done.stderr


def work(story: Story) -> None:
    """Leave a checkpoint, a step and the journal's ref: all that must stay here."""
    session = story.session()
    session.start()
    with session.turn("Write two files"):
        session.write("a.py", "a = 1\n")
        session.write("b.py", "b = 1\n")
    story.git("add", "a.py")
    story.commit("Add a", add=False)
    with session.turn("Write another"):
        session.write("c.py", "c = 1\n")


def private_refs(story: Story) -> list[str]:
    return story.git("for-each-ref", "--format=%(refname)", "refs/entire", "refs/heads/entire").split()


def shadow_of(story: Story) -> str:
    (name,) = [ref for ref in private_refs(story) if ref.startswith("refs/heads/entire/") and ref != CHECKPOINTS]
    return name.removeprefix("refs/heads/")


def remove_private_refs(story: Story) -> None:
    for ref in private_refs(story):
        if ref != CHECKPOINTS:
            story.git("update-ref", "-d", ref)


@pytest.fixture(params=[False, True], ids=["path", "url"])
def remote(story: Story, request: pytest.FixtureRequest) -> Remote:
    work(story)
    return Remote(story, url=request.param)


@pytest.fixture
def pushing(story: Story) -> Remote:
    """Return a remote to which checkpoints are pushed."""
    work(story)
    assert story.entire("enable", "--agent", "claude-code", "--push-sessions") == 0
    return Remote(story)


# ---------------------------------------------------------------- what is stopped


def test_a_mirror_is_stopped_and_says_what_it_would_publish(remote: Remote) -> None:
    story = remote.story
    said = remote.refuses("push", "--mirror", "origin", naming="refs/entire/")
    for ref in private_refs(story):
        assert f"  {ref}: " in said
    assert "git push <remote> 'refs/heads/*' '^refs/heads/entire/*'" in said
    assert f"git -c {ALLOW}=true push" in said
    assert remote.refs() == []


def test_all_branches_are_stopped_and_the_ways_on_work(remote: Remote) -> None:
    said = remote.refuses("push", "--all", "origin", naming=f"refs/heads/{shadow_of(remote.story)}: steps")
    assert f"  {CHECKPOINTS}: checkpoints" in said
    assert "entire enable --push-sessions" in said
    remote.story.git("branch", "other")
    remote.takes("push", "-q", "origin", "refs/heads/*", "^refs/heads/entire/*")
    assert remote.refs() == ["refs/heads/main", "refs/heads/other"]
    remote.takes("-c", f"{ALLOW}=true", "push", "-q", "--mirror", "origin")
    assert set(private_refs(remote.story)) <= set(remote.refs())


def test_a_setting_allows_it_for_good(remote: Remote) -> None:
    remote.story.git("config", ALLOW, "yes")
    remote.takes("push", "-q", "--all", "origin")
    assert CHECKPOINTS in remote.refs()
    remote.story.git("config", ALLOW, "false")
    remote.refuses("push", "--mirror", "origin")


@pytest.mark.parametrize("how", ["name", "other name", "expression", "reflog", "ref", "onto our name", "tag"])
def test_a_step_is_stopped_under_whatever_name(story: Story, how: str) -> None:
    work(story)
    remote, shadow = Remote(story), shadow_of(story)
    journal = next(ref for ref in private_refs(story) if ref.startswith("refs/entire/"))
    given = {
        "name": shadow,
        "other name": f"{shadow}:refs/heads/x",
        "expression": f"{shadow}^0:refs/heads/x",
        "reflog": f"heads/{shadow}@{{0}}:refs/heads/x",
        "ref": f"{journal}:refs/y",
        "onto our name": f"{story.git('rev-parse', shadow).strip()}:refs/heads/{shadow}",
        "tag": f"{shadow}:refs/tags/x",
    }
    remote.refuses("push", "origin", "main", given[how])
    assert remote.refs() == []


@pytest.mark.parametrize("spec", [METADATA_BRANCH, f"{METADATA_BRANCH}:refs/heads/backup", f"+{CHECKPOINTS}"])
def test_checkpoints_that_stay_here_are_stopped_by_name_too(remote: Remote, spec: str) -> None:
    said = remote.refuses("push", "origin", spec, naming=f"{CHECKPOINTS}: checkpoints, which you did not choose")
    assert "entire enable --push-sessions" in said
    remote.takes("-c", f"{ALLOW}=true", "push", "-q", "origin", spec)
    assert len(remote.refs()) == 1


def test_a_dry_run_says_the_same(remote: Remote) -> None:
    remote.refuses("push", "--dry-run", "--mirror", "origin")


@pytest.mark.parametrize("state", ["disabled", "no sessions", "no entire"])
def test_the_promise_holds_whatever_became_of_us(story: Story, state: str) -> None:
    work(story)
    remote = Remote(story)
    if state == "disabled":
        assert story.entire("disable") == 0
    elif state == "no sessions":
        story.git("commit", "-q", "--allow-empty", "-m", "Nothing")
        story.path(".git/entire/live").unlink(missing_ok=True)
    else:
        story.env["PATH"] = os.environ["PATH"]
        story.path(".git/entire/command").unlink()
    remote.refuses("push", "--mirror", "origin")
    remote.refuses("push", "--all", "origin")


def test_after_uninstall_nothing_can_stop_and_no_private_ref_is_left(story: Story) -> None:
    work(story)
    remote = Remote(story)
    assert story.entire("disable", "--uninstall", "--force") == 0
    assert private_refs(story) == [CHECKPOINTS]
    remote.takes("push", "-q", "--mirror", "origin")


def test_from_a_linked_worktree_and_a_subfolder(story: Story) -> None:
    work(story)
    remote = Remote(story)
    story.git("worktree", "add", "-q", "../side")
    for folder in (story.root.parent / "side", story.root / ".entire"):
        push = ["git", "-C", str(folder), "push", "--mirror", "origin"]
        done = subprocess.run(push, env=story.env, capture_output=True, text=True, check=False)
        assert (done.returncode, STOPPED in done.stderr) == (1, True), done.stderr
    assert remote.refs() == []


def test_choices_in_settings_that_were_edited_later_count(story: Story) -> None:
    work(story)
    remote = Remote(story)
    assert story.entire("enable", "--agent", "claude-code", "--push-sessions") == 0
    remote.takes("push", "-q", "origin", METADATA_BRANCH)
    story.git("update-ref", CHECKPOINTS, f"{CHECKPOINTS}~1")
    story.write(".entire/settings.local.json", json.dumps({"strategy_options": {"push_sessions": False}}))
    remote.refuses("push", "origin", f"+{METADATA_BRANCH}", naming=CHECKPOINTS)
    story.write(".entire/settings.json", '{"enabled":true,"strategy_options":{"push_sessions":true}}')
    remote.refuses("push", "origin", f"+{METADATA_BRANCH}", naming=CHECKPOINTS)
    story.path(".entire/settings.local.json").unlink()
    story.write(".entire/settings.json", '{"enabled":true,"strategy_options":{"push_sessions":false}}')
    remote.refuses("push", "origin", f"+{METADATA_BRANCH}", naming=CHECKPOINTS)


def test_a_hand_written_choice_without_enable_pushes_nothing(story: Story) -> None:
    work(story)
    remote = Remote(story)
    story.write(".entire/settings.local.json", json.dumps({"strategy_options": {"push_sessions": True}}))
    remote.takes("push", "-q", "origin", "main")
    assert remote.refs() == ["refs/heads/main"]
    remote.refuses("push", "origin", METADATA_BRANCH)


# ---------------------------------------------------------------- what is not


def test_deletions_pass(remote: Remote) -> None:
    story, shadow = remote.story, shadow_of(remote.story)
    remote.takes("-c", f"{ALLOW}=true", "push", "-q", "--mirror", "origin")
    remote.takes("push", "-q", "origin", "--delete", shadow, METADATA_BRANCH)
    assert not {f"refs/heads/{shadow}", CHECKPOINTS} & set(remote.refs())
    for ref in private_refs(story):
        story.git("update-ref", "-d", ref)
    remote.takes("push", "-q", "--mirror", "origin")  # deletes refs/entire/* there
    assert remote.refs() == ["refs/heads/main", "refs/remotes/origin/main"]


def test_peoples_branches_with_such_names_pass(story: Story) -> None:
    work(story)
    remote = Remote(story)
    remove_private_refs(story)
    story.git("update-ref", "-d", CHECKPOINTS)
    names = ["entire/1234567-e3b0c4", "entire/1234567", "entire/foo", "entire/checkpoints/v2", "feature/entire/x"]
    for name in names:
        story.git("branch", name)
    story.git("commit", "-q", "--allow-empty", "-m", "About Entire\n\nEntire-Session: none")
    story.git("branch", "entire/7654321-c791eb")
    remote.takes("push", "-q", "--mirror", "origin")
    assert {f"refs/heads/{name}" for name in [*names, "entire/7654321-c791eb"]} <= set(remote.refs())


def test_a_persons_branch_beside_steps_passes_by_name(story: Story) -> None:
    work(story)
    remote = Remote(story)
    story.git("branch", "entire/foo")
    remote.takes("push", "-q", "origin", "entire/foo", "main")
    assert remote.refs() == ["refs/heads/entire/foo", "refs/heads/main"]


def test_steps_of_the_old_form_are_stopped(story: Story) -> None:
    work(story)
    remote = Remote(story)
    story.git("branch", "entire/1234567", shadow_of(story))
    remote.refuses("push", "origin", "entire/1234567", naming="refs/heads/entire/1234567: steps")


def test_an_ordinary_push_starts_no_interpreter_and_asks_git_once(story: Story, tmp_path: Path) -> None:
    work(story)
    remote = Remote(story)
    calls = tmp_path / "calls"
    for name in ("entire", "python3", "git"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>"{calls}"\n')
        program.chmod(0o755)
    hook = story.path(".git/hooks/pre-push")
    oid = story.head()
    done = subprocess.run(
        [hook, "origin", "url"],
        cwd=story.root,
        input=f"refs/heads/main {oid} refs/heads/main {'0' * 40}\n".encode(),
        env={**story.env, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (asked,) = calls.read_text().splitlines()
    assert asked.startswith("git --no-replace-objects rev-list --stdin ")
    remote.takes("push", "-q", "origin", "main")


# ---------------------------------------------------------------- a chained hook


def test_a_chained_hook_reads_the_same_list_and_none_of_a_stopped_push(story: Story, tmp_path: Path) -> None:
    work(story)
    remote = Remote(story)
    assert install.uninstall(str(story.root)).removed
    hook = story.path(".git/hooks/pre-push")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\ncat >"{tmp_path}/list"\n')
    hook.chmod(0o755)
    assert install.install(str(story.root)).chained == ("pre-push",)
    remote.refuses("push", "--all", "origin")
    assert not (tmp_path / "list").exists()
    story.git("branch", "entire/foo")
    remote.takes("push", "-q", "origin", "main", "entire/foo")
    head, zeros = story.head(), "0" * 40
    refs = ("refs/heads/main", "refs/heads/entire/foo")
    assert sorted((tmp_path / "list").read_text().splitlines()) == sorted(f"{r} {head} {r} {zeros}" for r in refs)


# ---------------------------------------------------------------- with checkpoints that are pushed


def test_private_refs_are_stopped_although_checkpoints_are_pushed(pushing: Remote) -> None:
    said = pushing.refuses("push", "--mirror", "origin", naming="refs/entire/")
    assert f"  {CHECKPOINTS}" not in said
    pushing.refuses("push", "--all", "origin", naming=f"refs/heads/{shadow_of(pushing.story)}")
    assert pushing.refs() == []


@pytest.mark.parametrize("how", ["--all", "--mirror"])
def test_git_sends_the_checkpoints_itself_and_succeeds(pushing: Remote, how: str) -> None:
    story = pushing.story
    pushing.takes("push", "-q", "origin", "main")
    assert pushing.refs() == [CHECKPOINTS, "refs/heads/main"]
    story.commit("Add the rest")
    remove_private_refs(story)
    pushing.takes("push", "-q", how, "origin")
    tips = story.git("rev-parse", "main", METADATA_BRANCH).split()
    assert story.git("ls-remote", "origin", "refs/heads/main", CHECKPOINTS).split()[::2] == tips[::-1]
    pushing.takes("push", "-q", how, "origin")


def test_the_first_push_of_all_creates_the_branch(pushing: Remote) -> None:
    remove_private_refs(pushing.story)
    pushing.takes("push", "-q", "--all", "origin")
    assert pushing.refs() == [CHECKPOINTS, "refs/heads/main"]


def test_checkpoints_can_be_deleted_from_a_remote(pushing: Remote) -> None:
    pushing.takes("push", "-q", "origin", "main")
    pushing.takes("push", "-q", "origin", "--delete", METADATA_BRANCH)
    assert pushing.refs() == ["refs/heads/main"]


def test_a_dry_run_sends_no_checkpoints(pushing: Remote) -> None:
    for option in ("--dry-run", "-n", "--dry", "-un"):
        pushing.takes("push", "-q", option, "origin", "main")
        assert pushing.refs() == []


def colleague(remote: Remote, folder: Path) -> None:
    """Let a colleague's clone push a checkpoint that this clone does not have."""
    git = ["git", "-C", str(folder)]
    known = f"origin/{METADATA_BRANCH}"
    subprocess.run(["git", "clone", "-q", str(remote.bare), str(folder)], check=True)
    commit = [*git, "commit-tree", f"{known}^{{tree}}", "-p", known, "-m", "More"]
    tip = subprocess.run(commit, check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([*git, "push", "-q", "origin", f"{tip}:{CHECKPOINTS}"], check=True)


@pytest.mark.parametrize("is_known", [False, True], ids=["unknown here", "fetched"])
def test_diverged_checkpoints_are_gits_to_reject_and_a_push_by_name_joins(
    pushing: Remote, tmp_path: Path, is_known: bool
) -> None:
    story = pushing.story
    pushing.takes("push", "-q", "origin", "main")
    colleague(pushing, tmp_path / "colleague")
    if is_known:
        story.git("fetch", "-q")
    story.commit("Add the rest")
    remove_private_refs(story)
    done = pushing.push("push", "--all", "origin")
    assert done.returncode == 1
    assert "rejected" in done.stderr
    assert STOPPED not in done.stderr
    if is_known:  # git leaves a ref that it knows it will reject off the list
        assert "push again" in done.stderr
    else:
        assert "hint: push a branch by name first" in done.stderr
        pushing.takes("push", "-q", "origin", "main")
    pushing.takes("push", "-q", "--all", "origin")
    assert "More" in story.git("log", "--format=%s", f"refs/remotes/origin/{METADATA_BRANCH}")


# ---------------------------------------------------------------- what is ours under another name


OURS = ("step", "journal", "conversation", "retained", "checkpoint")
DOCUMENTED = ("push", "origin", "refs/heads/*", "^refs/heads/entire/*")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A story with one commit of each kind that we write, which tests only push."""
    story = Story(tmp_path_factory.mktemp("worked") / "repo")
    work(story)
    session = story.started()
    with session.turn("Look around"):
        session.answer({"type": "text", "text": "Nothing to do."})
    Remote(story)
    return story


def ours(story: Story, kind: str) -> str:
    """Return a commit that we wrote, with the person's worktree or prompts."""
    shadow, journal = shadow_of(story), "refs/entire/journal/"
    if kind == "step":
        return story.git("rev-parse", shadow).strip()
    if kind == "checkpoint":
        return story.git("rev-parse", CHECKPOINTS).strip()
    if kind == "retained":
        return story.git("for-each-ref", "--format=%(objectname)", "refs/entire/kept").split()[0]
    found = story.git("log", "--format=%H %s", *story.git("for-each-ref", "--format=%(refname)", journal).split())
    words = {"journal": "Entire journal: snapshot", "conversation": "Entire journal: conversation"}[kind]
    return next(line.split()[0] for line in found.splitlines() if words in line)


def ways(story: Story, oid: str) -> dict[str, tuple[str, ...]]:
    """Return the pushes that would send a commit under another name; each name is deleted again by ``clear``."""
    story.git("branch", "mine", oid)
    story.git("tag", "light", oid)
    story.git("tag", "-a", "heavy", "-m", "x", oid)
    story.git("tag", "-a", "nested", "-m", "x", "heavy")
    tree = story.git("rev-parse", "main^{tree}").strip()
    child = story.git("commit-tree", tree, "-p", oid, "-m", "A person's").strip()
    merged = story.git("commit-tree", tree, "-p", "main", "-p", child, "-m", "A person's merge").strip()
    return {
        "branch": ("push", "origin", "mine"),
        "documented": DOCUMENTED,
        "all tags": ("push", "--tags", "origin"),
        "nested tag": ("push", "origin", "nested"),
        "commit id": ("push", "origin", f"{oid}:refs/heads/x"),
        "expression": ("push", "origin", "main", "mine~0:refs/heads/x"),
        "on top": ("push", "origin", f"{child}:refs/heads/x"),
        "merged": ("push", "origin", f"{merged}:refs/heads/x"),
    }


@pytest.mark.parametrize("kind", OURS)
def test_what_we_wrote_is_stopped_whatever_it_is_called(worked: Story, kind: str) -> None:
    remote = Remote.__new__(Remote)
    remote.story, remote.bare = worked, worked.root.parent / "remote.git"
    said = {"step": "steps of sessions", "retained": "steps of sessions", "checkpoint": "checkpoints, which you did"}
    for way, command in ways(worked, ours(worked, kind)).items():
        assert said.get(kind, "snapshots of your files") in remote.refuses(*command), way
    for name in ("light", "heavy", "nested"):
        worked.git("tag", "-d", name)
    worked.git("branch", "-D", "mine")


def test_checkpoints_under_another_name_follow_the_choice(pushing: Remote) -> None:
    pushing.story.git("branch", "mine", METADATA_BRANCH)
    pushing.takes("push", "-q", "origin", "mine")
    remove_private_refs(pushing.story)
    pushing.takes(*DOCUMENTED[:1], "-q", *DOCUMENTED[1:])


def test_what_people_wrote_about_us_passes(story: Story) -> None:
    work(story)
    remote = Remote(story)
    quoted = "Entire-Metadata: .entire/metadata/x\nEntire-Session: x\nEntire-Strategy: manual-commit\n"
    story.git("commit", "-q", "--allow-empty", "-m", f"As the Go CLI once wrote\n\n{quoted}")
    story.git("commit", "-q", "--allow-empty", "-m", f"Merge branch x\n\n    {quoted}\nCheckpoint: a1b2c3d4e5f6")
    story.git("commit", "-q", "--allow-empty", "-m", "Checkpoint: the database")
    remote.takes("push", "-q", "origin", "main")


def test_steps_of_earlier_versions_on_top_of_a_commit_are_stopped(story: Story) -> None:
    remote = Remote(story)
    story.write(".entire/metadata/s1/prompt.txt", "A prompt")
    story.git("add", "-f", ".entire/metadata/s1/prompt.txt")
    message = "A step\n\nEntire-Metadata: .entire/metadata/s1\nEntire-Session: s1\nEntire-Strategy: shadow\n"
    step = story.git("commit-tree", story.git("write-tree").strip(), "-p", "main", "-m", message).strip()
    remote.refuses("push", "origin", f"{step}:refs/heads/x", naming=f"{step}: steps of sessions")


def test_steps_of_the_go_cli_are_stopped(tmp_path: Path) -> None:
    (top,) = golden.repositories(golden.unpack("manual/09-two-sessions", tmp_path / "go"))
    assert install.install(str(top)).written
    story = Story.__new__(Story)
    story.root, story.env = top, dict(os.environ)
    remote = Remote(story)
    steps = [name for name in story.git("branch", "--format=%(refname:short)").split() if name.startswith("entire/")]
    steps.remove(METADATA_BRANCH)
    assert steps
    for number, name in enumerate(steps):
        story.git("branch", f"mine-{number}", name)
        remote.refuses("push", "origin", f"mine-{number}", naming=f"refs/heads/mine-{number}: steps of sessions")


def test_every_commit_that_we_write_has_a_mark() -> None:
    for path in sorted((Path(entire.__file__).parent).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "commit":
                given = [word.value for word in call.keywords if word.arg == "message"]
                assert not any(isinstance(value, ast.Constant) for value in given), (path, call.lineno)


# ---------------------------------------------------------------- what git does not send


def test_a_deletion_sends_no_checkpoints(pushing: Remote) -> None:
    pushing.story.git("branch", "old")
    pushing.takes("push", "-q", "--no-verify", "origin", "old", "main")
    pushing.takes("push", "-q", "origin", "--delete", "old")
    assert pushing.refs() == ["refs/heads/main"]
    pushing.takes("push", "-q", "origin", "main")  # all there: what was left behind follows
    assert pushing.refs() == [CHECKPOINTS, "refs/heads/main"]


@pytest.mark.parametrize("is_known", [False, True], ids=["unknown here", "fetched"])
def test_a_push_that_git_rejects_sends_no_checkpoints(pushing: Remote, tmp_path: Path, is_known: bool) -> None:
    story, git = pushing.story, ["git", "-C", str(tmp_path / "colleague")]
    pushing.takes("push", "-q", "--no-verify", "origin", "main~1:refs/heads/main")
    subprocess.run(["git", "clone", "-q", "-b", "main", str(pushing.bare), git[2]], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Theirs"], check=True)
    subprocess.run([*git, "push", "-q", "origin", "main"], check=True)
    if is_known:
        story.git("fetch", "-q")
    done = pushing.push("push", "origin", "main")
    assert (done.returncode, "rejected" in done.stderr) == (1, True)
    assert pushing.refs() == ["refs/heads/main"]
    story.git("tag", "v1")
    pushing.takes("push", "-q", "--no-verify", "origin", "v1")
    story.git("tag", "-f", "v1", "HEAD~1")
    assert pushing.push("push", "origin", "v1").returncode == 1
    assert CHECKPOINTS not in pushing.refs()
    pushing.takes("push", "-q", "--force", "origin", "main")
    assert CHECKPOINTS in pushing.refs()
