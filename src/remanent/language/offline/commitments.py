"""What a conversation binds its people to, without a model: decisions, things to do, agreements.

People decide and ask; an assistant's advice ("you need to", "let's use", a list of drawbacks) binds nobody, so that of
its sentences only those count in which it says "we decided" or promises something for a time. A heading over what
nobody decided is worse than none: of the lines under the three headings of three conversations that no rule here was
made from, 16 % belonged there by the words of extraction (108 judged), 68 % do by these (62).

The later word counts: a decision that was taken back (cancel that; 不用 X 了，改用 Y) is neither listed nor told, nor
is a thing to do that was done. Of 336 lines of public talks 14 went when "a final decision" alone bound nobody any
more, none of which belonged there; of 80 of the others 68 do. What binds is read once for each message, not once for
each view.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from remanent.language.offline.questions import is_question
from remanent.language.offline.salience import with_speaker
from remanent.language.shapes import MAX_REMARK, Utterance, one_line
from remanent.model.entry import chat_role
from remanent.text.calendar import ANY_MONTH
from remanent.text.dates_chinese import COMING, WEEKDAY
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.sentences import sentence_texts
from remanent.text.summary import is_heading
from remanent.text.talk import is_standing_instruction
from remanent.text.terms import index_terms
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

_MAX_LISTED = 15
"""Items of each list without a model. Chosen by hand."""
_HOLDS = 0.6
"""The share of the words that name what is taken back which an earlier item must hold. Chosen by hand."""
_NEAR = 12
"""Messages within which "cancel that" means what was settled last. Chosen by hand."""
_DONE_HOLDS = 0.7
"""The share of the words that tell what was done which a thing to do must hold; they are two at least. By hand."""
_LONGEST = 400
"""Characters of a sentence that binds, or takes back; a longer one is a text that somebody pasted. Chosen by hand."""
_SHORTEST = 4
"""Characters below which a sentence says nothing, as in extraction: "Ok.", 「好的」."""


class _Bond(IntEnum):
    """Which of the three lists a sentence belongs in."""

    DECISION = 0
    TODO = 1
    AGREEMENT = 2


# Pasted text: code, tables, quotations, items of somebody's list of headings ("1. **Scalability**: …").
_PASTED = lazy_regex(r"```|\*\*|^\s*[>|#\"“「『]|[{};]\s*$|\w\(\)|^\s*(?:[-*•]|\d+[.)])\s.{0,40}[:：]\s")
_OPEN = word_regex(
    r"if (?:i|we|you|it|they)|whether|not sure|unsure|wonder(?:ing)?|haven['’]t|have not|hasn['’]t|hadn['’]t|"
    r"would(?:n['’]t)?(?: have| be)?|might|maybe|perhaps|could|trying to decide how|before (?:i|we) decide|"
    r"should (?:i|we)|wh(?:at|ich) (?:i|we|can|should)",
    r"如果|(?<![主只需])要是|是否|要不要|不知道|不确定|犹豫|还没(?:有)?(?:想好|决定|定)|没(?:有)?(?:决定|定)|未(?:决定|定)|无法决定|"
    r"决定不了|可能|也许|或许|本来|当初",
)
"""Who is not sure, or speaks of a case that may come, is bound to nothing."""

_ON_DAY = (
    rf"(?:{COMING}|{WEEKDAY}"
    r"|(?:(?:\d+|[一二三四五六七八九十]{1,2})\s*月)?(?:\d+\s*[号日点]|[一二三四五六七八九十]{1,3}号)(?!线|楼|店))"
)
_WE_DECIDED = word_regex(
    r"(?:we|i)(?:['’]ve| have)?(?: (?:all|both|now|just|finally|already|also|together))? "
    r"(?:decided(?=:)|decided (?:to|on|against|that|not|for|we|i)|opted (?:for|to)|settled on)|"
    r"(?:the|our|my) (?:final )?decision (?:is|was)(?! (?:yours|up to|based|not|hard|difficult))|it['’]s settled|"
    r"^\W*(?:the |our )?final decision(?=:)",
    r"(?<!让)(?<!由)(?:我|我们|咱们|大家|团队|公司)[^，。；]{0,8}(?:决定(?!权|于|性|因素|是|怎|如何)|敲定|选定|拍板)|^(?:最[后终])?决定(?!权|于|性|因素|是|怎|如何|的)|"
    rf"(?<![一固稳肯否制注测认规约决])定[在到于]\s*(?:{_ON_DAY})|"
    r"就这么定|(?:已经?|最终)(?:敲定|选定|定下来)|^[^，。；]{1,12}(?<![一固稳肯否制注测认规约])定了",
)
_PERSON_DECIDES = word_regex(
    r"decision(?=:)|(?:we|i)(?:['’]ve| have)? (?:chosen|chose|picked(?! up)) |(?:we|i)(?:['’]re| are|['’]m| am) "
    r"(?:going with|sticking with|switching to)|let['’]s (?:go with|use|stick (?:with|to)|adopt|switch to|go for(?! "
    r"it))|(?:we|i)(?:['’]ll| will| shall) (?:go with|go for|use|adopt|switch to|stick with|stick to|drop (?:the|our|"
    r"my|support))",
    r"确定(?:用|采用|选|使用)|最终(?:选|采用)|那就(?:用|选|按|定)|就(?:用|选|按|定在?)[^，。？]{1,20}(?:吧|了)|"
    # Who tells of a plan that fell through tells what is done in its place.
    r"(?:改|采)用.{1,12}(?:方案|吧)|说定|(?:[去办做]不成|不[去做办]|取消|泡汤|推迟)了[^。；]{0,12}[，,](?:就|那就|我们?|先)?改[成到为在去]",
)

_DOING = (
    r"(?:(?:send|ask|message|tell)(?! you\b)|send you|call|phone|e-?mail|text|book|buy|order|pay|finish|complete|write|"
    r"draft|review|fix|repair|prepare|pack|pick up|drop off|bring|schedule|reschedule|submit|file|register|sign up|"
    r"renew|return|cancel|update|upload|deploy|migrate|test|install|set up|organi[sz]e|arrange|contact|visit|meet|"
    r"clean|check (?:with|on|in)|follow up|get back to|remind|report|deliver|print|post|share|apply|reach out|talk to|"
    r"look into|plan|study|document|implement|add|create|build|research)"
)
_DAY = (
    r"(?:tomorrow|tonight|today|now|end of|mon|tues|wednes|thurs|fri|"
    rf"satur|sun|week|month|year|morning|afternoon|evening|noon|{ANY_MONTH}|\d)\w*"
)
_WHEN = (
    rf"(?:by|before|until|on|this|next|due|every) (?:the )?{_DAY}|tomorrow|"
    r"tonight|later today|right after|"
    r"(?:at|over) the (?:weekend|end of the (?:day|week|month|year))|"
    r"in (?:an? (?:hour|day|week|month)|(?:\d+|two|three|four|five|six|a few) \w+)"
)
_DUE = rf"(?:今天|{_ON_DAY}|[月年]底)\s*(?:之前|以前|前)"
_PERSON_TO_DO = word_regex(
    rf"^\W*(?:and |so |also )?to-?do\b(?=[: ])|"
    rf"(?<!like you to )(?<!s )(?<!n['’]t )(?<!not )(?<!never )remind me (?:to|about|on|at|by|in|tomorrow|next)|"
    r"i(?:['’]ve| have)? promised?(?! myself)(?:(?! (?:that|to|i)\b) \w+){0,3},? (?:that )?"
    r"(?:to|i['’](?:d|ll)|i will|we['’](?:d|ll)) (?!be\b|try|never|always|keep|not\b|love|stay|do my best)\w+|"
    rf"(?:please |and |so |^)don['’]t (?:let me )?forget (?:to|the|about|my|your)|"
    rf"^\W*(?:please |and |so |also |just )*remember to|"
    rf"(?:i|we)(?:['’]ll| will| shall|['’]m going to| am going to|['’]re going to| are going to|"
    rf"['’]ve got to|['’]d better| must) (?:\w+ly )?(?:go and |go )?{_DOING}|"
    rf"i (?:still |also |really )?(?:need|have) to (?:\w+ly )?(?:go and |go )?{_DOING}|"
    rf"(?<!you )(?:must|needs? to|ha(?:s|ve) to|(?:is|are) due|(?<!that )i(?:['’]ll| will)|please)\b"
    rf"(?! (?:just |be |get through|survive|try to|keep|focus|rest\b|relax|see\b))[^.!?]{{2,120}}?\b(?:{_WHEN})",
    r"^\W*待办|提醒我|(?:别|不要|可不能)忘(?:了|记)|(?:^|[，。；,]|请|要|你|可|一定)记得(?!住|起|吗|那|当|小时|以前|曾|上次|我|你|他|她)|"
    r"我(?:来|会|去)(?:负责|写|做|发|订|买|问|联系|准备|安排|整理|处理|跟进|查|打电话|通知|修|改|测试|提交)|"
    r"(?<![没不让])我(?:们)?(?:已经?)?(?:答应|承诺|保证)(?:过|了)?(?!不)[^，。；？]{0,20}?"
    r"(?:帮|给|把|去|替|陪|会|来|送|发|还|做|交|写|买|带|参加|安排|处理)|"
    rf"我(?:们)?(?:在?\s*{_ON_DAY}|稍后|晚点|回头|待会儿?)[^，。？]{{0,8}}"
    r"(?:要|再|去|得|需要|会|把|准备|发|订|写|交)(?![了过])|"
    rf"我(?:们)?(?:还)?(?:要|得|需要|必须)?在?\s*{_DUE}|(?:要|得|需要|必须|务必)[^，。？]{{0,12}}{_DUE}|"
    r"我(?:们)?还(?:需要|要|得)(?:去|把|给|写|做|发|订|买|问|联系|准备|整理|处理|提交)",
)
_ASSISTANT_TO_DO = lazy_regex(
    rf"\b(?:i(?:['’]ll| will)) {_DOING}\b[^.!?]{{0,120}}?\b(?:{_WHEN})|^\W*to-?do: |^\W*待办：|"
    rf"我(?:会|将)?(?:在)?(?:{_ON_DAY}|稍后)[^，。？]{{0,10}}(?:提醒|发|交|给|通知|准备|汇报)",
    re.IGNORECASE,
)
_NO_TASK = word_regex(
    r"(?:had|needed|used) to|w(?:as|ere) going to|(?:no|don['’]t|doesn['’]t|didn['’]t|not) (?:need|have) to|no need to",
    r"昨天|上周|上个?月|去年|不需要|不用|没必要|无需|(?:别|不要|不必)再?提醒",
)

_AGREED = word_regex(
    r"(?:we|both|all)(?:['’]ve| have)?(?: all| both)? agreed?"
    # What all think of a thing is no agreement: "we agreed that it was too long".
    r"(?! that (?:(?:it|this|he|she|they)(?:['’](?:s|re)| is| are)|(?:\w+ ){1,5}?(?:was|were))\b)"
    r"(?= (?:to|that|we|not|on(?! (?:for|with|in|by)\b) \w)\b)|"
    r"as agreed(?=,| with| in| on \w)|agreement(?=:)|it['’]s a deal",
    r"(?:我们?|咱们?|大家|双方|一起)[^，。；]{0,10}(?:约定|说好|商定|约好|讲好)|^(?:约定|说好|商定|约好)(?!的|俗)|"
    r"达成(?:一致|共识)|一致同意",
)
_TOLD_TO = lazy_regex(
    r"^(?!.*\.\.\.|(?:\w+:)?\W*never (?:say|really|a )|(?:\w+:)?\W*always (?:up|nice|good|a )|.*\bI['’ ](?:ll|ve|m)\b)",
    re.IGNORECASE,
)
_RULE = word_regex(
    r"from now on,?(?! (?:i|we)\b)|please (?:always|never)|i prefer (?:that |if )?you",
    r"以后(?:都|请|不要|别|回答|回复|用)|今后(?:都|请|不要|别)|从现在起|从今往后|不要再|别再|"
    r"(?:^|[，,；])(?:之后|以后|今后|往后)(?![我他她])[^，。；]{1,16}?(?:都|一律|统一|抄送|发给|交给)(?!了)",
)


def _is_open(sentence: str) -> bool:
    """Tell whether a sentence asks, is not sure, speaks of what may come, or was pasted: it binds nobody."""
    text = sentence[: _LONGEST + 1]
    return len(text) > _LONGEST or any(one.search(text) for one in (_PASTED, _OPEN)) or is_question(text)


def _bond_of(sentence: str, speaker: str) -> _Bond | None:
    """Return what a sentence binds people to; nothing for what asks, is not sure, is pasted or only advises."""
    if not _SHORTEST <= len(sentence) <= _LONGEST:
        return None
    rules = _TOLD_TO.search(sentence) is not None
    if chat_role(speaker) == "user" and rules and is_standing_instruction(sentence) and not _PASTED.search(sentence):
        return _Bond.AGREEMENT  # "… when I ask about libraries" is no case that may come
    if _is_open(sentence):
        return None
    if chat_role(speaker) in {"assistant", "system", "tool"}:
        return _of_machine(sentence)
    if _AGREED.search(sentence) or (rules and _RULE.search(sentence)):
        return _Bond.AGREEMENT
    if _WE_DECIDED.search(sentence) or _PERSON_DECIDES.search(sentence):
        return _Bond.DECISION
    return _Bond.TODO if _PERSON_TO_DO.search(sentence) and not _NO_TASK.search(sentence) else None


def _of_machine(sentence: str) -> _Bond | None:
    agreed, decided = _AGREED.search(sentence), _WE_DECIDED.search(sentence)
    if agreed is not None and agreed.start() == 0:
        return _Bond.AGREEMENT
    # "I have decided to decline" from an assistant is a letter in somebody's name.
    if decided is not None and decided[0][:2] not in {"I ", "I'", "I’"}:
        return _Bond.DECISION
    return _Bond.TODO if _ASSISTANT_TO_DO.search(sentence) and not _NO_TASK.search(sentence) else None


_DROPPING = (
    # "His undo" is a thing, and who often forgets a thing takes nothing back.
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )(?<!\bhis )(?<!\bher )(?<!\bthe )(?<!\ba )"
    r"\b(?:cancel(?:l?ed)?|scrap(?:ped)?|drop(?:ped)?|ditch(?:ed)?|abandon(?:ed)?|revoke[ds]?|undo|"
    r"never ?mind(?: about)?|(?<!\bi )(?<!often )(?<!always )(?<!sometimes )forget(?: about)?)"
)
_REFUSING = (
    r"\b(?:do not|don['’]?t|won['’]?t|will not|no longer|not going to|decided not to|let['’]?s not) "
    r"(?:use|do|go with|need|want|take|remind me)|"
    rf"\bno need to(?=\s+{_DOING}\b(?! (?:for|about)\b))|"
    r"\bdecided against|\bstop using|\bmov(?:e|ing) away from|"
    r"\binstead of(?: using)?|\brather than(?: using)?|\bswitch(?:ing|ed)? from|"
    r"\bchanged (?:my|our) minds? (?:about|on)"
)
_END = r"(?=\s+(?:and|but|to|for|in fav|let['’]?s|we|i|use|after|because|since)\b|[.,;:!?—]|\s-|$)"
_NAMED_EN = lazy_regex(
    rf"(?:{_DROPPING}|{_REFUSING})\s+(?P<what>[^.,;:!?]{{2,60}}?){_END}"
    r"|(?P<topic>[^.,;:!?]{3,60}?)\s+(?:is|was|are|were|has been)\s+(?:off\b|cancell?ed|called off|dropped|scrapped|"
    r"postponed|moved to|no longer)"
    rf"|(?P<late>[^.,;:!?]{{3,60}}?)\s+(?:has |have |got |is |was )?(?:been )?(?:moved|pushed|slipped|shifted|changed|"
    rf"rescheduled|postponed|put off)(?: back| forward)? (?:to|until|till) (?:the )?(?:next )?{_DAY}"
    r"|\b(?:switch|change|move|push)(?:ed|ing)?\s+(?P<moved>(?:the|our|my)\s[^.,;:!?]{2,40}?)\s+(?:over\s+)?(?:from|to)\b",
    re.IGNORECASE,
)
_NAMED_ZH = lazy_regex(
    r"(?:不(?:再)?(?:用|使用|采用|选|要|去|做)|别[用去]|放弃|取消|撤销|作废|弃用|停用|换掉)(?![了再说谢客担着急])"
    r"(?!掉?(?:这个|那个|刚才|刚刚|之前|上面|上述|前面)的?(?:决定|方案|安排|计划|说法)?(?:[，。；！？,;!?]|$))"
    r"(?P<what>[^，。；！？,;!?\n]{1,30}?)(?=了|吧|改|换|而|[，。；！？,;!?]|$)"
    r"|(?P<topic>[^，。；！？,;!?\n]{2,30}?)(?:就|先|都|已经|已)?(?:(?:取消|作废|不做|不要|不用[^，。；！？了]{0,2}|不去|去不成|办不成|撤销|推翻)了"
    r"|(?:还是|就|先|决定|我们)*(?:改用|改成|改为|换成|换用|改到|改在|推迟到|提前到))"
    r"(?P<moved>)(?P<late>)"
)
_NOTHING_NAMED = lazy_regex(r"^(?:还是|干脆|不如|要不|现在|最后|后来|今天|那就|我们|咱们|决定|[那就先再都我])+$")
_REPLACED = r"(?:改用|改成|改为|改去|换成|换用|换去|改到|改在|推迟到|提前到)"
_LAST = lazy_regex(
    rf"{_DROPPING} (?:that|this|it)\b|\b(?:scratch|strike) that\b|\bnever ?mind\b|"
    r"\bchanged (?:my|our) minds?\b|\blet['’]?s not(?=[.,;!]|$)|"
    r"\b(?:use|go with|go to|go for|take|try|do|make it) [^.,;:!?]{2,40} instead\b(?! of)|\bon second thought|"
    rf"(?:^|[，,])\s*(?:还是|干脆|那|就|先|我们|咱们)*{_REPLACED}|"
    r"(?:算了|还是)[，,]?\s*(?:就|先)?不(?:去|做|办|买|订|搞)了|"
    r"(?:取消|撤销|收回|推翻|忘掉|忽略)(?:掉|了)?(?:这个|那个|刚才|刚刚|之前|上面|上述|前面)|改(?:变)?主意",
    re.IGNORECASE,
)
_HINT = lazy_regex(
    r"cancel|scrap|drop|ditch|abandon|forget|revoke|undo|scratch|strike|n['’]?t |not |no (?:longer|need)|against|"
    r"stop using|away from|instead|rather|switch|change|move|push|slip|shift|put off|schedule|postpone|called off|"
    r"is off|are off|mind|second thought|"
    r"不[再用使采选要去做办买订搞]|别[用去]|放弃|取消|撤销|作废|弃用|停用|换|改|推迟|提前|收回|推翻|忘掉|忽略",
    re.IGNORECASE,
)
"""What a sentence holds that takes something back: most hold none of it, and need no closer look."""
_TRYING = lazy_regex(r"\b(?:trying|want(?:ing)?|how|like) to\b|想要|打算", re.IGNORECASE)
"""Who is still trying to change something has not changed it."""
_ADVICE = lazy_regex(r"\byou|\binstead of|\brather than|\bno need|^\W*[-*\d]|[你您]", re.IGNORECASE)
# What is done needs no doing. Half of it done is not.
_DONE = word_regex(
    r"already|(?:it|that|this|all)(?:['’]s| is) (?:all |now )?(?:done|finished|sorted|handled|taken care of)|"
    r"(?:is|are|was|were|been|got) (?:now |finally |all )?(?:done|finished|sorted|handled|taken care of|paid|booked|"
    r"sent|bought|submitted|signed|renewed|fixed|picked up|delivered|ordered|returned)|"
    r"i(?:['’]ve| have) (?:now |just |finally |already )*(?:\w+ed|bought|sent|paid|done|written|brought|met|built)|"
    r"(?:i|we) (?:just|finally) \w+(?:ed|t|id)",
    r"(?:已经?|刚刚?|都)[^，。；！？]{0,14}(?:了|过)|(?:搞定|办妥)了|"
    r"(?:买|交|办|做|写|发|订|打|寄|付|还|弄|修|改|取|送|转|看|提交|处理|预约|联系|完成)(?:好|完|过|掉|到|出去)了",
)
_NOT_DONE = word_regex(
    r"half|almost|nearly|partly|not|n['’]t|never|except", r"一半|一部分|差不多|快要?|还没|没有|[没未]|除了"
)
_DONE_WORDS = lazy_regex(r"已经?|刚[刚才]?|[今昨前]天|[上下]午|早上|晚上|出去|[都了好完过掉把我的也呢啦]")
_DONE_TERMS = frozenset("already do finish finally sort handle take care all today yesterday morning".split())
_POINTING = frozenset("that this it idea plan decision use using go do need 决定 方案 计划 安排 这个 那个".split())
_EMPTY = ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS | _POINTING


class Revocation(NamedTuple):
    """A sentence that takes back what was settled before."""

    text: str
    named: frozenset[str]
    """The words for what is taken back; none where it is what was settled last."""
    is_done: bool = False
    """Whether it tells that a thing was done: then it is no longer to be done, and nothing stands in its place."""

    def names(self, item: str) -> bool:
        """Tell whether an earlier item is what is taken back."""
        text = item.casefold()
        least = _DONE_HOLDS if self.is_done else _HOLDS
        return sum(term in text for term in self.named) >= least * len(self.named)


class Commitments(NamedTuple):
    """What a conversation binds its people to."""

    decisions: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    agreements: tuple[str, ...] = ()
    revoked: tuple[Revocation, ...] = ()
    """What takes something back that was settled before it."""
    gone: tuple[str, ...] = ()
    """What was settled and taken back."""


def find_commitments(
    utterances: Sequence[Utterance], *, sentences: Callable[[str], Sequence[str]] = sentence_texts
) -> Commitments:
    """Return the decisions, to-dos and agreements of a conversation, without a model.

    Each with its speaker before it. `sentences` parts a text into its sentences; who has done so before passes what it
    found. "### Next steps" is none.
    """
    found = []
    for one in utterances[-1000:]:
        lists = (list[str](), list[str](), list[str]())
        own = [sentence for sentence in sentences(one.text) if not is_heading(sentence)]
        for sentence in own:
            bond = _bond_of(sentence, one.speaker)
            if bond is not None:
                lists[bond].append(with_speaker(one_line(sentence, MAX_REMARK), one.speaker))
        decided, to_do, agreed = map(tuple, lists)
        found.append(Commitments(decided, to_do, agreed, tuple(_revocations(own, one.speaker))))
    together = standing(found)
    return together._replace(
        decisions=together.decisions[:_MAX_LISTED],
        todos=together.todos[:_MAX_LISTED],
        agreements=together.agreements[:_MAX_LISTED],
        revoked=tuple(chain.from_iterable(one.revoked for one in found)),
    )


def standing(found: Sequence[Commitments]) -> Commitments:
    """Return what parts of a conversation, in their order, bind people to after all: the later word counts."""
    settled: list[tuple[list[str], list[str], list[str]]] = []
    for one in found:
        now = list(one.decisions), list(one.todos), list(one.agreements)
        for revocation in one.revoked:
            if revocation.named:
                concerned = chain.from_iterable(lists[1:2] if revocation.is_done else lists for lists in settled)
                held = [items for items in concerned if any(map(revocation.names, items))]
                for items in held:
                    items[:] = [item for item in items if not revocation.names(item)]
            else:  # what was decided last, else agreed or to be done
                near = chain.from_iterable((lists[0], lists[2], lists[1]) for lists in settled[: -_NEAR - 1 : -1])
                held = [*filter(None, near)][:1]
                for items in held:
                    items.pop()
            is_new = bool(held) and not revocation.is_done
            if is_new and not any(revocation.text in item for items in now for item in items):
                now[0].append(revocation.text)
        settled.append(now)
    decided, to_do, agreed = (
        tuple(dict.fromkeys(chain.from_iterable(lists[kind] for lists in settled))) for kind in range(3)
    )
    kept = {*decided, *to_do, *agreed}
    every = chain.from_iterable((*one.decisions, *one.todos, *one.agreements) for one in found)
    return Commitments(decided, to_do, agreed, gone=tuple(dict.fromkeys(item for item in every if item not in kept)))


def _revocations(said: Sequence[str], speaker: str) -> Iterator[Revocation]:
    """Yield the sentences in which somebody takes something back, with the words for what it is.

    An assistant that advises ("use pull requests instead of merging") takes nothing back.
    """
    machine = chat_role(speaker) in {"assistant", "system", "tool"}
    for sentence in said:
        text = sentence[:_LONGEST]
        if not (_HINT.search(text) or _DONE.search(text)) or _is_open(text):
            continue
        told = with_speaker(one_line(sentence, MAX_REMARK), speaker)
        bond = _bond_of(text, speaker)
        if bond is None and (done := _done(text)) and not (machine and _ADVICE.search(text)):
            yield Revocation(told, done, is_done=True)
        if not _HINT.search(text) or _TRYING.search(text):
            continue
        is_told = bond is not None or not machine
        if not is_told and _ADVICE.search(text):
            continue
        named = frozenset(
            term
            for pattern in (_NAMED_EN, _NAMED_ZH)
            for match in pattern.finditer(text)
            if not _NOTHING_NAMED.search(match["topic"] or "")
            for term in index_terms(match["what"] or match["topic"] or match["late"] or match["moved"] or "")
            if term not in _EMPTY
        )
        # "Use a lid instead" of an assistant is advice, unless it tells of a decision.
        if named or (is_told and _LAST.search(text)):
            yield Revocation(told, named)


def _done(text: str) -> frozenset[str]:
    """Return the words for what a sentence tells to be done; none where it tells of nothing like it."""
    if not _DONE.search(text) or _NOT_DONE.search(text):
        return frozenset()
    terms = index_terms(_DONE_WORDS.sub("", text))
    named = frozenset(term for term in terms if term not in _EMPTY and term not in _DONE_TERMS)
    return named if len(named) > 1 else frozenset()
