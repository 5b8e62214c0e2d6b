"""The demo agent's language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_demo_agent.instructions import Instruction, parse


def make(verb: str, path: str = "", text: str = "", new: str = "") -> Instruction:
    return Instruction(verb=verb, path=path, text=text, new=new)


CASES = {
    "create a file a.txt with hello world": [make("create", "a.txt", "hello world")],
    "Please create the new file called a.txt with content: hi": [make("create", "a.txt", "hi")],
    "create an empty file e.txt": [make("create", "e.txt")],
    'create "a b.txt" with "x; y\\nthen \\"z\\"\\u00e9\\x41\\q"': [make("create", "a b.txt", 'x; y\nthen "z"éA\\q')],
    "create a file a with first this then that": [make("create", "a", "first this then that")],
    "create a with b then create c with d": [make("create", "a", "b"), make("create", "c", "d")],
    "create a with b, and then please delete c": [make("create", "a", "b"), make("delete", "c")],
    "append z to a.txt; delete the file b.txt": [make("append", "a.txt", "z"), make("delete", "b.txt")],
    "append to a.txt: 'x'": [make("append", "a.txt", "x")],
    "append to a.txt:\n    x\n      y\nsay done": [make("append", "a.txt", "x\n  y\n"), make("say", text="done")],
    "create a.py with:\n    def f():\n        pass\n\n    f()\n\nsay ok": [
        make("create", "a.py", "def f():\n    pass\n\nf()\n"),
        make("say", text="ok"),
    ],
    "create a.md with ```py\na;b\nthen say\n```\nthen delete a.md": [
        make("create", "a.md", "a;b\nthen say\n"),
        make("delete", "a.md"),
    ],
    "append ```\nfoo\n``` to x": [make("append", "x", "foo\n")],
    'replace "a with b" with "c in d" in x.txt': [make("replace", "x.txt", "a with b", "c in d")],
    "replace one with two in three in x.txt": [make("replace", "x.txt", "one", "two in three")],
    "remove `x y.txt`": [make("delete", "x y.txt")],
    "run git commit -m \"a; b\" && echo 'c; d'": [make("run", text="git commit -m \"a; b\" && echo 'c; d'")],
    'run "if true; then echo x; fi"': [make("run", text="if true; then echo x; fi")],
    "say don't panic; say it isn't; say so": [
        make("say", text="don't panic"),
        make("say", text="it isn't"),
        make("say", text="so"),
    ],
    "remember that tea is hot\r\nWhat do you remember?": [make("remember", text="tea is hot"), make("recall")],
    "ask a helper to create h with i; say x": [make("helper", text="create h with i; say x")],
    'say a; ask a subagent to "create h with i; say x"; say y': [
        make("say", text="a"),
        make("helper", text="create h with i; say x"),
        make("say", text="y"),
    ],
    "dance": [make("unknown", text="dance")],
    "create": [make("unknown", text="create")],
    'say "never closed; say x': [make("say", text='"never closed'), make("say", text="x")],
    " ;\n; \n": [],
    "": [],
}


@pytest.mark.parametrize("prompt", CASES)
def test_prompt_is_understood(prompt: str) -> None:
    assert parse(prompt) == CASES[prompt]


def quote(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


FORMS = {
    "create": "create a file {path} with {text}",
    "append": "append {text} to {path}",
    "replace": "replace {text} with {new} in {path}",
    "delete": "delete {path}",
    "run": "run {text}",
    "say": "say {text}",
    "remember": "remember {text}",
    "helper": "ask a helper to {text}",
}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def instructions(draw: st.DrawFn) -> Instruction:
    verb = draw(st.sampled_from(sorted(FORMS)))
    return Instruction(
        verb=verb, **{part: draw(texts) for part in ("path", "text", "new") if f"{{{part}}}" in FORMS[verb]}
    )


@given(st.lists(instructions(), max_size=5), st.sampled_from([";", "\n", " then ", ", and then ", "; then "]))
def test_what_is_written_in_quotes_is_read_back(wanted: list[Instruction], separator: str) -> None:
    written = [
        FORMS[instruction.verb].format(
            path=quote(instruction.path), text=quote(instruction.text), new=quote(instruction.new)
        )
        for instruction in wanted
    ]
    assert parse(separator.join(written)) == wanted


@given(st.text(max_size=300))
def test_any_prompt_is_read(prompt: str) -> None:
    assert all(instruction.verb for instruction in parse(prompt))


words = st.sampled_from(
    [
        "create",
        " a",
        " with",
        ":",
        "\n    x",
        "\n",
        "```",
        '"',
        "'",
        "then ",
        "append ",
        " to b",
        " in c",
        "replace ",
        "run ",
    ]
)


@given(st.lists(words, max_size=60).map("".join))
def test_prompts_made_of_the_language_itself_are_read(prompt: str) -> None:
    assert all(instruction.verb for instruction in parse(prompt))
