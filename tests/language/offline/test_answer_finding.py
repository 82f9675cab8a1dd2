import pytest

from remanent.language.offline.answer_finding import LONGEST_ANSWER, find_answer
from remanent.language.offline.evidence import (
    Contradiction,
    contradiction_in,
    settle_contradiction,
    source_texts,
)
from remanent.language.role import Toolbox
from remanent.language.roles.integration import INTEGRATION, IntegrationOutcome, IntegrationRequest, Trigger
from remanent.language.roles.react import REACT, ReactRequest, ToolDefinition, ToolResult, Turn
from remanent.language.shapes import GraphNode

SEARCH = ToolDefinition(name="search", description="Search.", parameters={"properties": {"query": {"type": "string"}}})
HEIGHTS = Contradiction("Mount Kelt is 3,298 metres high.", "Mount Kelt is 3,412 metres high.")


def found(*sources: str) -> str:
    return "# Mount Kelt\n" + "\n".join(f"{number}. [t{number}] page\n{text}" for number, text in enumerate(sources, 1))


def test_the_statement_of_more_sources_holds() -> None:
    results = [found(HEIGHTS.newer, HEIGHTS.older, "The survey says it. Mount Kelt is 3,412 metres high.")]
    verdict = settle_contradiction(HEIGHTS, results)
    assert verdict.startswith("Mount Kelt is 3,412 metres high.")
    assert "“Mount Kelt is 3,298 metres high.” is wrong" in verdict


def test_when_sources_are_even_nothing_is_decided() -> None:
    verdict = settle_contradiction(HEIGHTS, [found(HEIGHTS.newer, HEIGHTS.older)])
    assert "cannot be determined" in verdict
    assert "cannot be determined" in settle_contradiction(HEIGHTS, [])


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I moved from Porto to Osaka.", "I live in Porto."),
        ("我从厦门搬到了成都。", "我住在厦门。"),
    ],
)
def test_a_change_that_is_told_needs_no_sources(newer: str, older: str) -> None:
    for matter in (Contradiction(newer, older), Contradiction(older, newer)):
        verdict = settle_contradiction(matter, [])
        assert verdict.startswith(newer)
        assert f"“{older}”" in verdict


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("user: My monthly rent is 1200 dollars now.", "user: I pay 850 dollars of rent a month."),
        ("我现在改坐轮渡上班。", "我坐公交车上班。"),
    ],
)
def test_what_is_said_of_now_holds_against_what_was_said_before(newer: str, older: str) -> None:
    verdict = settle_contradiction(Contradiction(newer, older), [])
    assert verdict.startswith(newer)


@pytest.mark.parametrize(
    ("right", "wrong", "verdict"),
    [
        ("北原观测站的启用时间是1987年。", "北原观测站于1931年启用。", "{right} 多数来源支持这一说法。“{wrong}”有误。"),
        ("我现在改坐轮渡上班。", "我坐公交车上班。", "{right} 这是后来的情况。“{wrong}”已过时。"),
        ("The rent is 1200 dollars now.", "The rent is 850 dollars.", "{right} “{wrong}” is outdated."),
    ],
)
async def test_a_verdict_that_quotes_what_is_wrong_upholds_what_is_right(right: str, wrong: str, verdict: str) -> None:
    nodes = (GraphNode(node_id="right", summary=right), GraphNode(node_id="wrong", summary=wrong))
    said = verdict.format(right=right, wrong=wrong)
    request = IntegrationRequest(nodes=nodes, trigger=Trigger.CONFLICT, validation=said)
    response = await INTEGRATION.offline(request, Toolbox())
    assert (response.outcome, response.upheld) == (IntegrationOutcome.INTEGRATED, ("right",))
    assert wrong.rstrip(".。") not in response.summary


def test_a_task_is_about_a_matter_only_when_it_says_two_statements() -> None:
    task = '<task>x</task><conflict id="c"><description>a is 1 / a is 2</description><claim>x</claim></conflict>'
    assert contradiction_in(task) == Contradiction("a is 1", "a is 2")
    assert contradiction_in("<task>a / b</task>") is None
    assert contradiction_in(task.replace(" / ", " against ")) is None


async def test_the_agent_looks_at_sources_once_before_it_decides() -> None:
    said = f"{HEIGHTS.newer} / {HEIGHTS.older}"
    task = f'<task>Current task: settle it</task>\n<conflict id="c"><description>{said}</description></conflict>'
    first = await REACT.offline(ReactRequest(task=task, tools=(SEARCH,)), Toolbox())
    assert [call.name for call in first.tool_calls] == ["search"]
    result = ToolResult(name="search", content=found(HEIGHTS.older, "Mount Kelt is 3,412 metres high, they say."))
    second = await REACT.offline(
        ReactRequest(task=task, tools=(SEARCH,), turns=(Turn(said=first.said, results=(result,)),)), Toolbox()
    )
    assert second.answer is not None
    assert second.answer.startswith("Mount Kelt is 3,412 metres high.")


