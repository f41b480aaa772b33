"""``python -m warlight_env``: the `warlight` command."""

import sys

from warlight_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
