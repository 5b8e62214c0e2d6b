"""Where chats are, which of several files is a session's, and how a session is put back so that the agent finds it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from entire.agents.gemini.agent import Gemini
from entire.model.effects import Delete, Write
from entire.model.positions import START
from entire.model.transcripts import SessionFile
from tests.agents.gemini import oracle

SESSION = "5b2e4c09-66c6-4bd9-bc7c-ac1db07c640c"
SHORT = SESSION[:8]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".gemini" / "tmp").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "My Project").mkdir()
    return tmp_path / "My Project"


@pytest.fixture
def agent(home: Path) -> Gemini:
    return Gemini(env={"HOME": str(home)})


@pytest.fixture
def chats(agent: Gemini, root: Path) -> Path:
    folder = Path(agent.session_dir(str(root)))
    folder.mkdir(parents=True)
    return folder


def place(chats: Path, name: str, minute: str = "06-20") -> Path:
    """Copy a captured chat of the session to where the agent wrote it."""
    return Path(shutil.copy(oracle.path_of(name), chats / f"session-2026-11-21T{minute}-{SHORT}.jsonl"))


def claim(home: Path, name: str, root: Path | str) -> None:
    folder = home / ".gemini" / "tmp" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(str(root))


def register(home: Path, **projects: str) -> None:
    (home / ".gemini" / "projects.json").write_text(
        json.dumps({"projects": {projects[name]: name for name in projects}})
    )


# folders


def test_a_project_is_named_after_its_folder(agent: Gemini, home: Path, root: Path) -> None:
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "my-project" / "chats")
    link = root.parent / "link"
    link.symlink_to(root)
    assert agent.session_dir(str(link)) == agent.session_dir(str(root))


def test_the_next_name_if_another_project_has_it(agent: Gemini, home: Path, root: Path) -> None:
    claim(home, "my-project", "/elsewhere/my-project")
    register(home, **{"my-project-1": "/third/my-project"})
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "my-project-2" / "chats")


def test_a_registered_project(agent: Gemini, home: Path, root: Path) -> None:
    register(home, other=str(root))
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "other" / "chats")
    claim(home, "other", "/elsewhere")  # the agent looks further then, too
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "my-project" / "chats")


def test_a_project_that_only_its_folder_names(agent: Gemini, home: Path, root: Path) -> None:
    claim(home, "named-by-hand", root)
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "named-by-hand" / "chats")


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"projects": []}', '{"projects": {"R": 7}}'])
def test_a_broken_registry(agent: Gemini, home: Path, root: Path, text: str) -> None:
    (home / ".gemini" / "projects.json").write_text(text.replace("R", str(root)))
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "my-project" / "chats")


def test_a_hostile_registry(agent: Gemini, home: Path, root: Path) -> None:
    (home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {str(root): "../../x"}}))
    assert agent.session_dir(str(root)) == str(home / ".gemini" / "tmp" / "my-project" / "chats")


@pytest.mark.parametrize(("name", "wanted"), [("--", "project"), ("Ä", "project"), ("a__b", "a-b"), (".X.", "x")])
def test_names_of_folders(agent: Gemini, tmp_path: Path, name: str, wanted: str) -> None:
    assert Path(agent.session_dir(str(tmp_path / name))).parent.name == wanted


def test_the_agents_home_can_be_moved(home: Path, root: Path, tmp_path: Path) -> None:
    moved = Gemini(env={"HOME": str(home), "GEMINI_CLI_HOME": str(tmp_path / "g")})
    assert moved.session_dir(str(root)) == str(tmp_path / "g" / ".gemini" / "tmp" / "my-project" / "chats")


def test_a_harness_names_the_folder(root: Path) -> None:
    assert Gemini(env={"ENTIRE_TEST_GEMINI_PROJECT_DIR": "/given"}).session_dir(str(root)) == "/given"


# files


def test_the_file_in_which_something_was_said(agent: Gemini, chats: Path) -> None:
    own = place(chats, oracle.REWOUND)
    place(chats, oracle.STUB, "06-22")
    (chats / f"session-2026-11-21T07-00-{SHORT}.jsonl").write_text('{"sessionId":"5b2e4c09-other","projectHash":"x"}\n')
    other = place(chats, oracle.REWOUND, "07-10")
    other.write_text(other.read_text().replace(SESSION, f"{SHORT}-0000-4bd9-bc7c-ac1db07c640c"))
    assert agent.has_conversation(str(other))
    assert agent.resolve_session_file(str(chats), SESSION) == str(own)


def test_a_session_of_which_only_the_stub_is_left_is_put_there(agent: Gemini, chats: Path) -> None:
    stub = place(chats, oracle.STUB, "06-22")
    assert agent.resolve_session_file(str(chats), SESSION) == str(stub)


def test_a_session_that_is_not_there_yet(agent: Gemini, chats: Path) -> None:
    found = agent.resolve_session_file(str(chats), SESSION)
    assert found == str(chats / f"session-restored-{SHORT}.jsonl")
    assert agent.resolve_session_file(str(chats / "missing"), SESSION).endswith(f"-{SHORT}.jsonl")


@pytest.mark.parametrize("session_id", ["", "../x", "a/b", "a\0b", "."])
def test_no_file_for_a_hostile_id(agent: Gemini, chats: Path, session_id: str) -> None:
    assert agent.resolve_session_file(str(chats), session_id) == ""


def test_the_agents_own_sessions(agent: Gemini, chats: Path, root: Path) -> None:
    own, stub = place(chats, oracle.REWOUND), place(chats, oracle.STUB, "06-22")
    (chats / "session-2026-11-21T06-23-broken00.jsonl").write_text("nonsense\n")
    (chats / "notes.jsonl").write_text('{"sessionId":"x"}\n')
    (chats / SESSION).mkdir()
    found = sorted(agent.session_files(str(root)), key=lambda file: file.session_ref)
    assert found == [
        SessionFile(session_id=SESSION, session_ref=str(path), changed=path.stat().st_mtime) for path in (own, stub)
    ]
    assert [agent.has_conversation(file.session_ref) for file in found] == [True, False]
    assert agent.session_files("/nowhere") == []


@pytest.mark.parametrize("name", oracle.transcripts())
def test_whether_something_was_said(agent: Gemini, name: str) -> None:
    assert agent.has_conversation(str(oracle.path_of(name))) is (name != oracle.STUB)


def test_whether_something_was_said_in_a_document(agent: Gemini, tmp_path: Path) -> None:
    path = tmp_path / "session-x.json"
    for messages, said in (([], False), ([{"id": "1", "type": "user", "content": "hello"}], True)):
        for indent in (2, None):
            path.write_text(json.dumps({"sessionId": SESSION, "projectHash": "x", "messages": messages}, indent=indent))
            assert agent.has_conversation(str(path)) is said


def test_own_ids(agent: Gemini) -> None:
    chat = oracle.path_of(oracle.REWOUND).read_bytes()
    assert agent.own_session_id(SESSION, chat) == SESSION
    assert agent.own_session_id(f"2026-01-05-{SESSION}", chat) == SESSION
    assert agent.own_session_id("s1", b"") == "s1"
    assert agent.format_resume_command(SESSION) == f"gemini --resume {SESSION}"
    assert agent.format_resume_command("it's") == "gemini --resume 'it'\\''s'"


# putting back


def test_lines_are_written_and_the_stub_goes(agent: Gemini, chats: Path) -> None:
    own, stub = place(chats, oracle.REWOUND), place(chats, oracle.STUB, "06-22")
    other = place(chats, oracle.STUB, "06-23")
    other.write_text(other.read_text().replace(SESSION, f"{SHORT}-0000-4bd9-bc7c-ac1db07c640c"))
    cut = b"".join(own.read_bytes().splitlines(keepends=True)[:6])
    plan = agent.put_back(str(own), cut, {"a1": b"{}\n", "../x": b""})
    assert plan.problem == ""
    assert plan.effects == (
        Write(path=str(own), data=cut),
        Write(path=str(chats / SESSION / "a1.jsonl"), data=b"{}\n"),
        Delete(path=str(stub)),
    )
    assert agent.transcript(str(chats / SESSION / "a1.jsonl"), cut).subagent_ref("a1")


def test_a_second_file_with_a_conversation_stays(agent: Gemini, chats: Path) -> None:
    own, second = place(chats, oracle.REWOUND), place(chats, oracle.REWOUND, "06-22")
    plan = agent.put_back(str(own), own.read_bytes(), {})
    assert plan.effects == (Write(path=str(own), data=own.read_bytes()),)
    assert second.exists()


def test_the_agent_can_append_to_what_is_put_back(agent: Gemini, chats: Path) -> None:
    own = chats / f"session-restored-{SHORT}.jsonl"
    plan = agent.put_back(str(own), b'{"sessionId":"x"}', {})
    assert plan.effects == (Write(path=str(own), data=b'{"sessionId":"x"}\n'),)


def test_a_document_goes_into_a_file_of_its_form(agent: Gemini, chats: Path) -> None:
    own = chats / f"session-2026-11-21T06-20-{SHORT}.jsonl"
    data = json.dumps({"sessionId": SESSION, "projectHash": "x", "messages": [{"id": "1", "type": "user"}]}).encode()
    document = own.with_suffix(".json")
    for ref in (own, document):
        assert agent.put_back(str(ref), data, {}).effects == (Write(path=str(document), data=data),)
    own.write_bytes(oracle.path_of(oracle.REWOUND).read_bytes())  # the agent went on from the document
    assert agent.put_back(str(own), data, {}).effects == (Write(path=str(document), data=data), Delete(path=str(own)))


def test_a_removed_conversation_leaves_no_file_of_the_session(agent: Gemini, chats: Path) -> None:
    own, stub = place(chats, oracle.REWOUND), place(chats, oracle.STUB, "06-22")
    assert agent.put_back(str(own), b"", {}).effects == (Delete(path=str(own)), Delete(path=str(stub)))


def test_what_was_put_back_reads_the_same(agent: Gemini, chats: Path) -> None:
    own = place(chats, oracle.REWOUND)
    whole = agent.transcript(str(own))
    until = whole.at(17)
    wanted = whole.prompts(START, until), whole.tokens(START, until), whole.files(START, until)
    for effect in agent.put_back(str(own), whole.cut(until), {}).effects:
        assert isinstance(effect, Write)
        Path(effect.path).write_bytes(bytes(effect.data))
    again = agent.transcript(str(own))
    assert (again.prompts(START), again.tokens(START), again.files(START)) == wanted


def test_relative_paths_belong_to_where_the_agent_was_started(agent: Gemini, home: Path, root: Path) -> None:
    claim(home, "my-project", root / "sub")
    chats = home / ".gemini" / "tmp" / "my-project" / "chats"
    call = {"id": "c1", "name": "write_file", "args": {"file_path": "a.txt"}, "status": "success"}
    record = {"id": "m1", "type": "gemini", "content": "", "toolCalls": [call]}
    for path in (chats / f"session-x-{SHORT}.jsonl", chats / SESSION / "a1.jsonl"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record) + "\n")
        assert [report.path for report in agent.transcript(str(path)).files(START)] == [str(root / "sub" / "a.txt")]
    stored = agent.transcript("", json.dumps(record).encode())
    assert [report.path for report in stored.files(START)] == ["a.txt"]