DOCUMENTS = (
    "Corvale Academy. Corvale Academy, opened in 1823, is a residential music school for girls in Keldia.",
    "Edith Farrow. Edith Farrow was born in Lisse, Keldia. She graduated from Corvale Academy and studied law.",
    "Riga Park. Riga Park is a public park in Ontario. It was opened in 1987.",
    "Velmora. Velmora is a city in Tarrin province.",
    "Ostrelle. Ostrelle is a city in Torrin province.",
)


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was Riga Park opened?", "1987"),
        ("Edith Farrow graduated from what residential music school for girls?", "Corvale Academy"),
        ("Are Velmora and Ostrelle both in the same province?", "No: "),
    ],
)
def test_a_question_of_one_hop_or_two_is_answered_by_the_sentence_that_holds_it(question: str, expected: str) -> None:
    found = find_answer(question, DOCUMENTS)
    assert found.is_good
    assert expected in " ".join(found.sentences)[:LONGEST_ANSWER]


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which was opened first, Riga Park or Corvale Academy?", "Corvale Academy"),
        ("Which was opened more recently, Corvale Academy or Riga Park?", "Riga Park: It was opened in 1987."),
        ("Who died first, Oda Lund or Per Holm?", "Per Holm"),
        ("Who was born earlier, Oda Lund or Per Holm?", "Oda Lund"),
        ("青石桥和白云塔哪个建成更早？", "青石桥"),
        ("青石桥和白云塔，哪座较新？", "白云塔"),
    ],
)
def test_which_of_two_things_came_first_is_told_by_the_years_that_are_said_of_them(
    question: str, expected: str
) -> None:
    people = ("Oda Lund. Oda Lund (1850 – 1931) was a painter.", "Per Holm. Per Holm (1861 – 1902) was a painter.")
    places = ("青石桥。青石桥建成于1876年，横跨青石河。", "白云塔。白云塔高40米，1902年建成。")
    found = find_answer(question, [*DOCUMENTS, *people, *places])
    assert found.is_good
    assert found.sentences[0].startswith(expected)
    assert len(found.text) <= LONGEST_ANSWER


@pytest.mark.spec("USE-10")
def test_two_long_sentences_are_told_without_their_asides_and_cut_between_words() -> None:
    aside = "former names: Old Vell, Vellmore, or Velhaven; dialect: Velm"
    told = "is the seat of the oldest of the three universities of mining that the country has"
    texts = (
        f"Velmora. Velmora ({aside}) is a city in Tarrin province, and {told}.",
        f"Ostrelle. Ostrelle (founded in 1377) is a city in Torrin province, and {told}.",
        f"Lisse. Lisse (founded in 1204) is a city in Torrin province, and {told}.",
    )
    same = find_answer("Are Velmora and Ostrelle both in the same province?", texts)
    assert same.text.startswith("No: Velmora is a city in Tarrin province, and is the seat")
    first = find_answer("Which was founded first, Ostrelle or Lisse?", texts)
    assert first.text.startswith("Lisse (founded in 1204) is a city")
    for sentence in (*same.sentences, *first.sentences):
        assert sentence.endswith("…")
        assert sentence.rstrip("…").split()[-1] in told.split()


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("2035年世界杯冠军是谁？", "机场正准备2010年世界杯，主跑道将延长至3,000米。", False),
        ("2010年世界杯期间机场做了什么准备？", "机场正准备2010年世界杯，主跑道将延长至3,000米。", True),
        ("Who won the Riga regatta of 2035?", "The Riga regatta of 2019 was won by Oda Lund.", False),
        ("Who won the Riga regatta of 2019?", "The Riga regatta of 2019 was won by Oda Lund.", True),
        ("Who won the Riga regatta of 2035?", "The Riga regatta was won by Oda Lund.", True),
    ],
)
def test_what_is_said_of_one_year_does_not_answer_for_another(question: str, text: str, answers: bool) -> None:
    found = find_answer(question, [text, "The weather in Riga is mild."])
    assert bool(found.sentences) is answers


