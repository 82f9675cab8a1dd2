"""What may be otherwise since: somebody says, in whatever words, that a thing is over, off, left, sold or was never so.

A change that is told in a known form ends what was known (`changes.py`). Most are told in fresh words, and nothing ends
by a guess: "Karen quit smoking" is no end of "My boss is Karen". What these forms find is only doubted. The memory
stays as it is, with a mark that newer words may say otherwise, and recall puts those before it.

Two things keep the mark from what it does not mean. The sign must say it of the thing itself, or of the speaker and
the thing: of a train to Exeter nothing follows for who lives there. And all the words for the thing must stand in the
memory: the vegetarian lasagne is no part of "The user is vegetarian".
"""

from collections.abc import Iterator
from typing import NamedTuple

from remanent.language.offline.statement_rules import canonical, expanded_form, parts_of
from remanent.language.offline.statements_chinese import PARTS as CHINESE
from remanent.language.offline.statements_english import PARTS as ENGLISH
from remanent.text.chinese import tagged
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, alphanumeric
from remanent.text.terms import query_terms


class Doubt(NamedTuple):
    """What may be otherwise, in the words of who says so."""

    was: str
    sign: str
    """By which form it is said."""
    verb: str = ""
    """What is done with it no more, where that is said."""


_ZH_BEGIN = r"(?:^|[，,。；！])(?:不过|但是?|可是|其实|后来|结果|所以|对了|唉|哦|那就)?(?:我们?家?的?)?(?:[那这][个场次份套辆只家门]?)?"
_PARTS = parts_of(r"""
begin = (?:^\W*|[,;:.–—] ?|\b(?:[Aa]nd|[Bb]ut|[Ss]o|because|that|out|as|since|[Aa]ctually|[Uu]nfortunately|[Ss]adly),? )
adv = (?:['’]ve| have|['’]s| has|['’]re| are|['’]m| am|['’]d| had)?(?: just| recently| finally| now| actually| also|
    had to| ended up| decided to| all| both| officially| since| already| to)*
det = (?:(?:my|our|the|that|this|those|these|a|an|any|all|all of|some) )?(?:old )?
noun = (?:(?!(?:of|to|in|on|at|with|for|from|by|and|or|who|that|which|is|are|was|were|his|her|their|your|it|you|he|she|
    they|them|me|us|I|we)\b)[\w'’&-]+)
was = (?P<was>{noun}(?: {noun}){0,4}?)
end = (?=\s*(?:[.,;:!–—]|$)| (?:for|and|because|but|after|last|in|on|at|since|to|with|when|this|back|yesterday|until|as|
    so|due|over|before|now|any ?more|altogether|completely|entirely|again|early|by|from|a|the|two|three|\d)\b)
be = (?:['’]s|['’]re| is| are| was| were| got| has| have)(?: been| gotten)?(?: now| all| just| finally| already|
    officially| being)*
over = off(?! to| for| on)|over|cancell?ed|postponed|called off|scrapped|delayed|put (?:off|on hold)|pushed back|on hold|
    history|no more|gone|axed|sold|up in the air|dead in the water|out of the question|discontinued|rescheduled|
    disbanded|(?:just )?an? (?:misdiagnosis|mistake|false alarm|mix-up|error)
ends = (?:fell|fallen) through|(?:shut|closed) down|closed(?: its doors)?(?= for good| permanently)|folded|collapsed|
    (?:has |have )?(?:ended|expired|dissolved|disbanded)|went (?:bust|under|out of business|to (?:the )?(?:scrapyard|
    scrap|tip|dump|charity|auction))|(?:didn['’]t|did not) (?:work out|happen|pan out|go ahead|last|go through)|
    came to (?:an end|nothing)|broke down for good|stopped(?= running|{close})|(?:quit|retired|resigned|
    left)(?={close}| for good| the (?:company|team|firm|band|practice|school))|got (?:replaced|fired|let go|
    transferred)|(?:let|laid|fired|sacked|made) me (?:go|off|redundant)|moved (?:on|away|out)(?={close})|(?:won['’]t|will not|isn['’]t|is not|aren['’]t|are not|['’]s not)(?: be)?
    (?:happening|going ahead|taking place|happen|go ahead|on any ?more|necessary any ?more)
close = \s*(?:[.,;!–—]|$)
cancel = cancell?ed|postponed|put off|called off|scrapped|pulled(?= the)|rescheduled|axed|discontinued
stop = (?:gave|given|handed|passed|put) (?:up|back|away)|quit|{cancel}|closed|terminated|packed in|hung up|moved (?:out of|
    away from)|moved on from|sold|got rid of|(?:came|got|going|went) off|returned|(?:backed|pulled|dropped|opted|
    bowed) out of|withdrew from|ditched|resigned from|parted ways with|broke up with|got over|outgrew|swapped|replaced|
    traded in|let go of|cut out|gave up on|(?:done|finished|through) with|stopped (?:going to|taking|doing|
    seeing|using|having|(?P<verb>eating|drinking)|playing|visiting|attending|working (?:at|for|with)|living (?:in|at|with))|
    left(?= (?:[A-Z]|the (?:band|team|club|choir|firm|company|group|job|board|course|class|flat|house)\b)(?!.* (?:at \w+|
    early|late|around \w+|this morning)\b))|(?:no longer|don['’]t|do not)(?! (?:like|know|think|mind|want|
    need|care|feel)\b) [a-z]+(?: (?:in|at|to|for|with|on))?(?=.*(?<=longer ).| [^,.;]* (?:any ?more|any longer|these days)\b)
""") | {
    "zh_begin": _ZH_BEGIN,
    "lately": "(?:已经|刚刚?|最近|上个?[周月]|今年|去年|昨天|前[几两]?天|前阵子|早就|终于|彻底|暂时|先|都|也|就|又|全|只好|决定|算是|其实|现在|目前|[她他]|我们?|家里|还是|恐怕|估计|可能|给)",
}
_ENGLISH = parts_of(r"""
its = {begin}{det}{was}(?:{be} (?:{over})(?={close}| (?:until|because|and|for good|due|this|so|till|after|now|to \d)\b)|['’]?(?: has| have)? (?:{ends})\b)
its_not = \b(?:[Ii]t|[Tt]hat)(?: was(?: not|n['’]t)| is(?: not|n['’]t)|['’]s not| (?:was|has) never(?: been)?) {det}{was}
    (?=(?: after all| at all| but| that (?:was|caused)|,| like I thought|{close}))
not_after_all = \bnot (?:actually )?{det}{was} (?:after all|at all|any ?more|any longer)\b
no_more = (?:^\W*|[,;.–—] ?|\b(?:so|and|means|there['’]s) )[Nn]o (?:more|longer any) {was}{end}
fine_again = {begin}{det}{was} (?:is|are|was|turned out) (?:perfectly |totally |actually )?(?:fine|ok|okay|safe|allowed|
    harmless)(?: for me| again| after all| now)
taken_off = \b(?:took|taken|pulled|weaned|kicked|let|threw) me (?:off|out of|go from) {det}{was}{end}
different = \b(?:have|got|under|with|found|on) a (?:different|whole new) {was}{end}
we_stop = \b(?:I|[Ww]e|[Mm]y \w+ and I){adv} (?:{stop}) {det}{was}{end}
they_stop = \b(?:[Hh]e|[Ss]he|[Mm]y \w+){adv} (?:{stop}) {det}{was}{end}
cancelled = \b(?:[Tt]hey|[Tt]he (?:\w+ )?\w+|[A-Z]\w+){adv} (?:{cancel}) {det}{was}{end}
""")
_CHINESE = {
    "its": r"{zh_begin}(?P<was>[^，。；！？我你他她了]{2,12}?){lately}*(?:(?:取消|延期|推迟|延后|改期|泡汤|黄|作罢|告吹|散|停|停办|停课|停掉|停产|停运|倒闭|"
    r"关门|关张|拆|拆迁|退|退租|退掉|退订|(?P<sold>卖|卖掉)|报废|戒|戒掉|放弃|丢|没|结束|到期|离职|换人|调走|走人|退休|不在)掉?(?:了|啦)?(?=[，,。！]|$|还|改|所以)"
    r"|(?:送|转|卖|让|过继)给(?!我)|送人|换成|改[到期成]|搁置|缓一缓|放一放|往后(?:推|放|拖)|吹了|不了了之"
    r"|不(?:再)?(?P<verb>去|办|学|考|吃|喝|练|跑|做|上|干|要|用|开|住|养|拉|弹|打|跳|读|租|续|买|搬|参加|玩)(?:成)?了"
    r")",
    "fine": r"(?!.*[煮烤蒸炒熟冻]){zh_begin}(?P<was>[^，。；！？我你他她了]{1,8}?){lately}*(?:吃了?)?(?:(?:可以|能)(?:吃|喝|用|碰|打|养)的?(?:了|啦|[，。！]|$)|没(?:事|问题|反应)"
    r"(?:了|的|啦|[，。！]|$)|不过敏|(?:并)?不是(?:过敏)?的?(?:原因|真的))",
    "from": r"(?:^|[，,。；！]|我){lately}*从(?P<was>[^，。；！？我你他她了]{2,10}?){lately}*(?:离职|辞职|毕业|出来|退出|退休|退租|搬走|搬出来|搬离|"
    r"退学|退群|辞|撤)",
    "left": r"(?:^|[，,。；！])(?:我们?)?{lately}*(?:离开|退出|告别|搬出|搬离|退掉?|取消|推掉|推迟|放弃|辞掉?|(?P<sold>卖掉?)|戒掉?|停掉?|不再?(?P<verb>去|办|学|考|吃|喝|"
    r"练|跑|做|上|干|用|开|住|养|拉|弹|打|跳|读|租|续|买|搬|在|参加))了?(?P<was>[^，。；！？我你他她了]{2,10}?)(?:了|啦)",
    "put": r"(?:^|[，,。；！])(?:我们?)?{lately}*把(?P<was>[^，。；！？你他她了]{2,10}?)(?:给)?(?:退|卖|取消|推掉|推迟|辞|停|戒|送|丢|扔|搁置|放弃|转)",
    "not": r"(?:原来|其实|结果|发现|根本|并)(?:我)?不是(?:对)?(?P<was>[^，。；！？我你他她了]{2,10}?)(?:过敏|的(?:问题|原因|事)|[，。]|$)",
}
_FORMS = {
    zh: tuple((name, lazy_regex(expanded_form(form, _PARTS))) for name, form in forms.items())
    for zh, forms in ((True, _CHINESE), (False, _ENGLISH))
}
_SIGN = lazy_regex(
    r"\b(?:off|over|cancel\w*|postponed|scrapped|delayed|hold|back(?:ed)?|history|more|gone|axed|sold|dead|air|out|"
    r"through|down|closed|folded|collapsed|ended|expired|went|happen\w*|taking|ahead|last|nothing|nowhere|stopped|quit|"
    r"retired|resigned|left|replaced|fired|go|transferred|moved|returned|dropped|withdrew|ditched|parted|outgrew|swapped|"
    r"traded|cut|longer|any ?more|after all|at all|not|never|fine|ok|okay|safe|allowed|harmless|different|new|gave|misdiagnosis|mistake|alarm|let|laid|sacked|made|packed|hung|closed|terminated|pulled|axed|called|put|"
    r"given|handed|rid|disbanded|dissolved|discontinued|rescheduled)\b|n['’]t\b"
    r"|[消期迟后汤黄罢散停闭门张拆退卖废戒弃丢没束职人走休换给置缓放吹了敏开别出离辞是]"
)
_UNREAL = lazy_regex(
    r"\b(?:would|could|might|should|if|unless|until|once|want|wanted|wish|hope|plan|planning|going to|will|wonder|almost|"
    r"nearly|when)\b|['’](?:ll|d)\b|如果|要是|想要?|打算|希望|万一|除非|差点|别|等|的话|快要?|吗|要不要"
)
_ONCE = lazy_regex(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|weekend)|yesterday|for now|early|for lunch)\b"
    r"|今[天晚早]|明[天晚早]|昨[天晚]|后天|这[周次两几]|本周|周末|下[周次个]|国庆|元旦|[暑寒]假|春节|五一|中秋"
)
_LASTS = lazy_regex(
    r"\b(?:cancell?ed|postponed|called off|sold|fell through|shut down|quit|gave|moved out)\b|消|期|迟|退|卖|职|租|倒闭|搬"
)
_DONE = lazy_regex("eat|drink|sell|sold|[吃喝卖]")
_OWN = frozenset({"we_stop", "left", "from", "put", "taken_off"})
"""Signs of what the speaker does otherwise, and nobody else."""
_HEALTH = frozenset(canonical(word) for word in "allergy restriction health diet is 过敏 忌口 健康 饮食 身份".split())
_EMPTY = frozenset(
    query_terms(
        "work works day days week month year night morning time thing things stuff lot people life one plan trip part way "
        "lives live living love likes user house flat place apartment back again today home man woman guy bit good account membership subscription lesson class"
    )
)
"""What names nothing by itself: "Work is over" ends nobody's work. A house may be told of beside its town."""
_LOOSE = lazy_regex(
    r"那[个场次份套辆只家门边]?|这[个场次份套辆只家门]?|的?(?:事情?|计划|行程|安排|活动|房子|工作|那边|班|课|项目)$|的|^(?:上次|最近|上个?[周月]|去年|"
    r"今年|之前)|^[老旧]"
)
"""What may stand beside the name of a thing: 深圳那个出差, 驾照的事."""
_HAN = lazy_regex(f"[{HAN}]")
_KIN = tuple(
    lazy_regex(expanded_form(form, parts))
    for form, parts in ((r"^.*'s (?:(?:{old}) )?(?:{kin})s?\b", ENGLISH), (r"^.*的(?:{kin})", CHINESE))
)
_CLAUSES = lazy_regex(r"[，,。；;！!]")


