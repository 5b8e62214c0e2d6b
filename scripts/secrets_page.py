#!/usr/bin/env python3
"""Writes docs/reference/secrets.md: what redaction finds of the corpus of secrets. It takes a minute."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the corpus

if __name__ == "__main__":
    from tests.secrets import pages, table

    results = table.judge(table.every_case(step=pages.STEP))
    (ROOT / "docs" / "reference" / "secrets.md").write_text(pages.page(results))
