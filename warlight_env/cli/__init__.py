"""The `warlight` command."""

from warlight_env.cli.app import main

__all__ = ["main"]
