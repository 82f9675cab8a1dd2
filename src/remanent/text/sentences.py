"""Sentences and paragraphs of Chinese and English text, as spans that cover it without a gap.

White space after a sentence belongs to it, so the spans put together are the text. Fenced code is one piece.
"""

import re

from remanent.text.markdown import fence_at, fences
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, has_han
from remanent.text.spans import Span, between
from remanent.text.words import word_set

_EMOJI = "\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d"
_CLOSERS = rf"[\"'”’」』）)】\]》〉*_{_EMOJI}]*"
_CANDIDATE = lazy_regex(
    r"(?P<line>(?:\r\n|[\n\r\v\f\x85\u2028\u2029])\s*)"
    rf"|(?P<full>[。！？｡；‼⁇⁈⁉][。！？｡；!?…]*)(?P<a>{_CLOSERS})|(?P<dots>\.{{2,}}|…+[。.]?)(?P<b>{_CLOSERS})|"
    rf"(?P<mark>[!?][!?.…]*)(?P<c>{_CLOSERS})|(?P<point>[.．])(?P<d>{_CLOSERS})"
)
# What one of them can begin with: one character out of a set is found sooner than five ways are tried at each place.
_SIGN = lazy_regex(r"[\n\r\v\f\x85\u2028\u2029。！？｡；‼⁇⁈⁉….．!?]")
_LINE_BREAK = lazy_regex(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_BLANK_LINE = lazy_regex(r"\n(?:[^\S\n]*\n)+")
_SPACE = lazy_regex(r"\s*")
_LEADING_SPACE = lazy_regex(r"\s{0,200}")
_BLOCK_START = lazy_regex(
    r"[-*+•·◦‣▪–][ \t]|\d{1,3}(?:[.)][ \t]|[、．）])|[（(][一二三四五六七八九十\d]{1,3}[)）]|"
    r"[一二三四五六七八九十]{1,3}、|[①-⑳]|#{1,6}[ \t]|>|\||```|~~~|\[[ xX]\]"
)
_TOKEN_BEFORE = lazy_regex(r"[^\s(\[{（【「『“‘\"'—–,，、/]+\Z")
_DOTTED = lazy_regex(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = lazy_regex(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\W*")
_NEXT_WORD = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SAID = lazy_regex(rf"[{HAN}]{{0,6}}?(?:说|道|问|答|喊|叫|想|笑|表示|写道|說|問|喊|叫道)")

# Followed by a name or by more of the sentence, never by its end.
_TITLES = word_set("mr mrs ms mx dr prof st gen col lt maj sgt capt cmdr rev hon sen rep gov pres fr mt ft messrs")
_WITHIN = word_set("e.g i.e cf vs viz al approx incl resp ca")
# Followed by a number they are abbreviations; else the words "no", "sat" and "fig" may well end a sentence.
_BEFORE_NUMBER = word_set(
    "no nos vol vols pp p fig figs eq eqs sec ch ver jan feb mar apr jun jul aug sep sept oct nov dec "
    "mon tue tues wed thu thur thurs fri sat sun tel ext art par"
)
# At the end of a sentence as often as within: the next word decides.
_EITHER = word_set("etc inc ltd co corp llc jr sr ph.d m.d b.a m.a a.m p.m am pm dept est ave blvd rd univ")
_STARTERS = word_set(
    "the a an he she it they we i you this that these those there here in on at but and so if when while after before "
    "then what who where why how is are was were do does did can could will would my his her our your their its not no "
    "yes for as with since although though because however also please let one some many most all"
)
# Characters. A line this long that no mark ends was wrapped; a short one stands for itself. Chosen by hand.
_WRAPPED = 60
_SHORT_LINE = 40
# Characters before an ellipsis that are only hesitation: 嗯…… goes on. Chosen by hand.
_HESITATION = 4
# How many characters the number of an item and the characters around it have at most.
_LIST_MARK = 40
# How far back the opening of a straight quotation mark is looked for.
_QUOTED = 1000
# How far back the line that a break ends is looked at.
_LINE = 200


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text in order; joined they are the text, and none is empty.

    Every character belongs to one of them, so that what is found in a sentence can be shown in the text.
    """
    blocks = fences(text)
    borders: list[int] = [border for block in blocks for border in (block.start, block.end)]
    start = position = 0
    while (sign := _SIGN.search(text, position)) and (candidate := _CANDIDATE.match(text, sign.start())):
        position = candidate.end()
        if block := fence_at(blocks, candidate.start()):
            start = position = block.end
            continue
        end = _end(text, start, candidate)
        if end is not None:
            start = position = _after_space(text, end)
            borders.append(start)
    return between(borders, len(text))


def sentence_texts(text: str) -> list[str]:
    """Return the sentences without the white space around them, leaving out those that are nothing else."""
    return [part for span in sentences(text) if (part := span.of(text).strip())]


def paragraphs(text: str) -> list[Span]:
    """Return the paragraphs of a text, parted by blank lines; joined they are the text. Fenced code is not parted."""
    blocks = fences(text)
    return between((gap.end() for gap in _BLANK_LINE.finditer(text) if not fence_at(blocks, gap.end() - 1)), len(text))


def _after_space(text: str, position: int) -> int:
    """Return the first place from here that is no white space."""
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _next_character(text: str, position: int) -> str:
    """Return the first character from here that is no white space, or nothing."""
    start = _after_space(text, position)
    return text[start : start + 1]


def _end(text: str, start: int, candidate: re.Match[str]) -> int | None:
    """Return where the sentence ends when the candidate ends it."""
    if candidate["line"]:
        return candidate.end() if _line_ends(text, start, candidate) else None
    kind = candidate.lastgroup or ""
    closers = candidate[kind]
    end = candidate.end() - len(closers) + _closing(text, start, candidate.start(), closers)
    following = text[end : end + 1]
    if candidate["full"]:
        return None if _goes_on_in_chinese(text, end, quoted=end > candidate.start(kind)) else end
    if not following:
        return end
    judge = {"b": _dots_end, "c": _mark_ends, "d": _point_ends}[kind]
    return end if judge(text, start, candidate.start(), end) else None


def _closing(text: str, start: int, position: int, closers: str) -> int:
    """Return how many of the closing marks belong to the sentence that ends before them."""
    start = max(start, position - _QUOTED)
    for index, sign in enumerate(closers):
        opens = sign == '"' and text.count('"', start, position + index) % 2 == 0
        opens = opens or (sign in "'*_" and text[position + index + 2 : position + index + 3].isalnum())
        if opens:
            return index
    return len(closers)


def _goes_on_in_chinese(text: str, end: int, *, quoted: bool) -> bool:
    """Tell whether a sentence goes on behind a full stop: a comma follows, or who said what was quoted."""
    if text[end : end + 1] in tuple("，,、；;：:"):
        return True
    return quoted and text[end - 1] in '”’」』"' and _SAID.match(text, end) is not None


def _dots_end(text: str, start: int, mark: int, end: int) -> bool:
    """Tell whether an ellipsis ends a sentence; a short beginning before it is only hesitation."""
    following = _next_character(text, end)
    if not following or following.islower() or following in "，,、。；;：:）)":
        return not following
    if has_han(following) or has_han(text[mark - 1 : mark]):
        return mark - start >= _HESITATION
    return text[end].isspace()


def _mark_ends(text: str, start: int, mark: int, end: int) -> bool:
    """Tell whether a question or exclamation mark ends a sentence; a quoted one may be followed by who said it."""
    following = text[end]
    if following.isspace():
        quoted = text[end - 1] in "\"'”’」』"
        return not (quoted and _next_character(text, end).islower())
    return following not in "，,、：:" and (has_han(following) or (mark > start and has_han(text[mark - 1])))


def _point_ends(text: str, start: int, mark: int, end: int) -> bool:
    """Tell whether a full stop ends a sentence, and is no decimal point, list number or abbreviation.

    The next word decides where the abbreviation does not: "etc." ends a sentence as often as it stands within one.
    """
    before, following = text[mark - 1 : mark], text[end]
    if not following.isspace():
        chinese = has_han(before) or (has_han(following) and before.isalpha())
        return chinese and following not in "，,、：:."
    if mark == start or (mark - start <= _LIST_MARK and _LIST_NUMBER.fullmatch(text, start, mark)):
        return False
    next_start = _after_space(text, end)
    following = text[next_start : next_start + 1]
    if not following:
        return True
    word = _NEXT_WORD.match(text, next_start)
    token = _TOKEN_BEFORE.search(text, max(start, mark - 24), mark)
    verdict = _abbreviation_ends(token[0] if token else "", following, word[0] if word else "")
    if verdict is not None:
        return verdict
    return not following.islower() or _is_informal(text, start)


def _abbreviation_ends(token: str, following: str, word: str) -> bool | None:
    """Say whether a sentence ends after a token and its point; None when the token is no abbreviation."""
    lowered = token.lower()
    starter = word.lower() in _STARTERS and word[:1].isupper()
    if lowered in _TITLES and token[:1].isupper():
        return False
    if lowered in _WITHIN:
        return starter and lowered == "al"
    if lowered in _BEFORE_NUMBER and following.isdigit():
        return False
    if lowered in _EITHER or _DOTTED.fullmatch(token) or (len(token) == 1 and token.isupper() and token.isascii()):
        return starter or (lowered == "etc" and following.isupper())
    return None


def _is_informal(text: str, start: int) -> bool:
    """Tell whether the sentence began in lower case: then the next one may, too."""
    space = _LEADING_SPACE.match(text, start)
    return space is not None and text[space.end() : space.end() + 1].islower()


def _line_ends(text: str, start: int, candidate: re.Match[str]) -> bool:
    """Tell whether a line break ends a sentence, or only a line of a wrapped paragraph.

    Mail and printed text break lines in the middle of a sentence, chats and lists at its end; the length of the line
    and how the next one begins tell which.
    """
    if len(_LINE_BREAK.findall(candidate["line"])) > 1:
        return True
    following = text[candidate.end() : candidate.end() + 1]
    if not following or _BLOCK_START.match(text, candidate.end()):
        return True
    line = _line_before(text, start, candidate.start())
    if line[:1] in {"#", "|"}:
        return True
    last = line[-1:] or "\n"
    if last in "，,、—–-([（【「“" or following in "，,、。；;）)":
        return False
    if has_han(last) or has_han(following):
        return True
    if len(line) >= _WRAPPED:
        return False
    return not following.islower() or len(line) < _SHORT_LINE


def _line_before(text: str, start: int, end: int) -> str:
    """Return the end of the line that a break ends."""
    start = max(start, end - _LINE)
    return _LINE_BREAK.split(text[start:end])[-1].rstrip()
