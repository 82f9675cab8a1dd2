"""One module per role, from what is asked to how it is done without a model.

Each holds, in this order: the request and the response, which are the same with a model and without; what a model is
told, in Chinese and in English; how its reply is checked against what it was shown; and the offline counterpart. What
several roles share lies beside this package: prompts in `wording`, numbered passages in `passages`, bounds of a reply
in `replies` and `tidying`, and the reading of statements in `offline`.
"""

from typing import Any

from remanent.language.role import Role
from remanent.language.roles.analysis import Analysis
from remanent.language.roles.annotation import Annotation
from remanent.language.roles.answering import Answering
from remanent.language.roles.classification import Classification
from remanent.language.roles.extraction import Extraction
from remanent.language.roles.hyde import Hyde
from remanent.language.roles.integration import Integration
from remanent.language.roles.intent import IntentRecognition
from remanent.language.roles.planning import Planning
from remanent.language.roles.react import React
from remanent.language.roles.relation_naming import RelationNaming
from remanent.language.roles.reranking import Reranking
from remanent.language.roles.rewriting import Rewriting
from remanent.language.roles.segmentation import Segmentation
from remanent.language.roles.structured_summary import Structure
from remanent.language.roles.summary import Summarisation

ANALYSIS = Analysis()
ANNOTATION = Annotation()
ANSWERING = Answering()
CLASSIFICATION = Classification()
EXTRACTION = Extraction()
HYDE = Hyde()
INTEGRATION = Integration()
INTENT = IntentRecognition()
PLANNING = Planning()
REACT = React()
RELATION_NAMING = RelationNaming()
RERANKING = Reranking()
REWRITING = Rewriting()
SEGMENTATION = Segmentation()
STRUCTURE = Structure()
SUMMARY = Summarisation()

ROLES: dict[str, Role[Any, Any, Any]] = {
    role.name: role
    for role in (
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
}
"""Every role by its name, the task bank's first."""
