"""Whatever a model replies, it is read into a response that keeps its promises, or refused: nothing else happens."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from remanent.errors import Refused
from remanent.language.prompt_blocks import utterance_spans
from remanent.language.roles.classification import CLASSIFICATION, ClassificationRequest
from remanent.language.roles.segmentation import SEGMENTATION, SegmentationRequest
from tests.language.roles.cases import CASES, role_of
from tests.language.roles.promises import check
from tests.language.roles.replies import replies


@pytest.mark.spec(
    "BANK-02", "BANK-13", "BANK-14", "BANK-15", "BANK-17", "BANK-19", "BANK-20", "BANK-25", "ASSOC-04", "ASSOC-05",
    "COG-03", "COG-06", "COG-14", "KB-02", "KB-03",
)  # fmt: skip
@pytest.mark.parametrize("case", CASES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_reply_is_refused_or_becomes_a_response_that_keeps_its_promises(case: str, data: st.DataObject) -> None:
    role, request = role_of(case), CASES[case]
    reply = data.draw(replies(role))
    try:
        response = role.read(request, reply)
    except Refused:
        return
    check(role.name, request, response)
    assert role.read(request, reply) == response


@pytest.mark.spec("BANK-13")
@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="ab。.\n# ", min_size=1, max_size=200), find_question=st.booleans(), data=st.data())
def test_no_character_of_any_text_is_lost_by_classification(
    text: str, find_question: bool, data: st.DataObject
) -> None:
    assume(text.strip())
    request = ClassificationRequest(text=text, find_question=find_question)
    try:
        response = CLASSIFICATION.read(request, data.draw(replies(CLASSIFICATION)))
    except Refused:
        return
    check("classification", request, response)


@pytest.mark.spec("ASSOC-05")
@settings(max_examples=100, deadline=None)
@given(text=st.text(min_size=1, max_size=900), data=st.data())
def test_no_sentence_of_any_text_is_lost_by_segmentation(text: str, data: st.DataObject) -> None:
    request = SegmentationRequest.model_validate({"utterances": [{"text": text}]})
    try:
        response = SEGMENTATION.read(request, data.draw(replies(SEGMENTATION)))
    except Refused:
        return
    check("segmentation", request, response)
    shown = "".join(text[place.start : place.end] for place in utterance_spans(request.utterances))
    assert "".join(shown.split()) == "".join(text.split())
