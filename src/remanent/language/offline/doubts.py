"""What may be otherwise since: somebody says, in whatever words, that a thing is over, off, left, sold or was never so.

A change that is told in a known form ends what was known (`changes.py`). Most are told in fresh words, and nothing ends
by a guess: "Karen quit smoking" is no end of "My boss is Karen". What these forms find is only doubted. The memory
stays as it is, with a mark that newer words may say otherwise, and recall puts those before it.

Two things keep the mark from what it does not mean. The sign must say it of the thing itself, or of the speaker and
the thing: of a train to Exeter nothing follows for who lives there. And all the words for the thing must stand in the
memory: the vegetarian lasagne is no part of "The user is vegetarian".
"""

import re
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
    disbanded|a thing of the past|behind (?:me|us)|finished|wrecked|lost|totall?ed|stolen|(?:just )?an? (?:misdiagnosis|mistake|false alarm|mix-up|error)
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
    traded in|let go of|cut out|gave up on|turned down|walked away from|said goodbye to|cut ties with|pulled the plug on|bailed (?:on|out of)|lost|
    (?:gave|given|handed in) (?:my |our )?notice (?:at|on|to)|took a break from|(?:done|finished|through) with|stopped (?:going to|taking|doing|
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
    (?=(?: after all| at all| but| that (?:was|caused)|,|{close}))
not_after_all = \bnot (?:actually )?{det}{was} (?:after all|at all|any ?more|any longer)\b
no_more = (?:^\W*|[,;.–—] ?|\b(?:so|and|means|there['’]s) )[Nn]o (?:more|longer any) {was}{end}(?! for (?!me|us|now))
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
    r"关门|关张|拆|拆迁|退|退租|退掉|退订|(?P<sold>卖|卖掉)|报废|戒|戒掉|放弃|丢|没|结束|到期|离职|换人|调走|走人|退休|不在|解散|跑路|转行|合并|关停|裁员|被(?:偷|盗|撞|烧|裁|撤|收购|砍))掉?(?:了|啦)?(?=[，,。！]|$|还|改|所以)"
    r"|(?:送|转|卖|让|过继)给(?!我)|送人|换成|改[到期成]|搁置|缓一缓|放一放|往后(?:推|放|拖)|吹了|不了了之"
    r"|不(?:再)?(?P<verb>去|办|学|考|吃|喝|练|跑|做|上|干|要|用|开|住|养|拉|弹|打|跳|读|租|续|买|搬|参加|玩)(?:成)?了"
    r")",
    "fine": r"(?!.*[煮烤蒸炒熟冻]){zh_begin}(?P<was>[^，。；！？我你他她了]{1,8}?){lately}*(?:吃了?)?(?:(?:可以|能)(?:吃|喝|用|碰|打|养)的?(?:了|啦|[，。！]|$)|没(?:事|问题|反应)"
    r"(?:了|的|啦|[，。！]|$)|不过敏|(?:并)?不是(?:过敏)?的?(?:原因|真的))",
    "from": r"(?:^|[，,。；！]|我){lately}*从(?P<was>[^，。；！？我你他她了]{2,10}?){lately}*(?:离职|辞职|毕业|出来|退出|退休|退租|搬走|搬出来|搬离|"
    r"退学|退群|辞|撤)",
    "left": r"(?:^|[，,。；！])(?:我们?)?{lately}*(?:离开|退出|告别|搬出|搬离|退掉?|取消|推掉|推迟|放弃|辞掉?|(?P<sold>卖掉?)|戒掉?|停掉?|(?:不再?|没再|[很好]久没)(?P<verb>去|办|学|考|吃|喝|"
    r"练|跑|做|上|干|用|开|住|养|拉|弹|打|跳|读|租|续|买|搬|在|参加))了?(?P<was>[^，。；！？我你他她了]{2,10}?)(?:了|啦)",
    "with": r"(?:^|[，,。；！]|我们?){lately}*[和跟](?P<was>[^，。；！？我你他她了]{1,8}?){lately}*(?:分手|分开|散伙|闹掰|闹翻|解约|断|掰|离婚|吹)了",
    "put": r"(?:^|[，,。；！])(?:我们?)?{lately}*把(?P<was>[^，。；！？你他她了]{2,10}?)(?:给)?(?:退|卖|取消|推掉|推迟|辞|停|戒|送|丢|扔|搁置|放弃|转)",
    "not": r"(?:原来|其实|结果|发现|根本|并)(?:我)?不是(?:对)?(?P<was>[^，。；！？我你他她了]{2,10}?)(?:过敏|的(?:问题|原因|事)|[，。]|$)",
}
_FORMS = {
    zh: tuple((name, lazy_regex(expanded_form(form, _PARTS))) for name, form in forms.items())
    for zh, forms in ((True, _CHINESE), (False, _ENGLISH))
}
# What ends a thing of a sort, in whatever form it is told; of another sort the same word ends nothing.
_ENDINGS = {
    frozenset(canonical(word.replace("_", " ")) for word in attributes.split()): lazy_regex(
        rf"\b(?:{re.sub(chr(10) + ' +', '', english)})\b|{chinese}", re.IGNORECASE
    )
    for attributes, english, chinese in (
        (
            "employer job workplace field business 工作单位 职业 工作地点 就读 school",
            r"let me go|laid (?:me )?off|fired|sacked|redundant|quit|resigned|left|last day|burn(?:ed|t) down|went bust|"
            r"closed down|shut down|handed in|my notice|retired|walked out|moved on from|expelled|dropped out|graduated",
            "辞|离职|裁[员掉了]|被裁|砍|优化掉|倒闭|解散|不干|跳槽|毕业|下岗|退休|散伙|跑路|关门|转行|不做了|退学",
        ),
        (
            "name 姓名 身份",
            r"left|retired|moved (?:away|on|back|to)|resigned|quit(?! \w+ing)|passed away|maternity leave|"
            r"won['’]t be back|replaced|sold (?:up|the (?:building|house|flat|place))|transferred|fired|broke up|"
            r"called it off|split up|no longer (?:my|our)|emigrated",
            "跳槽|调[走到去]|离职|退休|走了|辞|换成|换人|转行|回老家|出国|分手|离婚|去世|不[教带管]了|卖了房|把房子卖|转院|升职|移民",
        ),
        (
            "time date event plan task deadline agreement 时间 计划 待办 约定 事件 starts begins leaves departs is_due",
            r"bumped|pushed|moved|cancell?ed|postponed|delayed|rescheduled|called (?:it )?off|(?:is|are|was|['’]s) off|on hold|strike|"
            r"brought forward|fell through|scrapped|can['’]t make|not going|backed out|won['’]t happen",
            "改[到期成在天]|推[到迟掉后]|延[期后到]|取消|黄了|泡汤|凑不齐|没戏|去不[了成]|不[去办考聚见搬买报]了|作罢|撤了|吹了|提前到",
        ),
        (
            "allergy restriction health diet 过敏 忌口 健康 饮食",
            r"ruled out|misdiagnos\w+|false (?:alarm|positive)|negative|wrong about|outgr[eo]wn?|cleared|not allergic|"
            r"after all|no (?:reaction|problem|trouble)|nothing happened|tolerate|safe (?:for me|now|to)|can (?:have|eat|drink|take)|eating .{0,20}again",
            "误诊|没事|没反应|没问题|(?:可以|能)[吃喝用碰打]|搞错|弄错|记错|脱敏|不过敏|好了|痊愈|排除|阴性",
        ),
        (
            "residence owns home 住址 拥有",
            r"sold up|sold|moved (?:out|away|from)|gave up|lease|keys|left .{0,30}for good|bought in|evicted|packed up",
            "搬(?:出|离|走|家|回|到)|退租|到期|卖[了掉]|拆迁|退房",
        ),
        (
            "has family 家庭",
            r"gave (?:him|her|it|them|away)|rehomed|died|lost|sold|passed away|ran away|put down|found .{0,20} new home",
            "送[给人走]|寄养|丢了|死了|[走飞跑][失丢走了]|卖[了掉]|没了|去世|过世|跑丢",
        ),
        (
            "doing does habit practice plays studies likes uses 在做 习惯 情况 使用 经历 喜欢 爱好 teaches goal dream",
            r"quit|stopped|g[ai]ve(?:n)? (?:it )?up|lost interest|(?:done|through) with|dropped|bailed|fed up|"
            r"fail(?:ed)?|no more|spent the|any ?more|packed it in|hung up|too (?:expensive|old|late|hard)|sold|broke|switched",
            "放弃|[停戒]了|失败|不了了|半途|不[学练减打跑跳拉弹考备做用去喝吃玩养坐骑开]了|没再|坚持不下|没考上|报废|转行|被偷|卖掉",
        ),
    )
}
_ENDS = lazy_regex("|".join(form.pattern for form in _ENDINGS.values()), re.IGNORECASE)
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
_OWN = frozenset({"we_stop", "left", "from", "put", "with", "taken_off"})
"""Signs of what the speaker does otherwise, and nobody else."""
_HEALTH = frozenset(canonical(word) for word in "allergy restriction health diet is 过敏 忌口 健康 饮食 身份".split())
_EMPTY = frozenset(
    query_terms(
        "work works day days week month year night morning time thing things stuff lot people life one plan trip part way "
        "lives live living love likes user house flat place apartment back again today man woman guy bit good account membership subscription lesson class"
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
_NEGATED = lazy_regex(
    r"\b(?:not|never|won['’]t|don['’]t|didn['’]t|can['’]t) (?:\w+ )?(?:give|quit|stop|drop|sell|leave|move)",
    re.IGNORECASE,
)
_BESIDE = lazy_regex(r"\b(?:for|at|to|during|after|before) (?:the|my|our)\b")
"""What is done to the chairs for the meeting is not done to the meeting."""
_SHORT = 10
"""Characters of a Chinese clause that goes on with what the one before it names: 游泳太远，我给她停了. By hand."""
_SOMEBODY = lazy_regex(
    expanded_form(
        r"(?<=\b[Mm]y )(?:{kin}|mate|neighbou?r|flatmate|in-?laws)|(?<=\b[Aa] )(?:{kin}|mate|neighbou?r)|", ENGLISH
    )
    + expanded_form("(?<=我)(?:的|家)?(?:{kin})|(?:朋友|同事|邻居|同学|孩子)", CHINESE)
)
_OF_OTHERS = lazy_regex(r"\b(?:his|her|their|its|your|you|they)\b|[你他她您]们?的")
_CLAUSES = lazy_regex(r"[，,。；;！!]")


def doubts(sentence: str) -> Iterator[Doubt]:
    """Yield what a sentence lets doubt: a thing that is over by its words, or that its speaker has left."""
    if _UNREAL.search(sentence):
        return
    yield from _clauses(sentence)
    if not _SIGN.search(sentence):
        return
    for sign, form in _FORMS[_HAN.search(sentence) is not None]:
        for found in form.finditer(sentence):
            told = found.groupdict()
            yield Doubt(found["was"].strip(), sign, (told.get("verb") or told.get("sold") or ""))


def _clauses(sentence: str) -> Iterator[Doubt]:
    """Yield the clauses that hold a word of an end, whatever of: which memory that is told of, its sort decides."""
    if not _OF_OTHERS.search(sentence):
        before = ""
        for clause in _CLAUSES.split(sentence):
            if _ENDS.search(clause) and not _NEGATED.search(clause):
                short = before and len(clause) <= _SHORT and _HAN.search(clause)
                yield Doubt(f"{before}，{clause}" if short else clause, "")
            before = clause


def _is_ended(clause: str, *, subject: str, attribute: str, value: str) -> bool:
    """Tell whether a clause holds what ends a thing of the sort of a memory, and names that thing."""
    form = next((form for attributes, form in _ENDINGS.items() if attribute in attributes), None)
    if form is None or not form.search(clause) or (_ONCE.search(clause) and not _LASTS.search(clause)):
        return False
    kin = _SOMEBODY.search(clause)
    if kin is not None and kin[0].lower() not in f"{subject} {value}".lower():
        return False  # my friend's marathon is not mine
    if _HAN.search(clause):
        names = [one.text for one in tagged(value) if len(one.text) > 1 and one.tag[:1] in "nvjisl"]
        named = [part for one in names for part in {one, one[:2], one[-2:]} if part in clause]  # 打篮球 is 篮球
        # 天通苑的菜市场 is no home there.
        return bool(named) and not any(re.search(f"{one}的(?!房|家|工作|班|课|事|活)", clause) for one in named)
    names = re.findall(r"\b[A-Z]\w+", value)
    value = " ".join(one for one in value.split() if one not in names or one in clause)  # a kiwi is not Kiwi
    words, said = set(query_terms(value)) - _EMPTY, set(query_terms(clause))
    thing = set(query_terms(subject.partition("'s ")[2] or subject.removeprefix("the "))) - _EMPTY
    if not words & said and thing <= said and not _BESIDE.search(clause):
        words = thing
    return bool(words & said)


def is_doubted(doubt: Doubt, said: str, *, subject: str, attribute: str, value: str, content: str) -> bool:
    """Tell whether a memory is of what was doubted, in what was `said`: all the words for it stand in the memory."""
    if not doubt.sign:
        return _is_ended(doubt.was, subject=subject, attribute=attribute, value=value)
    was, of_kin = doubt.was, any(kin.search(subject) for kin in _KIN)
    if of_kin if doubt.sign in _OWN else doubt.sign == "they_stop" and not of_kin:
        return False  # who left Toronto is not the brother who lives there
    if doubt.sign in {"fine", "fine_again", "not", "its_not", "not_after_all"} and attribute not in _HEALTH:
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
