"""Headings that say whose words follow, and the sections of a text that they part: From a magazine. … From a blog. …

Such a heading belongs to what follows it, up to the next one. What one source says must never stand under the name of
another, so a section is never joined to the one before it.

A text that held several sources was cut behind a source's heading, and every sentence was told under the first heading
of its entry: a blog's figure stood as the magazine's.
"""

import re
from functools import lru_cache

from remanent.language.offline.claims import names_a_source, read_claim
from remanent.text.regex import lazy_regex
from remanent.text.sentences import sentences

_LONGEST = 80
"""Characters of a heading at most, as of a title."""
_MOST = 30
"""Sections of one text at most: what seems to have more is a log of like lines, and taken as it is. Chosen by hand."""
_FROM = lazy_regex(
    r"(?:(?:quoted|taken|excerpt(?:ed)?|an excerpt|extract(?:ed)?|copied|translated) )?from "
    r"(?!\d|(?:here|there|then|now|this|that|these|those|them|it|time|day)\b)(?P<who>[^,;:!?\n]{2,60}?)[.:]?|"
    r"according to (?P<said>[^,;:!?\n]{2,60}?)[.:]|sources?: ?[^;!?\n]{2,60}|"
    r"(?:来源|出处)[：:][^，。；\n]{1,30}[。]?|(?:摘|引)自[^，。；：:\n]{1,20}[。：:]?|"
    r"(?:来自|摘自|引自|出自|根?据)[^，。；：:\n]{0,20}?(?:《[^》\n]{1,30}》|报[道纸告]|杂志|博客|网[站页]|官网|年鉴|百科|新闻|论坛|手册|"
    r"指南|档案|记录|公告|文章|统计)[^，。；：:\n]{0,10}[。：:]?",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def is_source_heading(sentence: str) -> bool:
    """Tell whether a sentence only says whose words follow: From a blog; A travel guide; 博客文章; 据《年鉴》记载."""
    said = sentence.strip().lstrip("#* ").rstrip("* ")
    if not 3 <= len(said) <= _LONGEST:
        return False
    if names_a_source(said):
        return True
    found = _FROM.fullmatch(said)
    if found is None:
        return False
    who = found["who"] or found["said"]
    return who is None or names_a_source(who) or not read_claim(said).has_verb


def heading_name(heading: str) -> str:
    """Return a heading without its marks: as it is shown beside what stands under it."""
    return heading.strip().lstrip("# ").rstrip(".。:： ")


@lru_cache(maxsize=256)
def source_sections(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the sections of a text, each with the name of its source; just one where it has no such headings.

    Headings that follow each other open one section; one that nothing follows opens none. A line that only leads to the
    first one ("What the document says:") belongs to it.
    """
    starts: list[tuple[int, str]] = [(0, "")]
    body, said_until = True, len(text.rstrip())
    for span in sentences(text):
        if not is_source_heading(said := span.of(text)):
            body = body or bool(said.strip())
        elif body and span.end < said_until:
            # Before the first one, which is looked at once, may stand nothing, or a line that only leads to it.
            lead = "" if starts != [(0, "")] else text[: span.start].strip() or ":"
            first = lead.endswith((":", "：")) and "\n" not in lead
            starts[-1 if first else len(starts) :] = [(0 if first else span.start, heading_name(said))]
            body = False
    if len(starts) > _MOST:
        starts = starts[:1]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return tuple((start, end, name) for (start, name), end in zip(starts, ends, strict=True))
