"""Lets `python -m remanent` do what `remanent` does."""

from remanent.cli import main

if __name__ == "__main__":
    main()
