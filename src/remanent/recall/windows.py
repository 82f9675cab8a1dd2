"""What a model reads of a record: all or the beginning of it, and the parts of a long turn each by itself.

What somebody mentions in passing lies far from the vector of the turn that holds it. A store keeps one vector for each
record and model; those of the parts stand under names made of the model's, so that every store keeps, searches, exports
and erases them like any other. A record is as near to a question as the nearest of its vectors.
"""

from collections.abc import Iterable

from remanent.model import Origin, PassageData, Record, TurnData
from remanent.text.sentences import sentences

PARTS = "vector_parts"
"""The state that says that some turn here has vectors of parts; where none has, nothing is searched for them."""
SPOKEN_CHARACTERS = 300
"""Characters of a turn that a model embeds; chosen with an eye on the public sets of docs/figures.md."""
WINDOWS = 3
"""Parts of a turn that have vectors of their own, at most: each is one more search for every question."""
_WINDOW_CHARACTERS = 150
"""How long a part is, about, unless there would be too many. One half of the questions of LongMemEval's pool chose it
(all@5 .51 to .57), the other confirmed it (.61 to .64)."""
MAX_CHARACTERS = 1200
"""Characters of a turn that are cut into parts; behind them stands what was pasted rather than said. Chosen by hand."""


def vector_name(model_id: str, part: int) -> str:
    """Return the name under which the vector of a part stands; the first, 0, is of the record itself."""
    return f"{model_id}#{part}" if part else model_id


def vector_names(*model_ids: str) -> tuple[str, ...]:
    """Return all names under which vectors of these models stand."""
    return tuple(vector_name(model_id, part) for model_id in model_ids for part in range(WINDOWS + 1))


def models_among(names: Iterable[str]) -> set[str]:
    """Return the models that such names belong to."""
    known = set(names)
    parts = {name for model_id in known for name in vector_names(model_id)[1:]}
    return known - parts


def as_read(record: Record) -> list[str]:
    """Return the texts of a record that get vectors, the record itself first."""
    return [as_spoken(record), *_windows(record)]


def as_spoken(record: Record, *, most: int = SPOKEN_CHARACTERS) -> str:
    """Return the text that a model reads of a record: the beginning of a turn after the name of who spoke, if any.

    What a long turn is about shows in its beginning; a vector of all of it is near to everything and to nothing, and
    takes many times as long. Its words are searched to the last.
    """
    if isinstance(record.data, PassageData):
        # A passage after what it stands under, unless it begins with those very words: a title alone names no matter.
        # All of it: what is longer than a model's window is read in several, whose mean is kept. 40 questions over
        # chunks of 3,000 characters: any@5 .93 by the beginning, 1.0 by all.
        under = record.summary
        return record.content if not under or record.content.startswith(under) else f"{under}: {record.content}"
    if not isinstance(record.data, TurnData):
        return record.content
    speaker = record.data.speaker
    return (f"{speaker}: {record.content}" if speaker else record.content)[:most]


def _windows(record: Record) -> list[str]:
    """Return the parts of a user's long turn, none of a short one: sentences that stand together.

    Users tell an agent of themselves while they ask for something else. An agent's turns are long and seldom asked for:
    they would take ten times as long as all the rest. People who talk with each other come to the point: parts won
    nothing among LoCoMo's (200 questions, any@5 .840 without and .835 with them).
    """
    if not isinstance(record.data, TurnData) or record.trust is not Origin.USER:
        return []
    text = record.content[:MAX_CHARACTERS]
    count = min(WINDOWS, round(len(text) / _WINDOW_CHARACTERS))
    if count < 2:
        return []
    parts = [""] * count
    for span in sentences(text):
        parts[(span.start + span.end) * count // (2 * len(text))] += span.of(text)
    parts = [part.strip() for part in parts if part.strip()]
    return parts if len(parts) > 1 else []
