"""What kind of talk a text is: small talk, a question and nothing else, or something that tells.

Rules, not a model: they run over every message of a chat and every memory that is given to a model, in microseconds.

What only asks, greets or says next to nothing stood before what tells: of 294 questions of LoCoMo the best turn was
missing among five for 64, and a third of those had farewells, praise or questions in their place.
"""

import re

from remanent.lightweight import memoized_by_hash
from remanent.text.regex import lazy_regex
from remanent.text.scripts import fold
from remanent.text.words import word_forms

_LONGEST_SMALL_TALK = 80
"""Characters; nobody greets or thanks at greater length without saying something besides."""
_LONGEST_QUESTION = 120
"""Characters of a sentence that only asks; in a longer one, people tell what they ask about. Chosen by hand."""
LONGEST_ASKING = 400
"""Characters of a turn that only asks; a longer one is not looked at."""

_PHRASES = word_forms("small_talk")
# "Thanks, Bob!", "Hi Ada": a name behind a greeting says nothing.
_NAMED = lazy_regex(r"\b((?i:hi|hello|hey|thanks|thank you|bye|good (?:morning|evening|night)))[\s,]+[A-Z]\w+(?=\W*$)")


def _phrases(english: str, chinese: str) -> re.Pattern[str]:
    """Return a pattern of phrases one behind the other, Chinese ones with the particles that may follow them."""
    particles = "(?:[你您]|大家|了|啦|呀|啊|哈|呢|吧|哦)*"
    return lazy_regex(rf"(?:(?:{english})(?![a-z'])|(?:{chinese}){particles}|ok)+", re.VERBOSE | re.IGNORECASE)


_SMALL_TALK = _phrases(_PHRASES["en"], _PHRASES["zh"])
_NOTHING_ALONE = _phrases(f"{_PHRASES['en']}|{_PHRASES['going_on_en']}", f"{_PHRASES['zh']}|{_PHRASES['going_on_zh']}")
"""A bare yes, no or "go on" says nothing without what it replies to; in a conversation it may decide everything."""
_BETWEEN = lazy_regex(r"[^\w'一-鿿]+|_+")

