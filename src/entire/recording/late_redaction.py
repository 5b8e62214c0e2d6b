"""Redacts a session's prompts and task descriptions again when new secrets become known.

They were redacted when they came. A secret that had no name in them may have been found since: in a later prompt,
another session, or a subagent's transcript.
"""

from __future__ import annotations

from entire import files
from entire.model import jsontext
from entire.model.value import replace
from entire.store import turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.model.session import Session
    from entire.redact import Redactor


def redact_again(place: Place, session: Session, redactor: Redactor, *, in_transcript: bool) -> None:
    """Redact the session's own texts and its turns' notes with all that is known now. If that changes what a checkpoint
    may hold, leave a mark for ``status``. ``in_transcript``: the stored transcript held a secret.
    """
    session.first_prompt = redactor.redact_text(session.first_prompt)
    if session.turn is not None:
        session.turn = replace(session.turn, prompt=redactor.redact_text(session.turn.prompt))
    for task in session.tasks.values():
        task.description = redactor.redact_text(task.description)
        if task.increments:
            task.increments = jsontext.loads(redactor.redact_json(jsontext.dumps(task.increments).encode()))
    in_prompts = turnlog.redact_again(place, session.session_id, redactor)
    if (in_transcript or in_prompts) and session.last_checkpoint:
        files.write(place.revealed_marker, b"")
