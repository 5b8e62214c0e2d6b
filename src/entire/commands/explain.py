"""``entire explain``."""

from __future__ import annotations

import contextlib
import itertools
import sys
import time

import click

from entire.errors import UsageError
from entire.model.conversations import ShowRequest
from entire.model.histories import LogRequest
from entire.model.ids import shell_word
from entire.model.requests import SummaryRequest
from entire.model.value import replace
from entire.model.views.checkpoints import CheckpointView, ExplanationView
from entire.ui.console import completion, group, json_output, pager, text
from entire.ui.screens import history, pages, shown
from entire.ui.screens.shown import Form, Printer
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.model.value import Value


@click.command("explain", cls=group.Command)
@click.argument("target", required=False, shell_complete=completion.targets)
@click.option("-c", "--checkpoint", metavar="ID", shell_complete=completion.checkpoints,
              help="Explain this checkpoint (id or id prefix).")  # fmt: skip
@click.option("--commit", metavar="REV", shell_complete=completion.commits,
              help="Explain this commit (any revision that git understands).")  # fmt: skip
@click.option("--session", metavar="ID", shell_complete=completion.sessions,
              help="List only checkpoints of this session (id or id prefix).")  # fmt: skip
@click.option("-s", "--short", "form_name", flag_value="short", help="Leave out the prompts.")
@click.option("--full", "form_name", flag_value="full", help="Add the whole conversation of each session.")
@click.option(
    "--transcript",
    "form_name",
    flag_value="transcript",
    help="Show only the conversation since the previous checkpoint.",
)
@click.option(
    "--raw-transcript",
    "form_name",
    flag_value="raw",
    help="Print the transcript as the agent wrote it; on a terminal, as plain text.",
)
@click.option("--generate", is_flag=True, help="First let an agent's model write the summaries that are missing.")
@click.option("-f", "--force", is_flag=True, help="With --generate, replace summaries that are there.")
@click.option("--with", "agent", metavar="NAME", shell_complete=completion.agents,
              help="With --generate, the agent whose model writes.")  # fmt: skip
@click.option("--model", metavar="NAME", help="With --generate, the model.")
@group.limit(20, "checkpoints")
@click.option("--search-all", is_flag=True, help="List the commits of all branches and tags.")
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    target: str | None,
    checkpoint: str | None,
    commit: str | None,
    session: str | None,
    form_name: str | None,
    generate: bool,
    force: bool,
    agent: str | None,
    model: str | None,
    limit: int,
    search_all: bool,
    no_pager: bool,
    as_json: bool,
) -> int:
    """Show the sessions, prompts, files and tokens behind a commit.

    TARGET is a commit, a checkpoint or a session. Without it, the commits of this branch are listed, as in
    `entire log`.

    A summary is written by the model of the session's agent if it can, else of the only agent that can, or --with names
    one. The agent's program gets the stored prompts, file names, the digest and a shortened conversation.

    Example: entire explain HEAD
    """
    selectors = {"target": target, "checkpoint": checkpoint, "commit": commit, "listing": session}
    chosen = {name: value for name, value in selectors.items() if value is not None}
    if len(chosen) > 1:
        raise UsageError(
            "cannot specify multiple of TARGET, --checkpoint, --commit and --session", hint="give only one of them"
        )
    question, value = next(iter(chosen.items()), ("listing", ""))
    if not generate and (force or agent is not None or model is not None):
        raise UsageError("--force, --with and --model need --generate", hint="add --generate")
    request = SummaryRequest(agent=agent or "", model=model or "", force=force) if generate else None
    return run(question, value, form_name=form_name or "page", limit=limit, as_json=as_json, paged=not no_pager,
               request=request, everywhere=search_all)  # fmt: skip


def run(
    question: str, value: str, *, form_name: str = "page", limit: int = 20, as_json: bool = False, paged: bool = True,
    request: SummaryRequest | None = None, everywhere: bool = False,
) -> int:  # fmt: skip
    """Answer a question: ``target``, ``checkpoint``, ``commit`` or ``listing``; first write summaries on request."""
    if request is not None and question == "listing":
        raise UsageError("--generate needs a commit or a checkpoint", hint="run `entire explain --generate HEAD`")
    if request is not None and form_name in ("transcript", "raw"):
        raise UsageError("--generate cannot be combined with --transcript and --raw-transcript",
                         hint="run them one after the other")  # fmt: skip
    explainer = Explainer(Workspace.find(), form_name, limit, as_json=as_json, paged=paged, request=request)
    explainer.everywhere = everywhere
    answers = {
        "target": explainer.target,
        "checkpoint": explainer.checkpoint,
        "commit": explainer.commit,
        "listing": explainer.listing,
    }
    return answers[question](value)


FORMS = {
    "page": Form(has_conversation=False),
    "short": Form(has_conversation=False, has_prompts=False, has_attribution=False),
    "full": Form(is_full=True),
    "transcript": Form(has_page=False),
    "raw": Form(),
}


