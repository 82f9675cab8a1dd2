"""The cache that several processes share: Valkey or Redis."""

from remanent.stores.redis.cache import RedisCache

__all__ = ["RedisCache"]
