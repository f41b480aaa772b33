"""A bot that answers with the lines of a file, in order: ``scripted_bot.py FILE``. It needs only Python."""

from __future__ import annotations

import sys
from pathlib import Path

answers = iter(Path(sys.argv[1]).read_text().splitlines())
for line in sys.stdin:
    if line.startswith(("pick_starting_region", "go ")):
        sys.stdout.write(next(answers) + "\n")
        sys.stdout.flush()
