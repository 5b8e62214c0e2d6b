"""The main program: runs a command, prints errors, returns the exit code.

``hooks`` and ``plugin serve`` are handled before click is loaded, because an agent, git or another host waits.
"""

from __future__ import annotations

import errno
import os
import sys

from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from entire.errors import UsageError

INTERRUPTED = 130
_REFUSED = frozenset(
    (
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
    )
)
"""Refusals of the operating system that are not bugs: a message is enough, without a report."""
_COMPLETION = "_ENTIRE_COMPLETE"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code; never raises."""
    args = list(sys.argv[1:] if argv is None else argv)
    _withhold_secrets()
    if args and args[0] == "hooks":
        from entire.commands import hooks

        return hooks.run(args[1:])
    serves = args[:2] == ["plugin", "serve"] and len(args) > 3 and not args[2].startswith("-")
    debug = "--debug" in args and not serves
    _open_closed_streams()
    try:
        if serves:
            from entire.plugin import serving

            return serving.serve(args[2], args[3:])
        return _run_command([word for word in args if word != "--debug"])
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return 0
    except EntireError as error:
        if debug:
            _print_traceback()
        _print_error(error.message, error.hint, error.exit_code, as_json="--json" in args)
        return error.exit_code
    except OSError as error:
        if debug or error.errno not in _REFUSED:
            return _report_crash(error, args, debug=debug)
        prefix = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        hint = (
            "free some disk space"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "run `entire doctor` to check the repository"
        )
        _print_error(f"{prefix}{error.strerror}", hint, 1, as_json="--json" in args)
        _flush()
        return 1
    except Exception as error:
        return _report_crash(error, args, debug=debug)


def _withhold_secrets() -> None:
    """Forget what an agent's environment has for its own use: no program that we start gets it, and nothing that we
    store holds it.
    """
    from entire.agents import registry

    values = registry.take_private(os.environ)
    if any(values):
        from entire.redact import withheld

        withheld.update(value.encode("utf-8", "surrogateescape") for value in values if value)


def _report_crash(error: BaseException, args: Sequence[str], *, debug: bool) -> int:
    if debug:
        _print_traceback()
    hint = _write_report(error, args)
    _print_error(f"internal error: {type(error).__name__}", hint, 1, as_json="--json" in args)
    return 1


def _run_command(args: list[str]) -> int:
    """Let click parse and run a command; turn its errors into ours."""
    import click

    from entire.commands import TABLE
    from entire.ui.console import group

    root = group.Root(TABLE, "entire.commands")
    if _COMPLETION in os.environ:
        return _complete(root)
    try:
        with root.make_context("entire", args) as context:
            result = root.invoke(context)
    except click.exceptions.Exit as leave:
        result = leave.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        raise _usage_error(error) from error
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


def _complete(root: click.Command) -> int:
    """Answer a shell that completes a command line. It asks between two keys of a person, so errors are not shown."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(root, {}, "entire", _COMPLETION, os.environ[_COMPLETION])
    except Exception:
        return 1


def _usage_error(error: click.ClickException) -> UsageError:
    """Return click's error as ours; for an unknown option, with the one that is most like it."""
    from click import NoSuchOption

    from entire.errors import UsageError

    context: click.Context | None = getattr(error, "ctx", None)
    hint = f"run `{context.command_path} --help`" if context is not None else ""
    if isinstance(error, NoSuchOption) and context is not None:
        options = {name for option in context.command.get_params(context) for name in option.opts}
        return UsageError(f"no such option: {error.option_name}", hint=hint, unknown=error.option_name,
                          known=sorted(name for name in options if name.startswith("--")))  # fmt: skip
    return UsageError(error.format_message(), hint=hint)


def _print_error(message: str, hint: str, code: int, *, as_json: bool) -> None:
    """Print an error: as JSON on standard output, as text on standard error."""
    from entire.ui.console import json_output, text

    if as_json:
        lines = [json_output.line({"error": {"message": message, "hint": hint, "exit_code": code}})]
    else:
        lines = [text.plain(f"entire: {message}"), *([text.plain(f"hint: {hint}")] if hint else [])]
    stream = sys.stdout if as_json else sys.stderr
    try:
        text.write(lines, stream)
        stream.flush()
    except OSError:
        pass


def _write_report(error: BaseException, args: Sequence[str]) -> str:
    """Write a crash report; return the hint that names it."""
    import entire
    from entire import layout, log

    try:
        place = layout.find(os.getcwd())
    except OSError:
        place = None
    # Where Entire was never enabled, nothing may be written.
    is_known = place is not None and place.enabled_root
    command = [arg if before != "--secret" else "..." for before, arg in zip(("", *args), args, strict=False)]
    path = log.report(place.logs_dir, error, version=entire.__version__, command=command) if place and is_known else ""
    return f"please attach {path} to a bug report" if path else "run it again with --debug to see the traceback"


def _print_traceback() -> None:
    import traceback

    from entire.ui.console import text

    text.write(text.plain(traceback.format_exc()), sys.stderr)


def _open_closed_streams() -> None:
    """Open streams that the caller has closed: the next file that is opened would take their place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def _flush() -> None:
    """Write what is left of the output; it is discarded if that fails, so Python does not report it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    """Discard standard output: its reader has gone, and Python would report that again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
