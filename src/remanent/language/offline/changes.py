"""What somebody says is otherwise now, or takes back: what held until then, was never so, or is to be forgotten.

A change by itself states no fact as others do ("They rescheduled my flight to 9 am"). It says enough to tell which
memory of the same matter is no longer so, and nothing of any other: who only mentions a word changes nothing by it.
Of 45 pairs written for it 38 old statements are ended, and 18 were before; of 21 written afterwards 16, and 3 before;
of 22 changes of something else none ends anything. Of 11,204 turns of LoCoMo, RealMem, LongMemEval and MemDaily 4 are
read as a change: it is rare, and must not be heard where it is not.

A change in a life ends what was told before although it names nothing of it: who sold the car names no Civic, and who
got married no longer is single. Of 40 pairs in ten areas of life 31 old statements were left standing without it, of 20
written later 8 at first sight, 2 of all 60 after mending; of 60 bystanders and 40 other sentences none was ended
wrongly.

A sentence that denies something is read as the one that would state it; what that one states is what is taken back.
Nothing is made of it by itself: it only ends what is known, so that a denial of what nobody said changes nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from remanent.language.offline.doubts import doubts
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import Statement, canonical, expanded_form, subject_name
from remanent.language.offline.statements import (
    JEST,
    NOT_MEANT,
    ForgetOrder,
    is_secret,
    orders,
    own_words,
    plain_sentences,
    said_by_oneself,
    statements,
    third_person,
    without_orders,
)
from remanent.language.offline.statements_english import PARTS as ENGLISH
from remanent.lightweight import dataclass
from remanent.text.dates_chinese import COMING
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, has_han
from remanent.text.spans import Span
from remanent.text.words import parts_of, word_forms, word_tables


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
    name: str = ""
    """By which somebody is called of whom it is told: "Ingrid moved to Oslo" is news of the friend of that name."""
    life: str = ""
    """The row of changes in a life that it is told by; then `value` is what took the place of something."""
    doubt: bool = False
    """Whether it is told in fresh words, and only lets doubt what was."""
    meant: bool = False
    """Whether it is decided, and not yet done: until then what was may still hold."""
    corrected: bool = False
    """Whether the value that was told of `thing` never was right, whatever it is."""


# What the forms are made of. Of whom `sole` and `post` name there is one at a time: who has a new friend has lost none,
# and of Chinese kin and friends it is told what they are, not who they are.
_PARTS = (
    word_forms("changing_words")
    | parts_of(r"""
adverbs = (?:['’]ve| have|['’]s| has)?(?: just| recently| finally| now| actually| also| had to| decided to)*
then = (?= (?:in for|for|with|and|last|yesterday|because|completely|altogether|ages|years|months|a (?:while|year|month|
    few)|since|this|after|when)\b|[,.;!]|$)
new = (?!(?:at|for|in|on|with|when|while|during|last|and|because)\b)[\w'’-]+
place = [A-Z][\w'’&.-]*(?: [A-Z][\w'’&-]*){0,3}
since = (?: (?:now|yesterday|today|recently|with \w+ \w+|(?:last|this) \w+|in (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|
    Oct|Nov|Dec)[a-z]*|(?:a|two|three|four|a few|a couple of) (?:day|week|month)s? ago))*
sole = (?!(?:friend|cousin|colleague|coworker|neighbou?r|client|customer|student|brother|sister|son|daughter|child|
    baby|cat|dog|pet|favou?rite|name)\b)(?P<renewed>[a-z]+(?: [a-z]+)?)
