"""``python -m entire_demo_agent``: runs the demo agent."""

from entire_demo_agent.program import main

if __name__ == "__main__":
    raise SystemExit(main())
