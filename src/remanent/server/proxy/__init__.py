"""The proxy for chat clients of OpenAI and Anthropic: recalls, injects, passes on, journals.

An agent that knows nothing of memory gets one by changing its base URL. The chat always comes first: whatever memory
does wrong, the model is asked and its answer arrives byte by byte as it came.
"""

from remanent.server.proxy.proxy import Proxy

__all__ = ["Proxy"]
