"""Escaping for injection: stored text inside a prompt can neither close the tag around it nor forge another.

A text breaks out when a reserved tag or a control word of a chat template can be read in it, after any number of
rounds, in any order, of: decoding HTML entities, bringing compatibility forms together (NFKC), taking away what is
invisible (format and control characters, marks, fillers).

First, entities that only hide something (letters, digits, other entities, invisible characters) are written as what
they stand for, so that no reading depends on the order of the rounds. Then the text is read as that reader reads it,
with the place that every character came from; a sign that would open a reserved tag, a comment, a CDATA block or a chat
template's control token becomes ‹, the brackets of one become 〔 and 〕, and the colon behind a role at the beginning
of a line becomes ∶ (the sign of a ratio), each in its place. Nothing is removed after that, so nested and overlapping
tricks have nothing to fall together to. What was escaped stays readable, and escaping twice changes nothing.

Stored text could speak in a chat template's control words, forge a line of an answer, and pass as a user under any
role. It is read as the most lenient reader would (entities of entities, invisible characters, look-alikes), since
nobody knows which model or template reads it in the end.
"""

import html
import re
import unicodedata
from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from remanent.lightweight import dataclass
from remanent.text.regex import alternation, lazy_regex
from remanent.text.words import word_set

RESERVED_TAGS = word_set(
    "answer assistant attachment context document documents function function_call function_calls function_results "
    "human image instruction instructions invoke knowledge memories memory note observation parameter project_context "
    "prompt recent_episodes relevant_procedures result results scratchpad shared_memory system task task_list think "
    "thinking thought tool tool_call tool_calls tool_response tool_result tool_results tool_use tools user "
    "user_preferences"
)
"""The tags that Remanent and the usual chat templates give a meaning to."""

