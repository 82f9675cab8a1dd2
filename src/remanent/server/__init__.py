"""Remanent over the network: REST, MCP and the proxy for chat clients of OpenAI and Anthropic.

One process, one event loop, one open memory. What all three interfaces share lies here: who asks (`authentication`),
what is taken in and how much of it (`connections`, `limits`), how errors look (`problems`), how a request is done only
once (`idempotency`). What an operation is and does is declared in `remanent.operations`; nothing here knows a single
one of them by name, so that a discipline's operations appear by themselves.
"""
