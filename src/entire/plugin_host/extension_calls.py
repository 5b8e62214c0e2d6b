"""Questions of ours to a plugin that declares that it answers them."""

from __future__ import annotations

from entire.plugin_host import scratch
from entire.plugin_host.language import questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.model.transcripts import Content
    from entire.plugin_host.programs.program import Program


def ask(program: Program, name: str, *arguments: Any, stored: Content | None = None, **about: Any) -> Any:
    """Return the answer to a question; raises PluginError, or ValueError for an answer that makes no sense.

    ``stored`` is the transcript that the question is about, if that is a stored one; ``about``: other keys.
    """
    folder = scratch.folder()
    try:
        if stored is not None:
            about["stored"] = scratch.write(folder, about.get("session_ref", ""), stored)
        given = questions.write_arguments(name, *arguments, folder=folder)
        return questions.read_answer(name, program.ask(name, **{**about, "folder": folder, **given}))
    finally:
        scratch.remove(folder)
