"""Tells words from random letters, by the letter triples that are common in words.

The table is a bit for each of the 26³ triples, made by ``scripts/trigrams.py`` from the standard libraries of Python
and Go and some large packages. Words have mostly common triples; of random letters one triple in seven is common. That
takes 2 KB, where a list of words would take hundreds, and covers words of other languages and glued ones.
"""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

SIZE = 26**3 // 8 + 1
"""Bytes of the table."""

_A = 97 * (676 + 26 + 1)  # of ``aaa``
_RUN = rb"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]"
_LONG = rb"[A-Z]?[a-z]{2,}|[A-Z]{3,}"
"""Covers the runs of three letters and more."""

_compiled: list[Pattern[bytes]] = []
_table: list[bytes] = []


def runs(text: bytes) -> list[bytes]:
    """Return the runs of letters as written, those of ``camelCase`` apart."""
    return _patterns()[0].findall(text)


def _patterns() -> list[Pattern[bytes]]:
    if not _compiled:
        _compiled.extend(map(patterns.compile, (_RUN, _LONG)))
    return _compiled


def is_word(run: bytes) -> bool:
    """Tell whether a run of at least three letters reads like a word."""
    triples = len(run) - 2
    if triples < 1:
        return False
    if not _table:
        from binascii import a2b_base64

        _table.append(a2b_base64(_COMMON))
    table, run = _table[0], run.lower()
    common = 0
    for first, second, third in zip(run, run[1:], run[2:], strict=False):
        bit = first * 676 + second * 26 + third - _A
        common += table[bit >> 3] >> (bit & 7) & 1
    return common * 5 >= triples * 3


def share(value: bytes) -> float:
    """Return which share of ``value`` stands in words, from 0 to 1."""
    return sum(len(run) for run in runs(value) if len(run) > 2 and is_word(run)) / len(value) if value else 0.0


def are_most(value: bytes, least: float) -> bool:
    """Tell whether words have at least this share of ``value``; of random letters, the long runs alone have less."""
    fewest = least * (len(value) or 1)
    return sum(map(len, _patterns()[1].findall(value))) >= fewest and have(runs(value), fewest)


def is_prose(value: bytes) -> bool:
    """Tell whether most of ``value`` is words: no token is, but a seed phrase, which has small letters only."""
    return bool(value) and not (b" " in value and value.islower()) and are_most(value, 0.6)


def have(candidates: list[bytes], least: float) -> bool:
    """Tell whether those of some runs that read like words have at least so many letters; it looks at no more runs than
    it takes to know.
    """
    long = [run for run in candidates if len(run) > 2]
    left = sum(map(len, long))
    for run in long:
        if left < least:
            return False
        if not is_word(run):
            left -= len(run)
    return left >= least


def number(letters: bytes, at: int) -> int:
    """Return the place of a triple of lower-case letters in the table."""
    return letters[at] * 676 + letters[at + 1] * 26 + letters[at + 2] - _A


