"""What is said to be over by its name: "Dr. Weiss retired", "I left the orchestra", 卡罗拉卖掉了, 我和小雅掰了.

Nobody foresees how a change is worded; but what was told before has a name, and what ended is said of that name. So
one table for each language lists the words that end something, by what they end: a post, a flat that is shared, a
couple, a pet's stay, what somebody had, a place or an account, what somebody does. What such a word governs, as its
subject or its object in the same clause, is looked for among what is known, and ends what it can end there: who moved
out is no flatmate any more, and a daughter still.
"""

import re
from collections.abc import Iterator

from remanent.language.offline.changes import Change
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import canonical, group, parts_of, rules_of, subject_name
from remanent.language.offline.statements import is_secret, plain_sentences, third_person
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, alphanumeric
from remanent.text.terms import query_terms

_PARTS = parts_of(r"""
open = \W*(?:(?:[Aa]nd|[Bb]ut|[Ss]o|[Ww]ell|[Ss]adly|[Uu]nfortunately|[Ff]inally|[Yy]esterday|[Tt]he|[Ll]ast \w+|
    [Tt]his \w+|[Aa]ctually|[Oo]h|[Bb]y the way|[Mm]y|[Oo]ur|[Tt]hat|old),? )*
name = (?P<what>(?!\w+n['’]t)[A-Z][\w.'’-]*(?<!['’]s)(?: [A-Z][\w.'’-]*(?<!['’]s)){0,3})
thing = (?P<what>[\w.'’&@-]+(?<!['’]s)(?: [\w.&-]+){0,3}?)
has = (?:['’]s| is| was| were| are| has| have|['’]ve| got)?(?: (?:just|finally|recently|now|all|also|already|sadly|
    been|had to|got))*
i = \W*(?:(?:and|but|so|well|finally|yesterday|last \w+|this \w+|actually),? )*(?:(?:I|[Ww]e)(?:['’]ve| have|['’]m| am|
    ['’]re| are| was| were|['’]d| had)?(?: (?:just|finally|recently|now|also|already|sadly|had to|actually|officially|
    eventually|decided to|been|got))* )?
the = (?:(?:my|our|the|that|all|old|using) )*
it = {the}(?P<what>[^,.;!?]{2,40}?)(?= (?:in|at|on|for|with|after|since|last|this|when|because|to|and|over|during|ages|
    years|months|a (?:while|year|month|few|couple)|yesterday|completely|altogether|entirely|away|any|from|before|until|
    off|lapse)\b|\W*$)
with = (?:go to|see|use|take|attend|visit|watch|follow|support|work (?:at|for|with))
new = (?:an? |her |his |its )?(?:new|another|loving|different)
lately = (?:上个?[周月]|上星期|前几天|前不久|昨天|今年|去年|前年|最近|刚刚?|已经|早就|早|终于|后来|现在|也|又|都|
    就|彻底|[\d一二三四五六七八九十]+月份?|[年月][初底])*
r = (?P<what>(?:(?![是很把被觉每次])[\u4e00-\u9fffA-Za-z\d.@·]){1,10}?)
topic = {lately}{r}(?:我们?)?{lately}(?:给|被人?)?
me = (?:我们?)?{lately}(?:决定|只好)?
does = [学去看喝吃抽玩打练弹用读上做开骑养坐跳踢拉唱写]
sold = (?:卖|转手|处理|报废|送人|淘汰|扔|换)
""")
# How it is said that something is over, by what that ends; `what` is what the words govern.
_ENGLISH = r"""
fact post = {open}{name}{has} (?:retired|resigned|stepped down|moved on|fired|laid off|transferred|promoted|let go|
    replaced|quit|no longer (?:works|does|teaches|is (?:my|our)|treats|trains|coaches|manages)|
    left(?= (?:the|our|us|for)\b|\W*$)|took (?:another|a new) job|handed over)\b
fact out = {open}{name}{has} (?:moved (?:out|away)|packed (?:his|her|their) (?:bags|things)|left(?=\W*$))\b
fact couple = {open}{name} and I{has} (?:called it quits|broken? up|broke up|split|parted ways|separated|divorced|
    no longer together|ended things)\b|{i}(?:broken? up with|broke up with|dumped|divorced|split (?:up )?(?:with|
    from)|separated from|left) {name}(?=\W*$| (?:in|last|after|over|this|a)\b)|
    {open}{name}{has} (?:broken? up with|broke up with|dumped|left) me\b
fact pet = {open}{name}{has} (?:(?:went|gone|go|moved) to (?:live with|{new} (?:family|home|owner))|found {new} home|
    passed away|died|rehomed|adopted by|put (?:down|to sleep))\b|{i}(?:re-?homed?|given? up|gave up|
    put down|gave away|lost) {name}
fact had = {i}(?:sold|sell|traded?(?: in)?|gave away|given? away|got rid of|get rid of|scrapped|crashed|totall?ed|
    donated|swapped) {it}|{i}gave {the}{thing} away\b|{open}{thing}{has} (?:sold|traded in|totall?ed|stolen|scrapped|
    written off|given away|gone)\b|\W*[Mm]y old {thing}{has} (?:died|dead|broke)\b
fact place = {open}{thing}{has} (?:closed(?= down| for good| its|\W*$)|shut (?:down|its|for good)|(?:gone|
    went) (?:bankrupt|bust|under|
    out of business)|folded|disbanded|dissolved|discontinued|deactivated|cancell?ed)\b|
    {open}{thing} (?:account|address|number|subscription|membership){has} (?:dead|gone|expired)\b|
    {i}(?:closed|cancell?ed|deleted) {it}|{i}let {the}{thing} lapse\b
fact does = {i}(?:quit|dropped out of|dropped(?=[^,.;!?]* for )|withdrew from|gave up(?: on)?|given up(?: on)?|
    unsubscribed from|ditched|abandoned|stopped (?:going to|seeing|using|taking|attending|visiting|watching|following|
    working (?:at|for|with))|(?:fired|laid off|let go|kicked out|made redundant) (?:from|by|at|of)|resigned from|
    retired from|came off|parted ways with) {it}|{i}(?:can['’]?t|cannot) (?:stand|bear) {it} any ?more\b|
    {i}(?:don['’]t|do not) {with} {it} any ?more\b|{i}no longer {with} {it}|{i}haven['’]t (?:touched|smoked|
    been to|played|
    used|taken) (?:an? |any |one )?{it} (?:since (?!this|yesterday|breakfast|lunch|noon|[A-Z]?[a-z]+day\b)|
    in (?:months|
    years|ages|over)|for (?:months|years|ages))|(?:[Tt]he|[Mm]y) (?:doctor|GP) (?:took|has taken) me off {it}
fact left = {i}left {it}(?! (?:early|late|at|around|before|for|on|in)\b)
fact moved = {open}{thing}{has} (?:shifted|changed|switched|moved)\b|(?:[Tt]he|[Mm]y) [a-z]+ (?:halved|doubled|lowered|
    raised|reduced|increased|upped|cut) my {it}
fact safe = {open}{thing} (?:don['’]t|doesn['’]t|do not|no longer) (?:bother|affect|trigger)s? me\b
"""
_CHINESE = r"""
fact post = {topic}(?:退休|调走|离职|辞职|跳槽|离开|不干了|不教了|不带我|走人了|换人|开除|
    裁[员掉了]|辞退|升职|升到|调[去到])
fact out = {topic}搬(?:走|出|家)
fact couple = 我们?{lately}[和跟与]{r}{lately}(?:掰|闹掰|分手|分|离婚|离|吹|断|散|结束)了$|
    {r}[和跟与]我{lately}(?:掰|分手?|离婚?|吹|散)了$|{r}{lately}(?:甩|离开)了我
fact pet = {topic}(?:送[给到去走人]|走丢|跑丢|弄?丢了|不见了|死了|[去过]世(?!界)|没了)|{me}把{r}送[给到去走人]
fact had = {topic}(?:{sold}(?:给{r})?掉?了|过户)|{me}把{r}(?:{sold}|送给|过户)|{me}卖掉?了{r}$
fact place = {topic}(?:关门|倒闭|停业|破产|解散|关停|注销|停机|停用|到期|不用|没再?续|没有再续)了?|
    {me}(?:把{r}注销|注销了{r})
fact does = {topic}(?:退|停|戒|放弃|取消|不再?{does})了|{me}(?:再也|
    早就)?不再?(?P<what>{does}[\u4e00-\u9fffA-Za-z\d·]{1,10}?)了|{me}从{r}(?:退学|离职|辞职|
    退出|跳槽|出来)|{me}被{r}(?:裁|开除|辞退|炒)|(?:医生|大夫)让我(?:把{r}停|停了?{r}$)|
    {me}(?:放弃|退出|取消|戒|退|停)了{r}了?$
fact left = {me}离开了?{r}了?$
fact moved = {topic}改[到成在为]|(?:医生|大夫)让我把{r}[减加改换][到成为]
fact safe = {me}吃{r}(?:一点|完全|也|都)*(?:事都?没有|没事|不过敏|没反应)
"""
_RULES = {False: rules_of(_ENGLISH, _PARTS), True: rules_of(_CHINESE, _PARTS)}
_CUES = {
    False: (
        "retired|resigned|stepped down|moved |fired|laid off|transferred|promoted|let go| lapse|replaced|quit|"
        "no longer|left|took another|took a new|took me|taken me|handed over|packed h|packed t|broke up|"
        "broken up|split|parted|separated|divorced|ended things|dumped|went bankrupt|went bust|went under|"
        "went out of|gone|live with|passed away|died|rehome|re-home|adopted by|put down|put to|lost |sold|sell |"
        "trade|rid of|scrapped|crashed|totaled|totalled|donated|swapped|stolen|written off|dead|closed|shut |"
        "folded|disbanded|dissolved|discontinued|deactivated|canceled|cancelled|expired|deleted|dropped|withdrew|"
        "unsubscribed|ditched|abandoned|stopped |kicked out|made redundant|came off|any more|anymore|haven't|"
        "haven’t|shifted|switched|halved|doubled|lowered|raised|reduced|increased|upped|cut my|bother|new home|"
        "new family|new owner|another home|loving home|another family|gave up|given up|give up|away|has changed|"
        "have changed|'s changed|days changed|affect me|affects me|trigger me"
    ).split("|"),
    True: (
        "退休|退学|退了|退出|调走|调去|调到|离职|离开|离婚|离了|辞职|辞退|跳槽|不干了|不教了|不带我|走人了|开除|裁了|裁员|裁掉|升职|"
        "升到|搬走|搬出|搬家|掰|分手|分了|吹了|断了|散了|结束了|甩了|送给|送到|送去|送走|送人|丢|不见了|死了|去世|过世|没了|卖|转手|处理|"
        "报废|淘汰|扔|过户|换人|换了|换掉|换给|关门|倒闭|停了|停业|停机|停用|停掉|关停|破产|解散|注销|到期|再续|没续|戒|放弃|取消|不再|"
        "改到|改成|改在|改为|减到|加到|换到|换成|医生让|大夫让|炒|出来|偷|撞|事没有|事都没有|没事|不过敏|没反应|不学|不去|不看|不喝|不吃|"
        "不抽|不玩|不打|不练|不弹|不用|不读|不上|不做|不开|不骑|不养|不坐|不跳|不踢|不拉|不唱|不写"
    ).split("|"),
}  # fmt: skip
_PAIRS = frozenset(cue[:2] for cue in _CUES[True])
"""Of what the words above are made, looked for before anything is read: few sentences hold any."""
_CLAUSE = lazy_regex(
    r"[^,;:–—，；：、。！!]+?(?=[,;:–—，；：、。！!]|\.?\s*$| (?:but|because|so|since then) |"
    r" and (?:sold|quit|gave|cancel|stopp|dropp))"
)
_UNREAL = lazy_regex(
    r"\b(?:would|could|might|may|should|if|wants?|wanted|plans?|planning|hope|hoping|trying|tried|going to|will|wish|"
    r"when|whenever|before|until|unless|almost|nearly|never|not|about to|thinking|whether|his|her|their|its|"
    r"today|tonight|"
    r"your?)\b|['’](?:ll|d)\b|(?<!\b[Dd]o)(?<!\b[Cc]a)(?<!\b[Hh]ave)n['’]t\b|如果|要是|想|打算|准备|可能|"
    r"也许|会(?!员)|是不是|快|差点|还没|别|希望|听说|[他她你您谁]|的时候|之前|以后|今[天晚]|明[天晚]|下[周个]|要"
)
_MINE = lazy_regex(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me)\b|我")
_SOMEBODY = lazy_regex(
    r"\b(?:he|she|they|his|her|their|[Mm]y (?:mother|mom|mum|father|dad|brother|sister|son|daughter|wife|husband|"
    r"friend|cousin|aunt|uncle|parents|boss|neighbou?r|colleague|coworker))\b|[他她爸妈哥姐弟妹叔姨舅姑]|爷爷|"
    r"奶奶|老[公婆]|儿子|女儿|"
    r"朋友|同事|邻居"
)
_LONGEST = 200
_HAN = lazy_regex(f"[{HAN}]")


