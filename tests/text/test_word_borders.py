from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.word_borders import sign_borders, word_borders

some_text = st.text(st.characters() | st.sampled_from("the cat's 我们去了北京，。 \n👨\u200d👩e\u0301"))


@settings(deadline=None)
@given(some_text)
def test_word_borders_rise_to_the_end_and_lie_in_no_spaced_word(text: str) -> None:
    borders = word_borders(text)
    assert borders == sorted(set(borders))
    assert borders[-1:] == ([len(text)] if text else [])
    ascii_letters = [text[place - 1 : place + 1] for place in borders[:-1]]
    assert not any(pair.isascii() and pair.isalnum() for pair in ascii_letters)


@given(some_text)
def test_sign_borders_rise_to_the_end(text: str) -> None:
    borders = sign_borders(text)
    assert borders == sorted(set(borders))
    assert borders[-1:] == ([len(text)] if text else [])


def test_words_keep_what_closes_them() -> None:
    text = "我们去了北京，用Python写 code. Done"
    borders = [0, *word_borders(text)]
    parts = [text[start:end] for start, end in pairwise(borders)]
    assert parts == ["我们", "去", "了", "北京，", "用", "Python", "写 ", "code. ", "Done"]
