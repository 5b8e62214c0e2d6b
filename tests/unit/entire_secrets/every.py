"""Tries thousands of cases in one test: as tests of their own, starting each would cost more than what it tries."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any


def every(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each case; fail with a list of the cases that fail. Used like ``pytest.mark.parametrize``."""
    listed = [case if isinstance(names, tuple) else (case,) for case in cases]
    named = names if isinstance(names, tuple) else (names,)

    def together(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(**others: Any) -> None:
            failed: list[str] = []
            for case in listed:
                try:
                    test(**others, **dict(zip(named, case, strict=True)))
                except Exception as error:
                    failed.append(f"{', '.join(map(_shown, case))}: {type(error).__name__}: {error}")
            assert not failed, f"{len(failed)} of {len(listed)} cases fail\n" + "\n".join(failed)

        del tried.__wrapped__  # pytest would ask for its parameters
        return tried

    return together


def _shown(part: object) -> str:
    return str(getattr(part, "id", part))
