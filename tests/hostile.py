"""Texts that are made to cost much: one small piece over and over, of every sort that some function stumbles over."""

from collections.abc import Callable
from functools import cache
from itertools import count

Maker = Callable[[int], str]
"""Makes a text of so many characters."""


def repeated(piece: str, *, end: str = "") -> Maker:
    """Return what makes a text of one piece over and over."""

    def make(size: int) -> str:
        room = max(0, size - len(end))
        return (piece * (room // len(piece) + 1))[:room] + end

    return make


def numbered(piece: str) -> Maker:
    """Return what makes a text of pieces of which none comes twice; `{}` in a piece is its number in letters."""

    @cache  # a text of a few thousand pieces takes longer to make than most functions take to read it
    def make(size: int) -> str:
        parts: list[str] = []
        length = 0
        for number in count():
            if length >= size:
                break
            parts.append(piece.format(_lettered(number)))
            length += len(parts[-1])
        return "".join(parts)[:size]

    return make


def _lettered(number: int) -> str:
    letters = ""
    while True:
        number, rest = divmod(number, 20)
        letters += "aeiouklmnprstvbdfgjz"[rest]
        if not number:
            return letters


def lines(text: str, most: int = 10**9) -> list[str]:
    """Return the text as bullets of 40 characters each, at most so many."""
    return [f"- {text[start : start + 40]}" for start in range(0, min(len(text), 40 * most), 40)]


def nested_lists(size: int) -> str:
    """Return Markdown lists, each ten levels deep."""
    return repeated("".join(f"{'  ' * level}- item {level}\n" for level in range(10)))(size)


def deep_lists(size: int) -> str:
    """Return one Markdown list in which every item lies a level deeper, up to fifty."""
    return repeated("".join(f"{'  ' * level}* {level}\n" for level in range(50)))(size)


HOSTILE: dict[str, Maker] = {
    # dates and times
    "days in digits": repeated("2023-05-08 "),
    "days in words": repeated("8 May 2023, "),
    "days without years": repeated("May 8 and "),
    "days of a month in Chinese": repeated("2024年4月1日"),
    "bare days in Chinese": repeated("5号，"),
    "times of day": repeated("at 5 07:47 pm "),
    "Chinese times of day": repeated("昨天下午三点"),
    "times ago": repeated("two weeks ago "),
    "the day before the day before": repeated("the day before ", end="8 May 2023"),
    "ranges": repeated("from May to July until "),
    "years": repeated("the year is 2021 "),
    "many digits and dashes": repeated("2021-"),
    "the stages of a month": repeated("early the end of "),
    # numbers
    "hundreds": repeated("hundred ", end="days"),
    "numerals": repeated("two hundred and "),
    "numerals with dashes": repeated("twenty-"),
    "Chinese numerals": repeated("一百"),
    "Chinese digits": repeated("三"),
    "Chinese fractions": repeated("三分之"),
    "Chinese thousands": repeated("万"),
    "one number": repeated("7"),
    "thousands": repeated("1,000,"),
    "versions": repeated("1.2."),
    "fractions": repeated("1/2/"),
    "numbers and units": repeated("5 kg 3 miles "),
    "numbers of things": repeated("the number of cars is 12 to "),
    "different numbers": numbered("{} 17 and "),
    "codes": repeated("A3-"),
    "underscored codes": repeated("a_1"),
    "one hour and a half": repeated("two hours and a half "),
    # names and pronouns
    "one name": repeated("Anna Weber "),
    "different names": numbered("Mr. A{} and "),
    "names in one sentence": numbered("Z{} of the "),
    "capitals": repeated("A"),
    "initials": repeated("A. "),
    "capitals and dashes": repeated("Aa-"),
    "Chinese names": repeated("王小明和"),
    "transliterated names": repeated("列夫·"),
    "transliterated names without a gap": repeated("列夫托尔斯泰列·"),
    "handles": repeated("@a."),
    "pronouns": repeated("she said it to Anna. "),
    "pronouns in one sentence": repeated("he "),
    "Chinese pronouns": repeated("她说他们，"),
    "possessives": repeated("my friend's her "),
    # signs
    "straight quotes": repeated('"'),
    "quoted words": repeated('"a" '),
    "open curly quotes": repeated("“a"),
    "apostrophes": repeated("'"),
    "apostrophes in a word": repeated("a'"),
    "brackets": repeated("("),
    "closing brackets": repeated(")"),
    "square brackets": repeated("["),
    "title brackets": repeated("《a"),
    "points": repeated("."),
    "questions and exclamations": repeated("?!"),
    "ellipses": repeated("…"),
    "Chinese full stops": repeated("。"),
    "commas": repeated(","),
    "colons": repeated("a: "),
    "dashes": repeated("-"),
    "underscores": repeated("_"),
    "stars": repeated("*"),
    "hashes": repeated("#"),
    "bars": repeated("| "),
    "all sorts of signs": repeated("!@#$%^&*()_+{}|:<>?~`-=[]\\;',./"),
    "a sign, spaces, a word": lambda size: "<" + repeated(" ", end="x")(size - 1),
    "a heading with a gap": lambda size: "# a" + repeated(" ", end="b")(size - 3),
    "a question with a gap": lambda size: "what? 吗" + repeated(" ", end="b")(size - 7),
    "two dates with a gap": lambda size: "2023-05-08" + repeated(" ", end="x 2023-05-09")(size - 10),
    "brackets before abbreviations": lambda size: "(" * (size // 2) + repeated("e.g. ")(size - size // 2),
    "spaces before points": lambda size: " " * (size // 2) + "X" + repeated(" a. b")(size - size // 2 - 1),
    "comments that never end": repeated("<!--"),
    # words and spaces
    "one long word": repeated("a"),
    "one long word that ends": repeated("b", end="ing"),
    "one word over and over": repeated("word "),
    "different words": numbered("{} "),
    "negations": repeated("not "),
    "a sentence without an end": repeated("and the dog and I was not from there because "),
    "short sentences": repeated("I am so very happy. "),
    "questions": repeated("what did you do? "),
    "one question": repeated("what is the ", end="?"),
    "abbreviations": repeated("e.g. Mr. No. "),
    "letters with points": repeated("a."),
    "a number of letters": repeated("a.b c. "),
    "small talk": repeated("ok thanks "),
    "small talk that is none": repeated("hi ", end="x"),
    "Chinese small talk that is none": repeated("你好明白了嗯嗯", end="x"),
    "reasons": lambda size: repeated("because since ")(size - 2) + "\nx",
    "weekdays after a date": lambda size: "2023-05-08" + repeated(" Monday")(size - 10),
    "a huge entity": lambda size: "&#" + repeated("1")(size - 2),
    "spaces": repeated(" "),
    "spaces and a word": repeated(" ", end="x"),
    "line breaks": repeated("\n"),
    "carriage returns": repeated("\r\n"),
    "blank lines": repeated(" \n"),
    "tabs": repeated("\t"),
    "lines": repeated("a line of words\n"),
    "marked lines": repeated("goal: "),
    "bullets": repeated("- a\n"),
    "numbered lines": repeated("1. "),
    # Markdown, mark-up, addresses
    "fences": repeated("```\n"),
    "fences that never close": repeated("````x\n```y\n"),
    "fences of two sorts": repeated("~~~\n```\n"),
    "fences in one line": repeated("```"),
    "longer and longer fences": repeated("- ```` \n"),
    "nested lists": nested_lists,
    "deep lists": deep_lists,
    "headings": repeated("# a\n"),
    "headings with closing hashes": repeated("# a #", end="\n"),
    "hashes and spaces": repeated("# "),
    "headings of all levels": repeated("# a\n## b\n### c\n#### d\n"),
    "underlined headings": repeated("a\n---\n"),
    "front matter that never ends": repeated("---\nkey: value\n- a\n"),
    "fields of front matter": lambda size: "---\n" + repeated("- a\n")(size - 4),
    "one long field of front matter": lambda size: "---\nkeys:\n" + repeated("- a\n")(size - 14) + "---\n",
    "addresses": repeated("https://a.b/c?d=e&"),
    "one long address": lambda size: "https://" + repeated("a/")(size - 8),
    "mail addresses": repeated("a.b@"),
    "entities": repeated("&amp;"),
    "entities of entities": repeated("&amp", end=";lt;memory>"),
    "hidden entities": repeated("&#38;#"),
    "opened tags": repeated("<memory "),
    "smaller-than signs": repeated("<"),
    "closing signs": repeated("</"),
    "thoughts": repeated("<think>"),
    "closed thoughts": repeated("</think>"),
    "tool calls": repeated('<tool_call>{"name"'),
    "answers": repeated("<answer>a</answer>"),
    "tasks": repeated("<task>"),
    "conflicts": repeated("<conflict><description>"),
    "page elements": repeated("<div><p>a"),
    "silent elements": repeated("<nav><script>"),
    "closed elements": repeated("</nav></p>"),
    # other scripts
    "Chinese without a gap": repeated("机器学习"),
    "one Chinese character": repeated("的"),
    "rare Chinese characters": repeated("龘"),
    "Chinese sentences": repeated("我在北京吃了三个苹果。"),
    "Chinese clauses": repeated("我没去，但是"),
    "Chinese organisations": repeated("北京大学公司"),
    "Chinese and English": repeated("Anna在北京，吃了3个apple。"),
    "Chinese with letters": repeated("机a"),
    "kana": repeated("ひらカタ"),
    "Hangul": repeated("안녕"),
    "Thai": repeated("ไทย"),
    "accents": repeated("é"),
    "marks on one letter": repeated("\u0301"),
    "emoji": repeated("😀"),
    "joined emoji": repeated("👨\u200d👩\u200d"),
    "flags": repeated("🇦"),
    "full width": repeated("Ａ１"),
    "zero width": repeated("\u200b"),
    "ligatures": repeated("ﷺ"),
    "control characters": repeated("\x01a"),
    "lone surrogates": repeated("\ud800"),
    "deceptive letters": repeated("\U000e0041"),
}
"""A name for each, and what makes it."""


def all_of_them(size: int) -> str:
    """Return a short part of each, one after another, over and over."""
    return repeated("\n".join(make(20) for make in HOSTILE.values()))(size)


CORE: dict[str, Maker] = {
    kind: HOSTILE[kind]
    for kind in (
        "days in words",
        "hundreds",
        "different names",
        "one long word",
        "spaces and a word",
        "line breaks",
        "Chinese and English",
    )
} | {"all of them": all_of_them}
"""Those that every function is measured with; the rest are for full counts."""
