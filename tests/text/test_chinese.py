from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.chinese import cut, is_known, rarity, tagged

any_text = st.text(
    st.characters() | st.sampled_from("的一是了我不人在他有这上们来到时大地为子中你说生国年着就那和要她出也得里后")
)


@settings(deadline=None)  # the first text loads the dictionary
@given(any_text)
def test_tagged_words_cover_the_text_without_a_gap(text: str) -> None:
    words = tagged(text)
    assert "".join(word.text for word in words) == text
    assert [word.start for word in words] == [0, *(word.end for word in words)][: len(words)]
    assert all(text[word.start : word.end] == word.text for word in words)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cut_words_are_the_text_when_joined(text: str) -> None:
    assert "".join(cut(text)) == text


def test_parts_of_speech_tell_names_and_places() -> None:
    tags = {word.text: word.tag for word in tagged("王小明昨天去了北京大学")}
    assert tags["王小明"] == "nr"
    assert tags["北京大学"] == "nt"
    assert tags["昨天"] == "t"


def test_a_common_word_is_less_rare_than_a_special_one() -> None:
    assert rarity("我们") < rarity("机器") < rarity("量子") < rarity("拓扑绝缘体")
    assert is_known("量子")
    assert not is_known("拓扑绝缘体")
