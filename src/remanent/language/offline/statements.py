"""What people say of themselves and of others in so many words, found without a model: few patterns, but right ones.

A memory that is wrong is worse than none. So a sentence must be a plain statement (no question, no supposition, nobody
else's words), and its clause must have one of the forms below, each of which says whose it is (subject), of what
(attribute) and what holds (value). The words of a memory are those of its clause in the third person.

Of 60 everyday sentences in each language, written before the rules were read, 59 become a memory, and 30 and 27 did
with fewer forms; of 91 memories from 1,400 messages of LoCoMo 4 were wrong. What points at something that is not said
(this money, the idea), tells nothing (had a milestone) or holds for the day only is not learned.

What somebody else says in a message, and what is only told in a story, is not its speaker's. Three things open the
words of another: marks of quotation around a clause of the first person; a verb of saying whose subject is not the
speaker ("My son wrote in his diary: I hate school"), as far as what it opens reaches; and a frame of fiction ("For the
story: I'm a detective"). Behind a colon that is the whole line, else the sentence. What a doctor found is told of the
speaker: "My doctor says I'm allergic to nuts". Of 61 such messages written before the rules 39 made a fact of the
speaker's, and none does; of 51 with their own words beside those none was lost, and of 9,748 public messages none is
read otherwise.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from types import ModuleType

from remanent.language.offline import statements_chinese, statements_english
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import (
    Statement,
    canonical,
    expanded_form,
    is_kin,
    other_names,
    subject_name,
)
from remanent.lightweight import dataclass
from remanent.text.calendar import ANY_MONTH, ANY_WEEKDAY
from remanent.text.chinese import tagged
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, has_han, simplified
from remanent.text.sentences import sentences
from remanent.text.spans import Span
from remanent.text.talk import told_before_asking
from remanent.text.words import is_past_form, parts_of, word_forms

__all__ = ["Statement", "canonical", "is_secret", "only_confirms", "plain_sentences", "statements", "third_person"]

_QUOTED = lazy_regex(r"“[^”]*”|\"[^\"\n]*\"|「[^」]*」|『[^』]*』|\[[^\]\n]*\]|```.*?```|`[^`\n]*`", re.DOTALL)
NOT_MEANT = (
    r"\b(?i:hypothetically|theoretically|metaphorically|figuratively|so to speak|in a manner of speaking|for the sake "
    r"of argument)\b|(?:^|[,;] )\W*(?i:imagine|suppose|pretend|let['’]s say)\b(?![,!])|\b(?:I|[Ww]e)(?:['’]ve| have|"
    r"['’]d| had)?(?: just| once)? (?:dream(?:t|ed)|had (?:a|the|this) (?:\w+ )?(?:dream|nightmare)(?: last night)?)"
    r"(?: that| in which| where)? (?:I|my|we|our)\b|梦[见到](?:自己|我)|我做梦|打个比方|打个比喻|\b(?:I(?:['’]m| am) "
    r"[^.!?]*\bbut (?:actually |really )?I(?:['’]m| am) not|I have [^.!?]*\bbut (?:actually |really )?I (?:don['’]t|do "
    r"not|haven['’]t))\W*$"
)
"""What is told in a dream, for the sake of argument or as an image, and what the same breath denies."""
# What may be, might have been, or was said by somebody else.
_NOT_STATED = lazy_regex(
    rf"{NOT_MEANT}|"
    r"\b(?:if|unless|would(?! like)|could|might|maybe|perhaps|probably|possibly|imagine|suppose|supposing|pretend|wish|"
    r"hypothetically|guess|wonder|what if|as though|used to|almost|nearly|kidding|joking|for example|e\.g\.|in "
    r"theory)\b|i['’]d\b(?! like| prefer| rather have)|^\W*(?:(?:[Pp]lease|[Oo]k|[Ss]o|[Cc]an you|[Cc]ould "
    r"you)\W+)*[Ff]orget\b|\b(?:according to|apparently|rumou?r)\b|如果|(?<![主只需])要是|假如|假设|倘若|万一|也许|"
    r"可能|或许|说不定|大概|好像|似乎|听说|据说|的话(?=[，,])|[他她们人]说|希望|想象|比如|例如|差点|开玩笑|要不要|"
    r"是不是|会不会|有没有|能不能|应该"
)
_REMEMBER = lazy_regex(
    r"^\W*(?:(?:please|and|so|also|ok|okay|hey)\W+)*(?:remember|memori[sz]e|keep in mind|don['’]?t forget)\b"
    r"(?:\s+(?:this|that|it)\b)?\s*(?:[:,]|that\b)?\s*|^\W*(?:有[个件]事情?[，,]?)?(?:(?:请|帮我|麻烦|你|您|要|一定|"
    r"务必|好好)\s*)*(?:记住|记着|记下来|记下|记一下|牢记|别忘了|不要忘了|记得)(?:这个|这一点|这点|这件事|一下|了|啊|"
    r"哦)*\s*[:：，,]?\s*",
    re.IGNORECASE,
)
_REMEMBER_BEHIND = lazy_regex(
    r"[,;.–—-]+\s*(?:(?:please|and|so)\s+)*(?:remember (?:this|that|it)|keep (?:this|that|it) in mind|"
    r"don['’]?t forget (?:this|that|it))[.!\s]*$"
    r"|[,，;；。\s]*(?:(?:这个|这一?点|这条|这件?事)(?=.{1,6}$))?(?:请|帮我|你|千万|以后|可)*"
    r"(?<![别勿])(?<!不[要用必])(?<![别要用必]再)(?:记住|记着|记下来|记下|记一下|牢记|别忘了|不要忘)(?:这个|这一点|这点|这件事|了|哦|啊|它)*[。！!.\s]*$",
    re.IGNORECASE,
)
JEST = lazy_regex(
    r"^\W*(?:(?:ha(?:ha)+|lol|no(?! kidding| joking)|nah|ok|okay|sorry)\W+)*(?:(?:i was |i['’]m )?(?:just |only "
    r")?(?:kidding|joking)|jk|(?:that|it) was (?:just |only )?a joke)(?=[,.;!…]|\s*$)\W*|"
    r"^\W*(?:哈+[，,]?)?(?:不是?[，,])?我?刚?才?是?(?:开玩笑|逗你|骗你)玩?的[啦吧了]?(?=[，,。！]|$)\W*",
    re.IGNORECASE,
)
"""That what was said right before it was none: "I live in Rome. Just kidding, I live in Bonn."."""
_CORRECTS = lazy_regex(
    r"^\W*(?:(?:sorry|oops|whoops|no|wait|hang on|hmm|ah|oh|actually|well|my (?:bad|mistake)|correction|apologies|"
    r"i (?:was wrong|misspoke|got (?:that|it) wrong))\b\W*)*(?<=\W)??(?P<means>(?:i meant|i mean|make (?:that|it)|"
    r"(?:it|that)(?:['’]s| is| should be|['’]s actually| is actually)|should be)(?: to say)?(?: it['’]s)?)\W+"
    r"(?P<en>[^.!?\n]{2,40}?)(?:,? (?:not|instead of|rather than) [^.!?\n]{2,30})?\W*$"
    r"|^\W*(?:不好意思|抱歉|对不起|哦|啊|哎呀|等等|不对|不是)*[，,]?\s*"
    r"(?:(?:我?(?:刚才|刚刚|前面|上面)?(?:说|记|弄|打|搞|写)错了?|口误|更正(?:一下)?|纠正(?:一下)?|不对|不是)[，,：:]?)+\s*"
    r"(?P<is>(?:应该)?是)?(?P<zh>[^，。！？\n]{1,16}?)(?:[，,]不是[^，。！？\n]{1,12})?(?:才对)?[。！!\s]*$",
    re.IGNORECASE,
)
_REGRETS = lazy_regex(
    r"^\W*(?:sorry|oops|whoops|no|wait|my|correction|apologies|i (?:was|misspoke|got|meant))\b", re.IGNORECASE
)
_SORTS_OF_VALUES = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"\b{ANY_WEEKDAY}s?\b|(?:周|星期|礼拜)[一二三四五六日天]",
        rf"\b(?:{ANY_MONTH})\b|[\d一二三四五六七八九十]{{1,3}}月",
        (
            r"(?<![A-Za-z\d.,:])[$€£¥]?\d[\d:.,]*(?<=\d)(?![\d月])(?:st|nd|rd|th| ?[ap]\.?m\b|"
            r" ?(?:kg|cm|pounds|euros|dollars)\b|岁|元|块钱?|万|公?斤|厘米|点半?|[日号])?|"
            r"\b(?:noon|midnight)\b|[一二三四五六七八九十两]{1,3}(?:岁|点半?|[日号])"
        ),
    )
)
"""What is put right by another of its sort: a day by a day, and no town by an hour."""
_BESIDE_VALUES = lazy_regex(
    r"\b(?:at|on|the|of|in|morning|afternoon|evening|next|this|around|about|o['’]clock|years? old|half past)\b|"
    r"[上下中]午|早上|晚上|凌晨|[下这本]个?|\W",
    re.IGNORECASE,
)
_WHICH_WEEK = lazy_regex("^(?:[下这]个?|本)(?=周|星期|礼拜)")
_NAME_ALONE = lazy_regex(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}|(?:(?![我你您他她它这那今明昨])[\u4e00-\u9fff]){2,8}")


def corrected(one: Statement, sentence: str) -> Statement | None:
    """Return what was stated as a sentence puts it right: "Sorry, I meant Wednesday"; nothing where it does not."""
    found = _CORRECTS.match(sentence)
    if found is None or (found["means"] and not _REGRETS.match(sentence)) or is_question(sentence):
        return None
    new = re.sub(r"^(?:on|at|in|the|to) ", "", (found["en"] or found["zh"]).strip(), flags=re.IGNORECASE)
    others = [form.search(new) for form in _SORTS_OF_VALUES]
    if not any(others):
        names = found["is"] or (found["means"] or "").lower().startswith("i m")
        is_name = names and one.single and _NAME_ALONE.fullmatch(one.value) and _NAME_ALONE.fullmatch(new)
        return replace(one, value=new, content=one.content.replace(one.value, new, 1)) if is_name else None
    rest = new
    for form in _SORTS_OF_VALUES:
        rest = form.sub("", rest)
    if _BESIDE_VALUES.sub("", rest):
        return None  # "I meant to call you on Wednesday"
    value, content = _put_right(one.value, new), _put_right(one.content, new)
    if value is not None:
        content = one.content.replace(one.value, value, 1)
    return None if content is None else replace(one, value=value or one.value, content=content)


def _put_right(text: str, new: str) -> str | None:
    """Return a text with another day, month or hour; all of them together where all are told again."""
    said = [(form.search(text), form.search(new)) for form in _SORTS_OF_VALUES]
    places = [had.span() for had, other in said if had and other]
    if not places:
        return None
    if all(other for had, other in said if had):
        if text[: min(places)[0]].endswith(("下", "下个", "这", "这个", "本")):
            new = _WHICH_WEEK.sub("", new)
        return f"{text[: min(places)[0]]}{new}{text[max(end for _, end in places) :]}"
    for had, other in said:  # the day alone is another one, the hour is not
        text = text.replace(had[0], other[0], 1) if had and other else text
    return text


_ABOUT_A_TASK = lazy_regex(r"^\s*(?:to\b|去|给(?!.*一律)|把|要|在.{1,8}(?:前|之前))", re.IGNORECASE)
# "Remember, I'm always here for you" comforts whoever listens, and tells nothing that is to be kept.
_TO_A_FRIEND = lazy_regex(r"\b(?:you|your|yours|yourself|y['’]all)\b|[你您]|(?<!我)自己", re.IGNORECASE)
_ORDERS = lazy_regex(
    r"\byou (?:should|must|have to|need to|can|may|are to)\b|[你您](?:要|应该|得|需要|必须|可以)", re.IGNORECASE
)
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
_ENGLISH_WITH_NAMES = lazy_regex(r"^\W*(?:(?:I|My|We|Our|The user)\b|[A-Z]\w+['’]s )[^我你他她是的在了吗]*$")
"""An English sentence with Chinese names: "I live in 厦门"."""


def _is_chinese(text: str) -> bool:
    return has_han(text) and not _ENGLISH_WITH_NAMES.match(text)


_MAX_SENTENCE = 400
"""Characters of a sentence that is looked at: longer ones are no plain statements. Chosen by hand."""

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
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 or (len(digits) in (17, 18) and 19 <= digits[6] * 10 + digits[7] <= 20)


def statements(text: str, *, speaker: str = "user", is_user: bool = True) -> list[Statement]:
    """Return what a message states, in order; `speaker` is the name or the part of whoever said it.

    Only the user gives instructions, teaches procedures and asks that something be remembered.
    """
    if is_user:
        text = without_orders(text, orders(text, speaker=speaker))
    return _stated(text, speaker, is_user=is_user)


def _stated(text: str, speaker: str, *, is_user: bool = True) -> list[Statement]:
    """Return what a message without orders to forget states."""
    found: list[Statement] = []
    before = ""
    text = _HALF_WIDTH_STOP.sub("。", text)
    listed = _listed(text) if is_user else None
    if listed is not None:
        name = subject_name(speaker, zh=has_han(text))
        blank = " " * (listed.end - listed.start)
        found, text = [replace(listed, subject=name)], f"{text[: listed.start]}{blank}{text[listed.end :]}"
    own, place = own_words(text), 0
    for span in plain_sentences(text):
        sentence = span.of(text)
        if jest := JEST.match(sentence):
            found = [one for one in found if one.end <= place]
            span = Span(span.start + jest.end(), span.end)  # noqa: PLW2901
        place, sentence = span.start, span.of(text)
        if found and (right := corrected(found[-1], sentence)) is not None:
            found[-1] = right
            continue
        confirmed, sentence_span = _confirmation(sentence, span) if is_user else (False, span)
        if confirmed and sentence_span is None:  # "remember this": what was said before it
            if found:
                found[-1] = replace(found[-1], confirmed=True)
            continue
        made = list(_of_sentence(text, own, sentence_span or span, speaker=speaker, is_user=is_user))
        if confirmed and not made and sentence_span is not None:
            made = _as_told(text, sentence_span, speaker)
        if before and made and _FOLLOWS.match(sentence):
            made = [replace(one, because=one.because or before) for one in made]
        before = sentence
        found += [replace(one, confirmed=True) for one in made] if confirmed else made
    return [
        one
        for one in found
        if not is_secret(f"{text[one.start : one.end]} {one.content}") and not _is_shown_introduction(text, one)
    ]


_INTRODUCES = lazy_regex(r"(?:I(?:['’]m| am)|This is)\b|我是", re.IGNORECASE)
_SHOWS = lazy_regex(r"[:：\n]|\s[-–—]\s|\b[Yy]ou(?:['’]re| are) (?:(?:an?|the) [a-z]|[A-Z])|[你您]是")
"""What stands before words that are shown and not said, or in a part: "Draft an answer to: Hello, I'm Priya"."""
_LONGEST_GREETING = 4
"""Words before "I'm" in its sentence; "Write a letter that starts with Hi, I'm John" has more. Chosen by hand."""


def _is_shown_introduction(text: str, one: Statement) -> bool:
    """Tell whether somebody's name stands in a letter that a message holds: it would replace the speaker's own."""
    if one.attribute not in {"name", "姓名"} or not _INTRODUCES.match(text, one.start):
        return False
    before = text[: one.start]
    beside = re.split(r"[.!?。！？]", before)[-1]
    return _SHOWS.search(before) is not None or len(beside.split()) > _LONGEST_GREETING


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
    if len(text) > MAX_TEXT:
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
    return [Statement("fact", subject_name(speaker, zh=has_han(words)), "", "", content, span.start, span.end)]


def _of_sentence(text: str, own: str, span: Span, *, speaker: str, is_user: bool) -> Iterator[Statement]:
    """Yield what a sentence states; `own` is the text without what others say in it."""
    sentence = span.of(text)
    zh = _is_chinese(sentence)
    rules = statements_chinese if zh else statements_english
    if is_user:
        asks, said = _ASKS_FOR_IT.search(sentence) or _is_shown(text, span), span.of(own)
        ordered = None if asks else _procedure(sentence, rules) or _instruction(sentence, rules)
        # What somebody else orders, told with a word of theirs, orders nothing: 老板说：以后邮件一律抄送我。
        if ordered is not None and (said == sentence or _procedure(said, rules) or _instruction(said, rules)):
            yield _placed(ordered, span, subject_name(speaker, zh=zh))
            return
    sentence = span.of(own)
    if _asks(sentence):  # "I'm vegan, any ideas for dinner?" states the first
        sentence = told_before_asking(sentence).rstrip(" ,，;；") or sentence
    former = rules.FORMER.match(sentence)
    if former is not None and not _asks(sentence):  # what held once is left out, and whose it was is said again
        said, now = rules.SPEAKER + sentence[former.end() :], span.start + former.end()
        for one in () if _NOT_STATED.search(said) else _clauses(said, speaker, zh=zh):
            placed = _placed(one, Span(now - len(rules.SPEAKER), span.end), "")
            yield replace(placed, start=max(placed.start, now))
        return
    if _asks(sentence) or _NOT_STATED.search(sentence):
        return
    reason = _BECAUSE.match(sentence)
    because = next((reason[name] for name in ("why", "why2", "why3") if reason[name]), "") if reason else ""
    for one in _clauses(sentence, speaker, zh=zh):
        placed = _placed(one, span, "")
        if _AMONG.search(placed.content):
            placed = _in_company(placed, text, subject_name(speaker, zh=zh), rules)
        # What follows from a reason follows from another clause than its own.
        yield (
            replace(placed, because=because.strip(" .。!！"))
            if because and one.content and sentence[one.start : one.end] not in because
            else placed
        )


@lru_cache(maxsize=1_024)
def _clauses(sentence: str, speaker: str, *, zh: bool) -> tuple[Statement, ...]:
    """Return what a sentence states by the forms of its language; kept, as what is said is read for several ends."""
    return tuple((statements_chinese if zh else statements_english).clauses(sentence, speaker))


_AMONG = lazy_regex(r" and others\b|等人")
_TALKED_OF = 300
"""Characters before "we" in which it was said who that is. Chosen by hand."""


def _in_company(one: Statement, text: str, name: str, rules: ModuleType) -> Statement:
    """Return what several people did, told with who they are."""
    before, said = text[max(0, one.start - _TALKED_OF) : one.start], text[one.start : one.end]
    return replace(one, content=rules.with_company(one.content, name, before=before, said=said))


_ASKS_FOR_IT = lazy_regex(r"[?？]\s*$|吗。?$")
_LONGEST_ORDER = 600
"""Characters of a message that tells how the user wants things from now on: longer ones are pasted. Chosen by hand."""
_SHOWN = lazy_regex(
    r"[?？:：]\s*\n|\b(?:the following|below|th(?:is|ese|e) (?:[\w-]+ )?(?:text|document|prompt|e-?mail|page|article|"
    r"messages?|letter|passage|paragraph|transcript|file|report|instructions?))\b|[这那下上]面?[段篇封个份]?的?(?:话|"
    r"文[章本字件]|邮件|提示词|内容|网页|信)|以下|^\s*(?:[>|]|-{3}|```)",
    re.IGNORECASE | re.MULTILINE,
)
"""Before an order: it stands in what is shown, and is nobody's to the agent."""
_JAILBREAK = lazy_regex(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:instructions?|rules|prompts?|guidelines|"
    r"polic(?:y|ies)|restrictions)\b|\b(?-i:DAN)\b|\byou are (?:now|no longer) |\bdeveloper mode\b|\bjailbr|\bdo "
    r"anything now\b|\bnever refuse\b|\bwithout (?:any )?(?:restrictions?|filters?|limits|warnings)\b|(?:忽略|无视|"
    r"忘掉|忘记|绕过)[^。！？\n]{0,12}(?:指令|指示|提示|规则|设定|限制)|开发者模式|越狱|(?:没有|不受)(?:任何)?限制",
    re.IGNORECASE,
)
"""Who wants an agent to drop what binds it gives no rule that is kept."""
_HAPPENED = lazy_regex(r"\bI (?:was|went|had|did|got|felt)\b|我[昨今刚上]")
_FIRST = lazy_regex(r"^(?:first\b,?\s*|首先|先)", re.IGNORECASE)


