import pytest

from remanent.language.role import Toolbox
from remanent.language.roles.extraction import EXTRACTION, SHORT_TERM, ExtractedFact, ExtractionRequest, FactKind
from remanent.language.shapes import Utterance


async def facts(
    *texts: str, kinds: tuple[FactKind, ...] = tuple(FactKind), limit: int = 20, speaker: str = "user"
) -> tuple[ExtractedFact, ...]:
    said = tuple(Utterance(text=text, speaker=speaker) for text in texts)
    return (await EXTRACTION.offline(ExtractionRequest(utterances=said, kinds=kinds, limit=limit), Toolbox())).facts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer dark mode in my editor.", FactKind.PREFERENCE),
        ("我喜欢简短的回答。", FactKind.PREFERENCE),
        ("We decided to use Postgres.", FactKind.DECISION),
        ("我们决定用 Rust 重写。", FactKind.DECISION),
        ("Don't forget to send the invoice by Friday.", FactKind.FOLLOW_UP),
        ("明天要给客户回电话。", FactKind.FOLLOW_UP),
        ("我明天要给客户回电话。", FactKind.FOLLOW_UP),
        ("I'm really frustrated with this build.", FactKind.MOOD),
        ("I'm really frustrated with the build.", FactKind.MOOD),
        ("我最近好累。", FactKind.MOOD),
        ("I live in Porto with two cats.", FactKind.FACT),
        ("我住在厦门。", FactKind.FACT),
        ("Can you write a letter to the bank?", FactKind.REQUEST),
        ("帮我写一封邮件", FactKind.REQUEST),
        ("We have deployed the new version.", FactKind.COMPLETION),
        ("Fixed the flaky test by pinning the clock.", FactKind.COMPLETION),
        ("Done: I wrote the report.", FactKind.COMPLETION),
        ("登录页已经部署好了。", FactKind.COMPLETION),
    ],
)
async def test_people_say_what_they_mean_in_few_ways(text: str, kind: FactKind) -> None:
    assert [fact.kind for fact in await facts(text)] == [kind]


@pytest.mark.parametrize(
    "text", ["The sky was grey.", "天气不错。", "You don't need to call.", "ok", "不用再打电话了。"]
)
async def test_what_is_none_of_it_is_passed_over(text: str) -> None:
    assert await facts(text, kinds=SHORT_TERM) == ()


@pytest.mark.parametrize("texts", [("The door code is 4711.", "Remember this!"), ("门禁密码是4711。", "记住这个")])
async def test_what_is_to_be_remembered_is_kept_and_confirmed(texts: tuple[str, str]) -> None:
    (fact,) = await facts(*texts)
    assert "4711" in fact.content
    assert fact.confirmed
    assert fact.sources == (0,)
    (fact,) = await facts(*texts, kinds=SHORT_TERM)
    assert fact.confirmed


async def test_the_reason_is_kept() -> None:
    (fact,) = await facts("We decided to use Postgres because it is stable.")
    assert fact.reason == "it is stable"
    (fact,) = await facts("我们决定用 Rust，因为性能好。")
    assert fact.reason == "性能好"


async def test_a_fact_says_who_spoke_where_its_words_do_not() -> None:
    (fact,) = await facts("I prefer tea.", speaker="Ada")
    assert fact.content == "Ada: I prefer tea."
    (fact,) = await facts("我喜欢喝茶。")
    assert fact.content == "用户：我喜欢喝茶。"


async def test_an_assistant_has_no_preferences() -> None:
    assert await facts("I like this idea a lot.", speaker="assistant", kinds=SHORT_TERM) == ()


async def test_what_is_said_twice_is_one_fact_from_two_places() -> None:
    (fact,) = await facts("I prefer tea.", "I prefer tea!")
    assert fact.sources == (0, 1)


async def test_of_too_many_the_most_important_are_kept_in_their_order() -> None:
    found = await facts("I feel happy today.", "We decided to move.", "I prefer tea.", kinds=SHORT_TERM, limit=2)
    assert [fact.kind for fact in found] == [FactKind.DECISION, FactKind.PREFERENCE]


async def test_only_what_was_asked_for_is_given() -> None:
    assert await facts("I prefer tea. We decided to move.", kinds=(FactKind.MOOD,)) == ()
