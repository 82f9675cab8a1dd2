"""Remanent over the network: REST, MCP and the OpenAI-compatible proxy."""