def _is_shown(text: str, span: Span) -> bool:
    """Tell whether a sentence is no order of the user's own: pasted or quoted words, or ones that unbind an agent."""
    before = f"{text[: span.start]}{span.of(text)[:3]}"
    return len(text) > _LONGEST_ORDER or _SHOWN.search(before) is not None or _JAILBREAK.search(text) is not None


def _instruction(sentence: str, rules: ModuleType) -> Statement | None:
    """Return how the user wants things done from now on, if that is what a sentence says."""
    found = rules.INSTRUCTION.match(sentence)
    if found is None:
        return None
    called = bool(found["name"]) and rules.may_be_called(found["name"])
    if found["name"] and not called and "以后" not in sentence:  # "Call me Monday"
        return None
    if called:
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
    if len(kept) < 2 or rules.is_done(kept[0]):
        return None
    return _taught(found["trigger"].strip(), kept, len(sentence))


_NUMBER = lazy_regex(r"(?:^|\s)\d{1,2}[.)、．）]\s*")
_WORD = lazy_regex(r"[^\W\d_]")
_HOW = lazy_regex(r"^.*\bhow (?:i|we) |^我们?", re.IGNORECASE)
_BLANK_LINE = lazy_regex(r"\n\s*\n")


def _listed(text: str) -> Statement | None:
    """Return a way of doing something that the user teaches in steps with numbers."""
    rules = statements_chinese if has_han(text) else statements_english
    found = None if len(text) > MAX_TEXT else rules.LISTED.search(text)
    if found is None:
        return None
    told = _BLANK_LINE.split(found["steps"], maxsplit=1)[0]
    steps = (one.strip(" ，,；;。.\n") for one in _NUMBER.split(told))
    kept = tuple(one for one in steps if _WORD.search(one))  # "1. 45% 2. 30%" are figures, and no steps
    trigger, end = found["trigger"].strip(), found.start("steps") + len(told)
    once = any(rules.is_done(said) for said in (*kept, _HOW.sub("", trigger)))  # "Here's how I spent it: 1. …"
    return replace(_taught(trigger, kept, end), start=found.start()) if len(kept) > 1 and not once else None


