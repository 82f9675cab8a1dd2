"""Other memories and databases, each in its own process and environment, fed with the same texts and vectors.

What they would ask an embedding service for they are handed from what is known already, by a function where they take
one and by a small server on the loopback interface where they do not: so all of them search over the same vectors as
everyone else in the run, and nothing leaves the machine. Whatever they would report home is turned off.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figures import Report
from remanent.errors import MissingDependency

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENVIRONMENT = Path(".venv-bench-recall")
DEPTH = 100
"""How many texts each rival is asked for; enough to see ten sessions among them."""

PATIENCE = 3600.0
"""Seconds that a rival may take for one set before it is given up."""

SILENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""No word home, no download, one thread."""

# What all of them share: the texts and questions of one conversation after the other, vectors by text, a clock.
# A memory is opened with ids and texts and gives back a search: question, how many, how many of the texts had been
# said by then -> pairs of id and score, best first. A blank question is not asked of anyone.
_FRAME = """
import http.server, json, os, shutil, sys, tempfile, threading, time
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

def follow(parent):
    while os.getppid() == parent:  # who asked may have been killed
        time.sleep(2)
    os._exit(1)

threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()

def tell(**what):
    print(json.dumps(what), flush=True)

def parts(ids, texts, size):
    for n in range(0, len(ids), size):
        yield n, ids[n : n + size], texts[n : n + size]
        tell(added=len(ids[n : n + size]))

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
        for question, said in zip(work["questions"], work["said"]):
            begin, spent = time.perf_counter(), time.process_time()
            found = search(question, min(depth, said), said) if question.strip() and said else []
            tell(ids=[one for one, _ in found], score=float(found[0][1]) if found else None,
                 seconds=time.perf_counter() - begin, processor=time.process_time() - spent)
        shutil.rmtree(place, ignore_errors=True)
"""

_CHROMA = """
import chromadb
from chromadb.config import Settings

def open_memory(place, ids, texts):
    client = chromadb.PersistentClient(place, settings=Settings(anonymized_telemetry=False))
    kept = client.create_collection("bench", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for n, some, said in parts(ids, texts, 1000):
        kept.add(ids=some, documents=said, embeddings=[vector(t).tolist() for t in said],
                 metadatas=[{"place": n + m} for m in range(len(some))])
    def search(question, limit, before):
        where = {"place": {"$lt": before}} if before < len(ids) else None
        found = kept.query([vector(question).tolist()], n_results=limit, where=where)
        return [(one, 1 - far) for one, far in zip(found["ids"][0], found["distances"][0])]
    return search

run(open_memory)
"""

_LANGGRAPH = """
from langgraph.store.memory import InMemoryStore

def open_memory(place, ids, texts):
    embed = lambda wanted: [vector(t).tolist() for t in wanted]
    store = InMemoryStore(index={"dims": len(vector(texts[0])), "embed": embed, "fields": ["text"]})
    for n, some, said in parts(ids, texts, 100):
        for m, (one, text) in enumerate(zip(some, said)):  # a batch with the same text twice it does not take
            store.put(("bench",), one, {"text": text, "place": n + m})
    def search(question, limit, before):
        within = {"place": {"$lt": before}} if before < len(ids) else None
        return [(item.key, item.score)
                for item in store.search(("bench",), query=question, limit=limit, filter=within)]
    return search

run(open_memory)
"""

