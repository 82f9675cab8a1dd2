"""Every role. Whoever needs one or two imports them from their modules: to load all takes a sixth of a second."""

from typing import Any

from remanent.language.role import Role
from remanent.language.roles.analysis import ANALYSIS
from remanent.language.roles.annotation import ANNOTATION
from remanent.language.roles.answering import ANSWERING
from remanent.language.roles.classification import CLASSIFICATION
from remanent.language.roles.extraction import EXTRACTION
from remanent.language.roles.hyde import HYDE
from remanent.language.roles.integration import INTEGRATION
from remanent.language.roles.intent import INTENT
from remanent.language.roles.next_step import PLANNING
from remanent.language.roles.react import REACT
from remanent.language.roles.relation_naming import RELATION_NAMING
from remanent.language.roles.reranking import RERANKING
from remanent.language.roles.rewriting import REWRITING
from remanent.language.roles.segmentation import SEGMENTATION
from remanent.language.roles.structure import STRUCTURE
from remanent.language.roles.summary import SUMMARY

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
