"""The metadata of a checkpoint: of its sessions and their sum (formats.md sections 2.3 and 2.4).

``to_json`` returns the keys in the format's order. ``from_json`` accepts what repositories contain: null for a list,
old names, wrong types, and unknown keys, which are kept in ``extra`` and written last. Times stay text.
"""

from __future__ import annotations

from entire.model.jsontext import real, whole
from entire.model.tokens import TokenUsage, shared_form, total, usage_from_json
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


class Attribution(Value):
    """How many of a commit's lines the agent wrote (linking.md section 6)."""

    calculated_at: str = ""
    agent_lines: int = 0
    human_added: int = 0
    human_modified: int = 0
    human_removed: int = 0
    total_committed: int = 0
    agent_percentage: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return dict(self.__dict__)

    @staticmethod
    def from_json(value: object) -> Attribution | None:
        """Parse ``initial_attribution``; None if it is absent."""
        if not isinstance(value, dict):
            return None
        return Attribution(
            calculated_at=_text(value, "calculated_at"),
            agent_lines=_int(value, "agent_lines"),
            human_added=_int(value, "human_added"),
            human_modified=_int(value, "human_modified"),
            human_removed=_int(value, "human_removed"),
            total_committed=_int(value, "total_committed"),
            agent_percentage=real(value.get("agent_percentage")),
        )


class CodeLearning(Value):
    """A finding about one place in the code."""

    path: str
    finding: str
    line: int = 0
    end_line: int = 0


class Summary(Value):
    """A model's summary of a session."""

    intent: str = ""
    outcome: str = ""
    repo: tuple[str, ...] = ()
    code: tuple[CodeLearning, ...] = ()
    workflow: tuple[str, ...] = ()
    friction: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        code = [
            _without_zeros(
                {
                    "path": learning.path,
                    "line": learning.line,
                    "end_line": learning.end_line,
                    "finding": learning.finding,
                },
                ("line", "end_line"),
            )
            for learning in self.code
        ]
        return {
            "intent": self.intent,
            "outcome": self.outcome,
            "learnings": {"repo": list(self.repo), "code": code, "workflow": list(self.workflow)},
            "friction": list(self.friction),
            "open_items": list(self.open_items),
        }

    @staticmethod
    def from_json(value: object) -> Summary | None:
        """Parse ``summary``; None if it is absent."""
        if not isinstance(value, dict):
            return None
        learnings = value.get("learnings")
        learnings = learnings if isinstance(learnings, dict) else {}
        code = [learning for learning in _list(learnings, "code") if isinstance(learning, dict)]
        return Summary(
            intent=_text(value, "intent"),
            outcome=_text(value, "outcome"),
            repo=_texts(learnings, "repo"),
            code=tuple(
                CodeLearning(
                    path=_text(learning, "path"),
                    finding=_text(learning, "finding"),
                    line=_int(learning, "line"),
                    end_line=_int(learning, "end_line"),
                )
                for learning in code
            ),
            workflow=_texts(learnings, "workflow"),
            friction=_texts(value, "friction"),
            open_items=_texts(value, "open_items"),
        )


class SessionRecord(Value):
    """The metadata of one session in a checkpoint."""

    checkpoint_id: str
    session_id: str
    strategy: str
    created_at: str  # RFC 3339
    cli_version: str = ""
    branch: str = ""
    checkpoints_count: int = 0
    files_touched: tuple[str, ...] = ()
    agent: str = ""
    turn_id: str = ""
    is_task: bool = False
    tool_use_id: str = ""
    transcript_identifier_at_start: str = ""
    checkpoint_transcript_start: int = 0
    token_usage: TokenUsage | None = None
    summary: Summary | None = None
    initial_attribution: Attribution | None = None
    extra: Mapping[str, Any] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the complete object. The old key of the transcript's start repeats the value, as readers expect."""
        start = self.checkpoint_transcript_start
        value = {
            "cli_version": self.cli_version,
            "checkpoint_id": self.checkpoint_id,
            "session_id": self.session_id,
            "strategy": self.strategy,
            "created_at": self.created_at,
            "branch": self.branch,
            "checkpoints_count": self.checkpoints_count,
            "files_touched": list(self.files_touched),
            "agent": self.agent,
            "turn_id": self.turn_id,
            "is_task": self.is_task,
            "tool_use_id": self.tool_use_id,
            "transcript_identifier_at_start": self.transcript_identifier_at_start,
            "checkpoint_transcript_start": start,
            "transcript_lines_at_start": start,
            "token_usage": None if self.token_usage is None else shared_form(self.token_usage),
            "summary": None if self.summary is None else self.summary.to_json(),
            "initial_attribution": None if self.initial_attribution is None else self.initial_attribution.to_json(),
        }
        return {**_without_zeros(value, _OPTIONAL), **self.extra}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> SessionRecord:
        return SessionRecord(
            checkpoint_id=_text(value, "checkpoint_id"),
            session_id=_text(value, "session_id"),
            strategy=_text(value, "strategy"),
            created_at=_text(value, "created_at"),
            cli_version=_text(value, "cli_version"),
            branch=_text(value, "branch"),
            checkpoints_count=_int(value, "checkpoints_count"),
            files_touched=_texts(value, "files_touched"),
            agent=_text(value, "agent"),
            turn_id=_text(value, "turn_id"),
            is_task=value.get("is_task") is True,
            tool_use_id=_text(value, "tool_use_id"),
            transcript_identifier_at_start=_text(value, "transcript_identifier_at_start"),
            checkpoint_transcript_start=transcript_start(value),
            token_usage=usage_from_json(value.get("token_usage")),
            summary=Summary.from_json(value.get("summary")),
            initial_attribution=Attribution.from_json(value.get("initial_attribution")),
            extra={key: member for key, member in value.items() if key not in _SESSION_KEYS},
        )


