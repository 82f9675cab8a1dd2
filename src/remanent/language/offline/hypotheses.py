"""A made-up answer without a model: the question as a statement, then its words; it has the shape of an answer."""

from remanent.language.exchanges.hyde import LONGEST_PASSAGE, HydeRequest, HydeResponse
from remanent.language.offline.questions import content_words, statement_form
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import line
from remanent.language.tongue import tongue_of

_MOST_WORDS = 12


async def imagine(request: HydeRequest, toolbox: Toolbox) -> HydeResponse:
    """Return a passage made of the question's own words; nothing in it is made up but its form."""
    statement = statement_form(request.question) or request.question.strip()
    words = content_words(request.question)[:_MOST_WORDS]
    if tongue_of(request.question) == "zh":
        passage = f"{statement}。{'、'.join(words)}。" if words else f"{statement}。"
    else:
        passage = f"{statement}. {', '.join(words)}." if words else f"{statement}."
    return HydeResponse(passage=line(passage, LONGEST_PASSAGE))
