"""Write ``entire_secrets.rules.keywords``, the keywords of all rules and the modules that have them: a text without any
keyword loads no rule.

Run ``python scripts/keywords.py`` when rules or guards have changed: ``test_keywords.py`` notices.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from entire_secrets.keyword_search import FREE, GUARDED, LOOSE, RUN, SIGNS, is_loose
from entire_secrets.rules import guards, rows, table
from entire_secrets.text import Text

ROOT = Path(__file__).resolve().parent.parent

HEAD = '''"""The keywords of all rules and their modules: see ``keyword_search``. Written by ``scripts/keywords.py``."""

from __future__ import annotations

# fmt: off
'''

WIDTH = 108


def kinds() -> dict[bytes, str]:
    """Return the kinds of each keyword."""
    found = {}
    for keyword, rules in table.BY_KEYWORD.items():
        free = [guards.is_free(keyword, rule.id) for rule in rules]
        kind = FREE * any(free) + GUARDED * (not all(free)) + LOOSE * is_loose(keyword)
        found[keyword] = kind.decode()
    return found


def modules() -> dict[bytes, str]:
    """Return the modules that have rules of each keyword."""
    found = defaultdict(list)
    for name in table.MODULES:
        for keyword in {keyword for each in rows.of_module(name) for keyword in each.keywords}:
            found[keyword].append(name)
    return {keyword: " ".join(names) for keyword, names in sorted(found.items())}


def main() -> None:
    """Write the module."""
    frequencies, kind, of = _frequencies(), kinds(), modules()
    found = defaultdict(list)
    pairs = [(set[bytes](), set[bytes]()) for _ in GAPS]
    for keyword in sorted(kind):
        number, run, then = _runs(keyword, frequencies)
        if number < len(GAPS):
            pairs[number][0].add(run)
            pairs[number][1].update([then] if then else [])
        found[run].append(f"{_escaped(keyword)};{kind[keyword]};{of[keyword]}")
    text = "RUNS = (\n" + "".join(f"    (\n{_joined(first)},\n{_joined(then)},\n    ),\n" for first, then in pairs)
    text += ')\n"""Of each keyword a run that is rare in clean text, and one behind it: see ``keyword_search``."""\n\n'
    text += "LINES = {\n"
    starts = sorted({run[:1] if len(run) == RUN else b"" for run in found})
    for start in starts:
        runs = [run for run in sorted(found) if (run[:1] if len(run) == RUN else b"") == start]
        text += f"    {start!r}: (\n{_lines({run: found[run] for run in runs})}\n    ),\n"
    (Path(guards.__file__).parent / "keywords.py").write_text(f"{HEAD}{text}}}\n")


GAPS = ((3,), (2, 1), (0,))
"""Of each pair of runs, how far the second may be behind the first."""


def _runs(keyword: bytes, frequencies: Counter[bytes]) -> tuple[int, bytes, bytes]:
    """Return the kind of a keyword's pair of runs, and the pair that is rarest in ordinary texts. Both are in the words
    of a text wherever the keyword stands. Of a keyword without any, return a sign.
    """
    for number, gaps in enumerate(GAPS):
        pairs = [
            (keyword[at : at + RUN], keyword[at + gap : at + gap + RUN] if gap else b"")
            for gap in gaps
            for at in range(len(keyword) - gap - RUN + 1)
            if keyword.find(keyword[at : at + RUN]) == at
            and not is_loose(keyword[at : at + gap + RUN])  # all of it is in one word
        ]
        if pairs:
            return number, *min(pairs, key=lambda pair: (frequencies[pair[0]] * frequencies[pair[1] or pair[0]], pair))
    signs = [bytes((byte,)) for byte in keyword if byte != 0x20 and byte not in SIGNS]
    return len(GAPS), min(signs or [b""], key=lambda sign: (frequencies[sign], sign)), b""


def _joined(runs: set[bytes]) -> str:
    whole = "".join(map(_escaped, sorted(runs)))
    size = WIDTH // RUN * RUN
    return "\n".join(f'        b"{whole[at : at + size]}"' for at in range(0, max(len(whole), 1), size))


def _lines(found: dict[bytes, list[str]]) -> str:
    lines = ["\\n"]
    for run, entries in found.items():
        line = f"{_escaped(run)}|{','.join(entries)}\\n"
        if len(lines[-1]) + len(line) <= WIDTH:
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(f'        b"{part}"' for line in lines for part in _pieces(line))


def _frequencies() -> Counter[bytes]:
    """Return how many ordinary texts of some KB have each run of three bytes in a word, and each byte."""
    found: Counter[bytes] = Counter()
    for sample in sorted((ROOT / "tests/fixtures/ordinary").glob("*.gz")):
        data = gzip.decompress(sample.read_bytes())
        for start in range(0, len(data), 1 << 13):
            text = Text(data[start : start + (1 << 13)])
            words = text.words
            found.update({words[at : at + RUN] for at in range(len(words) - RUN + 1)})
            found.update({bytes((byte,)) for byte in text.lowered})
    return found


def _pieces(line: str) -> Iterator[str]:
    """Cut a long line behind commas."""
    while len(line) > WIDTH:
        at = line.rindex(",", 0, WIDTH) + 1
        yield line[:at]
        line = line[at:]
    yield line


def _escaped(keyword: bytes) -> str:
    return ascii(keyword)[2:-1].replace('"', '\\"')


if __name__ == "__main__":
    main()