Place = tuple[int, int]
_OPENER, _CLOSER = "‹", "›"
_BRACKETS = ("〔", "〕")
_COLON = "∶"
# Every character that comes to an opening sign, a square bracket or a colon, and what an entity begins with.
_OPENING = r"<≮﹤＜\[﹇［:⩴︓﹕：&﹠＆"
_MAY_OPEN = lazy_regex(f"[{_OPENING}]")
# Tokens of sentence-piece vocabularies and of Gemma, T5, Baichuan, GLM and others. Exactly these: <s is also a word.
_ANGLED = word_set(
    "s bos eos pad unk mask sep cls sop eop eod sys start_of_turn end_of_turn begin_of_text end_of_text start_of_image "
    "end_of_image image_soft_token endoftext end_of_utterance startoftext begin_of_sentence end_of_sentence eos_token "
    "bos_token pad_token _user _bot _system _end"
)
# Of Llama 2, Mistral, GLM, BERT, InternLM, EXAONE; the last is the mark of the associative memory's own answers.
_BRACKETED = word_set(
    "inst sys system system_prompt model_settings available_tools tool_calls tool_call tool_results tool_content args "
    "call_id think img img_break img_end audio begin_audio prefix suffix middle gmask smask mask cls sep pad unk bos "
    "eos 记忆"
)
_CONTROL_WORD = lazy_regex(
    r"\[[ \t/\\]{0,4}(?:"
    + "|".join(sorted(_BRACKETED, key=len, reverse=True))
    + r"|unused_token_\d{1,6}|round \d{1,6}|\|[\w ]{1,30}\|)[ \t]{0,4}\]",
    re.IGNORECASE,
)
# Who speaks next, for models whose template is plain text: at the beginning of a line, bare or as a heading. Words that
# ordinary notes begin with ("Input:", "Model:") count as headings only.
_ROLE_LABEL = lazy_regex(
    r"(?<![^\n\r])(?:[ \t>*_\-–—•]{0,40}(?:#{1,6}[ \t*_]{0,8})?(?:(?:gpt4 correct )?(?:user|assistant)|human|system|"
    r"system (?:prompt|message|instructions?)|developer|ai|ai assistant|系统(?:提示词?|消息|指令|提示)?|用户|助手|人类|"
    r"开发者)|[ \t>]{0,40}#{1,6}[ \t*_]{0,8}(?:instructions?|input|output|response|model|tool|function|bot|context|"
    r"question|answer|task|指令|输入|输出|回答|工具|上下文))[*_]{0,3}(?P<colon>:)",
    re.IGNORECASE,
)
_LINE_SEPARATORS = frozenset("\x85\u2028\u2029")
_ENTITY = lazy_regex(r"&(?:#[0-9]+;?|#x[0-9a-f]+;?|[a-z][a-z0-9]{0,31};?)", re.IGNORECASE)
_LEADING_ZEROS = lazy_regex(r"&#(?:(?P<x>[xX])0++(?=[0-9a-fA-F])|0++(?=[0-9]))")
_LONG_NUMBER = lazy_regex(r"&#(?:[0-9]{9,}+|[xX][0-9a-fA-F]{9,}+);?")
# An ampersand and all that may be an entity with it, however it is hidden.
_MAY_BE_ENTITY = lazy_regex(r"[&﹠＆][^\s;<>&﹠＆]+;?")
# What an entity has no need to stand for, except to hide it: parts of names, of tags and of other entities.
_HIDDEN_SIGNS = frozenset("#;&_/\\|![]?-:.")
_NOT_PLAIN_ASCII = lazy_regex(r"[^\t\n\r\x20-\x7e]")
_BRACKET = lazy_regex(r"[<>]")
# Direction overrides, and letters that are seen by models but not by people unless a flag emoji is made of them.
_UNSEEN = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"
_DECEPTIVE = lazy_regex(
    f"[\u202a-\u202e\u2066-\u2069]|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+|[{_UNSEEN}]"
)
# Any of the characters that one of the patterns above begins with: a text without them stays as it is.
_SUSPICIOUS = lazy_regex(rf"[{_OPENING}{_UNSEEN}\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5")
# A Latin letter, then letters of other alphabets that look like it.
_LOOKALIKES = {
    ord(other): group[0]
    for group in "aаαɑ bв cсϲ dԁ eеε gɡ hһнη iіιıɩ jј kкκ lⅼӏ mм nпո oоο pрρ qԛ rг sѕ tтτ uυս vνѵ wωԝ xхχ yуγ".split()
    for other in group[1:]
}
_AND: dict[int, str] = {ord(char): "⅋" for char in "&﹠＆"}
_ATTRIBUTE: dict[int, str] = {
    ord(char): safe
    for safe, chars in (("”", '"＂'), ("’", "'＇"), (_OPENER, "<≮﹤＜"), (_CLOSER, ">≯﹥＞"))
    for char in chars
}
_NAME: dict[int, str] = {
    ord(char): safe
    for safe, chars in ((_COLON, ":⩴︓﹕："), (_BRACKETS[0], "[﹇［"), (_BRACKETS[1], "]﹈］"))
    for char in chars
}
_LONGEST_NAME = 80
"""Characters of a name that are shown; longer ones are sentences."""
# Chosen by hand: nobody nests entities deeper by accident, and each round reads the whole text.
_MAX_ROUNDS = 12
_LONGEST_KEPT = 40
"""Characters of what may be an entity up to which it is remembered what it stands for: those of the longest name."""
# How far the bracket that closes a tag is looked for; chosen by hand.
_LONGEST_TAG = 200


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as a lenient reader sees it, with the stretch of the source that each of its characters comes from."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def place(self, index: int) -> tuple[int, int]:
        """Return where in the source a character comes from."""
        return self.starts[index], self.ends[index]


def escape(text: str, *, tags: Collection[str] = RESERVED_TAGS) -> str:
    """Return the text with everything disarmed that could open or close one of the tags; otherwise as it was.

    Escaped texts may also be put one after another with white space between them.
    """
    if not _SUSPICIOUS.search(text):  # most texts of people
        return text
    while True:
        plain = _DECEPTIVE.sub("", _settled(text))
        if plain == text:
            edits = _edits(text, tags)
            if not edits:
                return text
            plain = _disarmed(text, edits)
        text = plain


def escape_attribute(text: str, *, tags: Collection[str] = RESERVED_TAGS) -> str:
    """Return the text fit to stand between straight quotation marks inside a tag, on one line."""
    line = " ".join(escape(text, tags=tags).split())
    return line.translate(_AND | _ATTRIBUTE)


