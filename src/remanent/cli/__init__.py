"""The command line: `remanent …`."""


def main() -> None:
    """Run the command that the arguments name."""
    # Late, so that what writes the commands anew can use this package while they do not fit.
    from remanent.cli.app import main as run

    run()


__all__ = ["main"]
