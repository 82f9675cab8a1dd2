"""Whether memories answer a question about oneself or are merely near it; and which words name nothing in particular.

A small memory is shown nearly whole with any question, and a small model then makes up the blood type that none of it
tells. What a question asks for is looked for by its own words, by what they mean ("moved" where it is "live", 出生
where it is 生日) and by nearness in meaning; where no memory has any of it, a model can be told so. Of 186 public
questions of oneself (LongMemEval, MemDaily) with the answer among fifteen other memories, 6 are taken for untold; of 33
on what nobody said, in small memories, none for told.
"""

import re
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import get_args

from remanent.bilingual import Language
from remanent.language.offline.claims import ParsedClaim, Token, TokenKind, read_claim
from remanent.language.offline.lexicon import RELATIVES, lexicon
from remanent.model import FoundItem
from remanent.text.mentions import mentions
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, fold, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.talk import asks_of_oneself, only_asks
from remanent.text.terms import held_terms, telling_part
from remanent.text.words import CHINESE_WEAK_WORDS, FILLERS, VERB_STEMS, WEAK_WORDS, stem, word_set

MOST_READ = 3000
"""Characters of the texts in which meanings are looked for; reading them takes some 25 ms of a chat's time."""


_OWN_FACTS = word_set("address age birthday job live name old work") | word_set("""
    住 住址 几岁 工作 名字 年龄 年纪 生日
""")
"""What everybody has, and not everybody has told."""

# What can be asked of any memory: a question made of these alone names nothing that could be missing.
_ASKED_OF_ALL = (
    _OWN_FACTS
    | word_set(
        "call chat conversation do favorite favourite happen history home know last latest like mention next plan "
        "prefer preference recap recent recently remember say summarise summarize summary talk tell tonight update"
    )
    | word_set("""
    偏好 计划 记得 家 喜欢 上次 聊 次聊 聊过 最近 总结 回顾 概括 发生 提到 提过 说过 谈 谈过 谈到 讨论 历史 情况 近况
    事情 安排 打算 爱好 昨天 今天 明天 之前 以前
""")
)


@cache
def _vague() -> frozenset[str]:
    """Words that name nothing which could be missing, as terms."""
    return (
        frozenset(stem(word) for word in _ASKED_OF_ALL | FILLERS | WEAK_WORDS if word.isascii())
        | VERB_STEMS
        | CHINESE_WEAK_WORDS
        | frozenset(word for word in _ASKED_OF_ALL if not word.isascii())
    )


@cache
def _own_facts() -> frozenset[str]:
    return frozenset(stem(word) if word.isascii() else word for word in _OWN_FACTS)


def is_own_fact(term: str) -> bool:
    """Tell whether a term names what everybody has."""
    return term in _own_facts()


def is_vague(term: str) -> bool:
    """Tell whether a term names nothing which could be missing: that any memory has it tells nothing."""
    return term in _vague()


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


_LEADS = {1: 0.27, 2: 0.19}
"""By how many models compare, how much nearer than the one in the middle the nearest memory is that tells it in other
words ("wedding", "getting married"). Chosen on every other one of the questions above:
2 of 93 of these were told wrongly that nothing is known, and 4 of 93 of the rest."""
_FOREIGN_LEAD = 0.13
"""The same where all memories are in another language than the question. Chosen on 16 questions with an answer and 16
without, in both directions; of as many others, 2 of the former are called untold (5 by `_LEADS`), 1 of the latter told
(0)."""
_MIN_COMPARED = 4
"""Memories among which one can stand out."""
_COUNTS = lazy_regex(r"\bhow\s+(?:many|often)\b|\btotal\b|几次|多少[次个本家种件位]|[一总]共", re.IGNORECASE)
"""What is counted is told one by one, and by the names of its sorts: guitars, where instruments are asked for."""
_DEEDS = lazy_regex(r"\bfor\s+(?:a|my|our)\s+living\b|谋生|干什么的|做什么的", re.IGNORECASE)
"""What somebody lives by is told by what they do, in any words: "I design bridges"."""
_OWN_PERSON = (
    r"\b(?:my|our)\s+(?:(?!(?:to|in|of|from|at|for|with|on|by)\b)\w+,?\s+){1,2}|"
    rf"[我咱](?:们|家)?的?[{HAN}]{{1,3}}[，,]?"
)
"""What stands before the name of somebody of one's own: "my older brother", 我妹妹."""
_OWNER = lazy_regex(r"['’]s?\Z")
_OWNED = lazy_regex(r"\s*(?:['’]s?\b|的)")
_LEFT_BY_SEGMENTER = lazy_regex(r"\A[我咱你您]+(?=.)|(?<=.)[叫是在有]\Z|\A[哪几谁何].?\Z")


def lacks_answer(question: str, items: Sequence[FoundItem]) -> bool:
    """Tell whether a question for a fact of one's own, or of one's own people, is answered by none of the memories."""
    if not items:
        return asks_of_oneself(question)
    return lacks_mention(question, [item.text for item in items]) and not _stands_out(
        items, language=working_language(question)
    )


