"""What somebody says is otherwise now: what held until then, or of what there is another value.

A change by itself states no fact as others do ("They rescheduled my flight to 9 am"). It says enough to tell which
memory of the same matter is no longer so, and nothing of any other: who only mentions a word changes nothing by it.

Of 45 pairs written for it 38 old statements are ended, and 18 were before; of 21 written afterwards 16, and 3 before;
of 22 changes of something else none ends anything. Of 11,204 turns of LoCoMo, RealMem, LongMemEval and MemDaily 4 are
read as a change: it is rare, and must not be heard where it is not.
"""

import re
from collections.abc import Iterator

from remanent.language.offline.life import ROWS, life_changes
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import subject_name
from remanent.language.offline.statements import is_secret, plain_sentences, said_by_oneself, third_person
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.text.spans import Span
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
    stated: str = ""
    """Of what the sentence states the new value as others do: what was told of just that is not left to end."""
    plan: bool = False
    """Whether it was meant to be done, and will not be."""
    done: bool = False
    """Whether somebody was at it, and is through."""
    life: str = ""
    """The row of changes in a life that it is told by; then `value` is what took the place of something."""


_ADVERBS = r"(?:['’]ve| have|['’]s| has)?(?: just| recently| finally| now| actually| also| had to| decided to)*"
_THEN = (
    r"(?= (?:in for|for|with|and|last|yesterday|because|completely|altogether|ages|years|months|"
    r"a (?:while|year|month|few)|since|this|after|when)\b|[,.;!]|$)"
)
_GROUP = (
    "band|team|club|choir|orchestra|group|class|course|church|board|committee|army|league|society|party|program(?:me)?"
)
_SOLE = (
    r"(?!(?:friend|cousin|colleague|coworker|neighbou?r|client|customer|student|brother|sister|son|daughter|"
    r"child|baby|"
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
        r"cancell?ed|g[ai]ven? up|cut out|sw(?:ore|orn) off|got rid of|dropped(?=[^,.;!?]* for ))"
        rf" (?:my |our |the )?(?:old )?(?P<was>[^,.;!?]{{2,60}}?){_THEN}"
    ),
    (
        rf"\b(?P<who>I|[Ww]e|[Mm]y [a-z]+){_ADVERBS} (?:stop(?:ped)?|quit|g[ai]ven? up) "
        rf"(?P<was>[a-z]+ing\b[^,.;!?]{{0,60}}?){_THEN}"
    ),
    (
        r"\b(?P<who>I)(?:['’]m| am) (?:done|through|finished) with (?!(?:my|our|the|this|that|it)\b)"
        rf"(?P<was>[^,.;!?]{{2,60}}?){_THEN}"
    ),
    # "I don't go to the gym these days", "I'm not doing keto anymore"
    (
        rf"\b(?P<who>I|[Ww]e){_ADVERBS} (?:no longer (?!like|love|enjoy|have|need|want|feel)"
        rf"(?P<was>[a-z]+ [^,.;!?]{{2,60}}?){_THEN}|(?:don['’]t|do not) "
        r"(?P<was_>[a-z]+ [^,.;!?]{2,60}?) (?:any ?more|any longer|these days|nowadays)\b)"
    ),
    (
        r"\b(?P<who>I|[Ww]e)(?:['’]m|['’]re| am| are) (?:no longer|not(?=.* (?:any ?more|any longer|these days)\b)) "
        r"(?:doing )?(?P<was>(?<=doing )[a-z-]+|[a-z]+ [^,.;!?]{2,60}?)(?= any ?more\b| any longer\b| these\b|[,.;!]|$)"
    ),
    (
        rf"\b(?P<who>I){_ADVERBS} (?:left|quit) (?:my |the |our )(?P<was>(?:[\w'’-]+ ){{0,2}}(?:{_GROUP}))\b"
        r"(?! (?:early|late|at|around|before|for)\b)"
    ),
    (
        rf"\b(?P<who>I){_ADVERBS} (?:passed|finished|completed|graduated from) (?:my |our |the )"
        rf"(?P<done>[^,.;!?]{{2,60}}?){_THEN}"
    ),
    rf"\b(?P<who>[Mm]y [a-z]+){_ADVERBS} (?:quit|left|resigned from) (?P<work>[A-Z][\w&.'’-]*(?: [A-Z][\w&.'’-]*)*)",
    (
        rf"^\W*(?P<who>I|[Ww]e|[Tt]hey|[Mm]y [a-z]+|[Tt]he [a-z]+){_ADVERBS} (?:raised|lowered|increased|reduced|cut|"
        r"changed|moved|pushed|postponed|rescheduled|delayed|brought|extended|shifted)(?: back| up| forward)? "
        r"(?:my|our|the) (?P<thing>[a-z]+(?: [a-z]+)?)(?: back| up| down| forward)? (?:from [^,.;!?]{1,30} )?"
        r"(?:to|until) "
        r"(?P<value>[^.;!?]{1,60})"
    ),
    (
        r"\b(?P<who>)(?:[Ss]omeone|[Ss]omebody|[Tt]hey|[Tt]hieves) (?:has |have |just )?(?:stole|stolen|"
        r"totall?ed|wrecked) (?:my|our) "
        r"(?P<sold>[^,.;!?]{2,40}?)(?= last\b| yesterday\b| today\b| from\b| in\b|[,.;!]|$)"
    ),
    (
        r"\b(?P<who>)(?:[Mm]y|[Oo]ur) (?P<sold>[^,.;!?]{2,40}?) (?:was|got|has been|were) (?:stolen|totall?ed|"
        r"wrecked|written "
        r"off|repossessed)\b"
    ),
    (
        r"(?:^|[,;] |\b(?:that|and|out) )(?P<safe>(?!(?:I|it|that|this|everything|"
        r"all)\b)[A-Za-z]+(?: [a-z]+)?) (?:is|are) (?:fine|safe|ok|okay) "
        r"for (?P<who>me)\b"
    ),
    (
        r"\b(?P<who>)(?:[Mm]y) (?P<was>[a-z]+(?: [a-z]+){0,2}?) (?:is|are|has|have|went|['’]s)(?: now|"
        r" finally| all| gone)* (?:gone|cured|"
        r"healed|cleared up|back to normal|under control)\b"
    ),
    (
        rf"\b(?P<who>I){_ADVERBS} (?:fully )?recovered from (?:my |the )?(?P<was>[^,.;!?]{{2,40}}?)(?= and\b|"
        rf" last\b|[,.;!]|$)"
    ),
    # "Yoga got moved to Thursdays"
    (
        r"^\W*(?P<who>)(?:[Tt]he |[Mm]y |[Oo]ur )?(?P<thing>(?!(?:I|We|They|He|She|It|You|Who|This|"
        r"That)\b)[A-Za-z][a-z]+"
        r"(?: [a-z]+){0,2}?) (?:has been|was|got|['’]s been|is being|is)(?: now)? (?:moved|pushed|rescheduled|"
        r"postponed|"
        r"shifted|bumped)(?: back| up| forward| out)? (?:from [^,.;!?]{1,30} )?(?:to|until) (?P<value>[^.;!?]{1,60})"
    ),
    # "The Lisbon trip is off", "I dropped out of the marathon"
    (
        r"\b(?P<who>)(?:[Tt]he|[Mm]y|[Oo]ur) (?P<plan>(?!plan )[A-Za-z][\w'’-]*(?: [\w'’-]+){0,3}?) (?:is|was|"
        r"has been|got|"
        r"['’]s)(?: now)? (?:off(?= now|[.,;!]|$)|cancell?ed|called off|scrapped)\b"
    ),
    (
        rf"\b(?P<who>I|[Ww]e){_ADVERBS} (?:dropped out of|pulled out of|withdrew from|backed out of|bailed on|"
        rf"gave up on|"
        r"scrapped|called off|cancell?ed) (?:the |my |our )?(?P<plan>[^,.;!?]{2,40}?)(?= and\b| because\b|"
        r" last\b|[,.;!]|$)"
    ),
    (
        r"\b(?P<who>I|[Ww]e)(?:['’]m| am|['’]re| are) (?:not|no longer) (?:going|moving|travel+ing|flying|"
        r"training|signing "
        r"up|learning|saving|applying)(?: to| for)? (?P<plan>[^,.;!?]{2,40}?)(?: any ?more| after all)(?=[,.;!]|$)"
    ),
    r"\b(?P<who>[Mm]y) new (?P<renewed>[a-z]+(?: [a-z]+)?)(?: is|['’]s)(?: called| named)? (?P<value>[^,.;!?]{1,60})",
    # "My manager is now Bram", "Bram is my manager now": a name, and of whom there is one at a time.
    rf"\b(?P<who>[Mm]y|[Oo]ur) {_SOLE} (?:is|['’]s) now(?: called| named)? (?P<value>[A-Z][^,.;!?]{{1,60}})",
    (
        r"\b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,3}) is (?P<who>now (?:my|our)|(?:my|our) new) "
        rf"{_SOLE}(?= now\b|[,.;!]|$)"
    ),
    rf"\b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){{0,3}}) is (?P<who>my|our) {_SOLE} now\b",
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
        r"(?P<was>(?:去|吃|喝|学|用|开|坐|骑|抽|玩|看|练|打|做|穿)[^，。；！？了]{1,12})了"
    ),
    (
        r"(?<=[，,])(?P<who>)(?:现在|已经)*不再?(?P<was>(?:去|吃|喝|学|用|开|坐|骑|抽|玩|看|练|打|做|"
        r"穿)[^，。；！？了]{1,12})了"
    ),
    r"(?P<who>我)(?:已经|终于|最近|彻底|刚)*戒了?(?P<was>[^，。；！？了]{1,6})了",
    (
        r"(?P<who>我)?(?:已经|终于|最近|彻底|刚)*把?(?:(?P<was>[\u4e00-\u9fff]{1,4}?)(?:也|都|已经)?戒了|"
        r"(?P<was_>[跑练学打健游吃喝做][\u4e00-\u9fff]{1,2})(?:也|都|已经)?停了)(?=[，。；！]|$)"
    ),
    r"(?P<who>我)的?(?P<was>[^，。；！？的]{2,8}?)(?:已经|终于|完全|彻底|都|也)*(?:好了|痊愈了|治好了|康复了|没事了)",
    rf"(?P<who>我(?:的|家)?(?:{_KIN})?)(?:已经|刚|上个?月|最近|今年|去年)*离开了?(?P<work>[^，。；！？去了]{{2,16}})",
    (
        rf"(?P<who>我)(?:们)?(?:已经|刚|最近)*(?:把|卖了|卖掉了?|退了|取消了)(?:我?的)?(?P<was>{_WORD}{{2,12}}?)"
        r"(?=卖|换|退了|扔|取消|停|[，。；！]|$)"
    ),
    (
        rf"(?P<who>){_OURS}(?P<thing>{_WORD}{{2,6}}?)(?:又|已经|从[^，。；]{{1,10}})*(?:涨|降|改|换|推迟|提前|"
        rf"调整?|变|延期|延后)"
        r"(?:到|成|为|至)了?(?P<value>[^，。；！？]{1,20})"
    ),
    (
        rf"(?P<who>我)(?:们)?(?:已经|刚|最近|上个?[周月])*换了?(?:新的?|"
        rf"一[个台部辆]新?)?(?P<renewed>{_WORD}{{2,4}}?)(?=了|[，,])"
    ),
    rf"(?P<who>){_OURS}新(?P<renewed>{_WORD}{{1,4}}?)(?:是|叫)(?P<value>[^，。；！？]{{1,20}})",
    (
        rf"(?P<who>){_OURS}(?:现在的?|如今的?)(?:我们?的)?(?P<renewed>{_POST}{{2,6}}?)(?:是|叫|"
        rf"换成了?)(?P<value>[^，。；！？]{{1,20}})"
    ),
    (
        rf"(?P<who>){_OURS}(?P<renewed>{_POST}{{2,6}}?)(?:现在|如今|已经)+(?:是|换成了?|"
        rf"换了)(?P<value>[^，。；！？]{{1,20}})"
    ),
    (
        r"(?:^|[，,；]|(?P<who>我)们?)(?:(?!不|我|他|她)[^，。；！？]){0,6}不(?:再|准备|打算|想)?"
        r"(?P<plan>(?:去|考|买|学|搬|参加|换|办|跑|报|参与)[^，。；！？了]{1,12})了"
    ),
    (
        r"(?:^|[，,；]|(?P<who>我)们?)(?:已经|刚|最近|决定|只好|把)*(?:取消|放弃|推掉|"
        r"退出)了?(?P<plan>[^，。；！？了]{2,14}?)(?:的?计划)?了?(?=[，。；！]|$)"
    ),
    rf"(?P<who>我)(?:{_LATELY})*从(?P<work>[^，。；！？我]{{2,16}}?)(?:{_LATELY})*(?:离职|辞职|跳槽|出来)",
    rf"(?P<who>我)(?:{_LATELY})*辞(?:掉|去)?了?(?P<work>[^，。；！？我]{{2,16}}?)的?(?:工作|职位)",
    (
        rf"(?P<who>)(?:^|[，,。；！])(?:我们?)?(?:{_LATELY})*(?:把|将)?(?:我们?家?的)?(?:(?:那|这)[辆台部只]|旧的?|老)?"
        rf"(?P<sold>{_WORD}{{2,12}}?)(?:{_LATELY})*(?:给|被人?)?(?:卖(?:给[^，。；！？]{{1,6}})?|处理|报废|送人|扔|淘汰|偷|丢)掉?了"
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
_ONCE = lazy_regex("今[天晚早]|明[天晚早]|后天|这[周次个]|周末|下[周次个]|国庆|元旦|[暑寒]假|春节|五一")
"""On one day: who is not going today still goes."""
_UNREAL_LIFE = lazy_regex(
    r"\b(?:would|could|might|should|if|want|wanted|plan|hope|trying|tried|going to|will|when|before|until|"
    r"almost|never|not "
    r"yet|ago)\b|n['’]t (?:quit|stop|switch|retire)|['’]ll\b|如果|想|打算|等|要是|希望|准备|快要?|没有?|别|"
    r"以前|当时|的时候|过一段",
    re.IGNORECASE,
)
_OF_SOMEBODY_ELSE = lazy_regex(
    r"\w['’]s\b|\b(?:his|her|their|its|would|could|might|if|want|plan)\b|[他她]|如果|想要?|打算"
)
_MAY_CHANGE = lazy_regex(
    r"\b(?:switch|chang|convert|migrat|went|upgrad|trad|swapp|exchang|replac|ditch|sold|cancel|g[ai]ve|got rid|dropp|"
    r"stopp|quit|left|resign|retir|laid|fired|married|knot|elope|sober|vegetarian|vegan|eat|start|join|wife|"
    r"husband|off\b|stole|crash|total|longer|rais|lower|increas|reduc|cut|mov|push|postpon|reschedul|delay|"
    r"brought|extend|shift|new\b|"
    r"is now\b|(?:my|our) [a-z ]+ now\b|outgr|got over|lost|can\b|allowed|fine (?:to|for)|(?:safe|ok|okay) for|"
    r"recover|gone\b|any ?more|these days|nowadays|stop|done with|through with|finish|"
    r"pass|complet|graduat|swor|cured|healed|cleared|back to|under control|notice|resignation|to work (?:now|these))"
    r"|[不戒停换改涨降调变新离卖退辞扔婚证裁失跳入转偷丢没]|放弃|取消|好了|康复|痊愈|现在|如今|处理|报废|送人|"
    r"淘汰|(?:可以|能)[吃喝碰用]|推迟|提前|延[期后]|取消",
    re.IGNORECASE,
)
_HAN = lazy_regex(f"[{HAN}]")
_LONGEST = 200
"""Characters of a sentence that is read: of a longer one it is not plain what has changed. Chosen by hand."""


def changes(text: str, *, speaker: str = "user") -> Iterator[Change]:
    """Yield what a message says has changed, sentence by sentence."""
    for span in plain_sentences(text):
        sentence = said_by_oneself(span.of(text))
        if len(sentence) > _LONGEST or not _MAY_CHANGE.search(sentence) or is_question(sentence):
            continue
        if is_secret(sentence):
            continue
        of_others = _OF_SOMEBODY_ELSE.search(sentence) is not None
        yield from () if of_others else _of_life(sentence, span, speaker)
        zh = _HAN.search(sentence) is not None
        for form in _FORMS[zh]:
            for found in form.finditer(sentence):
                told = {**found.groupdict(), **({"was": found["was_"]} if found.groupdict().get("was_") else {})}
                if of_others if not told.get("safe") else _UNREAL.search(sentence):
                    continue
                if (told.get("was") or "").startswith("去") and _ONCE.search(sentence):
                    continue
                named = told.get("thing") or told.get("renewed")
                if zh and named and re.search(f"我(?:的|家)?(?:{_KIN})", sentence[: found.start()]):
                    continue  # 我妈换号了，新号码是…
                # Whoever raises the rent, it is the speaker's.
                who = "" if told.get("thing") or told.get("renewed") else told["who"] or ""
                yield Change(
                    subject=_subject(who, speaker, zh=zh),
                    content=third_person(_clause(sentence, found.start()).strip(" .。!！"), speaker),
                    start=span.start,
                    end=span.end,
                    was=next((told[part] for part in _ENDED if told.get(part)), "").strip(),
                    thing=(told.get("thing") or told.get("renewed") or "").strip(),
                    value=(told.get("value") or "").strip(),
                    work=bool(told.get("work")),
                    renewed=bool(told.get("renewed")),
                    safe=(told.get("safe") or "").strip(),
                    sold=bool(told.get("sold")),
                    plan=bool(told.get("plan")),
                    done=bool(told.get("done")),
                )


_ENDED = ("was", "work", "sold", "safe", "plan", "done")


def _of_life(sentence: str, span: Span, speaker: str) -> Iterator[Change]:
    """Yield what a change in the speaker's life bears on."""
    if _UNREAL_LIFE.search(sentence):
        return
    zh = _HAN.search(sentence) is not None
    for name, instead, place in life_changes(sentence):
        content = third_person(_clause(sentence, place).strip(" .。!！"), speaker)
        subject = subject_name(speaker, zh=zh)
        yield Change(subject, content, span.start, span.end, was=ROWS[name].words, value=instead, life=name)


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
    if len(words) == 1 and words[0] not in {"I", "We", "we", "My", "my", "They", "they", "me"}:
        return who
    return f"{name}'s {words[1]}" if len(words) > 1 else name