i = \b(?:I|[Ww]e)(?:['’]ve| have|['’]m| am|['’]re| are)?(?: just| finally| recently| now| officially| actually| both)*
free = (?:quit|stopped|gave up|given up|kicked|no longer|don['’]t|do not)
switched = (?:switched|moved|changed|gone|went)(?: over)? to|(?:take|ride|drink|have) (?=[^,.;!?]* instead)
meat = (?:meat|fish|chicken|beef|pork|seafood|everything)
head = (?=[.,;!?]|$| (?:as|at|and|but|because|for|from|in|last|of|on|since|so|that|this|to|today|when|where|which|while|
    with|yesterday|recently|now|again|after|before|until|by|it|next|a (?:few|couple|week|month|year|while)|the other|
    (?:one|two|three|four|five|six|\d+) \w+ ago)\b)
runs = {sports}|runs?|jogs?|swims?|cycles?|hikes?|climbs?|works? out|the gym
ongoing = (?:从[^，。；！？我]{1,6}(?:开始|起)[，,]?)?{lately_we}(?:从[^，。；！？我]{1,6}(?:开始|起)[，,]?)?
treats = (?:^|[，,])(?:现在|如今)(?:是)?(?:给|帮|替)我
behind = (?<=[，,])(?:现在|以后|都)?
word = (?:(?!把|我|的|从|又|已|就|才|就|也)[\u4e00-\u9fffA-Za-z0-9]|(?<=[A-Za-z0-9])[ ](?=[A-Za-z0-9]))
ours = (?:^|[，,。；！]|我们?的?|把(?:我们?的)?)
one = (?:(?!现在|如今|已经|医生|我|的|是|都|也)[\u4e00-\u9fff])
post = (?:(?![爸妈哥姐弟妹叔姨舅姑婆公爷奶嫂侄孙儿女友]|同事|朋友|邻居|同学|太太|老婆|先生|妻子|丈夫|对象){one})
food = (?:(?!医生|大夫|老师|结果|现在|已经|终于|说|了){word})
lately = 现在|已经|刚刚?|最近|早就|终于|又|上个?[周月]|今年|去年|昨天
says = (?:医生|大夫|医院|检查|复查|结果|老师)(?:结果)?(?:都|也)?(?:说|讲|告诉我|显示|确认)[，,：:]?
lately_we = 我们?(?:[和跟][^，。；！？]{1,6})?(?:已经|刚刚?|最近|终于|现在|上个?[周月]|今年|去年|昨天|前几天|成功|
    彻底)*
""")
    | {"han": HAN, "thing_of_love": ENGLISH["thing_of_love"]}
)
_ENGLISH = parts_of(r"""
switched = \b(?P<who>I|[Ww]e|[Mm]y [a-z]+){adverbs} (?:switched|changed|converted|migrated|went|
    upgraded)(?: over)? from (?:my |our |the )?(?:old )?(?P<was>[^,.;!?]{2,60}?) to\b(?: (?P<value>
    (?:{new} ?){1,3}){then})?
to_switch = \b(?P<who>I|[Ww]e|[Mm]y [a-z]+)(?:['’]ve| have|['’]re| are)? (?:just |finally )?(?P<meant>decided|
    agreed|planning|going) to (?:switch|move|migrate|change|convert)(?: over)? from (?:my |our |the )?(?:old )?
    (?P<was>[^,.;!?]{2,60}?) to\b
corrected = \b(?P<corrected>)(?P<who>I)(?:['’]ve| have)? (?:got|had|wrote(?: down)?|gave(?: you)?|told you|
    remembered) my (?P<thing>[a-z]+(?: [a-z]+)?) wrong[,;:]? (?:and )?(?:it|that)(?:['’]s| is| was| should be|
    (?: should)? have been)(?: actually| really)? (?P<value>[^,.;!?]{1,40})
replaced = \b(?P<who>I|[Ww]e|[Mm]y [a-z]+){adverbs} (?:(?:traded|swapped|exchanged)(?: in)?|replaced|ditched|sold|
    cancell?ed|g[ai]ven? up|cut out|sw(?:ore|orn) off|got rid of|dropped(?=[^,.;!?]* for )) (?:my |our |
    the )?(?:old )?(?P<was>[^,.;!?]{2,60}?){then}
stopped = \b(?P<who>I|[Ww]e|[Mm]y [a-z]+){adverbs} (?:stop(?:ped)?|quit|
    g[ai]ven? up) (?P<was>[a-z]+ing\b[^,.;!?]{0,60}?){then}
done_with = \b(?P<who>I)(?:['’]m| am) (?:done|through|finished) with (?!(?:my|our|the|this|that|
    it)\b)(?P<was>[^,.;!?]{2,60}?){then}
not_any_more = \b(?P<who>I|[Ww]e){adverbs} (?:no longer (?!like|love|enjoy|have|need|want|
    feel)(?P<was>[a-z]+ [^,.;!?]{2,60}?){then}|(?:don['’]t|do not) (?P<was_>[a-z]+ [^,.;!?]{2,60}?) (?:any ?more|
    any longer|these days|nowadays)\b)
no_longer = \b(?P<who>I|[Ww]e)(?:['’]m|['’]re| am| are) (?:no longer|not(?=.* (?:any ?more|any longer|
    these days)\b)) (?:doing )?(?P<was>(?<=doing )[a-z-]+|[a-z]+ [^,.;!?]{2,60}?)
    (?= any ?more\b| any longer\b| these\b|[,.;!]|$)
left_group = \b(?P<who>I){adverbs} (?:left|quit) (?:my |the |our )(?P<was>(?:[\w'’-]+ ){0,2}(?:{group}))\b(?! (?:early|
    late|at|around|before|for)\b)
finished = \b(?P<who>I){adverbs} (?:passed|finished|completed|graduated from) (?:my |our |
    the )(?P<done>[^,.;!?]{2,60}?){then}
relative_left = \b(?P<who>[Mm]y [a-z]+){adverbs} (?:quit|left|resigned from) (?P<work>[A-Z][\w&.'’-]*
    (?: [A-Z][\w&.'’-]*)*)
value_set = ^\W*(?P<who>I|[Ww]e|[Tt]hey|[Mm]y [a-z]+|[Tt]he [a-z]+){adverbs} (?:raised|lowered|increased|reduced|cut|
    changed|moved|pushed|postponed|rescheduled|delayed|brought|extended|shifted|(?:put|bumped)(?=.* (?:up|
    down) to))(?: back| up| forward)? (?:my|our|the) (?P<thing>[a-z]+(?: [a-z]+)?)
    (?: back| up| down| forward)? (?:from [^,.;!?]{1,30} )?(?:to|until) (?P<value>[^.;!?]{1,60})
stolen = \b(?P<who>)(?:[Ss]omeone|[Ss]omebody|[Tt]hey|[Tt]hieves) (?:has |have |just )?(?:stole|stolen|totall?ed|
    wrecked) (?:my|our) (?P<sold>[^,.;!?]{2,40}?)(?= last\b| yesterday\b| today\b| from\b| in\b|[,.;!]|$)
was_stolen = \b(?P<who>)(?:[Mm]y|[Oo]ur) (?P<sold>[^,.;!?]{2,40}?) (?:was|got|has been|were) (?:stolen|totall?ed|
    wrecked|written off|repossessed)\b
safe_for_me = (?:^|[,;] |\b(?:that|and|out) )(?P<safe>(?!(?:I|it|that|this|everything|
    all)\b)[A-Za-z]+(?: [a-z]+)?) (?:is|are) (?:fine|safe|ok|okay) for (?P<who>me)\b
cleared_up = \b(?P<who>)(?:[Mm]y) (?P<was>[a-z]+(?: [a-z]+){0,2}?) (?:is|are|has|have|went|
    ['’]s)(?: now| finally| all| gone)* (?:gone|cured|healed|cleared up|back to normal|under control)\b
recovered = \b(?P<who>I){adverbs} (?:fully )?recovered from (?:my |the )?(?P<was>[^,.;!?]{2,40}?)(?= and\b| last\b|
    [,.;!]|$)
went_up = ^\W*(?:(?:[Ss]ince|[Ff]rom|[Aa]s of) (?:last |this )?[A-Za-z]+,? )?(?P<who>)(?:[Mm]y|[Oo]ur|[Tt]he)[ ]
    (?P<thing>[a-z]+(?: (?!has\b|have\b|just\b)[a-z]+)?) (?:has |just |have )*(?:went|gone|rose|
    risen|dropped|fell|fallen|increased|
    decreased)(?: up| down)? (?:from [^,.;!?]{1,30} )?to (?P<value>\W?\d[^.;!?]{0,60})
named_moved = ^\W*(?P<name>[A-Z][a-z]+){adverbs} (?:(?:moved|relocated) to (?P<residence>{place})
    (?={since}[,.;!]|{since}$)|(?:lives(?=.* now\b)|(?<=now )lives) in (?P<residence_>{place})(?= now\b|[,.;!]|$))
named_works = ^\W*(?P<name>[A-Z][a-z]+){adverbs} (?:(?:works(?=.* now\b)|(?<=now )works) (?:at|for)|
    started(?: working)? at|got a (?:new )?job at) (?P<employer>{place})(?={since}[,.;!]|{since}$)
got_moved = ^\W*(?P<who>)(?:[Tt]he |[Mm]y |[Oo]ur )?(?P<thing>(?!(?:I|We|They|He|She|It|You|Who|This|
    That)\b)[A-Za-z][a-z]+(?: [a-z]+){0,2}?) (?:has been|was|got|['’]s been|is being|is)(?: now)? (?:moved|pushed|
    rescheduled|postponed|shifted|bumped)(?: back| up| forward| out)? (?:from [^,.;!?]{1,30} )?(?:to|
    until) (?P<value>[^.;!?]{1,60})
is_off = \b(?P<who>)(?:[Tt]he|[Mm]y|[Oo]ur) (?P<plan>(?!plan )[A-Za-z][\w'’-]*(?: [\w'’-]+){0,3}?) (?:is|was|has been|
    got|['’]s)(?: now)? (?:off(?= now|[.,;!]|$)|cancell?ed|called off|scrapped)\b
dropped_out = \b(?P<who>I|[Ww]e){adverbs} (?:dropped out of|pulled out of|withdrew from|backed out of|bailed on|
    gave up on|scrapped|called off|cancell?ed) (?:the |my |our )?(?P<plan>[^,.;!?]{2,40}?)(?= and\b| because\b| last\b|
    [,.;!]|$)
not_going = \b(?P<who>I|[Ww]e)(?:['’]m| am|['’]re| are) (?:not|no longer) (?:going|moving|travel+ing|flying|training|
    signing up|learning|saving|applying)(?: to| for)? (?P<plan>[^,.;!?]{2,40}?)(?: any ?more| after all)(?=[,.;!]|$)
new_one = \b(?P<who>[Mm]y) new (?P<renewed>[a-z]+(?: [a-z]+)?)(?: is|['’]s)
    (?: called| named)? (?P<value>[^,.;!?]{1,60})
is_now = \b(?P<who>[Mm]y|[Oo]ur) {sole} (?:is|['’]s) now(?: called| named)? (?P<value>[A-Z][^,.;!?]{1,60})
is_my_new = \b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,3}) is (?P<who>now (?:my|our)|(?:my|
    our) new) {sole}(?= now\b|[,.;!]|$)
is_mine_now = \b(?P<value>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,3}) is (?P<who>my|our) {sole} now\b
have_new = \b(?P<who>I)(?:['’]ve)?(?: have| got) a new {sole}(?: called| named|[,:]) (?P<value>[A-Z][^,.;!?]{1,40})
allowed_again = \b(?P<who>I|[Mm]y [a-z]+|[A-Z][a-z]+)(?: can|(?: am|['’]m| is) allowed to|(?:['’]s| is|
    ['’]m| am) fine to)(?: now| finally| safely)* (?:eat|have|drink|take|wear|use) (?P<safe>[^,.;!?]{2,40}?) (?:again|
    now|after all|safely)\b
outgrew = \b(?P<who>I|[Mm]y [a-z]+|[A-Z][a-z]+){adverbs} (?:outgrown?|outgrew|got over|lost) (?:my|his|her|the|
    their) (?P<safe>[^,.;!?]{2,40}?) allergy\b
""")
_CHINESE = parts_of(r"""
switched = (?P<who>我们?)(?:公司|团队|组里?|部门)?(?:现在|已经|刚刚?|最近|上个?[周月]|今年|终于|都)*(?P<meant>决定|
    准备|计划|要)?从(?P<was>[^，。；！？我的]{1,10}?)(?:换[成到]|改成|改用|迁移?[到至]|转[到用]|切换?到)了?
    (?P<value>[^，。；！？的]{1,10}?)了?(?=[，。；！]|$)
corrected = (?:^|[，,。；！])(?P<who>)(?P<corrected>)(?:我的?)?(?P<thing>{word}{2,6}?)(?:其实|上次|之前|刚才|好像|我)*
    (?:记|说|写|弄|搞|填|报)错了[，,](?:[^，。；！？我]{0,12}?(?:写|显示|印|查)的?)?(?:其实|应该|实际上?|正确的)*[是为]\s?(?P<value>[^，。；！？]{1,20}?)(?=[，。；！]|$)
named_moved = (?:^|[，,。；！])(?P<name>{one}{2,3}?)(?:{lately}|
    前几天)*(?:从{one}{2,6})?搬[到去]了?(?P<residence>{one}{2,8}?)(?<![排位座楼上下里间室组班了])了?(?=[，。；！]|$)
not_any_more = (?P<who>我(?:的|家)?(?:{kin})?)(?:现在|已经|最近|早就)*(?:[，,])?(?:不再?|戒了?|停止)(?P<was>(?:去|吃|
    喝|学|用|开|坐|骑|抽|玩|看|练|打|做|穿)[^，。；！？了]{1,12})了
not_then = (?<=[，,])(?P<who>)(?:现在|已经)*不再?(?P<was>(?:去|吃|喝|学|用|开|坐|骑|抽|玩|看|练|打|做|
    穿)[^，。；！？了]{1,12})了
quit = (?P<who>我)(?:已经|终于|最近|彻底|刚)*戒了?(?P<was>[^，。；！？了]{1,6})了
quit_it = (?P<who>我)?(?:已经|终于|最近|彻底|刚)*把?(?:(?P<was>[\u4e00-\u9fff]{1,4}?)(?:也|都|已经)?戒了|
    (?P<was_>[跑练学打健游吃喝做][\u4e00-\u9fff]{1,2})(?:也|都|已经)?停了)(?=[，。；！]|$)
cured = (?P<who>我)的?(?P<was>[^，。；！？的]{2,8}?)(?:已经|终于|完全|彻底|都|也)*(?:好了|痊愈了|治好了|康复了|没事了)
relative_left = (?P<who>我(?:的|家)?(?:{kin})?)(?:已经|刚|上个?月|最近|今年|
    去年)*离开了?(?P<work>[^，。；！？去了]{2,16})
sold = (?P<who>我)(?:们)?(?:已经|刚|最近)*(?:把|卖了|卖掉了?|退了|取消了)(?:我?的)?(?P<was>{word}{2,12}?)(?=卖|退了|
    换(?!了?一?[个块层根条张])|扔|取消|停|[，。；！]|$)
value_set = (?P<who>){ours}(?P<thing>{word}{2,6}?)(?:又|已经|从[^，。；]{1,10})*(?:涨|降|改|换|挪|推迟|提前|调整?|变|
    延期|延后)(?:到|成|为|至)了?(?P<value>[^，。；！？]{1,20})
new_one = (?P<who>我)(?:们)?(?:已经|刚|最近|上个?[周月])*换了?(?:新的?|一[个台部辆]新?)?(?P<renewed>{word}{2,4}?)(?=了|
    [，,])
new_is = (?P<who>){ours}新(?P<renewed>{word}{1,4}?)(?:是|叫)(?P<value>[^，。；！？]{1,20})
present_is = (?P<who>){ours}(?:现在的?|如今的?)(?:我们?的)?(?P<renewed>{post}{2,6}?)(?:是|叫|
    换成了?)(?P<value>[^，。；！？]{1,20})
is_now = (?P<who>){ours}(?P<renewed>{post}{2,6}?)(?:现在|如今|已经)+(?:是|换成了?|换了)(?P<value>[^，。；！？]{1,20})
plan_dropped = (?:^|[，,；]|(?P<who>我)们?)(?:(?!不|我|他|她)[^，。；！？]){0,6}不(?:再|准备|打算|想)?(?P<plan>(?:去|
    考|买|学|搬|参加|换|办|跑|报|参与)[^，。；！？了]{1,12})了
plan_cancelled = (?:^|[，,；]|(?P<who>我)们?)(?:已经|刚|最近|决定|只好|把)*(?:取消|放弃|推掉|
    退出)了?(?P<plan>[^，。；！？了]{2,14}?)(?:的?计划)?了?(?=[，。；！]|$)
left_work = (?P<who>我)(?:{lately})*从(?P<work>[^，。；！？我]{2,16}?)(?:{lately})*(?:离职|辞职|跳槽|出来)
resigned = (?P<who>我)(?:{lately})*辞(?:掉|去)?了?(?P<work>[^，。；！？我]{2,16}?)的?(?:工作|职位)
sold_off = (?P<who>)(?:^|[，,。；！])(?:我们?)?(?:{lately})*(?:把|将)?(?:我们?家?的)?(?:(?:那|这)[辆台部只]|旧的?|
    老)?(?P<sold>{word}{2,12}?)(?:{lately})*(?:给|被人?)?(?:卖(?:给[^，。；！？]{1,6})?|处理|报废|送人|扔|淘汰|偷|
    丢)掉?了
safe_again = (?:{says}|^|[，,])(?P<who>我(?:的|家)?(?:{kin})?|{one}{2,3}?)?(?:{lately})*(?:可以|能)(?:吃|喝|碰|
    用)(?P<safe>{food}{1,8}?)了
allergy_gone = (?:(?P<who>我(?:的|家)?(?:{kin})|(?<![{han}]){one}{2,3}?)的?过敏[^。！？]{0,20}?)?(?:{says}|^|
    [，,])(?P<safe>{food}{1,8}?)(?:{lately})*(?:可以|能)(?:吃|喝|碰|用)了
""")
_FORMS = {
    zh: tuple(lazy_regex(expanded_form(form, _PARTS)) for form in forms.values())
    for zh, forms in ((True, _CHINESE), (False, _ENGLISH))
}
_UNREAL = lazy_regex(
    r"\b(?:would|could|might|if|want|plan|once|until|unless|not|never)\b|n['’]t\b|如果|(?<![联理思])想要?|打算|等|要是|希望"
    r"|[煮烤蒸炒熟冻]"  # 花生可以吃了，已经煮熟了 tells of a dish
)
_ONCE = lazy_regex(f"今[天晚早]|{COMING}|这[周次个]|本周|周末|下[周次个]|国庆|元旦|[暑寒]假|春节|五一")
"""On one day: who is not going today still goes."""
_UNREAL_LIFE = lazy_regex(
    r"\b(?:would|could|might|should|if|want|wanted|plan|hope|trying|tried|going to|will|when|before|until|almost|never|"
    r"not yet|ago)\b|n['’]t (?:quit|stop|switch|retire)|['’]ll\b|如果|(?<![联理思])想|打算|等|要是|希望|准备|快要?|"
    r"没有?|别|以前|当时|的时候|过一段",
    re.IGNORECASE,
)
_OF_SOMEBODY_ELSE = lazy_regex(
    r"(?<!\b[Ii]t)(?<!\b[Tt]hat)(?<=\w)['’]s\b|\b(?:his|her|their|its|would|could|might|if|want|plan)\b|[他她]|如果|(?<![联理思])想要?|打算"
)
_MAY_CHANGE = lazy_regex(
    r"\b(?:switch|chang|convert|migrat|went|upgrad|trad|swapp|exchang|replac|ditch|sold|cancel|g[ai]ve|got rid|dropp|"
    r"stop|quit|left|resign|retir|laid|fired|married|knot|elope|sober|vegetarian|vegan|eat|start|join|wife|husband|stole|"
    r"crash|total|longer|rais|lower|increas|reduc|cut|mov|push|postpon|reschedul|delay|brought|extend|shift|relocat|bump|"
    r"outgr|got over|lost|allowed|fine (?:to|for)|(?:safe|ok|okay) for|recover|any ?more|these days|nowadays|done with|"
    r"through with|finish|pass|complet|graduat|swor|cured|healed|cleared|back to|under control|notice|resignation|"
    r"after all|wrong|instead|(?:now|put|rose|risen|fell|off|new|can|gone)\b)"
    r"|吃[肉荤鱼]了|[挪不戒停换改涨降调变新离卖退辞扔婚证裁失跳入转偷丢没搬]|我.*换|放弃|取消|好了|康复|"
    r"痊愈|错了|从.+[迁转切]|现在|如今|处理|报废|送人|淘汰|(?:可以|能)[吃喝碰用]|推迟|提前|延[期后]",
    re.IGNORECASE,
)
"""What a sentence holds that tells of a change. Without it the forms took half as long again, and one of them heard a
change in 我把备用钥匙藏在花盆底下了."""
_NOT_MEANT = lazy_regex(NOT_MEANT)
_LONGEST = 200
"""Characters of a sentence that is read: of a longer one it is not plain what has changed. Chosen by hand."""


def changes(text: str, *, speaker: str = "user") -> Iterator[Change]:
    """Yield what a message says has changed, sentence by sentence, and behind it what it only lets doubt."""
    own = own_words(text)
    for span in plain_sentences(text):
        sentence = said_by_oneself(span.of(own))
        if len(sentence) > _LONGEST or is_question(sentence) or is_secret(sentence) or _NOT_MEANT.search(sentence):
            continue
        if _MAY_CHANGE.search(sentence):
            yield from _known_forms(sentence, span, speaker)
        for clause in doubts(sentence):
            name = subject_name(speaker, zh=has_han(sentence))
            yield Change(name, sentence.strip(), span.start, span.end, was=clause, doubt=True)


def _known_forms(sentence: str, span: Span, speaker: str) -> Iterator[Change]:
    """Yield what a sentence says has changed in a form that ends what was known."""
    of_others = _OF_SOMEBODY_ELSE.search(sentence) is not None
    yield from () if of_others else _of_life(sentence, span, speaker)
    zh = has_han(sentence)
    for form in _FORMS[zh]:
        for found in form.finditer(sentence):
            told = {**found.groupdict(), **({"was": found["was_"]} if found.groupdict().get("was_") else {})}
            if of_others if not told.get("safe") else _UNREAL.search(sentence):
                continue
            if (told.get("was") or "").startswith("去") and _ONCE.search(sentence):
                continue
            of = next((one for one in ("residence", "employer") if told.get(one) or told.get(f"{one}_")), "")
            named = told.get("thing") or told.get("renewed")
            if zh and named and re.search(f"我(?:的|家)?(?:{_PARTS['kin']})", sentence[: found.start()]):
                continue  # 我妈换号了，新号码是…
            flags: dict[str, Any] = {part: bool(told.get(part)) for part in _FLAGS}
            # Whoever raises the rent, it is the speaker's.
            who = "" if named or of else told["who"] or ""
            yield Change(
                subject=_subject(who, speaker, zh=zh),
                name=told.get("name") or "",
                content=third_person(_clause(sentence, found.start()).strip(" .。!！"), speaker),
                start=span.start,
                end=span.end,
                was=next((told[part] for part in _ENDED if told.get(part)), "").strip(),
                thing=(named or of).strip(),
                # What we do at the office is not what I like.
                value="" if who in {"We", "we", "我们"} else (told.get("value") or "").strip(),
                safe=(told.get("safe") or "").strip(),
                corrected="corrected" in told,
                **flags,
            )


_FLAGS = ("work", "renewed", "sold", "plan", "done", "meant")
_ENDED = ("was", "work", "sold", "safe", "plan", "done", "name")


_ONESELF_BEFORE = lazy_regex(rf"我(?!(?:的|家)?(?:{_PARTS['kin']}))|^[\W\d]*$")
_FROM_TODAY = lazy_regex(r"(?:从|打)今天(?:起|开始|以后)|今天起")


def _of_life(sentence: str, span: Span, speaker: str) -> Iterator[Change]:
    """Yield what a change in the speaker's life bears on."""
    if _UNREAL_LIFE.search(sentence):
        return
    zh = has_han(sentence)
    for name, instead, place in life_changes(sentence):
        if zh and place and "我" not in sentence[place : place + 3] and not _ONESELF_BEFORE.search(sentence[:place]):
            continue  # 我爸戒酒了，改喝茶
        if name == "given up" and _ONCE.search(_FROM_TODAY.sub("", sentence)):
            continue
        content = third_person(_clause(sentence, place).strip(" .。!！"), speaker)
        subject = subject_name(speaker, zh=zh)
        words = " ".join(_LETTERS.findall(_of_kind(instead).pattern)) if ROWS[name].is_of_kind else ROWS[name].words
        yield Change(subject, content, span.start, span.end, was=words, value=instead, life=name)


def _clause(sentence: str, place: int) -> str:
    """Return the part between semicolons that a place is in: who is told of before it is not whose the change is."""
    begin = max(sentence.rfind(mark, 0, place) for mark in ";；") + 1
    return re.split("[;；]", sentence[begin:].strip(), maxsplit=1)[0]


def _subject(who: str, speaker: str, *, zh: bool) -> str:
    """Return whom a change is about: the speaker, or somebody of theirs."""
    name = subject_name(speaker, zh=zh)
    if zh:
        kin = re.sub("^我(?:们|的|家)?", "", who)
        if kin and kin == who and not re.fullmatch(_PARTS["kin"], kin):
            return who  # by their name
        return f"{name}的{kin}" if kin else name
    words = who.split()
    if len(words) == 1 and words[0] not in {"I", "We", "we", "My", "my", "They", "they", "me"}:
        return who
    return f"{name}'s {words[1]}" if len(words) > 1 else name


# ── what a change in a life ends ─────────────────────────────────────────────

_OTHER_TIMES = lazy_regex(
    r"\b(?:morning|afternoon|evening|night|noon|lunch|dinner|breakfast|weekends?|weekdays?|winter|summer|work)s?\b"
    r"|早上|上午|中午|下午|晚上|睡前|周末|工作日|午饭|晚饭|早饭|冬天|夏天"
)
_TOLD = parts_of(r"""
alcohol = {i} {free} (?:drinking|alcohol|booze|drink alcohol)(?=[.,;!]|
    $| and| last| this| for| since)|{i} sober\b|{lately_we}(?:戒了?酒|不再?喝酒|把酒戒)了?
drink = {i} (?:{switched}) (?P<to>[^,.;!?]*?\b(?:{drinks})\b)|(?:{lately_we}|{behind})(?:改喝|换成?喝|
    改成?喝)(?P<to_>[^，。；！？]*?(?:{drinks}))
given up = {i} (?:(?:quit|stopped|gave up|given up|no longer|(?:don['’]t|do not)(?=[^.;!?]* any ?more\b)) (?:drinking|
    eating|smoking|drink|eat|smoke)|gave up|given up|kicked) (?P<to>[a-z]+(?: [a-z]+)?)(?: any ?more| for good)*{head}|
    {ongoing}(?:不再?|戒了?|戒掉?了?)(?:吃|喝|抽|玩|碰)(?P<to_>[^，。；！？了]{1,6}?)了|
    {ongoing}戒了?(?P<to__>[^，。；！？了]{1,4})了?(?=[，。；！]|$)
exercise = {i} (?:{switched}|took up(?=[^.;!?]* instead)) (?P<to>{sports})\b(?: instead| now)*{head}|
    (?:{lately_we}|^|{behind})(?:改成?|换成?|转)(?:为|去|打|练|学|踢|做)?(?P<to_>{sports})了?(?=[，。；！]|$)
another phone = {i} (?:switched|moved|changed) to (?:an? |the )?(?P<to>{phones})|
    (?:{lately_we}|^|{behind})(?:手机)?换(?:成|了|用)了?(?:一?[部台个])?新?的?(?P<to_>{phones})
doctor = \bI (?:now (?:see|go to) (?P<to>Dr\.? [A-Z]\w+)|(?:see|go to) (?P<to_>Dr\.? [A-Z]\w+) (?:now|instead|
    these days))|{treats}看病的(?:医生|大夫)?是(?P<to__>[^，。；！？]{2,6})
dentist = \bI (?:now (?:have|got)|have) a new dentist\b|{treats}看牙的(?:医生)?是(?P<to__>[^，。；！？]{2,6})
way = {i} (?:{switched}) (?P<to>[^,.;!?]*?\b(?:{rides})\b)(?=[^.;!?]*\bwork\b)|\bI (?:now )?(?:take the|ride my|ride a|
    drive|walk|cycle|bike) ?(?P<to_>[^,.;!?]*)\bto work (?:now|these days)\b|{lately_we}(?:改成?|换成?)?(?P<to__>(?:坐|
    骑|开|打|乘)?(?:{rides}))(?:去)?(?:上班|上学|通勤)了
car = {i} (?:traded in|swapped|replaced|sold|crashed|totall?ed|wrecked) (?:my|our|the) (?:old )?(?:car|truck|
    van)\b|{lately_we}(?:把|将)?(?:旧|老)?(?:的?那辆)?车子?(?:给)?(?:换成|换了|换掉|卖了|卖掉|报废)|{lately_we}换车了|
    (?:^|[，,])车子?(?:已经|刚)*(?:换成|卖了|卖掉|报废)
another car = {i} (?:bought|got|leased|picked up|have) an?(?: brand)? new (?:car|truck|van|suv){head}|{lately_we}(?:买|
    提|换)了[一]?[辆台]?新?车
phone = {i} (?:switched|moved|changed) to (?:an? )?(?:iPhone|Android|Pixel|Galaxy|Samsung)|{i} (?:got|bought|
    have) an? new (?:phone|iPhone)\b|{lately_we}(?:换手机|换了[部个台]?新?手机|把手机换)
meat = {i} (?:gone|went|going|am|back to|started|start|begun|returned to)(?: back)?(?: to)? ?(?:eating|
    eat) {meat}\b(?! free)|{i} (?:not|no longer) (?:a )?(?:vegetarian|vegan)\b|{i} eat(?:ing)? {meat} (?:again|
    now)\b|{lately_we}(?:不再?吃素了|(?:又|开始|恢复)+吃(?:肉|荤|鱼)了)|
    ^(?:{lately})*(?:又|重新)+开始吃(?:肉|荤|鱼)了
number = {i} (?:changed|switched) my (?:(?:phone|mobile|cell) )?number{head}|{i} (?:got|have) a new (?:(?:phone|mobile|
    cell) )?number{head}|(?:{lately_we}|^(?:{lately})*)换(?:了?个)?新?(?:手机|电话)?号码?了(?=[，。；！]|$)
married = {i} (?:got |getting |been )?(?:married(?! to (?:{thing_of_love}))|
    tied the knot|eloped)\b|\bis my (?:wife|husband) now\b|
    \bis now my (?:wife|husband)\b|{lately_we}(?:结婚|领证|成家|办婚礼)了
parted = \b(?:[Ww]e|I)(?:['’]ve| have)?(?: just| recently)* (?:(?:called off|cancell?ed|broke off) (?:our|the|
    my) (?:wedding|engagement)|called (?:our|the|my) (?:wedding|engagement) off)|{i} (?:got )?divorced\b|{lately_we}
    (?:离婚|退婚|取消婚约)了
retired = {i} (?:retired|gone into retirement){head}|{lately_we}(?:退休|内退)了
out of work = {i} (?:(?:got |was |were |been )?(?:laid off|fired|made redundant|let go)|handed in my (?:notice|
    resignation)|given notice|gave (?:my )?notice|(?:quit|left|resigned from|lost) my (?:old )?job{head}|unemployed\b|
    between jobs\b)|{lately_we}(?:被裁员?|失业|离职|辞职|下岗|被辞退)了
new work = {i} (?:got|landed|found|started|took|accepted|switched to|have) (?:an? |my )?new (?:job|position|
    role){head}|{i} (?:changed|switched|moved) (?:jobs|careers|employers|companies)\b|{i} (?:started|
    start) (?:working )?at (?=[A-Z])|{i} joined (?=[A-Z][\w&. -]* as\b)|{lately_we}(?:跳槽|入职|换了?(?:份|
    个)?(?:新的?)?(?:工作|公司|单位)|转行)
""")


@dataclass(frozen=True, slots=True)
class LifeRow:
    """How a change is told, and what of what was told before it bears on."""

    told: re.Pattern[str]
    attributes: frozenset[str]
    about: re.Pattern[str]
    """What the memory must say."""
    words: str
    """By which words such memories are looked for."""
    ends: bool = True
    """Whether what it bears on is over; else it may be."""
    sort: re.Pattern[str] | None = None
    """Words of which one takes the place of another: a drink, a way to work."""
    whose: re.Pattern[str] | None = None
    """Of whom it is, where that is another than the user: their partner, their doctor."""
    is_of_kind: bool = False
    """Whether it bears on whatever is of the kind that it names: who gave up coffee drinks no latte."""


def _row(told: str, table: str) -> LifeRow:
    row = {part: expanded_form(form, _PARTS) for part, form in parts_of(table).items()}
    attributes = frozenset(canonical(word.replace("_", " ")) for word in row["attributes"].split())
    sort, whose = (lazy_regex(row[part], re.IGNORECASE) if part in row else None for part in ("sort", "whose"))
    heard, about = lazy_regex(expanded_form(told, _PARTS)), lazy_regex(row.get("about", ""), re.IGNORECASE)
    words = row.get("words", "")
    return LifeRow(heard, attributes, about, words, "may" not in row, sort=sort, whose=whose, is_of_kind=not words)


_KINDS = (
    (
        r"coffee|咖啡",
        "coffee|americano|latte|cappuccino|espresso|mocha|macchiato|flat white|cold brew|咖啡|美式|拿铁|摩卡|冷萃",
    ),
    (r"\btea\b|茶", r"\btea\b|oolong|matcha|earl grey|earl gray|sencha|茶|龙井|普洱|铁观音|乌龙|碧螺春|大红袍"),
    (r"alcohol|booze|drinking|酒", r"alcohol|beer|wine|whisk|vodka|\bgin\b|cocktail|酒|威士忌"),
    (r"\bmeat\b|肉", r"\bmeat\b|beef|pork|lamb|steak|bacon|chicken|肉|牛排|排骨|烤鸭|火锅"),
    (r"smok|cigar|烟", r"smok|cigar|烟"),
)
"""What is a sort of what somebody may give up: a kind, and the words for what is of it."""


_LETTERS = lazy_regex(r"(?<!\\)[^\W_]+(?: [^\W_]+)*")


def _of_kind(named: str) -> re.Pattern[str]:
    """Return the words for whatever is of the kind that is named, and for that itself."""
    found = (members for kind, members in _KINDS if re.search(rf"(?:{kind})$", named, re.IGNORECASE))
    return re.compile(next(found, re.escape(named.strip())), re.IGNORECASE)


ROWS = {name: _row(_TOLD.get(name, _TOLD["married"]), table) for name, table in word_tables("changes_in_life").items()}
"""By name; the row for a partner is told as that for being married."""
SINGLE = ("job", "employer", "workplace", "field", "marital status", "婚姻状况", "diet", "饮食")
"""Attributes of one value at a time, whose memories are found by that alone."""


def life_changes(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the rows that a sentence is told by, with what took the place of something, and where it begins."""
    for name, row in ROWS.items():
        heard = {
            next((value for value in found.groupdict().values() if value), ""): found.start()
            for found in row.told.finditer(sentence)
        }
        yield from ((name, instead, place) for instead, place in heard.items())


def bears_on(name: str, instead: str, said: str, *, of: str, attribute: str, content: str) -> bool:
    """Tell whether a change in a user's life bears on a memory; of others only on who is their partner or doctor."""
    row = ROWS[name]
    if attribute not in row.attributes:
        return False
    if of not in {"The user", "用户"} and not (row.whose is not None and row.whose.search(of)):
        return False
    return takes_the_place(name, instead, said, of=content)


def takes_the_place(name: str, instead: str, said: str, *, of: str) -> bool:
    """Tell whether what a change in somebody's life put in the place of something is of the sort of what was told."""
    row, content = ROWS[name], of
    if not row.about.search(content):
        return False
    if row.is_of_kind:
        return _of_kind(instead).search(content) is not None
    if row.sort is None:
        return True
    had = row.sort.search(content)
    # "Tea in the evening" says nothing of the coffee in the morning.
    elsewhen = {found[0] for found in _OTHER_TIMES.finditer(said)} - {"work"}
    return (
        had is not None and had[0] not in instead and elsewhen <= {found[0] for found in _OTHER_TIMES.finditer(content)}
    )


# ── what is taken back ───────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Retraction:
    """What is taken back: the statement that no longer holds, with the words that say so as its content."""

    statement: Statement
    forgets: bool = False
    """Whether it is to be forgotten, rather than known to be over."""
    is_last: bool = False
    """Whether it is whatever was stated last before it."""
    about: str = ""
    """The words in which something is to be forgotten; empty where an order may be about something else."""
    is_thing: bool = False
    """Whether those words name something of the speaker's: "my birthday"."""
    is_name: bool = False
    """Whether those words are somebody's name."""


_LAST = lazy_regex(
    r"^\W*(?:(?:sorry|actually|no|wait|oh|well)\W+)*(?:that|this|what i (?:just )?said)(?:['’]s| is| was|)\s*(?:no "
    r"longer (?:true|right|so|the case|valid)|not (?:true|right|so|the case|valid)(?: any ?more| any longer)?|wrong|"
    r"not right|n['’]t (?:true|right)(?: any ?more)?)\W*$|^\W*(?:that|this) (?:is|was)n['’]t (?:true|right|the "
    r"case)(?: any ?more)?\W*$|^\W*(?:please )?forget (?:that|this|it|what i (?:just )?said)\W*$|^\W*(?:不对|抱歉|其实|"
    r"哦)*[，,]?\s*(?:(?:这|那)(?:已经|个|件事|一点)*(?:不是真的|不再(?:成立|是真的|这样)|不对|已经不是这样)了?|"
    r"我说错了|刚才说错了|刚才(?:说的|那句)(?:不对|不算数|作废))\W*$|^\W*(?:请|你)*(?:忘掉|忘了|忘记)(?:这个|它|"
    r"我?刚才(?:说的话?|那句话?)?|这句话?)(?:吧)?\W*$",
    re.IGNORECASE,
)
_ONE_DAY = r"(?!.*\b(?:yesterday|today|tonight|last|this|ago|on [A-Z]\w+day)\b)"
"""Not behind "didn't": who did not play on one day plays."""
_NO_FORM_OF_BE = "".join(rf"(?<!\b{word} )" for word in "be been being am is are was were get got".split())
"""Before "used to": what can be used to do something, or what one is used to, is not over."""
_ENDED_FORMS = parts_of(r"""
work = \b[Ii](?:['’]ve| have|['’]m| am)? (?:just |recently )?(?:quit|resigned from|was laid off from|
    left(?! [A-Z]\w* (?:early|late|at|around|before|for)\b)|(?:done|through|finished) with|
    (?:no longer|not(?=.* any ?more\b)) (?:working )?(?:at|with|for))
    (?: my (?:old |last )?(?:job|position)(?: at| with)?)? (?=[A-Z])
contract = \b[Mm]y (?:contract|job|internship|position|time|stint) (?:with|at) (?=[A-Z][\w&. -]*
    (?: ran out| ended| expired| is over| came to an end| was cut))
had = \b[Ii](?:['’]ve| have)? (?:just |recently )?(?:gave away|lost|sold|rehomed) (?:my|our|the)[ ]
    (?=(?:old |poor |little )?(?:[a-z-]+|[A-Z][\w-]*(?: [A-Z\d][\w-]*)*)
    (?:[.,;!]|$| (?:and|last|yesterday|today|this|to|in|on|again)\b))
vegetarian = \b[Ii](?:['’]ve| have)? (?:now |just )?(?:eat|started (?:eating|to eat)) (?:fish|meat|chicken|beef|pork)
    (?: again| now| again now)[\s.!]*$
""")
# How each denial would be stated; the first that fits is taken.
_DENIALS, _CHINESE_DENIALS = (
    tuple((lazy_regex(form), stated) for form, stated in forms)
    for forms in (
        (
            (r"(?i)\bno longer\s+(?=\w)", ""),
            (r"\b(I|[Ww]e) used to be\b", r"\1 am"),
            (rf"(?i){_NO_FORM_OF_BE}\bused to\s+", ""),
            (rf"\b(?:(?:do|does)(?:n['’]t| not)|never did|did(?:n['’]t| not){_ONE_DAY})\s+(?:actually |really )?", ""),
            (r"\b([Ii])(['’]m| am) not (?:actually |really )?", r"\1\2 "),
            (r"\b(is|are|was)(?: not|n['’]t) (?:actually |really )?", r"\1 "),
            (_ENDED_FORMS["work"], "I work at "),
            (_ENDED_FORMS["contract"], "I work at "),
            (_ENDED_FORMS["had"], "I have a "),
            (_ENDED_FORMS["vegetarian"], "I am vegetarian"),
        ),
        (
            (
                r"我(?:其实|根本|现在|已经|早就)*(?:没有?|不再?)(?:养|有)(?:了|过)?(?:任何)?(?:[一两三四五\d]+[只个条位])?",
                "我有一只",
            ),
            (r"(?<=[，,])(?:已经|早就|现在|目前)*不再?(?=住在?|在[^，。]{2,10}住)", "我"),
            (r"(?:已经|早就|现在|目前)*(?:从)(?=.{2,20}(?:离职|辞职))", "在"),
            (r"我(?:已经|刚|上个?月|最近)*离开了?(?=[^，。]{2,16}(?:公司|集团|了)?)", "我在"),
            (r"(?:已经|早就|现在|目前|其实|最近)*不再?(?=住|在|是|做|当|叫|用|开|养)", ""),
            (r"(?:以前|之前|原来|曾经|从前|过去)(?:(?:是|也)?(?=住|在|做|当|用|开|养)|(?=是))", ""),
            (r"(?:已经|早就|现在|其实|并)*(?:不再?|没有?)(?=过敏|对[^，。]{1,12}过敏)", ""),
            (r"(?:已经|早就|现在|其实)*不再(?=喜欢|爱)", ""),
        ),
    )
)
# Somebody is no more, or no longer somebody's: what was known of who they are is over.
_GONE = lazy_regex(
    r"^\W*(?:(?i:sadly|unfortunately|so|well|oh|and|but)\W+)*(?:[Mm]y |[Oo]ur )?(?:[a-z]+ (?=[A-Z]))?(?P<en>(?!(?i:he|"
    r"she|it|they|we|who|that|this|the|everyone|nobody|people)\b)[\w'’-]+) (?:has |have |just |sadly |recently )*"
    r"(?:died(?! (?:laughing|with laughter|inside|of (?:laugh|boredom|embarrass|shame|envy|cuteness|joy)))|passed away|"
    r"was put (?:down|to sleep)|crossed the rainbow bridge|ran away|run away|(?:is no longer|isn['’]t) with us)\b|"
    r"^\W*(?:[Ww]e|I) (?:recently |just )?(?:had to )?(?:(?P<put>put|let)|said goodbye to|say goodbye to) (?:our |my "
    r")?(?:old )?(?P<en_>[\w'’-]+)(?(put) (?:down|to sleep|go))(?: (?:last|yesterday|today|this|in|on)\b|[.!]*$)|"
    r"^\W*(?:可惜|唉|难过的是)?[，,]?\s*(?:我们?家?的?)?(?:猫|狗|兔子)?(?P<zh>[\u4e00-\u9fff]{2,4}?)(?:昨[天晚]|"
    r"今[天早]|前天|上个?[周月]|去年|[春夏秋冬]天|刚刚?|已经|前几天|不幸){0,3}(?:(?:去世|过世|离世|病逝)了?|(?:走丢|"
    r"跑丢|没|被?送人|死|死掉)了)\W*$|^\W*(?:可惜|唉)?[，,]?\s*(?:我们?家?的?)?(?:猫|狗|"
    r"兔子)?(?P<zh_>[\u4e00-\u9fff]{2,4}?)(?:昨[天晚]|今[天早]|前天|上个?[周月]|去年|刚刚?|已经|前几天|"
    r"不幸){1,3}(?:去世|过世|离世|病逝|走丢|跑丢)了?[，,]"
)
_PARTED = lazy_regex(
    r"^\W*(?:(?i:sadly|so|well|oh|and|but|actually)\W+)*(?:(?P<en>(?:[Mm]y )?[\w'’-]+) and [Ii]|[Ww]e|I)(?:['’]ve| "
    r"have|['’]re| are| just| recently| finally)* (?:broke up|broken up|split up|separated|got (?:a )?divorced?|"
    r"divorced|called off our engagement|ended things|(?:no longer|not) together|over(?=[.,;!]|$| now| for good)|"
    r"aren['’]t together)\b(?! (?:the|an?|my|our|their|his|her|its?|this|that|these|those|on an?|over an?|into|well)\b)"
    r"(?: with (?P<with>(?:my )?[\w'’-]+))?|^\W*我们?(?:[和跟与](?P<zh>[\u4e00-\u9fff]{2,4}?))?(?:已经|最近|"
    r"上个?[周月]|刚刚?|昨天|终于|前几天){0,2}(?:(?:分手|离婚|散|掰|不在一起)了?\W*$|(?:分手|离婚|不在一起)了[，,])"
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


def retractions(text: str, *, speaker: str = "user", is_user: bool = True) -> list[Retraction]:
    """Return what a message takes back, in order; only a user has something forgotten."""
    if is_user and JEST.fullmatch(text):
        return [Retraction(Statement("fact", "", "", "", text.strip(), 0, len(text)), is_last=True)]
    ordered = orders(text, speaker=speaker) if is_user else ()
    found = [one for order in ordered for one in _forgotten(order, speaker)]
    text = without_orders(text, ordered)
    own = own_words(text)
    for span in plain_sentences(text):
        sentence, said = (said_by_oneself(span.of(words)) for words in (text, own))
        made = list(_of_sentence(sentence, said, speaker=speaker, is_user=is_user))
        found += [
            replace(one, statement=replace(one.statement, start=span.start, end=span.end))
            for one in made
            if one.forgets or not is_secret(one.statement.content)  # a secret is forgotten, too
        ]
    return sorted(found, key=lambda one: one.statement.start)


def _of_sentence(sentence: str, own: str, *, speaker: str, is_user: bool) -> Iterator[Retraction]:
    """Yield what a sentence takes back; in `own` what others say in it is left out."""
    if is_user and _LAST.match(sentence):
        forgets = re.search(r"forget|忘", sentence, re.IGNORECASE) is not None
        yield Retraction(Statement("fact", "", "", "", sentence.strip(), 0, 0), forgets=forgets, is_last=True)
        return
    if is_question(sentence) or _NOT_MEANT.search(sentence):
        return
    for topic in _of_others(own):
        zh = has_han(sentence)
        told = re.sub(
            r"^[Ww]e\b(?:['’]re| are|['’]ve| have)?|^我们", "我" if zh else "I", _HEDGE.sub("", sentence).strip()
        )
        content = third_person(told.strip(" .。!！"), speaker)
        whose = subject_name(speaker, zh=zh)
        if _PARTED.match(sentence):
            whose = f"{whose}的爱人" if zh else f"{whose}'s partner"
        yield Retraction(Statement("fact", whose, topic, "", content, 0, 0))
    for one in _denied(own, speaker):
        told = _HEDGE.sub("", JEST.sub("", sentence))
        yield Retraction(replace(one, content=third_person(told.strip(" .。!！"), speaker)))


def _forgotten(order: ForgetOrder, speaker: str) -> Iterator[Retraction]:
    """Yield what is to be forgotten: what a clause states, or all that is known of something of the speaker's."""
    for one in order.stated:
        told = replace(one, content=order.words, start=order.start, end=order.end)
        yield Retraction(told, forgets=True, about=order.about)
    if order.is_last:
        yield Retraction(Statement("fact", "", "", "", order.words, order.start, order.end), forgets=True, is_last=True)
    elif order.is_name:
        told = Statement("fact", "", order.about, "", order.words, order.start, order.end)
        yield Retraction(told, forgets=True, about=order.about, is_name=True)
    elif not order.stated:
        name = subject_name(speaker, zh=has_han(order.about)) if order.thing else ""
        one = Statement("fact", name, order.thing, "", order.words, order.start, order.end)
        is_thing = (
            order.thing in order.about.lower()
            and bool(order.thing)
            and (not has_han(order.thing) or "的" in order.about)
        )
        yield Retraction(one, forgets=True, about=order.about, is_thing=is_thing)


def _of_others(sentence: str) -> list[str]:
    """Return by name or kin who is no more, or is parted from: any partner, where nobody is named."""
    gone, parted = _GONE.match(sentence), _PARTED.match(sentence)
    if gone is not None:
        return [gone["en"] or gone["en_"] or gone["zh"] or gone["zh_"]]
    if parted is None:
        return []
    named = (parted["en"] or parted["with"] or parted["zh"] or "").lower().removeprefix("my ")
    anybody = _SPOUSES if re.search("divorce|离婚", sentence) else [*_PARTNERS, *_SPOUSES]
    zh = has_han(sentence)
    return [named] if named else [word for word in anybody if has_han(word) is zh]


def _denied(sentence: str, speaker: str) -> list[Statement]:
    zh = has_han(sentence)
    lean = _HEDGE.sub("", JEST.sub("", sentence))
    for pattern, stated in _CHINESE_DENIALS if zh else _DENIALS:
        positive, count = pattern.subn(stated, lean, count=1)
        if not count or JEST.match(positive):  # "I'm not joking, …"
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
