"""Finding embedders, rerankers and readers of pictures by the names that settings give them."""

from collections.abc import Callable, Mapping

from remanent.embedding.http import HttpEmbedder
from remanent.embedding.http_reranker import HttpReranker
from remanent.embedding.images import ImageReader
from remanent.embedding.local import BgeSmallEmbedder, MiniLmEmbedder
from remanent.embedding.metered import MeteredEmbedder
from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.embedding.port import Embedder
from remanent.embedding.rapidocr import RapidOcrReader
from remanent.embedding.reranker import LocalReranker, Reranker
from remanent.embedding.sentence_transformers import SentenceTransformersEmbedder
from remanent.embedding.several import Embedders
from remanent.errors import InvalidInput, InvalidSettings, MissingDependency
from remanent.settings import EmbeddingSettings, RerankerSettings

DEFAULT_EMBEDDER = "multilingual"
AUTO = "auto"

_NONE = frozenset({"none", "off"})
_OPENERS: Mapping[str, Callable[[], Embedder]] = {
    AUTO: MultilingualEmbedder,  # where one model is wanted, the one for every language
    DEFAULT_EMBEDDER: MultilingualEmbedder,
    "default": MultilingualEmbedder,
    "local": MultilingualEmbedder,
    MultilingualEmbedder.MODEL_ID: MultilingualEmbedder,
    "bge-small": BgeSmallEmbedder,
    BgeSmallEmbedder.MODEL_ID: BgeSmallEmbedder,
    "minilm": MiniLmEmbedder,
    MiniLmEmbedder.MODEL_ID.lower(): MiniLmEmbedder,
}
# These are told in the settings which model they are to take.
_CONFIGURED: Mapping[str, Callable[[EmbeddingSettings], Embedder]] = {
    "http": HttpEmbedder,
    "sentence-transformers": SentenceTransformersEmbedder,
}


def open_embedder(name: str = DEFAULT_EMBEDDER, *, embedding: EmbeddingSettings | None = None) -> Embedder | None:
    """Return the embedder of that name, or None for "none": search then goes by words alone.

    Opening is cheap; a model is loaded when the first text is embedded. A package that is not installed is
    reported here.
    """
    wanted = name.strip().lower()
    if wanted in _NONE:
        return None
    configured = _CONFIGURED.get(wanted)
    if configured is not None:
        return configured(embedding or EmbeddingSettings())
    opener = _OPENERS.get(wanted)
    if opener is None:
        raise InvalidInput(
            f'unknown embedder {name!r}: choose "auto" (the default), "multilingual", "bge-small", "minilm", '
            '"http", "sentence-transformers" or "none"'
        )
    return opener()


def open_embedders(name: str = AUTO, *, embedding: EmbeddingSettings | None = None) -> Embedders | None:
    """Return what embeds records: for "auto" the multilingual model and, if it is installed, bge-small for English."""
    general = open_embedder(name, embedding=embedding)
    if general is None:
        return None
    metered = MeteredEmbedder(general)
    if name.strip().lower() != AUTO:
        return Embedders(metered)
    try:
        return Embedders(metered, english=MeteredEmbedder(BgeSmallEmbedder()))
    except MissingDependency:
        return Embedders(metered)


def open_reranker(settings: RerankerSettings) -> Reranker | None:
    """Return the cross-encoder of the settings; `None` for "none", and for "auto" where none is installed."""
    if settings.kind == "none":
        return None
    if settings.kind == "http":
        if settings.base_url is None or settings.name is None:
            raise InvalidSettings(
                "the reranker http needs recall.reranker.base_url and recall.reranker.name; see docs/settings.md"
            )
        return HttpReranker(settings.base_url, name=settings.name, api_key=settings.api_key)
    try:
        return LocalReranker()
    except MissingDependency:
        if settings.kind == "local":
            raise
        return None


def open_image_reader(name: str = AUTO) -> ImageReader | None:
    """Return what reads the writing in pictures; `None` for "none", and for "auto" where none is installed."""
    if name == "none":
        return None
    try:
        return RapidOcrReader()
    except MissingDependency:
        if name != AUTO:
            raise
        return None