def _taught(trigger: str, kept: tuple[str, ...], end: int) -> Statement:
    told = " → ".join(kept)
    content = f"{trigger[:1].upper()}{trigger[1:]}: {told}"
    return Statement("procedure", "", trigger.lower(), told, content, 0, end, steps=kept)


_ASKING = lazy_regex(r"[?？]|吗|什么|谁|哪|多少|怎么|几")


def _asks(sentence: str) -> bool:
    # In 她在北京上班呢。 nothing is asked: 呢 asks only beside a word that does.
    return is_question(sentence) and not (re.search(r"呢[。！!]?\s*$", sentence) and not _ASKING.search(sentence))


def _placed(one: Statement, span: Span, subject: str) -> Statement:
    return replace(one, start=one.start + span.start, end=one.end + span.start, subject=one.subject or subject)


def third_person(text: str, speaker: str) -> str:
    """Return a clause of the first person as others would say it of the speaker."""
    rules = statements_chinese if _is_chinese(text) else statements_english
    told: str = rules.third_person(text, subject_name(speaker, zh=rules is statements_chinese))
    return told


# ── whose words a message holds ──────────────────────────────────────────────

_PARTS = parts_of(r"""
first = (?:I(?:['’][a-z]+)?|[Mm]y|[Ww]e(?:['’][a-z]+)?|[Oo]ur)\b
quote = ["'“‘*_(]*
stop = [^.!?\n]
line = [^\n]*
begin = (?:^|(?<=[.!?\n]))
oneself = I|[Ww]e|[Yy]ou
doctor = (?i:doctors?|gp|allergist|dentist|nurse|specialist|physio|vet|therapist|tests?|results?)
no_name = That|This|As|When|Having|Being|Like|Once|Enough|It|Here|There|What|Nothing|{oneself}
word = (?!(?:{oneself}|and|or|but|so|because|{doctor})\b)[\w'’-]+
other = (?i:\b(?:he|she|they|who|everyone|everybody|somebody|someone|nobody|no one|people))|
    \b(?!(?:{no_name})\b)[A-Z][a-z]+|\b(?i:my|our|his|her|their|the|an?|one|another)(?: {word}){1,4}?
aside = (?: ?[(\[][^()\[\]\n]{1,60}[)\]])?
how = {aside}(?: (?:always|just|once|also|then|only|even|often|has|had|[a-z]+ly|(?:on|in|from|of) the \w+))*
say = says?|said|tells?|told|writes?|wrote|texts?|texted|answer(?:s|ed)|repl(?:y|ies|ied)|shout(?:s|ed)|yell(?:s|ed)|
    claim(?:s|ed)|reports?|reported|complain(?:s|ed)|mention(?:s|ed)|explain(?:s|ed)|stat(?:es|ed)|insist(?:s|ed)|thinks?|thought|believes?|believed|asks?|asked|joke[sd]|add(?:s|ed)|messaged|
    e-?mailed|posted|tweeted
show = reads?|goes|went|sings?|sang|(?:is|was|were) (?:all )?like|puts? it|begins|starts
to = (?: (?:to )?(?:me|us|him|her|them|everyone|the \w+|my \w+|back))?
fiction = (?:story|stories|tale|novel|role-?\s?play|rpg|scene|scenario|screenplay|script|skit|fan ?fic(?:tion)?|poem|
    lyrics|character|persona|prompt)
edit = translate|rewrite|rephrase|reword|paraphrase|proofread|correct|edit|polish|improve|summari[sz]e|shorten
edit_zh = (?:翻译|改写|润色|校对|修改|纠正|缩写|扩写|续写|造句|概括|改成|写[一]?[句段封篇条])
kin = [爸妈哥姐弟妹]{1,2}|父亲|母亲|爷爷|奶奶|[老先]生|老[公婆板师]|太太|妻子|丈夫|儿子|女儿|朋友|同[事学]|室友|邻居|
    领导|客户|房东
somebody = (?!我(?!的|家|{kin})|[^，。\n]*(?:医生|大夫|护士|检查|体检))[^，,。！？\n：:]
says = (?:说|写道|写着|写的是|唱着?|唱道|回答|答道|问道|喊道?|留言|回复|回我|告诉我|反映|反馈|表示|投诉|来信|来电|来函|
    咨询|提到|指出|陈述|自述|主诉|自称|描述|透露|补充)
role = (?i:customer|client|patient|caller|guest|visitor|tenant|buyer|seller|applicant|candidate|interviewe[er]|
    employee|
    student|pupil|passenger|subscriber|requester|reporter|sender|speaker [\dA-Z]|witness|defendant|resident|
    respondent|
    user \d+|(?:customer|user|guest) (?:review|feedback|complaint|message|quote)|testimonial|transcript|quote)
role_zh = (?:客户|顾客|患者|病人|来访者|来电者|租户|房客|买家|卖家|申请人|应聘者|面试者|候选人|乘客|投诉人|反馈人|
    证人|学员|考生|受访者|
    访客|会员|粉丝|网友|读者|用户[\dA-Z甲乙])
""")
_OTHERS = parts_of(r"""
reported = (?:{other}){how} (?:{say}){to}(?: that)?,? {quote}(?:(?i:hi|hey|oh|well|no|yes|yeah|wow|look|sorry)[,!]? )*
    (?P<said>{first}(?:(?!, (?:but|so)\b){stop})*)
shown = (?:{other}|\b[Ii]t){how} (?:{show}), {quote}(?P<said>{first}{stop}*)
opened = (?:{other}|\b[Ii]t){how} (?:{say}|{show})(?: {word}){0,5}:\s*(?P<said>{line})
owned = \b(?:(?:[Mm]y|[Oo]ur) [a-z]+['’]s|[Hh]is|[Hh]er|[Tt]heir) \w+(?: \w+)?:\s*(?P<said>{quote}{first}{line})
said_behind = {begin}(?P<said>{stop}*),['"’”]? (?:(?:{other}){how} (?:{say}|(?:keeps?|kept) saying){to}|
    (?:says|said|quoth) {word}(?: \w+){0,2})[.!…]*(?:\s|$)
made_up = {begin}\W*(?i:(?:\w+ ){0,4}?{fiction})(?: \d+)?(?: \w+)?:\s*(?P<said>{line})
labelled = (?:^|\n)\W{0,8}{role}(?: [A-Z][\w.'’-]*){0,3}{aside}(?: #?\d+)?:\s*(?P<said>{line})
labelled_role_zh = (?:^|[。！？\n])\s*(?:我们?的?)?{role_zh}[\u4e00-\u9fff]{0,4}(?:[（(][^（）()\n]{1,30}[）)])?
    [：:]\s*(?P<said>{line})
marked = (?:^|\n)[ \t]*(?P<said>[>＞]{line})
within = \b(?:[Ii]n|[Ff]or) (?:the|this|my|our|an?|your|his|her|last) (?:[\w'’-]+ ){0,2}(?:{fiction}|dream),?[ ]
    (?P<said>{first}{stop}*)
where = \b(?:an?|the|this) (?:\w+ ){0,2}(?:game|world|movie|film|dream|{fiction}) (?:where|in which)[ ]
    (?P<said>{first}{stop}*)
to_edit = \b(?i:{edit})\b(?: [\w'’-]+){0,4}:\s*(?P<said>{line})
to_edit_zh = {edit_zh}[^，。！？\n：:]{0,12}[：:]\s*(?P<said>{line})
opened_zh = (?:^|[。！？\n，,；])\s*{somebody}{1,20}{says}[^，。：:]{0,4}[：:]\s*(?P<said>{line})
labelled_zh = (?:^|[。！？\n])\s*(?:我的?)?(?:{kin}|[小老阿][\u4e00-\u9fff]|[他她])
    (?:的?(?:日记|短信|信|消息|留言|原话))?[：:]\s*(?P<said>{line})
reported_zh = (?:^|[。！？\n])\s*{somebody}{1,16}(?<![实来地是之单白格不你么话]){says}[，,](?P<said>我[^。！？\n]*)
said_behind_zh = (?:^|(?<=[。！？\n]))(?P<said>[^。！？\n]*)[，,](?!我(?!的|家|{kin})|不知)[^，,。！？\n]{1,10}
    (?:这么|这样|总是?|老是?|经?常|天天|地)说的?(?=[。！!\s]|$)
made_up_zh = (?:^|[。！？\n])\s*[^，。：:！？\n我]{0,10}(?:故事|小说|剧本|角色扮演|场景|诗|歌词|台词|设定|剧情|情景)
    [：:]\s*(?P<said>{line})
within_zh = (?:(?:故事|小说|剧本|角色扮演|剧情|梦)(?:里面?|中|当中)[，,]?|玩一?[个场](?:角色扮演)?的?游戏[，,：:]\s*)
    (?P<said>我[^。！？\n]*)
""")
_FORMS = tuple(lazy_regex(expanded_form(form, _PARTS)) for form in _OTHERS.values())
_MAY_OPEN = lazy_regex(
    expanded_form(
        r"(?<!\w)[\"'“‘「『]|\b(?:{say}|saying|{show}|{fiction}|dream|(?i:{edit}))\b|\b(?:where|in which) I\b|"
        r"[:：说唱道答写诉里中>＞]|游戏|[Rr]ole|[Pp]retend|[Pp]lay|[Ii]magine|[Ss]uppose|[Yy]ou(?:['’]ll)? (?:be|"
        r"act)\b|角色|[你您]来?[扮演当做]|假[装设]|想象|[Ff]orward|转发|总结|概括|翻译|润色|修改|校对|摘要",
        _PARTS,
    )
)
"""What one of them holds: few messages do, and looking for each takes time."""
_QUOTATION = lazy_regex(
    r"(?<!\bis )(?<!\bare )(?<!called )(?<!named )(?:“[^”\n]*”|\"[^\"\n]*\"|「[^」\n]*」|『[^』\n]*』"
    r"|(?<![\w'’])[‘'](?!(?:cause|em|til|n|\d0s)\b)[^\n‘]*?(?<=[^\s(])['’](?!\w))"
)
_CLAUSE = lazy_regex(r"\b(?:I(?:['’](?:m|ve|ll|d))?|[Ww]e(?:['’]\w+)?|[Mm]y|[Oo]ur) [a-z]|我")
"""What a quotation holds that is no title: 'Amélie' or 'I, Robot' are what somebody likes."""
# What opens the words of another, or a play, up to the end of a message: whoever passes a mail on shows it last.
_TO_THE_END = parts_of(r"""
field = (?i:from|to|cc|bcc|subject|date|sent|reply-to)|发件人|收件人|抄送|主题|日期|发送时间|发件时间|时间
header = (?m:^)[\W_]{0,4}(?:(?i:from|sent|subject)|发件人|主题)\W{0,3}[:：][^\n]*\n+[\W_]{0,4}(?:{field})\W{0,3}[:：]
forwarded = (?m:^)\W{0,40}(?:(?i:(?:begin )?forwarded (?:message|e-?mail|by|from)|original message|fwd?:)|(?:转发|
    原始)(?:的?邮件|的?消息)|
    转发(?:自[^：:\n]{1,12})?[：:]|[\[【「]转发[\]】」])
asked = (?m:^)[^\n]*\b(?i:{edit})\b[^\n:]{0,40}?\b(?i:this|these|th(?:is|e) (?:[a-z-]+ )?(?:e-?mail|message|letter|
    text|review|
    post|ticket|complaint|transcript|note)|the following|below)(?: (?i:for me|please|below|(?:in|into|
    to) [a-z]+))*[^\w\n]*\n
asked_zh = (?m:^)[^\n]*(?:总结|概括|翻译|润色|改写|修改|校对|摘要)[^\n：:]{0,8}(?:[这下]面?[段封条份篇]|
    以下)[^\n：:]{0,12}[：:？?。]?\s*\n
wrote = (?m:^)[^\n]{0,80}\b(?:wrote|writes)\s?:[ \t]*\n|(?m:^)[^\n]{0,40}写道[：:][ \t]*\n
lets = (?i:let['’]?s|let us|can we|could we|shall we|how about we|want to|wanna|i want to|i(?:['’]d| would) like to|
    we(?:['’]re| are)|
    we['’]ll|(?:can|could|will|would) you|please|ok(?:ay)?,?|now,?|time (?:to|for)(?: some| a)?|this is a|start a|
    begin a|do a)
begins = (?:^|[.!?\n]\s{0,8})
played = {begins}\W{0,8}(?:{lets} )?(?i:role[- ]?play)(?:ing)?(?:(?= (?i:with|as|that|where|in which|a scen|scen|game:|
    time))|\s*[:,.!–—])|
    \b{lets} (?:[a-z]+ ){0,3}(?i:role[- ]?play)(?:ing)?\b|{begins}\W{0,8}(?:{lets} )?(?i:pretend)(?: that)? (?:you|I|we|
    to be|this)\b|
    \b{lets} (?i:pretend|play pretend|act out|make believe)\b|
    \b(?i:let['’]s play)\b[^.!?\n]{0,30}[.:,!]\s*(?i:you(?:['’]re| are|['’]ll)? (?:an?|the|be|play)|I(?:['’]m| am|
    ['’]ll be|['’]ll play) (?:an?|the)) |
    (?i:you)(?:['’]ll)? (?:be|play|act as) (?:the |an? )?[a-z][\w -]{1,24}?,? (?:and )?I(?:['’]ll|
    [ ]will)? (?:be|play|act as)\b|
    {begins}\W{0,8}(?i:imagine|suppose|let['’]s say)(?: that)? (?:you(?:['’]re| are)[ ]
    [^.!?\n]{2,40}?(?:,| and) I(?:['’]m| am)|I(?:['’]m| am) an? )|
    {begins}[^。！？\n]{0,8}?(?<!喜欢)(?<!爱)(?:来|玩(?![了过])|做(?![了过])|进行|开始|一起|想|跟我|和我|
    陪我)[^。！？\n]{0,4}角色扮演(?!游戏[^，。：:！\n])|{begins}\W{0,8}角色扮演[：:，。！]|
    {begins}[^。！？\n，我]{0,8}(?:假装|假设|想象)(?:自己|我们?|[你您])(?:现在)?是|(?:^|[。！？，\n])(?:我|
    咱)?们?来?(?:假装|扮演)(?:我|自己|一?[个位名])|
    [你您]来?(?:扮?演|当|做|扮)[^，。！？\n]{1,10}[，,]\s*(?:由?我)来?(?:扮?演|当|做|扮|是)
""")
_PASSED_ON, _PLAYED = (
    lazy_regex(expanded_form("|".join(names), _PARTS | _TO_THE_END))
    for names in (("{header}", "{forwarded}", "{asked}", "{asked_zh}", "{wrote}"), ("{played}",))
)
_PLAYED_OUT = lazy_regex(
    r"\b(?:out of character|OOC\b|end of (?:the )?(?:role[- ]?play|scene|game|play)|stop (?:the )?(?:role[- ]?play|"
    r"pretending)|(?:in|back to) (?:real life|reality)|by the way|btw|jokes? aside|thanks?(?: you)?,? (?:for|that)\b)|"
    r"(?:角色扮演|表演|扮演|游戏)(?:就?到此)?(?:结束|到这)|不[演玩]了|现实(?:中|里|生活)|言归正传|说真的|顺便|对了",
    re.IGNORECASE,
)
"""What ends a play."""
MAX_TEXT = 2_000
"""Characters of a text that are looked at; more is a document, not talk. Chosen by hand."""


