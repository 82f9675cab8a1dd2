"""Sentence embedding and reranking: ports, local models, wrappers around any of them, several side by side."""

from remanent.embedding.port import CachedEmbedder, Embedder
from remanent.embedding.registry import (
    Embedders,
    KnownEmbedders,
    open_embedder,
    open_embedders,
    open_image_reader,
    open_reranker,
)

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
