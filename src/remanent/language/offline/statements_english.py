"""The forms of English statements: what somebody says of himself, of his people and of what they work on."""

import re
from collections.abc import Iterator

from remanent.language.offline.statement_rules import Statement, StatementRule, apply, group, joined, subject_name
from remanent.text.regex import lazy_regex

_KIN = joined(
    "wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée son daughter child kid baby kids children "
    "brother sister twin mother mom mum father dad parents grandmother grandma grandfather grandpa aunt uncle niece "
    "nephew cousin stepson stepdaughter roommate flatmate neighbor neighbour boss manager coach mentor therapist "
    "teacher colleague coworker dog cat puppy kitten parrot rabbit hamster turtle horse best_friend guinea_pig "
    "mother-in-law father-in-law sister-in-law brother-in-law grandson granddaughter landlord landlady".split()
).replace("_", " ")
_SEVERAL = frozenset(
    "grandson granddaughter colleague coworker cousin aunt uncle niece nephew neighbor neighbour teacher coach roommate flatmate kid child".split()
)
"""Of whom one may have several: what is said of another cousin or colleague corrects nothing."""
_JOBS = joined(
    "accountant actor actress architect artist author baker banker barista biologist bookkeeper builder carpenter "
    "cashier chef chemist cleaner coach consultant cook counselor counsellor dancer dentist designer developer "
    "dietitian director doctor driver economist editor electrician engineer entrepreneur farmer filmmaker "
    "firefighter florist freelancer gardener guard hairdresser historian illustrator instructor journalist judge "
    "lawyer lecturer librarian linguist manager mathematician mechanic midwife model musician nurse nutritionist "
    "painter paramedic pastor pharmacist photographer physician physicist physiotherapist pianist pilot plumber poet "
    "politician priest producer professor programmer psychiatrist psychologist realtor receptionist researcher "
    "salesperson scientist sculptor secretary singer soldier student surgeon tailor teacher technician therapist "
    "tester trainer translator tutor veterinarian vet videographer violinist waiter waitress welder writer "
    "veteran retiree analyst administrator assistant intern founder nanny".split()
)
_THINGS = joined(
    "name|full name|last name|first name|nickname|birthday|age|height|weight|email|email address|e-mail|phone|"
    "phone number|number|address|home address|hometown|home country|job|job title|occupation|profession|nationality|"
    "blood type|budget|deadline|native language|mother tongue|time zone|timezone|username|car|laptop|major|"
    "favorite \\w+(?: \\w+)?|favourite \\w+(?: \\w+)?|zodiac sign|shoe size|commute|office|school|university|"
    "employer|company|diet|hobby|anniversary|wedding".split("|")
)
_PROJECT = joined(
    "project team company app product server database backend frontend api website repo repository service pipeline "
    "deployment startup shop store restaurant office codebase stack platform build".split()
)
_DATED = joined(
    "deadline budget meeting launch release interview appointment exam flight wedding conference party presentation "
    "demo standup kickoff review workshop ceremony concert game match trip".split()
)
_MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?i:mon|tues?|wednes|thurs|fri|satur|sun)day"
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several|few)"
_PAST = (
    rf"(?:yesterday|last (?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|{_DAY}|{_MONTH})|"
    rf"{_COUNT} (?:day|week|month|year|hour)s? ago|this (?:morning|past \w+)|the other (?:day|night)|"
    rf"(?:in|on|since) (?:{_MONTH}|{_DAY}|(?:19|20)\d\d)\b|over the weekend|(?:earlier )?today)"
)
_FUTURE = (
    rf"(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|winter|spring|fall|{_DAY}|{_MONTH})|"
    rf"(?:on|by|before|this|until) (?:the )?(?:{_DAY}|{_MONTH}|weekend|end of|summer|winter|spring|fall|evening|"
    rf"afternoon|\d+(?:st|nd|rd|th)?\b)(?!s)|in {_COUNT} (?:day|week|month|hour|year)s?|later (?:today|this week))"
)
_ADVERB = (
    r"(?:(?:really|truly|always|usually|just|also|still|now|currently|often|sometimes|recently|finally|actually|mostly|"
    r"generally|absolutely|totally|definitely|already|both|especially|particularly|mainly|even|only|officially) )"
)
# Where a clause may begin: elsewhere "I" stands inside of another one ("the house I live in").
_STARTS = (
    lazy_regex(r"(?=(^\W*|[,;:.!–—]\s*|\s-+\s*))"),
    lazy_regex(
        r"(?=(\b(?i:and|but|so|because|['’]cause|since|also|plus|well|yeah|yes|actually|anyway|"
        r"btw|by the way|oh|hey|thanks|lately|recently|currently|nowadays|these days|now|today|fyi|(?<!make )(?<!be )sure|no|yep|then|"
        r"remember|(?:remember|know|forget|mind|note|sure|glad|say) that|"
        r"(?:hey|hi|hello|thanks|yeah|wow),? (?-i:[A-Z])[a-z]+),?\s+))"
    ),
)
# "And" goes on with a list, unless what follows is a clause of its own.
_AND = r"and (?=(?:i|we|it|that|this|they|he|she|you|there|now|then|so|am|is|are|was|were|have|had|just|can|will|would|do|how)\b)"
_TO = rf"(?=\s*(?:[!?;)–—\n]|,(?!\d\d\d)|[.:](?!\w)(?<!\b(?:St|Mr|Dr|Ms)\.)(?<!\bMrs\.)|\s-|$|\b(?:(?i:{_AND})|(?:but|because|so|which|who|where|when|while|since|though|although|if|that)\b)))"
_OR_TO = _TO.removeprefix("(?=")
"""The same behind what else may end a clause, within one look ahead."""
_LONG_TO = (
    r"(?=\s*(?:[.!?;\n–—]|\s-|$|,\s*(?:and|but|so|which|it|that)\b|\b(?:but|because|which|(?:and|so) (?:it|i|we|they|that|he|"
    r"she|now|am|was))\b))"
)
_NAME = r"[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,2}"
_PLACE = r"(?:the )?[A-Z][\w'’.-]*(?:,? (?:of |de |upon |New |San )?[A-Z][\w'’.-]*){0,4}|[a-z]{4,}(?=[.!,;]|$)"
# A sentence holds a full stop or a comma inside where it stands in a number, an address or behind a title.
_SIGN = r"(?:[^,.;!?()\n–—]|\.(?=\w)|,(?=\d\d\d)|(?<=\b(?:St|Mr|Dr|Ms))\.|(?<=\bMrs)\.)"
_WORDS = rf"{_SIGN}{{2,80}}?"
_VAGUE = lazy_regex(
    r"^(?:it|this|that|these|those|them|him|her|he|she|they|there|here|so|you|your|what|how|when|where|why|the (?:way|"
    r"idea|fact|best|one|same)|one|both|like|such|too|getting|being|kind|sort|pretty|super|definitely|really|still|as|quite|"
    r"a bit|a little|broken|his|their|to (?:help|get)|everything|nothing|something|anything|all|to (?:see|hear|know|say|tell|think|be)|not)\b"
    r"|\b(?:you|your|yours|it|this(?! (?:week|month|year|summer|winter|spring|fall))|that|these|those|them|him|his|her|he|she|they|we|us|here|there|option|suggestion|"
    r"idea|first one|second one|so far|sounds?)\b",
    re.IGNORECASE,
)