# Its vector store and its history are kept in memory: on a disk every single text waits for it twice.
_MEM0 = """
os.environ.update(MEM0_DIR=tempfile.mkdtemp(dir=folder), OPENAI_API_KEY="none")
from mem0 import Memory
from qdrant_client import QdrantClient

class Handed:
    def embed(self, text, memory_action=None):
        return vector(text).tolist()
    def embed_batch(self, texts, memory_action=None):
        return [vector(text).tolist() for text in texts]

def open_memory(place, ids, texts):
    wide = len(vector(texts[0]))
    memory = Memory.from_config({
        "embedder": {"provider": "openai", "config": {"model": "bench", "api_key": "none", "embedding_dims": wide}},
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "vector_store": {"provider": "qdrant", "config": {"client": QdrantClient(":memory:"),
                                                          "embedding_model_dims": wide}},
        "history_db_path": ":memory:",
    })
    memory.embedding_model = Handed()
    for n, some, said in parts(ids, texts, 100):
        for m, (turn, text) in enumerate(zip(some, said)):
            memory.add([{"role": "user", "content": text}], user_id="bench", infer=False,
                       metadata={"turn": turn, "place": n + m})
    def search(question, limit, before):
        within = {"user_id": "bench"} | ({"place": {"lt": before}} if before < len(ids) else {})
        found = memory.search(question, filters=within, top_k=limit, threshold=0.0)
        return [(item["metadata"]["turn"], item["score"]) for item in found["results"]]
    return search

run(open_memory)
"""

# It cannot leave out by a number: it is asked for all, and what had not been said is left out of that.
_MEMPALACE = """
os.environ.update(MEMPALACE_EMBEDDING_MODEL="openai-compat", MEMPALACE_EMBEDDING_API_URL=serve(),
                  MEMPALACE_EMBEDDING_API_MODEL="bench", HOME=tempfile.mkdtemp(dir=folder))
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

def open_memory(place, ids, texts):
    palace = get_collection(place, create=True)
    for _, some, said in parts(ids, texts, 200):
        meta = [{"wing": "bench", "room": "talk", "source_file": turn, "chunk_index": 0} for turn in some]
        palace.upsert(ids=some, documents=said, metadatas=meta)
    order = {one: n for n, one in enumerate(ids)}
    def search(question, limit, before):
        found = search_memories(question, place, n_results=limit if before == len(ids) else len(ids))
        if "results" not in found:
            raise SystemExit(str(found.get("error", found)))
        pairs = [(item["source_path"], item["similarity"]) for item in found["results"]]
        return [pair for pair in pairs if order[pair[0]] < before][:limit]
    return search

run(open_memory)
"""

# Its own index, store and retriever; the texts are short enough to be a node each.
_LLAMAINDEX = """
os.environ.setdefault("OPENAI_API_KEY", "none")
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode

class Handed(BaseEmbedding):
    def _get_text_embedding(self, text):
        return vector(text).tolist()
    def _get_query_embedding(self, query):
        return vector(query).tolist()
    async def _aget_query_embedding(self, query):
        return vector(query).tolist()

def open_memory(place, ids, texts):
    nodes = [TextNode(id_=one, text=text) for one, text in zip(ids, texts)]
    index = VectorStoreIndex(nodes, embed_model=Handed())
    def search(question, limit, before):
        found = index.as_retriever(similarity_top_k=limit).retrieve(question)
        return [(one.node.node_id, one.score) for one in found]
    return search

run(open_memory)
"""

_TXTAI = """
from txtai import Embeddings

def open_memory(place, ids, texts):
    handed = lambda wanted: np.stack([vector(text) for text in wanted]).astype(np.float32)
    kept = Embeddings(method="external", transform=handed)
    kept.index(list(zip(ids, texts)))
    return lambda question, limit, before: kept.search(question, limit)

run(open_memory)
"""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another memory: its name, the packages it needs, and the code that runs it in its own process."""

    name: str
    needs: tuple[str, ...]
    code: str


CHROMA = Rival("Chroma", ("chromadb==1.5.9",), _CHROMA)
LANGGRAPH = Rival("LangGraph InMemoryStore", ("langgraph==1.2.20",), _LANGGRAPH)
MEM0 = Rival("mem0 (infer=False)", ("mem0ai==2.2.1",), _MEM0)
MEMPALACE = Rival("MemPalace", ("mempalace==3.11.0",), _MEMPALACE)
RIVALS = (CHROMA, LANGGRAPH, MEM0, MEMPALACE)
LLAMAINDEX = Rival("LlamaIndex", ("llama-index-core==0.14.25",), _LLAMAINDEX)
TXTAI = Rival("txtai", ("txtai==9.14.0",), _TXTAI)
DOCUMENT_RIVALS = (CHROMA, LLAMAINDEX, TXTAI)
"""Those that are asked for documents; none of them knows a time before which something was said."""


@dataclass(frozen=True, slots=True)
class Material:
    """One conversation for a rival: its texts, the questions, how much had been said at each, vectors of both."""

    ids: Sequence[str]
    texts: Sequence[str]
    questions: Sequence[str]
    said: Sequence[int]
    """How many of the texts a question may be answered with: the first so many."""
    vectors: "NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question, best first, the score of the best, and how long it took."""

    ids: list[str]
    seconds: float
    processor: float = 0.0
    score: float | None = None


