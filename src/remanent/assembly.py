"""The composition root: which store, cache, models and disciplines one memory is made of, and how they are wired.

Everything is wired here and nowhere else, so that any part can be built by hand with another beside it. No discipline
is named: they are found by `plugins.py` and asked for what they add.
"""

from collections.abc import Sequence
from dataclasses import fields
from datetime import timedelta
from typing import TYPE_CHECKING

from remanent.context import Sessions, SessionStates
from remanent.context import sessions as session_states
from remanent.context.sessions import SessionEnd
from remanent.discipline import Discipline, Disciplines, Journal, Parts
from remanent.embedding import CachedEmbedder, Embedders, KnownEmbedders, open_embedders, open_reranker
from remanent.jobs import Worker
from remanent.language import Engine
from remanent.language.engines import OfflineEngine, open_engine
from remanent.lightweight import Late, dataclass
from remanent.model import Clock, Entry, Job, NewId
from remanent.recall import (
    EMBED,
    GATE,
    REEMBED,
    TURNS,
    AnswerCache,
    Calibration,
    Coverage,
    Echoes,
    FormerVectorPath,
    Gate,
    GraphPath,
    Indexing,
    KeywordPath,
    Recall,
    RecallPath,
    RecencyPath,
    TimePath,
    VectorPath,
)
from remanent.settings import Settings
from remanent.stores import Store, Transaction, Vectors
from remanent.stores.cache import Cache
from remanent.stores.notes import NotedAnswers, PendingErasures
from remanent.stores.registry import open_cache, open_stores
from remanent.stores.shelf import Shelf

if TYPE_CHECKING:
    from remanent.context import Compactor

