"""How stored text is shown to a model: in tags that it cannot leave.

What was stored may be anybody's words, and instructions to a model are words as well: material can neither close its
tag nor open another, and a reminder stands behind it, because small models forget what stands before a long text.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from remanent.bilingual import Language
from remanent.language.shapes import GraphNode, Utterance, UtteranceSpan
from remanent.model import Origin
from remanent.text.escaping import RESERVED_TAGS, escape, escape_attribute
from remanent.text.scripts import working_language
from remanent.text.wordlists import word_set

# Every tag that material stands in: none of it can close one of these or open another.
_TAGS = RESERVED_TAGS | word_set(
    "agent agents candidates claim completed conflict conflicts context description did earlier finished focus goal "
    "keywords learned limit m message neighbours new_memory new_node node nodes notice notices p passages query "
    "question result said summary task text tool tools upload uploads validation"
)
_LONGEST_ATTRIBUTE = 100
"""Characters of a name or a date in a tag: what is longer is text, and belongs between tags. Chosen by hand."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def block(tag: str, text: str, **attributes: str | int) -> str:
    """Return stored text in a tag that it cannot close; nothing when there is no text."""
    bare = text.strip()
    if not bare:
        return ""
    body = escape(bare, tags=_TAGS)
    return (
        f"{_opening(tag, attributes)}\n{body}\n</{tag}>"
        if "\n" in body
        else f"{_opening(tag, attributes)}{body}</{tag}>"
    )


def group(tag: str, parts: Iterable[str], **attributes: str | int) -> str:
    """Return blocks inside a tag; nothing when there are none."""
    inner = "\n".join(part for part in parts if part)
    return f"{_opening(tag, attributes)}\n{inner}\n</{tag}>" if inner else ""


def node_block(node: GraphNode, *, name: str = "") -> str:
    """Return a node of a graph under the name that a model is to call it by, if it is to."""
    named = {"id": name} if name else {}
    when = {"time": _moment(node.timestamp)} if node.timestamp else {}
    parts = [
        block("context", node.context),
        block("keywords", ", ".join(node.keywords)),
        block("summary", node.summary),
    ]
    return group("node", parts, **named, **when)


def passage_blocks(texts: Sequence[str]) -> list[str]:
    """Return passages with their numbers, from 1."""
    return [block("p", text, n=number) for number, text in enumerate(texts, 1)]


def utterance_blocks(
    utterances: Sequence[Utterance], *, longest: int = 100_000, are_numbered: bool = True
) -> list[str]:
    """Return what was said, each with its number from 1 unless they need none; very long ones without their middle."""
    shown = [(said, abridged(said.text, longest)) for said in utterances]
    return _said_blocks(shown, are_numbered=are_numbered)


def spoken_language(utterances: Sequence[Utterance], *more: str) -> Language:
    """Return the language to speak about utterances in; of what else is said where they have none."""
    return working_language("\n".join(said.text[:1000] for said in utterances), *more)


def place_blocks(utterances: Sequence[Utterance], places: Sequence[UtteranceSpan]) -> list[str]:
    """Return the given parts of what was said, each with its number from 1."""
    said = [(utterances[place.utterance], place) for place in places]
    return _said_blocks([(one, one.text[place.start : place.end]) for one, place in said])


def _said_blocks(said: Sequence[tuple[Utterance, str]], *, are_numbered: bool = True) -> list[str]:
    """Return what was said with who said it and when, the time only where it is another: it costs twenty tokens."""
    blocks, last = list[str](), ""
    for number, (one, text) in enumerate(said, 1):
        moment = _moment(one.occurred_at) if one.occurred_at else ""
        named = {"n": number} if are_numbered else {}
        when = {"at": moment} if moment and moment != last else {}
        whose = {} if one.origin in {None, Origin.USER} else {"origin": str(one.origin)}
        blocks.append(block("m", text, **named, by=one.speaker, **when, **whose))
        last = moment
    return blocks


def abridged(text: str, limit: int) -> str:
    """Return the text, or its beginning and its end, where a result mostly stands, in at most so many characters."""
    if len(text) <= limit:
        return text
    head = limit // 3
    return f"{text[:head].rstrip()}\n…\n{text[len(text) - (limit - head - 3) :].lstrip()}"


def _moment(moment: datetime) -> str:
    """Return a moment with its weekday, which tells what "last Tuesday" was; a locale must not change it."""
    return f"{moment.isoformat(sep=' ', timespec='minutes')[:16]} {_WEEKDAYS[moment.weekday()]}"


def _opening(tag: str, attributes: dict[str, str | int]) -> str:
    return "".join([f"<{tag}", *(f' {name}="{_attribute(value)}"' for name, value in attributes.items()), ">"])


def _attribute(value: str | int) -> str:
    return escape_attribute(str(value)[:_LONGEST_ATTRIBUTE], tags=_TAGS)
