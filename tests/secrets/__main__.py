"""Print how many secrets of the corpus redaction finds: ``python -m tests.secrets [--full] [--only TEXT] [--missed]``.

``--missed`` lists each kind that is missed, with the carriers and an example of what is left; ``--full`` tries
every kind in every carrier of every agent (minutes) instead of a sample; ``--clean`` lists what is not a secret and is
redacted all the same.
"""

from __future__ import annotations

import argparse
import sys

from tests.secrets import clean, pages, table


def main() -> int:
    """Run the corpus and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.secrets", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole product, not a sample")
    parser.add_argument("--only", default="", metavar="TEXT", help="only kinds with TEXT in their name or group")
    parser.add_argument("--missed", action="store_true", help="list what is missed")
    parser.add_argument("--clean", action="store_true", help="list what is redacted and is not a secret, instead")
    given = parser.parse_args()
    if given.clean:
        found = clean.findings(full=given.full)
        sys.stdout.write("".join(f"{line}\n" for line in found) + f"{len(found)} findings in clean text\n")
        return 1 if found else 0
    results = table.judge(table.every_case(full=given.full, only=given.only))
    sys.stdout.write(pages.tables(results))
    if given.missed:
        sys.stdout.write("\n" + pages.missed(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
