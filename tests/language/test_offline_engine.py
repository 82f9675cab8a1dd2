"""Every role, in Chinese and English, end to end without a model."""

import json
from typing import Any

import pytest

from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.language.engines import OfflineEngine
from remanent.language.role import Toolbox
from remanent.language.roles import all_roles
from remanent.language.roles.analysis import ANALYSIS, AnalysisRequest, Relationship
from remanent.language.shapes import GraphNode
from remanent.model import Maker
from tests.language.offline.fakes import WordEmbedder
from tests.language.roles.cases import CASES, role_of

ENGINES = {"words alone": Toolbox(), "with an embedder": Toolbox(WordEmbedder())}


def ids_in(value: Any) -> set[str]:
    """Return what stands in the fields of a word that are ids."""
    found: set[str] = set()

    def visit(part: Any, *, is_id: bool) -> None:
        if isinstance(part, dict):
            for name, inner in part.items():
                visit(inner, is_id=name.endswith(("_id", "_ids")) or name in {"existing_node", "upheld"})
        elif isinstance(part, list):
            for inner in part:
                visit(inner, is_id=is_id)
        elif is_id and isinstance(part, str):
            found.add(part)

    visit(json.loads(value.to_json()), is_id=False)
    return found


def test_there_is_a_case_for_every_role() -> None:
    assert {role_of(case).name for case in CASES} == set(all_roles())


@pytest.mark.parametrize("toolbox", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("case", CASES)
async def test_every_role_answers_and_says_that_no_model_did(case: str, toolbox: Toolbox) -> None:
    role = role_of(case)
    answer = await OfflineEngine(toolbox).run(role, CASES[case])
    assert answer.made_by == Maker(role=role.name, engine="offline", version=role.version)
    assert answer.usage.requests == 0
    assert type(answer.value).from_json(answer.value.to_json()) == answer.value


@pytest.mark.parametrize("toolbox", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("case", CASES)
async def test_the_same_request_gets_the_same_answer(case: str, toolbox: Toolbox) -> None:
    first = await OfflineEngine(toolbox).run(role_of(case), CASES[case])
    second = await OfflineEngine(toolbox).run(role_of(case), CASES[case])
    assert first == second


@pytest.mark.parametrize("case", CASES)
async def test_no_id_is_made_up(case: str) -> None:
    answer = await OfflineEngine().run(role_of(case), CASES[case])
    given = set(json.dumps(json.loads(CASES[case].to_json())).replace('"', " ").replace(",", " ").split())
    assert ids_in(answer.value) <= given


async def test_the_bundled_model_tells_what_belongs_together() -> None:
    engine = OfflineEngine(Toolbox(MultilingualEmbedder()))
    request = AnalysisRequest(
        new_node=GraphNode(node_id="new", summary="The physician advised Marta to exercise more."),
        candidates=(
            GraphNode(node_id="near", summary="A doctor told Marta that she should do sports."),
            GraphNode(node_id="far", summary="The printer on the second floor is out of toner."),
        ),
    )
    answer = await engine.run(ANALYSIS, request)
    assert [relation.relationship for relation in answer.value.relations] != [Relationship.UNRELATED] * 2
    assert answer.value.relations[1].relationship is Relationship.UNRELATED
    await engine.close()
