"""Parting, structuring, cutting, annotating and shortening texts without a model."""

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.language.offline.claims import named_speaker
from remanent.language.offline.salience import salient_sentences, summary_statements
from remanent.language.role import Toolbox
from remanent.language.roles.annotation import ANNOTATION, AnnotationRequest
from remanent.language.roles.classification import CLASSIFICATION, ClassificationRequest, ClassificationResponse
from remanent.language.roles.segmentation import SEGMENTATION, Segment, SegmentationRequest
from remanent.language.roles.summary import STRUCTURE, SUMMARY, StructureRequest, SummaryLevel, SummaryRequest
from remanent.language.shapes import MAX_SEGMENT, Utterance
from remanent.text.spans import word_boundaries
from remanent.text.summary import compress_within
from remanent.text.tokens import ESTIMATE
from tests.language.offline.fakes import WordEmbedder

TOOLBOX = Toolbox()
SUNDAY = datetime(2024, 5, 12, 9, tzinfo=UTC)
QUANTUM = "Quantum chips hold qubits. Errors of qubits grow with the number of qubits on a chip. IBM's chip has 1,121."
BREAD = "Bread dough of flour and yeast must rest overnight. A crust of bread needs steam in the oven, hot bread too."
WORDS = st.sampled_from(
    "Ada moved to Lisbon in May. 没有 人 反对 计划。 The budget is 40,000 euros, not more! 他说：好的； \n\n".split(" ")
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)


# ── parting ──────────────────────────────────────────────────────────────────


async def parted(text: str, *, find_question: bool = False) -> ClassificationResponse:
    return await CLASSIFICATION.offline(
        ClassificationRequest(text=text, find_question=find_question), Toolbox(WordEmbedder())
    )


async def test_topics_that_take_turns_are_told_apart() -> None:
    found = await parted("\n\n".join([QUANTUM, BREAD, QUANTUM.replace("IBM", "Google"), BREAD.replace("hot", "dark")]))
    assert found.should_cluster
    assert [("qubits" in cluster.content, "bread" in cluster.content) for cluster in found.clusters] == [
        (True, False),
        (False, True),
    ]
    assert all(cluster.context and cluster.keywords for cluster in found.clusters)


@pytest.mark.parametrize(
    ("said", "speaker"),
    [("Human: I moved to Leeds.", "Human"), ("AI: I booked your seat.", "Ai"), ("Caroline: I moved.", "Caroline")],
)
async def test_who_stands_before_pasted_words_spoke_all_of_them(said: str, speaker: str) -> None:
    text = f"{said} " + "The house is old and its garden is large. " * 5 + "\n\nI like it."
    made = await SEGMENTATION.offline(SegmentationRequest(utterances=(Utterance(text=text, speaker="user"),)), TOOLBOX)
    assert made.segments[-1].text.startswith(f"{speaker}: The house")


async def test_a_line_of_a_form_names_no_speaker() -> None:
    said = Utterance(text="Model: X100. " + "The device is small. " * 10 + "\n\nI like it.", speaker="Ada")
    made = await SEGMENTATION.offline(SegmentationRequest(utterances=(said,)), TOOLBOX)
    assert made.segments[-1].text.startswith("Ada: The device")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("明天第一件事：给周工发邮件", "明天（2024-05-13）第一件事：给周工发邮件"),
        ("欧阳明天：给周工发邮件", "欧阳明天（2024-05-13）：给周工发邮件"),
        ("小王：明天给周工发邮件", "小王：明天（2024-05-13）给周工发邮件"),
    ],
)
async def test_what_stands_before_a_colon_is_said_once_whether_a_heading_or_a_name(said: str, kept: str) -> None:
    request = SegmentationRequest(utterances=(Utterance(text=said, speaker="user", occurred_at=SUNDAY),))
    assert [piece.text for piece in (await SEGMENTATION.offline(request, TOOLBOX)).segments] == [kept]


