"""One module per role, from what is asked to how it is done without a model.

Each holds, in this order: the request and the response, which are the same with a model and without; what a model is
told, in Chinese and in English; how its reply is checked against what it was shown; and the offline counterpart. What
several roles share lies beside this package: prompts and numbered passages in `wording`, bounds of a reply
in `shapes`, and the reading of statements in `offline`.
"""

from functools import cache
from typing import Any

from remanent.language.role import Role


@cache
def all_roles() -> dict[str, Role[Any, Any, Any]]:
    """Return every role by its name, the task bank's first; to load all takes a sixth of a second."""
    from remanent.language.roles.analysis import ANALYSIS
    from remanent.language.roles.annotation import ANNOTATION, RELATION_NAMING
    from remanent.language.roles.answering import ANSWERING, RERANKING
    from remanent.language.roles.classification import CLASSIFICATION
    from remanent.language.roles.extraction import EXTRACTION
    from remanent.language.roles.integration import INTEGRATION
    from remanent.language.roles.next_step import PLANNING
    from remanent.language.roles.queries import HYDE, INTENT, REWRITING
    from remanent.language.roles.react import REACT
    from remanent.language.roles.segmentation import SEGMENTATION
    from remanent.language.roles.summary import STRUCTURE, SUMMARY

    listed = (
        CLASSIFICATION,
        STRUCTURE,
        ANALYSIS,
        INTEGRATION,
        PLANNING,
        REACT,
        SEGMENTATION,
        ANNOTATION,
        RELATION_NAMING,
        EXTRACTION,
        SUMMARY,
        INTENT,
        REWRITING,
        HYDE,
        RERANKING,
        ANSWERING,
    )
    return {role.name: role for role in listed}
