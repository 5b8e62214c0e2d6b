"""Write ``entire.redact.rules.keywords``: the keywords of all rules, so that a text without any loads no rule.

Run ``python scripts/keywords.py`` when rules or guards have changed; ``tests/unit/redact/test_keywords.py`` notices.
"""

from __future__ import annotations

from pathlib import Path

from entire.redact.rules import guards, table

HEAD = '''"""The keywords of all rules, so that a text without any loads no rule. Written by ``scripts/keywords.py``."""

from __future__ import annotations

# fmt: off
'''

WIDTH = 110


def keywords(*, free: bool) -> tuple[bytes, ...]:
    """Return the keywords of rules that are always tried, or of those behind a guard."""
    return tuple(
        sorted(
            keyword
            for keyword, rules in table.BY_KEYWORD.items()
            if any(guards.is_free(keyword, rule.id) is free for rule in rules)
        )
    )


def main() -> None:
    """Write the module."""
    path = Path(guards.__file__).with_name("keywords.py")
    path.write_text(
        f"{HEAD}"
        f"FREE: tuple[bytes, ...] = (\n{_lines(keywords(free=True))}\n)\n"
        '"""Keywords of rules that are tried wherever one stands."""\n\n'
        f"GUARDED: tuple[bytes, ...] = (\n{_lines(keywords(free=False))}\n)\n"
        '"""Keywords of rules that are tried only where the guard of a keyword holds."""\n'
    )


def _lines(listed: tuple[bytes, ...]) -> str:
    lines = [""]
    for keyword in listed:
        item = f'b"{ascii(keyword)[2:-1]}",'
        if len(lines[-1]) + len(item) > WIDTH:
            lines.append("")
        lines[-1] += f" {item}"
    return "\n".join(f"   {line}" for line in lines)


if __name__ == "__main__":
    main()