@pytest.mark.spec("USE-10")
def test_which_came_first_is_not_told_where_one_has_no_year() -> None:
    found = find_answer("Which is older, Velmora or Riga Park?", DOCUMENTS)
    assert len(found.sentences) == 1 or found.score < 1


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    "question", ["Who designed the lighthouse of Vell?", "When was the mayor of Oslo born?", "维尔车站是谁设计的？"]
)
def test_what_no_text_holds_is_not_answered(question: str) -> None:
    assert not find_answer(question, DOCUMENTS).is_good


@pytest.mark.spec("USE-10")
def test_of_a_sentence_that_is_too_long_for_an_answer_the_part_that_answers_is_given() -> None:
    text = (
        "Vell Station. The station of Vell, a terminus on the northern line that was planned by a consortium of seven "
        "towns, paid for by a lottery and delayed by three wars, two floods and a quarrel over the gauge, was opened "
        "by Queen Astrid in 1931."
    )
    found = find_answer("Who opened the station of Vell?", [text])
    assert found.sentences == (text.removeprefix("Vell Station. "),)  # whole, for whoever cites it
    assert len(found.text) <= LONGEST_ANSWER
    assert "Queen Astrid" in found.text


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "黄鳍紫鱼的身体是什么颜色的？",
            "黄鳍紫鱼，又称黄鳍姬鲷，为笛鲷科的其中一个种。本鱼分布于西太平洋区。身体呈淡蓝红色。栖息深度达250米。",
            "身体呈淡蓝红色。",
        ),
        (
            "What does the Vell ferry carry?",
            "The Vell ferry is a boat of 1911. It was painted green last spring. It carries mail and forty passengers.",
            "It carries mail and forty passengers.",
        ),
    ],
)
def test_what_a_text_begins_with_is_what_its_other_sentences_speak_of(question: str, text: str, answer: str) -> None:
    found = find_answer(question, [text, "The harbour of Marn was dug in 1802."])
    assert found.sentences[0] == answer
    assert found.is_good


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        # What is rare outweighs the rest: that the film is named is no word on its author's university.
        (
            "What kind of university did the author of The Glass Orchard of Seven Silent Winter Bells attend?",
            [
                "Emily Cooper. She is known for her role in the film The Glass Orchard of Seven Silent Winter Bells.",
                "Oslo. A town by the sea.",
            ],
        ),
        (
            "What country was the author of Brand a citizen of?",
            ["Ann Ash. Ann Ash is an author and citizen of brand management."],
        ),
        (
            "What is the country where Borlo is located named after?",
            ["Borla. Borla is a country located and named after a river."],
        ),
        ("Which of the two storms killed the most people?", ["Storms. Two storms killed five people on April 2."]),
        (
            "Are Watertown Airport and Velmora Airport both in the same state?",
            ["NY 12F. NY 12F serves Watertown Airport in the same state.", "Velmora Airport Road. It is a road."],
        ),
        (
            "In which city is Toad Hall, a hall of a university?",
            ["Asian Institute. It is in a hall of a university in the city of Toronto."],
        ),
    ],
)
def test_what_does_not_speak_of_what_is_named_and_asked_answers_nothing(question: str, texts: list[str]) -> None:
    assert not find_answer(question, texts).is_good


def test_the_second_hop_goes_to_a_text_whose_title_tells_it_from_others_of_that_name() -> None:
    texts = [
        "Wonderland. Engel Humper recorded the song in his 1968 album.",
        "Engel Humper (singer). Engel Humper is an English pop singer. He has sold more than 150 million records.",
    ]
    question = "Wonderland is a song by an English pop singer that has sold more than how many records?"
    assert "150 million" in find_answer(question, texts).text


def test_of_two_sentences_the_one_with_the_words_beside_what_is_asked_answers() -> None:
    texts = [
        "Rhis. Following the 1063 invasion by Harold and Tostig Godwin, Rhis received Powys from King Edward.",
        "Tostig Godwin. Tostig Godwin was a Saxon Earl of Umbria and brother of King Harold.",
    ]
    question = "Following the 1063 invasion by Harold and Tostig Godwin, who was a Saxon Earl of which place?"
    assert "Umbria" in find_answer(question, texts).sentences[0]


@pytest.mark.parametrize(
    ("question", "title", "text", "answer"),
    [
        (
            "How long do I bake the bread?",
            "Bread",
            "Bake the bread at 180 °C in the middle of the oven. Bake it for 45 minutes.",
            "Bake it for 45 minutes.",
        ),
        (
            "年假有几天？",
            "员工手册",
            "年假须提前申请。工作满一年的员工每年有10天年假。未休完的年假可以顺延到次年三月底。",
            "工作满一年的员工每年有10天年假。",
        ),
    ],
)
def test_an_amount_of_what_is_counted_answers_wherever_its_words_are_cut(
    question: str, title: str, text: str, answer: str
) -> None:
    found = find_answer(question, [text], titles=[title])
    assert found.sentences == (answer,)
    assert found.is_good


