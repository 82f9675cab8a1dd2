"""Relation naming: a model names what a new node has to do with each node in focus, in a word or two."""

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from remanent.language.aliases import Aliases
from remanent.language.exchanges.relation_naming import (
    LONGEST_RELATION,
    RelationNamingRequest,
    RelationNamingResponse,
)
from remanent.language.replies import MOST_ITEMS, Prose
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, prompt
from remanent.model import Model
from remanent.text.scripts import HAN

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_SHOWN = 1_000
_CHINESE = re.compile(rf"[{HAN}]{{2,4}}")
_ENGLISH = re.compile(r"[A-Za-z]{2,}(?:[ '-][A-Za-z]+){0,2}")
_AROUND = " \t\n\"'“”‘’「」《》[](){}.,，。:：;；"
_INSTRUCTIONS: Wording = {
    "zh": """
你负责给记忆之间的关系命名：新记忆（<node>）与每个关注点（<focus id="编号">）是什么关系。
规则：
1. 关系名是 2 到 4 个汉字，从新记忆指向关注点，如：属于、关于、涉及、讨论、提到、导致、补充、反驳。
2. 看不出关系的不要列出。
字段 relations：列表，每项含 focus（编号，如 "f1"）和 relation（关系名）。
示例：{"relations": [{"focus": "f1", "relation": "补充"}, {"focus": "f3", "relation": "导致"}]}
""",
    "en": """
You name the relations between memories: what the new memory (<node>) has to do with each one in focus (<focus \
id="...">).
Rules:
1. A relation is one to three words, from the new memory to the focus, such as: about, part of, mentions, causes, \
adds to, contradicts.
2. Leave out those without a relation.
Field relations: a list, each with focus (its id, as "f1") and relation (the name).
Example: {"relations": [{"focus": "f1", "relation": "adds to"}, {"focus": "f3", "relation": "causes"}]}
""",
}


class NamedReply(Model):
    """The relation to one memory in focus."""

    focus: Prose
    relation: Prose = ""


class RelationNamingReply(Model):
    """The relations to the memories in focus."""

    relations: Annotated[tuple[NamedReply, ...], Field(max_length=MOST_ITEMS)]


class RelationNaming(Role[RelationNamingRequest, RelationNamingReply, RelationNamingResponse]):
    """Name relations."""

    name = "relation_naming"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.0, top_p=0.9, max_tokens=1024)
    request = RelationNamingRequest
    reply = RelationNamingReply

    def tongue(self, request: RelationNamingRequest) -> Tongue:
        """Speak the language of the new memory."""
        return tongue_of(request.node, *request.focuses)

    def prompt(self, request: RelationNamingRequest, *, tongue: Tongue) -> Prompt:
        """Show the new memory and those in focus."""
        focuses = [
            block("focus", abridged(text, _LONGEST_SHOWN), id=name)
            for name, text in zip(_aliases(request).names, request.focuses, strict=True)
        ]
        parts = [*focuses, block("node", abridged(request.node, _LONGEST_SHOWN))]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: RelationNamingRequest, reply: RelationNamingReply) -> RelationNamingResponse:
        """Keep the names that are names; a focus without one stays unnamed."""
        aliases = _aliases(request)
        named = [""] * len(request.focuses)
        for proposed in reply.relations:
            place = int(aliases.real(proposed.focus))
            named[place] = named[place] or _name(proposed.relation)
        return RelationNamingResponse(relations=tuple(named))

    async def offline(self, request: RelationNamingRequest, toolbox: "Toolbox") -> RelationNamingResponse:
        """Name relations by the signs of them in the words."""
        from remanent.language.offline.naming import name_relations

        return await name_relations(request, toolbox)


def _aliases(request: RelationNamingRequest) -> Aliases:
    """Return the names of the focuses, which stand for their places."""
    return Aliases([str(place) for place in range(len(request.focuses))], prefix="f")


def _name(text: str) -> str:
    bare = text.strip(_AROUND)
    if _CHINESE.fullmatch(bare):
        return bare
    return bare.lower() if _ENGLISH.fullmatch(bare) and len(bare) <= LONGEST_RELATION else ""
