"""What people say of themselves and of others in so many words, found without a model: few patterns, but right ones.

A memory that is wrong is worse than none. So a sentence must be a plain statement (no question, no supposition, nobody
else's words), and its clause must have one of the forms below, each of which says whose it is (subject), of what
(attribute) and what holds (value). The words of a memory are those of its clause in the third person.

Of 60 everyday sentences in each language, written before the rules were read, 59 become a memory, and 30 and 27 did
with fewer forms; of 91 memories from 1,400 messages of LoCoMo 4 were wrong. What points at something that is not said
(this money, the idea), tells nothing (had a milestone) or holds for the day only is not learned.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from remanent.language.offline import statements_chinese, statements_english
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import Statement, canonical, subject_name
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.text.sentences import sentences
from remanent.text.spans import Span

__all__ = ["Statement", "canonical", "is_secret", "only_confirms", "plain_sentences", "statements", "third_person"]

_QUOTED = lazy_regex(r"“[^”]*”|\"[^\"\n]*\"|「[^」]*」|『[^』]*』|\[[^\]\n]*\]|```.*?```|`[^`\n]*`", re.DOTALL)
# What may be, might have been, or was said by somebody else.
_NOT_STATED = lazy_regex(
    r"\b(?:if|unless|would(?! like)|could|might|maybe|perhaps|probably|possibly|imagine|suppose|supposing|pretend|"
    r"wish|hypothetically|guess|wonder|what if|as though|used to|almost|nearly|kidding|joking|"
    r"for example|e\.g\.|in theory)\b|i['’]d\b(?! like| prefer| rather have)|^\W*(?:(?:please|ok|so)\W+)*[Ff]orget\b"
    r"|\b(?:he|she|they|who|everyone|everybody|people|some|somebody|someone|[A-Z][a-z]+) "
    r"(?:said|says|told|tells|thinks?|thought|claims?|claimed|believes?|wrote|writes|asked|asks)\b"
    r"|\b(?:according to|apparently|rumou?r)\b"
    r"|如果|要是|假如|假设|倘若|万一|也许|可能|或许|说不定|大概|好像|似乎|听说|据说|[他她们人]说|希望|想象|比如|例如|"
    r"差点|开玩笑|要不要|是不是|会不会|有没有|能不能|应该"
)
_REMEMBER = lazy_regex(
    r"^\W*(?:(?:please|and|so|also|ok|okay|hey)\W+)*(?:remember|memori[sz]e|keep in mind|don['’]?t forget)\b"
    r"(?:\s+(?:this|that|it)\b)?\s*(?:[:,]|that\b)?\s*"
    r"|^\W*(?:(?:请|帮我|麻烦|你|您|要|一定|务必|好好)\s*)*(?:记住|记下来|记下|记一下|牢记|别忘了|不要忘了|记得)"
    r"(?:这个|这一点|这点|这件事|一下|了|啊|哦)*\s*[:：，,]?\s*",
    re.IGNORECASE,
)
_REMEMBER_BEHIND = lazy_regex(
    r"[,;.–—-]+\s*(?:(?:please|and|so)\s+)*(?:remember (?:this|that|it)|keep (?:this|that|it) in mind|"
    r"don['’]?t forget (?:this|that|it))[.!\s]*$"
    r"|[,，;；。\s]*(?:请|帮我|你)*(?:记住|记下来|记下|记一下|牢记|别忘了|不要忘)(?:这个|这一点|这点|这件事|了|哦|啊|它)*[。！!.\s]*$",
    re.IGNORECASE,
)
_ABOUT_A_TASK = lazy_regex(r"^\s*(?:to\b|去|给|把|要|在.{1,8}(?:前|之前))", re.IGNORECASE)
# "Remember, I'm always here for you" comforts whoever listens, and tells nothing that is to be kept.
_TO_A_FRIEND = lazy_regex(r"\b(?:you|your|yours|yourself|y['’]all)\b|[你您]|(?<!我)自己", re.IGNORECASE)
_ORDERS = lazy_regex(
    r"\byou (?:should|must|have to|need to|can|may|are to)\b|[你您](?:要|应该|得|需要|必须|可以)", re.IGNORECASE
)
_HAN = lazy_regex(f"[{HAN}]")
_BECAUSE = lazy_regex(
    r"^(?P<what>.{6,}?)[,，]?\s*(?:\b(?:because|since|['’]cause)\b|因为)\s*(?P<why>.{4,})$"
    r"|^(?:\b(?:because|since)\b|因为|由于)\s*(?P<why2>.{4,}?)[,，]\s*(?:所以|因此)?(?P<what2>.{4,})$"
    r"|^(?P<why3>.{4,}?)(?:[,，]\s*(?:so|therefore)\b|[,，]\s*(?:所以|因此))[,，]?\s*(?P<what3>.{4,})$",
    re.IGNORECASE | re.DOTALL,
)
_FOLLOWS = lazy_regex(
    r"\W*(?:so|therefore|that['’]s why|which is why|because of (?:that|this)|as a result)\b|\W*(?:所以|因此|于是|为此)",
    re.IGNORECASE,
)
_HALF_WIDTH_STOP = lazy_regex(rf"(?<=[{HAN}])\.(?=\s|$)")
"""The end of a Chinese sentence as many type it: 我住在北京. is no other town than 我住在北京。"""
_MAX_SENTENCE = 400
"""Characters of a sentence that is looked at: longer ones are no plain statements. Chosen by hand."""
_MAX_TEXT = 2_000
"""Characters of a text that are looked at; more is a document, not talk. Chosen by hand."""

_SECRET = lazy_regex(
    r"\b(?:password|passwd|passphrase|passcode|pin(?: code| number)?|secret key|api[ _-]?key|access token|"
    r"private key|recovery phrase|seed phrase|cvv|cvc|ssn|social security|credit card|debit card|card number|"
    r"bank account|iban|routing number)\b|密码|口令|验证码|密钥|私钥|助记词|卡号|银行卡|信用卡|身份证|社保号|令牌|"
    r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|eyJ)[-_A-Za-z0-9]{12,}|-----BEGIN",
    re.IGNORECASE,
)
_DIGITS = lazy_regex(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")


def is_secret(text: str) -> bool:
    """Tell whether a text speaks of or holds what nobody wants repeated: passwords, keys, numbers of cards and ids."""
    return _SECRET.search(text) is not None or any(_is_card(found[0]) for found in _DIGITS.finditer(text))


def _is_card(number: str) -> bool:
    """Tell whether digits have the checksum of a card (Luhn), or the length and date of a Chinese identity card."""
    digits = [int(sign) for sign in number if sign.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 or (len(digits) in (17, 18) and 19 <= digits[6] * 10 + digits[7] <= 20)


def statements(text: str, *, speaker: str = "user", is_user: bool = True) -> list[Statement]:
    """Return what a message states, in order; `speaker` is the name or the part of whoever said it.

    Only the user gives instructions, teaches procedures and asks that something be remembered.
    """
    found: list[Statement] = []
    before = ""
    text = _HALF_WIDTH_STOP.sub("。", text)
    for span in plain_sentences(text):
        sentence = span.of(text)
        confirmed, sentence_span = _confirmation(sentence, span) if is_user else (False, span)
        if confirmed and sentence_span is None:  # "remember this": what was said before it
            if found:
                found[-1] = replace(found[-1], confirmed=True)
            continue
        made = list(_of_sentence(text, sentence_span or span, speaker=speaker, is_user=is_user))
        if confirmed and not made and sentence_span is not None:
            made = _as_told(text, sentence_span, speaker)
        if before and made and _FOLLOWS.match(sentence):
            made = [replace(one, because=one.because or before) for one in made]
        before = sentence
        found += [replace(one, confirmed=True) for one in made] if confirmed else made
    return [one for one in found if not is_secret(f"{text[one.start : one.end]} {one.content}")]


_LONGEST_CONFIRMATION = 200
"""Characters: whoever says no more than that something is to be remembered needs few (chosen by hand)."""


def only_confirms(text: str) -> bool:
    """Tell whether a message says nothing but that what was said before it is to be remembered."""
    text = text.strip()
    if len(text) > _LONGEST_CONFIRMATION:
        return False
    spans = [span for span in sentences(text) if span.of(text).strip()]
    return len(spans) == 1 and _confirmation(spans[0].of(text), spans[0]) == (True, None)


_BARE = lazy_regex(
    r"^(?:(?:Finally|Just|Recently) )?(?:sold|quit|stopped|gave up|got rid of|got a new|moved|relocated|switched|"
    r"broke up|split up|started|dropped|cut out|retired|traded|ditched|left|joined|adopted|bought|no longer)\b(?= \w)",
    re.IGNORECASE,
)


def said_by_oneself(sentence: str) -> str:
    """Return a sentence with the "I" that its speaker left out: "Sold the car last week"."""
    found = _BARE.match(sentence)
    if found is None or not sentence[0].isupper():
        return sentence
    return f"I {'am ' if found[0].lower() == 'no longer' else ''}{sentence[0].lower()}{sentence[1:]}"


def plain_sentences(text: str) -> Iterator[Span]:
    """Yield the sentences that stand outside of quotation marks and brackets and are not too long to be plain.

    A text that is longer than any message has none: marks that are never closed make looking for their ends dear.
    """
    if len(text) > _MAX_TEXT:
        return
    blanked = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    for span in sentences(blanked):
        start, end = span.start, span.end
        while start < end and blanked[start].isspace():
            start += 1
        while start < end and blanked[end - 1].isspace():
            end -= 1
        # A quotation within the sentence: its words are part of what is said (a title), unless it is all that is said.
        if start < end and end - start <= _MAX_SENTENCE:
            yield Span(start, end)


def _confirmation(sentence: str, span: Span) -> tuple[bool, Span | None]:
    """Return whether it is to be remembered, and what of the sentence is; `None` is what was said before."""
    lead = _REMEMBER.match(sentence)
    if lead and lead.end() and not is_question(sentence):
        rest = sentence[lead.end() :].strip(" .!。！~")
        if not rest or re.fullmatch(r"(?:this|that|it|for me|please|in mind|[,\s])+|这个|这一点|哦|啊", rest):
            return True, None
        if not _ABOUT_A_TASK.match(rest) and not re.match(r"(?:when|how|the time|those|last)\b", rest, re.IGNORECASE):
            return True, Span(span.start + lead.end(), span.end)
        return False, span
    behind = _REMEMBER_BEHIND.search(sentence)
    if behind and not is_question(sentence):
        return True, Span(span.start, span.start + behind.start()) if behind.start() else None
    return False, span


def _as_told(text: str, span: Span, speaker: str) -> list[Statement]:
    """Return what is to be remembered although it has no known form: the words as they are, with who said them."""
    words = span.of(text).strip(" .。!！")
    if len(words) < 4 or is_question(span.of(text)) or (_TO_A_FRIEND.search(words) and not _ORDERS.search(words)):
        return []
    content = third_person(words, speaker)
    return [
        Statement("fact", subject_name(speaker, zh=bool(_HAN.search(words))), "", "", content, span.start, span.end)
    ]


def _of_sentence(text: str, span: Span, *, speaker: str, is_user: bool) -> Iterator[Statement]:
    sentence = span.of(text)
    zh = _HAN.search(sentence) is not None
    rules = statements_chinese if zh else statements_english
    if is_user:
        ordered = (
            None if _ASKS_FOR_IT.search(sentence) else _procedure(sentence, rules) or _instruction(sentence, rules)
        )
        if ordered is not None:
            yield _placed(ordered, span, subject_name(speaker, zh=zh))
            return
    former = rules.FORMER.match(sentence)
    if former is not None and not _asks(sentence):  # what held once is left out, and whose it was is said again
        said, now = rules.SPEAKER + sentence[former.end() :], span.start + former.end()
        for one in () if _NOT_STATED.search(said) else rules.clauses(said, speaker):
            placed = _placed(one, Span(now - len(rules.SPEAKER), span.end), "")
            yield replace(placed, start=max(placed.start, now))
        return
    if _asks(sentence) or _NOT_STATED.search(sentence):
        return
    reason = _BECAUSE.match(sentence)
    because = next((reason[name] for name in ("why", "why2", "why3") if reason[name]), "") if reason else ""
    for one in rules.clauses(sentence, speaker):
        placed = _placed(one, span, "")
        if _AMONG.search(placed.content):
            placed = _in_company(placed, text, subject_name(speaker, zh=zh), rules)
        # What follows from a reason follows from another clause than its own.
        yield (
            replace(placed, because=because.strip(" .。!！"))
            if because and one.content and sentence[one.start : one.end] not in because
            else placed
        )


_AMONG = lazy_regex(r" and others\b|等人")
_TALKED_OF = 300
"""Characters before "we" in which it was said who that is. Chosen by hand."""


def _in_company(one: Statement, text: str, name: str, rules: ModuleType) -> Statement:
    """Return what several people did, told with who they are."""
    before, said = text[max(0, one.start - _TALKED_OF) : one.start], text[one.start : one.end]
    return replace(one, content=rules.with_company(one.content, name, before=before, said=said))


_ASKS_FOR_IT = lazy_regex(r"[?？]\s*$|吗。?$")
_HAPPENED = lazy_regex(r"\bI (?:was|went|had|did|got|felt)\b|我[昨今刚上]")
_FIRST = lazy_regex(r"^(?:first\b,?\s*|首先|先)", re.IGNORECASE)


def _instruction(sentence: str, rules: ModuleType) -> Statement | None:
    """Return how the user wants things done from now on, if that is what a sentence says."""
    found = rules.INSTRUCTION.match(sentence)
    if found is None:
        return None
    if found["name"]:
        attribute, told = rules.CALLED
        content = told.format(found["name"])
        return Statement("instruction", "", attribute, found["name"], content, 0, len(sentence), single=True)
    return Statement("instruction", "", "", "", sentence.strip(), 0, len(sentence))


def _procedure(sentence: str, rules: ModuleType) -> Statement | None:
    """Return a way of doing something that the user teaches in one sentence."""
    found = rules.PROCEDURE.match(sentence)
    if found is None or _HAPPENED.search(sentence):
        return None
    steps = tuple(_FIRST.sub("", one).strip(" ，,；;。.") for one in rules.NEXT_STEP.split(found["steps"]))
    kept = tuple(one for one in steps if one)
    if len(kept) < 2:
        return None
    trigger, told = found["trigger"].strip(), " → ".join(kept)
    content = f"{trigger[:1].upper()}{trigger[1:]}: {told}"
    return Statement("procedure", "", trigger.lower(), told, content, 0, len(sentence), steps=kept)


_ASKING = lazy_regex(r"[?？]|吗|什么|谁|哪|多少|怎么|几")


def _asks(sentence: str) -> bool:
    # In 她在北京上班呢。 nothing is asked: 呢 asks only beside a word that does.
    return is_question(sentence) and not (re.search(r"呢[。！!]?\s*$", sentence) and not _ASKING.search(sentence))


def _placed(one: Statement, span: Span, subject: str) -> Statement:
    return replace(one, start=one.start + span.start, end=one.end + span.start, subject=one.subject or subject)


def third_person(text: str, speaker: str) -> str:
    """Return a clause of the first person as others would say it of the speaker."""
    rules = statements_chinese if _HAN.search(text) else statements_english
    told: str = rules.third_person(text, subject_name(speaker, zh=rules is statements_chinese))
    return told
