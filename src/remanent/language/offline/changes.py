"""What somebody says is otherwise now: what held until then, or of what there is another value.

A change by itself states no fact as others do ("They rescheduled my flight to 9 am"). It says enough to tell which
memory of the same matter is no longer so, and nothing of any other: who only mentions a word changes nothing by it.
"""

import re
from collections.abc import Iterator

from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import subject_name
from remanent.language.offline.statements import is_secret, plain_sentences, third_person
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """A change that was told, with the place of its sentence."""

    subject: str
    """Whose it is, in the third person."""
    content: str
    start: int
    end: int
    was: str = ""
    """What held until then, in the words of who tells it."""
    thing: str = ""
    """Of what there is another value."""
    value: str = ""
    """Its new value, where one is named."""
    work: bool = False
    """Whether it was somebody's work, and nothing else that bears the name."""
    renewed: bool = False
    """Whether another took the place of the thing itself: a new boss, not a boss at another place."""
    safe: str = ""
    """What somebody may eat or take again: they were allergic to it, if they were."""
    sold: bool = False
    """Whether what held was a thing that somebody had, and nothing that they do with it."""
    stated: bool = False
    """Whether the sentence states the new value as others do: only what was told of as a habit is left to end."""


_ADVERBS = r"(?:['’]ve| have|['’]s| has)?(?: just| recently| finally| now| actually| also)*"
_SOLE = (
    r"(?!(?:friend|cousin|colleague|coworker|neighbou?r|client|customer|student|brother|sister|son|daughter|child|baby|"
    r"cat|dog|pet|favou?rite|name)\b)(?P<renewed>[a-z]+(?: [a-z]+)?)"
)
"""Whom or what there is one of at a time; who has a new friend has lost none."""
_ENGLISH = (
    # "We switched from Jira to Linear"
    (
        rf"\b(?P<who>I|[Ww]e|[Mm]y [a-z]+){_ADVERBS} (?:switched|changed|converted|migrated|went|upgraded)(?: over)? "
        r"from (?:my |our |the )?(?:old )?(?P<was>[^,.;!?]{2,60}?) to\b"
    ),
    (
        rf"\b(?P<who>I|[Ww]e|[Mm]y [a-z]+){_ADVERBS} (?:(?:traded|swapped|exchanged)(?: in)?|replaced|ditched|sold|"
        r"cancell?ed|gave up|given up|got rid of|dropped(?=[^,.;!?]* for ))"
        r" (?:my |our |the )?(?:old )?(?P<was>[^,.;!?]{2,60}?)"
        r"(?= in for\b| for\b| with\b| and\b| last\b| yesterday\b|[,.;!]|$)"
    ),
    (
        rf"\b(?P<who>I|[Ww]e|[Mm]y [a-z]+){_ADVERBS} (?:stopped|quit|gave up|given up) "
        r"(?P<was>[a-z]+ing\b[^,.;!?]{0,60}?)(?= and\b| last\b| because\b|[,.;!]|$)"
    ),
    rf"\b(?P<who>[Mm]y [a-z]+){_ADVERBS} (?:quit|left|resigned from) (?P<work>[A-Z][\w&.'’-]*(?: [A-Z][\w&.'’-]*)*)",
    (
        rf"^\W*(?P<who>I|[Ww]e|[Tt]hey|[Mm]y [a-z]+|[Tt]he [a-z]+){_ADVERBS} (?:raised|lowered|increased|reduced|cut|"
        r"changed|moved|pushed|postponed|rescheduled|delayed|brought|extended|shifted)(?: back| up| forward)? "
        r"(?:my|our|the) (?P<thing>[a-z]+(?: [a-z]+)?)(?: back| up| down| forward)? (?:from [^,.;!?]{1,30} )?"
        r"(?:to|until) "
        r"(?P<value>[^.;!?]{1,60})"
    ),
    r"\b(?P<who>[Mm]y) new (?P<renewed>[a-z]+(?: [a-z]+)?)(?: is|['’]s)(?: called| named)? (?P<value>[^,.;!?]{1,60})",
    # "My manager is now Bram", "Bram is my manager now": a name, and of whom there is one at a time.
    rf"\b(?P<who>[Mm]y|[Oo]ur) {_SOLE} (?:is|['’]s) now(?: called| named)? (?P<value>[A-Z][^,.;!?]{{1,60}})",
    rf"\b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){{0,3}}) is (?P<who>now my|my new) {_SOLE}(?= now\b|[,.;!]|$)",
    rf"\b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){{0,3}}) is (?P<who>my) {_SOLE} now\b",
    rf"\b(?P<who>I)(?:['’]ve)?(?: have| got) a new {_SOLE}(?: called| named|[,:]) (?P<value>[A-Z][^,.;!?]{{1,40}})",
    (
        r"\b(?P<who>I|[Mm]y [a-z]+|[A-Z][a-z]+)(?: can|(?: am|['’]m| is) allowed to|(?:['’]s| is|['’]m| am) fine to)"
        r"(?: now| finally| safely)* (?:eat|have|drink|take|wear|use) (?P<safe>[^,.;!?]{2,40}?) "
        r"(?:again|now|after all|safely)\b"
    ),
    (
        rf"\b(?P<who>I|[Mm]y [a-z]+|[A-Z][a-z]+){_ADVERBS} (?:outgrown?|outgrew|got over|lost) "
        r"(?:my|his|her|the|their) (?P<safe>[^,.;!?]{2,40}?) allergy\b"
    ),
)
_KIN = "太太|老婆|先生|老公|妻子|丈夫|女朋友|男朋友|儿子|女儿|爸爸?|妈妈?|哥哥?|姐姐?|弟弟?|妹妹?"
_WORD = r"(?:(?!把|我|的|从|又|已|就|才|就|也)[\u4e00-\u9fffA-Za-z0-9])"
_OURS = r"(?:^|[，,。；！]|我们?的?|把(?:我们?的)?)"
_ONE = r"(?:(?!现在|如今|已经|医生|我|的|是|都|也)[\u4e00-\u9fff])"
_POST = rf"(?:(?![爸妈哥姐弟妹叔姨舅姑婆公爷奶嫂侄孙儿女友]|同事|朋友|邻居|同学|太太|老婆|先生|妻子|丈夫|对象){_ONE})"
"""Whom there is one of at a time; of kin and friends it is told what they are, not who they are."""
_FOOD = rf"(?:(?!医生|大夫|老师|结果|现在|已经|终于|说|了){_WORD})"
_LATELY = "现在|已经|刚刚?|最近|早就|终于|又|上个?[周月]|今年|去年|昨天"
_SAYS = "(?:医生|大夫|医院|检查|复查|结果|老师)(?:结果)?(?:都|也)?(?:说|讲|告诉我|显示|确认)[，,：:]?"
_CHINESE = (
    (
        rf"(?P<who>我(?:的|家)?(?:{_KIN})?)(?:现在|已经|最近|早就)*(?:[，,])?(?:不再?|戒了?|停止)"
        r"(?P<was>(?:吃|喝|学|用|开|坐|骑|抽|玩|看|练|打|做|穿)[^，。；！？了]{1,12})了"
    ),
    r"(?<=[，,])(?P<who>)(?:现在|已经)*不再?(?P<was>(?:吃|喝|学|用|开|坐|骑|抽|玩|看|练|打|做|穿)[^，。；！？了]{1,12})了",
    rf"(?P<who>我(?:的|家)?(?:{_KIN})?)(?:已经|刚|上个?月|最近|今年|去年)*离开了?(?P<work>[^，。；！？去了]{{2,16}})",
    (
        rf"(?P<who>我)(?:们)?(?:已经|刚|最近)*(?:把|卖了|卖掉了?|退了|取消了)(?:我?的)?(?P<was>{_WORD}{{2,12}}?)"
        r"(?=卖|换|退了|扔|取消|停|[，。；！]|$)"
    ),
    (
        rf"(?P<who>){_OURS}(?P<thing>{_WORD}{{2,6}}?)(?:又|已经|从[^，。；]{{1,10}})*(?:涨|降|改|换|推迟|提前|调整?|变|延期|延后)"
        r"(?:到|成|为|至)了?(?P<value>[^，。；！？]{1,20})"
    ),
    rf"(?P<who>我)(?:们)?(?:已经|刚|最近|上个?[周月])*换了?(?:新的?|一[个台部辆]新?)?(?P<renewed>{_WORD}{{2,4}}?)(?=了|[，,])",
    rf"(?P<who>){_OURS}新(?P<renewed>{_WORD}{{1,4}}?)(?:是|叫)(?P<value>[^，。；！？]{{1,20}})",
    rf"(?P<who>){_OURS}(?:现在的?|如今的?)(?:我们?的)?(?P<renewed>{_POST}{{2,6}}?)(?:是|叫|换成了?)(?P<value>[^，。；！？]{{1,20}})",
    rf"(?P<who>){_OURS}(?P<renewed>{_POST}{{2,6}}?)(?:现在|如今|已经)+(?:是|换成了?|换了)(?P<value>[^，。；！？]{{1,20}})",
    rf"(?P<who>我)(?:{_LATELY})*从(?P<work>[^，。；！？我]{{2,16}}?)(?:{_LATELY})*(?:离职|辞职|跳槽|出来)",
    rf"(?P<who>我)(?:{_LATELY})*辞(?:掉|去)?了?(?P<work>[^，。；！？我]{{2,16}}?)的?(?:工作|职位)",
    (
        rf"(?P<who>)(?:^|[，,。；！])(?:我们?)?(?:{_LATELY})*(?:把|将)?(?:我们?家?的)?(?:(?:那|这)[辆台部只]|旧的?|老)?"
        rf"(?P<sold>{_WORD}{{2,12}}?)(?:{_LATELY})*(?:给)?(?:卖|处理|报废|送人|扔|淘汰)掉?了"
    ),
    (
        rf"(?:{_SAYS}|^|[，,])(?P<who>我(?:的|家)?(?:{_KIN})?|{_ONE}{{2,3}}?)?(?:{_LATELY})*(?:可以|能)(?:吃|喝|碰|用)"
        rf"(?P<safe>{_FOOD}{{1,8}}?)了"
    ),
    (
        rf"(?:(?P<who>我(?:的|家)?(?:{_KIN})|(?<![{HAN}]){_ONE}{{2,3}}?)的?过敏[^。！？]{{0,20}}?)?(?:{_SAYS}|^|[，,])"
        rf"(?P<safe>{_FOOD}{{1,8}}?)(?:{_LATELY})*(?:可以|能)(?:吃|喝|碰|用)了"
    ),
)
_FORMS = {zh: tuple(lazy_regex(form) for form in forms) for zh, forms in ((True, _CHINESE), (False, _ENGLISH))}
_UNREAL = lazy_regex(
    r"\b(?:would|could|might|if|want|plan|once|until|unless|not|never)\b|n['’]t\b|如果|想要?|打算|等|要是|希望"
)
_OF_SOMEBODY_ELSE = lazy_regex(
    r"\w['’]s\b|\b(?:his|her|their|its|would|could|might|if|want|plan)\b|[他她]|如果|想要?|打算"
)
_MAY_CHANGE = lazy_regex(
    r"\b(?:switch|chang|convert|migrat|went|upgrad|trad|swapp|exchang|replac|ditch|sold|cancel|g[ai]ve|got rid|dropp|"
    r"stopp|quit|left|resign|rais|lower|increas|reduc|cut|mov|push|postpon|reschedul|delay|brought|extend|shift|new\b|"
    r"is now\b|my [a-z ]+ now\b|outgr|got over|lost|can\b|allowed|fine to)"
    r"|[不戒停换改涨降调变新离卖退辞扔]|现在|如今|处理|报废|送人|淘汰|(?:可以|能)[吃喝碰用]|推迟|提前|延[期后]|取消",
    re.IGNORECASE,
)
_HAN = lazy_regex(f"[{HAN}]")
_LONGEST = 200
"""Characters of a sentence that is read: of a longer one it is not plain what has changed."""


