"""Sentence embedding and reranking: ports, local models, wrappers around any of them, several side by side."""

from remanent.embedding.former import KnownEmbedders
from remanent.embedding.port import Embedder
from remanent.embedding.registry import Embedders, open_embedder, open_embedders, open_image_reader, open_reranker
from remanent.embedding.wrappers import CachedEmbedder

__all__ = [
    "CachedEmbedder",
    "Embedder",
    "Embedders",
    "KnownEmbedders",
    "open_embedder",
    "open_embedders",
    "open_image_reader",
    "open_reranker",
]
