"""`python -m trainer` and `sciread-trainer`."""

from __future__ import annotations

from trainer.cli import main

if __name__ == "__main__":
    main()
