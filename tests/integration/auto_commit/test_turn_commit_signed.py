"""Signed commits of turns: with OpenPGP, X.509 and ssh keys. A passphrase is never asked for."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import left_behind, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session
needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")


@pytest.fixture
def gnupg(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="gpg-", dir="/tmp"))  # a socket's path must be short
    monkeypatch.setenv("GNUPGHOME", str(home))
    yield home
    subprocess.run(["gpgconf", "--kill", "all"], check=False)
    shutil.rmtree(home, ignore_errors=True)


def key(passphrase: str) -> str:
    options = ["--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase]
    subprocess.run(["gpg", *options, "--quick-gen-key", "Ada <ada@example.com>", "ed25519", "sign", "never"],
                   check=True, capture_output=True)  # fmt: skip
    return "ada@example.com"


@needs_gpg
def test_a_commit_is_signed_with_gpg(story: Story, session: Session, gnupg: Path) -> None:
    story.git("config", "commit.gpgSign", "true")
    story.git("config", "user.signingKey", key(""))
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert uncommitted(session) == ""
    story.git("verify-commit", "HEAD", env={"GNUPGHOME": str(gnupg)})
    assert left_behind(story) == []


@needs_gpg
def test_gpg_may_not_ask_for_a_passphrase(
    story: Story, session: Session, gnupg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.git("config", "commit.gpgSign", "true")
    story.git("config", "user.signingKey", key("secret"))
    subprocess.run(["gpgconf", "--kill", "all"], check=False)
    asked = gnupg / "asked"
    pinentry = gnupg / "pinentry"
    pinentry.write_text(f"#!/bin/sh\ntouch {asked}\nexit 1\n")
    pinentry.chmod(0o755)
    (gnupg / "gpg-agent.conf").write_text(f"pinentry-program {pinentry}\n")
    monkeypatch.setenv("GPG_TTY", "/dev/tty")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert subjects(story)[0] == "Enable entire"
    assert uncommitted(session).startswith(
        "the commit cannot be signed without asking you (gpg failed to sign the data"
    )
    assert not asked.exists()
    assert left_behind(story) == []


def test_an_x509_program_is_told_not_to_ask(story: Story, session: Session, tmp_path: Path) -> None:
    program = tmp_path / "own gpgsm"
    program.write_text(
        f"#!/bin/sh\necho \"$@\" >'{tmp_path}/called'\ncat >/dev/null\n"
        "echo '[GNUPG:] SIG_CREATED D 1 8 00 1 X' >&2\necho '-----BEGIN SIGNED MESSAGE-----'\n"
    )
    program.chmod(0o755)
    for name, value in {"commit.gpgSign": "yes", "gpg.format": "x509", "gpg.x509.program": str(program)}.items():
        story.git("config", name, value)
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert "gpgsig -----BEGIN SIGNED MESSAGE-----" in story.git("cat-file", "commit", "HEAD")
    assert (tmp_path / "called").read_text().startswith("--batch --no-tty --pinentry-mode error --status-fd=2 -bsau ")
    assert story.linked()["files_touched"] == ["a.txt"]
    assert left_behind(story) == []


def ssh_key(story: Story, passphrase: str) -> Path:
    key = story.root.parent / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ada", "-f", str(key)], check=True)
    allowed = story.root.parent / "allowed"
    allowed.write_text(f"ada@example.com {key.with_suffix('.pub').read_text()}")
    for name, value in {"commit.gpgSign": "true", "gpg.format": "ssh", "user.signingKey": str(key),
                        "gpg.ssh.allowedSignersFile": str(allowed)}.items():  # fmt: skip
        story.git("config", name, value)
    return key


def test_signed_with_an_ssh_key(story: Story, session: Session) -> None:
    ssh_key(story, "")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    story.git("verify-commit", "HEAD")
    assert story.linked()["files_touched"] == ["a.txt"]
    assert left_behind(story) == []


def test_an_ssh_key_with_a_passphrase_is_not_asked_for(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ssh_key(story, "secret")
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho secret\n")
    ask.chmod(0o755)
    monkeypatch.setenv("SSH_ASKPASS", str(ask))
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    monkeypatch.setenv("DISPLAY", ":0")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert subjects(story)[0] == "Enable entire"
    assert "sign" in uncommitted(session)
    assert not (tmp_path / "asked").exists()
    assert left_behind(story) == []


def test_a_program_that_signs_with_ssh_keys(story: Story, session: Session, tmp_path: Path) -> None:
    ssh_key(story, "")
    program = tmp_path / "own sign"
    program.write_text(f'#!/bin/sh\ntouch "{tmp_path}/used"\nexec ssh-keygen "$@"\n')
    program.chmod(0o755)
    story.git("config", "gpg.ssh.program", str(program))
    with session.turn("one"):
        session.write("a.txt", "a\n")
    story.git("verify-commit", "HEAD")
    assert (tmp_path / "used").exists()


def test_no_signing_key(story: Story, session: Session) -> None:
    story.git("config", "commit.gpgSign", "true")
    story.git("config", "gpg.format", "ssh")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert subjects(story)[0] == "Enable entire"
    assert "signingkey" in uncommitted(session).lower()