@lru_cache(maxsize=16)
def own_words(text: str) -> str:
    """Return a message as long as it is, with blanks for what others say in it and for what is only told."""
    if len(text) > MAX_TEXT or not _MAY_OPEN.search(text):
        return text
    for found in _QUOTATION.finditer(text):
        if _CLAUSE.search(found[0]):
            text = _blanked(text, *found.span())
    for form in _FORMS:
        for found in form.finditer(text):
            text = _blanked(text, *found.span("said"))
    begin = _PASSED_ON.search(text)
    text = text if begin is None else _blanked(text, begin.start(), len(text))
    place = 0
    while begin := _PLAYED.search(text, place):
        end = _PLAYED_OUT.search(text, begin.end())
        place = len(text) if end is None else end.start()
        text = _blanked(text, begin.start(), place)
    return text


def is_played(texts: Iterable[str]) -> bool:
    """Tell whether the last of some messages goes on with a role that one of them, newest first, began to play."""
    for text in texts:
        begin, end = _PLAYED.search(text[:MAX_TEXT]), _PLAYED_OUT.search(text[:MAX_TEXT])
        if begin is not None or end is not None:
            return begin is not None and (end is None or end.start() < begin.start())
    return False


def _blanked(text: str, start: int, end: int) -> str:
    """Return a text with blanks behind a mark that ends the clause before them."""
    return f"{text[:start]};{' ' * (end - start - 1)}{text[end:]}" if end > start else text


# ── what is ordered to be forgotten ──────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ForgetOrder:
    """What a user orders to be forgotten, with the place of the words that say so."""

    words: str
    start: int
    end: int
    about: str
    """The words in which it is named: "I have asthma", "my dog", 我的密码."""
    thing: str = ""
    """What it is, where it is something of the speaker's: "dog", 密码."""
    stated: tuple[Statement, ...] = ()
    """What it says is so, where it does."""
    is_last: bool = False
    """Whether it is about whatever its speaker said last."""
    is_name: bool = False
    """Whether it names somebody."""


