"""Tries each rule on texts that make a careless pattern try without end, and prints which rules are slow.

A rule's example is cut behind its keyword, at several places, and something that repeats stands there instead. Printing
comes first: if a pattern never ends, the last name is its rule's.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from entire_secrets.rules.rows import ListedRule
from entire_secrets.rules.table import RULES
from tests.secrets.templates import expand

SLOW = 0.1
"""Seconds of CPU time that no pattern needs at one place."""

FILLERS = (
    b"\n" + (b"59VK7cEX/67GK+" * 5)[:64] + b"\n" * 40 + b"0" * 64 + b"\n0123" * 600,
    *(b" " * 6000, b"a" * 6000, b"aB3/" * 1500, b"  a" * 2000, b"a=b&" * 1500, b"a, " * 2000, b"x: y\n" * 1200),
    *(b'"a" "a" ' * 800, b"--a b " * 1000, b"a.b-c_" * 1000, b"| a " * 1500, b"'\"`" * 2000, b"\n  a  b" * 1000),
    *(b"(((([" * 1200, b"key: {\n" * 800, b"::=> " * 1200, b"; a=1" * 1200, b"12:  + a\n" * 700),
    *((b"QUJD" * 16 + b"\n") * 90, b"MIIEp+QI/BAA+KC/EXAMPLExyz+\n" * 200, b"12:MIIEp+QI/BAA  +KCxyz=  \n" * 200),
    *(b'"MIIEp+QI/BAA" +\n "x"\n' * 200, b"a/b.c-1:MIIEp/+|\n" * 300),
    # Indented: more lines than a key has.
    *((start + b"59VK7cEX/67GK+Lm" * 4) * 250 for start in (b"\n    ", b'",\n  "', b"\n12:  | ")),
)


def texts(rule: ListedRule) -> Iterator[tuple[bytes, int]]:
    """Yield texts, and where the rule's keyword stands in each."""
    chosen = random.Random(rule.id)
    example = expand(rule.example, 0).text.encode() if rule.example else b""
    for keyword in rule.keywords:
        stands = keyword.strip()
        at = example.lower().find(stands)
        start = example if at >= 0 else stands + b" "
        at = max(at, 0)
        behind = at + len(stands)
        for filler in FILLERS:
            for cut in {behind, chosen.randint(behind, max(behind, len(start)))}:
                yield start[:cut] + filler, at
            if rule.back or rule.before:
                yield filler + start[at:], len(filler)


def main() -> None:
    """Print each rule's name, and behind it what took too long."""
    for rule in RULES:
        print(rule.id, end="", flush=True)
        rule.compile()
        for text, at in texts(rule):
            started = time.process_time()
            rule.spans(text, at, 0, len(text))
            if time.process_time() - started > SLOW:
                print("", "slow:", text[at : at + 60], end="")
        print(flush=True)


if __name__ == "__main__":
    main()
