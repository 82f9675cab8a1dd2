"""Adapters that keep plain files in an agent's folder."""

from remanent.stores.files.blobs import FileBlobs

__all__ = ["FileBlobs"]
