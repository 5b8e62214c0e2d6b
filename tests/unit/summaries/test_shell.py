"""Shell commands as words and programs."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.summaries import discarded_lines, runners, shell

_COMMANDS = st.text(alphabet=" \t\r\nab'\"\\();<>|&=-/.$\u00a0\x0bé", max_size=30)
_PIECES = st.lists(
    st.sampled_from(
        ["git", "rm", "pytest", "npm", "py", "test", "-m", "make", "sh", "-c", "sudo", "FOO=1", "python", "'", '"',
         "\\", " ", "\n", ";", "&&", "|", "(", ")", ">", "2", "/", "x", "manage.py", "unlink", "\\\n", "go", "env"]
    ),
    max_size=14,
)  # fmt: skip


def _by_shlex(command: str) -> list[str]:
    text = command.replace("\\\n", " ").replace("\n", " ; ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


@given(_COMMANDS)
def test_words_are_those_of_shlex(command: str) -> None:
    assert shell._words(command) == _by_shlex(command)


@given(_PIECES.map("".join))
def test_no_program_is_missed_where_a_command_is_not_parsed(command: str) -> None:
    for pattern, names in ((runners._NAMED, {*runners._ALONE, *runners._TASKS}),
                           (discarded_lines._NAMED, {"git", "rm", "unlink"})):  # fmt: skip
        run = {program.name for program in shell.programs(command)}
        run |= {program.words[1].rpartition("/")[2] for program in shell.programs(command)
                if program.name == "python" and len(program.words) > 1}  # fmt: skip
        if run & names:
            assert shell.may_run(command, pattern)


@pytest.mark.parametrize("command", ["git statu'", 'echo "a', "a\\"])
def test_what_does_not_end_is_split_by_blanks(command: str) -> None:
    assert shell._words(command) == command.split()
