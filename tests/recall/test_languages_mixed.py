"""A store in two languages: a question finds its answer in whichever it was told."""

from pathlib import Path

import remanent

CHINESE = ["我女儿小满下周一上幼儿园。", "我的手机是小米14。", "我养了一只橘猫叫毛豆。", "我每周三晚上去打羽毛球。"]
ENGLISH = [
    "My car is a white BYD Han.",
    "I quit the Italian lessons, too busy.",
    "The printer is on the second floor.",
]


def test_lines_in_the_language_of_a_question_do_not_stand_before_an_answer_in_another(tmp_path: Path) -> None:
    with remanent.open(tmp_path, recall={"path_timeout": 60, "load_timeout": 120}) as memory:
        ada = memory.agent("ada")
        ada.remember([*CHINESE, *ENGLISH])
        memory.settle()
        first = {
            question: ada.recall(question).items[0].text
            for question in (
                "When does my daughter start kindergarten?",
                "What phone do I use?",
                "Do I have a cat?",
                "Why did I stop the Italian lessons?",
                "Which floor is the printer on?",
            )
        }
        assert list(first.values()) == [*CHINESE[:3], *ENGLISH[1:]]