# fmt: off
_COMMON = (
    b"CRAAXCQRUNn1wc+2SQAABNBAMBAVZgAAAAAAOA4AAAAAEQBAX7tHE9EUdJVxBAAAQGSyAwAAAPz1O1TZ6VFtFAcICIxUZREQAEAAQCAtEAAEAAAA"
    b"4IDiAASAAAlIAAAEAMCM4ggAAAAAAAAAAACQhIYABAAAAAAARBQRBAAAAAAAAAhImgQACAAAAEBHEAAcQEwAAAhAFsAAAAAAAAAAAAAAAACAAAAA"
    b"AA6oHgAACEABBUFEAAA/uQYAJQCAEWRAVpQFObAOAAAAEJnMQFyQhQnAAAQAIICGbwMAAAcAABBEBCEEkehARJIlABgOIAAwAAAAAAAAAAAAAAAA"
    b"AKCAolAAgAQFSAB0JFrxg+sKQAIAEAAEAAAA0AfnAgAABAAAAFAkARQRAEAAAAEEMFogABEAAABBRBABlYlYAAIIQIBpwAAAAAEAAAAAAAAAAgAA"
    b"AAAOvC4EAEiQ2eTDVhQFCLQOxCR7EBFlQAAQAEggIAAAAAABAEBOskMXwRz0BfEAAihBRJIDAAAQ/Of7RZnMwX++fxABBEQEABCRbEBFIAIAAARA"
    b"AADAkMABAIAAgHAgRAQQUAOiAE8CAQAAAAAAAMCFqggAAAAAAABkBGEQAMRABAQAAEgSBAIYAAAAQEQQABQBGEEEAACAwgAAAAAAAAAAAAAAEAAA"
    b"AAAAABgKAAAAQAAEAAQAAChgjgAECAABAABAAAIsYAwAAAAAAAAARBAAEQAARAQB8JPuQgCAAQAAAEQEAwARgAAggAARAQIAAAAAAAAAAAAAAAAA"
    b"AAAAoJDqAgAAAAAAAAAACNCQYwgAAAAAAAAAAADAhsoAAAAAAAAAIAQAEAAAAAAAAAjoXgAAAAAAAAAGEAAAARgAADAAAgIAAAAAAAAAAAAAAAAA"
    b"AAAAAEIoDEAkSBDZ5EBWAiMIKGa0ZStUGesBAAAAAAAAAAAAAAEAQEYSQxmREPS380AAYkMlIgMAAABUADjw281BZZZHAAAAZAQQAAAAAAQAAAAA"
    b"AEQEAEAAAgAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAEAAAAAAAABCAAAAAAAAAAAAAAAA"
    b"AAAAAABACAAAAAAAAAAAAAAAGDAOAQAAAAAAAAAAAACoAAAAAAAAAAAEAAABQAAEAAEAAAAAAAAAAAAAAAAAABCAAAAAAACAAAAAAAAAAAAAAAAA"
    b"AAAAAADgFOtRAAAAgUQQ1ORa8JfrCkCAASAAAgAAAPBHyyIAAAAAAAB8xZMFAABABAAAR+BeBAAAAAAAAAQAAJCJCEQEEIABYQAEAAABAAAAAIAA"
    b"AAAgAAAATK2OQSQBEAAEwAQAAQl4LgAAAAABAAAAAABMuAwCAAAAAABAQAABEUEQQAAAgADiw16SFwAAAEAAABCFqEFAIAQAKAgQAAAAAAAAAAAA"
    b"AAAAAAAAIISrAAAiBJlJDt3ku9CX5gxAkgAQSR5EAABAgtMoAAAAECAEQAQBFAFAQEQQAD34XhQACAAAAAEEAAC12VzlJnsEgEFABBAAAQECAAAA"
    b"AAAAAAAAAAgACkwsUPDV7UFEEEUAAISAJCEAFSQAAAAADCAEAAAAABEAQEYSTRPRAPSlsaDA6sBNskcAAAB09TsVGchRZLBDQqgO7KZUGZFCAAAA"
    b"AAAAAAAAAOCU4gEAAAABfAhEBALQgfIIQAIAEAAKRAQBxIGuAAAAAEAACEQEYRQQBAEAAAAA6U5EJBsAAABARBAAkYkeRAYZJIDiQAAAAAAAAAAA"
    b"AAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAABFBAAAAAAAAAAAA"
    b"AAAAAAAAAADglOtWQAAAkUg4RAUQ8Jf/T0ASABABBAAAAPCHzyIAAAAQAQRkBAFVEUVBVhABb/j+FAAJAAAAQEQQRJXBCdVmc0SASkBEAAABAAAA"
    b"AAAAAAgAAAAAbrguAAAAEJmlAkQAEF24DwAEAQAQwkBElgVueCwCAAAAEUDARhJCAUkUJAABQIIrQUSSAAAIEnQgGNGRjMV/v3U3uQYAAAAQEQAA"
    b"AAACADAEAAAA4NbrAAAQBIHIBFQEAfCF6whCEgUAQAJkRFnwh88iAAAAAAAASAQRFAFMQAQQAG78XjQgeQAAAEBHEkecwUxFJAuUEOpAAAABAEEA"
    b"BACgAAAIAAAAAAgoCvxgekFJgABEEAAIIBaAABAADAAAAAAACCgKAAAAAAAAQCYSAxOQFHz1PgEAgAAGIgMAAABUpTgQmahAbzADAAAAAAAAAAAA"
    b"AAAAAAAAAAAAAIiQogAAAAAAWCQABALAgGIIAIYBAAAAAAAA0AFmAAAAAAAAAEAAARAQRAEEEAAADQBcUBkAAAAABAABFIifAAAyAAAIAAAAAAAA"
    b"AAAAAAAAAAAAACAArQ4BAAAAAAQAAAAAGgACAAAAAAAAAEQAAAgoDAAAAAAAAABAAAAAAABAAAAAACAAAAAAAAAABAQAEAGAAAAAAAAAAAAAAAAA"
    b"AAAAAAAAAAAAAADgA4DAD4AAtUgAbAAAwABggA8AAAAAAAAAAAAAwwAAAAAAAABAAAAAgAQAAAAAAAACRCQJAAAAAAQAABURAsQAGgAAAAABhAEA"
    b"AAAAABACAAAAAAAAAAAAAAAAAIAEAAAAAAAAAgAEAAAAAAAAAAAAIAAAAAAAAAAARBAAA0AEFAAgAAAAAQQAAgAAAEAAAEARgAAkAAAAAAAEAAAA"
    b"AAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAIAAYAAAAAAAAAAAAAAAAAoAAAAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    b"AAAAAAAAAAAAAAAAAAA="
)
# fmt: on