def endings(text: str, *, speaker: str = "user") -> Iterator[Change]:
    """Yield what a message says is over, by the words that it is called by, clause by clause."""
    if not _may_end(text):
        return
    for span in plain_sentences(text):
        sentence = span.of(text)
        if len(sentence) > _LONGEST or not _may_end(sentence) or is_question(sentence):
            continue
        zh = _HAN.search(sentence) is not None
        for clause in _CLAUSE.finditer(sentence):
            said, before = clause[0].strip(), sentence[: clause.start()]
            if not _may_end(said) or _UNREAL.search(said):
                continue
            # Who is left out is whom the sentence is about: "My brother moved to Rome, sold the car".
            if _SOMEBODY.search(before) and not _MINE.match(said):
                continue
            begin = span.start + clause.start()
            for kind, what in _governed(said, zh=zh):
                if is_secret(sentence):
                    return
                subject, content = subject_name(speaker, zh=zh), third_person(said.strip(" .。!！"), speaker)
                yield Change(subject, content, begin, begin + len(clause[0]), was=what, over=kind)


def _may_end(text: str) -> bool:
    if _HAN.search(text) is None:
        lower = text.lower()
        return any(cue in lower for cue in _CUES[False])
    return not (_PAIRS.isdisjoint(text) and _PAIRS.isdisjoint(map(str.__add__, text, text[1:])))


