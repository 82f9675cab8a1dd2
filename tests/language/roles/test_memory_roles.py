"""The roles of the other disciplines: what a model proposes, and what becomes of it."""

from typing import Any

import pytest

from remanent.errors import InvalidInput, Refused
from remanent.language.role import Tier, Toolbox
from remanent.language.roles import all_roles
from remanent.language.roles.annotation import ANNOTATION, AnnotationRequest
from remanent.language.roles.answering import PassageToRank, RerankingRequest
from remanent.language.roles.extraction import EXTRACTION, ExtractionRequest, FactKind
from remanent.language.roles.queries import INTENT, IntentRequest
from remanent.language.roles.segmentation import SEGMENTATION, SegmentationRequest
from remanent.language.roles.summary import SUMMARY
from remanent.language.shapes import Utterance, UtteranceSpan
from remanent.model import Origin
from tests.language.roles.cases import CASES, CHAT_EN, CHAT_ZH


def read(case: str, **reply: Any) -> Any:
    role = all_roles()[case.partition(".")[0]]
    return role.read(CASES[case], role.reply.model_validate(reply))


@pytest.mark.spec("COG-15")
def test_light_work_goes_to_light_models() -> None:
    tiers = {name: all_roles()[name].defaults.tier for name in list(all_roles())[6:]}
    assert tiers == {
        "segmentation": Tier.EXTRACTION,
        "annotation": Tier.COMPRESSION,
        "relation_naming": Tier.EXTRACTION,
        "extraction": Tier.EXTRACTION,
        "summary": Tier.COMPRESSION,
        "intent": Tier.INTENT,
        "rewriting": Tier.EXTRACTION,
        "hyde": Tier.EXTRACTION,
        "reranking": Tier.RERANK,
        "answering": Tier.CORE,
    }


@pytest.mark.spec("WORK-09")
def test_summaries_are_made_at_temperature_zero() -> None:
    assert SUMMARY.defaults.temperature == 0


# ── segmentation ──


@pytest.mark.spec("ASSOC-05")
def test_segments_keep_the_places_that_they_came_from() -> None:
    response = read(
        "segmentation.zh",
        segments=[
            {"text": "助手记下了，问小丽的地址要不要更新", "sources": [2]},
            {"text": "用户要助手周五之前改好，以后回答短一点，请助手记住", "sources": [3]},
            {"text": "用户的妹妹小丽上周六搬到了杭州，小丽没有换工作", "sources": [1]},
        ],
    )
    assert [segment.text for segment in response.segments] == [
        "用户的妹妹小丽上周六搬到了杭州，小丽没有换工作",
        "助手记下了，问小丽的地址要不要更新",
        "用户要助手周五之前改好，以后回答短一点，请助手记住",
    ]
    assert response.segments[0].places == (UtteranceSpan(utterance=0, start=0, end=len(CHAT_ZH[1].text)),)


@pytest.mark.spec("ASSOC-05")
def test_what_no_segment_covers_is_kept_as_it_is_without_a_model() -> None:
    response = read("segmentation.en", segments=[{"text": "The user's sister Lily moved to Leeds", "sources": [1]}])
    assert [segment.text for segment in response.segments][1:] == [
        "Lily kept Lily's job.",
        f"Assistant: {CHAT_EN[2].text}",
        f"User: {CHAT_EN[3].text}",
    ]
    assert response.segments[1].places == (UtteranceSpan(utterance=0, start=45, end=62),)


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_segment_that_was_made_up_or_copied_gives_way_to_what_is_made_without_a_model(language: str) -> None:
    made = await all_roles()["segmentation"].offline(CASES[f"segmentation.{language}"], Toolbox())
    invented = {"text": "Napoleon conquered Moscow with elephants", "sources": [1, 2, 3, 4]}
    chat = {"en": CHAT_EN, "zh": CHAT_ZH}[language]
    copied = [{"text": said.text, "sources": [n]} for n, said in enumerate(chat[1:], 1)]
    assert made.segments[0].text != chat[1].text
    for segments in ([invented], copied):
        response = read(f"segmentation.{language}", segments=segments)
        assert response.segments == made.segments


def test_a_long_segment_becomes_several() -> None:
    text = "小丽搬到了杭州，" * 60
    request = SegmentationRequest(utterances=(Utterance(text=text),))
    response = SEGMENTATION.read(
        request, SEGMENTATION.reply.model_validate({"segments": [{"text": text, "sources": [1]}]})
    )
    assert len(response.segments) >= 3
    assert all(len(segment.text) <= 200 for segment in response.segments)


