"""Generated pairs of memories: some contradict each other, some only look as if they did."""

from bench.pairs.generator import MemoryPair, PairKind, memory_pairs

__all__ = ["MemoryPair", "PairKind", "memory_pairs"]
