"""What a message asks: its questions one by one, without what its writer says is not the question.

A long message says many things and asks one; searched whole, what it says first outweighs what it asks. Several
questions in one message are searched one by one, because a vector of two matters is near to neither.
"""

import re

from remanent.text.regex import lazy_regex

# A further question begins: what is said before it stays a question of its own.
_FURTHER = lazy_regex(
    r"(?<=[。！？!?；;])\s*(?=另外|此外|还有)|(?<=[.!?;])\s+(?=(?:also|another|besides|one more)\b)", re.IGNORECASE
)
_FURTHER_WORD = lazy_regex(r"^\s*(?:另外|此外|还有|(?:also|besides)\b)[，,：:\s]*", re.IGNORECASE)
# "What I really want to know is", "wait,": what was said before it is taken back or was small talk.
_TURN = lazy_regex(
    r"我[^，。！？,.!?]{0,6}(?:想|要)(?:问|说|知道|了解|弄清楚?|搞清楚?|弄明白|搞明白|请教|打听)"
    r"(?:的(?:问题)?(?:其实|就)?是|(?=[，：,:]))"
    r"|我[^，。！？,.!?]{0,6}问题(?:其实|就)?是(?:这个|这样)?"
    r"|(?:^|(?<=[。！？!?]))(?:等等|等一下|停一下|打住)(?=[，,！!。])"
    r"|\b(?:what\s+i(?:'m|\s+am)?\s+(?:really|actually)\s+(?:want(?:ed)?|meant?|need(?:ed)?|trying)\s+to\s+"
    r"(?:ask|know|find\s+out)|my\s+(?:actual|real)\s+question)\s+(?:is|was)"
    r"|(?:^|(?<=[.!?]\s))(?:no,?\s+)?(?:wait|hold\s+on|scratch\s+that)(?=,)",
    re.IGNORECASE,
)
_EDGE = " \t\n，,：:。.！!、"
_LEAST = 4
"""Characters that must follow for them to be the question."""


def asked_part(text: str) -> str:
    """Return what a message asks, without what its writer says is not the question; else the text as it is.

    >>> asked_part("Lovely weather! My dog is fine. What I really wanted to ask is, where does Ann live?")
    'where does Ann live?'
    """
    asked = " ".join(questions(text))
    return asked if len(asked) < len(text) and _TURN.search(text) else text


def questions(text: str) -> list[str]:
    """Return the questions that a message asks one after the other, one at the least.

    >>> questions("今天天气真好。我真正想问的是，小王的生日是哪天？另外，他住哪儿？")
    ['小王的生日是哪天？', '他住哪儿？']
    """
    parts = [_FURTHER_WORD.sub("", _point(part)) for part in _FURTHER.split(text)]
    long_enough = [part for part in parts if len(part.strip()) >= _LEAST]
    return long_enough or [text]


def _point(part: str) -> str:
    """Return what follows the last turn of a message, if that is long enough to be a question."""
    for turn in reversed(list(_TURN.finditer(part))):
        after = part[turn.end() :].strip(_EDGE)
        if len(after) >= _LEAST:
            return after
    return part