_FORGETTING = parts_of(r"""
now = (?: (?:please|just|kindly|also|completely|entirely|all|now|go ahead and|at once))*
lead = [\W_]*(?:(?:please|ok(?:ay)?|actually|and|but|so|also|then|now|just|hey|hi|oh|well|sorry|yes|no|kindly|anyway|
    thanks|thank you|look|listen|right|alright|by the way|btw|one (?:more|last) thing|on second thoughts?|
    if (?:you don['’]t mind|possible|you can|(?:that|it)['’]s (?:ok(?:ay)?|possible|no trouble)))\b[\W_]*)*
you = (?:can|could|will|would) you(?: please| just| kindly| be so kind as to| be so kind and)*|
    would you be so kind as to|i(?:['’]d| would)(?: really)? (?:like|want|love|prefer)(?: for)? you to|
    i(?: really)? (?:want|need|wish|ask|expect)(?: for)? you to|i(?:['’]m| am) asking you to|
    you (?:can|may|should|must|could|need to|have to)|let['’]s|let us|feel free to|go ahead and|be so kind as to|
    make sure (?:that )?(?:you|to)
do = forget|erase|delete|wipe|scrub|purge|(?:(?:do not|don['’]t|never|stop)|(?:there(?:['’]s| is) )?no need to) {keep}|
    (?:remove|strike|clear|drop|scratch|unsend)|(?:pretend|act (?:like|as if)) (?:(?:that )?{unknown}(?: (?:about|of))?)
keep = (?:remember|keep|stor|sav|retain|record|memoriz|hold)(?:e|ing)?(?: on to| track of| a record of| down)?
unknown = (?:i|you)(?:['’]ve| have)? (?:never|don['’]t|did(?:n['’]t| not)|haven['’]t)(?: ever| just)?[ ]
    (?:heard?|said|say|told you|tell you|mentioned|know|knew)
doing = (?:(?:would|do) you mind|how about|what about)(?: please)? (?:forgetting|erasing|deleting|wiping)|
    (?:i(?:['’]d| would)(?: really)? (?:appreciate it if|be (?:happy|glad|grateful|relieved) if|prefer it if|rather)|
    (?:it(?:['’]d| would)|that(?:['’]d| would)) be (?:\w+ )?(?:good|great|nice|best|better|kind|lovely|cool) if)[ ]
    you(?: could| would| can)?(?: please| just)* (?:forgot|forget|erased?|deleted?|
    did(?:n['’]t| not) (?:remember|keep))|
    i(?:['’]d| would)? (?:don['’]t|do not|no longer|not) (?:want|like) you to (?:remember|keep|store)|
    (?:you (?:don['’]t|do not|needn['’]t)(?: (?:need|have) to)(?: any ?more)?|(?:there(?:['’]s| is) )?no (?:more )?need
    (?: for you)? to|no longer) (?:remember|keep|store)
said = (?:what|everything|anything|all|whatever)(?:(?: (?:else|that))? (?:i(?:['’]ve| have)?(?: just| ever| once)?[ ]
    (?:told you|said|mentioned|shared(?: with you)?)|you know|we (?:said|talked|discussed)))?[ ]
    (?:about|on|regarding|of)[ ]
so = (?:the fact )?(?:that )?(?:i (?:told|said to) you (?:that )?|i (?:said|mentioned) (?:that )?)?
notes = (?:from|out of|in) (?:your )?(?:memory|notes)
out = (?: (?:for me|now|again|any ?more|any longer|entirely|completely|ok(?:ay)?|please|pls|thanks?|thank you|
    (?:will|would|can|could) you|right away|at once|for good|forever))*
lead_zh = [\W_]*(?:(?:对了|不好意思|抱歉|那么?|好的?|嗯+|哦+|哎呀?|唉|算了|另外|还有|而且|所以|然后|顺便|最后|
    拜托(?:[你您]了?)?|求求?[你您]了?|其实|哈+|谢谢|但是?|不过|因此|并且|同时|以后)[了啦吧啊]?[\W_]*)*
asks_zh = (?:我(?:真的?|很|还是)*(?:想要?|希望|要求|需要|要|宁愿)(?:请|让|麻烦)?(?=[你您请]))?
    (?:请|帮我|帮忙|帮|麻烦|劳烦|拜托|[你您](?:应该|得|必须)?要?|就|快点?|赶紧|可以|能不能|可不可以|可否|能否|能|最好|直接|
    先|也|都|给我|务必|一定要?|顺便|还是|现在|再)*
memory_zh = (?:从(?:[你您]的?)?(?:记忆|记录|脑子|脑海)[里中]?面?)?
verb_zh = (?<![别没不勿会怎差又么经老总已刚])(?:忘(?:掉|记|了|却)?(?:掉)?|删(?:掉|除|了|去)|抹(?:掉|去)|
    清(?:除|空|掉|理掉?)|移除|去掉|拿掉|划掉|销毁|撤回|撤掉)
not_zh = (?:别|不要|不用|不必|无需|无须|请勿|勿|停止|甭|没必要|用不着)(?:再|继续|老|去|给我|帮我)*
    (?:记(?:得|住|着|录|下来?|在心上|在脑子里)?|保存|保留|留(?:着|底|存)|存(?:下来?|着|起来|储|档)?|储存|收录)
unknown_zh = (?:就|可以|全|都)*(?:当作?|当成|假装|权当)(?:是)?(?:我|[你您]|它)?(?:从来|从|压根|根本)*(?:就)?
    (?:(?:没有?|不)(?:[跟和对][你您])?(?:说|讲|提|听|发|问|告诉|知道|听见|听说|存在|发生)(?:[你您])?过?|没有?(?:这|那)?回事)
matter_zh = (?:的?(?:这|那|此)(?:一)?(?:(?:件|档子|回|桩)事(?:情|儿)?|事儿?|个人|点|个|条|项)|
    的?(?:所有|全部|一切|相关|有关)?的?(?:事情?|事儿|信息|资料|内容|记忆|记录|数据|话)|的一切|这个|了)*
tail_zh = (?:吧|掉|它|算了|了|啦|哦|啊|呗|好吗|好不好|好么|行吗|行不行|可以吗|可不可以|就行了?|就可以了?|吗|么|
    谢谢[你您啦了]?|拜托[你您]?了?|[\s~～])*
""")
_FORGETTING |= parts_of(r"""
named = (?P<about>\S.{2,}?)(?: {notes})?(?P<after>{out})[.!\s]*
named_zh = (?P<about>.{2,}?)(?:{matter_zh})
ends_zh = (?P<after>{tail_zh})[。！!\s]*
""")
_ORDER_FORMS = tuple(
    lazy_regex(expanded_form(form, _FORGETTING), re.IGNORECASE)
    for form in parts_of(r"""
forget = (?P<before>{lead}(?:(?:{you})\b)?{now}\s*)(?<![^\W_])(?P<do>{do})\s+(?:{notes}\s+)?(?:{said}|about |{so})
    {named}
mind_forgetting = (?P<before>{lead})(?P<do>{doing})\s+(?:{said}|about |{so}){named}
forget_zh = (?P<before>{lead_zh}{asks_zh}{memory_zh})(?P<do>(?:{verb_zh})(?:吧|掉)?|(?:{not_zh})着?了?)(?:关于|有关)?
    {named_zh}{ends_zh}
have_forgotten_zh = (?P<before>{lead_zh}{asks_zh}(?:把|将|对于?|(?=关于))){named_zh}
    (?:也|都|全部?|统统|通通|一起|彻底|完全|请|给我|[你您]|就|再)*{memory_zh}(?P<do>{verb_zh}|{unknown_zh}){ends_zh}
named_first_zh = {named_zh}[，,]?(?P<before>(?:请|麻烦[你您]?|就|[你您]|可以|都|也|全部?|统统|通通|一起|最好|还是|
    直接|以后|给我|帮我)*)
    {memory_zh}(?P<do>{verb_zh}|{not_zh}着?|{unknown_zh}){ends_zh}
not_to_know_zh = (?P<before>我(?:真的?|也|再|已经)*不(?:想|希望|要|愿意)(?:再)?(?:让|叫|要)?[你您])
    (?P<do>(?:再|继续|一直)*(?:记(?:得|住|着)|保存|保留)){named_zh}{ends_zh}
""").values()
)
_MAY_ORDER = lazy_regex(
    r"\bforg[eo]t|\b(?:eras|delet|wip|scrub|purg|remember|keep|stor|sav|retain|record|drop|scratch|strike|pretend|clear)"
    r"|\b(?:memory|notes)\b|[忘删抹清撤]|移除|[去拿划]掉|销毁|[当假]|[别不勿必用要需止甭着][^，。]{0,3}[记保留存储收]"
    r"|不[^，。]{1,8}记",
    re.IGNORECASE,
)
_DELETES = lazy_regex(
    r"\b(?:eras(?:e|ing)|delet(?:e|ing)|wip(?:e|ing)|scrub|purge|keep(?:ing)?|stor(?:e|ing)|sav(?:e|ing)|retain|record|remove|"
    r"strike|clear|drop|scratch|unsend|hold)\b|[删抹清移撤]|[去拿划]掉|销毁|[保留存收]",
    re.IGNORECASE,
)
"""What an agent may be told to do with a file or a branch as well: "delete my branch" says nothing of what is known."""
_OF_MEMORY = lazy_regex(
    r"\b(?:told|said|mentioned|know|remember|memory)\b|\b(?:from|in|out of) your notes\b|"
    r"\b(?:forget|delete|erase|wipe|remove|clear) (?:everything|anything|all|whatever) about\b|"
    r"\b(?:keep|delete|erase|wipe|store|save|record|retain) (?:the fact )?that \w+ \w+|"
    r"\ba record of\b|\bme \w+ing\b|[这那][件桩回个]?事|的事(?:情|儿)?(?=[，,。！!吧了也都请就你您别不删忘清抹]|$)|"
    r"假装|当[作成是我你它]?[^，。]{0,3}[没不]|"
    r"记忆|从[你您]?的?(?:记录|脑)|记得|告诉|说过|知道|关于.+(?:一切|所有)|我(?:刚才|刚刚|之前|上次)?(?:说|讲|提)过?的|别再?记|不要再?记",
    re.IGNORECASE,
)
_OF_WHAT_IS_SO = lazy_regex(
    r"\bforget (?:the fact )?that (?=\w+ \w+)|\bforget (?:where|who|when|how \w+) (?:i|my|we|our)\b|"
    r"(?:请|帮我|麻烦|把).*[我他她它].*|忘掉[我他她它]|(?:请|帮我|麻烦)[你您]?(?:忘掉|忘记|忘了)"
    r"(?!上一?[个次版]|[这那]|[之以]前|刚才|前面|[原旧老]来?的)[^，,]{2,6}$",
    re.IGNORECASE,
)
"""What says something or names somebody is meant as memory: "forget about the pizza" is not."""
_MARKED = lazy_regex(
    r"\bpretend\b|[当装][^，。]{0,4}[没不]|"
    r"\b(?:please|pls|kindly|thanks?|thank you)\b|\b(?:(?:can|could|will|would) you|you to|feel free|let['’]s)\b"
    r"|请|麻烦|劳烦|帮|拜托|求|可以|能|可否|最好|希望|想|吧|好吗|好不好|好么|行吗|行不行|谢谢|给我|务必|别|不|勿|停止|甭",
    re.IGNORECASE,
)
"""That it is an order, and no word of what somebody forgets by himself."""
_ASKED_SO = lazy_regex(
    r"\b(?:can|could|will|would) you\b|\b(?:mind|how about|what about)\b|\b(?:ok(?:ay)?|please|pls)$"
    r"|能|可以|可不可以|可否|好吗|好不好|好么|行吗|行不行",
    re.IGNORECASE,
)
"""An order in the form of a question."""
_UNSAID = lazy_regex(
    r"\W*(?:pretend|act) .*(?:said?|say|mentioned|told|tell)\b|\W*(?:就|请|你)*当.*我.*[没不].*[说讲提]", re.IGNORECASE
)
"""That nothing was said: 就当我没说."""
_WILL_IT = lazy_regex(
    r"\W*will you (?:ever |really |also )?(?:forget|erase|delete)\b(?!.*\b(?:please|pls|for me)\b)", re.IGNORECASE
)
"""What is asked of what may happen: "Will you forget my birthday?"."""
_GOVERNS = lazy_regex(
    r"\bto (?!(?:the|an?|my|our|this|that|see|me|him|her|work|school|bed)\b|(?-i:[A-Z]))"
    r"|\b(?:can|could|will|would|should|must|might|may|always|often|sometimes|usually|never|if|when(?:ever)?|let|"
    r"make|help)\b|['’](?:ll|d)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What may go on behind "and": "I just want to relax and forget about my ex" orders nothing."""
_SUBJECT = lazy_regex(
    r"\W*(?:(?:and|but|so|then|now|sometimes|usually|every \w+) )*(?:I|we|you|he|she|they|it|people|everyone|my \w+)"
    r" ['’\w]+",
    re.IGNORECASE,
)
_TOLD_BEFORE = lazy_regex(
    r"\b(?:I|we) (?:\w+ed|was|were|had|did)\b|\b(?:I|[Ww]e)['’](?:m|re|ve)\b|\b(?:am|are|have|has|is)\b"
)
_REPORTS = lazy_regex(
    r"\b(?!I\b)[\w'’]+(?: \w+)? (?:said|says|told (?:me|us|her|him|them)|tells me|asked(?: me)?|asks|keeps? saying|"
    r"suggested|advised|wrote|writes|texted)\W*$"
    r"|(?:^|[，,。；！\s])(?!我(?:刚才|刚刚|之前|都|也|再|想|是|就|[跟和对][你您])*(?:说|讲))[^，,。；！\s]*"
    r"(?:说|讲|劝我?|让我|叫我|告诉我|建议我?|问我|骂我|回我|写道|写着)[：:，,“\"\s]*$"
)
"""Before the words of somebody else."""
_NEXT = lazy_regex(
    r"[,;:，；：、—–]\s*|\s[-…]+\s|…+|\s(?=(?:and|but|so|then|or|please) )|(?<=[吧了啊])\s+", re.IGNORECASE
)
_HARD_END = lazy_regex(r"(?<!\d),(?=\s*\S)|,(?=\s*\D)|[;，；—–…]|\s-\s|(?<=[吧了啊])\s+(?=\S)")
_SOFT_END = lazy_regex(
    r"\s(?=(?:and|but|so|because|since|then) (?:please|can|could|would|will|remind|tell|let|help|give|show|start|note|"
    r"add|use|talk|don['’]t|do|you|it|he|she|they|that['’]s|now|then|just|instead|remember|set|book|make|move|ask|send)\b)"
    r"|\s(?=(?:but|so|because|since|(?P<ours>and)) (?:I|we)\b)",
    re.IGNORECASE,
)
_SAID_LAST = lazy_regex(
    r"(?:that|this|it|him|her|them|everything|anything|what i (?:just )?said|all(?: of (?:that|this|it))?)"
    r"|这个|那个|[它他她]|我?刚[才刚](?:说的?话?|那句话?)?|[这那]句话?|[我你您]|一切|所有",
    re.IGNORECASE,
)
_ABOUT = lazy_regex(
    r"^(?:我(?:说|讲|提|告诉[你您])过?的)?(?:关于|有关|[跟和与](?=.+有关))"
    r"|^(?:anything|everything|all) (?:to do with|about|related to) |(?<=.)有关(?:的.*)?$"
    r"|的?(?:[这那]件?)?(?:话|事[情儿]?|内容|信息|资料|记录|数据|记忆|一切|所有)$| (?:info(?:rmation)?|details|data)$",
    re.IGNORECASE,
)
_THE_MATTER = lazy_regex(r"^(?:the|any) (?:money|things?|stuff|part|fact) (?:that )?(?=i |my )", re.IGNORECASE)
_OF_ALL_TOLD = lazy_regex(
    r"(?:我)?(?:刚[才刚]?|上面|前面|之前|上一?个?|前一?个?|最后)(?:我|面)?(?:[跟和对][你您])?(?:[说讲提发打](?:过|到|"
    r"了|出来)?)?的?(?:[这那最后一]*(?:条|句|段|番)(?:话|消息|内容)?|话|消息|(?<=[说讲提]的)|(?<=[说讲提]过的))|"
    r"(?:what|everything|anything|all)(?: that)? i(?:['’]ve| have)?(?: just| ever)? (?:said|told you|wrote|typed|"
    r"sent)(?: just now)?|(?:(?:that|the|my|this) )?(?:last|previous) (?:message|thing|sentence|line|bit|statement|one)"
    r"(?: (?:that )?i(?: just)? (?:said|wrote|sent))?|i(?: just| ever)? (?:said|mentioned) (?:that(?: last thing)?|"
    r"anything|it)",
    re.IGNORECASE,
)
"""What its speaker said last, whatever that was."""
_GIVEN = lazy_regex(
    r"^(?:the|that|this) (?=.* (?:i|we) )|(?: that)? (?:i|we)(?:['’]ve| have)?(?: just)? (?:gave|given|told|sent|"
    r"showed|shared|mentioned|said)(?: (?:to |with )?you)?"
    r"(?: (?:earlier|before|yesterday|just now|last \w+|the other day))?$",
    re.IGNORECASE,
)
"""Around what is the speaker's own, because they told it: "the phone number I gave you"."""
_GIVEN_ZH = lazy_regex(
    r"^(?:我?(?:刚才|刚刚|之前|上次|昨天|以前|先前)?(?:[跟和对给][你您])?(?:说|讲|提|告诉[你您]|给[你您]|发[你您])(?:起|到|过|了)?的(?:那[个些])?|那个)"
)
_OF_MINE = lazy_regex(
    r"^(?:my|our)\s+(?!.* (?:is|are|was|were|has|have|had|does|did|will|would|can|could|got|gets?|[a-z]+ed|[a-z]+s) )"
    r"(?P<en>[a-z][a-z '’-]{1,30}?)$|^我(?:的|家的|家)?(?P<zh>[\u4e00-\u9fff]{1,8})$",
    re.IGNORECASE,
)
_OURS = lazy_regex(r"(?:my|our)\b|我", re.IGNORECASE)
_ORDERED_BEFORE = lazy_regex("请|麻烦|拜托|记住|记得|以后|今后|可以|帮")
_OF_WHOM_TOLD = lazy_regex("我|[跟和与].+有关|刚才|刚刚|之前|那|关于|有关")
_DATUM = lazy_regex(r"\b(?:name|number|address|e-?mail|id|handle|username|height|code)$|[号名码址]$", re.IGNORECASE)
_OF_DATA = lazy_regex(r"信息|资料|数据|记录|了吧|\b(?:info(?:rmation)?|details)\b", re.IGNORECASE)
_THANKS = lazy_regex(r"\W*(?:谢谢|多谢|感谢|拜托|麻烦|thanks|thank you|please|pls)[^，。,.]{0,8}\W*", re.IGNORECASE)
_MARKED_ALONE = lazy_regex("请|麻烦|[你您]|吧|谢")
_OF_ENTRY = lazy_regex("[这那]条|信息|资料|记录|的事|有关")
_TOLD_OF_ANOTHER = lazy_regex("[把被]|^(?:[他她它你您谁]|大家|别人)")
_KNOWN_THING = lazy_regex(
    expanded_form(
        "[前旧老新]?(?:{thing}|{kin})|工资|月薪|年薪|薪水|收入|病情?|血压|过敏|密码|身份证号?|银行卡号?|前任",
        statements_chinese.PARTS,
    )
)
"""What people tell of themselves, and may name without saying that it is theirs: 手机号的事就忘了吧."""
_PERSONAL = lazy_regex(
    expanded_form(
        r"(?:(?:{kin})的?)?(?:真名|年龄|岁数|身高|体重|血型|学历|职业|工作单位|住址|地址|家庭住址|手机号码?|电话号码?|"
        r"身份证(?:号码?)?|护照号?码?|银行卡号?|卡号|密码|工资|月薪|年薪|薪水|薪资|收入|存款|债务|欠款|车牌号?|病史?|病情|过敏(?:史)?|"
        r"病历|血压|婚姻(?:状况|史)?|星座|籍贯|民族|宗教|信仰|性取向|高考成绩|前科|个人|隐私|[前旧]?(?:{kin}))"
        r"|(?:phone number|number|(?:home |street )?address|birthday|birth ?date|date of birth|age|weight|height|"
        r"blood type|salary|wages?|income|password|pin|ssn|social security number|passport number|blood pressure|"
        r"(?:license|licence|number) plate|plate number|religion|diagnosis|illness|"
        r"allerg(?:y|ies)|medical history|sexuality|marital status|debts?|ex|real name|personal)",
        statements_chinese.PARTS,
    ),
    re.IGNORECASE,
)
"""What is deleted from a memory and hardly from anything else."""
_ELSEWHERE = lazy_regex(
    r"(?:从|在)(?![你您]?的?(?:记忆|记录|脑))[^，。]{1,12}[里中上]|表格|列表|名单|文件|文档|表单|[第]\d*[一二三四五六七八九十]?[行列]"
    r"|\b(?:from|in|on|off|out of) (?!your (?:memory|notes|records|mind)\b)(?:the|this|that|my|our|your|all|every)\b|"
    r"\b(?:column|row|line|file|table|sheet|spreadsheet|field|inbox|folder)\b",
    re.IGNORECASE,
)
"""Where something stands that is no memory."""
_SEVERAL_THINGS = lazy_regex(r"\s*(?:、|,? and |(?<=[\u4e00-\u9fff])(?:和|以及|还有|跟)(?=[\u4e00-\u9fff]))\s*")


def orders(text: str, *, speaker: str = "user") -> tuple[ForgetOrder, ...]:
    """Return what a message orders to be forgotten, wherever in it that stands.

    An order to delete a thing is no wish to forget it: "Please delete my branch", said to an agent that works, put what
    was known of branches out of mind. A thing that is only named is forgotten where it is asked to be forgotten, or
    where what was told is meant.
    """
    text = simplified(text)
    if not _MAY_ORDER.search(text):
        return ()
    own = own_words(text)
    found: list[ForgetOrder] = []
    for span in plain_sentences(text):
        place = span.start
        for start in sorted({span.start, *(one.end() for one in _NEXT.finditer(text, span.start, span.end))}):
            if start < place or not _MAY_ORDER.search(text, start, span.end):
                continue
            if found and start <= found[-1].end + 2 and (again := _said_again(text, start, span)):
                found.append(replace(found[-1], words=text[start:again], start=start, end=again))
                place = again
                continue
            for made in _orders_at(text, own, start, span, speaker):
                found.append(made)
                place = max(place, made.end)
    return tuple(found)


def _said_again(text: str, start: int, span: Span) -> int:
    """Return the end of a clause that orders what the one before it did: "…, just forget it"."""
    hard = _HARD_END.search(text, start + 1, span.end)
    end = span.end if hard is None else hard.start()
    return end if _DROPPED.fullmatch(text[start:end].rstrip(" ?？")) else 0


def without_orders(text: str, ordered: Iterable[ForgetOrder]) -> str:
    """Return a message as long as it is, with blanks for what it orders to be forgotten and what joins that to it."""
    kept: list[str] = []
    place = 0
    for one in sorted(ordered, key=lambda one: one.start):
        nearest = max(place, one.start - _LONGEST_JOINT)
        joint = _JOINS.search(text[nearest : one.start])
        start = max(place, one.start) if joint is None else nearest + joint.start()
        behind = _JOINED.match(text, one.end, one.end + _LONGEST_JOINT)
        end = max(start, one.end if behind is None else behind.end())
        kept += [text[place:start], " " * (end - start)]
        place = end
    return "".join((*kept, text[place:]))


_JOINS = lazy_regex(r"[\s,，;；、:：—–-]+(?:and|but|so|also)?\s*$|\s(?:and|but|so|also)\s*$", re.IGNORECASE)
_LONGEST_JOINT = 40
"""How far around an order a joint is looked for: trying it from each of very many blanks would take their square."""
_JOINED = lazy_regex(r"[\s,，;；、—–-]+(?:(?:and|but|so|because) )?|\s*(?:and|but|so|because) ", re.IGNORECASE)
_CLAUSE_TOLD = lazy_regex(
    r"\b(?:(?:that|where|who|when|how \w+) (?:I|my|we|our)|forget (?:I|my \w+(?: \w+)? (?:is|are|has|was)))\b",
    re.IGNORECASE,
)
"""An order of what is so, in which "and I …" is a part of that."""
_GOES_ON = lazy_regex(
    r",\s*(?:(?:and|or|as well as) )?(?:about )?(?P<en>(?:(?:that (?=I |my |we |our )|(?:where|what|who) (?:I|my|we|"
    r"our)\b)|(?:my|our) )[^,;.!?]+?)(?:,? (?:please|thanks|thank you|too|as well))*(?=[,;.!?]|$)|[，,、](?:还有|以及|"
    r"和|连同)?(?P<zh>我(?:的|说的)[^，。；！？,]{1,8}?)(?:也|都|一起|请)*(?:忘掉?了?|删掉?)?(?:吧)?(?=[。！，]|$)"
)
"""What goes on with an order: "…, and that I smoke"."""
_DROPPED = lazy_regex(
    expanded_form(
        r"{lead_zh}{asks_zh}(?:[把将])?(?P<whom>{that_zh})?(?:请|就|都|全部?|统统|也|[你您])*{memory_zh}(?:{verb_zh}|"
        r"{not_zh}|{unknown_zh})着?了?(?P<whom_zh>{that_zh})?(?P<after>{tail_zh})[。！!\s]*|"
        r"{lead}(?:(?:{you})\b)?{now}\s*(?:{do})(?: about)? (?P<whom_en>it|him|her|them|that|this)(?: {notes})?"
        r"(?P<after_en>{out})[.!\s]*|{lead}(?:pretend|act (?:like|as if)) {unknown}(?: (?:it|that|this))?[.!\s]*",
        _FORGETTING | {"that_zh": "(?:[它他她]们?|这个?|那个?|(?:这|那)(?:件|回)?事(?:情|儿)?)"},
    ),
    re.IGNORECASE,
)
"""An order that has its object before it: 我的手机号，忘了吧."""
_TOPIC = lazy_regex(
    r"(?:另外|还有|对了)?[，,]?(?:至于|关于)?(?P<zh>(?:[^，。；]{2,20}?)(?=的(?:这|那)?(?:件|回|桩|个)?事|[这那](?:件|"
    r"回|桩|个)?事))(?:的?(?:[这那](?:件|回|桩|个)?)?事(?:情|儿)?)(?P<rest>.*)|(?:(?:as for|about|regarding) )?(?:the "
    r"fact )?that (?P<en>(?:i|my|we|our) .{3,60})|(?P<about>(?:anything|everything|all) (?:to do with|about) my [\w "
    r"'’-]{2,30}|the [a-z]+ (?:that )?i [\w '’-]{2,40})",
    re.IGNORECASE,
)
"""What is spoken of before an order about it: 欠老李钱的事，请删除; "The money I owe Lionel, please forget it"."""
_WHOM = lazy_regex(
    expanded_form(r"(?P<zh>我的?[前旧]?(?:{kin}))|\b(?P<en>my (?:ex-?)?[a-z-]+)\b", statements_chinese.PARTS),
    re.IGNORECASE,
)
_OBJECT = lazy_regex(
    r"(?:另外|还有|对了)?(?:至于|关于|别再?提|不要再?提|别再?说|不说|请?把)?(?P<zh>我(?:的|[^，。；]{0,8}(?:说|讲|提|"
    r"告诉[你您])过?的)?[\u4e00-\u9fff]{1,8}?)(?:的事情?|这件事|那件事)?(?:(?:可以|就|请)*(?:删[了掉]?|去掉))?了?|"
    r"(?:(?:as for|about|regarding) )?(?P<en>(?:my|our) [a-z][a-z '’-]{1,30}?)",
    re.IGNORECASE,
)
_ASKED_THINGS = tuple(
    (lazy_regex(rf"(?:{form})", re.IGNORECASE), thing) for thing, form in word_forms("asked_things").items()
)
"""What is asked by a clause: "forget where I live" is of a home, in whichever language that was told."""
_VAGUE_THINGS = frozenset("事 话 天 心 妈呀 意思 错 名 life mind mistake bad fault question last mail words".split())


def _orders_at(text: str, own: str, start: int, span: Span, speaker: str) -> Iterator[ForgetOrder]:
    """Yield what the clause that begins at a place orders to be forgotten, and what goes on with that."""
    before = text[span.start : start]
    if own[start : start + 1] != text[start : start + 1] or _REPORTS.search(before):
        return
    if "\n" in text[:start] and _SHOWN.search(text[:start]):
        return
    hard = _HARD_END.search(text, start + 1, span.end)
    end = span.end if hard is None else hard.start()
    told = _CLAUSE_TOLD.search(text, start, end) is not None
    soft = next((one for one in _SOFT_END.finditer(text, start, end) if not (told and one["ours"])), None)
    end = end if soft is None else soft.start()
    made = _order(_Clause(text, start, end, span, speaker))
    if not made:
        return
    yield from made
    place = made[-1].end
    while more := _GOES_ON.match(text, place, span.end):
        about = more["en"] or more["zh"]
        words = f"{made[0].words} {more[0]}"
        further = [_meant(one, words, place, more.end(), speaker) for one in _several_things(about, speaker)]
        kept = [one for one in further if one is not None and (one.thing or not _OURS.match(about))]
        if not kept:
            return  # "Forget my old number, my new number is 5501" tells one
        yield from kept
        place = more.end()


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause that may order something, where it stands in its sentence."""

    text: str
    start: int
    end: int
    span: Span
    speaker: str

    @property
    def bare(self) -> str:
        """Its words without a sign of asking."""
        return self.text[self.start : self.end].rstrip(" ?？")

    @property
    def before(self) -> str:
        """What stands before it in its sentence."""
        return self.text[self.span.start : self.start]

    @property
    def is_all(self) -> bool:
        """Whether it is all that its sentence says, but for thanks."""
        is_end = self.end >= self.span.end - 1 or _THANKS.fullmatch(self.text, self.end, self.span.end) is not None
        return self.start == self.span.start and is_end

    @property
    def asks(self) -> bool:
        """Whether it asks something, and not for it to be done."""
        said = self.text[self.start : self.end].rstrip()
        asks = said.endswith(("?", "？", "吗", "么")) or (self.end < self.span.end and self.text[self.end] in "?？")
        return asks and (not _ASKED_SO.search(self.bare) or _WILL_IT.match(self.bare) is not None)

    def order(self, about: str, *, with_before: bool = False) -> ForgetOrder | None:
        """Return an order to forget something, perhaps with what stands before the clause."""
        start = self.span.start if with_before else self.start
        return _meant(about, self.text[start : self.end].strip(), start, self.end, self.speaker)

    def last(self) -> list[ForgetOrder]:
        """Return an order to forget what was said last."""
        return [ForgetOrder(self.before + self.bare, self.span.start, self.end, "", is_last=True)]


def _order(clause: _Clause) -> list[ForgetOrder]:
    """Return what a clause orders to be forgotten, one for each thing that it names."""
    bare, before = clause.bare, clause.before
    if clause.asks:
        return []
    dropped = _DROPPED.fullmatch(bare)
    if dropped is not None:
        if not before.strip():
            return clause.last() if _UNSAID.match(bare) else []
        is_him = dropped["whom_en"] in {"him", "her"} and not _GOVERNS.search(before)
        is_marked = _MARKED.search(bare) or _HIM.match(bare) or _NOT_AGAIN.match(before)
        return _dropped_object(clause, dropped) if is_him or is_marked else []
    for form in _ORDER_FORMS:
        found = form.fullmatch(bare)
        if found is None:
            continue
        if _is_of_last(found, bare) and not (before.strip() and _UNSAID.match(found["do"])):
            return (
                clause.last() if clause.start == clause.span.start else [replace(clause.last()[0], start=clause.start)]
            )
        if _SAID_LAST.fullmatch(found["about"].strip()):
            continue
        if _is_ordered(found, before, is_all=clause.is_all) and _is_named_so(found, is_all=clause.is_all):
            return _ordered(clause, found)
    return []


def _is_of_last(found: re.Match[str], bare: str) -> bool:
    """Tell whether the object of an order is what was said last: 刚才那条, "what I just said"."""
    if _SAID_LAST.fullmatch(found["about"].strip()) and _UNSAID.match(found["do"]):
        return True
    borders = [found.start(name) for name in ("before", "do", "after")]
    end = min((one for one in borders if one >= found.end("about")), default=found.end("about"))
    objects = (bare[place:end].strip(" ，,") for place in (found.start("about"), found.end("do")))
    return any(map(_OF_ALL_TOLD.fullmatch, objects)) and (
        found["do"] not in {"忘了", "忘记"} or _MARKED.search(bare) is not None
    )


def _is_named_so(found: re.Match[str], *, is_all: bool) -> bool:
    """Tell whether what stands before an order is its object: 老李把这事忘了 orders nothing."""
    about = found["about"]
    if found.start("about") > found.start("before") or _OF_WHOM_TOLD.match(about):
        return True
    if _is_known(about) and (is_all or _MARKED_ALONE.search(f"{found['before']}{found['after']}")):
        return True
    if _is_name(about, found[0], is_all=is_all):
        return _MARKED_ALONE.search(f"{found['before']}{found['after']}") is not None
    return _OF_MEMORY.search(found[0]) is not None and not _TOLD_OF_ANOTHER.search(about)


def _ordered(clause: _Clause, found: re.Match[str]) -> list[ForgetOrder]:
    """Return the orders to forget what a form of them names."""
    text, start, end, speaker = clause.text, clause.start, clause.end, clause.speaker
    about, place = found["about"], start + found.start("about")
    whole = next(iter(_stated(text[place : clause.span.end], speaker)), None)
    if whole is not None and whole.start <= 2 and place + whole.end > end:  # "I'm allergic to nuts, milk and eggs"
        end = place + whole.end
        about = text[place:end]
    words = text[start:end].strip()
    is_first = found.start("about") < found.start("before") or "把" in found["before"]
    if is_first and _OF_MEMORY.search(found[0]) and not _is_known(about):
        about = _with_subject(about)
    if _is_name(name := _ABOUT.sub("", about).strip(), words, is_all=clause.is_all):
        return [ForgetOrder(words, start, end, name, is_name=True)]
    made = (_meant(one, words, start, end, speaker) for one in _several_things(about, speaker))
    return [one for one in made if one is not None]


def _dropped_object(clause: _Clause, dropped: re.Match[str]) -> list[ForgetOrder]:
    """Return what is to be forgotten where the clause before the order names it: "My ex, please forget him"."""
    said = _NEXT.split(clause.before.rstrip(" ,，、:：—–"))[-1].strip()
    if _OF_ALL_TOLD.match(said):
        return clause.last()
    topic = _TOPIC.match(said)
    if topic is not None:
        about = _with_subject(topic["zh"] or topic["en"] or topic["about"])
        one = clause.order(about, with_before=True)
        if one is None and not topic["about"] and _SELF_TOLD.match(about):
            one = ForgetOrder(said, clause.span.start, clause.end, about)
        return [] if one is None else [one]
    whom = (dropped["whom"] or dropped["whom_zh"] or dropped["whom_en"] or "").lower()
    if whom[:1] in {"他", "她"} or whom in {"him", "her"}:
        return _person_before(clause)
    named = _OBJECT.fullmatch(said)
    if named is None:
        return _stated_before(clause, said) if whom or has_han(said) else []
    about = named["zh"] or named["en"]
    if named["zh"] and not about.startswith("我的") and not _is_known(_GIVEN_ZH.sub("", about.strip("我"))):
        return []  # 我太累了，忘了吧 names nothing
    one = clause.order(about, with_before=True)
    return [] if one is None else [one]


def _person_before(clause: _Clause) -> list[ForgetOrder]:
    """Return an order to forget whoever was named before it: "I broke up with Ray, so forget about him"."""
    before = clause.before
    if _ADVISES.search(before):
        return []
    is_again = _NOT_AGAIN.match(before) is not None
    kin = [one["zh"] or one["en"] for one in _WHOM.finditer(before)]
    kin = [one for one in kin if is_kin(re.sub("^(?:我的?|my )", "", one, flags=re.IGNORECASE))]
    start = clause.span.start if is_again else clause.start
    if kin:
        one = _meant(kin[-1], f"忘掉{kin[-1]}", start, clause.end, clause.speaker)
        return [] if one is None else [one]
    names = _names(before) or _NAME.findall(before.strip(" ,"))[:1]
    return [ForgetOrder(clause.bare, start, clause.end, names[-1], is_name=True)] if names else []


def _stated_before(clause: _Clause, said: str) -> list[ForgetOrder]:
    """Return an order not to keep what stands before it: "I'm pregnant, but please don't store that"."""
    made = tuple(one for one in _stated(clause.before, clause.speaker) if one.kind != "mood")
    about = re.sub(r" (?:but|and)$", "", said).strip(" ,")
    if not _NOT_TO_KEEP.search(clause.bare) or not (made or _SELF_TOLD.match(about)):
        return []
    return [ForgetOrder(f"{clause.before}{clause.bare}", clause.span.start, clause.end, about, stated=made)]


def _with_subject(about: str) -> str:
    """Return what is so with the speaker, who need not be named in Chinese: 欠老李钱."""
    if not has_han(about) or "我" in about:
        return about
    return f"我{about}" if tagged(about)[0].tag[:1] in {"v", "d", "p"} else about


def _names(text: str) -> list[str]:
    """Return the names of people in a text, as far as their form tells."""
    if has_han(text):
        return [one.text for one in tagged(text) if one.tag == "nr" and not is_kin(one.text)]
    return _PROPER.findall(text)


_ADVISES = lazy_regex(
    r"\b(?:sa(?:id|ys?)|told|tells|thinks?|should|advised|wrote)\b|[说劝讲叫让问](?!过的)", re.IGNORECASE
)
_PROPER = lazy_regex(r"(?<!^)\b[A-Z][a-z]+\b")
_HIM = lazy_regex(r"\W*[把将][他她]")
_NOT_AGAIN = lazy_regex(
    r"\W*(?:请|以后|[你您])*(?:别|不要|不用|不想)再?(?:跟我|和我|对我)?[提说讲]|"
    r"\W*(?:please )?(?:don['’]t|do not|never) (?:ever )?(?:mention|bring up|talk about)\b",
    re.IGNORECASE,
)
_NOT_TO_KEEP = lazy_regex(r"\b(?:do not|don['’]t|never|no need to) \w+|\bpretend\b|[别不勿]|当", re.IGNORECASE)
_SELF_TOLD = lazy_regex(r"(?:I|my|we)\b|我", re.IGNORECASE)


def _is_ordered(found: re.Match[str], before: str, *, is_all: bool) -> bool:
    """Tell whether the words of an order are one where they stand: behind which words, with which of their own."""
    if _MARKED.search(f"{found['before']} {found['do']} {found['after']}"):
        return True
    of_memory = _OF_MEMORY.search(found[0]) is not None
    if has_han(found["do"]):
        return _is_ordered_plainly(found, before, is_all=is_all, of_memory=of_memory)
    if not before.strip():
        return True
    governed = _GOVERNS.search(before) is not None
    if re.search(r"\b(?:and|or|then)\s*$", before, re.IGNORECASE) or re.match(r"\W*(?:and|or|then)\b", found[0]):
        clauses = _NEXT.split(before)
        told = _TOLD_BEFORE.search(before) is not None or any(map(is_past_form, before.casefold().split()))
        return not governed and (of_memory or told or not any(_SUBJECT.match(one) for one in clauses))
    return of_memory or not governed


def _is_ordered_plainly(found: re.Match[str], before: str, *, is_all: bool, of_memory: bool) -> bool:
    """Tell whether Chinese words without any of request order something: 我把伞忘了 and 你忘了我的生日 do not."""
    if "你" in found["before"] or "您" in found["before"]:
        return False
    if found.start("about") < found.start("before"):
        return is_all and _OF_ENTRY.search(found[0]) is not None and found["do"] not in {"忘了", "忘记"}
    if found["before"].endswith(("把", "将")):
        return is_all or of_memory
    if found["do"].startswith(("忘掉", "删", "抹", "清", "移")):
        return not before.strip() or of_memory or _ORDERED_BEFORE.search(before) is not None
    return is_all and not found["do"].startswith("忘了")


def _is_known(about: str) -> bool:
    """Tell whether a thing is one that people tell of themselves: 车牌号 is theirs, whose else."""
    return _KNOWN_THING.fullmatch(about) is not None or (has_han(about) and _PERSONAL.fullmatch(about) is not None)


def _is_name(about: str, words: str, *, is_all: bool) -> bool:
    """Tell whether an order names somebody and nothing else: 忘掉孙丽."""
    if _DELETES.search(words) and not _OF_MEMORY.search(words) and not _OF_DATA.search(words):
        return False
    if has_han(about):
        named = tagged(about)
        return len(named) == 1 and named[0].tag == "nr" and not is_kin(about)
    return is_all and not _OF_MEMORY.search(words) and _NAME.fullmatch(about) is not None


_NAME = lazy_regex(r"[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?")


def _several_things(about: str, speaker: str) -> list[str]:
    """Return the things of the speaker's that an order names: "my phone number and address"."""
    parts = [part.strip() for part in _SEVERAL_THINGS.split(about.strip())]
    if len(parts) < 2 or not _OF_MINE.match(parts[0]) or _stated(about, speaker):
        return [about]
    first = "我的" if has_han(about) else "my "
    things = [part if _OF_MINE.match(part) else f"{first}{part}" for part in parts]
    return things if all(_OF_MINE.match(thing) for thing in things) else [about]


def _meant(about: str, words: str, start: int, end: int, speaker: str) -> ForgetOrder | None:
    """Return an order to forget something, where it is about what is remembered."""
    about = _THE_MATTER.sub("", about.strip().strip("'\"‘’“”「」").removeprefix("that "))
    given = _GIVEN.sub("", about)
    about = f"my {given}" if given != about and not _OF_MINE.match(about) else about
    about = _ABOUT.sub("", _GIVEN_ZH.sub("", about))
    about = f"我的{about}" if _is_known(about) else about
    about = f"my {about[4:]}" if about[:4].lower() == "the " and _PERSONAL.fullmatch(about[4:]) else about
    made = tuple(_stated(about, speaker))
    thing = _OF_MINE.match(about)
    named = "" if made or thing is None else (thing["en"] or thing["zh"]).lower()
    named = next((one for form, one in _ASKED_THINGS if form.fullmatch(about)), named)
    deletes = _DELETES.search(words) and not _OF_MEMORY.search(words)
    if deletes and named and not _ELSEWHERE.search(words):
        deletes = not (
            _PERSONAL.fullmatch(named)
            or (other_names(named) and _OF_DATA.search(words))
            or (_NOT_TO_KEEP.search(words) and _DATUM.search(named))
        )
    # 请忘掉上一个方案，我们用新的 drops a plan, and no memory.
    if not made and ("，" in about or ", " in about or deletes):
        return None
    if not made and (named in _VAGUE_THINGS or not (named or _OF_MEMORY.search(words) or _OF_WHAT_IS_SO.search(words))):
        return None
    return ForgetOrder(words, start, end, about, named, made)
