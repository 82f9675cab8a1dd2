"""The forms of English statements: what somebody says of himself, of his people and of what they work on.

A clause behind "and", "but" or a comma that leaves its subject out belongs to the same person: it was lost, or told as
a part of the one before it ("works at Fidelity and live in Boston" was an employer). A value of one's own ends where
the sentence goes on with another clause: "I live in Oslo, I like skiing" had named a town called "Oslo, I". Over 14,000
public turns in both languages, the 15 statements that this changed were read, and each is right.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from remanent.language.offline.statement_rules import (
    MakeStatement,
    Statement,
    StatementRule,
    apply,
    beside,
    carried_on,
    expanded_form,
    group,
    is_no_value,
    pairs_of,
    rules_of,
    subject_name,
)
from remanent.text.calendar import ANY_WEEKDAY
from remanent.text.mentions import mentions
from remanent.text.regex import lazy_regex
from remanent.text.words import COMMON_ENGLISH, is_past_form, parts_of, word_forms

# What the forms below are made of: words by their sort, times, the ends of a clause, and who or what it is about.
PARTS = word_forms("statement_words_en") | parts_of(r"""
day = (?i:mon|tues?|wednes|thurs|fri|satur|sun)day
count = (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several|few)
season = summer|winter|spring|fall|autumn
past = (?:yesterday|last (?:night|week|weekend|month|year|{season}|{day}|{month})|{count} (?:day|week|month|year|hour)
    s? ago|this (?:morning|past \w+|{month})|the other (?:day|night)|(?:in|on|since) (?:{month}|{day}|(?:19|20)\d\d)
    \b|in the (?:{season})|over the weekend|(?:earlier )?today)
future = (?:tomorrow|tonight|next (?:week|weekend|month|year|{season}|{day}|{month})|(?:on|by|before|this|
    until) (?:the )?(?:{day}|{month}|weekend|end of|{season}|evening|afternoon|\d+(?:st|nd|rd|th)?\b)(?!s)|
    in {count} (?:day|week|month|hour|year)s?|later (?:today|this week)|(?:at|over|by) the (?:weekend|end of the (?:week|
    month|year))|(?<!every )(?<!each )(?<!other )(?<!last )(?<!past )(?<!that )(?<!the )(?<!a )(?<!of )(?<!black )(?<!good )
    (?<!Black )(?<!Good )(?<!called )(?<!named ){day}(?= (?:morning|afternoon|evening|night|at|with|and)\b|[.,;!\n]|$))
adv = (?:(?:really|truly|always|usually|just|also|still|now|currently|often|sometimes|recently|finally|actually|
    mostly|generally|absolutely|totally|definitely|already|both|especially|particularly|mainly|even|only|officially|
    normally|typically) )
often = (?:(?:every|each) (?:single |other )?(?:day|night|morning|evening|afternoon|week|weekend|month|year|{season}|
    {day})|(?:once|twice|(?:two|three|four|five|six|\d+) times) (?:a|per) (?:day|week|month|year)|on (?:{day}s|
    weekends|weekdays))
on = lives? (?:in|with|near|at|on|alone)|works? (?:at|for|as|in|from|on|nights|part|full|remotely)|(?:ha(?:ve|s)|
    owns?|drives?|carry|carries|takes?|teach(?:es)?|speaks?|stud(?:y|ies)|plays?|loves?|likes?|hates?|enjoys?|
    prefers?|moved|grew up|(?:can|do|does)(?:n['’]t|['’]t| not)|cannot) \w
and = (?i:and (?=(?:also )?(?:(?:i|we|it|that|this|they|he|she|you|there|now|then|so|am|is|are|was|were|have|had|just|
    can|will|would|do|how)\b|{on})|(?:my|our) (?:[\w-]+ ){1,2}(?:is|are|was|has|{on})))
or_to = \s*(?:[!?;)–—\n。！？，；]|,(?!\d\d\d)|[.:](?!\w)(?<!\b(?:St|Mr|Dr|Ms)\.)(?<!\bMrs\.)|\s-|$|\b(?:{and}|(?:but|because|
    so|which|who|where|when|while|since|though|although|if|that|btw)\b))
to = (?={or_to})
long_to = (?=\s*(?:[.!?;\n–—]|\s-|$|,\s*(?:and|but|so|which|it|that)\b|\b(?:but|because|which|(?:and|so) (?:it|[Ii]|
    we|they|that|he|she|now|am|was))\b))
sign = (?:[^,.;!?()\n–—。！？，；]|\.(?=\w)|,(?=\d\d\d)|(?<=\b(?:St|Mr|Dr|Ms))\.|(?<=\bMrs)\.)
words = {sign}{2,80}?
dated = (?= (?:in (?:{month}|(?:19|20)\d\d)\b|on {day}\b|(?:last|this|next) (?:week|month|year|{month}|{day}|{season})\b|
    (?:yesterday|today|recently|{count} (?:day|week|month|year)s? ago)\b))
