"""Records the sessions of your coding agents in git and links them to your commits.

The public names are imported on first use, so that ``import entire`` adds almost nothing to a hook's start.
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
    from entire.model.views import AgentHooksView as AgentHooksView
    from entire.model.views import AgentView as AgentView
    from entire.model.views import CheckpointView as CheckpointView
    from entire.model.views import CleanView as CleanView
    from entire.model.views import CommitView as CommitView
    from entire.model.views import DisableView as DisableView
    from entire.model.views import DoctorView as DoctorView
    from entire.model.views import EnableView as EnableView
    from entire.model.views import FindingView as FindingView
    from entire.model.views import GitHooksView as GitHooksView
    from entire.model.views import HookLineView as HookLineView
    from entire.model.views import HookView as HookView
    from entire.model.views import ListedView as ListedView
    from entire.model.views import PointView as PointView
    from entire.model.views import ResetView as ResetView
    from entire.model.views import RewindView as RewindView
    from entire.model.views import SessionView as SessionView
    from entire.model.views import StatusView as StatusView
    from entire.model.views import SummarizedView as SummarizedView
    from entire.model.views import UndoneView as UndoneView
    from entire.model.views import UndoView as UndoView
    from entire.model.views import UninstallView as UninstallView
    from entire.model.views import UnusedView as UnusedView
    from entire.model.views import WaysBackView as WaysBackView
    from entire.workspace import Workspace as Workspace

__version__ = "0.1.0"

_PUBLIC = {
    "AgentHooksView": "entire.model.views",
    "AgentView": "entire.model.views",
    "CheckpointView": "entire.model.views",
    "CleanRequest": "entire.model.requests",
    "CleanView": "entire.model.views",
    "CommitView": "entire.model.views",
    "CorruptError": "entire.errors",
    "DisableRequest": "entire.model.requests",
    "DisableView": "entire.model.views",
    "DoctorRequest": "entire.model.requests",
    "DoctorView": "entire.model.views",
    "EnableRequest": "entire.model.requests",
    "EnableView": "entire.model.views",
    "EntireError": "entire.errors",
    "FindingView": "entire.model.views",
    "GitError": "entire.errors",
    "GitHooksView": "entire.model.views",
    "HookLineView": "entire.model.views",
    "HookView": "entire.model.views",
    "ListedView": "entire.model.views",
    "NotARepositoryError": "entire.errors",
    "NotEnabledError": "entire.errors",
    "Origin": "entire.model.origins",
    "PointView": "entire.model.views",
    "ResetRequest": "entire.model.requests",
    "ResetView": "entire.model.views",
    "ResumeRequest": "entire.model.requests",
    "RewindRequest": "entire.model.requests",
    "RewindView": "entire.model.views",
    "SessionView": "entire.model.views",
    "StatusView": "entire.model.views",
    "SummarizedView": "entire.model.views",
    "SummaryRequest": "entire.model.requests",
    "UndoView": "entire.model.views",
    "UndoneView": "entire.model.views",
    "UninstallRequest": "entire.model.requests",
    "UninstallView": "entire.model.views",
    "UnusedView": "entire.model.views",
    "UsageError": "entire.errors",
    "WaysBackView": "entire.model.views",
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
    "CorruptError",
    "DisableRequest",
    "DisableView",
    "DoctorRequest",
    "DoctorView",
    "EnableRequest",
    "EnableView",
    "EntireError",
    "FindingView",
    "GitError",
    "GitHooksView",
    "HookLineView",
    "HookView",
    "ListedView",
    "NotARepositoryError",
    "NotEnabledError",
    "Origin",
    "PointView",
    "ResetRequest",
    "ResetView",
    "ResumeRequest",
    "RewindRequest",
    "RewindView",
    "SessionView",
    "StatusView",
    "SummarizedView",
    "SummaryRequest",
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
