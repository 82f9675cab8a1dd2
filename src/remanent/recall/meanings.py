"""Whether texts speak of what is asked for in another word: "moved" where it is "live", 出生 where it is 生日."""

from collections.abc import Collection, Iterable, Iterator
from typing import get_args

from remanent.bilingual import Language
from remanent.language.offline.claims import ParsedClaim, read_claim
from remanent.language.offline.lexicon import lexicon
from remanent.text.sentences import sentence_texts

MOST_READ = 3000
"""Characters of the texts in which meanings are looked for; reading them takes some 25 ms of a chat's time."""


def speaks_of(texts: Iterable[str], wanted: Collection[str]) -> bool:
    """Tell whether a text speaks of what is asked for, by its own word, by another one, or in another language."""
    spoken = {
        name
        for word in wanted
        for language in get_args(Language)
        for name in lexicon(language).attributes.get(word, ())
    }
    for claim in _claims(texts):
        attributes = lexicon(claim.language).attributes
        for token in claim.tokens:
            if token.key in wanted or not spoken.isdisjoint(attributes.get(token.key, ())):
                return True
    return False


def _claims(texts: Iterable[str]) -> Iterator[ParsedClaim]:
    left = MOST_READ
    for text in texts:
        for sentence in sentence_texts(text[: max(0, left)]):
            yield read_claim(sentence)
        left -= len(text)
