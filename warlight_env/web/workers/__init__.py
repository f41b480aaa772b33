"""Processes beside the server: bots, analysis, and long work with logs and maps."""
