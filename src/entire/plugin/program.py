"""A plugin as a program: ``main`` makes an executable ``entire-agent-<name>`` of an agent's adapter."""

from __future__ import annotations

import os
import sys

from entire.errors import EntireError
from entire.plugin import subcommands
from entire.plugin.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from entire.agents.contract import AgentFactory


def main(agent: AgentFactory, argv: Sequence[str] | None = None) -> NoReturn:
    """Carry out one subcommand of the protocol for an agent, as the command line says, and end the program.

    ``agent`` is a class with the members of ``entire.agents.contract.Agent``, and with those of the capabilities that
    it names. Its attributes ``description``, ``is_preview``, ``protected_dirs``, ``caller_env_vars``, ``spoken_name``,
    ``project_variable`` and ``session_variable`` tell the rest; all are optional.
    """
    sys.exit(run(agent, sys.argv[1:] if argv is None else argv))


def run(agent: AgentFactory, argv: Sequence[str], about: object = None) -> int:
    """Carry out one subcommand; return the exit status.

    ``about`` describes the agent (see ``main``), if ``agent`` does not.
    """
    about = agent if about is None else about
    try:
        if sys.stdout is None:
            raise EntireError("standard output is closed")
        answer = subcommands.carry_out(Call(agent, argv, about))
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains again when it exits
        return 1
    except KeyboardInterrupt:
        return 130
    except EntireError as error:
        _report(about, f"{error.message}; {error.hint}" if error.hint else error.message)
        return error.exit_code
    except Exception as error:
        _report(about, f"{type(error).__name__}: {error}")
        return 1
    return 0


def _report(about: object, message: str) -> None:
    """Write a failure as one line of standard error."""
    name = getattr(about, "name", "")
    program = f"entire-agent-{name}" if isinstance(name, str) and name else os.path.basename(sys.argv[0])
    line = f"{program}: {' '.join(message.split())}\n"
    sys.stderr.write(line.encode("utf-8", "replace").decode())