_TELL_ME = (
    r"(?:please\s+)?(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+)?(?:tell|remind)\s+me\s+(?:again\s+)?"
    r"(?=(?:what|when|where|who|whose|which|my|our|how\s+(?:old|tall|many|much|long|often|far))\b)|"
    r"(?:请问?|麻烦|你|您|能不?能?|可以|可否|再|还)*告诉我(?:一下)?[，,]?(?=[我咱])"
)
"""Who says "remind me what my shoe size is" asks, whatever mark stands at the end."""
_BEGINS_TO_ASK = lazy_regex(
    rf"\W*(?:{_TELL_ME}|(?:(?:and|so|but|hey|also|ok(?:ay)?|please)[,\s]+)*"
    r"(?:what|when|where|who|whom|whose|which|how|why|(?:do|does|did|can|could|would|will|is|are|was|were|have|has)\s+"
    r"(?:i|you|we|they|he|she|it|there|my|your|our|the|this|that|any))\b)",
    re.IGNORECASE,
)
_ENDS_IN_ASKING = lazy_regex(
    r"[?？][\s\"'”’)）…!！]*\Z|(?:吗|么)[。.！!\s]*\Z|\A[^，。；]{1,5}呢\s*\Z|"
    # 我表妹在杭州上班呢 tells; with a word that asks, or as 我的钥匙呢, it asks.
    r"(?:什么|谁|哪|几[点个号岁]|多少|多[久大远高长]|怎|为何|何时|还是)[^，。；]*呢[。.！!\s]*\Z|"
    r"(?:什么|谁|哪[个里儿些位]|几[点个号岁]|多少|多久|怎么样?|为什么|是不是|有没有|能不能)(?![都也])[^，。；]{0,12}\Z"
)
_TELLS_FIRST = lazy_regex(
    r"""\W*(?:(?:hi|hello|hey|ok(?:ay)?|so|well|btw|by\ the\ way|also|and|but|oh|fyi|since|as|because|given\ that|
    now\ that)\b[,:]?\s+)*
    (?:(?:i|we)
    (?!(?:\s|'m|'d|'ve|\ am|\ was|\ just|\ really|\ also|\ still)*\s(?:wonder|curious|asking|forg[eo]t|
    can(?:'t|not)\ re|don't\ re|(?:want(?:ed)?|need|like|love)\ to\ (?:know|ask)|know|see|agree|hear|guess|think|
    believe|suppose|mean|
    bet|hope|told\ you|said|say|mention|asked|have\ a\ question|not\ sure|sure)|
    \s(?:do|did|am|was|can|could|should|shall|may|have)[,?])
    (?:'(?:m|ve|re|ll|d)\s+|\s+[\w'-]+\s+)|
    (?:my|our)\s+(?:[\w'-]+\s+){1,3}?
    (?:is|are|was|were|has|had|have|got|can(?:'t|not)?|won't|doesn't|don't|isn't|\w+ed|\w{3,}s)\s+)
    (?:[^,;:?!\n]|[,:](?=\d))+?
    (?:\s*(?:[;–—]|[,:](?!\d))|\s-|\.\.+|…|
    \b(?=(?:so|but|and)\ (?:wh|how|is|are|do|does|can|could|should|will)))(?=\s*\S[^\n]*\?)|
    \W*(?:你好|请问|对了|话说|那个|因为|既然|由于|[嗯哎诶啊])*[，,\s]*(?:我|咱|俺)
    (?![^，,；;？?]{0,4}(?:忘|记不|不?记得|不知道|好奇|问|请教|想(?:知道|了解)|说过|提过|说的|提的|告诉过)|
    [^，,；;？?]*(?:什么|谁|哪|多少|怎|几[点号岁楼]))
    (?=[^，,；;？?]*[了过是有在到去要会能得着很太被把不没刚养住叫吃喝对])
    [^，,；;？?\n]{3,}?(?:[，,；;]|了(?=还|那|能|该|可以|要不要|怎么|需要))(?=[^\n]*\S)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What somebody says of themselves before they ask, in the same sentence: "I'm on warfarin, can I take ibuprofen?"."""
_ASKS_AFTER_ALL = lazy_regex(
    r"(?<=\w)[\s,]+(?:right|yeah|ok(?:ay)?|huh|innit|correct|"
    r"(?:is|are|was|were|do|does|did|has|have|would|will|can|could|should|wo|ca)n't (?:it|he|she|they|i|we))\?+\W*\Z|"
    r"(?:吧|[，,](?:[对是]吧|对吗|是吗|对不对|是不是|行吗|可以吗|好吗))[?？]+\W*\Z",
    re.IGNORECASE,
)
"""A sentence that tells, and asks whether it is so."""
_CLAUSE_ENDS = lazy_regex(r"[,，;；]")
_LEAST_TOLD = 12
"""Characters before such an end, a Chinese one counting as three, from which on a sentence tells something."""
_PIECE = lazy_regex(r"(?:[^.!?。！？；\n]|\.(?!\s|\Z))+(?:[.!?。！？；\"'”’)）…\s]+|\Z)")
"""About a sentence: a question parted at "3.5" still asks in its last part."""
_SHORT_QUESTION = lazy_regex(r"(?:\A|(?<=[.!?。！？…\n]))[^.!?。！？…\n]{1,80}[?？]+")
_OF_ASKING = lazy_regex(
    r"\b(?:did|have|had|was|were|what|which|questions?|topics?)\b.*\bask(?:ed|ing)?\b|\bmy\s+(?:last|earlier|previous|first)\s+"
    r"questions?\b|[我你您他她们]\S{0,6}问[过了的]|问过|提过?的?问题",
    re.IGNORECASE,
)
_LONGEST_INSTRUCTION = 400
"""Characters of a turn that may be a standing instruction; a longer one is about something else. Chosen by hand."""
_STANDING = lazy_regex(
    r"(?:\A|(?<=[.!?\n])\s)\W{0,3}(?:(?:please|and|so|also|remember|ok(?:ay)?)[,:]?\s+){0,2}"
    r"(?:always|never|from\s+now\s+on,?(?:\s+please)?)\s+"
    # "Always wanted one", "never mind", "from now on I run": somebody tells of themselves.
    r"(?!(?:i|we|my|an?|the|so|good|nice|great|happy|fun|there|here|been|had|seen|heard|knew|thought|done|gone|felt|mind"
    r"|again|too|in|on|\w+ed|\w+ing)\b)\w+"
    r"|\b(?:whenever|(?:every|each)\s+time|when|if)\s+i\s+ask\s+(?:you\s+)?(?:about|for|to|how|what)\b"
    r"|(?:\A|[。！？；，,\n])\s*(?:请|麻烦|你)?(?:以后|今后|从现在(?:开始|起)|从今以后)(?!我|他|她)[^。！？\n]{0,20}(?:都|请|要|别|必须|用|先)"
    r"|(?:每次|每当|只要)我(?:问|让|请|找)[^。！？\n]{1,40}(?:都|请|要|别|必须|用|先)|请(?:你)?(?:始终|总是|一直|永远|每次)",
    re.IGNORECASE,
)
_WORDS_OF_STANDING = ("always", "never", "now", "ask", "以后", "今后", "从现在", "每次", "每当", "只要", "请")
"""Without any of these nothing is one. Recall looks at every candidate, and hardly any holds one."""


def is_standing_instruction(text: str) -> bool:
    """Tell whether a user says how things are to be done from now on: "Always cite sources when I ask about law".

    Whoever asks for something to be done wants these heeded, although they share few words with what is asked.
    """
    if len(text) > _LONGEST_INSTRUCTION:
        return False
    folded = text.casefold()
    return any(word in folded for word in _WORDS_OF_STANDING) and _STANDING.search(text) is not None


_ONESELF = lazy_regex(r"\b(?:i|my|me|mine|we|our|us|ours)\b|我|咱|俺", re.IGNORECASE)
_POLITELY = lazy_regex(rf"^\W*(?:{_TELL_ME})", re.IGNORECASE)
# Who asks for advice or help wants no memory: "How do I mend my bike?", "我的简历该怎么写？".
_OF_ADVICE = lazy_regex(
    r"\b(?:how(?!\s+(?:old|tall|long\s+(?:have|has|had|was|were|did)|many|much|often|far))|why|should|can|could|would|may|might|"
    r"shall|need|(?<!my )(?<!our )best|wrong)\b|"
    r"怎么(?!称呼)|怎样|为什么|为何|如何|该|能|可以|需要|要不要|最好(?!的)",
    re.IGNORECASE,
)

_TAKES_BACK = lazy_regex(
    r"\W*(?:(?:oh|ah|oops|ugh|argh|sorry|hm+|um+|er+|ok|well|hang on|hold on|and|but)\b[\W_]*)*(?:no[,.!\s]+(?:wait|"
    r"sorry|actually|scratch|scrap|hang on|hold on|that'?s (?:wrong|not right)|i mean)\b|wait[,.!\s]+(?:no|actually|"
    r"sorry|that'?s (?:wrong|not))\b|(?:scratch|scrap|strike) that\b|correction\b|make that\b|i meant(?! to\b)|i mean,|"
    r"my (?:bad|mistake)\b|typo\b|that(?:'s| was| is) (?:wrong|not right|a typo)\b|i (?:misspoke|mistyped|was wrong|"
    r"got (?:that|it|this) wrong|mixed (?:that|it|them) up)\b|on second thoughts?\b|actually,? (?:no|scratch|it(?:'s| "
    r"is| was)|that(?:'s| is| was)|they(?:'re| are| were)|not)\b)|\W*(?:(?:哦|噢|喔|啊|呃|额|诶|欸|哎呀?|唉|嗯|等等|"
    r"等一?下|抱歉|不好意思|对不起)[，,。.!！…\s]*)*我?(?:不对(?![劲称等])|不是[，,、\s]|(?:刚才?|前面|上面)?(?:说|记|"
    r"写|打|搞|弄|看|讲)错|错了|更正|纠正|改正|口误|笔误|是想?说|(?:刚才?|前面|上面)(?:说|写|讲)的(?:不对|有误|错))",
    re.IGNORECASE,
)
_LONGEST_SHRUG = 120
"""Characters; an answer that goes on for longer mostly tells something besides."""
_SHRUG = lazy_regex(
    r"\W*(?:(?:i'?m |i am )?(?:sorry|afraid)[^.!?。]{0,12}?)?\bi (?:do not|don't|cannot|can't|did not|didn't)"
    r" (?:remember|recall|know|have|find|answer|tell|provide)\b[^.,!?。，！？]{0,90}[.!\s]*|"
    r"\W*(?:抱歉|对不起|很遗憾)?[，,\s]*我?(?:不记得|不知道|不清楚|无法(?:确定|提供|回答|得知)|没有(?:相关|找到|关于))[^。，！？.,!?]{0,40}[。！.!\s]*|"
    # What a model says in the place of "I": the conversation does not mention it.
    r"\W*(?:the |this |these |our |your )?(?:\w+ )?(?:conversations?|notes?|memory|memories|records?|"
    r"context|information|text) (?:above |provided |given )?(?:do(?:es)?|did) ?(?:not|n't) "
    r"(?:provide|mention|contain|include|say|state|specify|tell|give|have)\b[^.,!?。，！？]{0,90}[.!\s]*|"
    r"\W*(?:这段|此前的?|之前的?|以上的?|现有的?)?(?:对话|记录|记忆|上下文|资料|信息)[里中]?(?:并没有|没有|并未|未)"
    r"(?:提[到及供]|记录|说明|包含)[^。，！？.,!?]{0,40}[。！.!\s]*",
    re.IGNORECASE,
)


@memoized_by_hash
def is_small_talk(text: str) -> bool:
    """Tell whether a message only greets, thanks, agrees or takes its leave: "hi", "ok, thanks!", "好的".

    What goes on with the matter in hand ("yes, do that", "go on", "继续") is none.
    """
    return _is_made_of(text, _SMALL_TALK)


def says_nothing_alone(text: str) -> bool:
    """Tell whether a message is small talk, a bare yes or no, or goes on with the matter in hand ("try again", "继续").

    Kept apart from its conversation it tells nothing, and asks for nothing that could be found.
    """
    return _is_made_of(text, _NOTHING_ALONE)


def _is_made_of(text: str, phrases: re.Pattern[str]) -> bool:
    """Tell whether a text is nothing but such phrases: all of its words, or the fewest that can stand, one by one."""
    if len(text) > _LONGEST_SMALL_TALK:
        return False
    rest = _BETWEEN.sub(" ", _NAMED.sub(r"\1", fold(text).replace("’", "'"))).strip()
    if rest and not phrases.match(rest):  # nearly all
        return False
    if phrases.fullmatch(rest):
        return True
    while rest:
        phrase = phrases.match(rest)
        if phrase is None or not phrase.end():
            return False
        rest = rest[phrase.end() :].lstrip()
    return True


@memoized_by_hash
def only_asks(text: str) -> bool:
    """Tell whether a turn asks and tells nothing: every sentence of it is a short question or small talk."""
    if len(text) > LONGEST_ASKING:
        return False
    asks_once = False
    for piece in _PIECE.finditer(text):
        part = piece[0].strip()
        asks = len(part) <= _LONGEST_QUESTION and _asks(part)
        if not asks and part and not is_small_talk(part):
            return False
        asks_once |= asks
    return asks_once


def _asks(part: str) -> bool:
    """Tell whether a sentence is a question by how it begins, or by how it ends, which in ASCII only a mark tells."""
    if _BEGINS_TO_ASK.match(part):
        return True
    asks = ("?" in part or not part.isascii()) and _ENDS_IN_ASKING.search(part) is not None
    return asks and not _told_before(part)


def told_before_asking(sentence: str) -> str:
    """Return what somebody tells of themselves in a sentence that goes on to ask, nothing where it tells nothing.

    "I live in Rome, right?" asks whether it is so.
    """
    if len(sentence) > LONGEST_ASKING:
        return ""
    plain = sentence.replace("’", "'")
    found, end = _TELLS_FIRST.match(plain), _ASKS_AFTER_ALL.search(plain)
    return sentence[: found.end()] if found and (end is None or end.start() > found.end()) else ""


def _told_before(part: str) -> int:
    """Return how much of a sentence that ends in a question tells something, in characters."""
    if told := told_before_asking(part):
        return len(told)
    part = part.replace("’", "'")
    found = _ASKS_AFTER_ALL.search(part)
    if found is None or _BEGINS_TO_ASK.match(part):
        return 0
    told = part[: found.start()]
    of_oneself = speaks_of_oneself(told) and not _CLAUSE_ENDS.search(told)
    return len(told) if len(told.encode()) >= _LEAST_TOLD and not of_oneself else 0


def only_shrugs(text: str) -> bool:
    """Tell whether an answer only says that it is not known: "I do not remember.", "抱歉，我不知道。"."""
    return len(text) <= _LONGEST_SHRUG and _SHRUG.fullmatch(text.replace("’", "'")) is not None


def share_asked(text: str) -> float:
    """Return how much of a text are short questions, from 0 to 1: in a longer one people tell what they ask about."""
    if only_asks(text):
        return 1.0
    if "?" not in text and "？" not in text:
        return 0.0
    return sum(len(asked) - _told_before(asked) for asked in _SHORT_QUESTION.findall(text)) / len(text)


def asks_what_was_asked(text: str) -> bool:
    """Tell whether a question is about earlier questions: "What did I ask you yesterday?"."""
    return _OF_ASKING.search(text) is not None


@memoized_by_hash
def takes_back(text: str) -> bool:
    """Tell whether a message begins by taking back what was said just before: "no wait, it's Wednesday", 不对，是周三.

    By itself it seldom says of what: it belongs to the message that it corrects.
    """
    return _TAKES_BACK.match(fold(text[:_LONGEST_SMALL_TALK]).replace("’", "'")) is not None


def speaks_of_oneself(text: str) -> bool:
    """Tell whether a text names whoever says it: "my", "we", "我"."""
    return _ONESELF.search(text) is not None


def asks_for_advice(text: str) -> bool:
    """Tell whether a message asks for advice or help, of which no memory may tell: "How do I mend my bike?"."""
    return _OF_ADVICE.search(_POLITELY.sub("", text)) is not None


def asks_of_oneself(text: str) -> bool:
    """Tell whether a message only asks for a fact of the speaker's own: "What is my blood type?", "我的狗叫什么？"."""
    asked = _POLITELY.sub("", text)
    return only_asks(text) and speaks_of_oneself(asked) and _OF_ADVICE.search(asked) is None


_ASKS_A_NAME = lazy_regex(
    r"\b(?:called|named)\b(?=\W*\Z)|\bnames?\s+of\b|(?<=['’]s)\s+(?:(?:first|last|full)\s+)?name\b(?=\W*\Z)|"
    r"叫做?(?:什么|啥)(?:名字?)?|的?(?:名字|姓名)[叫是]?(?:什么|啥)",
    re.IGNORECASE,
)


def without_words_for_names(question: str) -> str:
    """Return a question without the words by which it asks for a name: "What's my dog called?" asks of a dog.

    Who tells of a greyhound, Biscuit, needs none of them, and "someone called Femi" has one and is no dog.
    """
    return _ASKS_A_NAME.sub(" ", question)


# ── what a message asks: its questions one by one, without what its writer says is not the question ──
# A long message says many things and asks one; searched whole, what it says first outweighs what it asks. Several
# questions in one message are searched one by one, because a vector of two matters is near to neither.

# A further question begins: what is said before it stays a question of its own.
_FURTHER = lazy_regex(
    r"(?<=[。！？!?；;])\s*(?=另外|此外|还有)|(?<=[.!?;])\s+(?=(?:also|another|besides|one more)\b)", re.IGNORECASE
)
_FURTHER_WORD = lazy_regex(r"^\s*(?:另外|此外|还有|(?:also|besides)\b)[，,：:\s]*", re.IGNORECASE)
# "What I really want to know is", "wait,": what was said before it is taken back or was small talk.
_TURN = lazy_regex(
    r"我[^，。！？,.!?]{0,6}(?:想|要)(?:问|说|知道|了解|弄清楚?|搞清楚?|弄明白|搞明白|请教|打听)(?:的(?:问题)?(?:其实|"
    r"就)?是|(?=[，：,:]))|我[^，。！？,.!?]{0,6}问题(?:其实|就)?是(?:这个|这样)?|(?:^|(?<=[。！？!?]))(?:等等|等一下|"
    r"停一下|打住)(?=[，,！!。])|\b(?:what\s+i(?:'m|\s+am)?\s+(?:really|actually)\s+(?:want(?:ed)?|meant?|need(?:ed)?|"
    r"trying)\s+to\s+(?:ask|know|find\s+out)|my\s+(?:actual|real)\s+question)\s+(?:is|was)|(?:^|"
    r"(?<=[.!?]\s))(?:no,?\s+)?(?:wait|hold\s+on|scratch\s+that)(?=,)",
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