def test_greetings_are_skipped_as_they_are_without_a_model_and_messages_are_not() -> None:
    request = SegmentationRequest(utterances=(CHAT_EN[0], CHAT_EN[3]))
    reply = {"segments": [{"text": "Good morning", "sources": [1]}], "skipped": [1, 2]}
    response = SEGMENTATION.read(request, SEGMENTATION.reply.model_validate(reply))
    assert [segment.text for segment in response.segments] == [f"User: {CHAT_EN[3].text}"]
    with pytest.raises(Refused, match="no segments"):
        SEGMENTATION.read(request, SEGMENTATION.reply(segments=(), skipped=(1, 2)))
    greeting = SegmentationRequest(utterances=(CHAT_EN[0],))
    assert SEGMENTATION.read(greeting, SEGMENTATION.reply(segments=(), skipped=(1,))).segments == ()


@pytest.mark.spec("USE-08")
def test_a_message_that_says_something_is_never_skipped_however_short() -> None:
    request = SegmentationRequest(utterances=(CHAT_EN[0], Utterance(text="Call Ann at 5."), Utterance(text="谢谢")))
    reply = {"segments": [{"text": "Good morning", "sources": [1]}], "skipped": [2, 3]}
    response = SEGMENTATION.read(request, SEGMENTATION.reply.model_validate(reply))
    assert [segment.text for segment in response.segments] == ["Call Ann at 5."]


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("sources", [[1, 2], [], [9]])
def test_a_segment_covers_only_the_sources_whose_words_it_holds(sources: list[int]) -> None:
    said = ("I moved to Leeds in May.", "My dentist is Dr Brown in Park Row.")
    request = SegmentationRequest(utterances=tuple(Utterance(text=text) for text in said))
    reply = {"segments": [{"text": "The user moved to Leeds in May", "sources": sources}]}
    response = SEGMENTATION.read(request, SEGMENTATION.reply.model_validate(reply))
    assert [segment.text for segment in response.segments] == ["The user moved to Leeds in May", f"User: {said[1]}"]
    assert {place.utterance for place in response.segments[1].places} == {1}


@pytest.mark.spec("USE-08")
def test_words_from_earlier_do_not_cover_what_was_said() -> None:
    earlier = Utterance(text="My sister Lily works as a nurse in Bath.")
    request = SegmentationRequest(utterances=(Utterance(text="She bought a red bicycle."),), earlier=(earlier,))
    reply = {"segments": [{"text": "The user's sister Lily works as a nurse in Bath", "sources": [1]}]}
    response = SEGMENTATION.read(request, SEGMENTATION.reply.model_validate(reply))
    assert [segment.text for segment in response.segments] == ["Lily bought a red bicycle."]


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("said", "piece"),
    [
        (
            "The flat costs 850 pounds a month and is near the station.",
            "The flat near the station costs pounds a month",
        ),
        ("机票花了3200元，五月八日出发去大阪。", "用户五月八日出发去大阪，买了机票"),
    ],
)
def test_a_segment_that_lost_a_number_does_not_cover_its_source(said: str, piece: str) -> None:
    request = SegmentationRequest(utterances=(Utterance(text=said),))
    reply = SEGMENTATION.reply.model_validate({"segments": [{"text": piece, "sources": [1]}]})
    assert [segment.text for segment in SEGMENTATION.read(request, reply).segments] == [said]


# ── annotation ──


@pytest.mark.spec("ASSOC-04")
def test_a_phrase_and_keywords() -> None:
    response = read(
        "annotation.zh", phrase="小丽上周六搬到杭州", keywords=["小丽", "杭州", "搬家", "工作", "周六", "多余"]
    )
    assert response.content == "小丽上周六搬到了杭州，没有换工作。"
    assert response.phrase == "小丽上周六搬到了杭州", "nine signs are too few: the text's own words"
    assert len(response.keywords) == 5
    few = read("annotation.en", phrase="Lily moved", keywords=["house move"])
    assert few.keywords[0] == "house move"
    assert len(few.keywords) == 3
    assert "Lily" in few.keywords


@pytest.mark.spec("USE-08")
async def test_a_phrase_that_is_the_text_over_again_gives_way_to_the_one_that_is_made_without_a_model() -> None:
    request = AnnotationRequest(text="Tom keeps the keys of the depot in the red box.")
    made = await ANNOTATION.offline(request, Toolbox())
    reply = ANNOTATION.reply.model_validate({"phrase": request.text, "keywords": ["She", "Tom", "depot", "red box"]})
    response = ANNOTATION.read(request, reply)
    assert response.phrase == made.phrase
    assert response.keywords == ("Tom", "depot", "red box"), "a pronoun names nothing"


