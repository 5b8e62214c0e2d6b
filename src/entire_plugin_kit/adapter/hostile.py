"""Promises about hostile input: transcripts of any bytes, ids that are not names, any file name."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.plugin import START, EntireError, Position, SessionRef, is_session_id
from entire.plugin.host import argument_problem
from entire_plugin_kit.adapter import malformed, questions
from entire_plugin_kit.adapter.events import HOSTILE_IDS
from entire_plugin_kit.adapter.questions import between
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from entire_plugin_kit.rig import Rig

_NAMES = (
    "two words",
    "quo'te\"s",
    "new\nline",
    "-dash",
    "$(touch x)",
    "ünï\u2028",
    "\udcff\udcfe",
    "x" * 120,
    "a;b&c|d",
    "*?[",
)
_WORDS = (
    "a b",
    "a'b",
    'a"b',
    "$(touch hit)",
    "`touch hit`",
    "; touch hit;",
    "-rf",
    "--help",
    "ü",
    "a\nb",
    "*",
    "",
    "~",
    "\\",
)


def survives_nonsense_transcripts(rig: Rig, folder: Path) -> None:
    """Any bytes as a transcript, in a file or stored, and any position: every question has an answer and none raises;
    what is told is text that can be written.
    """
    known = [rig.adapter().transcript(str(one.path)).snapshot() for one in rig.transcripts] or [b'{"a": 1}\n' * 3]
    file = folder / "a-session.jsonl"
    strange = (START, Position(count=2, byte=7, mark="x"), Position(count=10**9, byte=10**12, mark="\udcff\0"))
    for data, position in rig.some([(data, position) for data in malformed.BYTES for position in strange]):
        _ask(rig, file, data, position)

    from hypothesis import strategies as st

    from entire_plugin_kit.adapter.inventing import examples, mutated

    places = st.builds(Position, count=st.integers(0, 40), byte=st.integers(0, 9000), mark=st.text(max_size=4))

    @examples(rig, st.binary(max_size=80) | mutated(known), places)
    def check(data: bytes, position: Position) -> None:
        _ask(rig, file, data, position)


def _ask(rig: Rig, file: Path, data: bytes, position: Position) -> None:
    agent = rig.adapter()
    file.write_bytes(data)
    for transcript in (agent.transcript(str(file)), agent.transcript("", stored=data)):
        for answer in questions.ask_all(agent, transcript, position):
            for text in questions.texts(answer):
                text.encode("utf-8", "surrogateescape")
        end = transcript.end(position)
        assert end.count >= 0
        assert not transcript.is_later(end, end)
    for size in (64, 1000):
        agent.reassemble_transcript(agent.chunk_transcript(data, size))
    if "session_resumer" in agent.capabilities:
        told: Any = agent
        assert isinstance(told.own_session_id("an-id", data), str)


def keeps_hostile_ids_inside(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """An id that could lead out of the session folder is refused: no path, or an error."""
    agent: Any = rig.adapter()
    sessions = "/somewhere/sessions"
    for hostile in (*HOSTILE_IDS, *_WORDS):
        try:
            path = agent.resolve_session_file(sessions, hostile)
        except EntireError:
            continue
        assert not path or _is_inside(path, sessions), hostile


def keeps_subagents_inside(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """A subagent's id that could lead out of its session's folder has no transcript."""
    agent = rig.adapter()
    folder_of_sessions = "/somewhere/sessions"
    for stored in (None, b"", *(agent.transcript(str(one.path)).snapshot() for one in rig.transcripts)):
        transcript: Any = agent.transcript(f"{folder_of_sessions}/a-session.jsonl", stored)
        if not hasattr(transcript, "subagent_ref"):
            return
        for hostile in (*HOSTILE_IDS, *_WORDS):
            path = transcript.subagent_ref(hostile)
            assert not path or _is_inside(path, folder_of_sessions), hostile
        for one in transcript.subagents(START) if stored else ():
            assert not one.session_ref or _is_inside(one.session_ref, folder_of_sessions), one


def _is_inside(session_ref: str, folder: str) -> bool:
    database = SessionRef(session_ref).database
    path = f"{database}/{SessionRef(session_ref).key}" if database else session_ref
    names = Path(os.path.normpath(path)).parts
    is_clean = "\0" not in path and "\n" not in path and ".." not in Path(path).parts
    return (
        is_clean and os.path.normpath(path).startswith(folder + "/") and all(len(os.fsencode(n)) < 256 for n in names)
    )


def quotes_what_it_tells_the_shell(rig: Rig, folder: Path) -> None:
    """The command that resumes a session, run by a shell, hands any id to the agent as one argument. There may be no
    command for an id that no session can have, or that would be an option.
    """
    agent: Any = rig.adapter()
    sh = shutil.which("sh") or "/bin/sh"
    fake, given_file = folder / "agent", folder / "given"
    fake.write_text(f"#!{sh}\nprintf '%s\\0' \"$@\" >{shlex.quote(str(given_file))}\n")
    fake.chmod(0o755)
    arguments = len(shlex.split(agent.format_resume_command("an-id"))) - 1
    for word in _WORDS:
        command = agent.format_resume_command(word)
        if not command:
            assert not is_session_id(word) or argument_problem(word), word
            continue
        given_file.unlink(missing_ok=True)
        script = f"cd {shlex.quote(str(folder))} && {shlex.quote(str(fake))} {_after_the_program(command)}"
        done = subprocess.run([sh, "-c", script], env={"PATH": "/usr/bin:/bin"}, timeout=60, capture_output=True)
        same(done.returncode, 0, (word, command, done.stderr))
        given = given_file.read_bytes().decode().split("\0")[:-1]
        same(sum(one == word or one.endswith(f"={word}") for one in given), 1, (word, command, given))
        same(len(given), arguments, (word, command, given))
        assert not (folder / "hit").exists(), (word, command)


def _after_the_program(command: str) -> str:
    """Return what follows a command's first word, as it is written: another program is run in place of that one,
    wherever it is.
    """
    source = io.StringIO(command)
    words = shlex.shlex(source, posix=True)
    words.whitespace_split = True
    words.commenters = ""
    words.get_token()
    return source.read()


def reads_from_any_path(rig: Rig, folder: Path) -> None:
    """A transcript says the same wherever it lies, also in a folder whose name has blanks, quotes, newlines, a leading
    dash or bytes that are not UTF-8.
    """
    captured = rig.transcripts[0]
    agent = rig.adapter()
    told = between(agent, agent.transcript(str(captured.path)))
    for name in _NAMES:
        place = folder / name
        place.mkdir()
        file = place / captured.path.name
        file.write_bytes(captured.path.read_bytes())
        transcript = agent.transcript(str(file))
        same(transcript.snapshot(), agent.transcript(str(captured.path)).snapshot(), name)
        same(between(agent, transcript), told, name)
        same(transcript.end(), agent.transcript(str(captured.path)).end(), name)


def reports_any_file(rig: Rig, folder: Path) -> None:
    """A changed file of any name is reported by that name; one that is not UTF-8 does no harm."""
    player = rig.play(folder, "a-session")
    player.start()
    player.prompt("make files")
    wanted = []
    for name in _NAMES:
        path = str(folder / name)
        player.change(path)
        wanted.append(path)
    player.answer("Done.")
    agent = rig.adapter()
    transcript: Any = agent.transcript(player.ref)
    reported = questions.paths(transcript.files(START))
    for path in wanted:
        assert path in reported or "\udcff" in path, path
    for text in reported:
        text.encode("utf-8", "surrogateescape")
    assert len(reported) <= len(wanted)