name = (?:[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,2}|[\u4e00-\u9fff]{2,8})
aged = {name}(?: \(\d{1,2}\))?
place = (?:the |\d+ )?[A-Z][\w'’.-]*(?:,? (?!I\b)(?:of |de |upon |New |San )?[A-Z][\w'’.-]*){0,4}|[\u4e00-\u9fff]{2,12}|[a-z]{4,}(?=[.!,;]|$)
product = (?:(?:19|20)\d\d )?[A-Z][\w.+#-]*(?: (?:[A-Z]|\d)[\w.+#-]*){0,4}
time = (?:\d|noon|midnight|tomorrow|tonight|next (?:day|week|month|quarter|year|{season}|{day}|{month})|every |each |
    weekdays|weekends|{number}\b|half past|{day}|{month}\b)
at = (?:(?:on|at|in|from|by|until|before|due|around|about|now|for|the (?:first|second|third|fourth|last)|the) )*
i = (?:[Ii]|[Ww]e)
am = (?:[Ii](?:['’]m| am)|[Ww]e(?:['’]re| are))
have = {i}(?:['’]ve| have)
our = (?:[Mm]y|[Oo]ur)
the = (?:[Mm]y|[Oo]ur|[Tt]he)
old = older|younger|little|big|late|best|new|oldest|youngest|two|three
somebody = (?:{our} (?P<s>(?:(?:{old}) )?(?:{kin})s?)(?:,? (?P<m>{name}),?)?|(?P<s>Mom|Mum|Dad|Grandma|Grandpa))
who = (?:{i}|{somebody})
who_is = (?:{am}|{somebody}(?: is| are|['’]s))
who_has = (?:{have}(?: got)?|{somebody} (?:has|have)(?: got)?)
matter = (?P<s>(?!(?:only|best|worst|main|first|last|next|other|same|things?|point|problem|question|answer|way|reason|
    idea|rest|(?:\w+ )?one|whole|good|bad|odds|key|trick|fact|world|weather|heart|mind|life|brain|soul|understanding|
    guess|day|week)\b)[A-Za-z][\w'’-]*(?: (?!(?:that|which|who|where|when|i|you|we|they|he|she|it|is|are|was|were|and|
    but|if|has|have|been|so)\b)\w[\w'’-]*){0,5}?)
amounts = (?P<a>is|are|costs?|has|holds|weighs)(?: now| about| around| set to| up to| under| over| on)*
in_charge = is (?:in charge of|responsible for|handling)|handles|manages|leads|maintains|takes care of|looks after|
    (?:does|owns)(?= (?:the|our) )
trait = coeliac|celiac|an(?:a)?emic|asthmatic|lactose-free|on (?:statins|insulin|antidepressants|beta blockers|
    blood thinners|medication|thyroxine|antihistamines)|self-employed|unemployed|retired|pregnant|deaf|blind|bilingual|\w+-handed|[\w-]+[ -](?:blind|intolerant)|
    (?:scared|afraid|terrified) of {words}|(?:good|bad|terrible) at {words}|(?:new to|fluent in|prone to|
    sensitive to) {words}|(?:more of )?an? (?!bit\b|little\b|lot\b|tad\b)(?:[a-z-]+ ){0,3}(?:person|owl|parent|mom|
    mum|dad|mother|father|native|veteran|member|twin|expat|immigrant|graduate|only child|[a-z]{2,}(?:ist|eer|ian))
    (?: (?:of|in|at|from) {words})?
""")
# What somebody is married to who has no wife: "married to my job".
PARTS |= parts_of(r"""
thing_of_love = (?:my|our|the|his|her|their|this|that) (?:[\w'’-]+ )?(?:jobs?|work|career|craft|art|company|business|
    start-?up|sea|music|game|idea|plan|phone|laptop|computer|desk|code|research|office|routine|kitchen|garden|stage|
    church|road|bike|car|books?|sport|club|cause|thesis|project|couch|sofa|bed)\b
""")
# One row for each thing that can be said, whoever it is said of; the first that fits a clause takes it.
_TABLE = r"""
fact name! = (?:[Mm]y (?:full |real )?name(?:['’]s| is)|{am} called) (?P<v>{name})
fact name! = (?:[Ii](?:['’]m| am)|[Tt]his is) (?:(?:Mr|Mrs|Ms|Dr)\.? )?(?P<v>[A-Z][a-zß-ÿ'’-]+(?: [A-Z][\w'’-]+){0,2})
    (?=[.,!;]|$| and (?:I|my)\b| from\b)
fact age! = (?:[Ii](?:['’]m| am) (?:now |already )?|{somebody} is )(?P<v>\d{1,3}|{number}(?= years?\b| months?\b|
    {or_to}))\b(?: years? old)?(?=[.,!;]|$| and| years| months)|{who} (?:just )?turned (?P<v>{number})\b
fact residence! = (?:{who} {adv}?lives? (?:(?:just |right )?outside(?: of)?|(?:in an? (?:[a-z-]+ ){0,3}(?:apartment|
    house|flat|studio|condo|loft|room|place) )?in|at|near)|{who_is} {adv}?(?:living|
    based) in|{have} been living in|{who}(?:['’]ve| have| has)?
    (?: (?:(?!(?:who|that|which|and|helped)\b)[\w'’]+ ){1,5}and)? {adv}{0,2}(?:moved|relocated)
    (?: (?:my|our|the)(?: whole)? family)?(?: back)? (?:from [A-Z]\w+ )?to(?: (?:my|our) home ?town)?) (?P<v>{place})
fact residence! = (?:{i}|{have}) {adv}{0,2}(?:bought|rented|found|got|leased) (?:an?|our|my) (?:new )?(?:[a-z]+ ){0,2}
    (?:house|home|apartment|flat|place|condo|studio) in (?P<v>{place})(?=[^.!?]*\bmoved in\b)|{our} new (?:place|home|
    apartment|house|flat|condo) is in (?P<v>{place})|{am} {adv}?in (?P<v>{place}) (?:these days|nowadays)\b
fact email! = (?:[Pp]lease )?(?:[Uu]se|(?:[Rr]each|[Ee]mail) me (?:at|on)|[Ww]rite to me at) (?P<v>[\w.+-]+@[\w.-]+\w)
    (?= (?:from now on|now|instead|going forward))
fact ! = (?:{have}(?: got)?|{i} got) a new (?P<a>(?:phone )?number|e-?mail(?: address)?)(?:,? (?:it['’]s|it is|which is)|
    [:,]) (?P<v>{words}){to}
fact home! = (?:{who_is} (?:originally )?from|{who} (?:comes? from|(?:grew up|was raised) in)) (?P<v>{place})
fact birthplace! = {who} was born in (?P<v>{place})
fact birthday! = {who} was born on (?P<v>{words}){to}
fact job! = (?:{who} {adv}?works? as|{who_is} {adv}?working as|{i}(?:['’]ve| have)? {adv}?(?:got|started|landed|took|found|accepted) an? (?:new )?(?:job|position|role) as) an?
    [ ](?P<v>{words})(?:{dated}|{to})
fact job! = {i}(?:['’]ve been| have been| was| got|['’]m| am) {adv}?promoted to (?:an? |the )?(?P<v>{words})(?:{dated}|{to})
fact job! = {who_is} {adv}?an? (?P<v>(?:[a-z-]+ ){0,3}(?:{job})(?: and [a-z]+ (?:{job}))?)\b(?: (?:at|for|in|
    from) {words}{to})?
fact former job = {who} was an? (?P<v>(?:[a-z-]+ ){0,2}(?:{job}))\b
fact employer! = (?:{who} {adv}?works?|{who_is} {adv}?working|(?:{i}|{have}) {adv}?(?:started (?:working|a new job|
    my new job)|started(?= at (?!\w+ \d|[^,.;!?]*\b(?:University|College|School|Academy)\b)[A-Z])|
    got a (?:new )?job)) (?:at|for) (?P<v>{words})(?:(?= as an? )|{dated}|{to})
fact employer! = {i} {adv}?(?:quit|left) (?:[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*|my (?:old )?job(?: at [A-Z][\w&.-]*)?)
    [ ](?:and|to) (?:joined|join|started at|start at) (?P<v>(?!the\b|a\b){words}){to}
fact field! = {who} {adv}?works? in (?P<v>(?!the\b|an?\b|my\b)[a-z][\w -]{2,40}?)(?= for | at |{or_to})
fact marital status! = {who_is} {adv}?(?:a )?(?P<v>single(?: (?:mom|dad|parent|mother|father))?|married|divorced|
    engaged(?! in| by)|widowed)\b(?!-| to (?:{thing_of_love}))
fact diet! = (?:{who_is} {adv}?|{who_has} been |(?:{i}|{have}) {adv}?(?:became|become|turned|went|gone) )(?:a )?(?P<v>vegetarian|vegan|pescatarian|on an? [\w -]{2,30}diet)\b
    (?: since {words}{to})?
fact restriction = (?:{who_is} {adv}?|{who_has} been )(?P<v>[a-z]+[ -]intolerant|gluten[- ]free|diabetic)\b(?: since {words}{to})?
fact allergy = {who_is} (?:very |severely |highly )?allergic to (?P<v>{words}){to}
fact health = (?:{who} {adv}?(?:ha(?:ve|s)|suffers? from|gets?|was diagnosed with)|
    {have} got) (?P<v>{condition}(?:(?:,|,? and) {condition})*(?: (?:when|after|from) {words})?)(?:\b|{to})
fact health = {i} {adv}?(?:get|am|['’]m) (?P<v>(?:car|sea|air|travel|motion)[ -]?sick)(?:ness)?\b
fact health = {i} {adv}?(?P<v>(?:eat|drink|touch|have) [\w ]{3,30} and (?:come|break) out in [\w ]{3,20}?){to}
fact restriction = {i} (?:can['’]t|cannot|can not|mustn['’]t) (?:eat|drink|have|tolerate|digest) (?P<v>(?!any\b|
    the\b){words}){to}
fact is = {who_is} {adv}?(?P<v>{trait})(?: and {words})?{to}
fact name = {our} (?:(?P<s>(?:(?:{old}) )?(?:{kin})s?)(?:['’] names)? are(?: named| called)? (?P<v>{aged}
    (?:(?:, and |,? & | and |, )(?!I\b){aged})+)|(?P<s>(?:(?:{old}) )?(?:{kin}))(?:['’]s name)?(?: is|['’]s| are)
    (?: named| called)? (?P<v>(?:(?:Mr|Mrs|Ms|Dr)\.? )?{name})|(?P<s>[a-z][\w-]+(?: [a-z-]+)?)(?: is (?:named|called)|
    ['’]s name is) (?P<v>{name}))(?=[.,!;]|$| and)
fact family = {who_has} (?P<v>(?:an?|no|one|two|three|four|five|six|\d+) (?:[\w-]+ ){0,2}(?:{kin})s?(?:(?:,? (?:named|
    called)|[,:]) {aged}(?:(?:,| and|, and) {aged})*)?)(?!\w|['’]s\b|[ -](?:appointment|visit|check-?up|consultation|
    meeting|session|call|party|wedding|interview|recital|game|bill|note|reservation)\b)
fact has = (?:{who_has}|{i} adopted) (?P<v>an? (?:[a-z]+ ){1,3}(?:named|called) {name})(?=[.,!;]|$| and)
fact business = {who} {adv}?(?:runs?|owns?|manages?) (?P<v>(?:my own|an?) (?:[\w'’-]+ ){0,4}(?:bakery|\w*shop|store|
    caf[eé]|restaurant|company|business|agency|studio|farm|salon|clinic|gallery|gym|startup|firm|hotel|bar|pub|team|
    blog|podcast|channel)(?: (?:in|near) {place})?)
fact owns = (?:{who} {adv}?(?:owns?|drives?|rides?) (?P<v>(?:an?|my own|our own|two|three|{product}) {words}|
    {product})|{who_has} (?P<v>(?:an? )?(?:new |old |used )?{product})){to}
fact uses = (?:{i} {adv}?use|(?:{our} {matter}|[Tt]he (?P<s>(?:\w+ )?(?:{project}))) {adv}?(?:uses|runs(?: on)?|
    is (?:built with|written in|hosted on|deployed on))) (?P<v>(?:an? |my )?(?:new |old )?{product}(?: (?:for|at|to|
    as|in|with) {words})?){to}
fact weight! = (?:{who} {adv}?weighs?|{who_is} {adv}?(?:down|up|back) to) (?:about |around )?(?P<v>\d[\d.,]* ?(?:kg|kilos?|kilograms?|pounds?|lbs|stone))\b
fact ! = (?:[Mm]y|[Oo]ur(?= anniversary| wedding| budget)) (?:new |current |actual )?(?P<a>{thing})(?: is| are|
    ['’]s| has changed to| changed to|[ ]is now| will be) (?:now |actually |called )?(?P<v>{words}){to}
fact ! = {i} (?:just )?(?:changed|updated|switched|moved(?! my (?:car|bike|bed|desk|sofa|couch|stuff|plants?|money|
    savings|files?|books?)\b)) my (?P<a>{thing}) to (?P<v>{words}){to}
fact = [Mm]y (?:main |biggest |ultimate )?(?P<a>goal|dream) is (?P<v>[^.;!?\n–—]{4,120}?)(?=[.;!?\n–—]|$)
fact favorite = [Mm]y fav(?:ou?rite)?(?: \w+)? (?:is|are) (?P<v>{words}){to}
fact date! = {the} (?:first |next )?{matter}(?: has been| was| got| is| is now|)
    (?: (?:moved(?: up)?|changed|postponed|pushed(?: back| out| forward)?|delayed|rescheduled|shifted|extended|bumped|
    brought forward)(?: from {sign}{2,30}?)? to| scheduled for| set for)(?: on| at)? (?P<v>(?={sign}{0,40}?(?:\d|{day}|
    {month}|tomorrow|next|noon)){sign}{2,60}?){to}
fact date! = {the} {matter} (?:is|are|will be|comes|is coming|is held) (?P<v>(?:(?:on|at|in|from|due|every|
    this) )?{at}{time}(?<=[a-z:])(?<!one){sign}{0,50}?|(?:on|at|in|from|due|every) {at}{time}{sign}{0,50}?){to}
fact ! = {the} {matter} (?P<a>leaves?|departs?|arrives?|lands|starts?|begins|ends|finishes|closes|opens|meets|expires|
    renews|goes out|takes place|is due|is arriving) (?P<v>(?={sign}{0,60}?{time}){at}{time}{sign}{0,50}?){to}
fact ! = {our} {matter} {amounts} (?P<v>[$€£¥₩]?\d(?!\d* (?:of|more|away|out)\b|\d*%){sign}{0,50}?){to}
fact ! = {the} {matter} {amounts} (?P<v>(?:[$€£¥₩]|(?:port|version|room|number) |{month} )\d{sign}{0,50}?|
    \d[\d.,]* (?:dollars|euros?|pounds|francs|yen|yuan|rupees|won|kron[aeo]r?)\b{sign}{0,40}?){to}
fact = (?P<n>(?!(?:It|This|That|He|She|They|We|You|Who|What|There|Some\w+|Every\w+|No\w*|Life|One|I)
    \b){name}) (?P<a>{in_charge})[ ](?P<v>{words})(?:(?=,? and [A-Z]\w+ (?:{in_charge}))|{to})
fact event = {somebody} {adv}?(?P<v>(?:is (?:getting|having|starting|moving|turning|on|coming|going|raising)|starts|
    turns|graduates|graduated|had|was|started|finished|retires?d?|moves|got|joined) {sign}{0,60}?(?:{future}|{past}|
    (?:in|until|on) (?:the |\d+ )?(?:{month}\b|\d)){sign}{0,30}?){to}
fact = (?:{our} (?:(?P<s>(?:(?:{old}) )?(?:{kin})s?)(?:,? (?P<m>{name}),?)?|{matter})|[Tt]he (?P<s>client|customer|boss|team|
    board|school|company|bank|doctor|landlord)) {adv}?(?P<a>wants?|needs?|uses|requires|expects|prefers?|insists on|
    loves?|likes?|enjoys?|hates?|has(?= (?:an?|no|one|two|three|four|\d+) )|plays?|speaks?|studies|teaches|collects|
    coaches|drives|sings|writes|paints|works|owns|takes) (?P<v>(?!me\b|with\b|around\b|so\b|hard\b|well\b|like\b|on\b|
    to\b|the (?:potential|power|ability)){words}){to}
fact habit = {i} {adv}?(?P<v>(?!(?:am|was|have|had|think|know|feel|hope|love|like|enjoy|want|see|say|can|could|will|
    would|should|must|might|need|try|do|did|get to|used|thought|said)\b)
    [a-z]+ [^.;!?\n]{0,60}?{often}[^,.;!?\n]{0,30}?|have an? [^.;!?\n]{2,40}? {often}[^,.;!?\n]{0,30}?){to}
fact habit = {i} (?:usually|normally|typically|generally|always|often|mostly) (?P<v>(?!(?:am|was|think|know|feel|hope|
    love|like|enjoy|want|see|say|find|try|wonder|get|thought|felt|had|did|went|knew|said|found|\w+ed)\b)
    [a-z]+ [^,.;!?\n]{2,60}?|(?:get|wake) up [^,.;!?\n]{2,60}?){to}
fact does = {i} {adv}?(?P<v>(?:play|bank(?= with)|smoke|vape|collect|practi[cs]e|volunteer|coach|teach|study|speak|wear|commute|rent|owe|(?:ride|take|drive|walk|cycle|bike)(?= [^,.;!?]{0,30}?\bto (?:work|school|the office)\b)|
    deploy|share an?|grew up|live(?= with| on| alone| near| next| above| in an?)|
    work(?= nights| days| the \w+ shift| from| remotely| part| full| weekends| with| \w+ hours)|was raised|run(?= \d)) (?!a role|
    the role|around\b|out\b|for\b|like\b|the (?:best|same|game)){words}){to}
fact practice = {have} (?P<a>been \w+ing|been(?= an?)|known|had|lived|worked|owned|played|taught|studied|
    run) (?P<v>(?!it\b|this\b|that\b)(?:[^,.;!?\n]{2,60}? )?(?:for (?:over |about |almost |nearly )?{count} (?:year|
    month|decade)s?|since (?:I was \w+|(?:19|20)\d\d|{month}|childhood|college|school)))
fact never = {have} never (?P<v>(?:been to|visited|flown|owned|learned|smoked) {words}){to}
fact doing = {am} {adv}?(?P<v>(?:working on|building|developing|writing|learning|training for|studying(?: for)?|
    majoring in|preparing for|saving (?:up )?for|renovating|raising) (?!(?:an? |the |my |our |
    some )?(?:[a-z]+ )?(?:project|something|lot|ton|few|one|stuff|things?|all|more|everything|how)\b)
    [^,.;!?\n]{2,60}?){to}
preference likes = {i}(?:['’]d| would) (?:prefer|rather(?= get| use| eat| drink| read| travel| work| live| be)|
    rather have) (?P<v>{words}){to}
preference dislikes = {i} {adv}?(?:hate|dislike|can['’]t stand) it when (?P<v>{words}){to}
preference likes = {i} {adv}{0,2}(?:like|love|enjoy|adore|prefer) (?P<v>(?!the\b|some\b|a lot\b){words}){to}
preference likes = {am} {adv}?(?:a (?:(?:big|huge) )?fan of|into|passionate about|keen on|
    fond of) (?P<v>(?!the\b){words}){to}
preference likes = {am} {adv}?interested in (?P<v>(?!the\b|\w+ing\b|some\b|any\b|more\b){words}){to}
preference dislikes = {i} (?:{adv}?(?:hate|dislike|can['’]t stand|detest)|(?:don['’]t|do not) {adv}?(?:like|enjoy|eat|
    drink)|never (?:eat|drink))[ ](?P<v>(?!the\b|any\b){words}){to}
decision decision = (?:{have}|{i}) {adv}?(?:decided|agreed|chose|chosen|opted) (?P<v>(?:to|on|against|not to|
    that) [^.;!?\n]{3,120}?){long_to}
decision decision = [Ll]et['’]s (?P<v>(?:go with|use|stick with|switch to|adopt) [^.;!?\n]{2,100}?){long_to}
decision decision = [Ww]e(?:['’]ve| have)? {adv}?(?P<v>(?:picked|chose|selected|settled on) (?:[A-Z]|option |
    the (?:[\w-]+ )?(?:option|vendor|supplier|plan|version|offer|design|approach|tool|library|date|venue)
    \b){sign}{0,60}?|switched (?:over )?(?:from {words} )?to {words}){to}
decision decision = [Ww]e(?:['’]re| are) (?P<v>going with (?!(?:[\w'’]+ ){0,2}(?:kids|family|friends|{kin})\b){words}|
    not going to (?:support|use|renew|ship|hire|buy|migrate|extend|change|sign|release|accept|offer) {words}){to}
decision agreement = (?P<n>{name}) and I (?:have )?agreed (?P<v>(?:to|that|on) [^.;!?\n]{3,100}?){long_to}
follow_up task = (?:(?:[Pp]lease )?[Rr]emind me|[Dd]on['’]t let me forget) (?P<v>(?:to|about|
    that) [^.;!?\n]{3,120}?){long_to}
follow_up plan = (?:{i} {adv}?(?:need to|have to|must|plan to|want to|will)|{i}['’]ll|{am} {adv}?(?:going to|
    planning to|about to|supposed to|thinking of)) (?P<v>(?!be (?:there|back|ok)|never\b|always\b|let you\b|keep\b)
    (?:(?!, and\b)[^.;!?\n]){3,100}?\b(?:{future}|in {month}\b)[^,.;!?\n]{0,40}?){to}
follow_up plan = {am} {adv}?(?P<v>(?:going|flying|travel+ing|moving|heading|
    driving) (?:back )?to (?:the )?[A-Z][^,.;!?\n]{1,40}?[ ](?:{future}|in {month})\b[^,.;!?\n]{0,30}?){to}
follow_up plan = {am} {adv}?(?P<v>(?:meeting|seeing|visiting|hosting|picking up|starting|leaving|attending|presenting|
    getting (?:married|surgery|my|our|an?)|having (?:an?|my|our|lunch|dinner|breakfast|brunch|coffee|surgery|guests|people|
    friends)|taking (?:my|our|the|an?)|playing|running (?:an?|my|the)|giving an?|catching up with)\b[^,.;!?\n]{0,60}?[ ]
    (?:{future}|in {month})\b[^,.;!?\n]{0,30}?){to}
follow_up plan = {have}(?: got)? (?P<v>(?:an?|my) [^.;!?\n]{0,60}?\b{future}[^,.;!?\n]{0,40}?){to}
event event = (?P<time>{past},? )?{i} {adv}{0,2}(?P<v>(?P<verb>[a-z]+)\b(?! (?:it|that|this|them|him|her|so|there|
    like|about it|one)\b)[ ][^.;!?\n]{3,140}?\b{past}[^,.;!?\n]{0,60}?){long_to}
event event = (?P<time>(?i:{past})),? {i} {adv}{0,2}(?P<v>(?P<verb>[a-z]+)\b(?! (?:it|that|this|them|him|her|so|there|
    like)\b)[^.;!?\n]{4,140}?){long_to}
event event = (?:{have}|{i}) (?:just|recently|finally) (?P<v>(?P<verb>bought|adopted|started|finished|joined|enrolled|
    ordered|booked|launched|published|graduated|hired|sold|renovated|passed|quit)\b(?! (?:it|that|this|them|him|her|
    so|there|one)\b) [^,.;!?\n]{3,80}?){to}
event event = (?:{have}|{i}) (?P<v>(?P<verb>bought|sold|adopted|quit|graduated|switched|
    got(?= laid| fired| promoted| engaged| married| hired))[ ](?:an?|my|our|from|to|smoking|drinking|laid|fired|
    promoted|engaged|married|hired|[A-Z][\w-]*)\b[^,.;!?\n]{0,60}?){to}
mood mood = (?:{am}|[Ii] feel|[Ii]['’]ve been feeling|{am} feeling) (?:so |really |very |pretty |quite |a bit |
    a little |super |completely |totally )*(?P<v>(?:{feeling})(?: (?:about|with|by|because of|for|at|
    over) {words})?)(?: (?:today|tonight|lately|right now|at the moment|these days|this (?:week|morning|evening)))?{to}
mood mood = {am} (?P<v>in an? (?:\w+ )?(?:good|great|bad|foul|terrible|rotten) mood|having an? (?:\w+ )?(?:rough|bad|hard|
    tough|terrible|awful|great|good|wonderful) (?:day|week|time))(?: (?:today|lately|right now|this week))?{to}
"""
RULES: tuple[StatementRule, ...] = rules_of(_TABLE, PARTS)
# Where a clause may begin: elsewhere "I" stands inside of another one ("the house I live in").
_STARTS = (
    lazy_regex(r"(?=(^\W*|[,;:.!–—]\s*|\s-+\s*))"),
    lazy_regex(
        r"(?=(\b(?i:and|but|so|because|['’]cause|since|also|plus|well|yeah|yes|actually|anyway|from now on|"
        r"my (?:doctor|gp|allergist|dentist|nurse) (?:says?|said|told me|confirmed)(?: that)?|"
        r"btw|by the way|oh|hey|thanks|lately|recently|currently|nowadays|these days|now|today|fyi|(?<!make )(?<!be )(?<!is )(?<!are )(?<!was )(?<!were )(?<!seems )sure|no|yep|then|"
        r"remember|(?:remember|know|forget|mind|note|(?<!is )(?<!was )(?<!are )(?<!were )sure|glad|say) that|"
        r"(?:hey|hi|hello|thanks|yeah|wow),? (?-i:[A-Z])[a-z]+),?\s+))"
    ),
)
_VAGUE = lazy_regex(
    r"^(?:it|this|that|these|those|them|him|her|he|she|they|there|here|so|you|your|what|how|when|where|why|the (?:way|"
    r"idea|fact|best|one|same)|one|both|like|such|too|getting (?:to|back|better|older)|being|kind|sort|pretty|super|definitely|really|still|as|quite|"
    r"a bit|a little|broken|his|their|to (?:help|get)|everything|nothing|something|anything|all|to (?:see|hear|know|say|tell|think|be)|not)\b"
    r"|\b(?:you|your|yours|it|this(?! (?:week|month|year|summer|winter|spring|fall|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*))|that|these|those|them|him|his|her|he|she|they|we|us|here|there|option|suggestion|"
    r"idea|first one|second one|so far|sounds?)\b",
    re.IGNORECASE,
)
_PAST, _ADVERB, _KIN = (expanded_form(f"{{{part}}}", PARTS) for part in ("past", "adv", "kin"))
_SEVERAL = lazy_regex(expanded_form("(?:^| )(?:{several})$", PARTS))
"""Of whom one may have several: what is said of another cousin or colleague corrects nothing."""
_UNCHANGED = frozenset("left read let put set cut hit shut quit beat hurt".split())
"""Verbs whose past is written as their present, and one that is written as what it is not."""
_MODALS = frozenset(
    "can could will would shall should may might must can't cannot won't couldn't wouldn't shouldn't mustn't".split()
)
_SPECIAL = pairs_of(
    "am:is have:has do:does don't:doesn't don’t:doesn't haven't:hasn't were:was go:goes need:needs feed:feeds"
)
_CONTRACTIONS = (("['’]m", " is"), ("['’]ve", " has"), ("['’]ll", " will"), ("['’]d", " would"))
_POSSESSIVES = pairs_of("my:their me:them mine:theirs myself:themselves our:their us:them we:they i:they")
_OTHERS = lazy_regex(r"\b(?:my|me|mine|myself|our|us|we|I)\b", re.IGNORECASE)
_THEIRS = lazy_regex(r"\b(?:his|her|its|their) (?=\w)")
"""Of what is somebody's it is theirs: "my cat needs her pills"."""
# What happens to "it" or to "a few more" says nothing by itself.
_POINTING = lazy_regex(
    r"^(?:to )?(?:[\w'’]+ ){1,3}?(?:it|this|that|these|those|them|one|ones|some|more|so)\b"
    r"(?=\s*$|\s+(?:at|in|on|for|to|with|and|as|by|from|too|soon|again|when|while|before|after|tonight|tomorrow|last|next|this|yesterday|today)\b)"
    r"|\b(?:was|were|did|am|had) I\b"
    # Which one is not said: "this money", "the idea".
    r"|\b(?<!for )(?:this|these|those) (?!week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter|past|coming|time|"
    rf"quarter|term|semester|christmas|easter|thanksgiving|{ANY_WEEKDAY}|jan|feb|mar|apr|may|"
    r"june|july|aug|sep|oct|nov|dec)[a-z]+"
    r"|^(?:\w+ )?the (?:idea|answer|call|news|feeling|chance|job|same|other|opportunity)\b",
    re.IGNORECASE,
)
_TOGETHER = lazy_regex(
    r"(?:^|[,.;!?]\s*|\b(?:so|but|then)\s+)(?:[A-Z]\w+|[Mm]y (?:(?!is\b|was\b)\w+ ){0,2}\w+) and\s*$"
)
"""Before a clause: "My cousin and I have agreed" is not what I have."""
_THERE = lazy_regex(
    r"^\W*(?:when(?:ever)?|while|if|once|after|before|every time)\b[^.;!?]*\b(?:there|it|that|this|they|he|she|him|her)\b"
    r"[^.;!?]*,\s*$",
    re.IGNORECASE,
)
"""Before a habit: "When I'm there, I usually bring a book" is none but there."""
_NOT_NOW = lazy_regex(r"\b(?:when|whenever|while|sometimes|usually)\b", re.IGNORECASE)
_NARROWED = lazy_regex(r"\s+(?:that|which|who|where|when|whenever|if|because of)\b")
"""Behind a preference: games that test one's wits are not all games."""
_RESTRICTS = frozenset("diet restriction allergy likes dislikes never".split())
_EXCEPTION = lazy_regex(
    r"(?:,? (?:except|excepting|apart from|aside from|other than|save for|with the exception of)|,? but (?:I )?(?:do )?"
    r"(?:still )?eat)\b[^.,;!?\n]{3,60}(?=[.,;!?\n]|$)"
)
"""Behind what somebody does not eat: "except for the odd oyster" is part of it."""
_CIRCUMSTANCE = lazy_regex(r"\s+when(?:ever)? (?:I|my|it['’]s)\b[^,.;!?\n]{2,50}(?=[,.;!?\n]|$)")
"""Behind a preference: what it is preferred for is part of it."""
_LISTED = tuple(
    "allergy restriction health likes dislikes owns uses family has favorite favourite does love hate enjoy prefer like "
    "speak play stud teach collect drive need want".split()
)
"""What may be several things at once, by how its attribute begins."""
_ITEM = (
    r"(?!(?:I|i|we|he|she|it|they|my|our|you|so|but|then|which|who|where|when|because|that|this|these|there|and|or|is|are|"
    r"was|were|have|has|had|am|do|does|also|not|just|now|especially|particularly|though|although|while|since|if|as|like|"
    r"such|too|maybe|thanks|actually|honestly|really|mostly|usually|sometimes|live|work|want|need|love|think|thought|for|"
    r"to|in|on|at|with)\b)[\w'’-]+(?: (?!(?:is|are|was|were|has|have|had|will|I|we|he|she|they|it|you|and|or|but)\b)"
    r"[\w'’-]+){0,3}"
)
_REST_OF_LIST = lazy_regex(
    rf"(?:, {_ITEM}){{1,8}},? (?:and|or|&) {_ITEM}(?=\s*(?:[.!;,\n–—]|$|\b(?:but|because|so|and|which)\b))"
    rf"|(?:, {_ITEM}){{2,8}}(?=\s*[.!;\n]|\s*$)"
)
"""Behind the first thing of a list: who is allergic to eggs, soy and wheat is not allergic to eggs alone."""
_RELATIVE = lazy_regex(r"\s+(?:that|which|where|who)\b(?![^,.;!?\n]*\b(?:you|your)\b)[^,.;!?\n]{3,80}(?=[,.;!?\n]|$)")
"""Behind what happened: "a course that ends in June" is told with its end."""
_PASSING = lazy_regex(
    r"\b(?:spend (?:some |more )?time|take an? (?:\w+ )?(?:break|walk|nap|look)|hang out|check out|"
    r"(?:relax|chill)(?! (?:the|our|this)\b)|give \w+ an? (?:try|go|shot|call))\b"
)
"""No decision that holds beyond the day."""
_DANGLING = lazy_regex(r"\b(?:all|to (?:ensure|make sure|say|see|show)|of|the|an?|with|from|for|by|than|and|or)$")
"""The clause was cut before what it leads to: "techniques to ensure" that something holds."""
_CAUSE = lazy_regex(r"\s+(?:about|with|by|because of|for|at|over) (?:this|that|these|those) [a-z].*$", re.IGNORECASE)
"""What moves somebody may be pointed at ("this build"): a mood is over before it is forgotten which one was meant."""
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


_ALSO_BEFORE = lazy_regex(r"\b(?:also|besides|in addition),?\s+(?:I\s+)?$", re.IGNORECASE)
_LONGEST_ALSO = 16
"""Characters before a clause that are looked at for that: looking through all of them would take their square."""
_ALSO_BEHIND = lazy_regex(r"[,\s]*(?:too|as well|on the side|(?:on|at) (?:the )?weekends)\b", re.IGNORECASE)


def clauses(sentence: str, speaker: str) -> Iterator[Statement]:
    """Yield what a sentence states."""
    name = subject_name(speaker, zh=False)

    def make(rule: StatementRule, match: re.Match[str], start: int, end: int) -> Statement | None:
        value, who = group(match, "v").rstrip(" ,.'’-"), group(match, "s").lower()
        happens = rule.kind in {"event", "decision", "follow_up"}
        attribute = group(match, "a").lower() or rule.attribute
        if attribute.startswith(_LISTED) and value and (rest := _REST_OF_LIST.match(match.string, end)):
            value, end = value + rest[0].rstrip(), rest.end()
        value = value if happens else _LATELY.sub("", value)
        judged = _THEIRS.sub("", value) if who else value
        judged = _CAUSE.sub("", judged) if rule.kind == "mood" else judged
        if (
            not value
            or _EMPTY.match(value)
            or is_no_value(attribute, value)
            or (_POINTING if happens else _VAGUE).search(judged)
        ):
            return None
        sentence = match.string  # which is another where a subject was put in
        before = sentence[:start]
        if _TOGETHER.search(before) or (attribute == "habit" and _THERE.search(before)) or not _may_happen(rule, match):
            return None
        if rule.kind == "decision" and _PASSING.search(value):
            return None
        if rule.kind == "mood" and (
            _NOT_NOW.search(sentence[:start]) or re.search(r"\b(?:you|your|hear|see)\b", value)
        ):
            return None
        whole = _whole_end(rule.kind, attribute, sentence, end)
        if whole is None:
            return None
        end = whole
        if rule.kind == "preference" and _CUT.search(value + sentence[end:]):
            return None
        clause = _TOO.sub("", sentence[start:end].strip().rstrip("."))
        if _DANGLING.search(clause):
            return None
        clause = clause if who or attribute != "name" else f"My name is {value}"
        called = group(match, "m").rstrip(".")
        owner = group(match, "n") or " ".join(filter(None, (_owner(who, name, clause), called)))
        single = rule.single and (bool(called) or not _SEVERAL.search(who))
        made = Statement(rule.kind, owner, attribute, value, third_person(clause, name), start, end, single=single)
        opened, behind = _ALSO_BEFORE.search(before[-_LONGEST_ALSO:]), _ALSO_BEHIND.match(sentence, end)
        return beside(made, sentence[start:end] + " ".join(one[0] for one in (opened, behind) if one))

    starts = sorted({found.end(1) for start in _STARTS for found in start.finditer(sentence)})
    told = [*apply(RULES, sentence, starts=starts, make=make)]
    told += _of_two(sentence, told, make)
    yield from carried_on(told, sentence, joint=_JOINT, subject=_named_again, rules=RULES, make=make)


def _whole_end(kind: str, attribute: str, sentence: str, end: int) -> int | None:
    """Return where a clause ends with what narrows it; None where that is not understood."""
    if attribute in _RESTRICTS and (but := _EXCEPTION.match(sentence, end)):
        return but.end()
    if kind not in {"event", "preference"}:
        return end
    more = (_RELATIVE if kind == "event" else _CIRCUMSTANCE).match(sentence, end)
    if more is not None:
        return more.end()
    return None if _NARROWED.match(sentence, end) else end


_ABOUT_ONESELF = frozenset(
    "age residence home birthplace job employer field marital_status diet allergy restriction is".split()
)
"""What a clause tells of somebody without bringing in another."""
_STATE = (
    r"(?:(?:a )?(?:vegetarian|vegan|pescatarian|diabetic|single|married|divorced|engaged|widowed|pregnant|retired)"
    r"|[a-z]+[ -]intolerant|gluten[- ]free|(?:severely |highly )?allergic to|an? (?:[a-z-]+ ){0,2}(?:{job}))\b"
)
_IS = lazy_regex(expanded_form(_STATE, PARTS))
_JOINT = lazy_regex(
    expanded_form(
        r",?\s+(?:and|but)\s+(?:(?:then|now|currently|also)\s+)?(?=(?:{on}))"
        rf"|(?:,(?:\s+and)?|\s+and)\s+(?:also\s+)?(?={_STATE})",
        PARTS,
    )
)
"""Between a clause that tells of somebody and one that goes on: "I live in Leeds and work at the hospital"."""
FORMER = lazy_regex(
    r"^\W*(?:I|i|[Ww]e) used to [^,;.!?]{3,60}?,? (?:but|and)(?: then| now| later)*(?: (?:I|we)\b(?: now)?)? (?=[a-z])"
)
"""What no longer holds, and that what holds now follows: "I used to live in Boston but moved to Denver"."""
SPEAKER = "I "


_NAMING = lazy_regex(r"\b(?:name|called)\b")
_GREETING = lazy_regex(r"^\W*(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))\b", re.IGNORECASE)
_MET = lazy_regex(r"\b(?:nice|pleased|good|great) to meet\b|\bspeaking\b", re.IGNORECASE)
_PEOPLE = lazy_regex(r"(?:ish|ese|an|ch|im|ic|ist|ek|ss|sh|i|[au]b|kh|du|[a-z]{3}(?:ed|ing))$")
"""How words end for the people of a country or a faith, and for what somebody is or does: "Hi, I'm Dutch", "Exhausted"."""


def _introduces(match: re.Match[str]) -> bool:
    """Tell whether "I'm Tessa" or "This is Greta" says who speaks: a name of a person, or any behind a greeting."""
    value, sentence = group(match, "v"), match.string
    if group(match, "s") or _NAMING.search(match[0]):
        return True
    kind = next((one.kind for one in mentions(f"I am {value}.") if one.text == value), "")
    greets = _GREETING.match(sentence) is not None or _MET.search(sentence) is not None
    if match[0][0] in "Tt" and not greets:
        return False  # of a picture, or of somebody else
    if kind == "person":
        return greets or value not in {"Christian", "Roman"}
    return kind == "name" and greets and (" " in value or not _PEOPLE.search(value))


def _of_two(sentence: str, told: Sequence[Statement], make: MakeStatement) -> Iterator[Statement]:
    """Yield what somebody says of themselves and another: "My wife and I live in Oslo" is what we do.

    But no decision: whose it is to keep to it is not said.
    """
    for pair in _PAIR.finditer(sentence):
        place = pair.start("pair")
        if all(not one.start <= place < one.end for one in told):
            for one in apply(RULES, f"We{sentence[pair.end() :]}", starts=(0,), make=make):
                if one.kind != "decision":
                    yield replace(one, start=place, end=pair.end() - 2 + one.end)


_BY_NAME = lazy_regex(r",? [A-Z]\w+,?(?= [a-z])")


def _named_again(one: Statement, then: str) -> str:
    """Return the words that name whom a statement is about; none where what follows may be about another."""
    if one.attribute.replace(" ", "_") not in _ABOUT_ONESELF:
        return ""
    _, owned, who = one.subject.partition("'s ")
    what = _IS.match(then) is not None  # "I'm vegetarian and allergic to nuts"
    named = _BY_NAME.match(one.content.removeprefix(one.subject))  # "My colleague Sven lives in Ulm and hates leeks"
    who += "" if named is None else named[0]
    return (f"My {who} is " if what else f"My {who} ") if owned else "I am " if what else SPEAKER


def _owner(who: str, name: str, clause: str) -> str:
    """Return whom or what a clause is about: the speaker, somebody of theirs, or the thing that it names."""
    if not who:
        return name
    if clause[:3].lower() == "my " or re.fullmatch(rf"(?:\w+ )?(?:{_KIN})", who):
        return f"{name}'s {who}"
    return f"the {who}"


_SLIGHT = lazy_regex(
    r"\b(?<!last )(?<!past )(?<!this )(?<!other )(?:pic|picture|photo|shot|milestone|breakthrough|time|moment|blast|experience|feeling|thought|laugh|break|surprise|day|night|week|weekend|meal|lunch|"
    rf"dinner|breakfast)\b(?= (?:{_PAST})|$)",
    re.IGNORECASE,
)
"""What was had or got without a word on it: "had a personal milestone last month" tells nothing."""
_BARE = lazy_regex(rf"^\w+ (?:back )?(?:{_PAST})$|\b(?:you|your)\b", re.IGNORECASE)
"""No event: nothing is said of it, or it is the other's matter."""


def is_done(step: str) -> bool:
    """Tell whether a step is what happened once, or what somebody else does: "took a bus", "she laughed"."""
    verb = step.partition(" ")[0].lower()
    past = is_past_form(verb) or (verb.endswith("ed") and verb not in {"feed", "need", "embed", "seed"})
    return past or verb in {"he", "she", "they", "it"}


_DULL = frozenset("thought felt said told wanted tried heard knew loved liked".split())
"""What one thinks and feels is no event."""


def _may_happen(rule: StatementRule, match: re.Match[str]) -> bool:
    if rule.attribute == "name":
        return _introduces(match)
    return rule.kind != "event" or _is_event(match)


def _is_event(match: re.Match[str]) -> bool:
    verb = group(match, "verb")
    if _BARE.search(group(match, "v")):
        return False
    if verb in {"had", "got", "did"} and _SLIGHT.search(group(match, "v")):
        return False
    past = is_past_form(verb) or verb in _UNCHANGED or (verb.endswith("ed") and verb not in {"need", "feed", "speed"})
    return (
        past
        and verb not in _DULL
        and not re.match(r"(?:was|had) (?:so|really|just|thinking|a (?:great|good)|to\b)", group(match, "v"))
    )


_WE_HAVE = lazy_regex(r"(?<=\b[Ww]e)['’]ve(?= got\b)(?: got)?")
_WE_ARE = lazy_regex(r"(?<=\b[Ww]e)['’]re\b")
_BEGINNINGS = tuple(
    (lazy_regex(rf"^(?P<when>(?i:{_PAST}),? )?{form}"), told)
    for form, told in (
        (r"(?=(?:Mom|Mum|Dad|Grandma|Grandpa)\b)", "{1}{0}'s "),
        (r"(?:[Mm]y|[Oo]ur)\b", "{1}{0}'s"),
        (r"(?:[Pp]lease )?[Rr]emind me", "{0} wants to be reminded"),
        (r"[Dd]on['’]t (?:let me )?forget", "{0} must not forget"),
        (r"[Ll]et['’]s", "{0} decided to"),
        (r"[Ww]e(?:['’]ve| have(?= [a-z]+(?:ed|en)\b))?\b", "{1}{0} and others"),
    )
)
"""How a clause of the first person begins, and how it is told of somebody."""
_AMID = lazy_regex(r"(?<=[\w,] )The user\b")
_CHATTY = lazy_regex(r"(?:(?<=[Tt]he user )|(?<=and others ))even (?=[a-z])")
_FAM = lazy_regex(r"(?<=their )fam\b")


_WHO = expanded_form(
    r"(?:[Mm]y|[Oo]ur|[Tt]he(?= kids| boys| girls| family| whole)) (?:(?:{old}|whole) )?(?:family|friends|{kin})s?(?: (?!I\b)[A-Z]\w+)?",
    PARTS,
)
_NAME = r"(?!And|But|So|Yes|You|Then)[A-Z][a-z]+"
_LEAD = (
    r"(?i:yesterday|today|tonight|recently|lately|finally|actually|also|both|once|sometimes|usually|often|now|nowadays|"
    r"later|anyway|well|hi|hey|oh|yes|ok|okay|the other \w+|(?:last|this|next|every|each|one) \w+|(?:\w+ ){1,3}ago|"
    r"(?:on|in|at|since|after|before|during|around|over|by|for) (?:[\w'’]+ ){0,3}[\w'’]+),? "
)
"""What may stand before those of whom a sentence is. In "I live in Oslo and I …" Oslo is nobody."""
_PAIR = lazy_regex(
    r"(?:^\W*|[.;!?–—]\s*|\b[a-z0-9][\w'’-]*(?:,|,? and)\s+|\b(?:and(?= (?:my|our|the)\b)|[Ss]o|[Bb]ut|[Tt]hen|[Bb]ecause|[Ww]hen|[Ww]hile|that)\s+)"
    rf"(?:{_LEAD})*(?P<pair>(?P<who>{_WHO}|(?:(?:[Mm]y|[Oo]ur) [\w-]+ )?{_NAME}) and I)\b"
)
_COMPANY = lazy_regex(
    rf"\b(?:with|took|take|taking|brought|bring|visited|met) (?P<with>{_WHO}(?: and (?:{_WHO}|friends|family))?)"
    rf"|(?P<and>{_WHO}) and (?:I|me)\b|\b(?P<name>{_NAME}) and me\b"
    rf"|\bme and (?P<me>{_WHO})|(?P<next>{_WHO}),?(?: and)?\s*$"
)
"""Who is with somebody that goes on with "we": "with my friend Emily and we …", "my wife and I"."""
_OUR_FAMILY = lazy_regex(r"\bour (?:own )?(?:whole )?family\b|\bas a family\b")


def with_company(content: str, name: str, *, before: str, said: str) -> str:
    """Return what several did with who the others are, where that was said: "Ada and their family"."""
    pair = _PAIR.match(said)  # "My wife and I"
    talk = before + (pair["pair"] if pair else "")
    named = {found.end(): next(filter(None, found.groups())) for found in _COMPANY.finditer(talk)}
    named |= {found.end(): found["who"] for found in _PAIR.finditer(talk)}
    who = named[max(named)] if named else "our family" if _OUR_FAMILY.search(said) else ""
    if not who:
        return content
    others = _OTHERS.sub(lambda one: _POSSESSIVES[one[0].lower()], who)
    return re.sub(rf"(?i:{re.escape(name)}) and others", lambda found: f"{found[0][:-6]}{others}", content, count=1)


def third_person(clause: str, name: str) -> str:
    """Return a clause of the first person as others would say it."""
    text = _WE_ARE.sub(" are", _WE_HAVE.sub(" have", clause.strip()))
    for form, told in _BEGINNINGS:
        if found := form.match(text):
            text = told.format(name, found["when"] or "") + text[found.end() :]
    for short, full in _CONTRACTIONS:
        text = re.sub(rf"\b[Ii]{short}\b", f"{name}{full}", text)
    found = re.search(rf"(?<![\w'’])[Ii] (?P<adverbs>(?:no longer |never )?{_ADVERB}*)(?P<verb>[a-z]+(?:['’]t)?)", text)
    if found:
        verb = _conjugated(found["verb"])
        text = f"{text[: found.start()]}{name} {found['adverbs']}{verb}{text[found.end() :]}"
    text = _OTHERS.sub(lambda one: _POSSESSIVES[one[0].lower()] if one[0] != "US" else one[0], text)
    text = _FAM.sub("family", _CHATTY.sub("", _AMID.sub("the user", text)))
    return text[:1].upper() + text[1:]


def _conjugated(verb: str) -> str:
    if verb in _SPECIAL:
        return _SPECIAL[verb]
    if (
        verb in _MODALS
        or verb in _UNCHANGED
        or is_past_form(verb)
        or verb.endswith(("ed", "n't", "n’t"))
        or verb == "never"
    ):
        return verb
    if verb.endswith(("s", "x", "ch", "sh", "o", "z")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


# ── what the user orders and teaches ─────────────────────────────────────────

_DOING = (
    r"(?:use|write|answer|reply|respond|call|give|show|add|include|send|format|keep|start|end|address|speak|cite|put|"
    r"avoid|ask|explain|translate|summari[sz]e|be|do|make|provide|talk|mention|suggest|recommend|type|sign|begin|read|run|check|cc|copy)"
)
INSTRUCTION = lazy_regex(
    rf"^\W*(?:(?:ok|okay|so|and|also|btw|hey|hi)\W+)*(?:"
    rf"(?:please\s+)?(?:always|never)\s+{_DOING}\b.{{3,}}"
    r"|(?:please\s*,?\s*)?(?:from now on|going forward|in (?:the )?future|from here on)\b\W+"
    r"(?!(?:[Ww]e|I) (?!(?:want|need|prefer|expect|like|would|['’]d)\b)).{6,}"
    rf"|please\s+(?:always\s+|never\s+)?(?:don['’]t|do not|stop|keep your|keep the|answer|reply|respond)\b.{{4,}}(?:\balways\b|\bevery\b|\bin (?:English|Chinese|French|German|Spanish|Japanese|Korean)\b|\b(?:answers?|replies|responses?|emojis?|jargon)\b).*"
    rf"|i (?:want|need|(?:['’]d|would) like) you to (?:always|never)\s+{_DOING}\b.{{3,}}"
    rf"|(?:please\s+)?(?:keep|make) (?:all )?your (?:answers?|replies|responses?|explanations?|messages|summaries)\b.{{3,}}"
    rf"|(?:please\s+)?(?:don['’]t|do not|stop|avoid) \w+.{{2,}}\b(?:when(?:ever)? you (?:reply|answer|write|talk|respond|explain)|in your (?:answers?|replies|responses?|messages))\b.*"
    rf"|(?:when(?:ever)?|if|every time) i ask (?:you )?[^,]{{3,60}}, (?:please )?(?:always )?{_DOING}\b.{{3,}}"
    r"|(?:please\s+)?(?:run|cc|copy|ask|check|test|back up|notify|update|send|tag|lint|review|attach)\b[^.!?]{2,80}"
    r"\b(?:before|after) (?:every|each)\b[^.!?]{2,60}[.!]?"
    r"|(?:all|every) (?:[\w-]+ ){0,2}(?:messages?|commits?|e-?mails?|documents?|files?|reports?|functions?|endpoints?|tests?|"
    r"branches|changes?|comments?|tickets?|names?) (?:should|must|need to|needs to|have to|has to) (?:be (?:in(?! the)|written|signed|"
    r"reviewed|named|tested|approved)|use|have(?! been)|go|follow|start|end|include|contain|pass(?! now))\b[^?]{2,}"
    r"|i (?:prefer|want|like) (?:your |my )?(?:answers|replies|responses|explanations|code|summaries)\b.{4,}"
    r"|(?:please )?(?:you can )?(?:just )?call me (?P<name>(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?)"
    r"(?:,? (?:not|instead of|rather than) [A-Z]\w+| from now on| please|, (?:please|everyone|everybody|thanks)\b[^.!?]*)?\W*$"
    r")$",
    re.IGNORECASE | re.DOTALL,
)
PROCEDURE = lazy_regex(
    r"^\W*(?:(?:please|remember|so|ok)\W+)*(?P<trigger>(?:when(?:ever)?|every time|each time|before|after|to) .{4,120}?)"
    r"(?:,\s*(?:you should |please |i want you to |we |i )?| (?:i|we|you) (?:always )?(?=first\b))"
    r"(?P<steps>(?:first\b)?.{3,200}?[,;]?\s*(?:and )?then\b.{3,300})$",
    re.IGNORECASE | re.DOTALL,
)
LISTED = lazy_regex(
    r"^\W*(?!(?:please|explain|summari[sz]e|describe|review|improve|write|rewrite|list|check|what|can|could|fix|translate)\b)"
    r"(?P<trigger>(?:(?:this is |here['’]s |here is )?how (?:i|we|to) [^:\n?]{3,80}|(?:(?:my|our|the) )?(?:[\w'’-]+ ){0,4}"
    r"(?:steps|routine|procedure|process|workflow|runbook)(?: (?:to|for|when) [^:\n?]{3,60})?))\s*:\s*"
    r"(?P<steps>1[.)]\s[^?]+)",
    re.IGNORECASE | re.MULTILINE,
)
"""A way of doing something whose steps have numbers, in one line or in one each."""
NEXT_STEP = lazy_regex(
    r"\s*(?:[,;.]\s*)?(?:\b(?:and )?(?:then|next|after that|finally|lastly|at last)\b)\s*,?\s*|;\s*", re.IGNORECASE
)


def may_be_called(name: str) -> bool:
    """Tell whether somebody may want to be called so: "Call me Later" asks for something else."""
    known = any(one.kind in {"person", "name"} for one in mentions(f"I am {name}."))
    return known and name.lower() not in COMMON_ENGLISH


CALLED = ("form of address", "The user wants to be called {}")
"""What it is about, and how it is told, that somebody wants to be called by a name."""