def test_a_chinese_heading_is_nobodys_name() -> None:
    assert [named_speaker(f"{label}：好") for label in ("小王", "陶若溪", "欧阳娜娜", "阿珍")] == [
        "小王",
        "陶若溪",
        "欧阳娜娜",
        "阿珍",
    ]
    assert not any(named_speaker(f"{label}：好") for label in ("明天第一件事", "有个事你帮我记着", "下周安排", "备注"))


async def test_a_text_of_one_topic_is_one_cluster() -> None:
    for text in (QUANTUM, f"{QUANTUM}\n\n{QUANTUM}", "A note.", "一条笔记。"):
        found = await parted(text)
        assert not found.should_cluster
        assert len(found.clusters) == 1
        assert found.clusters[0].content == text


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"{QUANTUM}\n\nWhich chip has the most qubits?", "Which chip has the most qubits?"),
        (f"Which chip has the most qubits? {QUANTUM}", "Which chip has the most qubits?"),
        (f"{QUANTUM}\n\nPlease summarise the text.", "Please summarise the text."),
        ("量子芯片有很多比特。错误随之增加。\n\n问题：哪家的比特最多", "问题：哪家的比特最多"),
        ("量子芯片有很多比特。错误随之增加。请总结一下。", "请总结一下。"),
        (QUANTUM, ""),
    ],
)
async def test_the_users_own_question_is_taken_out(text: str, question: str) -> None:
    assert (await parted(text, find_question=True)).question == question


async def test_a_text_that_is_all_question_has_no_cluster() -> None:
    found = await parted("Who wrote Dune?", find_question=True)
    assert found.question == "Who wrote Dune?"
    assert found.clusters == ()


@given(TEXTS.filter(str.strip), st.booleans())
@settings(max_examples=50)
async def test_no_character_is_lost_or_doubled(text: str, find_question: bool) -> None:
    found = await CLASSIFICATION.offline(ClassificationRequest(text=text, find_question=find_question), TOOLBOX)
    taken = sorted((part.start, part.end) for cluster in found.clusters for part in cluster.stretches)
    assert all(before[1] <= after[0] for before, after in pairwise(taken))
    covered = sum(end - start for start, end in taken)
    assert covered + len(found.question) <= len(text)
    rest = "".join(
        text[end:start] for (_, end), (start, _) in zip([(0, 0), *taken], [*taken, (len(text), 0)], strict=True)
    )
    assert rest.strip() == found.question
    for cluster in found.clusters:
        assert cluster.content == "".join(text[part.start : part.end] for part in cluster.stretches)


# ── structuring ──────────────────────────────────────────────────────────────


async def test_a_summary_keeps_names_numbers_dates_and_denials_before_anything_else() -> None:
    filler = " ".join(
        f"It was a nice day and people talked about thing {word}." for word in "abcdefghijklmnopqrstuvwxyz"
    )
    text = f"{filler} On 3 May 2024 Ada met the team in Lyon. Nobody objected. The budget is 40,000 euros. {filler}"
    summary = (await STRUCTURE.offline(StructureRequest(content=text), TOOLBOX)).summary
    assert len(summary) < len(text)
    for kept in ("3 May 2024", "Ada", "Lyon", "Nobody objected", "40,000 euros"):
        assert kept in summary


async def test_every_line_of_a_summary_stands_in_the_text() -> None:
    text = "2024年5月3日团队在里昂开会。没有人反对计划。预算是4万元。天气不错。"
    summary = (await STRUCTURE.offline(StructureRequest(content=text), TOOLBOX)).summary
    lines = summary.splitlines()
    assert lines[0] == "要点："
    assert all(line.removeprefix("- ") in text for line in lines if line.startswith("- "))


def test_statements_are_what_a_summary_says_without_its_form() -> None:
    summary = "Key facts:\n- Ada lives in Lisbon. She has a cat.\n1. 预算是4万元。\nEvidence:\n- Ada lives in Lisbon.\n"
    assert summary_statements(summary) == ["Ada lives in Lisbon.", "She has a cat.", "预算是4万元。"]


