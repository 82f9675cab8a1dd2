"""What cognition does with a text, for the measurement of how its work grows."""

from tests.growth import Work

MODULES = ("drafts", "model", "profile")
ADAPTERS: dict[str, Work] = {}
