"""Records the sessions of your coding agents in git and links them to your commits.

The public names are imported on first use, so ``import entire`` adds almost nothing to a hook's start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.errors import CorruptError as CorruptError
    from entire.errors import EntireError as EntireError
    from entire.errors import GitError as GitError
    from entire.errors import NotARepositoryError as NotARepositoryError
    from entire.errors import NotEnabledError as NotEnabledError
    from entire.errors import UsageError as UsageError
    from entire.model.conversations import ConversationPart as ConversationPart
    from entire.model.conversations import ShownView as ShownView
    from entire.model.conversations import ShowRequest as ShowRequest
    from entire.model.conversations import TurnView as TurnView
    from entire.model.findings import Finding as Finding
    from entire.model.findings import SearchRequest as SearchRequest
    from entire.model.findings import SearchView as SearchView
    from entire.model.origins import Origin as Origin
    from entire.model.origins import WhyRequest as WhyRequest
    from entire.model.origins import WhyView as WhyView
    from entire.model.requests import CleanRequest as CleanRequest
    from entire.model.requests import DisableRequest as DisableRequest
    from entire.model.requests import DoctorRequest as DoctorRequest
    from entire.model.requests import EnableRequest as EnableRequest
    from entire.model.requests import ResetRequest as ResetRequest
    from entire.model.requests import ResumeRequest as ResumeRequest
    from entire.model.requests import RewindRequest as RewindRequest
    from entire.model.requests import SummaryRequest as SummaryRequest
    from entire.model.requests import UninstallRequest as UninstallRequest
    from entire.model.views.changes import UndoneView as UndoneView
    from entire.model.views.changes import UndoView as UndoView
    from entire.model.views.checkpoints import CheckpointView as CheckpointView
    from entire.model.views.checkpoints import CommitView as CommitView
    from entire.model.views.checkpoints import ListedView as ListedView
    from entire.model.views.checkpoints import PartView as PartView
    from entire.model.views.checkpoints import SessionView as SessionView
    from entire.model.views.checkpoints import SummarizedView as SummarizedView
    from entire.model.views.maintenance import CleanView as CleanView
    from entire.model.views.maintenance import DoctorView as DoctorView
    from entire.model.views.maintenance import FindingView as FindingView
    from entire.model.views.maintenance import ResetView as ResetView
    from entire.model.views.maintenance import UnusedView as UnusedView
    from entire.model.views.points import PointView as PointView
    from entire.model.views.points import RewindView as RewindView
    from entire.model.views.points import WaysBackView as WaysBackView
    from entire.model.views.resumes import ResumedView as ResumedView
    from entire.model.views.setup import AgentHooksView as AgentHooksView
    from entire.model.views.setup import AgentView as AgentView
    from entire.model.views.setup import DisableView as DisableView
    from entire.model.views.setup import EnableView as EnableView
    from entire.model.views.setup import GitHooksView as GitHooksView
    from entire.model.views.setup import HookLineView as HookLineView
    from entire.model.views.setup import UninstallView as UninstallView
    from entire.model.views.status import HookView as HookView
    from entire.model.views.status import StatusView as StatusView
    from entire.workspace import Workspace as Workspace

__version__ = "0.1.0"

_PUBLIC = {
    "AgentHooksView": "entire.model.views.setup",
    "AgentView": "entire.model.views.setup",
    "CheckpointView": "entire.model.views.checkpoints",
    "CleanRequest": "entire.model.requests",
    "CleanView": "entire.model.views.maintenance",
    "CommitView": "entire.model.views.checkpoints",
    "ConversationPart": "entire.model.conversations",
    "CorruptError": "entire.errors",
    "DisableRequest": "entire.model.requests",
    "DisableView": "entire.model.views.setup",
    "DoctorRequest": "entire.model.requests",
    "DoctorView": "entire.model.views.maintenance",
    "EnableRequest": "entire.model.requests",
    "EnableView": "entire.model.views.setup",
    "EntireError": "entire.errors",
    "Finding": "entire.model.findings",
    "FindingView": "entire.model.views.maintenance",
    "GitError": "entire.errors",
    "GitHooksView": "entire.model.views.setup",
    "HookLineView": "entire.model.views.setup",
    "HookView": "entire.model.views.status",
    "ListedView": "entire.model.views.checkpoints",
    "NotARepositoryError": "entire.errors",
    "NotEnabledError": "entire.errors",
    "Origin": "entire.model.origins",
    "PartView": "entire.model.views.checkpoints",
    "PointView": "entire.model.views.points",
    "ResetRequest": "entire.model.requests",
    "ResetView": "entire.model.views.maintenance",
    "ResumeRequest": "entire.model.requests",
    "ResumedView": "entire.model.views.resumes",
    "RewindRequest": "entire.model.requests",
    "RewindView": "entire.model.views.points",
    "SearchRequest": "entire.model.findings",
    "SearchView": "entire.model.findings",
    "SessionView": "entire.model.views.checkpoints",
    "ShowRequest": "entire.model.conversations",
    "ShownView": "entire.model.conversations",
    "StatusView": "entire.model.views.status",
    "SummarizedView": "entire.model.views.checkpoints",
    "SummaryRequest": "entire.model.requests",
    "TurnView": "entire.model.conversations",
    "UndoView": "entire.model.views.changes",
    "UndoneView": "entire.model.views.changes",
    "UninstallRequest": "entire.model.requests",
    "UninstallView": "entire.model.views.setup",
    "UnusedView": "entire.model.views.maintenance",
    "UsageError": "entire.errors",
    "WaysBackView": "entire.model.views.points",
    "WhyRequest": "entire.model.origins",
    "WhyView": "entire.model.origins",
    "Workspace": "entire.workspace",
}

__all__ = [
    "AgentHooksView",
    "AgentView",
    "CheckpointView",
    "CleanRequest",
    "CleanView",
    "CommitView",
    "ConversationPart",
    "CorruptError",
    "DisableRequest",
    "DisableView",
    "DoctorRequest",
    "DoctorView",
    "EnableRequest",
    "EnableView",
    "EntireError",
    "Finding",
    "FindingView",
    "GitError",
    "GitHooksView",
    "HookLineView",
    "HookView",
    "ListedView",
    "NotARepositoryError",
    "NotEnabledError",
    "Origin",
    "PartView",
    "PointView",
    "ResetRequest",
    "ResetView",
    "ResumeRequest",
    "ResumedView",
    "RewindRequest",
    "RewindView",
    "SearchRequest",
    "SearchView",
    "SessionView",
    "ShowRequest",
    "ShownView",
    "StatusView",
    "SummarizedView",
    "SummaryRequest",
    "TurnView",
    "UndoView",
    "UndoneView",
    "UninstallRequest",
    "UninstallView",
    "UnusedView",
    "UsageError",
    "WaysBackView",
    "WhyRequest",
    "WhyView",
    "Workspace",
]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'entire' has no attribute {name!r}")
    return getattr(__import__(module, fromlist=[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
