"""``python -m inspector``: the same as the command ``inspector``."""

from inspector.cli import main

if __name__ == "__main__":
    main()