def _rule(kind: str, attribute: str, pattern: str, *, single: bool = False) -> StatementRule:
    return StatementRule(kind, attribute, pattern, single)  # type: ignore[arg-type]


_CONDITION = (
    r"(?:an? |severe |mild |chronic |bad |high |low |type [12] |seasonal )*(?:asthma|diabetes|adhd|arthritis|insomnia|"
    r"epilepsy|migraines?|anxiety|depression|eczema|anemia|anaemia|autism|dyslexia|hypertension|tinnitus|sciatica|"
    r"hypothyroidism|psoriasis|celiac disease|crohn['’]s disease|heart disease|blood pressure|cholesterol|sleep apnea|"
    r"hay fever|(?:[a-z]+ )?allerg(?:y|ies)|lactose intolerance|bad (?:back|knee)s?|back pain|cancer)"
)
_OFTEN = (
    r"(?:every|each) (?:single |other )?(?:day|night|morning|evening|afternoon|week|weekend|month|year|summer|winter|"
    rf"spring|fall|autumn|{_DAY})|(?:once|twice|(?:two|three|four|five|six|\d+) times) (?:a|per) (?:day|week|month|year)|"
    rf"on (?:{_DAY}s|weekends|weekdays)"
)
_PRODUCT = r"(?:(?:19|20)\d\d )?[A-Z][\w-]*(?: (?:[A-Z]|\d)[\w-]*){0,4}"
_NUMBER = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|twenty)"
)
_I = r"[Ii]"
_AM = r"[Ii](?:['’]m| am)"
_HAVE = r"[Ii](?:['’]ve| have)"
_MY = r"[Mm]y"
_OUR = r"(?:[Mm]y|[Oo]ur)"
_SOMEBODY = rf"{_OUR} (?P<s>(?:older |younger |little |big |late |best )?(?:{_KIN}))(?:,? {_NAME},?)?"
_THE = r"(?:[Mm]y|[Oo]ur|[Tt]he)"
# A thing by its noun and what belongs to it: "budget for the kitchen"; no word of it begins a clause of its own.
_MATTER = (
    r"(?P<s>(?!(?:only|best|worst|main|first|last|next|other|same|things?|point|problem|question|answer|way|reason|"
    r"idea|rest|one|whole|good|bad|odds|key|trick|fact|world|weather)\b)[A-Za-z][\w'’-]*"
    r"(?: (?!(?:that|which|who|where|when|i|you|we|they|he|she|it|is|are|was|were|and|but|if|has|have|so)\b)"
    r"[\w'’-]+){0,5}?)"
)
_TIME = (
    rf"(?:\d|noon|midnight|tomorrow|tonight|"
    rf"next (?:day|week|month|quarter|year|spring|summer|autumn|fall|winter|{_DAY}|{_MONTH})|every |each |weekdays|weekends|{_NUMBER}\b|half past|{_DAY}|{_MONTH}\b)"
)
_AT = r"(?:(?:on|at|in|from|by|until|before|due|around|about|now|the (?:first|second|third|fourth|last)|the) )*"
_HELD = rf"(?={_SIGN}{{0,60}}?{_TIME})"
_AMOUNTS = r"(?P<a>is|are|costs?|has|holds|weighs)(?: now| about| around| set to| up to| on)*"
_MONEY = "dollars|euros?|pounds|francs|yen|yuan|rupees|won|kron[aeo]r?"
_DOES = (
    r"is (?:in charge of|responsible for|handling)|handles|manages|leads|maintains|takes care of|looks after|"
    r"does(?= (?:the|our) )|owns(?= (?:the|our) )"
)
_WANTS = r"wants|needs|requires|expects|prefers|insists on"
_BODY = "knee back neck shoulder ankle wrist elbow hip foot stomach tooth head throat hand arm leg".replace(" ", "|")
_UNIT = r"kg|kilos?|kilograms?|pounds?|lbs|stone"
_FEELING = (
    r"stressed(?: out)?|anxious|worried|nervous|overwhelmed|exhausted|tired|burned out|burnt out|frustrated|annoyed|"
    r"angry|upset|sad|lonely|depressed|disappointed|bored|scared|heartbroken|homesick|excited|thrilled|relieved|"
    r"swamped|devastated|furious|miserable"
)
RULES: tuple[StatementRule, ...] = (
    # ── who somebody is ──
    _rule("fact", "name", rf"{_MY} (?:full |real )?name(?:['’]s| is) (?P<v>{_NAME})", single=True),
    _rule(
        "fact", "age", rf"{_AM} (?:now |already )?(?P<v>\d{{1,3}})(?: years? old)?(?=[.,!;]|$| and| years)", single=True
    ),
    _rule("fact", "age", rf"{_I} (?:just )?turned (?P<v>\d{{1,3}})\b", single=True),
    _rule("fact", "name", rf"{_AM} called (?P<v>{_NAME})", single=True),
    _rule(
        "fact",
        "residence",
        rf"(?:{_I}|[Ww]e) {_ADVERB}?live (?:(?:just |right )?outside(?: of)?|in|at|near) (?P<v>{_PLACE})",
        single=True,
    ),
    _rule("fact", "residence", rf"{_HAVE} been living in (?P<v>{_PLACE}) (?=since|for)", single=True),
    _rule("fact", "residence", rf"{_AM} {_ADVERB}?(?:living|based) in (?P<v>{_PLACE})", single=True),
    _rule(
        "fact",
        "residence",
        rf"(?:{_I}|{_HAVE}|[Ww]e|[Ww]e['’]ve) {_ADVERB}{{0,2}}(?:moved|relocated)(?: back)? (?:from [A-Z]\w+ )?to (?P<v>{_PLACE})",
        single=True,
    ),
    _rule(
        "fact",
        "home",
        rf"(?:{_AM} (?:originally )?from|{_I} come from|{_I} grew up (?:on an? \w+ )?in) (?P<v>{_PLACE})",
        single=True,
    ),
    _rule("fact", "birthplace", rf"{_I} was born in (?P<v>{_PLACE})", single=True),
    _rule("fact", "birthday", rf"{_I} was born on (?P<v>{_WORDS}){_TO}", single=True),
    _rule(
        "fact",
        "job",
        rf"(?:{_I} {_ADVERB}?work as|{_AM} {_ADVERB}?working as|{_I} got a (?:new )?job as) an? (?P<v>{_WORDS}){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "job",
        rf"{_AM} {_ADVERB}?an? (?P<v>(?:[a-z-]+ ){{0,3}}(?:{_JOBS}))\b(?: (?:at|for|in|from) {_WORDS}{_TO})?",
        single=True,
    ),
    _rule(
        "fact",
        "employer",
        rf"(?:{_I} {_ADVERB}?work|{_AM} {_ADVERB}?working|{_I} {_ADVERB}?started (?:working|a new job|my new job)|"
        rf"{_I} got a (?:new )?job) (?:at|for) (?P<v>(?:a |an |the )?[A-Z]?{_WORDS})(?:(?= as an? )|{_TO})",
        single=True,
    ),
    _rule(
        "fact",
        "employer",
        rf"(?:{_I} {_ADVERB}?joined|{_HAVE} {_ADVERB}?joined) (?P<v>{_NAME}) (?=as|last|in|on|this)",
        single=True,
    ),
    _rule(
        "fact", "education", rf"{_I} (?:graduated from|majored in|studied at|got my degree from) (?P<v>{_WORDS}){_TO}"
    ),
    _rule(
        "fact", "studies", rf"(?:{_I} study|{_AM} {_ADVERB}?studying|{_AM} {_ADVERB}?majoring in) (?P<v>{_WORDS}){_TO}"
    ),
    _rule(
        "fact",
        "marital status",
        rf"{_AM} {_ADVERB}?(?:a )?(?P<v>single|married|divorced|engaged|widowed|single (?:mom|dad|parent|mother|father))\b",
        single=True,
    ),
    _rule("fact", "marital status", rf"{_HAVE} been (?P<v>married) for {_WORDS}{_TO}", single=True),
    _rule(
        "fact",
        "diet",
        rf"{_AM} {_ADVERB}?(?:a )?(?P<v>vegetarian|vegan|pescatarian|lactose intolerant|gluten[- ]free|diabetic)\b",
        single=True,
    ),
    _rule("fact", "allergy", rf"{_AM} (?:very |severely |highly )?allergic to (?P<v>{_WORDS}){_TO}"),
    _rule(
        "fact",
        "employment",
        rf"{_AM} {_ADVERB}?(?P<v>self-employed|unemployed|a freelancer|a stay-at-home (?:mom|mum|dad|parent))\b",
        single=True,
    ),
    _rule(
        "fact",
        "business",
        rf"{_I} {_ADVERB}?(?:run|own|manage) (?P<v>(?:my own|an?) (?!marathon|race|mile|lap|risk|\d)(?:[\w'’-]+ ){{0,4}}(?:bakery|\w*shop|store|"
        rf"caf[eé]|restaurant|company|business|agency|studio|farm|salon|clinic|gallery|gym|startup|firm|hotel|bar|pub|team|blog|podcast|channel)"
        rf"(?: (?:in|near) {_PLACE})?)",
    ),
    _rule(
        "fact",
        "field",
        rf"{_I} {_ADVERB}?work in (?P<v>(?!the\b|an?\b|my\b)[a-z][\w -]{{2,40}}?)(?= for | at |{_OR_TO}",
        single=True,
    ),
    _rule("fact", "health", rf"(?:{_I} {_ADVERB}?(?:have|suffer from)|{_HAVE} got) (?P<v>{_CONDITION})\b"),
    _rule(
        "fact",
        "health",
        rf"{_I} {_ADVERB}?wear (?P<v>glasses|contacts|contact lenses|a hearing aid|hearing aids|braces)\b",
    ),
    _rule(
        "fact",
        "restriction",
        rf"{_I} (?:can['’]t|cannot|can not|mustn['’]t) (?:eat|drink|have|tolerate|digest) (?P<v>(?!any\b|the\b){_WORDS}){_TO}",
    ),
    _rule("fact", "retirement", rf"(?:{_AM} (?:now )?|{_HAVE} )(?P<v>retired)\b", single=True),
    _rule("fact", "language", rf"{_I} speak (?P<v>(?:fluent |some )?[A-Z][a-z]+(?:(?:, | and |, and )[A-Z][a-z]+)*)"),
    _rule(
        "fact",
        "family",
        rf"(?:{_I} have|{_HAVE} got|{_I}['’]ve got|[Ww]e have|[Ww]e['’]ve got) (?P<v>(?:an?|no|one|two|three|four|five|six|\d+) (?:\w+ ){{0,2}}(?:{_KIN})s?(?:(?:,? (?:named|called)|,) {_NAME}(?:(?:,| and|, and) {_NAME})*)?)\b",
    ),
    _rule(
        "fact",
        "has",
        rf"(?:{_I}|[Ww]e) (?:have|had adopted|adopted) (?P<v>an? (?:[a-z]+ ){{1,3}}(?:named|called) {_NAME})(?=[.,!;]|$| and)",
    ),
    _rule(
        "fact",
        "owns",
        rf"(?:{_I} {_ADVERB}?(?:have|own|drive|ride)|{_HAVE} got) (?P<v>(?:an? )?(?:new |old |used )?{_PRODUCT}){_TO}",
    ),
    _rule(
        "fact",
        "owns",
        rf"{_I} {_ADVERB}?(?:own|drive|ride) (?P<v>an? (?:[a-z-]+ ){{1,2}}{_PRODUCT}){_TO}",
    ),
    _rule(
        "fact",
        "uses",
        rf"{_I} {_ADVERB}?use (?P<v>(?:an? |my )?(?:new |old )?{_PRODUCT}(?: (?:for|at|to|as) {_WORDS})?){_TO}",
    ),
    _rule(
        "fact",
        "health",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:has|suffers from|was diagnosed with) (?P<v>{_CONDITION})\b",
    ),
    _rule(
        "fact",
        "state",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:is|just got|got|just) {_ADVERB}?(?P<v>vegan|vegetarian|retired|married|engaged|"
        rf"divorced|pregnant|diabetic|allergic to {_WORDS}){_TO}",
    ),
    # ── his people and things ──
    _rule(
        "fact",
        "",
        rf"(?:{_MY}|[Oo]ur(?= anniversary)) (?:new |current |actual )?(?P<a>{_THINGS})(?: is| are|['’]s| has changed to| changed to| is now| will be) (?:now |actually |called )?(?P<v>{_WORDS}){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"{_I} (?:just )?(?:changed|updated|moved|switched) my (?P<a>{_THINGS}) to (?P<v>{_WORDS}){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "name",
        rf"{_OUR} (?P<s>(?:older |younger |little |big |late |new |oldest |youngest )?(?:{_KIN}))(?:['’]s name)?(?: is|['’]s| are)(?: named| called)? (?P<v>{_NAME})(?=[.,!;]|$| and)",
    ),
    _rule(
        "fact",
        "job",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:is|works as) an? (?P<v>(?:[a-z-]+ ){{0,3}}(?:{_JOBS}))\b",
        single=True,
    ),
    _rule(
        "fact",
        "age",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:is|just turned|turned) (?P<v>\d{{1,3}}\b|{_NUMBER}(?= years?\b| months?\b|{_OR_TO})",
        single=True,
    ),
    _rule(
        "fact",
        "residence",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:lives?|moved|is living) (?:in|to) (?P<v>{_PLACE})",
        single=True,
    ),
    _rule(
        "fact",
        "employer",
        rf"{_OUR} (?P<s>(?:older |younger )?(?:{_KIN}))(?:,? {_NAME},?)? (?:works?) (?:at|for) (?P<v>{_WORDS}){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "likes",
        rf"{_OUR} (?P<s>(?:older |younger |two |three )?(?:{_KIN})s?)(?:,? {_NAME},?)? {_ADVERB}?(?:loves?|likes?|enjoys?|hates?|prefers?) (?P<v>{_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "",
        rf"{_MY} (?:main |biggest |ultimate )?(?P<a>goal|dream) is (?P<v>[^.;!?\n–—]{{4,120}}?)(?=[.;!?\n–—]|$)",
    ),
    # ── what they work on ──
    _rule(
        "fact",
        "uses",
        rf"(?:[Oo]ur|[Tt]he) (?P<s>(?:\w+ )?(?:{_PROJECT})) (?:uses|runs on|is built with|is written in|is hosted on|is deployed on) (?P<v>{_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "date",
        rf"(?i:(?:our|the|my) (?P<s>(?:[\w-]+ ){{0,2}}(?:{_DATED}))(?: is| was moved to| is now| has been moved to| has been changed to|['’]s| will be| moved to| got moved to| is scheduled for| has been postponed to| is set for)"
        rf"(?: on| at| for)? (?P<v>(?=[^,;!?]{{0,40}}(?:\d|{_DAY}|{_MONTH}|tomorrow|next|noon))[^,.;!?\n]{{2,60}}){_TO})",
        single=True,
    ),
    # ── what things cost, when they are, who does what ──
    _rule(
        "fact",
        "",
        rf"{_THE} {_MATTER} (?P<a>leaves?|departs?|arrives?|lands|starts?|begins|ends|finishes|closes|opens|meets|expires|"
        rf"renews|goes out|takes place|is due|is coming|is arriving|is held) (?P<v>{_HELD}{_AT}{_TIME}{_SIGN}{{0,50}}?){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "date",
        rf"{_THE} {_MATTER} (?:is|are|will be) (?:scheduled for |set for )?"
        rf"(?P<v>(?:on|at|in|from|due|every) {_AT}{_TIME}{_SIGN}{{0,50}}?){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"{_OUR} {_MATTER} {_AMOUNTS} (?P<v>[$€£¥₩]?\d(?!\d* (?:of|more|away|out)\b|\d*%){_SIGN}{{0,50}}?){_TO}",
        single=True,
    ),
    # Of what is not the speaker's own, only what such things have: "the probability is 1/4" is no memory.
    _rule(
        "fact",
        "",
        rf"{_THE} {_MATTER} {_AMOUNTS} "
        rf"(?P<v>(?:[$€£¥₩]|(?:port|version|room|number) |{_MONTH} )\d{_SIGN}{{0,50}}?|\d[\d.,]* (?:{_MONEY})\b{_SIGN}{{0,40}}?){_TO}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"(?P<n>(?!(?:It|This|That|He|She|They|We|You|Who|What|There|Some\w+|Every\w+|No\w*|Life|One|I)\b){_NAME}) "
        rf"(?P<a>{_DOES}) (?P<v>{_WORDS})(?:(?=,? and [A-Z]\w+ (?:{_DOES}))|{_TO})",
    ),
    _rule(
        "fact",
        "",
        rf"{_THE} (?P<s>client|customer|boss|manager|team|landlord|landlady|board|school|company|bank|doctor|dentist|"
        rf"{_KIN}) {_ADVERB}?(?P<a>{_WANTS}) (?P<v>(?!me\b){_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "name",
        rf"{_OUR} (?P<s>(?!(?:name|day|week|point|guess|answer|question|advice|dream|goal)\b)[A-Za-z][\w-]+(?: [a-z-]+)?) is "
        rf"(?P<v>(?:(?:Mr|Mrs|Ms|Dr)\.? )?(?!{_DAY}|{_MONTH}\b)[A-Z][a-z]+(?: [A-Z][a-z]+){{1,2}}|(?:Mr|Mrs|Ms|Dr)\.? [A-Z]\w+)(?=[.,!;]|$)",
    ),
    _rule("fact", "former job", rf"{_SOMEBODY} was an? (?P<v>(?:[a-z-]+ ){{0,2}}(?:{_JOBS}))\b"),
    _rule(
        "fact",
        "event",
        rf"{_SOMEBODY} {_ADVERB}?(?P<v>(?:is (?:getting|having|starting|moving|turning|on|coming|going)|starts|turns|graduates|"
        rf"graduated|had|was|started|finished|retires?d?|moves|got|joined) {_SIGN}{{0,60}}?"
        rf"(?:{_FUTURE}|{_PAST}|(?:in|until|on) (?:the |\d+ )?(?:{_MONTH}\b|\d)){_SIGN}{{0,30}}?){_TO}",
    ),
    _rule(
        "fact",
        "does",
        rf"{_SOMEBODY} {_ADVERB}?(?P<v>(?:plays|speaks|studies|teaches|collects|coaches|drives|sings|writes|paints|works|runs|owns) "
        rf"(?!with\b|around\b|so\b|hard\b|well\b|like\b|in\b|on\b){_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "health",
        rf"{_MY} (?P<s>(?:left |right |lower |upper )?(?:{_BODY})) (?P<v>(?:hurts|aches|has been (?:hurting|aching|bothering me|sore)|is (?:sore|broken|swollen|sprained)){_SIGN}{{0,50}}?){_TO}",
    ),
    _rule("fact", "weight", rf"{_I} {_ADVERB}?weigh (?:about |around )?(?P<v>\d[\d.,]* ?(?:{_UNIT}))\b", single=True),
    _rule("fact", "residence", rf"{_I} {_ADVERB}?live on (?P<v>the \w+ floor)\b"),
    _rule("fact", "diet", rf"{_AM} {_ADVERB}?on (?P<v>an? [\w -]{{2,30}}diet)\b", single=True),
    _rule(
        "fact",
        "health",
        rf"{_I} {_ADVERB}?get (?P<v>(?:(?:bad |terrible )?(?:headaches|heartburn|nosebleeds|hives)|seasick|carsick|{_CONDITION})(?: (?:when|whenever|if|after|from) {_WORDS})?){_TO}",
    ),
    _rule(
        "fact",
        "uses",
        rf"{_I} {_ADVERB}?(?P<v>(?:keep|store|track|write|manage|run|edit|host|back up|plan) (?:all )?(?:my|the|our) [\w -]{{2,30}}? (?:in|with|on|using) (?:[A-Z][\w.+#-]*(?: [A-Z\d][\w.+#-]*)*|[a-z][\w.+#-]+)){_TO}",
    ),
    _rule(
        "fact",
        "practice",
        rf"[Ww]e {_ADVERB}?(?P<v>(?:use|deploy|host|pay|review|release|ship|test) (?!to\b|the (?:time|opportunity)){_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "habit",
        rf"(?:{_I} have|{_HAVE} got) (?P<v>an? [^.;!?\n]{{2,40}}? (?:{_OFTEN})[^,.;!?\n]{{0,30}}?){_TO}",
    ),
    # ── what somebody likes ──
    _rule("preference", "likes", rf"{_I}(?:['’]d| would) (?:rather have|prefer) (?P<v>{_WORDS}){_TO}"),
    _rule("preference", "dislikes", rf"{_I} {_ADVERB}?(?:hate|dislike|can['’]t stand) it when (?P<v>{_WORDS}){_TO}"),
    _rule("fact", "favorite", rf"{_MY} fav(?:ou?rite)?(?: \w+)? (?:is|are) (?P<v>{_WORDS}){_TO}"),
    _rule(
        "preference",
        "likes",
        rf"{_I} {_ADVERB}{{0,2}}(?:like|love|enjoy|adore|prefer) (?P<v>(?!the\b|some\b|a lot\b){_WORDS}){_TO}",
    ),
    _rule(
        "preference",
        "dislikes",
        rf"{_I} (?:{_ADVERB}?(?:hate|dislike|can['’]t stand|detest)|(?:don['’]t|do not) {_ADVERB}?(?:like|enjoy|eat|drink)|never (?:eat|drink)) (?P<v>(?!the\b|any\b){_WORDS}){_TO}",
    ),
    _rule(
        "preference",
        "likes",
        rf"{_AM} {_ADVERB}?(?:a (?:big|huge) fan of|a fan of|into|passionate about|keen on|fond of) (?P<v>(?!the\b){_WORDS}){_TO}",
    ),
    _rule(
        "preference",
        "likes",
        rf"{_AM} {_ADVERB}?interested in (?P<v>(?!the\b|\w+ing\b|some\b|any\b|more\b){_WORDS}){_TO}",
    ),
    _rule(
        "preference",
        "habit",
        rf"{_I} {_ADVERB}?(?:play|collect|practi[cs]e|volunteer at|volunteer for|coach|teach) (?P<v>(?!a role|the role|with\b|around\b|for\b){_WORDS}){_TO}",
    ),
    _rule(
        "fact",
        "practice",
        rf"{_HAVE} (?P<a>been \w+ing) (?P<v>(?:[^,.;!?\n]{{2,60}}? )?(?:for (?:over |about |almost |nearly )?{_COUNT} (?:year|month|decade)s?|since (?:I was \w+|(?:19|20)\d\d|{_MONTH}|childhood)))",
    ),
    _rule(
        "fact",
        "practice",
        rf"{_HAVE} (?P<a>(?:known|had|lived|worked|owned|played|taught|studied|run)) (?P<v>(?!it\b|this\b|that\b)[^,.;!?\n]{{2,60}}? for (?:over |about |almost |nearly )?{_COUNT} (?:year|month|decade)s?)",
    ),
    _rule(
        "fact",
        "habit",
        rf"{_I} {_ADVERB}?(?P<v>(?!(?:am|was|have|had|think|know|feel|hope|love|like|enjoy|want|see|say|can|could|will|would|should|must|might|need|try|do|did|get to|used|thought|said)\b)[a-z]+ [^.;!?\n]{{0,60}}?(?:{_OFTEN})[^,.;!?\n]{{0,30}}?){_TO}",
    ),
    _rule(
        "fact",
        "habit",
        rf"{_I} (?:usually|normally|typically|generally|always) (?P<v>(?:get up|wake up|go|have|eat|drink|cook|work|sleep|walk|bike|drive|take|run|read|start|leave|skip|buy|wear|use)\b[^.;!?\n]{{2,60}}?){_TO}",
    ),
    _rule(
        "fact",
        "doing",
        rf"{_AM} {_ADVERB}?(?P<v>(?:working on|building|developing|writing|learning|training for|studying for|preparing for|saving (?:up )?for) (?!(?:an? |the |my |our |some )?(?:new )?(?:project|something|lot|ton|few|one|stuff|things?|all|more|everything|how)\b)[^,.;!?\n]{{2,60}}?){_TO}",
    ),
    # ── what happens ──
    _rule(
        "decision",
        "decision",
        rf"(?:{_I}|{_HAVE}|[Ww]e|[Ww]e['’]ve) {_ADVERB}?(?:decided|agreed|chose|chosen|opted) (?P<v>(?:to|on|against|not to|that) [^.;!?\n]{{3,120}}?){_LONG_TO}",
    ),
    _rule(
        "decision",
        "decision",
        r"[Ll]et['’]s (?P<v>(?:go with|use|stick with|switch to|adopt) [^.;!?\n]{2,100}?)" + _LONG_TO,
    ),
    _rule(
        "decision",
        "decision",
        rf"[Ww]e(?:['’]ve| have)? {_ADVERB}?(?P<v>(?:picked|chose|selected|settled on) (?:[A-Z]|option |the (?:[\w-]+ )?(?:option|vendor|supplier|plan|version|offer|design|approach|tool|library|date|venue)\b){_SIGN}{{0,60}}?|switched (?:over )?(?:from {_WORDS} )?to {_WORDS}){_TO}",
    ),
    _rule(
        "decision",
        "decision",
        rf"[Ww]e(?:['’]re| are) (?P<v>going with (?!(?:[\w'’]+ ){{0,2}}(?:kids|family|friends|{_KIN})\b){_WORDS}|not going to (?:support|use|renew|ship|hire|buy|migrate|extend|change|sign|release|accept|offer) {_WORDS}){_TO}",
    ),
    _rule(
        "decision",
        "agreement",
        rf"(?P<n>{_NAME}) and I (?:have )?agreed (?P<v>(?:to|that|on) [^.;!?\n]{{3,100}}?){_LONG_TO}",
    ),
    _rule("follow_up", "task", rf"(?:[Pp]lease )?[Rr]emind me (?P<v>(?:to|about|that) [^.;!?\n]{{3,120}}?){_LONG_TO}"),
    _rule("follow_up", "task", rf"[Dd]on['’]t let me forget (?P<v>to [^.;!?\n]{{3,120}}?){_LONG_TO}"),
    _rule(
        "follow_up",
        "plan",
        rf"(?:{_I} {_ADVERB}?(?:need to|have to|must|plan to|want to|will)|{_I}['’]ll|{_AM} {_ADVERB}?(?:going to|planning to|about to|supposed to)|{_I} have to) (?P<v>(?!be (?:there|back|ok)|never\b|always\b|let you\b|keep\b)(?:(?!, and\b)[^.;!?\n]){{3,100}}?\b{_FUTURE}[^,.;!?\n]{{0,40}}?){_TO}",
    ),
    _rule(
        "follow_up",
        "plan",
        rf"(?:{_AM}|[Ww]e['’]re|[Ww]e are) {_ADVERB}?(?P<v>(?:going|flying|travel+ing|moving|heading|driving) (?:back )?to (?:the )?[A-Z][^,.;!?\n]{{1,40}}? (?:{_FUTURE}|in {_MONTH})\b[^,.;!?\n]{{0,30}}?){_TO}",
    ),
    _rule(
        "follow_up",
        "plan",
        rf"(?:{_AM}|[Ww]e['’]re|[Ww]e are) {_ADVERB}?(?P<v>(?:going|planning) to [^,.;!?\n]{{3,60}}? in {_MONTH}\b[^,.;!?\n]{{0,30}}?){_TO}",
    ),
    _rule(
        "follow_up",
        "plan",
        rf"(?:{_I} have|{_HAVE} got|{_I}['’]ve got) (?P<v>(?:an?|my) [^.;!?\n]{{0,60}}?\b{_FUTURE}[^,.;!?\n]{{0,40}}?){_TO}",
    ),
    _rule(
        "event",
        "event",
        rf"(?P<time>{_PAST},? )?{_I} (?:{_ADVERB}{{0,2}})(?P<v>(?P<verb>[a-z]+)\b(?! (?:it|that|this|them|him|her|so|there|like|about it|one)\b) [^.;!?\n]{{3,140}}?\b{_PAST}[^,.;!?\n]{{0,60}}?){_LONG_TO}",
    ),
    _rule(
        "event",
        "event",
        rf"(?P<time>(?i:{_PAST})),? {_I} (?:{_ADVERB}{{0,2}})(?P<v>(?P<verb>[a-z]+)\b(?! (?:it|that|this|them|him|her|so|there|like)\b)[^.;!?\n]{{4,140}}?){_LONG_TO}",
    ),
    _rule(
        "event",
        "event",
        rf"(?:{_I}|{_HAVE}|[Ww]e) (?:just|recently|finally) (?P<v>(?P<verb>bought|adopted|started|finished|joined|enrolled|ordered|booked|launched|published|"
        rf"graduated|hired|sold|renovated)\b(?! (?:it|that|this|them|him|her|so|there|one)\b) [^,.;!?\n]{{3,80}}?){_TO}",
    ),
    _rule(
        "mood",
        "mood",
        rf"(?:{_AM}|{_I} feel|{_I}['’]ve been feeling|{_AM} feeling) (?:so |really |very |pretty |quite |a bit |a little |super |completely |totally )*(?P<v>(?:{_FEELING})(?: (?:about|with|by|because of|for|at|over) {_WORDS})?){_TO}",
    ),
)
_IRREGULAR = frozenset(
    "went ran met saw took got had made did bought found began gave came left lost won wrote read spent built drew ate "
    "drank flew drove rode sang swam taught told thought felt heard held kept knew led let put sold sent set slept "
    "spoke stood threw woke wore became broke brought caught chose fell forgot grew hurt laid paid quit cut hit beat was "
    "said shot hung bit dug fed fought froze hid lent lit rose shook shut sat stole stuck struck swore tore".split()
)
_MODALS = frozenset(
    "can could will would shall should may might must can't cannot won't couldn't wouldn't shouldn't mustn't".split()
)
_SPECIAL = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "don’t": "doesn't",
    "haven't": "hasn't",
    "were": "was",
    "go": "goes",
    "need": "needs",
    "feed": "feeds",
}
_CONTRACTIONS = (("['’]m", " is"), ("['’]ve", " has"), ("['’]ll", " will"), ("['’]d", " would"))
_POSSESSIVES = {
    "my": "their",
    "me": "them",
    "mine": "theirs",
    "myself": "themselves",
    "our": "their",
    "us": "them",
    "we": "they",
    "i": "they",
}
_OTHERS = lazy_regex(r"\b(?:my|me|mine|myself|our|us|we|I)\b", re.IGNORECASE)
# What happens to "it" or to "a few more" says nothing by itself.
_POINTING = lazy_regex(
    r"^(?:to )?(?:[\w'’]+ ){1,3}?(?:it|this|that|these|those|them|one|ones|some|more|so)\b"
    r"(?=\s*$|\s+(?:at|in|on|for|to|with|and|as|by|from|too|soon|again|tonight|tomorrow|last|next|this|yesterday|today)\b)"
    r"|\b(?:was|were|did|am|had) I\b"
    # Which one is not said: "this money", "the idea".
    r"|\b(?<!for )(?:this|these|those) (?!week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter|past|coming|time|"
    r"quarter|term|semester|christmas|easter|thanksgiving|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|"
    r"june|july|aug|sep|oct|nov|dec)[a-z]+"
    r"|^(?:\w+ )?the (?:idea|answer|call|news|feeling|chance|job|same|other|opportunity)\b",
    re.IGNORECASE,
)
_TOGETHER = lazy_regex(r"(?:^|[,.;!?]\s*|\b(?:so|but|then)\s+)(?:[A-Z]\w+|[Mm]y (?:\w+ ){0,2}\w+) and\s*$")
"""Before a clause: "My cousin and I have agreed" is not what I have."""
_NOT_NOW = lazy_regex(r"\b(?:when|whenever|while|sometimes|usually)\b", re.IGNORECASE)
_NARROWED = lazy_regex(r"\s+(?:that|which|who|where|when|whenever|if|because of)\b")
"""Behind a preference: games that test one's wits are not all games."""
_CIRCUMSTANCE = lazy_regex(r"\s+when(?:ever)? (?:I|my|it['’]s)\b[^,.;!?\n]{2,50}(?=[,.;!?\n]|$)")
"""Behind a preference: what it is preferred for is part of it."""
_RELATIVE = lazy_regex(r"\s+(?:that|which|where|who)\b(?![^,.;!?\n]*\b(?:you|your)\b)[^,.;!?\n]{3,80}(?=[,.;!?\n]|$)")
"""Behind what happened: "a course that ends in June" is told with its end."""
_PASSING = lazy_regex(
    r"\b(?:spend (?:some |more )?time|take an? (?:\w+ )?(?:break|walk|nap|look)|hang out|check out|"
    r"(?:relax|chill)(?! (?:the|our|this)\b)|give \w+ an? (?:try|go|shot|call))\b"
)
"""No decision that holds beyond the day."""
_DANGLING = lazy_regex(r"\b(?:all|to (?:ensure|make sure|say|see|show)|of|the|an?|with|from|for|by|than|and|or)$")
"""The clause was cut before what it leads to: "techniques to ensure" that something holds."""
_TOO = lazy_regex(r"\s+(?:too|as well|though|lately)$", re.IGNORECASE)
_CUT = lazy_regex(
    r"\b(?:an?|the|my|our|some) [a-z-]+, (?!and |but |so |which |who |it |i |we |they )[a-z-]+ [a-z]+", re.IGNORECASE
)
"""A list of adjectives that a comma parts: "a safe, inviting place"."""
_LATELY = lazy_regex(
    r"\s+(?:these days|nowadays|lately|right now|at the moment|now|though|too|as well)$", re.IGNORECASE
)
_EMPTY = lazy_regex(
    r"^(?:an?|the|to|of|for|in|on|not|just|very|really|so|pretty|kind of|sort of|coming|getting|going|great|good|amazing|awesome|fine|ok|okay|ready|done|here|there|everything)$",
    re.IGNORECASE,
)


