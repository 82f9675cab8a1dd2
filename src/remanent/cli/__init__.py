"""The command line: `remanent …`.

Most commands are generated from the operations (`generation` writes `commands`); `execution` does one, `display` shows
its answer. What draws or explains more than a table can (`doctor`, `demo`, `bank`, `associative`, `serving`) is
written by hand.
"""

import gc
import os
import sys

_COLLECT_AFTER = 300_000
"""Objects made before garbage is looked for, instead of 700: what a command imports, some 150,000, stays to its end;
to look through it once takes a twentieth of a second."""


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:3] == ["hook", "run"] and "--help" not in sys.argv:
        # A coding agent waits for it: the command line itself would take longer than what is to be done.
        from remanent.cli.hook_run import main as run_hook

        sys.exit(run_hook(sys.argv[3:]))
    if sys.argv[1:2] in (["recall"], ["remember"]):
        # One question has no use for more: threads that wait for work do so by spinning, a thirtieth of a second.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Plug-ins of pydantic watch what a server validates; to look for them is to look through all that is installed.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])
    # Late, so that what writes the commands anew can use this package while they do not fit.
    from remanent.cli.app import main as run

    run()


__all__ = ["main"]
