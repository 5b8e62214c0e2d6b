"""``python -m entire.demo``."""

from entire.demo.program import main

if __name__ == "__main__":
    raise SystemExit(main())
