"""OpenCode: its plugin's events, its sessions in a database, its configuration; as observed on version 1.18.33."""
