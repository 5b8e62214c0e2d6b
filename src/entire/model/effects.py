"""What an adapter asks for when it puts a conversation back where its agent finds it: plans, which change nothing.

The framework carries the effects out in one transaction with the files of the worktree (``entire.undo``), and back.
"""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.transcripts import Content


class Write(Value):
    """Write a file, given by its absolute path. Its way back is the file that was there."""

    path: str
    data: Content


class Delete(Value):
    """Delete a file, given by its absolute path. Its way back is the file that was there."""

    path: str


class Run(Value):
    """Run a command, without a shell, at the top of the worktree; ``env`` is added to its environment.

    ``undo_argv`` is its way back. Either may run twice (after a kill), and must then leave what it leaves when it runs
    once. One that fails (an exit status other than 0) must have changed nothing.
    """

    argv: tuple[str, ...]
    undo_argv: tuple[str, ...]
    stdin: Content = b""
    undo_stdin: Content = b""
    env: Mapping[str, str] = {}

    def inverse(self) -> Run:
        """Return the way back, whose way back is this command."""
        return Run(argv=self.undo_argv, undo_argv=self.argv, stdin=self.undo_stdin, undo_stdin=self.stdin, env=self.env)


class PutBack(Value):
    """How a conversation is put back, or the ``problem`` because of which it cannot be."""

    effects: tuple[Write | Delete | Run, ...] = ()
    problem: str = ""
