"""Every checkpoint of every golden world can be resumed on a machine that has nothing but the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import golden
from tests.integration.commandline import Repo
from tests.interop.test_golden_shown import BRANCH, Stored


@pytest.mark.parametrize("stage", golden.STAGES)
def test_what_the_go_cli_stored_is_resumed(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = golden.unpack(stage, tmp_path / "home")
    monkeypatch.setenv("HOME", str(home))
    for top in golden.repositories(home):
        repo = Repo(top, capsys)
        if BRANCH not in repo.git("for-each-ref", "--format=%(refname)").split():
            continue
        stored = Stored(top)
        monkeypatch.chdir(top)
        for checkpoint in stored.roots:
            folder = tmp_path / "given" / top.name / checkpoint
            for variable in ("ENTIRE_TEST_CLAUDE_PROJECT_DIR", "ENTIRE_TEST_GEMINI_PROJECT_DIR"):
                monkeypatch.setenv(variable, str(folder))
            status = repo.entire("resume", checkpoint, "--json")
            value = json.loads(repo.out)
            if status:  # its state says that it is at work, and its process is not known
                assert "a turn is in progress" in value["error"]["message"]
                continue
            wanted = {
                record["session_id"]: f"{checkpoint[:2]}/{checkpoint[2:]}/{number}/full.jsonl"
                for number, record in enumerate(stored.slots(checkpoint))
            }
            found = {session["session_id"]: session for session in (*value["sessions"], *value["skipped"])}
            assert found.keys() == wanted.keys()
            for session in value["sessions"]:
                assert (session["what"], session["checkpoint_id"]) == ("written", checkpoint)
                names = (f"{session['session_id']}.jsonl", f"session-restored-{session['session_id'][:8]}.json")
                assert session["path"] in [str(folder / name) for name in names]
                assert Path(session["path"]).read_text() == stored.files[wanted[session["session_id"]]]
            repo.ok("resume", "--undo")
            assert not list(folder.glob("*.json*"))
