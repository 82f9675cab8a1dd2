"""What a memory has to do with another, in a word or two, told from the words of both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from remanent.language.exchanges.relation_naming import RelationNamingRequest, RelationNamingResponse
from remanent.language.offline.claims import Claim, Part
from remanent.language.offline.comparing import compare
from remanent.language.offline.likeness import likeness_to
from remanent.language.offline.statements import statements
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.verdicts import CONFLICT, Statement, judge_comparisons
from remanent.language.tongue import Tongue, tongue_of

_READ = 12
_NEAR = 0.3
_SAME = 0.75


def _pattern(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


_CAUSE = _pattern(r"because|since|due to|as a result of|caused by|owing to", r"因为|由于|起因")
_RESULT = _pattern(r"therefore|so that|thus|as a result|consequently|led to|that is why", r"因此|所以|于是|导致|结果")
_CONTRAST = _pattern(r"but|however|although|though|instead|on the other hand|yet", r"但是|但|不过|然而|却|可是|反而")
_EXAMPLE = _pattern(r"for example|for instance|e\.g\.|such as", r"例如|比如|譬如|举例")
_ASKED = re.compile(r"[?？]\s*\Z")

_NAMES: dict[str, dict[Tongue, str]] = {
    "updates": {"zh": "更新", "en": "updates"},
    "contradicts": {"zh": "反驳", "en": "contradicts"},
    "repeats": {"zh": "重复", "en": "repeats"},
    "answers": {"zh": "回答", "en": "answers"},
    "explains": {"zh": "解释", "en": "explains"},
    "follows from": {"zh": "源于", "en": "follows from"},
    "contrasts with": {"zh": "对比", "en": "contrasts with"},
    "example of": {"zh": "举例", "en": "example of"},
    "adds to": {"zh": "补充", "en": "adds to"},
    "same subject": {"zh": "同一对象", "en": "same subject"},
    "about": {"zh": "同题", "en": "same topic"},
}


@dataclass(frozen=True, slots=True)
class _Tie:
    """What was found out about two memories."""

    is_conflict: bool
    is_update: bool
    shares_name: bool
    alike: float


async def name_relations(request: RelationNamingRequest, toolbox: Toolbox) -> RelationNamingResponse:
    """Name the relation to each focus; where the words give nothing away it stays unnamed."""
    tongue = tongue_of(request.node, *request.focuses)
    alike = await likeness_to(request.node, request.focuses, toolbox)
    new = _claims(request.node)
    names = []
    for focus, near in zip(request.focuses, alike, strict=True):
        old = _claims(focus)
        comparisons = [compare(one, other) for one in new for other in old]
        judged = await judge_comparisons(comparisons, toolbox)
        worst = max(judged, key=lambda judgement: judgement.conflict, default=None)
        conflict = worst is not None and worst.conflict >= CONFLICT
        update = worst is not None and worst.is_update
        tie = _Tie(conflict, update, bool(_names(new) & _names(old)), near)
        name = _relation(request.node, focus, tie)
        names.append(_NAMES[name][tongue] if name else "")
    return RelationNamingResponse(relations=tuple(names))


def _relation(node: str, focus: str, tie: _Tie) -> str:
    if tie.is_conflict:
        return "updates" if tie.is_update else "contradicts"
    asked = _ASKED.search(focus.strip()) is not None and _ASKED.search(node.strip()) is None
    if tie.alike >= _SAME and not asked:
        return "repeats"
    if tie.alike < _NEAR and not tie.shares_name:
        return ""
    for name, holds in (
        ("answers", asked),
        ("example of", _EXAMPLE.search(node)),
        ("explains", _CAUSE.search(node)),
        ("follows from", _RESULT.search(node)),
        ("contrasts with", _CONTRAST.match(node.strip())),
        ("adds to", tie.alike >= _NEAR and tie.shares_name),
        ("same subject", tie.shares_name),
    ):
        if holds:
            return name
    return "about" if tie.alike >= _NEAR else ""


@lru_cache(maxsize=32)
def _claims(text: str) -> tuple[Claim, ...]:
    """Return the claims of a memory; the same few focuses come again with every new one."""
    return tuple(Statement(statement).read() for statement in statements(text, most=_READ))


def _names(claims: Sequence[Claim]) -> set[str]:
    return {token.key for claim in claims for token in claim.tokens if token.part is Part.NAME}