def clauses(sentence: str, speaker: str) -> Iterator[Statement]:
    """Yield what a sentence states."""
    name = subject_name(speaker, zh=False)

    def make(rule: StatementRule, match: re.Match[str], start: int, end: int) -> Statement | None:
        value, who = group(match, "v").rstrip(" ,.'’-"), group(match, "s").lower()
        happens = rule.kind in {"event", "decision", "follow_up"}
        value = value if happens else _LATELY.sub("", value)
        if not value or _EMPTY.match(value) or (_POINTING if happens else _VAGUE).search(value):
            return None
        if _TOGETHER.search(sentence[:start]) or (rule.kind == "event" and not _is_event(match)):
            return None
        if rule.kind == "decision" and _PASSING.search(value):
            return None
        if rule.kind == "mood" and (
            _NOT_NOW.search(sentence[:start]) or re.search(r"\b(?:you|your|hear|see)\b", value)
        ):
            return None
        more = (_RELATIVE if rule.kind == "event" else _CIRCUMSTANCE).match(sentence, end)
        if more is not None and rule.kind in {"event", "preference"}:
            end = more.end()
        elif rule.kind in {"event", "preference"} and _NARROWED.match(sentence, end):
            return None
        if rule.kind == "preference" and _CUT.search(value + sentence[end:]):
            return None
        clause = _TOO.sub("", sentence[start:end].strip().rstrip("."))
        if _DANGLING.search(clause):
            return None
        owner = group(match, "n") or _owner(who, name, clause)
        attribute = group(match, "a").lower() or rule.attribute
        single = rule.single and who.split(" ")[-1] not in _SEVERAL
        return Statement(rule.kind, owner, attribute, value, third_person(clause, name), start, end, single=single)

    starts = sorted({found.end(1) for start in _STARTS for found in start.finditer(sentence)})
    yield from apply(RULES, sentence, starts=starts, make=make)


