"""`python -m reports`."""

import sys

from reports.cli import main

if __name__ == "__main__":
    sys.exit(main())