_OPTIONAL = (
    "cli_version",
    "branch",
    "agent",
    "turn_id",
    "is_task",
    "tool_use_id",
    "transcript_identifier_at_start",
    "checkpoint_transcript_start",
    "transcript_lines_at_start",
    "token_usage",
    "summary",
    "initial_attribution",
)
# transcript_path reveals the user's directories: it is never written
_SESSION_KEYS = frozenset((*SessionRecord._fields, "transcript_lines_at_start", "transcript_path")) - {"extra"}

_BEFORE_SUMMARY = {
    *SessionRecord._fields[: SessionRecord._fields.index("summary")],
    "transcript_lines_at_start",
    "model",
    "session_metrics",
}


def with_summary(value: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a session's metadata with this summary in the format's place; all other keys stay, unknown ones too."""
    if "summary" in value:
        return {**value, "summary": summary}
    keys = list(value)
    at = max((number + 1 for number, key in enumerate(keys) if key in _BEFORE_SUMMARY), default=0)
    return {**{key: value[key] for key in keys[:at]}, "summary": summary, **{key: value[key] for key in keys[at:]}}


class SessionFiles(Value):
    """The paths of one session's files in the tree, absolute or ''. A path may dangle."""

    metadata: str = ""
    transcript: str = ""
    context: str = ""
    content_hash: str = ""
    prompt: str = ""
    extra: Mapping[str, Any] = {}

    def to_json(self) -> dict[str, Any]:
        return {**{key: getattr(self, key) for key in _FILE_KEYS}, **self.extra}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> SessionFiles:
        return SessionFiles(
            **{key: _text(value, key) for key in _FILE_KEYS},
            extra={key: member for key, member in value.items() if key not in _FILE_KEYS},
        )


_FILE_KEYS = ("metadata", "transcript", "context", "content_hash", "prompt")


class CheckpointSummary(Value):
    """The metadata at a checkpoint's root: the sum of its sessions, and where they are."""

    checkpoint_id: str
    strategy: str
    cli_version: str = ""
    branch: str = ""
    checkpoints_count: int = 0
    files_touched: tuple[str, ...] = ()
    sessions: tuple[SessionFiles, ...] = ()
    token_usage: TokenUsage | None = None
    extra: Mapping[str, Any] = {}

    def to_json(self) -> dict[str, Any]:
        value = {
            "cli_version": self.cli_version,
            "checkpoint_id": self.checkpoint_id,
            "strategy": self.strategy,
            "branch": self.branch,
            "checkpoints_count": self.checkpoints_count,
            "files_touched": list(self.files_touched),
            "sessions": [entry.to_json() for entry in self.sessions],
            "token_usage": None if self.token_usage is None else shared_form(self.token_usage),
        }
        return {**_without_zeros(value, ("cli_version", "branch", "token_usage")), **self.extra}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> CheckpointSummary:
        sessions = [SessionFiles.from_json(entry) for entry in _list(value, "sessions") if isinstance(entry, dict)]
        return CheckpointSummary(
            checkpoint_id=_text(value, "checkpoint_id"),
            strategy=_text(value, "strategy"),
            cli_version=_text(value, "cli_version"),
            branch=_text(value, "branch"),
            checkpoints_count=_int(value, "checkpoints_count"),
            files_touched=_texts(value, "files_touched"),
            sessions=tuple(sessions),
            token_usage=usage_from_json(value.get("token_usage")),
            extra={key: member for key, member in value.items() if key not in _SUMMARY_KEYS},
        )


_SUMMARY_KEYS = frozenset(CheckpointSummary._fields) - {"extra"}


def summarize(
    records: Sequence[SessionRecord], files: Iterable[SessionFiles], extra: Mapping[str, Any] | None = None
) -> CheckpointSummary:
    """Return the root's metadata for these sessions: sums, sorted files, tokens without those of subagents.

    Version, strategy and branch come from the last record.
    """
    last = records[-1]
    spent = [record.token_usage for record in records]
    return CheckpointSummary(
        cli_version=last.cli_version,
        checkpoint_id=last.checkpoint_id,
        strategy=last.strategy,
        branch=last.branch,
        checkpoints_count=sum(record.checkpoints_count for record in records),
        files_touched=tuple(sorted({path for record in records for path in record.files_touched})),
        sessions=tuple(files),
        token_usage=total(None if usage is None else replace(usage, subagents=None) for usage in spent),
        extra=extra or {},
    )


def transcript_start(value: Mapping[str, Any]) -> int:
    """Return how many records of the transcript belong to earlier checkpoints, from a session's metadata."""
    return _int(value, "checkpoint_transcript_start") or _int(value, "transcript_lines_at_start")


def _without_zeros(value: dict[str, Any], optional: tuple[str, ...]) -> dict[str, Any]:
    return {
        key: member
        for key, member in value.items()
        if key not in optional or not (member is None or member is False or member in ("", 0))
    }


def _text(value: Mapping[str, Any], key: str) -> str:
    field = value.get(key)
    return field if isinstance(field, str) else ""


def _int(value: Mapping[str, Any], key: str) -> int:
    return whole(value.get(key))


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    field = value.get(key)
    return field if isinstance(field, list) else []


def _texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(text for text in _list(value, key) if isinstance(text, str))