def _owner(who: str, name: str, clause: str) -> str:
    """Return whom or what a clause is about: the speaker, somebody of theirs, or the thing that it names."""
    if not who:
        return name
    if clause[:3].lower() == "my " or (clause[:4].lower() == "our " and re.fullmatch(rf"(?:\w+ )?(?:{_KIN})", who)):
        return f"{name}'s {who}"
    return f"the {who}"


_SLIGHT = lazy_regex(
    r"\b(?<!last )(?<!past )(?<!this )(?<!other )(?:milestone|breakthrough|time|moment|blast|experience|feeling|thought|laugh|break|surprise|day|night|week|weekend|meal|lunch|"
    rf"dinner|breakfast)\b(?= (?:{_PAST})|$)",
    re.IGNORECASE,
)
"""What was had or got without a word on it: "had a personal milestone last month" tells nothing."""
_BARE = lazy_regex(rf"^\w+ (?:back )?(?:{_PAST})$|\b(?:you|your)\b", re.IGNORECASE)
"""No event: nothing is said of it, or it is the other's matter."""


def _is_event(match: re.Match[str]) -> bool:
    verb = group(match, "verb")
    if _BARE.search(group(match, "v")):
        return False
    if verb in {"had", "got", "did"} and _SLIGHT.search(group(match, "v")):
        return False
    past = verb in _IRREGULAR or (verb.endswith("ed") and verb not in {"need", "feed", "speed"})
    dull = verb in {
        "thought",
        "felt",
        "said",
        "told",
        "was",
        "had",
        "wanted",
        "tried",
        "heard",
        "knew",
        "loved",
        "liked",
    }
    return (
        past
        and not (dull and verb not in {"was", "had"})
        and not re.match(r"(?:was|had) (?:so|really|just|thinking|a (?:great|good)|to\b)", group(match, "v"))
    )