def test_the_sentence_about_what_is_asked_tells_most() -> None:
    text = "The printer is broken. Ada lives in Lisbon. The sky is blue. Tea is hot."
    assert salient_sentences(text, about="Where does Ada live?", most=1) == ["Ada lives in Lisbon."]
    assert salient_sentences("", most=3) == []


# ── cutting ──────────────────────────────────────────────────────────────────


async def pieces(*texts: str, before: tuple[str, ...] = (), speaker: str = "user") -> tuple[Segment, ...]:
    said = tuple(Utterance(text=text, speaker=speaker, occurred_at=SUNDAY) for text in texts)
    earlier = tuple(Utterance(text=text) for text in before)
    return (await SEGMENTATION.offline(SegmentationRequest(utterances=said, earlier=earlier), TOOLBOX)).segments


async def test_a_pronoun_becomes_the_one_name_that_fits() -> None:
    (piece,) = await pieces("She works as a nurse.", before=("Anna moved to Leeds.",))
    assert piece.text == "Anna works as a nurse."


async def test_a_pronoun_that_could_mean_two_stays() -> None:
    (piece,) = await pieces("She works as a nurse.", before=("Anna met Mary.",))
    assert piece.text == "She works as a nurse."


async def test_whose_words_they_are_and_which_day_is_meant_is_said() -> None:
    (piece,) = await pieces("I moved to Leeds yesterday.", speaker="Ada")
    assert piece.text == "Ada: I moved to Leeds yesterday (2024-05-11)."
    (piece,) = await pieces("我昨天搬到了杭州。")
    assert piece.text == "用户：我昨天（2024-05-11）搬到了杭州。"


@pytest.mark.spec("USE-11")
@pytest.mark.parametrize(
    "text", ["方案请在周五之前改好。", "报告星期三要交。", "Please send the draft on Friday.", "我的生日是5月3日。"]
)
async def test_a_day_that_may_be_past_or_to_come_stays_as_it_was_said(text: str) -> None:
    (piece,) = await pieces(text)
    assert piece.text.endswith(text), "on a Sunday, Friday is either"


async def test_small_talk_is_no_memory() -> None:
    assert await pieces("Hi there!", "ok, thanks", "你好", "好的，谢谢！", "…") == ()


@given(st.lists(TEXTS, min_size=1, max_size=4))
@settings(max_examples=50)
async def test_pieces_are_short_and_cover_all_that_was_said(texts: list[str]) -> None:
    found = await pieces(*texts)
    assert all(len(piece.text) <= MAX_SEGMENT for piece in found)
    for number, text in enumerate(texts):
        places = [place for piece in found for place in piece.places if place.utterance == number]
        inside = {position for place in places for position in range(place.start, place.end)}
        missing = "".join(sign for position, sign in enumerate(text) if position not in inside and sign.isalnum())
        assert not missing or not places


# ── annotating ───────────────────────────────────────────────────────────────

LONG = "Anna Weber moved to Leeds in May 2023 and works as a nurse. She does not drive. Her flat costs 900 pounds."
LANG = "小丽在2023年5月搬到杭州,现在在省人民医院当护士。她不开车。房租每月3000元,比上海便宜。"


@pytest.mark.parametrize("text", [LONG, LANG])
async def test_a_memory_gets_a_phrase_and_keywords_and_stays_as_it_is(text: str) -> None:
    found = await ANNOTATION.offline(AnnotationRequest(text=text), TOOLBOX)
    assert found.content == text
    assert 10 <= len(found.phrase) <= 20
    assert 3 <= len(found.keywords) <= 5