def doubts(sentence: str) -> Iterator[Doubt]:
    """Yield what a sentence lets doubt: a thing that is over by its words, or that its speaker has left."""
    if not _SIGN.search(sentence) or _UNREAL.search(sentence):
        return
    for sign, form in _FORMS[_HAN.search(sentence) is not None]:
        for found in form.finditer(sentence):
            told = found.groupdict()
            yield Doubt(found["was"].strip(), sign, (told.get("verb") or told.get("sold") or ""))


def is_doubted(doubt: Doubt, said: str, *, subject: str, attribute: str, content: str) -> bool:
    """Tell whether a memory is of what was doubted, in what was `said`: all the words for it stand in the memory."""
    was, of_kin = doubt.was, any(kin.search(subject) for kin in _KIN)
    if of_kin if doubt.sign in _OWN else doubt.sign == "they_stop" and not of_kin:
        return False  # who left Toronto is not the brother who lives there
    if doubt.sign in {"fine", "fine_again", "not"} and attribute not in _HEALTH:
        return False
    verb = _DONE.search(doubt.verb)
    if verb is not None and verb[0][:3] not in content and not (attribute in _HEALTH or attribute == "does"):
        return False  # who bakes bread may eat none, or sell it
    clause = next((one for one in _CLAUSES.split(said) if was in one), said)
    once = _ONCE.search(clause)
    if once is not None and once[0] not in content and not _LASTS.search(clause):
        return False  # who does not run today runs
    if _HAN.search(was):
        name = alphanumeric(_LOOSE.sub("", was))
        return len(name) > 1 and all(word.text in content for word in tagged(name))
    words = set(query_terms(was))
    return bool(words - _EMPTY) and words - _EMPTY <= set(query_terms(content))
