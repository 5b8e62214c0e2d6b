"""Trailers: the lines that link a user's commit to checkpoints, and those of our own commits.

Messages are decoded with ``surrogateescape``, so any bytes survive. Lines may end in CRLF.
"""

from __future__ import annotations

from entire.model.ids import CheckpointId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CHECKPOINT = "Entire-Checkpoint"
SESSION = "Entire-Session"
STRATEGY = "Entire-Strategy"
AGENT = "Entire-Agent"
EPHEMERAL_BRANCH = "Ephemeral-branch"
METADATA = "Entire-Metadata"
METADATA_TASK = "Entire-Metadata-Task"
BASE_COMMIT = "Base-Commit"
CONDENSATION = "Entire-Condensation"
SOURCE_REF = "Entire-Source-Ref"
RESERVED = (SESSION, STRATEGY, AGENT, EPHEMERAL_BRANCH, METADATA, METADATA_TASK, BASE_COMMIT, CONDENSATION, SOURCE_REF)

SCISSORS = " ------------------------ >8 ------------------------"
_SIGN_OFF = "Signed-off-by: "
_GIT_MADE = (_SIGN_OFF, "(cherry picked from commit ")
_ULID = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz")
_KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def checkpoint_ids(message: str, *, indented: bool = True, comment_char: str = "") -> list[CheckpointId]:
    """Return the ids of all checkpoint trailers, in order, each once.

    A trailer may be on any line, even directly below a subject, and indented (``git merge --squash`` indents the
    messages it combines by four spaces), unless ``indented`` is False. With ``comment_char``, text below a scissors
    line is ignored.
    """
    ids: dict[CheckpointId, None] = {}
    for word in _checkpoint_words(above_scissors(message, comment_char), indented):
        try:
            ids[CheckpointId(word)] = None
        except ValueError:
            continue
    return list(ids)


def trailing_ids(message: str) -> list[CheckpointId]:
    """Return the ids of the checkpoint trailers in the message's last paragraph, if it consists of trailers, or of
    nothing but ids: git takes no indented line as the first trailer, but whoever joins messages may indent them.
    """
    text = message.rstrip()
    if CHECKPOINT not in text:
        return []
    lines = text.split("\n")
    start = max((number for number, line in enumerate(lines) if not line.strip()), default=0)
    are_ids = start > 0 and all(_is_link(line, indented=True) for line in lines[start + 1 :])
    if not are_ids and not _ends_in_trailers(text):
        return []
    return checkpoint_ids("\n".join(lines[start:]), indented=are_ids)


def ulid_ids(message: str) -> list[str]:
    """Return checkpoint ids in the newer form (26 characters): links, but not to our branch."""
    words = _checkpoint_words(message, True)
    return list(dict.fromkeys(word for word in words if len(word) == 26 and _ULID.issuperset(word)))


def _checkpoint_words(message: str, indented: bool) -> Iterator[str]:
    if CHECKPOINT not in message:
        return
    for line in message.split("\n"):
        word = _checkpoint_word(line, indented) if CHECKPOINT in line else ""
        if word:
            yield word


def _checkpoint_word(line: str, indented: bool = True) -> str:
    """Return the first word after the checkpoint key, '' if the line is not a checkpoint trailer."""
    text = line.lstrip(" \t") if indented else line
    if not text.startswith(CHECKPOINT):
        return ""
    colon, _, rest = text[len(CHECKPOINT) :].partition(":")
    words = rest.split()
    return words[0] if words and not colon.strip(" \t") else ""


def _is_link(line: str, indented: bool = False) -> bool:
    word = _checkpoint_word(line, indented)
    return bool(word) and bool(checkpoint_ids(f"{CHECKPOINT}: {word}") or ulid_ids(f"{CHECKPOINT}: {word}"))


def above_scissors(message: str, comment_char: str) -> str:
    """Return the part of an edited message that git will keep: up to the scissors line (``commit.verbose``)."""
    if not comment_char:
        return message
    mark = comment_char + SCISSORS
    if message.startswith(mark):
        return ""
    at = message.find("\n" + mark)
    return message if at < 0 else message[: at + 1]


def has_content(message: str, comment_char: str = "#") -> bool:
    """Tell whether the message has content besides comments, blank lines, sign-offs and our trailer."""
    for line in above_scissors(message, comment_char).split("\n"):
        if not line.strip() or (comment_char and line.startswith(comment_char)):
            continue
        if not line.startswith(_SIGN_OFF) and not _is_link(line):
            return True
    return False


