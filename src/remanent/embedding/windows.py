"""Reading a long text in pieces."""

MOST_WINDOWS = 8
"""How many pieces of a long text are read; their vectors are averaged."""


def windows(text: str, size: int) -> list[str]:
    """Return the pieces of a text, or some of them, spread evenly, when there are too many; blank ones are left out."""
    pieces = [piece for start in range(0, len(text), size) if (piece := text[start : start + size]).strip()]
    if len(pieces) <= MOST_WINDOWS:
        return pieces
    last = len(pieces) - 1
    return [pieces[last * number // (MOST_WINDOWS - 1)] for number in range(MOST_WINDOWS)]