def _governed(clause: str, *, zh: bool) -> Iterator[tuple[str, str]]:
    """Yield what the words of a clause end, and how it is called there."""
    lower = clause if zh else f"{clause[:1].lower()}{clause[1:]}"  # "Cancelled Spotify": the subject is left out
    for rule in _RULES[zh]:
        found = rule.pattern.match(clause) or (rule.pattern.match(lower) if lower != clause else None)
        if found is not None and not _POINTS.fullmatch(what := group(found, "what")):
            yield rule.attribute, what


_POINTS = lazy_regex(
    r"(?:I|it|this|that|them|him|her|me|you|all|he|she|they|we|everything)|[我你您他她它这那都们]+", re.IGNORECASE
)
_PARTNER = (
    r"\b(?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|married)\b|老婆|老公|妻子?|丈夫|爱人|"
    r"太太|[男女]朋?友|"
    r"对象|未婚夫"
)
_LODGER = r"\b(?:flat|room|house)mates?\b|\b(?:lodger|tenant|neighbou?r)\b|室友|舍友|合租|邻居|租客"
_PETS = (
    r"\b(?:dogs?|puppy|cats?|kitten|rabbit|hamster|parrot|turtle|horse|pets?|labrador|retriever|poodle|guinea pig)\b|"
    r"[狗猫兔]|仓鼠|鹦鹉|乌龟|宠物|金毛|泰迪|柯基|哈士奇|布偶"
)
_KIN = (
    r"\b(?:mother|mom|mum|father|dad|parents|brother|sister|son|daughter|kids?|child|children|baby|grand\w+|"
    r"cousin|aunt|"
    r"uncle|niece|nephew|twin|(?:best )?friend|\w+-in-law)s?\b|[爸妈父母哥姐弟妹爷奶姥叔伯舅姑姨侄甥孙]|儿子|"
    r"女儿|孩子|"
    r"宝宝|外[公婆]|朋友|闺蜜|发小|同学"
)
_GROUPS = (
    r"\b(?:band|team|club|choir|orchestra|group|class|course|church|board|committee|army|league|society|party|company|"
    r"program(?:me)?)\b|乐队|乐团|球队|俱乐部|合唱团|社团|公司|班"
)
_WORK = "employer workplace job 工作单位 工作地点"
_DOES = "habit does doing uses owns has practice diet drives 习惯 情况 在做 使用 拥有 饮食 经历 用 用的 开的"
_KEPT = frozenset(canonical(word) for word in f"{_WORK} {_DOES} phone email car laptop bank hobby 健身房".split())
_WORKS = frozenset(canonical(word) for word in _WORK.split())
_HABITS = frozenset(canonical(word) for word in "habit does 习惯 情况".split())
_OWNED = re.compile(r"\b(?:owns?|drives?|rides?|uses?|has|have)\b|[开骑]|用(?!户)|有[一两]|[辆台部]")
_THINGS = frozenset("car phone bike laptop".split())
_TAKES = frozenset(
    query_terms("take eat drink use go play do smoke learn study practice attend sing ride read watch bank")
)
"""What somebody gives up is what they take of it: who eats no bread may bake it."""
_FAVOURITE = re.compile(r"\bfavou?rite\b|最喜欢|最爱|常去")
_SPELT = {name: re.compile(form, re.IGNORECASE) for name, form in {
    "partner": _PARTNER, "lodger": _LODGER, "pet": _PETS, "kin": _KIN, "group": _GROUPS,
}.items()}  # fmt: skip
_COUNTED = re.compile(r"\d|day\b|[一二两三四五六日]")
_OWNER = re.compile(r"^.*?(?:['’]s |的)(?=\S)")


