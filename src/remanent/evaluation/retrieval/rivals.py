"""Other memories and databases, each in its own process and environment, fed with the same texts and vectors.

What they would ask an embedding service for they get from a small server on the loopback interface that knows the
vectors already: so all of them search over the same model as everyone else in the run, and nothing leaves the machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from remanent.errors import MissingDependency
from remanent.evaluation.figures import Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENVIRONMENT = Path(".venv-bench-recall")
DEPTH = 100
"""How many texts each rival is asked for; enough to see ten sessions among them."""

# What all of them share: the texts and questions of one conversation after the other, vectors by text, a clock.
_FRAME = """
import hashlib, http.server, json, os, shutil, sys, tempfile, threading, time
import numpy as np

folder, depth = sys.argv[1], int(sys.argv[2])
known = {}

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        rows = [{"object": "embedding", "index": n, "embedding": vector(t).tolist()} for n, t in enumerate(texts)]
        body = json.dumps({"object": "list", "model": asked.get("model", ""), "data": rows,
                           "usage": {"prompt_tokens": 0, "total_tokens": 0}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

def key(text):
    return " ".join(text.split())

def vector(text):
    return known[key(text)]

def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"

def run(open_memory):
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json"):
            continue
        work = json.load(open(os.path.join(folder, name), encoding="utf-8"))
        vectors = np.load(os.path.join(folder, name[:-5] + ".npy"))
        known.clear()
        for text, row in zip(work["texts"] + work["questions"], vectors):
            known[key(text)] = row
        place = tempfile.mkdtemp(dir=folder)
        search = open_memory(place, work["ids"], work["texts"])
        for question, need in zip(work["questions"], work["depths"]):
            begin = time.perf_counter()
            found = search(question, min(max(depth, need), len(work["ids"])))
            print(json.dumps({"ids": found, "seconds": time.perf_counter() - begin}), flush=True)
        shutil.rmtree(place, ignore_errors=True)
"""

_CHROMA = """
import chromadb
from chromadb.config import Settings

def open_memory(place, ids, texts):
    client = chromadb.PersistentClient(place, settings=Settings(anonymized_telemetry=False))
    found = client.create_collection("bench", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for n in range(0, len(ids), 1000):
        part = slice(n, n + 1000)
        found.add(ids=ids[part], documents=texts[part], embeddings=[vector(t).tolist() for t in texts[part]])
    return lambda question, limit: found.query([vector(question).tolist()], n_results=limit)["ids"][0]

run(open_memory)
"""

_LANGGRAPH = """
from langgraph.store.memory import InMemoryStore

def open_memory(place, ids, texts):
    embed = lambda wanted: [vector(t).tolist() for t in wanted]
    store = InMemoryStore(index={"dims": len(vector(texts[0])), "embed": embed, "fields": ["text"]})
    for turn, text in zip(ids, texts):
        store.put(("bench",), turn, {"text": text})
    return lambda question, limit: [item.key for item in store.search(("bench",), query=question, limit=limit)]

run(open_memory)
"""

_MEM0 = """
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=tempfile.mkdtemp(dir=folder), OPENAI_API_KEY="none")
url = serve()
from mem0 import Memory

def open_memory(place, ids, texts):
    memory = Memory.from_config({
        "embedder": {"provider": "openai", "config": {"model": "bench", "openai_base_url": url, "api_key": "none",
                                                       "embedding_dims": len(vector(texts[0]))}},
        "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
        "vector_store": {"provider": "qdrant", "config": {"path": os.path.join(place, "qdrant"), "on_disk": False,
                                                          "embedding_model_dims": len(vector(texts[0]))}},
        "history_db_path": os.path.join(place, "history.db"),
    })
    for turn, text in zip(ids, texts):
        memory.add([{"role": "user", "content": text}], user_id="bench", infer=False, metadata={"turn": turn})
    def search(question, limit):
        found = memory.search(question, filters={"user_id": "bench"}, top_k=limit, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]
    return search

run(open_memory)
"""

_MEMPALACE = """
os.environ.update(MEMPALACE_EMBEDDING_MODEL="openai-compat", MEMPALACE_EMBEDDING_API_URL=serve(),
                  MEMPALACE_EMBEDDING_API_MODEL="bench", HOME=tempfile.mkdtemp(dir=folder),
                  ANONYMIZED_TELEMETRY="False")
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

def open_memory(place, ids, texts):
    palace = get_collection(place, create=True)
    meta = [{"wing": "bench", "room": "talk", "source_file": turn, "chunk_index": 0} for turn in ids]
    for n in range(0, len(ids), 200):
        part = slice(n, n + 200)
        palace.upsert(ids=ids[part], documents=texts[part], metadatas=meta[part])
    def search(question, limit):
        found = search_memories(question, place, n_results=limit)
        return [item["source_file"] for item in found["results"]]
    return search

run(open_memory)
"""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another memory: its name, the packages it needs, and the code that runs it in its own process."""

    name: str
    needs: tuple[str, ...]
    code: str


CHROMA = Rival("Chroma", ("chromadb==1.5.9",), _CHROMA)
LANGGRAPH = Rival("LangGraph InMemoryStore", ("langgraph",), _LANGGRAPH)
MEM0 = Rival("mem0 (infer=False)", ("mem0ai",), _MEM0)
MEMPALACE = Rival("MemPalace", ("mempalace==3.11.0",), _MEMPALACE)
RIVALS = (CHROMA, LANGGRAPH, MEM0, MEMPALACE)


@dataclass(frozen=True, slots=True)
class Material:
    """One conversation for a rival: its texts, the questions, how deep each must be searched, vectors of both."""

    ids: Sequence[str]
    texts: Sequence[str]
    questions: Sequence[str]
    depths: Sequence[int]
    vectors: "NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question, best first, and how long it took."""

    ids: list[str]
    seconds: float


def prepare(rival: Rival, report: Report, *, environment: Path = ENVIRONMENT) -> Path:
    """Return the Python of a rival's own environment, which is made the first time."""
    home = environment / rival.needs[0].partition("=")[0]
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = home / ".made"
    if not done.exists():
        report(f"make {home} with {', '.join(rival.needs)}")
        venv.create(home, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "-qq", "install", "--disable-pip-version-check", *rival.needs, "numpy"]
        if subprocess.run(command, check=False).returncode:
            raise MissingDependency(f"cannot install {', '.join(rival.needs)} into {home}; see above")
        done.touch()
    return python


def ask(rival: Rival, materials: Sequence[Material], *, python: Path) -> list[list[Answer]]:
    """Return a rival's answers, per conversation and question; refuses when it cannot run here."""
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="remanent-rival-") as place:
        folder = Path(place)
        for number, material in enumerate(materials):
            work = {
                "ids": list(material.ids),
                "texts": list(material.texts),
                "questions": list(material.questions),
                "depths": list(material.depths),
            }
            (folder / f"{number:06d}.json").write_text(json.dumps(work), encoding="utf-8")
            np.save(folder / f"{number:06d}.npy", material.vectors)
        done = subprocess.run(
            [str(python), "-W", "ignore", "-c", _FRAME + rival.code, str(folder), str(DEPTH)],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
        )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
        raise MissingDependency(f"{rival.name} does not run here: {last}")
    answers = iter([Answer(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith('{"ids"')])
    return [[next(answers) for _ in material.questions] for material in materials]
