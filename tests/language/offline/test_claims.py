from datetime import UTC, datetime

import pytest

from remanent.language.offline.claims import ParsedClaim, TokenKind, read_claim, read_claims

MAY = datetime(2025, 5, 1, tzinfo=UTC)


def denied(text: str) -> set[str]:
    return {token.text for token in read_claim(text).tokens if token.denied}


def former(text: str) -> set[str]:
    return {token.text for token in read_claim(text).tokens if token.former and token.part is not TokenKind.PERSON}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The tests do not pass.", {"pass"}),
        ("Nobody locked the door.", {"locked", "door"}),
        ("She refused to sign the contract.", {"sign", "contract"}),
        ("The service lacks support for proxies.", {"support", "proxies"}),
        ("He doesn't eat meat, but he eats fish.", {"eat", "meat"}),
        ("他不会游泳。", {"游泳"}),
        ("合同还没有签。", {"签"}),
        ("这家店从来没有打过折。", {"打过", "折"}),
        ("没人锁门。", {"人", "锁门"}),
    ],
)
def test_what_is_denied_is_what_the_denial_reaches(text: str, words: set[str]) -> None:
    assert denied(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "He not only sings but also dances.",
        "It is not true that nobody came.",
        "There is no doubt about it.",
        "她不仅聪明,还很勤奋。",
        "他不是不喜欢苹果。",
        "小吴不得不加班。",
        "差不多有三十人。",
        "人不少。",
    ],
)
def test_what_only_looks_like_a_denial_denies_nothing(text: str) -> None:
    assert not {word for word in denied(text) if word != "true"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ada moved from Berlin to Lisbon.", {"Berlin"}),
        ("Yuri no longer smokes.", {"smokes"}),
        ("Mia used to play chess.", {"play", "chess"}),
        ("Tom sold his boat.", {"boat"}),
        ("She resigned from Acme.", {"Acme"}),
        ("老周不再抽烟。", {"抽烟"}),
    ],
)
def test_what_a_change_left_behind_held_before(text: str, words: set[str]) -> None:
    assert former(text) == words
    assert read_claim(text).is_change


def keys(claim: ParsedClaim) -> list[str]:
    return [token.key for token in claim.tokens]


def test_words_of_one_meaning_have_one_key() -> None:
    assert keys(read_claim("Tom purchased a bike.")) == keys(read_claim("Tom buys bicycles."))
    assert keys(read_claim("他购买了自行车。"))[-2:] == keys(read_claim("他又买了单车。"))[-2:]


def test_names_amounts_and_times_are_told_from_words() -> None:
    parts = {
        token.text: token.part for token in read_claim("On 3 May Ada paid 40 euros in Lisbon.", said_at=MAY).tokens
    }
    assert parts["3 May"] is TokenKind.TIME
    assert parts["40 euros"] is TokenKind.AMOUNT
    assert parts["Ada"] is parts["Lisbon"] is TokenKind.NAME
    assert parts["paid"] is TokenKind.WORD
    parts = {token.text: token.part for token in read_claim("5月3日王芳在里斯本付了40元。", said_at=MAY).tokens}
    assert parts["5月3日"] is TokenKind.TIME
    assert parts["40元"] is TokenKind.AMOUNT
    assert parts["王芳"] is TokenKind.NAME


def subject_of(*texts: str) -> list[str]:
    return [token.text for token in read_claims(texts)[-1].subject]


def test_a_pronoun_and_a_word_for_what_it_is_stand_for_what_a_text_begins_with() -> None:
    title, first = "Tai Chi Hero.", "Tai Chi Hero is a 2012 film by Stephen Fung."
    assert subject_of(title, first, "It was shot in Beijing.") == ["Tai", "Chi", "Hero"]
    assert subject_of(title, first, "The film was shot in Beijing.") == ["Tai", "Chi", "Hero"]
    assert subject_of("G. Stanley Hall.", "Hall was a psychologist.")[-2:] == ["Stanley", "Hall"]
    assert subject_of("Mill, New Corvia.", "The population was 1,247.") == ["Mill", "New", "Corvia", "population"]
    assert subject_of(title, first, "Stephen Fung was born in Hong Kong.") == ["Stephen", "Fung"]


