"""An answer is held against what the bank was given and what tools found: what nothing bears out is marked."""

from pathlib import Path

import pytest

import remanent
from remanent.bank.adapter.framework import Execution, Transcript
from remanent.bank.run import BankRun, backed, evidence_in
from remanent.language.tagged_turns import ToolCall
from tests.bank.desk import Desk, desk
from tests.bank.test_run import Anything

GIVEN = {
    "vell": "The station of Vell was opened in 1904. Its architect was Ada Holm.",
    "holm": "Ada Holm. She was born in Torvik and studied in Dresden.",
    "zh": "维尔车站于1904年启用。首任站长是王建国。",
    "fill": " ".join(f"Depot {name} holds tea from house {name}{name}." for name in map(chr, range(97, 123))) * 20,
    "late": f"{'x y z ' * 10}" + " ".join(f"word{number}" for number in range(400)) + " The bridge is painted ochre.",
}


async def asked(folder: Path, question: str, texts: list[str]) -> Desk:
    made = desk(folder)
    await made.bank.start(question)
    for text in texts:
        await made.bank.observe(text)
    return made


@pytest.mark.parametrize(
    ("question", "answer", "entries"),
    [
        ("Who was the architect of the station?", "Ada Holm", ("vell", "holm")),
        ("When was the station of Vell opened?", "1904", ("vell", "zh")),
        ("When was the station of Vell opened?", "The station of Vell was opened in 1904.", ("vell",)),
        ("Where was the architect of the station of Vell born?", "Torvik", ("holm",)),
        ("Who drew it?", "The architect of the station of Vell, Ada Holm, was born in Torvik.", ("vell", "holm")),
        ("What colour is the bridge?", "The answer is ochre.", ("late",)),
        ("Was the station opened before 1910?", "Yes.", ()),
        ("车站是1904年启用的吗？", "是的。", ()),
        ("首任站长是谁？", "王建国", ("zh",)),
        (
            "Who was the first master?",
            "Not enough is known: neither memory nor the results contain an answer.",
            (),
        ),
    ],
)
def test_a_right_answer_is_not_marked_and_names_the_texts_that_hold_it(
    question: str, answer: str, entries: tuple[str, ...]
) -> None:
    (sentence,) = backed(answer, GIVEN, asked=question)
    assert (sentence.supported, sentence.entry_ids) == (True, entries)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was the architect?", "The answer is the Eiffel Tower, 1889, built by 5,000 penguins."),
        ("Who was the architect?", "Here's what I think 😀 {{{ not json ]]"),
        ("When was the station of Vell opened?", "The station of Vell was opened in 1911."),
        ("What was stored in the station?", "Mostly furniture."),
        ("首任站长是谁？", "首任站长是李大明。"),
        ("车站何时启用？", "车站于1911年启用。"),
    ],
)
def test_an_answer_with_names_figures_or_words_that_stand_nowhere_is_marked(question: str, answer: str) -> None:
    assert not any(sentence.supported for sentence in backed(answer, GIVEN, asked=question))


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        (
            "Who designed the station of Vell?",
            "It was designed by Ada Holm. She had 5,000 penguins.",
            "It was designed by Ada Holm. She had 5,000 penguins. [unsupported]",
        ),
        ("维尔车站由谁设计？", "由李大明设计。", "由李大明设计。 ［无依据］"),
        ("Who designed the station of Vell?", "The Eiffel Tower, 1889.", "The Eiffel Tower, 1889. [unsupported]"),
    ],
)
async def test_a_run_marks_what_nothing_bears_out_and_cites_only_what_does(
    tmp_path: Path, question: str, answer: str, told: str
) -> None:
    texts = [
        "The station of Vell was designed by Ada Holm.",
        "维尔车站由王建国设计。",
        "Bread is baked at dawn in Vell.",
    ]
    made = await asked(tmp_path, question, texts)
    result = await BankRun(made.adapter, Anything(answer)).resume()
    assert (result.answer, result.marked_answer, result.end) == (answer, told, "done")
    cited = [made.bank.tree.entry(entry_id).text for entry_id in result.entry_ids]
    assert cited == (texts[:1] if "Ada" in answer else [])
    behind = [{entry.text for entry in made.bank.tree.of(node_id)} for node_id in result.node_ids]
    assert [texts[0] in one for one in behind] == [True for _ in cited]


async def test_what_the_agent_says_is_no_evidence_and_what_its_tools_find_is(tmp_path: Path) -> None:
    made = await asked(tmp_path, "Who designed the station of Vell?", ["The station of Vell was opened in 1904."])
    await made.adapter.plan()
    found, thought, claim = "The register names Ada Holm.", "Perhaps Karl Brandt drew it.", "Lars Dahl drew it."
    call = ToolCall(name="register", arguments={"query": "Inga Solberg"})
    context = f"{thought}\n\n{claim}\n\n{found}\n\n{claim}"
    await made.adapter.intercept(Execution(answer=claim, context=context, said=(thought, claim), tool_calls=(call,)))
    known = "\n".join(evidence_in(made.bank.tree.entries).values())
    assert found in known
    assert not any(name in known for name in ("Brandt", "Dahl", "Solberg"))
    again = await asked(tmp_path / "again", "Who designed the station of Vell?", ["It was opened in 1904."])
    await again.adapter.plan()
    await again.adapter.intercept(Execution(answer=claim, context=f"{thought}\n\n{claim}"))
    assert [*evidence_in(again.bank.tree.entries).values()] == ["It was opened in 1904."]


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("How high is Mount Kelt?", "The survey of 2019: Mount Kelt is 3,412 metres high."),
        ("维尔车站由谁设计？", "维尔车站由王建国设计。"),
    ],
)
def test_an_answer_that_quotes_the_only_source_is_not_marked(question: str, source: str, tmp_path: Path) -> None:
    with remanent.open(tmp_path) as memory, memory.bank(question, sources={"survey": source}) as bank:
        result = bank.run()
    assert source.rstrip("。") in result.answer
    assert result.marked_answer == result.answer


@pytest.mark.parametrize(
    ("found", "answer", "supported"),
    [
        ("The survey of 2019: Mount Kelt is 3,412 metres high.", "Mount Kelt is 3,412 metres high.", True),
        ("The survey of 2019: Mount Kelt is 3,412 metres high.", "412", False),
        ("Nothing was found on: Mount Kelt is 9,999 metres high.", "Mount Kelt is 9,999 metres high.", False),
        ("维尔车站由王建国设计。", "王建国", True),
        ("维尔车站由王建国设计。", "李大明", False),
    ],
)
async def test_what_a_tool_tells_bears_out_an_answer_in_its_words_unless_it_only_repeats_the_agent(
    found: str, answer: str, supported: bool, tmp_path: Path
) -> None:
    question = "How high is Mount Kelt? 维尔车站由谁设计？"
    made = await asked(tmp_path, question, [])
    await made.adapter.plan()
    transcript = Transcript(())
    transcript.call(ToolCall(name="register", arguments={"query": "Mount Kelt is 9,999 metres high."}))
    transcript.result("register", found)
    transcript.say(f"So {answer}")
    await made.adapter.intercept(transcript.execution(answer))
    (sentence,) = backed(answer, evidence_in(made.bank.tree.entries), asked=question)
    assert sentence.supported is supported
