"""`python -m railbird` is the command `railbird`."""

from __future__ import annotations

from railbird.cli import main

if __name__ == "__main__":
    main()