_EMBEDDERS = ".embedders"
"""The folder of the home that says how embedders which are not bundled are opened again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts(Parts):
    """Everything that one open memory is made of: what disciplines share, and what only the memory itself uses."""

    cache: Cache
    known: KnownEmbedders
    """Embedders of before: records that they embedded are searched by them until they are embedded anew."""
    questions: tuple[CachedEmbedder, ...]
    """The embedders with a cache before them, for questions only."""
    indexing: Indexing
    echoes: Echoes
    compactor: "Late[Compactor]"
    sessions: SessionStates
    disciplines: Disciplines
    notes: NotedAnswers
    worker: Worker
    erasures: PendingErasures


# The order matters: disciplines are given the journal, recall takes up their paths, and the journal is told of both
# last. Whatever needs something that is made later gets it as a callable or by an attribute that is set at the end.
def assemble(settings: Settings, declared: Sequence[Discipline], *, clock: Clock, new_id: NewId) -> MemoryParts:
    """Build a memory of its parts, each once: which store, cache, models and disciplines, by the settings.

    It is the only place that knows them all. What two parts need of each other is given as a function (`read_path`).
    """
    store, vectors, blobs, shelf = open_stores(settings)
    models = embedders, known, questions = _embedding(settings, shelf, clock=clock)
    cache, echoes = open_cache(settings, clock=clock), Echoes(store)
    indexing = Indexing(
        store, embedders, clock=clock, new_id=new_id, queue_limit=settings.jobs.queue_limit, echoes=echoes, known=known
    )
    engine = open_engine(settings, embedder=None if embedders is None else embedders.remembering)
    journal = Journal(
        store,
        vectors,
        indexing,
        blobs=blobs,
        echoes=echoes,
        embedders=embedders,
        longest=settings.max_text_length,
        clock=clock,
        new_id=new_id,
    )
    shared = Parts(
        settings=settings,
        store=store,
        vectors=vectors,
        blobs=blobs,
        shelf=shelf,
        embedders=embedders,
        engine=engine,
        journal=journal,
        clock=clock,
        new_id=new_id,
        read_path=lambda: recall,
    )
    disciplines = Disciplines(declared, shared)
    recall, calibration = _recall(settings, store, vectors, cache=cache, models=models, clock=clock, own=disciplines)
    compactor = Late(lambda: _compactor(engine, cache, settings))
    sessions = _sessions(shared, disciplines, compactor)
    worker = _worker(shared, indexing, calibration, disciplines, sessions=sessions.sessions, recall=recall)
    return MemoryParts(
        **{field.name: getattr(shared, field.name) for field in fields(shared)},
        cache=cache,
        known=known,
        questions=questions,
        indexing=indexing,
        echoes=echoes,
        compactor=compactor,
        sessions=sessions,
        disciplines=disciplines,
        notes=NotedAnswers(store, clock=clock),
        worker=worker,
        erasures=PendingErasures(shelf),
    )


def _compactor(engine: Engine, cache: Cache, settings: Settings) -> "Compactor":
    from remanent.context import Compactor

    return Compactor(engine, cache=cache, settings=settings.context)


def _sessions(shared: Parts, disciplines: Disciplines, compactor: "Late[Compactor]") -> SessionStates:
    """Return the sessions with their states; of an end the journal is told first, then the disciplines."""

    async def let_go(_: Transaction, ended: SessionEnd) -> None:
        # Only a model's summaries are kept by session: without one, the compactor is not loaded for that.
        if not isinstance(shared.engine, OfflineEngine):
            await compactor().forget(ended.scope)

    async def append(tx: Transaction, entries: Sequence[Entry]) -> None:
        await shared.journal.append(tx, entries, by="session")  # which does not keep the session open

    idle = timedelta(minutes=shared.settings.context.idle_minutes)
    sessions = Sessions(shared.store, idle=idle, clock=shared.clock, new_id=shared.new_id)
    states = SessionStates(shared.store, sessions, append=append, clock=shared.clock, new_id=shared.new_id)
    sessions.listeners += [disciplines.on_session_end, let_go]
    return states


def _worker(
    shared: Parts,
    indexing: Indexing,
    calibration: Calibration,
    disciplines: Disciplines,
    *,
    sessions: Sessions,
    recall: Recall,
) -> Worker:
    """Return the one worker of this memory, with the jobs of the core and of every discipline; all are told of it."""
    if shared.settings.recall.gate:
        indexing.followed_by(GATE, calibration.is_due)

    async def measure(job: Job, tx: Transaction) -> None:
        await shared.journal.lull(job.scope)
        await calibration.measure(job, tx)

    handlers = {
        TURNS: indexing.make_turns,
        EMBED: indexing.embed,
        REEMBED: indexing.reembed,
        GATE: measure,
        session_states.SWEEP: sessions.sweep,
        **disciplines.handlers,
    }
    worker = Worker(
        shared.store,
        handlers=handlers,
        settings=shared.settings.jobs,
        clock=shared.clock,
        new_id=shared.new_id,
        shares=recall.shares,
        hurried=shared.journal.hurried,
    )
    journal = shared.journal
    journal.listener, journal.recall, journal.sessions = disciplines, recall, sessions
    journal.watch, journal.attend, journal.rest = worker.watch, worker.attend, worker.rest
    sessions.watch, indexing.on_turns, indexing.writing.take = worker.watch, disciplines.on_turns, worker.take
    return worker


_Models = tuple[Embedders | None, KnownEmbedders, tuple[CachedEmbedder, ...]]
"""What embeds records, what opens models of before, and what embeds questions."""


def _embedding(settings: Settings, shelf: Shelf, *, clock: Clock) -> _Models:
    """Return the models; those that are not bundled are noted on the shelf, so that old vectors can still be asked."""
    embedders = open_embedders(settings.embedder, embedding=settings.embedding)
    # Questions are cached: the same ones come again, texts rarely do.
    lifetime = timedelta(seconds=settings.recall.embeddings_lifetime)
    members = embedders.members if embedders is not None else ()
    questions = tuple(CachedEmbedder(member, lifetime=lifetime, clock=clock) for member in members)
    known = KnownEmbedders(
        shelf,
        folder=_EMBEDDERS,
        kind=settings.embedder,
        settings=settings.embedding,
        lifetime=lifetime,
        clock=clock,
    )
    return embedders, known, questions


def _recall(
    settings: Settings,
    store: Store,
    vectors: Vectors,
    *,
    cache: Cache,
    models: _Models,
    clock: Clock,
    own: Disciplines,
) -> tuple[Recall, Calibration]:
    """Return the read path, with the disciplines' own paths, and what measures a store for its gate."""
    embedders, known, questions = models
    paths: list[RecallPath] = [
        KeywordPath(store),
        TimePath(store),
        RecencyPath(store),
        GraphPath(store),
        *own.paths,
    ]
    if embedders is not None:
        coverage = Coverage(store)
        paths += [VectorPath(vectors, member, among=embedders, coverage=coverage) for member in questions]
        paths.append(FormerVectorPath(store, vectors, embedders, known=known))
    gate = Gate(store, models={path.name: path.model_id for path in paths if isinstance(path, VectorPath)})
    recall = Recall(
        store,
        paths,
        settings=settings.recall,
        clock=clock,
        reranker=open_reranker(settings.recall.reranker),
        cache=AnswerCache(cache, lifetime=timedelta(seconds=settings.recall.answers_lifetime), clock=clock),
        gate=gate,
        on_candidates=own.on_candidates,
        elsewhere=own.elsewhere,
    )
    for recipe in own.recipes:
        recall.recipes.add(recipe)
    return recall, Calibration(store, gate, paths)