@pytest.mark.spec("ASSOC-04")
@pytest.mark.parametrize(
    ("text", "phrase", "keywords", "unwanted"),
    [
        # Neither who is spoken to nor how somebody feels about it is what it is about.
        ("Ben: Wow, Anna! That's awesome. I found a second-hand cello at the flea market.",
         "second-hand cello", {"flea market"}, {"Anna", "Wow"}),
        ("Ann: Thanks, Ben! I'm gonna keep practicing the guitar. My sister plays the drums.",
         "plays the drums", {"guitar", "sister", "drums"}, {"Ben", "gonna", "practicing"}),
        # Not torn off before what belongs to it.
        ("Ben: Combining your two hobbies into a bakery is clever.", "two hobbies", {"hobbies", "bakery"}, set()),
        ("Ann: What did you see there?", "What did you see", set(), set()),
        ("我们家的扫地机器人真是太棒了，就是充电有点慢。", "我们家的扫地机器人", {"机器人"}, {"太棒了", "有点"}),
        ("我去的那个景区是雁荡山公园。", "我去的那个景区是雁荡山公园", {"景区"}, set()),
        # A word that is longer than a phrase is cut, rather than what it is said of.
        ("我的同事的邮箱是wanglinghua1207@example.com。", "我的同事的邮箱是wang", {"同事", "邮箱"}, set()),
    ],
)  # fmt: skip
async def test_phrases_and_keywords_are_what_a_person_would_write(
    text: str, phrase: str, keywords: set[str], unwanted: set[str]
) -> None:
    found = await ANNOTATION.offline(AnnotationRequest(text=text), TOOLBOX)
    assert phrase in found.phrase
    assert 10 <= len(found.phrase) <= 20
    assert 3 <= len(found.keywords) <= 5 or "What did you" in text
    assert all(any(word in one for one in found.keywords) for word in keywords)
    assert not unwanted & set(found.keywords)


@pytest.mark.parametrize("text", [LONG, LANG])
@pytest.mark.parametrize("target", [10, 20, 40, 80])
async def test_a_memory_is_compressed_to_its_length_and_never_inside_a_word(text: str, target: int) -> None:
    found = await ANNOTATION.offline(AnnotationRequest(text=text, target_length=target), TOOLBOX)
    assert 0 < len(found.content) <= target
    spaced = re.compile(r"[A-Za-z0-9]+")
    assert set(spaced.findall(found.content)) <= set(spaced.findall(text))
    ends = {text[:border].rstrip(" ,，。.") for border in word_boundaries(text)}
    for part in re.findall(r"[一-鿿]+", found.content):
        assert any(end.endswith(part) for end in ends)


async def test_what_tells_most_is_what_is_kept() -> None:
    found = await ANNOTATION.offline(AnnotationRequest(text=LONG, target_length=60), TOOLBOX)
    assert found.content.startswith("Anna Weber moved to Leeds")


@pytest.mark.parametrize(
    ("text", "target", "result"),
    [
        ("Jon: Hey Gina! Lost my job as a banker yesterday.", 40, "Jon: Lost my job as a banker yesterday."),
        ("Ann: Thanks, Ben! I got the idea from a fashion mag.", 30, "Ann: idea from a fashion mag"),
        ("Ben: Wow, Ann, that is amazing! Are you well? We meet at McGee's Pub on May 3.", 40, "McGee's Pub on May 3"),
        (
            "Ben: It looks great! [shares a picture: a photo of a bowl of ice cream with a spoon]",
            45,
            "bowl of ice cream",
        ),
        ("用户：周晓琳是我的下属，其年龄是34岁。", 12, "周晓琳 年龄 34岁"),
        ("用户：你好！我下周去青岛参加新品发布会。", 12, "青岛"),
    ],
)
async def test_what_a_memory_is_about_is_kept_before_greetings_and_names(text: str, target: int, result: str) -> None:
    now, length = text, len(text)
    while length > target:  # as scans do it: a little less each time
        length = max(target, int(length * 0.97))
        now = (await ANNOTATION.offline(AnnotationRequest(text=now, target_length=length), TOOLBOX)).content
    assert result in now
    assert len(now) <= target
    assert now.count("[") == now.count("]")
    assert not re.search(r"\b(?:Hey|Wow|Thanks)\b|你好|用户", now)


