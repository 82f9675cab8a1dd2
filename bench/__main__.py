"""`python -m bench`: measure every promise that has a figure, on this machine and beside others."""

from bench.commands import app

if __name__ == "__main__":
    app(prog_name="python -m bench")
