import pytest

from remanent.language.offline.answer_finding import find_answer
from remanent.language.offline.values import case_told

LEAVE = "Leave depends on service: 1 to 10 years: 5 days; 10 to 20 years: 10 days; more than 20 years: 15 days."
LEAVE_ZH = "年休假按工龄计算：工作满1年不满10年的，休5天；满10年不满20年的，休10天；满20年的，休15天。"


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (LEAVE, "How much leave is there after 12 years?", "Leave depends on service: … 10 to 20 years: 10 days …"),
        (LEAVE, "How much leave is there after eight years?", "Leave depends on service: 1 to 10 years: 5 days …"),
        (LEAVE, "And after twenty-two years?", "Leave depends on service: … more than 20 years: 15 days."),
        (LEAVE, "And after ten years?", "Leave depends on service: 1 to 10 years: 5 days; 10 to 20 years: 10 days …"),
        (LEAVE, "And after six months?", ""),
        (LEAVE_ZH, "工作八年有几天年假？", "年休假按工龄计算：工作满1年不满10年的，休5天…"),
        (LEAVE_ZH, "工作十年可以休几天？", "年休假按工龄计算：…满10年不满20年的，休10天…"),
        (LEAVE_ZH, "工龄25年的呢？", "年休假按工龄计算：…满20年的，休15天。"),
        (
            "Parcels up to 2 kg cost 4 euros, parcels from 2 to 5 kg cost 7 euros, and those over 5 kg cost 12 euros.",
            "What does a parcel of 3 kg cost?", "… parcels from 2 to 5 kg cost 7 euros …",
        ),
        (
            "Those with between 2 and 5 years get 12 days and those with between 5 and 9 years get 15 days.",
            "What after 6 years?", "… and those with between 5 and 9 years get 15 days.",
        ),
        ("Up to 10 users pay 5 euros, up to 50 users 4 euros.", "What do 8 users pay?", "Up to 10 users pay 5 euros …"),
        ("满50元减5元，满100元减12元，满200元减30元。", "买120元能减多少？", "…满100元减12元…"),
        ("一公斤以内8元，一到三公斤12元，超过三公斤20元。", "两公斤多少钱？", "…一到三公斤12元…"),
        ("6周岁以下免票，6至14周岁半价，14周岁以上全价。", "8岁要买票吗？", "…6至14周岁半价…"),
    ],
)  # fmt: skip
def test_of_several_cases_the_one_asked_of_is_told(text: str, question: str, told: str) -> None:
    assert case_told(question, text) == told


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (LEAVE, "How much leave is there?"),
        ("It was built from 1934 to 1950.", "Was it there in 1940?"),
        ("The bridge carries up to 40 tonnes.", "May a truck of 50 tonnes cross?"),
        ("The course takes 2 to 3 weeks and costs up to 500 euros.", "Is it over in 4 weeks?"),
        ("After 5 years he moved to Ghent.", "Where was he after 4 years?"),
        ("连续工作满12个月可享受年假，离职提前30天。", "工作八年有年假吗？"),
    ],
)
def test_what_bounds_something_by_itself_is_no_case(text: str, question: str) -> None:
    assert case_told(question, text) is None


@pytest.mark.parametrize(
    ("text", "question", "right"),
    [
        ("Leave:\n- less than 3 years: 21 days\n- 3 to 8 years: 24 days\n- over 8 years: 28 days\n",
         "How much leave after 5 years?", "24 days"),
        ("年假天数\n不满3年的年假21天。\n3年以上不满8年的年假24天。\n8年以上的年假28天。\n",
         "五年工龄年假几天？", "24天"),
    ],
)  # fmt: skip
def test_of_cases_in_sentences_of_their_own_only_the_right_one_answers(text: str, question: str, right: str) -> None:
    said = find_answer(question, [text], titles=["Leave 年假"]).text
    assert right in said
    assert "21" not in said
    assert "28" not in said