@given(TEXTS.filter(str.strip), st.integers(1, 300))
@settings(max_examples=100)
def test_a_compression_is_as_short_as_it_must_be_and_no_shorter_than_it_need_be(text: str, target: int) -> None:
    found = compress_within(text, target)
    assert len(found) <= target
    assert found
    if len(text) <= target:
        assert found == text


@pytest.mark.parametrize("text", ["ok", "。", "Supercalifragilisticexpialidocious", "好", "🙂" * 40])
async def test_anything_can_be_annotated(text: str) -> None:
    found = await ANNOTATION.offline(AnnotationRequest(text=text, target_length=5), TOOLBOX)
    assert 0 < len(found.content) <= 5
    assert 0 < len(found.phrase) <= 20


# ── shortening ───────────────────────────────────────────────────────────────

MEETING = (
    Utterance(text="Let's build the login page. It must support SSO."),
    Utterance(speaker="assistant", text="I suggest OAuth. We decided to use OAuth with PKCE."),
    Utterance(text="Don't forget to renew the certificate by Friday."),
    Utterance(text="As agreed, comments are in English. The page is not deployed."),
)
BESPRECHUNG = (
    Utterance(text="我们来做登录页，必须支持单点登录。"),
    Utterance(speaker="assistant", text="建议用 OAuth。我们决定用 OAuth。"),
    Utterance(text="别忘了周五前续证书。我们约定注释用中文。页面没有部署。"),
)


@pytest.mark.parametrize(
    ("level", "said", "mark"),
    [
        (SummaryLevel.SEGMENT, MEETING, "[summary] "),
        (SummaryLevel.SEGMENT, BESPRECHUNG, "[摘要] "),
        (SummaryLevel.COMPACTION, MEETING, "[compacted] "),
        (SummaryLevel.SESSION, MEETING, "[session digest] "),
        (SummaryLevel.SESSION, BESPRECHUNG, "[会话概要] "),
    ],
)
async def test_a_summary_has_its_mark_and_keeps_to_its_tokens(
    level: SummaryLevel, said: tuple[Utterance, ...], mark: str
) -> None:
    for limit in (40, 80, 400):
        found = await SUMMARY.offline(SummaryRequest(level=level, utterances=said, max_tokens=limit), TOOLBOX)
        assert found.text.startswith(mark)
        assert ESTIMATE(found.text) <= limit


async def test_a_session_lists_decisions_to_dos_and_agreements() -> None:
    found = await SUMMARY.offline(SummaryRequest(level=SummaryLevel.SESSION, utterances=MEETING), TOOLBOX)
    assert found.decisions == ("Assistant: We decided to use OAuth with PKCE.",)
    assert "User: Don't forget to renew the certificate by Friday." in found.todos
    assert found.agreements == ("User: As agreed, comments are in English.",)
    found = await SUMMARY.offline(SummaryRequest(level=SummaryLevel.SESSION, utterances=BESPRECHUNG), TOOLBOX)
    assert found.decisions == ("助手：我们决定用 OAuth。",)
    assert "用户：别忘了周五前续证书。" in found.todos
    assert found.agreements == ("用户：我们约定注释用中文。",)


async def test_what_matters_outlives_small_talk_when_there_is_little_room() -> None:
    chat = (*MEETING, *(Utterance(text=f"I went for a walk and looked at cloud {name}.") for name in "abcdefghij"))
    found = await SUMMARY.offline(SummaryRequest(utterances=chat, max_tokens=60), TOOLBOX)
    assert "OAuth" in found.text or "SSO" in found.text
    assert found.text.count("cloud") <= 1


async def test_earlier_summaries_go_into_the_new_one() -> None:
    request = SummaryRequest(
        level=SummaryLevel.COMPACTION, utterances=MEETING, earlier=("[compacted] Ada began on 3 May.",)
    )
    assert "Ada began on 3 May." in (await SUMMARY.offline(request, TOOLBOX)).text
    alone = SummaryRequest(level=SummaryLevel.SESSION, earlier=("[summary] Ada began on 3 May.",))
    assert (await SUMMARY.offline(alone, TOOLBOX)).text == "[session digest] Ada began on 3 May."
