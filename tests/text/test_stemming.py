import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.words import stem

ONE_WORD = [
    "run runs running ran",
    "city cities",
    "move moves moved moving",
    "hope hopes hoped hoping",
    "hop hops hopped hopping",
    "study studies studied studying",
    "decide decides decided deciding",
    "create creates created creating",
    "change changes changed changing",
    "raise raises raised raising",
    "travel travels traveled travelled traveling travelling",
    "call calls called calling",
    "install installs installed installing",
    "control controls controlled controlling",
    "add adds added adding",
    "pass passes passed passing",
    "church churches",
    "cache caches cached caching",
    "headache headaches",
    "shoe shoes",
    "potato potatoes",
    "movie movies",
    "family families",
    "supply supplies supplied supplying",
    "quick quickly",
    "happy happily",
    "complete completes completed completely",
    "possible possibly",
    "live lives lived living",
    "use uses used using",
    "write writes writing wrote written",
    "die dies died dying",
    "buy buys buying bought",
    "go goes going went gone",
    "child children",
    "bus buses",
    "ski skis skied skiing",
    "wedding weddings",
]

APART = [
    "hop hope",
    "car care",
    "plan plane",
    "win wine",
    "us use",
    "new news",
    "even evening",
    "unit united",
    "past paste",
    "ten tense",
    "university universe",
    "organ organization",
    "business busy",
    "policy police",
    "general generate",
    "wed wedding",
    "sky ski",
]

UNTOUCHED = "this thing king bring spring bed red need speed only early july italy bus gas texas lens"


@pytest.mark.parametrize("forms", ONE_WORD)
def test_the_forms_of_one_word_meet_in_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("words", APART)
def test_different_words_keep_different_stems(words: str) -> None:
    stems = [stem(word) for word in words.split()]
    assert len(set(stems)) == len(stems)


@pytest.mark.parametrize("word", UNTOUCHED.split())
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word


@given(st.text(string.ascii_lowercase, min_size=1, max_size=30))
def test_a_stem_is_never_empty_and_grows_by_one_letter_at_most(word: str) -> None:
    key = stem(word)
    assert key
    assert key.isalpha()
    assert len(key) <= len(word) + 1