def escape_lines(text: str, *, tags: Collection[str] = RESERVED_TAGS, indent: str = "  ") -> str:
    """Return the text fit to be an item of a list: its further lines are indented, so that none looks like another."""
    return f"\n{indent}".join(line.rstrip() for line in escape(text.strip(), tags=tags).splitlines())


def escape_name(text: str, *, tags: Collection[str] = RESERVED_TAGS) -> str:
    """Return a name fit to stand before what its bearer said: it can end neither itself nor the line, nor hide a part.

    Empty when nothing of it can be seen.
    """
    shown = "".join(filter(_is_shown, escape_attribute(text[: 4 * _LONGEST_NAME], tags=tags)))
    name = " ".join(shown.translate(_NAME).split())
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"


def _is_shown(character: str) -> bool:
    """Tell whether a character is seen, by itself or as a mark on another."""
    return character.isspace() or (character not in _FILLERS and unicodedata.category(character)[0] != "C")


def _disarmed(text: str, edits: Mapping[Place, str]) -> str:
    """Put the safe characters in their places; of edits that overlap the first counts."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(edits):
        if start >= position:
            parts += text[position:start], edits[start, end]
            position = end
    parts.append(text[position:])
    return "".join(parts)


def _settled(text: str) -> str:
    """Write out entities that hide something, until none does; where there is no end to it, take entities away."""
    for _ in range(_MAX_ROUNDS):
        simpler = _MAY_BE_ENTITY.sub(_simpler, text)
        if simpler == text:
            return text
        text = simpler
    return text.translate(_AND)


def _simpler(found: re.Match[str]) -> str:
    """Return an entity as what it stands for when that hides something, and else as it is.

    It is read without invisible characters and in its plain form, as a lenient reader would.
    """
    following = found.string[found.end() : found.end() + 1]
    write_out = _written_out if len(found[0]) <= _LONGEST_KEPT else _written_out.__wrapped__
    return write_out(found[0], is_last=not following or following.isspace())


@lru_cache(maxsize=10_000)
def _written_out(written: str, *, is_last: bool) -> str:
    """Do that, given whether nothing stands behind the entity; remembered, as each is met again in every round."""
    is_bare = written.isascii() and written.isprintable()  # nearly all of them
    bare = written if is_bare else "".join(map(_seen, unicodedata.normalize("NFKD", written)))
    entity = _ENTITY.match(bare)
    meant = _unescaped(entity[0]) if entity else ""
    if entity is None or meant == entity[0]:
        return written
    tail = 0 if entity[0].endswith(";") else _common_tail(entity[0], meant)
    value, rest = meant[: len(meant) - tail], bare[entity.end() - tail :]
    if value == "&" and not rest and is_last:
        return bare  # "fish &amp; chips"
    hides = any(char.isalnum() or char in _HIDDEN_SIGNS or not _seen(char) for char in value)
    return value + rest if hides else bare


def bounded_references(text: str) -> str:
    """Return the text with numeric entities in few digits; a number that is not a character's is written as U+FFFD.

    Decoders read the number as it stands, and Python refuses one of some thousand digits.
    """
    return _LONG_NUMBER.sub("\ufffd", _LEADING_ZEROS.sub(r"&#\g<x>", text))


def _unescaped(text: str) -> str:
    """Decode entities as browsers do, with numbers of any length."""
    return html.unescape(bounded_references(text) if "#" in text else text)


def _seen(character: str) -> str:
    """Return a character, or nothing when it is invisible."""
    if character.isspace():
        return character
    return "" if character in _FILLERS or unicodedata.category(character)[0] in "CM" else character


def _edits(text: str, tags: Collection[str]) -> dict[Place, str]:
    """Return by what each character is replaced that would open or close something."""
    if not _MAY_OPEN.search(text):
        return {}
    reading = _read(text)
    forged = _forged(reading, tags)
    edits = {closer: _CLOSER for _, closer in forged if closer}
    edits |= {opener: _OPENER for opener, _ in forged}
    for word in _CONTROL_WORD.finditer(reading.text):
        edits[reading.place(word.start())], edits[reading.place(word.end() - 1)] = _BRACKETS
    edits |= {reading.place(label.start("colon")): _COLON for label in _ROLE_LABEL.finditer(reading.text)}
    return edits


def _forged(reading: _Reading, tags: Collection[str]) -> list[tuple[Place, Place | None]]:
    """Return the places of the opening and, where there is one, the closing sign of each forged tag."""
    found: list[tuple[Place, Place | None]] = []
    for match in _pattern(frozenset(tags)).finditer(reading.text):
        end = _BRACKET.search(reading.text, match.end(), match.end() + _LONGEST_TAG)
        closer = reading.place(end.start()) if end and end[0] == ">" else None
        found.append((reading.place(match.start()), closer))
    return found


@lru_cache(maxsize=32)
def _pattern(tags: frozenset[str]) -> re.Pattern[str]:
    """Match an opening sign that a reserved name follows, or at the end of the text the beginning of one."""
    names = alternation(tags)
    beginnings = alternation({tag[:size] for tag in tags for size in range(1, len(tag))})
    angled = rf"(?:{alternation(_ANGLED)}|extra_id_\d{{1,6}}|reserved_\d{{1,6}}|unused_?\d{{1,6}})/?>"
    special = rf"!--|!\[|\?xml|!doctype|\||<[\s/\\]{{0,4}}sys>|{angled}"
    name = rf"(?:[\w.-]{{1,20}}:)?(?:{names})"
    return re.compile(rf"<(?=[\s/\\]*+(?:{name}|{special}|(?:{beginnings})?\s*\Z))", re.IGNORECASE)


def _read(text: str) -> _Reading:
    """Read a text as a lenient reader does, until nothing changes any more."""
    reading = _visible(_Reading(text, range(len(text)), range(1, len(text) + 1)))
    for _ in range(_MAX_ROUNDS):
        if not _ENTITY.search(reading.text):
            break
        decoded = _visible(_decoded(reading))
        if decoded.text == reading.text:
            break
        reading = decoded
    return reading


def _visible(reading: _Reading) -> _Reading:
    """Bring compatibility forms together and leave out what cannot be seen."""
    changed = [
        (found.start(), plain)
        for found in _NOT_PLAIN_ASCII.finditer(reading.text)
        if (plain := _plain(found[0])) != found[0]
    ]
    return _replaced(reading, [(place, place + 1, plain, 0) for place, plain in changed]) if changed else reading


@lru_cache(maxsize=20_000)
def _plain(character: str) -> str:
    """Return what a character comes to: nothing when it is invisible, plain letters when it is a variant of them."""
    if character.isascii():
        return character if character in "\t\n\r" or character.isprintable() else ""
    if character.isspace():
        return "\n" if character in _LINE_SEPARATORS else " "
    parts = unicodedata.normalize("NFKD", character)
    kept = "".join(part for part in parts if part not in _FILLERS and unicodedata.category(part)[0] not in "CM")
    return kept.casefold().translate(_LOOKALIKES)


def _decoded(reading: _Reading) -> _Reading:
    """Decode entities once, each into characters that come from the whole of it."""
    edits = []
    for entity in _ENTITY.finditer(reading.text):
        meant = _unescaped(entity[0])
        # An entity without its semicolon may be followed by letters that are not part of it: "&ltmemory".
        tail = 0 if entity[0].endswith(";") else _common_tail(entity[0], meant)
        edits.append((entity.start(), entity.end(), meant, tail))
    return _replaced(reading, edits)


def _replaced(reading: _Reading, edits: list[tuple[int, int, str, int]]) -> _Reading:
    """Put other text in the place of some stretches; its last `tail` characters are those of the stretch itself."""
    characters: list[str] = []
    starts, ends = array("q"), array("q")
    position = 0
    for first, last, meant, tail in edits:
        characters += reading.text[position:first], meant
        starts.extend(reading.starts[position:first])
        ends.extend(reading.ends[position:first])
        starts.extend([reading.starts[first]] * (len(meant) - tail))
        ends.extend([reading.ends[last - tail - 1]] * (len(meant) - tail))
        position = last
        starts.extend(reading.starts[last - tail : last])
        ends.extend(reading.ends[last - tail : last])
    characters.append(reading.text[position:])
    starts.extend(reading.starts[position:])
    ends.extend(reading.ends[position:])
    return _Reading("".join(characters), starts, ends)


def _common_tail(one: str, other: str) -> int:
    """Count the characters at the end that two texts share."""
    size = 0
    while size < min(len(one), len(other)) and one[-1 - size] == other[-1 - size]:
        size += 1
    return size
