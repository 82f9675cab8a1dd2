"""Raw files in object storage: anything that speaks S3."""

from remanent.stores.s3.blobs import S3Blobs

__all__ = ["S3Blobs"]
