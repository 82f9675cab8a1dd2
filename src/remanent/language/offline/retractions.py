"""What somebody takes back: that it is no longer so, that it never was, or that it is to be forgotten.

A sentence that denies something is read as the one that would state it; what that one states is what is taken back.
Nothing is made of it by itself: it only ends what is known, so that a denial of what nobody said changes nothing.

An order to delete a thing is no wish to forget it: "Please delete my branch", said to an agent that works, put what was
known of branches out of mind. A thing that is only named is forgotten where it is asked to be forgotten, or where what
was told is meant.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import Statement, subject_name
from remanent.language.offline.statements import is_secret, plain_sentences, said_by_oneself, statements, third_person
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class Retraction:
    """What is taken back: the statement that no longer holds, with the words that say so as its content."""

    statement: Statement
    forgets: bool = False
    """Whether it is to be forgotten, rather than known to be over."""
    is_last: bool = False
    """Whether it is whatever was stated last before it."""


_FORGET = lazy_regex(
    r"^\W*(?:(?:please|ok|okay|actually|and|so|hey|can you|could you)\W+)*"
    r"(?:forget|erase|delete|(?:do not|don['’]t|stop) (?:remember(?:ing)?|keep(?:ing)?))\s+"
    r"(?:(?:what|everything|anything|all) (?:i (?:told you|said|mentioned)|you know) about |about "
    r"|(?:the fact )?(?:that )?(?:i (?:told|said to) you (?:that )?|i (?:said|mentioned) (?:that )?)?)"
    r"(?P<en>.{3,}?)[.!\s]*$"
    r"|^\W*(?:请|帮我|麻烦|你|就|快|把|可以)*(?:忘掉|忘记|忘了|删掉|删除|别再?记得?|不要再?记得?|"
    r"不用再?记得?)(?:吧|掉)?(?:关于)?"
    r"(?P<zh>.{2,}?)(?:这件事|这事|这一点|这个|的事|吧|了)*[。！!\s]*$"
    r"|^\W*(?:请|帮我|麻烦|你)*把(?P<zh2>.{2,}?)(?:这件事|这事|这一点|的事)*(?:忘掉|忘记|忘了|删掉|删除)(?:吧|"
    r"了)?[。！!\s]*$",
    re.IGNORECASE,
)
_ORDER = lazy_regex(r"\b(?:erase|delete|keep(?:ing)?)\b|删", re.IGNORECASE)
"""What an agent may be told to do with a file or a branch as well: "delete my branch" says nothing of what is known."""
_OF_MEMORY = lazy_regex(r"\b(?:told|said|mentioned|know|remember)\b|记忆|记得|告诉|说过|知道", re.IGNORECASE)
_LAST = lazy_regex(
    r"^\W*(?:(?:sorry|actually|no|wait|oh|well)\W+)*(?:that|this|what i (?:just )?said)(?:['’]s| is| was|)\s*"
    r"(?:no longer (?:true|right|so|the case|valid)|not (?:true|right|so|the case|valid)(?: any ?more| any longer)?"
    r"|wrong|not right|n['’]t (?:true|right)(?: any ?more)?)\W*$"
    r"|^\W*(?:that|this) (?:is|was)n['’]t (?:true|right|the case)(?: any ?more)?\W*$"
    r"|^\W*(?:please )?forget (?:that|this|it|what i (?:just )?said)\W*$"
    r"|^\W*(?:不对|抱歉|其实|哦)*[，,]?\s*(?:(?:这|那)(?:已经|个|件事|一点)*(?:不是真的|不再(?:成立|是真的|"
    r"这样)|不对|已经不是这样)了?|我说错了|刚才说错了|刚才(?:说的|那句)(?:不对|不算数|作废))\W*$"
    r"|^\W*(?:请|你)*(?:忘掉|忘了|忘记)(?:这个|它|刚才(?:说的|那句话?)?|这句话?)(?:吧)?\W*$",
    re.IGNORECASE,
)
_NO_FORM_OF_BE = "".join(rf"(?<!\b{word} )" for word in "be been being am is are was were get got".split())
"""Before "used to": what can be used to do something, or what one is used to, is not over."""
# How each denial would be stated; the first that fits is taken.
_ENGLISH: tuple[tuple[re.Pattern[str], str], ...] = (
    (lazy_regex(r"\bno longer\s+(?=\w)", re.IGNORECASE), ""),
    (lazy_regex(r"\b(I|[Ww]e) used to be\b"), r"\1 am"),
    (lazy_regex(rf"{_NO_FORM_OF_BE}\bused to\s+", re.IGNORECASE), ""),
    (lazy_regex(r"\b(?:don['’]t|do not|doesn['’]t|does not|never did|didn['’]t|did not)\s+(?:actually |"
    r"really )?"), ""),
    (lazy_regex(r"\b([Ii])(['’]m| am) not (?:actually |really )?"), r"\1\2 "),
    (lazy_regex(r"\b(is|are|was)(?: not|n['’]t) (?:actually |really )?"), r"\1 "),
    (
        lazy_regex(r"\b[Ii](?:['’]ve| have|['’]m| am)? (?:just |recently )?(?:quit|"
                   r"left(?! [A-Z]\w* (?:early|late|at|around|before|for)\b)|resigned from|"
                   r"was laid off from|(?:done|through|finished) with|"
                   r"(?:no longer|not(?=.* any ?more\b)) (?:working )?(?:at|with|for))"
                   r"(?: my (?:old |last )?(?:job|position)(?: at| with)?)? (?=[A-Z])"),
        "I work at ",
    ),
    (
        lazy_regex(r"\b[Mm]y (?:contract|job|internship|position|time|stint) (?:with|at) "
                   r"(?=[A-Z][\w&. -]* (?:ran out|ended|expired|is over|came to an end|was cut))"),
        "I work at ",
    ),
    (
        lazy_regex(r"\b[Ii](?:['’]ve| have)? (?:just |recently )?(?:gave away|lost|sold|rehomed) (?:my|our|the) "
                   r"(?=(?:old |poor |little )?(?:[a-z-]+|[A-Z][\w-]*(?: [A-Z\d][\w-]*)*)"
                   r"(?:[.,;!]|$| (?:and|last|yesterday|today|this|to|in|on|again)\b))"),
        "I have a ",
    ),
    (
        lazy_regex(r"\b[Ii](?:['’]ve| have)? (?:now |just )?(?:eat|started (?:eating|to eat))"
                   r" (?:fish|meat|chicken|beef|pork)(?: again| now| again now)[\s.!]*$"),
        "I am vegetarian",
    ),
)  # fmt: skip
_CHINESE: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        lazy_regex(r"我(?:其实|根本|现在|已经|早就)*(?:没有?|不再?)(?:养|有)(?:了|过)?(?:任何)?"
                   r"(?:[一两三四五\d]+[只个条位])?"),
        "我有一只",
    ),
    (lazy_regex(r"(?<=[，,])(?:已经|早就|现在|目前)*不再?(?=住在?|在[^，。]{2,10}住)"), "我"),
    (lazy_regex(r"(?:已经|早就|现在|目前)*(?:从)(?=.{2,20}(?:离职|辞职))"), "在"),
    (lazy_regex(r"我(?:已经|刚|上个?月|最近)*离开了?(?=[^，。]{2,16}(?:公司|集团|了)?)"), "我在"),
    (lazy_regex(r"(?:已经|早就|现在|目前|其实|最近)*不再?(?=住|在|是|做|当|叫|用|开|养)"), ""),
    (lazy_regex(r"(?:以前|之前|原来|曾经|从前|过去)(?:是|也)?(?=住|在|做|当|用|开|养)"), ""),
    (lazy_regex(r"(?:以前|之前|原来|曾经|从前|过去)(?=是)"), ""),
    (lazy_regex(r"(?:已经|早就|现在|其实|并)*(?:不再?|没有?)(?=过敏|对[^，。]{1,12}过敏)"), ""),
    (lazy_regex(r"(?:已经|早就|现在|其实)*不再(?=喜欢|爱)"), ""),
)  # fmt: skip
# Somebody is no more, or no longer somebody's: what was known of who they are is over.
_GONE = lazy_regex(
    r"^\W*(?:(?i:sadly|unfortunately|so|well|oh|and|but)\W+)*(?:[Mm]y |[Oo]ur )?(?:[a-z]+ (?=[A-Z]))?"
    r"(?P<en>(?!(?i:he|she|it|they|we|who|that|this|the|everyone|nobody|people)\b)[\w'’-]+)"
    r" (?:has |have |just |sadly |recently )*(?:died|passed away|was put (?:down|to sleep)|"
    r"crossed the rainbow bridge|"
    r"ran away|run away|(?:is no longer|isn['’]t) with us)\b"
    r"|^\W*(?:[Ww]e|I) (?:recently |just )?(?:had to )?(?:put|let|said goodbye to|say goodbye to) (?:our |"
    r"my )?(?:old )?"
    r"(?P<en_>[\w'’-]+)(?: (?:down|to sleep|go))?(?: (?:last|yesterday|today|this|in|on)\b|[.!]*$)"
    r"|^\W*(?:可惜|唉|难过的是)?[，,]?\s*(?:我们?家?的?)?(?:猫|狗|兔子)?(?P<zh>[\u4e00-\u9fff]{2,4}?)"
    r"(?:昨[天晚]|今[天早]|前天|上个?[周月]|去年|[春夏秋冬]天|刚刚?|已经|前几天|不幸){0,3}(?:(?:去世|过世|"
    r"离世|病逝)了?|(?:走丢|跑丢|没|被?送人|死|死掉)了)\W*$"
)
_PARTED = lazy_regex(
    r"^\W*(?:(?i:sadly|so|well|oh|and|but|actually)\W+)*(?:(?P<en>(?:[Mm]y )?[\w'’-]+) and [Ii]|[Ww]e|I)"
    r"(?:['’]ve| have|['’]re| are| just| recently| finally)*"
    r" (?:broke up|broken up|split up|separated|got (?:a )?divorced?|divorced|called off our engagement|ended things|"
    r"(?:no longer|not) together|over|aren['’]t together)\b"
    r"(?: with (?P<with>(?:my )?[\w'’-]+))?"
    r"|^\W*我们?(?:[和跟与](?P<zh>[\u4e00-\u9fff]{2,4}?))?(?:已经|最近|上个?[周月]|刚刚?|昨天|终于|"
    r"前几天){0,2}(?:分手|离婚|散|掰|不在一起)了?\W*$"
)
"""Whoever is parted from was a partner: of another of that name nothing is over."""
_SPOUSES = "wife husband 老婆 老公 妻子 丈夫".split()
_PARTNERS = "girlfriend boyfriend partner fiancée fiancé 女朋友 男朋友 女友 男友 对象 未婚妻 未婚夫".split()
_END = lazy_regex(r"\s+(?:any ?more|any longer|these days|now|after all)(?=[\s.!,;]*$)", re.IGNORECASE)
_END_CHINESE = lazy_regex(r"(?:离职|辞职)了?(?=[。！!]?\s*$)|了(?=[。！!]?\s*$)")
_HEDGE = lazy_regex(
    r"^\W*(?:(?:actually|well|no|oh|sorry|in fact|now|and|but|so|(?:it )?turns out(?: that)?|"
    r"(?:(?:the|my|a) )?(?:[\w-]+ ){0,3}(?:tests?|results?|doctors?|allergist|specialist|gp|nurse|check-?up) "
    r"(?:says?|said|shows?|showed|confirm(?:s|ed)|finds?|found|reveal(?:s|ed)|told me)(?: that)?)\W+)+"
    r"|^\W*(?:其实|原来|不过|对了|现在|哦|啊|不)[，,]?(?=我)"
    r"|^[^，,。]{0,12}(?:医生|大夫|检查|复查|化验|结果)(?:结果)?(?:说|显示|表明|确认|发现)[，,]?(?=我)",
    re.IGNORECASE,
)
_OF_MINE = lazy_regex(
    r"^(?:my|our)\s+(?P<en>[a-z][a-z -]{1,30}?)$|^我(?:的|家的|家)?(?P<zh>[\u4e00-\u9fff]{1,8})$", re.IGNORECASE
)
_HAN = lazy_regex(f"[{HAN}]")


def retractions(text: str, *, speaker: str = "user", is_user: bool = True) -> list[Retraction]:
    """Return what a message takes back, in order; only a user has something forgotten."""
    found: list[Retraction] = []
    for span in plain_sentences(text):
        sentence = said_by_oneself(span.of(text))
        made = list(_of_sentence(sentence, speaker=speaker, is_user=is_user))
        found += [
            replace(one, statement=replace(one.statement, start=span.start, end=span.end))
            for one in made
            if not is_secret(one.statement.content)
        ]
    return found


def _of_sentence(sentence: str, *, speaker: str, is_user: bool) -> Iterator[Retraction]:
    if is_user and _LAST.match(sentence):
        forgets = re.search(r"forget|忘", sentence, re.IGNORECASE) is not None
        yield Retraction(Statement("fact", "", "", "", sentence.strip(), 0, 0), forgets=forgets, is_last=True)
        return
    asked = _FORGET.match(sentence) if is_user and not sentence.rstrip().endswith(("?", "？")) else None
    if asked:
        about = (asked["en"] or asked["zh"] or asked["zh2"]).strip()
        yield from _forgotten(about, sentence, speaker)
        return
    if is_question(sentence):
        return
    for topic in _of_others(sentence):
        zh = _HAN.search(sentence) is not None
        told = re.sub(
            r"^[Ww]e\b(?:['’]re| are|['’]ve| have)?|^我们", "我" if zh else "I", _HEDGE.sub("", sentence).strip()
        )
        content = third_person(told.strip(" .。!！"), speaker)
        whose = subject_name(speaker, zh=zh)
        if _PARTED.match(sentence):
            whose = f"{whose}的爱人" if zh else f"{whose}'s partner"
        yield Retraction(Statement("fact", whose, topic, "", content, 0, 0))
    for one in _denied(sentence, speaker):
        yield Retraction(replace(one, content=third_person(_HEDGE.sub("", sentence).strip(" .。!！"), speaker)))


def _of_others(sentence: str) -> list[str]:
    """Return by name or kin who is no more, or is parted from: any partner, where nobody is named."""
    gone, parted = _GONE.match(sentence), _PARTED.match(sentence)
    if gone is not None:
        return [gone["en"] or gone["en_"] or gone["zh"]]
    if parted is None:
        return []
    named = (parted["en"] or parted["with"] or parted["zh"] or "").lower().removeprefix("my ")
    anybody = _SPOUSES if re.search("divorce|离婚", sentence) else [*_PARTNERS, *_SPOUSES]
    zh = _HAN.search(sentence) is not None
    return [named] if named else [word for word in anybody if bool(_HAN.search(word)) is zh]


def _forgotten(about: str, sentence: str, speaker: str) -> Iterator[Retraction]:
    """Yield what is to be forgotten: what a clause states, or all that is known of something of the speaker's."""
    made = statements(about, speaker=speaker)
    for one in made:
        yield Retraction(replace(one, content=sentence.strip()), forgets=True)
    thing = _OF_MINE.match(about)
    if thing and not made and (_OF_MEMORY.search(sentence) or not _ORDER.search(sentence)):
        zh = bool(thing["zh"])
        name, topic = subject_name(speaker, zh=zh), (thing["en"] or thing["zh"]).lower()
        yield Retraction(Statement("fact", name, topic, "", sentence.strip(), 0, 0), forgets=True)


def _denied(sentence: str, speaker: str) -> list[Statement]:
    zh = _HAN.search(sentence) is not None
    lean = _HEDGE.sub("", sentence)
    for pattern, stated in _CHINESE if zh else _ENGLISH:
        positive, count = pattern.subn(stated, lean, count=1)
        if not count:
            continue
        positive = _END_CHINESE.sub("", positive) if zh else _END.sub("", positive)
        if zh and stated in {"在", "我在"}:  # whoever left a firm worked there
            positive = f"{positive.rstrip('。！! ')}上班"
        made = [one for one in statements(positive, speaker=speaker) if one.kind in {"fact", "preference"}]
        if made:
            # What is stated beside the denial is not what is denied: "I don't trust pills, I prefer tea".
            beside = {(one.attribute, one.value) for one in statements(lean, speaker=speaker)}
            return [one for one in made if (one.attribute, one.value) not in beside]
    return []
