"""The adapter of the bundled demo agent (the program itself is ``entire_demo_agent``)."""