def add_checkpoints(
    message: str,
    ids: Iterable[CheckpointId],
    comment_char: str = "#",
    comments: Sequence[str] = (),
    *,
    editor: bool | None = None,
    removes: bool = True,
) -> str:
    """Return the message with trailers for those ids that it does not have yet.

    ``editor``: git will open an editor (None: only if ``comments`` are given); with ``-m`` and ``-F`` a line that
    starts with ``#`` is text. In an editor, line 1 stays free for the subject, and trailers and ``comments`` (without
    the comment character) precede git's own comment block. ``removes``: git will remove comments afterwards.
    """
    if editor is None:
        editor = bool(comments)
    edited = (message, comment_char, removes) if editor and comment_char else None
    head, block, below = _split_edited(*edited) if edited is not None else (message, "", "")
    present = set(checkpoint_ids(head, indented=False))
    missing = [checkpoint_id for checkpoint_id in dict.fromkeys(ids) if checkpoint_id not in present]
    if not missing:
        return message
    end = "\r\n" if "\r\n" in message else "\n"
    trailers = [f"{CHECKPOINT}: {checkpoint_id}" for checkpoint_id in missing]
    out = _append_trailers(head, trailers, end, comment_char if editor and removes else "", is_edited=editor)
    if editor and (block.strip() or not below):  # else cleanup is "scissors", which keeps comments above the line
        out += "".join(f"{comment_char} {' '.join(text.split())}{end}" for text in comments[:3])
    if block or below:
        out += end + block.lstrip("\r\n") + below
    return out


def text_above(message: str, comment_char: str, *, removes: bool) -> str:
    """Return an edited message without the comments at its end and what is below scissors."""
    return _split_edited(message, comment_char, removes)[0]


def _split_edited(message: str, comment_char: str, removes: bool) -> tuple[str, str, str]:
    """Split into text, the comment block at its end, and the scissors line with everything below. Where git keeps
    comments, only its own block is one: it has lines without text.
    """
    above = above_scissors(message, comment_char)
    lines = above.split("\n")
    start = len(lines)
    while start and (not lines[start - 1].strip() or (removes and lines[start - 1].startswith(comment_char))):
        start -= 1
    end = start
    while not removes and start and lines[start - 1].startswith(comment_char):
        start -= 1
    if not removes and comment_char not in lines[start:end]:
        start = len(lines)
    head = "\n".join(lines[:start]) + ("\n" if 0 < start < len(lines) else "")
    return head, above[len(head) :], message[len(above) :]


def _append_trailers(head: str, trailers: list[str], end: str, comment_char: str, *, is_edited: bool) -> str:
    text = head.rstrip()
    if not text:
        lead = end + end if is_edited else ""
    elif _ends_in_trailers(text, comment_char):
        lead = text + end
    else:
        lead = text + end + end
    return lead + end.join(trailers) + end


def _ends_in_trailers(text: str, comment_char: str = "") -> bool:
    """Tell whether the last paragraph consists of trailers, by git's rules; the only paragraph never does."""
    lines = [line.rstrip() for line in text.split("\n") if not (comment_char and line.startswith(comment_char))]
    starts = [n for n, line in enumerate(lines) if line and (n == 0 or not lines[n - 1])]
    if len(starts) < 2:
        return False
    trailers = others = 0
    made_by_git = False
    for line in lines[starts[-1] :]:
        if line.startswith(_GIT_MADE):
            made_by_git = True
            trailers += 1
        elif _is_trailer(line):
            trailers += 1
        elif line[:1] not in " \t" or not trailers:  # an indented line continues the previous trailer
            others += 1
    return trailers > 0 and (others == 0 or (made_by_git and trailers * 3 >= others))


def _is_trailer(line: str) -> bool:
    key, colon, _ = line.partition(":")
    key = key.rstrip(" \t")
    return bool(colon) and bool(key) and _KEY.issuperset(key)


def format_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """Return trailer lines for one of our commits, each ending in a newline; empty values are left out."""
    return "".join(f"{key}: {' '.join(value.split())}\n" for key, value in pairs if value.strip())


def parse(message: str) -> dict[str, list[str]]:
    """Return the reserved trailers of one of our commits: key to values, in order."""
    values: dict[str, list[str]] = {}
    for line in message.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key in RESERVED:
            values.setdefault(key, []).append(value.strip())
    return values