@pytest.mark.spec("ASSOC-11")
def test_a_compression_keeps_to_its_length() -> None:
    response = read(
        "annotation.compress.en", content="Lily moved to Leeds. She kept her job.", phrase="p", keywords=["k"]
    )
    assert response.content == "Lily moved to Leeds."


def test_a_compression_may_not_bring_numbers_of_its_own() -> None:
    request = AnnotationRequest(text="The bridge is 1,200 metres long and was opened in May 1998.", target_length=30)
    reply = {"phrase": "bridge", "keywords": ["bridge"]}
    with pytest.raises(Refused, match="1999"):
        ANNOTATION.read(request, ANNOTATION.reply.model_validate({**reply, "content": "Opened in 1999."}))
    kept = ANNOTATION.read(request, ANNOTATION.reply.model_validate({**reply, "content": "Opened in １998."}))
    assert kept.content == "Opened in １998."


def test_a_number_in_words_may_be_written_in_digits() -> None:
    request = AnnotationRequest(text="小丽在杭州住了三年，房租一共花了两万元，后来没有续租。", target_length=20)
    reply = {"phrase": "小丽在杭州租房", "keywords": ["小丽"], "content": "小丽住了3年，花了20000元。"}
    assert ANNOTATION.read(request, ANNOTATION.reply.model_validate(reply)).content == "小丽住了3年，花了20000元。"


@pytest.mark.parametrize("reply", [{"phrase": " ", "keywords": []}, {"phrase": "p", "keywords": ["k"], "content": " "}])
def test_an_annotation_that_says_nothing_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read("annotation.compress.en", **reply)


def test_a_text_that_is_short_enough_is_not_rewritten() -> None:
    request = AnnotationRequest(text="short", target_length=5)
    reply = ANNOTATION.reply(phrase="p", keywords=("k",), content="other")
    assert ANNOTATION.read(request, reply).content == "short"
    assert "<limit>" not in ANNOTATION.prompt(request, language="en").content


# ── relation naming ──


@pytest.mark.spec("ASSOC-05")
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("属于", "属于"),
        ("“补充说明”", "补充说明"),
        ("属", ""),
        ("非常长的关系名", ""),
        ("Part of", "part of"),
        ("is one of many things", ""),
        ("<b>", ""),
        ("", ""),
    ],
)
def test_a_relation_is_a_short_name_or_none(written: str, name: str) -> None:
    response = read("relation_naming.zh", relations=[{"focus": "f2", "relation": written}])
    assert response.relations == ("", name)


def test_a_focus_that_was_not_shown_is_refused() -> None:
    with pytest.raises(Refused, match="f1, f2"):
        read("relation_naming.zh", relations=[{"focus": "f3", "relation": "属于"}])


# ── extraction ──


@pytest.mark.spec("COG-06")
def test_facts_come_in_the_order_of_the_conversation_with_their_sources() -> None:
    response = read(
        "extraction.en",
        facts=[
            {"kind": "preference", "content": "The user wants short answers", "sources": [4], "confirmed": True},
            {"kind": "fact", "content": "Lily lives in Leeds", "sources": [2]},
            {"kind": "follow_up", "content": "Update Lily's address by Friday", "sources": [3, 4], "importance": 90},
            {"kind": "follow_up", "content": "update Lily's address by Friday", "sources": [3]},
        ],
    )
    assert [(fact.kind, fact.sources) for fact in response.facts] == [
        (FactKind.FOLLOW_UP, (2, 3)),
        (FactKind.PREFERENCE, (3,)),
    ]
    assert response.facts[0].importance == 0.9
    assert response.facts[1].confirmed


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("said", "confirmed"),
    [
        ("以后都用中文，记住这个", True),
        ("Remember this: no tabs", True),
        ("don't forget that I am vegan", True),
        ("I like tea", False),
        ("我喜欢茶", False),
    ],
)
def test_a_confirmation_needs_the_words_for_it(said: str, confirmed: bool) -> None:
    request = ExtractionRequest(utterances=(Utterance(text=said),))
    reply = EXTRACTION.reply.model_validate({"facts": [{"kind": "preference", "content": said, "confirmed": True}]})
    assert EXTRACTION.read(request, reply).facts[0].confirmed is confirmed


def test_the_most_important_facts_are_kept_when_there_are_too_many() -> None:
    request = ExtractionRequest(utterances=CHAT_EN, limit=2)
    facts = [{"kind": "mood", "content": f"mood {n}", "importance": n / 10, "sources": [1]} for n in range(5)]
    response = EXTRACTION.read(request, EXTRACTION.reply.model_validate({"facts": facts}))
    assert {fact.content for fact in response.facts} == {"mood 3", "mood 4"}


