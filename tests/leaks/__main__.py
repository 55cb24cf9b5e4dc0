"""`python -m tests.leaks`: see `suite`."""

from __future__ import annotations

import sys

from tests.leaks.suite import main

if __name__ == "__main__":
    sys.exit(main())