def is_over(change: Change, *, subject: str, attribute: str, value: str, content: str) -> bool:
    """Tell whether what is known of somebody is what a change says is over: named by it, and such as it can end."""
    if subject != change.subject and not subject.startswith((f"{change.subject}'s ", f"{change.subject}的")):
        return False
    if not _is_called(change, attribute, content if change.over == "couple" else value):
        return False
    return _can_end(change.over, attribute, relation=_relation(subject, change.subject, attribute), told=content)


def _relation(subject: str, of: str, attribute: str) -> str:
    """Return what somebody is to whom a memory is about, where it tells who that is."""
    if subject != of:
        return _OWNER.sub("", subject) if attribute in {"name", "身份", "job", "family"} else ""
    return "" if attribute in _KEPT | {"family", "家庭"} or _FAVOURITE.search(attribute) else attribute


def _can_end(over: str, attribute: str, *, relation: str, told: str) -> bool:
    """Tell whether words that end a post, a couple, a habit … can end a memory of its sort."""
    sort = next((name for name in ("partner", "lodger", "pet", "kin") if _SPELT[name].search(relation)), "")
    kept = not relation and (attribute in _KEPT or _FAVOURITE.search(attribute) is not None)
    can = {
        "post": bool(relation) and not sort,
        "out": sort in {"lodger", "partner"},
        "couple": sort == "partner" or (not relation and _SPELT["partner"].search(told) is not None),
        "pet": sort == "pet" or (not relation and _SPELT["pet"].search(told) is not None),
        "had": kept and (attribute in _THINGS or _OWNED.search(told) is not None),
        "place": kept,
        "does": kept or (bool(relation) and not sort),
        "left": attribute in _WORKS or (kept and _SPELT["group"].search(told) is not None),
        "moved": attribute in _HABITS and _COUNTED.search(told) is not None,
        "safe": attribute in {"allergy", "过敏"},
    }
    return can[over]