def lacks_mention(question: str, texts: Sequence[str]) -> bool:
    """Tell whether a question for a fact of one's own, or of one's own people, names what none of the texts does."""
    if not only_asks(question) or _COUNTS.search(question) or _DEEDS.search(question):
        return False
    claim = read_claim(question)
    if not asks_of_oneself(question) and not _asks_of_own_people(claim, texts):
        return False
    wanted = _asked_for(claim)
    return bool(wanted) and not _has_word(texts, wanted) and not speaks_of(texts, wanted)


def lacks_mention_of_named(question: str, texts: Sequence[str]) -> bool:
    """Tell whether no text that names whom a question is about has a word of what it asks for: "Where does Sam swim?".

    What is said of one may be said of another elsewhere: a hospital where somebody else works is not Sam's.
    """
    claim = read_claim(question)
    wanted = _asked_for(claim)
    names = [fold(one.text) for one in mentions(claim.text) if one.kind in ("person", "name")]
    of_it = [key for key, token in wanted.items() if token.part is not TokenKind.NAME]
    about = [text for text in texts if any(name in fold(text) for name in names)]
    return len(names) == 1 and bool(about and of_it) and not _has_word(about, of_it) and not speaks_of(about, of_it)


def names_an_owner(question: str) -> bool:
    """Tell whether a question names somebody of whom it asks for something: "Lily's husband", 小丽的丈夫."""
    claim = read_claim(question)
    return any(token.part is TokenKind.NAME and _is_owner(token, claim.text) for token in claim.tokens)


def _asks_of_own_people(claim: ParsedClaim, texts: Sequence[str]) -> bool:
    """Tell whether it is asked for something of somebody whom a memory names as one's own: "my sister Lily"."""
    other = {one.text for one in mentions(claim.text) if one.kind in ("place", "organisation", "work")}
    owners = [token.text for token in claim.tokens if token.part is TokenKind.NAME and _is_owner(token, claim.text)]
    names = "|".join(re.escape(name) for owner in owners if (name := _OWNER.sub("", owner)) not in other)
    introduced = re.compile(rf"(?:{_OWN_PERSON})(?:{names})", re.IGNORECASE)
    return bool(names) and any(introduced.search(text[:MOST_READ]) for text in texts)


def _asked_for(claim: ParsedClaim) -> Mapping[str, Token]:
    """Return what a question asks for: its words without those that any question has, and without whose it is."""
    words = {
        _LEFT_BY_SEGMENTER.sub("", token.key): token
        for token in claim.tokens
        if token.part in (TokenKind.WORD, TokenKind.NAME)
    }
    named = {word: token for word, token in words.items() if word and not is_vague(word)}
    return {word: token for word, token in named.items() if not _is_owner(token, claim.text)} or named


def _is_owner(token: Token, text: str) -> bool:
    """Tell whether it says whose something is: "Lily's husband", 小丽的丈夫, 我儿子的球队."""
    owns = _OWNER.search(token.text) or _OWNED.match(text, token.end)
    return owns is not None and (token.part is TokenKind.NAME or token.key in RELATIVES)


def _has_word(texts: Sequence[str], wanted: Collection[str]) -> bool:
    """Tell whether a memory has a word that is asked for."""
    spaced = {word for word in wanted if word.isascii()}
    for whole in texts:
        is_long = len(whole) > MOST_READ
        text = fold(telling_part(whole, dict.fromkeys(wanted, 1.0), length=MOST_READ) if is_long else whole)
        if any(word in text for word in wanted if word not in spaced):
            return True
        if spaced and held_terms(text, spaced):
            return True
    return False


def _stands_out(items: Sequence[FoundItem], *, language: Language) -> bool:
    """Tell whether one memory is much nearer in meaning than the others, by every model that compares.

    One in another language than the question can be told by meaning alone, and by the model that knows both.

    Words of two languages never agree: of 16 questions whose answer was told in the other language 5 were called untold
    while words alone decided, 2 since; of 16 without an answer none was called told before and one is now.
    """
    scores: dict[str, list[tuple[float, str]]] = {}
    for item in items:
        for rank in item.ranks:
            if rank.path.startswith("vector"):
                scores.setdefault(rank.path, []).append((rank.score, item.text))
    leads = {
        path: max(one)[0] - statistics.median(score for score, _ in one)
        for path, one in scores.items()
        if len(one) >= _MIN_COMPARED
    }
    if "vector" in scores and working_language(max(scores["vector"])[1]) != language:
        beside = any(working_language(item.text) == language for item in items)
        return leads.get("vector", 1.0) >= (
            _LEADS[1] if beside else _FOREIGN_LEAD
        )  # among a few none can stand out, nor be called untold
    return bool(leads) and min(leads.values()) >= _LEADS[min(len(leads), max(_LEADS))]