def third_person(clause: str, name: str) -> str:
    """Return a clause of the first person as others would say it."""
    text = clause.strip()
    whose = f"{name}'s"
    text = re.sub(r"^(?:[Mm]y|[Oo]ur)\b", whose, text)
    text = re.sub(r"^(?:[Pp]lease )?[Rr]emind me", f"{name} wants to be reminded", text)
    text = re.sub(r"^[Dd]on['’]t (?:let me )?forget", f"{name} must not forget", text)
    text = re.sub(r"^[Ll]et['’]s", f"{name} decided to", text)
    text = re.sub(r"^[Ww]e['’]ve got\b", "We have", text)
    text = re.sub(r"^([Ww]e)['’]re\b", r"\1 are", text)
    text = re.sub(
        r"^[Ww]e(?:['’]ve| have(?= [a-z]+(?:ed|en)\b))?\b",
        f"{name} and others" if "decided" not in text else name,
        text,
    )
    for short, full in _CONTRACTIONS:
        text = re.sub(rf"\b[Ii]{short}\b", f"{name}{full}", text)
    found = re.search(rf"(?<![\w'’])[Ii] (?P<adverbs>(?:no longer )?{_ADVERB}*)(?P<verb>[a-z]+(?:['’]t)?)", text)
    if found:
        verb = _conjugated(found["verb"])
        text = f"{text[: found.start()]}{name} {found['adverbs']}{verb}{text[found.end() :]}"
    text = _OTHERS.sub(lambda one: _POSSESSIVES[one[0].lower()] if one[0] != "US" else one[0], text)
    text = text.replace("and The user", "and the user")
    return text[:1].upper() + text[1:]


