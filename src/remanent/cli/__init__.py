"""The command line: `remanent …`.

Most commands are generated from the operations (`generation` writes `commands`); `execution` does one, `display` shows
its answer. What draws or explains more than a table can (`doctor`, `demo`, `bank`, `associative`, `serving`) is
written by hand.
"""


def main() -> None:
    """Run the command that the arguments name."""
    # Late, so that what writes the commands anew can use this package while they do not fit.
    from remanent.cli.app import main as run

    run()


__all__ = ["main"]
