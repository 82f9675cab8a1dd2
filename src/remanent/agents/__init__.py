"""Agents that think, call tools and answer; the tools they have; the limits they keep."""
