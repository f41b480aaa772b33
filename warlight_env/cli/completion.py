"""``warlight completion``: a script with which a shell completes the commands and options of `warlight`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from cyclopts import App, Parameter

from warlight_env.cli.streams import result_stream

Shell = Literal["bash", "zsh", "fish"]


def completion_command(program: App) -> Callable[..., None]:
    """Return the command `completion` of a program."""

    def completion(
        shell: Annotated[Shell, Parameter(help="Shell that runs the script.")],
        *,
        install: Annotated[
            bool,
            Parameter(
                negative="",
                help="Write the script to the shell's folder for completions, and load it at the start of the shell.",
            ),
        ] = False,
    ) -> None:
        """Print a script that completes the commands and options of `warlight` in a shell.

        For example: `eval "$(warlight completion bash)"`.
        """
        if install:
            print(f"wrote {program.install_completion(shell=shell)}; open a new shell to use it")
            return
        print(program.generate_completion(shell=shell), file=result_stream())

    return completion
