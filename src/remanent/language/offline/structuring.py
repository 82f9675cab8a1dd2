"""A structured summary without a model: the statements that tell most, and where they stand, word for word."""

from remanent.language.exchanges.structure import StructureRequest, StructureResponse, render
from remanent.language.offline.claims import Part, read_claim
from remanent.language.offline.statements import statements
from remanent.language.offline.telling import sentence_weights
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import line
from remanent.language.tongue import tongue_of

_LONGEST_FACT = 400
_MOST_STATEMENTS = 2_000
# Of a short text all is kept; of a long one at least so many statements, all that tell something, or one in so many.
_FEW = 12
_ONE_IN = 3
_MOST_FACTS = 80
_MOST_QUOTES = 5
_CERTAIN = frozenset({Part.AMOUNT, Part.TIME})


async def structure(request: StructureRequest, toolbox: Toolbox) -> StructureResponse:
    """Return a summary under headings; names, numbers, dates and denials are kept before anything else."""
    every = statements(request.content, most=_MOST_STATEMENTS) or [line(request.content, _LONGEST_FACT)]
    about = f"{request.task}\n{request.context}\n{' '.join(request.keywords)}"
    weights = sentence_weights(every, about=about)
    telling = sum(_says_something(statement) for statement in every)
    room = min(_MOST_FACTS, max(_FEW, -(-len(every) // _ONE_IN), telling))
    best = sorted(range(len(every)), key=lambda place: (-weights[place], place))
    facts = [line(every[place], _LONGEST_FACT) for place in sorted(best[:room])]
    # Where something was left out, what could be checked is quoted: figures, dates, denials.
    left_out = [place for place in best[room:] if _is_checkable(every[place])]
    quotes = [line(every[place], _LONGEST_FACT) for place in sorted(left_out[:_MOST_QUOTES])]
    evidence = quotes or [fact for fact in facts if _is_checkable(fact)][:1]
    tongue = tongue_of(request.content, request.context)
    return StructureResponse(summary=render(facts=facts, evidence=evidence, reasoning="", tongue=tongue))


def _says_something(statement: str) -> bool:
    """Tell whether a statement has a name, a figure, a date or a denial: what others may need to know exactly."""
    claim = read_claim(statement)
    return any(token.part in _CERTAIN or token.part is Part.NAME or token.denied for token in claim.tokens)


def _is_checkable(statement: str) -> bool:
    claim = read_claim(statement)
    return any(token.part in _CERTAIN or token.denied for token in claim.tokens)
