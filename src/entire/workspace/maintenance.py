"""The state of what is recorded, and what is cleaned up or repaired."""

from __future__ import annotations

from entire.model import requests
from entire.workspace.opened import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.maintenance import CleanView, DoctorView, ResetView
    from entire.model.views.status import StatusView


class Maintenance(Subject):
    """The state of what is recorded, and what is cleaned up or repaired."""

    def status(self) -> StatusView:
        """Return the state of this worktree."""
        from entire.queries import status

        return status.view(self._opened.place, self._opened.settings, self._opened.catalog, now=self._opened.now())

    def doctor(self, request: requests.DoctorRequest | None = None) -> DoctorView:
        """Find problems; with ``fix``, repair them and return which were repaired and which are left."""
        from entire.maintenance import doctor

        try:
            return doctor.diagnose(self._opened.place, request or requests.DoctorRequest(), now=self._opened.now)
        finally:
            self._opened.reload()

    def clean(self, request: requests.CleanRequest) -> CleanView:
        """Delete unused data, or with ``dry_run`` only return it."""
        from entire.maintenance import clean

        return clean.clean(self._opened.place, request, now=self._opened.now())

    def reset(self, request: requests.ResetRequest) -> ResetView:
        """Discard the steps on HEAD and the sessions that made them, or with ``dry_run`` only return them.

        Raises EntireError while a turn is running (unless forced), and while a commit is being made.
        """
        from entire.maintenance import reset

        return reset.reset(self._opened.place, request, now=self._opened.now())
