"""Contradictions settled by what other sources say, without a model.

Whoever speaks of now, or tells of a change, knows more than who does not; else the statement holds that more sources
bear out by contradicting the other one. Where they are even nothing is decided.

A model of 1.5 B left a contradiction open whose validation said which side is wrong; so code decides what a finding
leaves open, and most of the sources settle it.
"""

import re
from collections.abc import Sequence

from remanent.bilingual import Bilingual, in_language
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge_statements
from remanent.language.offline.salience import summary_statements
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms
from remanent.values import dataclass

_CONFLICT = re.compile(r"<conflict\b[^<>]*>")
_MAX_STATEMENTS = 2_000
"""Statements of all sources together that are weighed. Chosen by hand."""
_BETWEEN = " / "
_MAX_PER_SOURCE = 200
"""Statements of one source: one long document must not use up what all of them may have. Chosen by hand."""
# Whoever speaks of now knows of an earlier state; this tells more than that it was said later.
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|these days|lately|no longer|any ?more|from now on|since then)\b|"
    r"现在|如今|目前|眼下|不再|改为|改成|改用",
    re.IGNORECASE,
)
UNDECIDED = re.compile(
    r"\b(?:inconclusive|undecided|unclear|uncertain|unverified|cannot be (?:verified|confirmed|determined)|"
    r"could not (?:be )?(?:verif(?:y|ied)|confirm(?:ed)?|determine[d]?|find)|no (?:reliable |clear )?(?:evidence|"
    r"source|conclusion)|"
    r"sources (?:disagree|differ|conflict)|not enough (?:evidence|information)|no agreement)\b|"
    r"无法(?:确认|确定|验证|判断|核实)|没有(?:定论|结论|证据|可靠来源)|证据不足|说法不一|各执一词|未能(?:确认|证实|"
    r"验证)|不确定|尚无定论|存疑|信息不足",
    re.IGNORECASE,
)
"""What says that a validation came to nothing."""
_JUDGED = re.compile(
    r"\b(?:in)?(?:correct|accurate)\b|\b(?:right|wrong|true|false|mistaken|outdated|reliable|authoritative|error|actual(?:ly)?|"
    r"should be|confirm\w*|support\w*|refut\w*|prov(?:es|en|ed))\b|"
    r"正确|准确|属实|证实|确认|支持|应为|应该是|为准|有误|错误|不实|不对|可靠|可信|权威|过时|实际|采信|成立",
    re.IGNORECASE,
)
# A source is what stands behind one number or heading of a result.
_SOURCE = re.compile(r"^(?:\d{1,3}\.\s*\[[^\]\n]*\]|#\s).*$", re.MULTILINE)

_VERDICTS = {
    "changed": Bilingual(
        "{right} That is how it is since. “{wrong}” is outdated.", "{right} 这是后来的情况。“{wrong}”已过时。"
    ),
    "more": Bilingual(
        "{right} Most sources say so. “{wrong}” is wrong.", "{right} 多数来源支持这一说法。“{wrong}”有误。"
    ),
    "open": Bilingual(
        "It cannot be determined which is right; sources disagree: “{one}” / “{other}”",
        "无法确认哪一种说法正确：各来源说法不一。“{one}” / “{other}”",
    ),
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of which one at most holds; the first was said later."""

    newer: str
    older: str

    @property
    def query(self) -> str:
        """What to search for: what both speak of."""
        return f"{self.newer} {self.older}"


def contradiction_in(task: str) -> Contradiction | None:
    """Return what a cross-validation is about, when the task says it as two statements."""
    parts = _described(task).strip().split(_BETWEEN)
    return Contradiction(parts[0].strip(), parts[1].strip()) if len(parts) == 2 and all(map(str.strip, parts)) else None


def _described(task: str) -> str:
    """Return the description in the first conflict of a task; nothing where there is none that is closed."""
    found = _CONFLICT.search(task)
    _, opened, rest = task[found.end() :].partition("<description>") if found else ("", "", "")
    said, closed, rest = rest.partition("</description>")
    return said if opened and closed and "</conflict>" in rest else ""


def leaves_open(matter: Contradiction, finding: str) -> bool:
    """Tell whether a finding settles nothing: it says so, or it tells what both statements say and judges neither.

    A finding that only tells both sides is none, whatever it is called.
    """
    if UNDECIDED.search(finding):
        return True
    one, other, told = (set(query_terms(text)) for text in (matter.newer, matter.older, finding))
    return bool(one - other) and bool(other - one) and (one ^ other) <= told and not _JUDGED.search(finding)


def settle_contradiction(matter: Contradiction, results: Sequence[str]) -> str:
    """Return a verdict in words: which statement holds, or that it cannot be told."""
    said = in_language(_VERDICTS, working_language(matter.newer, matter.older))
    one, other = DatedStatement(matter.newer), DatedStatement(matter.older)
    if _NOW.search(matter.newer) and not _NOW.search(matter.older):
        return said["changed"].format(right=matter.newer, wrong=matter.older)
    if judge_statements(one, other).is_update:
        # Whoever tells of a change knows both states; the one who tells of none knows the earlier one only.
        changed = one.read().is_change or not other.read().is_change
        right, wrong = (matter.newer, matter.older) if changed else (matter.older, matter.newer)
        return said["changed"].format(right=right, wrong=wrong)
    for_one, for_other = _support(matter, _sources(results))
    if for_one == for_other:
        return said["open"].format(one=matter.newer, other=matter.older)
    right, wrong = (matter.newer, matter.older) if for_one > for_other else (matter.older, matter.newer)
    return said["more"].format(right=right, wrong=wrong)


_NUMBERED = re.compile(r"^(?=\d{1,3}\.\s*\[|#\s)", re.MULTILINE)
_BY_ID = re.compile(r"\A\d{1,3}\.\s*\[[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}\].*\n")


def source_texts(result: str) -> list[str]:
    """Return the texts of a result, one of each source, with what stands on its first line, unless that is an id."""
    return [part for piece in _NUMBERED.split(result) if (part := _BY_ID.sub("", piece).strip())]


def _sources(results: Sequence[str]) -> list[str]:
    """Return the texts of results, each source once."""
    parts = [part.strip() for result in results for part in _SOURCE.split(result)]
    return list(dict.fromkeys(part for part in parts if part))


def _support(matter: Contradiction, sources: Sequence[str]) -> tuple[int, int]:
    """Return how many sources contradict the second statement and not the first, and the other way round.

    A source that contradicts both sides speaks for neither.
    """
    told = [
        (place, text)
        for place, source in enumerate(sources)
        for text in summary_statements(source, most=_MAX_PER_SOURCE)
    ]
    for_one: set[int] = set()
    for_other: set[int] = set()
    for place, text in told[:_MAX_STATEMENTS]:
        against_one, against_other = (
            judge_statements(DatedStatement(text), DatedStatement(side)).conflict >= CONFLICT
            for side in (matter.newer, matter.older)
        )
        if against_other and not against_one:
            for_one.add(place)
        elif against_one and not against_other:
            for_other.add(place)
    return len(for_one - for_other), len(for_other - for_one)
