"""Mem0 alongside the files: the same words kept by that package too, in its local store and without its model.

Nothing of it leaves the machine: its telemetry is off before it is imported, what is added is kept as it is
(`infer=False`), and the vectors are those of our own embedder.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remanent.discipline import Parts
from remanent.errors import InvalidInput, MissingDependency, StorageError
from remanent.model import Model, Scope
from remanent.model.base import JsonObject, Text
from remanent.model.chat import Messages, expand_messages

_FOLDER = ".mem0"
"""The folder of the home where Mem0 keeps what it is given, one for each agent."""
_UNUSED_KEY = "not-used"
"""Its clients of models must have a key to be made; none of them is ever asked."""


class Mem0Item(Model):
    """One memory of Mem0's."""

    id: Text
    text: Text
    score: float = 0.0
    metadata: JsonObject


class _OurEmbedding:
    """Our embedder as Mem0 calls one: from its own thread, while the event loop is free."""

    def __init__(self, parts: Parts, loop: asyncio.AbstractEventLoop) -> None:
        self._parts = parts
        self._loop = loop
        self.config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of a text."""
        return self.embed_batch([text], memory_action)[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = "add") -> list[list[float]]:
        """Return the vectors of texts."""
        del memory_action
        embedder = self._parts.embedder
        assert embedder is not None  # it was looked for when this was opened
        vectors = asyncio.run_coroutine_threadsafe(embedder.embed(texts), self._loop).result()
        return [[float(value) for value in vector] for vector in vectors]


class AsyncMem0:
    """What Mem0 keeps for one agent: `add` and `search`, with the blocking names on the blocking face."""

    def __init__(self, parts: Parts, scope: Scope, *, opened: dict[Scope, Any]) -> None:
        self._parts = parts
        self._scope = scope.owner
        self._opened = opened

    async def add(
        self, messages: Messages, *, session: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> list[Mem0Item]:
        """Keep messages as they are, and return what Mem0 made of them."""
        memory = await self._memory()
        said = [{"role": one.role, "content": one.content} for one in expand_messages(messages)]
        about = {**({"session": session} if session else {}), **(metadata or {})}
        done = await asyncio.to_thread(memory.add, said, user_id=self._user, metadata=about or None, infer=False)
        return [_item(one, metadata=about) for one in done["results"]]

    async def search(self, query: str, *, limit: int = 5) -> list[Mem0Item]:
        """Return what Mem0 holds near a question, nearest first."""
        if not query.strip():
            raise InvalidInput("the question is empty; ask something")
        memory = await self._memory()
        found = await asyncio.to_thread(memory.search, query, filters={"user_id": self._user}, top_k=limit)
        return [_item(one, metadata=one.get("metadata") or {}) for one in found["results"]]

    @property
    def _user(self) -> str:
        return f"{self._scope.org}/{self._scope.workspace}/{self._scope.agent}"

    async def _memory(self) -> Any:
        """Return the agent's Mem0, opened once per process."""
        if self._scope not in self._opened:
            embedder = self._parts.embedder
            if embedder is None:
                raise InvalidInput("Mem0 needs an embedder; set `embedder` to other than none")
            (vector,) = await embedder.embed(["dimension"])
            folder = _folder(self._parts, self._scope)
            embedding = _OurEmbedding(self._parts, asyncio.get_running_loop())
            self._opened[self._scope] = await asyncio.to_thread(_open, folder, embedding, len(vector))
        return self._opened[self._scope]


def _open(folder: Path, embedding: _OurEmbedding, dimension: int) -> Any:
    """Open Mem0 on a folder of ours, with our embedder and without a word to anybody outside."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Before the import, which reads both: no usage statistics, and nothing in the user's home directory.
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ.setdefault("MEM0_DIR", str(folder))
    try:
        from mem0.memory import main
    except ImportError as error:
        raise MissingDependency("Mem0 needs its package: pip install 'remanent[mem0]'") from error
    # Somebody else may have imported it first, with its statistics on.
    main.MEM0_TELEMETRY, main.capture_event = False, lambda *_, **__: None
    client = {"provider": "openai", "config": {"api_key": _UNUSED_KEY}}
    store = {
        "collection_name": "memories",
        "path": str(folder / "qdrant"),
        "embedding_model_dims": dimension,
        "on_disk": True,
    }
    try:
        memory = main.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": client,
                "embedder": client,
                "history_db_path": str(folder / "history.db"),
            }
        )
    except (OSError, RuntimeError) as error:  # its local store belongs to one process at a time
        raise StorageError("Mem0's store cannot be opened; another process may be using it") from error
    memory.embedding_model = embedding
    return memory


def _item(one: Mapping[str, Any], *, metadata: Mapping[str, Any]) -> Mem0Item:
    return Mem0Item(id=str(one["id"]), text=one["memory"], score=one.get("score") or 0.0, metadata=dict(metadata))


def _folder(parts: Parts, scope: Scope) -> Path:
    return parts.settings.home / _FOLDER / scope.org / scope.workspace / scope.agent


def remove(parts: Parts, scope: Scope, opened: dict[Scope, Any]) -> None:
    """Remove all that Mem0 keeps for an agent."""
    if scope in opened:
        close_all({scope: opened.pop(scope)})
    shutil.rmtree(_folder(parts, scope), ignore_errors=True)


def close_all(opened: dict[Scope, Any]) -> None:
    """Let go of every store of Mem0's that was opened."""
    for memory in opened.values():
        memory.vector_store.client.close()
        memory.close()
    opened.clear()
