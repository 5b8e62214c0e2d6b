"""``python -m entire``: runs the command where its launcher is not installed."""

import sys

from entire.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