@pytest.mark.spec("USE-10")
def test_which_of_two_things_is_so_is_told_by_what_is_said_of_both() -> None:
    people = (
        'Nick Hexum. Nicholas Lofton "Nick" Hexum is an American singer, songwriter and rapper, now the vocalist.',
        "Mark King. He is most famous for being the lead singer and bassist of the band Level 42, which he founded.",
        "Cryptantha Hexum. Cryptantha Hexum is an American plant.",
    )
    told = find_answer("Which singer is American, Mark King or Nick Hexum?", people)
    assert told.is_good
    assert told.text.startswith('Nicholas Lofton "Nick" Hexum is an American singer')
    assert "Mark King: He is most famous" in told.text
    assert len(told.text) <= LONGEST_ANSWER
    assert not find_answer("Which singer is American, Mark King or Ann Hexum?", people).is_good


@pytest.mark.spec("USE-10")
def test_who_is_spoken_of_is_named_where_the_sentence_that_answers_does_not() -> None:
    texts = [
        'David Weissman. David Weissman is a screenwriter and director. His film credits include "Evolution" (2001).',
        'Evolution. "Evolution" is a film with the actor David Duchovny.',
    ]
    told = find_answer('What screenwriter has film credits for "Evolution"?', texts)
    assert told.text.startswith('David Weissman: His film credits include "Evolution" (2001).')
    assert told.sentences[0] == 'His film credits include "Evolution" (2001).'


@pytest.mark.spec("USE-10")
def test_a_question_that_begins_with_its_question_asks_for_what_follows_and_not_for_what_it_describes() -> None:
    texts = [
        "University of Kansas. The main campus is in Lawrence. Two branch campuses are in the Kansas City area.",
        "Kansas Song. Kansas Song is a fight song of the University of Kansas.",
    ]
    question = "What is the fight song of the university whose branch campuses are in the Kansas City area?"
    assert find_answer(question, texts).text.startswith("Kansas Song is a fight song")


@pytest.mark.spec("USE-10")
def test_what_speaks_of_none_of_the_names_in_a_question_answers_nothing() -> None:
    texts = [
        "Dwyer Arena. The main rink can seat up to 1,400 people and is the home to a team which plays in a league.",
        "Lewiston. The Lewiston Maineiacs were founded in Lewiston.",
    ]
    question = "The arena where the Lewiston Maineiacs played their home games can seat how many people?"
    assert not find_answer(question, texts).is_good


def test_the_id_under_which_a_text_was_found_is_not_its_title() -> None:
    result = (
        "# Riga\n1. [01a1ebde-52b2-7374-acf7-39b1607ee52f] context\nRiga Park. It was opened.\n2. [Riga] a page\nMore."
    )
    assert source_texts(result) == ["# Riga", "Riga Park. It was opened.", "2. [Riga] a page\nMore."]


OUTAGE = [
    "Incident review. The outage began at 14:07 and ended at 15:32. The on-call engineer was Dana Kim.",
    "Support report. Support received 412 tickets.",
    "复盘报告。故障的原因是连接池耗尽。故障从14:07开始，到15:32结束。首任经理是王珊。",
    "客服记录。有7900笔订单失败。旧店长于五月离任。",
]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who was the on-call engineer and how many tickets did support receive?", ("Dana Kim", "412")),
        ("故障的原因是什么，有多少笔订单失败？", ("连接池耗尽", "7900")),
        ("How long did the outage last?", ("14:07", "15:32")),
        ("故障持续了多久？", ("14:07", "15:32")),
    ],
)
def test_both_parts_of_a_question_and_what_lies_between_two_times_are_told(
    question: str, answers: tuple[str, str]
) -> None:
    told = find_answer(question, OUTAGE)
    assert told.is_good
    assert all(answer in told.text for answer in answers)
    assert "离任" not in find_answer("首任经理是谁，何时离任？", OUTAGE).text


def test_what_a_text_made_of_several_says_is_told_under_the_name_that_stands_before_it() -> None:
    text = "From a blog. Mount Kelt has snow all year. From a magazine. Mount Kelt is 3,412 metres high."
    told = find_answer("How high is Mount Kelt?", [text])
    assert told.said[0] == "From a magazine: Mount Kelt is 3,412 metres high."


