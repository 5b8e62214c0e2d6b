"""What a digest says of a checkpoint: found in its record by rules, without a model."""

from __future__ import annotations

from entire.model.value import Value


class FileDigest(Value):
    """What a commit did to a file. Figures are None where nobody recorded the commit's lines."""

    path: str
    status: str = ""  # git's letter, '' if unknown
    added: int | None = None  # lines
    removed: int | None = None
    by_session: int | None = None  # of the added ones, those of this session
    edits: int = 0  # times that a tool of the session changed it


class FailureDigest(Value):
    """A command that failed. It is fixed if the same command succeeded later."""

    command: str
    at: int  # records of the transcript before the first failure
    error: str = ""  # the first telling line of what it printed; '' if it printed none
    times: int = 1
    is_fixed: bool = False
    files: tuple[str, ...] = ()  # changed between the first failure and the success
    commands: tuple[str, ...] = ()  # run in between, if no file was changed


class TestRunDigest(Value):
    """A run of a project's tests. The figures are None where its output names none."""

    __test__ = False  # no test of pytest's

    command: str
    at: int
    runner: str = ""  # pytest, go test, ...
    result: str = "unknown"  # passed, failed, unknown
    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None


class AttemptDigest(Value):
    """Lines that the session wrote and that did not stay. ``fate``: replaced, removed or reverted (by the session
    itself), or not in the commit.
    """

    path: str
    at: int
    fate: str
    text: str  # the first telling one of the lines
    lines: int = 1  # how many, blank ones and brackets not counted
    instead: str = ""  # the first telling line that replaced them


class PartDigest(Value):
    """One session's part of a checkpoint."""

    session_id: str
    agent: str = ""  # display name
    intent: str = ""  # the first prompt that says something, shortened
    later_prompts: tuple[str, ...] = ()  # the prompts after it, shortened
    prompts: int = 0
    files: tuple[FileDigest, ...] = ()
    failures: tuple[FailureDigest, ...] = ()
    tests: tuple[TestRunDigest, ...] = ()
    attempts: tuple[AttemptDigest, ...] = ()


class DigestView(Value):
    """A deterministic summary of a checkpoint: what was asked for, and how it went."""

    checkpoint_id: str
    parts: tuple[PartDigest, ...] = ()
