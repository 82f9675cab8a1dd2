"""Tiered cognition: what is said becomes facts, preferences, episodes and procedures, with source and history."""
