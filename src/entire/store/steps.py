"""Steps: temporary saves on a shadow branch, one per worktree and base commit (formats.md section 3)."""

from __future__ import annotations

from entire.layout import METADATA_BRANCH
from entire.model import trailers
from entire.model.ids import HEX
from entire.model.session import NO_COMMIT
from entire.redact import Redacted, trusted
from entire.store import gojson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from entire.git.read import Objects

PREFIX = "refs/heads/entire/"
SEPARATOR = "\n\n---\n\n"
"""Between the prompts in ``prompt.txt``."""
_POLITE = (
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "will you ",
    "i want you to ",
    "i'd like you to ",
    "let's ",
    "hey ",
    "hi ",
    "hello ",
    "now ",
)
_SUBJECT = 72
# What a terminal obeys: control characters, and those that turn the direction of a text.
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), " ")


def branch_name(base_commit: str, worktree_id: str) -> str:
    """Return the shadow branch of a base commit ('' before the first commit) in a worktree."""
    return f"entire/{(base_commit or NO_COMMIT)[:7]}-{worktree_id}"


def parse_branch(ref: str) -> tuple[str, str] | None:
    """Return the base commit and worktree id in a shadow branch's name (id '' in the old form without one).

    None for any other ref. A person's branch may have such a name too: ``is_shadow`` checks the commit.
    """
    if not ref.startswith(PREFIX):
        return None
    base, dash, worktree_id = ref[len(PREFIX) :].partition("-")
    named = len(worktree_id) == 6 and HEX.issuperset(worktree_id) if dash else True
    return (base, worktree_id) if len(base) >= 7 and HEX.issuperset(base) and named else None


def is_ours(ref: str) -> bool:
    """Tell by its name whether only Entire writes a ref."""
    if ref.startswith("refs/remotes/"):
        return ref.endswith("/" + METADATA_BRANCH)
    return ref.startswith("refs/entire/") or ref == f"refs/heads/{METADATA_BRANCH}" or parse_branch(ref) is not None


def is_shadow(objects: Objects, ref: str, oid: str) -> bool:
    """Tell whether a ref is named like a shadow branch and its tip has a step's trailers."""
    commit = objects.commit(oid) if parse_branch(ref) is not None else None
    if commit is None:
        return False
    values = trailers.parse(commit.message.decode("utf-8", "surrogateescape"))
    return trailers.SESSION in values and (trailers.METADATA in values or trailers.METADATA_TASK in values)


def metadata_folder(session_id: str) -> str:
    """Return a session's metadata folder in a step's tree."""
    return f".entire/metadata/{session_id}"


def subject(prompt: str, names: Sequence[str] = ()) -> str:
    """Return a step's subject from its (redacted) prompt: without polite openings, at most 72 characters.

    ``names``: how people address the agents, in lower case.
    """
    openings = (*_POLITE, *(f"{name} " for name in names))
    text = _line(prompt)
    shortened = True
    while shortened:
        shortened = False
        for opening in openings:
            if text.lower().startswith(opening):
                text, shortened = text[len(opening) :].lstrip(" ,"), True
    text = text.rstrip("?").rstrip()
    if len(text) > _SUBJECT:
        text = text[: _SUBJECT - 3].rstrip() + "..."
    return (text[:1].upper() + text[1:]) or "Agent step"


def _line(text: str) -> str:
    """Return a text as one line, without characters that a terminal obeys."""
    return " ".join(text.translate(_CONTROLS).split())


def task_subject(kind: str, description: str, tool_use_id: str) -> str:
    text = _line(description)
    text = text if len(text) <= 60 else text[:57] + "..."
    return f"Completed '{kind or 'task'}' agent: {text} ({tool_use_id[:12]})"


def message(title: str, session_id: str, *, strategy: str, tool_use_id: str = "") -> bytes:
    folder = metadata_folder(session_id)
    first = (trailers.METADATA_TASK, f"{folder}/tasks/{tool_use_id}") if tool_use_id else (trailers.METADATA, folder)
    lines = trailers.format_lines([first, (trailers.SESSION, session_id), (trailers.STRATEGY, strategy)])
    return f"{title}\n\n{lines}".encode("utf-8", "surrogateescape")


def metadata_files(
    session_id: str,
    transcript: Mapping[str, str | Redacted],
    prompts: Sequence[Redacted],
    summary: Redacted | None = None,
) -> dict[str, str | Redacted]:
    """Return the files of a session's metadata folder in a step's tree: content, or a blob id, by path.

    ``transcript``: its files by name.
    """
    folder = metadata_folder(session_id)
    contents = {f"{folder}/{name}": content for name, content in transcript.items()}
    if summary:
        contents[f"{folder}/summary.txt"] = summary
    if prompts:  # context.md is derived from it, and only stored in checkpoints
        contents[f"{folder}/prompt.txt"] = prompt_text(prompts)
    return contents


def prompt_text(prompts: Iterable[Redacted]) -> Redacted:
    """Return the content of ``prompt.txt`` (formats.md section 2.6)."""
    return trusted(SEPARATOR.encode().join(prompts))


def task_files(session_id: str, tool_use_id: str, subagent_id: str, transcript: Redacted) -> dict[str, Redacted]:
    """Return a subagent's final record and transcript in a step's tree, by path."""
    folder = f"{metadata_folder(session_id)}/tasks/{tool_use_id}"
    contents = {f"{folder}/checkpoint.json": task_record(session_id, tool_use_id, subagent_id, "")}
    if transcript and subagent_id:
        contents[f"{folder}/agent-{subagent_id}.jsonl"] = transcript
    return contents


def task_record(session_id: str, tool_use_id: str, subagent_id: str, uuid: str) -> Redacted:
    """Return a subagent's final record (formats.md section 2.7; on a shadow branch ``agent_id`` is always present)."""
    value = {"session_id": session_id, "tool_use_id": tool_use_id, "checkpoint_uuid": uuid, "agent_id": subagent_id}
    return trusted(gojson.dumps(value).rstrip(b"\n"))