def changes(text: str, *, speaker: str = "user") -> Iterator[Change]:
    """Yield what a message says has changed, sentence by sentence."""
    for span in plain_sentences(text):
        sentence = span.of(text)
        if len(sentence) > _LONGEST or not _MAY_CHANGE.search(sentence) or is_question(sentence):
            continue
        if is_secret(sentence):
            continue
        of_others = _OF_SOMEBODY_ELSE.search(sentence) is not None
        zh = _HAN.search(sentence) is not None
        for form in _FORMS[zh]:
            for found in form.finditer(sentence):
                told = found.groupdict()
                if of_others if not told.get("safe") else _UNREAL.search(sentence):
                    continue
                # Whoever raises the rent, it is the speaker's.
                who = "" if told.get("thing") or told.get("renewed") else told["who"] or ""
                yield Change(
                    subject=_subject(who, speaker, zh=zh),
                    content=third_person(_clause(sentence, found.start()).strip(" .。!！"), speaker),
                    start=span.start,
                    end=span.end,
                    was=(told.get("was") or told.get("work") or told.get("sold") or told.get("safe") or "").strip(),
                    thing=(told.get("thing") or told.get("renewed") or "").strip(),
                    value=(told.get("value") or "").strip(),
                    work=bool(told.get("work")),
                    renewed=bool(told.get("renewed")),
                    safe=(told.get("safe") or "").strip(),
                    sold=bool(told.get("sold")),
                )


def _clause(sentence: str, place: int) -> str:
    """Return the part between semicolons that a place is in: who is told of before it is not whose the change is."""
    begin = max(sentence.rfind(mark, 0, place) for mark in ";；") + 1
    return re.split("[;；]", sentence[begin:].strip(), maxsplit=1)[0]


def _subject(who: str, speaker: str, *, zh: bool) -> str:
    """Return whom a change is about: the speaker, or somebody of theirs."""
    name = subject_name(speaker, zh=zh)
    if zh:
        kin = re.sub("^我(?:的|家)?", "", who)
        if kin and kin == who and not re.fullmatch(_KIN, kin):
            return who  # by their name
        return f"{name}的{kin}" if kin else name
    words = who.split()
    if len(words) == 1 and words[0] not in {"I", "We", "we", "My", "my", "They", "they"}:
        return who
    return f"{name}'s {words[1]}" if len(words) > 1 else name