@pytest.mark.parametrize(
    ("question", "texts", "gold"),
    [
        (
            "In which country was the architect of the Aldern bridge born?",
            ["From a guide. The Aldern bridge was designed by Jonas Rehn. It is 412 metres long.",
             "lexicon\nJonas Rehn, architect, was born in Estonia in 1902 and died in Oslo in 1971."],
            "Estonia",
        ),
        (
            "Who founded the company that bought Zenith Labs?",
            ["From a paper. Zenith Labs was bought by Corden Group in 2018.",
             "From a register. Corden Group was founded by Mary Quill."],
            "Quill",
        ),
        (
            "云溪大桥的设计师出生在哪个省？",
            ["摘自手册。云溪大桥由周远设计。云溪大桥全长4.2公里。", "人物志\n周远，建筑师，1932年生于云南省。"],
            "云南",
        ),
        ("启明软件的创办人在哪里出生？", ["启明软件由韩冬创办。", "韩冬出生于厦门，毕业于浙江大学。"], "厦门"),
    ],
)  # fmt: skip
def test_whom_one_sentence_names_another_may_tell_of(question: str, texts: list[str], gold: str) -> None:
    found = find_answer(question, texts)
    assert found.is_good
    assert gold in found.text
    alone = find_answer(question, texts[:1])
    assert gold not in alone.text
    assert alone.onward  # a name to search for, and what is not told of it


def test_a_title_that_says_no_more_than_the_question_answers_nothing() -> None:
    question = "How does one hide an item from rustdoc?"
    found = find_answer(question, ["rustdoc", "It writes pages."], titles=["Hide an item", "Pages"])
    assert "rustdoc" not in found.sentences


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Who is the mayor of Torvik?",
            "Nils Berg, the former mayor of Torvik, lives in Bergen. Torvik's mayor since 2020 is Anne Lie.",
            "Torvik's mayor since 2020 is Anne Lie.",
        ),
        (
            "托维克镇长是谁？",
            "托维克前镇长尼尔斯住在卑尔根。二〇二〇年起托维克镇长是安妮。",
            "二〇二〇年起托维克镇长是安妮。",
        ),
        (
            "托维克前镇长是谁？",
            "托维克前镇长尼尔斯住在卑尔根。二〇二〇年起托维克镇长是安妮。",
            "托维克前镇长尼尔斯住在卑尔根。",
        ),
        ("Who is the mayor of Torvik?", "Nils Berg, the former mayor of Torvik, lives in Bergen.", ""),
        (
            "Who was the mayor of Torvik?",
            "Nils Berg, the former mayor of Torvik, lives in Bergen.",
            "Nils Berg, the former mayor of Torvik, lives in Bergen.",
        ),
    ],
)
def test_who_held_an_office_before_is_named_only_where_that_is_asked(question: str, text: str, answer: str) -> None:
    assert find_answer(question, [text]).text == answer


FERRY = "Notice A: The ferry leaves at 08:10.\n\nUpdate: the ferry now leaves at 08:40 instead of 08:10."


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("When does the ferry leave?", FERRY, "08:40"),
        ("What does a ticket cost?", "A ticket costs 12 euros.\n\nNow a ticket costs 14 instead of 12 euros.", "14"),
        ("When is the launch?", "The launch is on 3 May.\n\nThe launch was postponed from 3 May to 10 May.", "10 May"),
        ("Who coaches it?", "Jon Bell coaches it.\n\nNow Mia Roth coaches it instead of Jon Bell.", "Mia"),
        ("渡轮几点开？", "公告：渡轮8:10开船。\n\n更新：渡轮开船时间由8:10改为8:40。", "8:40"),
        ("项目负责人是谁？", "项目负责人是张伟。\n\n通知：项目负责人由张伟变更为李娜。", "李娜"),
        ("课程几点开始？", "课程9:00开始。\n\n教务处：课程改为10:30开始，不再是9:00。", "10:30"),
    ],
)
def test_what_says_that_it_came_in_the_place_of_a_value_answers_before_that(
    question: str, text: str, told: str
) -> None:
    assert told in find_answer(question, [text]).text


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "When does ferry A leave?",
            "Ferry A leaves at 08:10.\n\nFerry B now leaves at 08:40 instead of 08:10.",
            "Ferry A leaves at 08:10.",
        ),
        ("What does Bo drink?", "Ada now drinks tea instead of coffee.\n\nBo drinks coffee.", "Bo drinks coffee."),
        ("二号线票价多少？", "二号线票价5元。\n\n一号线票价由5元调整为6元。", "二号线票价5元。"),
    ],
)
def test_a_value_of_another_thing_or_of_before_is_not_replaced(question: str, text: str, answer: str) -> None:
    assert find_answer(question, [text]).text == answer
