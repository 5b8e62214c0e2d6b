"""The front door: the first word, the errors, the exit code.

``hooks`` leaves by the side door before a command-line library is loaded: an agent or git waits for it.
"""

from __future__ import annotations

import errno
import os
import sys

from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
_REFUSED = frozenset(
    (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)
)
"""What the system refuses without a fault of ours: a message is enough."""
_COMPLETION = "_ENTIRE_COMPLETE"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; return the exit code. Nothing is raised, whatever goes wrong."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args and args[0] == "hooks":
        from entire.commands import hooks

        return hooks.run(args[1:])
    debug = "--debug" in args
    try:
        return _command([word for word in args if word != "--debug"])
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return 0
    except EntireError as error:
        if debug:
            _traceback()
        _tell(error.message, error.hint, error.exit_code, as_json="--json" in args)
        return error.exit_code
    except OSError as error:
        if debug or error.errno not in _REFUSED:
            return _crash(error, args, debug=debug)
        named = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        hint = "free some disk space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "`entire doctor` tells more"
        _tell(f"{named}{error.strerror}", hint, 1, as_json="--json" in args)
        return 1
    except Exception as error:
        return _crash(error, args, debug=debug)


def _crash(error: BaseException, args: Sequence[str], *, debug: bool) -> int:
    """Say that this should not have happened, and where the report is."""
    if debug:
        _traceback()
    hint = _report(error, args)
    _tell(f"internal error: {type(error).__name__}", hint, 1, as_json="--json" in args)
    return 1


def _command(args: list[str]) -> int:
    """Let click understand and run the command; translate how click says that it could not."""
    import click

    from entire.commands import TABLE
    from entire.errors import UsageError
    from entire.ui import group

    door = group.LazyGroup(TABLE, "entire.commands")
    if _COMPLETION in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(door, {}, "entire", _COMPLETION, os.environ[_COMPLETION])
    try:
        with door.make_context("entire", args) as context:
            result = door.invoke(context)
    except click.exceptions.Exit as leave:
        result = leave.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        usage = isinstance(error, click.UsageError) and error.ctx is not None
        words = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else "entire"
        raise UsageError(error.format_message(), hint=f"see `{words} --help`" if usage else "") from error
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


def _tell(message: str, hint: str, code: int, *, as_json: bool) -> None:
    """Print an error: for a program on standard output, for a person on standard error."""
    if as_json:
        import json

        text = json.dumps({"error": {"message": message, "hint": hint, "exit_code": code}}, ensure_ascii=False)
    else:
        text = f"entire: {message}" + (f"\nhint: {hint}" if hint else "")
    text = text.encode("utf-8", "replace").decode("utf-8")
    if not as_json:
        from entire.ui.text import plain

        text = plain(text)  # a path or an id in it cannot command the terminal
    stream = sys.stdout if as_json else sys.stderr
    try:
        stream.write(text + "\n")
        stream.flush()
    except OSError:
        pass


def _report(error: BaseException, args: Sequence[str]) -> str:
    """Write a crash report; return the hint that names it."""
    import entire
    from entire import layout, log

    try:
        place = layout.find(os.getcwd())
    except OSError:
        place = None
    # A command that only reads must write nothing where Entire was never enabled.
    known = place is not None and place.enabled_root
    path = log.report(place.logs_dir, error, version=entire.__version__, command=args) if place and known else ""
    return f"a report for the developers is in {path}" if path else "run it again with --debug to see where"


def _traceback() -> None:
    import traceback

    traceback.print_exc()


def _silence() -> None:
    """Point standard output nowhere: whoever read it has gone, and Python would complain again at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