def state_of(rival: Rival) -> str:
    """Return all that a rival's answers hang on beside what it is given: its packages and the code that runs it."""
    return f"{rival} {_FRAME} {DEPTH} {SILENT}"


def prepare(rival: Rival, report: Report, *, environment: Path = ENVIRONMENT) -> Path:
    """Return the Python of a rival's own environment, which is made the first time."""
    home = environment / rival.needs[0].replace("==", "-")
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = home / ".made"
    if not done.exists():
        report(f"make {home} with {', '.join(rival.needs)}")
        try:
            venv.create(home, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise MissingDependency(f"cannot make the environment {home}: {error}") from error
        command = [str(python), "-m", "pip", "-qq", "install", "--disable-pip-version-check", *rival.needs, "numpy"]
        if subprocess.run(command, check=False).returncode:
            raise MissingDependency(f"cannot install {', '.join(rival.needs)} into {home}; see above")
        done.touch()
    return python


def ask(
    rival: Rival,
    materials: Sequence[Material],
    *,
    python: Path,
    patience: float = PATIENCE,
    advance: Callable[[float], None] = lambda _: None,
) -> list[list[Answer]]:
    """Return a rival's answers, per conversation and question; refuses when it cannot run here."""
    with tempfile.TemporaryDirectory(prefix="remanent-rival-") as place:
        folder = Path(place)
        _lay_out(folder, materials)
        with (folder / "errors").open("w+", encoding="utf-8", errors="replace") as errors:
            command = [str(python), "-W", "ignore", "-c", _FRAME + rival.code, str(folder), str(DEPTH)]
            environment = os.environ | SILENT
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment) as asked:
                watch = threading.Timer(patience, asked.kill)
                watch.start()
                try:
                    answers = _listen(asked, advance)
                except BaseException:
                    asked.kill()
                    raise
                finally:
                    watch.cancel()
            errors.seek(0)
            complaint = (errors.read().strip().splitlines() or ["no word of why, or too slow"])[-1]
    if asked.returncode or len(answers) != sum(len(material.questions) for material in materials):
        raise MissingDependency(f"{rival.name} does not run here: {complaint}")
    given = iter(answers)
    return [[next(given) for _ in material.questions] for material in materials]


def _lay_out(folder: Path, materials: Sequence[Material]) -> None:
    import numpy as np

    for number, material in enumerate(materials):
        work = {
            "ids": list(material.ids),
            "texts": list(material.texts),
            "questions": list(material.questions),
            "said": list(material.said),
        }
        (folder / f"{number:06d}.json").write_text(json.dumps(work), encoding="utf-8")
        np.save(folder / f"{number:06d}.npy", material.vectors)


def _listen(asked: "subprocess.Popen[str]", advance: Callable[[float], None]) -> list[Answer]:
    answers = []
    for line in asked.stdout or ():
        if line.startswith('{"added"'):
            advance(json.loads(line)["added"])
        elif line.startswith('{"ids"'):
            answers.append(Answer(**json.loads(line)))
            advance(1)
    return answers
