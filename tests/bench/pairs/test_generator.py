from collections import Counter

from bench.pairs import PairKind, memory_pairs
from bench.pairs.generator import COUNTS, _han, _spelled
from remanent.text.scripts import language_of


def test_the_same_seed_gives_the_same_pairs_and_another_seed_gives_others() -> None:
    assert memory_pairs(seed=3) == memory_pairs(seed=3)
    assert memory_pairs(seed=3) != memory_pairs(seed=4)


def test_there_are_four_hundred_pairs_of_every_kind_half_of_them_chinese() -> None:
    pairs = memory_pairs()
    assert len(pairs) == 400
    assert Counter(pair.kind for pair in pairs) == COUNTS
    assert Counter(pair.language for pair in pairs) == {"en": 200, "zh": 200}
    assert sum(pair.kind is PairKind.PARAPHRASE for pair in pairs) == 100


def test_no_pair_says_the_same_words_twice_and_none_comes_again() -> None:
    pairs = memory_pairs()
    assert all(pair.older != pair.newer for pair in pairs)
    assert len({(pair.older, pair.newer) for pair in pairs}) == len(pairs)


def test_what_is_newer_was_said_later() -> None:
    assert all(pair.older_at < pair.newer_at for pair in memory_pairs())


def test_each_pair_is_in_its_language_and_every_place_is_filled() -> None:
    for pair in memory_pairs():
        for text in (pair.older, pair.newer):
            assert "{" not in text
            assert language_of(text) in ({"en"} if pair.language == "en" else {"zh", "mixed"})


def test_numbers_are_written_as_people_write_them() -> None:
    assert [_spelled(number) for number in (7, 20, 45, 850, 1200, 15000)] == [
        "seven",
        "twenty",
        "forty-five",
        "eight hundred and fifty",
        "one thousand two hundred",
        "fifteen thousand",
    ]
    assert [_han(number) for number in (7, 12, 20, 67, 1800, 15000, 60000)] == [
        "七",
        "十二",
        "二十",
        "六十七",
        "一千八百",
        "一万五千",
        "六万",
    ]
