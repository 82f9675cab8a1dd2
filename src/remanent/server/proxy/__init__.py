"""The OpenAI-compatible proxy: recalls, injects, passes on, journals."""

from remanent.server.proxy.proxy import Admit, Proxy

__all__ = ["Admit", "Proxy"]
