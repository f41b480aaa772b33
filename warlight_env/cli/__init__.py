"""The command-line program `warlight`.

No other package imports this package. To add a command, write a module and register it in the module `app`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command of the program `warlight`, and return the exit code.

    Args:
        tokens: the words after the program's name. If `tokens` is None, the words come from `sys.argv`, and the process
            ends after the command, so that this function does not return.
    """
    if tokens is not None:
        from warlight_env.cli.app import run

        return run(tokens)
    from warlight_env.cli.process_exit import INTERRUPTED, exit_process, forced_interrupts
    from warlight_env.cli.streams import end_results, open_streams, widen_narrow_terminal

    open_streams()
    widen_narrow_terminal()
    with forced_interrupts():
        try:
            from warlight_env.cli.app import run

            code = run()
        except KeyboardInterrupt:  # Ctrl-C before the command started; `run` handles it later
            print("interrupted", file=sys.stderr)
            code = INTERRUPTED
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        end_results()
        exit_process(code)


__all__ = ["main"]