_HEADS = frozenset(
    query_terms(
        "account membership subscription contract class classes course job team club dose day days app card plan shots"
    )
)
_BESIDE = lazy_regex(
    r"^(?:我们?家?的?|原来的?|以前的?|旧的?|老|[那这][张个辆只台家]?)+|(?:"
    r"[那这][边里儿张个辆只台家].?|的?(?:会员|账[号户]|卡|课|工作|班|店))+$"
)
_TITLES = frozenset("dr mr mrs ms prof the my our".split())


def _is_called(change: Change, attribute: str, value: str) -> bool:
    """Tell whether something is called in a change as in a memory: by whole words, and by all that name it."""
    what = change.was
    if _HAN.search(what):
        core, held = alphanumeric(_BESIDE.sub("", what) or what), alphanumeric(value)
        if change.over in {"place", "moved"} and canonical(core) == attribute:
            return True
        if core in held:
            return len(core) > 1 or core in _SIGNS
        verb, thing = core[0], core[1:]  # 不吃面包了 ends no 做面包, and 不看国安了 that it is somebody's favourite
        named = change.over == "does" and thing in held and (len(thing) > 1 or thing in _SIGNS)
        return named and (attribute not in _HABITS or verb in held)
    names = [word.strip(".'’") for word in what.split() if word[:1].isupper()]
    named_so = [word for word in names if word.casefold() not in _TITLES]
    if named_so:
        return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", value) for word in named_so)
    terms, had = set(query_terms(what)) - _HEADS, query_terms(value)
    taken = change.over != "does" or attribute not in _HABITS or had[0] in _TAKES
    return bool(terms) and terms <= set(had) and taken


_SIGNS = frozenset("烟酒茶")
