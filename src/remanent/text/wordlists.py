"""Word lists in source code: written as prose between quotes, used as sets."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are parted by white space."""
    return frozenset(text.split())