def _conjugated(verb: str) -> str:
    if verb in _SPECIAL:
        return _SPECIAL[verb]
    if verb in _MODALS or verb in _IRREGULAR or verb.endswith(("ed", "n't", "n’t")) or verb == "never":
        return verb
    if verb.endswith(("s", "x", "ch", "sh", "o", "z")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


# ── what the user orders and teaches ─────────────────────────────────────────

_DOING = (
    r"(?:use|write|answer|reply|respond|call|give|show|add|include|send|format|keep|start|end|address|speak|cite|put|"
    r"avoid|ask|explain|translate|summari[sz]e|be|do|make|provide|talk|mention|suggest|recommend|type|sign|begin|read|run|check)"
)
_INSTRUCTION = lazy_regex(
    rf"^\W*(?:(?:ok|okay|so|and|also|btw|hey|hi)\W+)*(?:"
    rf"(?:please\s+)?(?:always|never)\s+{_DOING}\b.{{3,}}"
    r"|(?:please\s*,?\s*)?(?:from now on|going forward|in (?:the )?future|from here on)\b\W+.{6,}"
    rf"|please\s+(?:always\s+|never\s+)?(?:don['’]t|do not|stop|keep your|keep the|answer|reply|respond)\b.{{4,}}(?:\balways\b|\bevery\b|\bin (?:English|Chinese|French|German|Spanish|Japanese|Korean)\b|\b(?:answers?|replies|responses?|emojis?|jargon)\b).*"
    rf"|i (?:want|need|(?:['’]d|would) like) you to (?:always|never)\s+{_DOING}\b.{{3,}}"
    rf"|(?:please\s+)?(?:keep|make) (?:all )?your (?:answers?|replies|responses?|explanations?|messages|summaries)\b.{{3,}}"
    rf"|(?:please\s+)?(?:don['’]t|do not|stop|avoid) \w+.{{2,}}\b(?:when(?:ever)? you (?:reply|answer|write|talk|respond|explain)|in your (?:answers?|replies|responses?|messages))\b.*"
    rf"|(?:when(?:ever)?|if|every time) i ask (?:you )?[^,]{{3,60}}, (?:please )?(?:always )?{_DOING}\b.{{3,}}"
    r"|i (?:prefer|want|like) (?:your |my )?(?:answers|replies|responses|explanations|code|summaries)\b.{4,}"
    r"|(?:please )?(?:you can )?(?:just )?call me (?P<name>[A-Z]\w+(?: [A-Z]\w+)?)(?:,? (?:not|instead of|rather than) [A-Z]\w+)?\W*$"
    r")$",
    re.IGNORECASE | re.DOTALL,
)
_PROCEDURE = lazy_regex(
    r"^\W*(?:(?:please|remember|so|ok)\W+)*(?P<trigger>(?:when(?:ever)?|every time|each time|before|after|to) .{4,120}?),\s*(?:you should |please |i want you to |we )?"
    r"(?P<steps>(?:first\b)?.{3,200}?[,;]?\s*(?:and )?then\b.{3,300})$",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_STEP = lazy_regex(
    r"\s*(?:[,;.]\s*)?(?:\b(?:and )?(?:then|next|after that|finally|lastly|at last)\b)\s*,?\s*|;\s*", re.IGNORECASE
)


def instruction(sentence: str) -> Statement | None:
    """Return how the user wants things done from now on, if that is what a sentence says."""
    found = _INSTRUCTION.match(sentence)
    if found is None or sentence.rstrip().endswith("?"):
        return None
    words = sentence.strip()
    called = found["name"]
    if called:
        return Statement(
            "instruction",
            "",
            "form of address",
            called,
            f"The user wants to be called {called}",
            0,
            len(sentence),
            single=True,
        )
    return Statement("instruction", "", "", "", words, 0, len(sentence))


def procedure(sentence: str) -> Statement | None:
    """Return a way of doing something that the user teaches in one sentence."""
    found = _PROCEDURE.match(sentence)
    if found is None or sentence.rstrip().endswith("?") or re.search(r"\bI (?:was|went|had|did|got|felt)\b", sentence):
        return None
    steps = [
        re.sub(r"^first,?\s+", "", one, flags=re.IGNORECASE).strip(" ,.;") for one in _NEXT_STEP.split(found["steps"])
    ]
    kept = tuple(one for one in steps if one)
    if len(kept) < 2:
        return None
    trigger = found["trigger"].strip()
    return Statement(
        "procedure",
        "",
        trigger.lower(),
        " → ".join(kept),
        f"{trigger[:1].upper()}{trigger[1:]}: {' → '.join(kept)}",
        0,
        len(sentence),
        steps=kept,
    )
