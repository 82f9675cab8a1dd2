"""The OpenAI-compatible proxy: recalls, injects, passes on, journals."""

from remanent.server.proxy.proxy import Proxy

__all__ = ["Proxy"]
