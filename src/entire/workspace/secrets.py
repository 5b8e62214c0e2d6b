"""Secrets in what is stored: found, and removed."""

from __future__ import annotations

import contextlib

from entire.workspace.opened import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.model.audits import AuditRequest, AuditView, ForgetRequest, ForgetView, PrunedView


class Secrets(Subject):
    """Secrets in what is stored: found, and removed."""

    def audit(self, request: AuditRequest, progress: Callable[[int, int], None] | None = None) -> AuditView:
        """Scan what is stored, or what remotes hold, for secrets, with today's rules.

        ``progress`` is called with how many texts are read and how many there are. Raises EntireError, with exit code
        2, if the history cannot be read; what is missing in it is named in the answer.
        """
        from entire.audit import audit

        with contextlib.nullcontext() if request.fetch else self._opened.offline:
            return audit.audit(self._opened.place, self._opened.redactor, request, now=self._opened.now(),
                               progress=progress or (lambda _done, _total: None))  # fmt: skip

    def forget(self, request: ForgetRequest) -> ForgetView:
        """Remove a secret, a session or a checkpoint from everything stored, or with ``dry_run`` only say what changes.

        Raises EntireError, with nothing changed, if it is not found, or while a commit is being made.
        """
        from entire.forgetting import removal

        catalog = self._opened.catalog
        with contextlib.closing(self._opened.context(starts_plugins=False)) as context:
            view = removal.forget(context, catalog, request)
        self._opened.drop_catalog()
        return view

    def prune(self) -> PrunedView:
        """Delete the undo points of ``forget``, which hold what was forgotten."""
        from entire.forgetting import undo

        with contextlib.closing(self._opened.context(starts_plugins=False)) as context:
            return undo.prune(context)

    def trust_exceptions(self) -> str:
        """Let the exceptions in ``.entire/redact.toml`` count in this clone as long as they stay what they are now.

        Returns them in words, '' if there are none.
        """
        from entire.recording import redact_problems

        trusted = redact_problems.trust(self._opened.place)
        self._opened.reload()
        return trusted