@pytest.mark.spec("USE-08")
def test_utterances_that_were_not_shown_are_no_sources() -> None:
    moved = {"kind": "fact", "content": "Lily moved to Leeds", "sources": [5, 2]}
    (fact,) = read("extraction.facts.en", facts=[moved]).facts
    assert fact.sources == (1,)


@pytest.mark.spec("COG-07")
def test_a_fact_without_a_source_has_the_utterance_that_says_it_and_else_none() -> None:
    said = (Utterance(text="Lily moved to Leeds."), Utterance(text="Remember this: no tabs.", origin=Origin.WEB))
    request = ExtractionRequest(utterances=said, kinds=(FactKind.FACT, FactKind.MOOD))
    facts = [
        {"kind": "fact", "content": "Lily moved to Leeds"},
        {"kind": "fact", "content": "Remember: no tabs", "confirmed": True},
        {"kind": "mood", "content": "cheerful"},
    ]
    found = EXTRACTION.read(request, EXTRACTION.reply.model_validate({"facts": facts})).facts
    assert {one.content: one.sources for one in found} == {
        "Lily moved to Leeds": (0,),
        "Remember: no tabs": (1,),
        "cheerful": (),
    }
    assert not any(one.confirmed for one in found), "a page asks for nothing"


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("content", ["The user releases by Thursday", "Lily moved to Leeds in 1987", "<content>"])
def test_a_fact_that_was_not_said_is_dropped(content: str) -> None:
    assert read("extraction.facts.en", facts=[{"kind": "fact", "content": content, "sources": [2]}]).facts == ()


# ── summary, intent, rewriting, HyDE, reranking ──


@pytest.mark.spec("COG-03", "WORK-09")
def test_a_summary_that_says_nothing_is_refused() -> None:
    for text in ("", "[摘要] "):
        with pytest.raises(Refused, match="must not be empty"):
            read("summary.segment.zh", summary=text)


def test_lists_belong_to_a_session_only() -> None:
    assert read("summary.segment.en", summary="x", todos=["y"]).todos == ()
    assert read("summary.session.en", summary="x", todos=["y"]).todos == ("y",)


@pytest.mark.spec("COG-14")
def test_the_target_of_a_cross_agent_task_is_one_that_was_shown() -> None:
    assert read("intent.en", intent="cross_agent", target_agent="qa").target_agent == "qa"
    assert read("intent.en", intent="bug_fix", target_agent="qa").target_agent is None
    assert read("intent.en", intent="cross_agent", target_agent="root").target_agent is None
    alone = INTENT.read(IntentRequest(message="x"), INTENT.reply(intent="cross_agent", target_agent="qa"))
    assert alone.target_agent is None


@pytest.mark.spec("KB-02")
def test_rewritten_queries_are_other_wordings() -> None:
    response = read(
        "rewriting.en", queries=["How do I change her address", "  address\nupdate ", "address update", "b", "c"]
    )
    assert response.queries == ("address update", "b")
    assert read("rewriting.en", queries=["b", "HOW do I change her address", "c"]).queries == ("b", "c")
    assert read("rewriting.en", queries=["how do I change her address"]).queries == ()
    with pytest.raises(Refused):
        read("rewriting.en", queries=[" "])


@pytest.mark.spec("KB-03")
def test_an_imagined_passage_ends_with_a_sentence() -> None:
    response = read("hyde.en", text="An index makes queries faster. " * 60)
    assert len(response.passage) <= 800
    assert response.passage.endswith("faster.")
    with pytest.raises(Refused):
        read("hyde.en", text=" \n")


def test_passages_without_a_score_come_last_in_their_order() -> None:
    passages = tuple(PassageToRank(passage_id=f"p-{n}", text="x") for n in range(4))
    role = all_roles()["reranking"]
    reply = role.reply.model_validate({"scores": [{"passage": 3, "score": 9}, {"passage": 4, "score": 0}]})
    response = role.read(RerankingRequest(query="q", passages=passages), reply)
    assert [(one.passage_id, one.score) for one in response.ranked] == [
        ("p-2", 0.9),
        ("p-0", 0.0),
        ("p-1", 0.0),
        ("p-3", 0.0),
    ]
    with pytest.raises(Refused):
        role.read(RerankingRequest(query="q", passages=passages), role.reply(scores=({"passage": 5, "score": 1},)))


def test_a_passage_that_is_given_twice_is_no_request() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        RerankingRequest(
            query="q", passages=(PassageToRank(passage_id="a", text="x"), PassageToRank(passage_id="a", text="y"))
        )
