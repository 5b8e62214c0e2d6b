"""The adapter for plugins: any agent, connected by an executable ``entire-agent-<name>`` on PATH."""