class Explainer:
    """Answers questions in one form: page, short, full, transcript or raw."""

    def __init__(
        self, workspace: Workspace, form_name: str, limit: int, *, as_json: bool, paged: bool,
        request: SummaryRequest | None = None,
    ) -> None:  # fmt: skip
        self.workspace = workspace
        self.form = form_name
        self.limit = limit
        self.as_json = as_json
        self.style = text.style_for(sys.stdout)
        self.request = request  # for summaries to be written first
        self.everywhere = False  # a list has the commits of all branches
        self._paged = paged

    def target(self, name: str) -> int:
        subject = self.workspace.history.target(name)
        if self.request is not None and subject.kind == "session":
            listing = f"entire explain {shell_word(subject.id, 'ID')}"
            raise UsageError("--generate needs a commit or a checkpoint, not a session",
                             hint=f"run `{listing}` to list the session's checkpoints")  # fmt: skip
        answers = {"checkpoint": self.checkpoint, "commit": self.commit, "session": self.listing}
        return answers[subject.kind](subject.id)

    def listing(self, session: str = "") -> int:
        session_id = self.workspace.sessions.find_id(session, default=session) if session else ""
        shown, total = self.workspace.checkpoints.page(self.limit, session_id=session_id, everywhere=self.everywhere)
        branch = self.workspace.branch
        log = LogRequest(session_id=session_id, everywhere=self.everywhere, limit=self.limit,
                         checkpoints=min(self.limit, total))  # fmt: skip
        with contextlib.closing(self.workspace.history.log(log)) as commits:
            rows = commits if total or not session_id else ()  # that a session is not known is not an error here
            if self.as_json:
                return self._json({"branch": branch, "session_id": session_id or None, "total": total,
                                   "checkpoints": shown, "commits": list(rows)})  # fmt: skip
            uncommitted = self.workspace.sessions.uncommitted(here=True)
            work = [state for state in uncommitted if session_id in ("", state.session_id)]
            lines = history.listing(rows, total, pager.width() or None, time.time(), self.style)
            page = pages.listing(branch, lines, total, self.style, session_id=session_id, open_work=work)
            return self._lines(text.broken(page, pager.width()))

    def checkpoint(self, prefix: str) -> int:
        return self._show(prefix, "checkpoint")

    def commit(self, name: str) -> int:
        """Show all checkpoints of a commit; a commit without one is not an error."""
        return self._show(name, "commit")

    def _show(self, name: str, kind: str) -> int:
        notes = self._summarize(name, kind) if self.request is not None else []
        is_full = self.form == "full"
        has_messages = FORMS[self.form].has_conversation and self.form != "raw" and not self.as_json
        view = self.workspace.history.show(
            ShowRequest(
                name=name,
                kind=kind,
                has_messages=has_messages,
                is_whole=is_full,
                has_subagents=is_full,
                has_records=is_full,
                has_digest=self.form not in ("raw", "transcript"),
            )
        )
        if self.form == "raw" and view.checkpoints:
            return self._raw(view.checkpoints[-1])
        if self.as_json:
            if view.commit is None:
                return self._json(view.checkpoints[0])
            return self._json(ExplanationView(
                commit=view.commit, checkpoints=view.checkpoints, missing=view.missing, forgotten=view.forgotten,
                reason=view.reason,
            ))  # fmt: skip
        page = Printer(FORMS[self.form], self.style, pager.width()).lines(view)
        self._lines(itertools.chain(notes, [""] * bool(notes), page))
        if FORMS[self.form].has_conversation:
            shown.check(view)
        return 0

    def _summarize(self, name: str, kind: str) -> list[str]:
        """Have the summaries written that were asked for; return what to say about them."""
        assert self.request is not None
        explained = (
            self.workspace.history.explain(name).checkpoints
            if kind == "commit"
            else [self.workspace.checkpoints.find(name)]
        )
        notes = []
        for view in explained:
            done = self.workspace.checkpoints.summarize(replace(self.request, checkpoint=view.id), text.progress)
            notes += [f"{text.plain(agent)} wrote the summary of session {text.plain(session_id)}."
                      for session_id, agent in done.written_by.items()]  # fmt: skip
            if not done.written_by:
                notes.append(f"Checkpoint {view.id} has its summary already; --generate --force replaces it.")
        return notes

    def _raw(self, view: CheckpointView) -> int:
        """Print the latest session's transcript: a pipe or file gets it byte for byte."""
        text.write_bytes(self.workspace.checkpoints.transcript_blocks(view))
        return 0

    def _json(self, value: Value | dict[str, object]) -> int:
        text.write(json_output.dumps(value))
        return 0

    def _lines(self, lines: Iterable[str]) -> int:
        pager.write(lines, lambda: self.workspace.pager, is_paged=self._paged)
        return 0
