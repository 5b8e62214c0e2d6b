"""Write ``entire_secrets.rules.keywords``, the keywords of all rules, and ``modules``, which tells where the rules are:
a text without any keyword loads no rule.

Run ``python scripts/keywords.py`` when rules or guards have changed: ``test_keywords.py`` notices.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from entire_secrets.engine import TRIGRAM, Text
from entire_secrets.keyword_search import SIGNS
from entire_secrets.rules import guards, rule, table

ROOT = Path(__file__).resolve().parent.parent

HEAD = '''"""The keywords of all rules, so a text without any loads no rule. Written by ``scripts/keywords.py``."""

from __future__ import annotations

# fmt: off
'''

HEAD_OF_MODULES = '''"""The modules that have rules of each keyword. Written by ``scripts/keywords.py``."""

from __future__ import annotations

# fmt: off
'''

WIDTH = 110


def keywords(*, free: bool) -> set[bytes]:
    """Return the keywords of rules that are always tried, or of those behind a guard."""
    return {
        keyword
        for keyword, rules in table.BY_KEYWORD.items()
        if any(guards.is_free(keyword, rule.id) is free for rule in rules)
    }


def modules() -> dict[bytes, str]:
    """Return the modules that have rules of each keyword."""
    found = defaultdict(list)
    for name in table.MODULES:
        for keyword in {keyword for each in rule.of_module(name) for keyword in each.keywords}:
            found[keyword].append(name)
    return {keyword: " ".join(names) for keyword, names in sorted(found.items())}


def trigrams(keyword: bytes) -> list[bytes]:
    """Return the runs of three bytes in a keyword that ``Text.trigrams`` has wherever the keyword stands."""
    runs = (keyword[at : at + TRIGRAM] for at in range(len(keyword) - TRIGRAM + 1))
    return [run for run in runs if not run.removeprefix(b" ").translate(None, SIGNS)]


def main() -> None:
    """Write the modules."""
    rules = Path(guards.__file__).parent
    rarity = _rarity()
    (rules / "keywords.py").write_text(
        f"{HEAD}"
        f"FREE: dict[bytes, tuple[bytes, ...]] = {{\n{_lines(_by_trigram(keywords(free=True), rarity))}\n}}\n"
        '"""Keywords of rules that are tried wherever one stands, by a run of three bytes that is rare in clean text.\n'
        'Those without any are under ``b""``."""\n\n'
        f"GUARDED: dict[bytes, tuple[bytes, ...]] = {{\n{_lines(_by_trigram(keywords(free=False), rarity))}\n}}\n"
        '"""Keywords of rules that are tried only where the guard of a keyword holds."""\n'
    )
    of_modules = (f'{_literal(word)}: "{names}",' for word, names in modules().items())
    (rules / "modules.py").write_text(f"{HEAD_OF_MODULES}MODULES: dict[bytes, str] = {{\n{_lines(of_modules)}\n}}\n")


def _rarity() -> Callable[[bytes], tuple[int, bytes]]:
    """Return what sorts runs by how many ordinary texts of some KB have them."""
    found: Counter[bytes] = Counter()
    for sample in sorted((ROOT / "tests/fixtures/ordinary").glob("*.gz")):
        text = gzip.decompress(sample.read_bytes())
        for start in range(0, len(text), 1 << 13):
            found.update(Text(text[start : start + (1 << 13)]).trigrams)
    return lambda run: (found[run], run)


def _by_trigram(listed: set[bytes], rarity: Callable[[bytes], tuple[int, bytes]]) -> Iterator[str]:
    """Yield the pieces of a dictionary's items from runs to keywords."""
    found = defaultdict(list)
    for keyword in sorted(listed):
        found[min(trigrams(keyword), key=rarity, default=b"")].append(keyword)
    for run, words in sorted(found.items()):
        first, *rest = (f"{_literal(word)}," for word in words)
        yield f"{_literal(run)}: ({first}"
        yield from rest
        yield "),"


def _literal(keyword: bytes) -> str:
    return f'b"{ascii(keyword)[2:-1]}"'


def _lines(pieces: Iterable[str]) -> str:
    lines: list[str] = []
    for piece in pieces:
        if piece == "),":
            lines[-1] += piece
        elif lines and len(lines[-1]) + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return "\n".join(f"    {line}" for line in lines)


if __name__ == "__main__":
    main()
