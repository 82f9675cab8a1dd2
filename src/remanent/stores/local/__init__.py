"""Vectors searched inside the process: the embedded default."""

from remanent.stores.local.vectors import LocalVectors

__all__ = ["LocalVectors"]