def test_who_says_so_is_not_what_it_is_about() -> None:
    assert subject_of("According to a blog, Mount Kelt is 3,412 metres high.") == ["Mount", "Kelt"]
    for lead in (
        "The obituary in the local paper reports that",
        "As the encyclopaedia has it,",
        "It is stated in it that",
    ):
        assert subject_of(f"{lead} Mount Kelt is 3,412 metres high.") == ["Mount", "Kelt"]
    for whole, word in (
        ("Breeds of dogs are mostly tied to the states that they come from.", "dog"),
        ("As of the 2010 United States Census, the population was 922.", "2010"),
        ("It was recorded in the session that produced the song.", "record"),
    ):
        assert word in {token.key for token in read_claim(whole).tokens}
    assert subject_of("有报道称，凯尔特山海拔3412米。")[0] in {"凯尔特山", "凯尔特"}


@pytest.mark.parametrize(
    "lead",
    ["Per the archive, ", "It turns out that ", "Experts now believe that ", "Research has shown that ", "Apparently ",
     "Based on newer data, ", "The guidebook has it that ", "To be precise, ", "My teacher told me that "],
)  # fmt: skip
def test_whoever_says_so_in_english_is_left_out(lead: str) -> None:
    assert subject_of(f"{lead}Oslo lies in Norway.") == ["Oslo"]


@pytest.mark.parametrize(
    "lead",
    [
        "根据新公布的材料，",
        "按照当地说法，",
        "网友指出",
        "其实",
        "听说",
        "最新研究表明，",
        "史书上记载",
        "但另一本书提到，",
        "经查，",
    ],
)
def test_whoever_says_so_in_chinese_is_left_out(lead: str) -> None:
    assert subject_of(f"{lead}王府井位于北京。") == ["王府井"]


@pytest.mark.parametrize(
    ("text", "subject"),
    [("小说，是一种文学体裁。", "小说"), ("官方称号为岚溪郡。", "官方"), ("资料说明位于首页。", "资料")],
)
def test_what_only_looks_like_a_source_is_what_it_is_about(text: str, subject: str) -> None:
    assert subject_of(text)[0] == subject


def test_a_value_alone_is_said_of_what_was_spoken_of_before() -> None:
    claim = read_claims(["Mount Kelt is 3,412 metres high.", "A blog says 3,298."])[-1]
    assert [token.text for token in claim.subject] == ["Mount", "Kelt"]
    assert [token.amount.unit for token in claim.tokens if token.amount] == ["m"]


@pytest.mark.parametrize("text", ["Is the server down?", "服务器宕机了吗?", "他是不是走了", "那不是你的么"])
def test_a_question_is_no_claim(text: str) -> None:
    assert read_claim(text).is_question


@pytest.mark.parametrize(
    "text", ["If it rains, we stay.", "We ship only if tests pass.", "如果下雨就不去。", "也许他会来。"]
)
def test_a_claim_under_a_condition_is_marked(text: str) -> None:
    assert read_claim(text).is_conditional


@pytest.mark.parametrize("text", ["Formerly the shop sold shoes.", "他以前是司机。", "小时候她住在农村。"])
def test_a_claim_about_the_past_is_marked(text: str) -> None:
    assert read_claim(text).is_past


def test_what_stands_before_the_verb_is_the_opening() -> None:
    opening = [token.text for token in read_claim("Her older daughter plays the cello.").tokens if token.opening]
    assert opening == ["Her", "older", "daughter"]
    opening = [token.text for token in read_claim("公司的总部在上海。").tokens if token.opening]
    assert opening == ["公司", "总部"]


def test_any_text_can_be_read() -> None:
    for text in ("", "。", "…", "12", "!!!", "\ud83d", "a" * 5000, "不" * 500):
        read_claim(text)


def test_a_name_is_not_taken_for_who_says_so() -> None:
    assert subject_of("Corvian States parliamentary election, 1987.", "It was held in November.")[:2] == [
        "Corvian",
        "States",
    ]
