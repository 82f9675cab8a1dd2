import subprocess
import sys
import unicodedata
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import MissingDependency
from remanent.text import chinese
from remanent.text.terms import held_terms, index_terms, query_terms, telling_part

# Every plane with assigned letters in it; the rest is empty or private.
ALL_CODES = [*range(0x40000), *range(0xE0000, 0xE1000)]
any_text = st.text(st.characters())  # lone surrogates, controls and unassigned characters included


def is_term(term: str) -> bool:
    return 0 < len(term) <= 64 and all(unicodedata.category(character)[0] in "LN" for character in term)


def finds(query: str, text: str) -> bool:
    return not set(query_terms(query)).isdisjoint(index_terms(text))


def batched(codes: list[int], size: int) -> Iterator[list[int]]:
    return (codes[start : start + size] for start in range(0, len(codes), size))


# ── what finds what ──────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("run", "She was running late"),
        ("Where did she move?", "I moved to Lisbon"),
        ("city", "both cities"),
        ("cafe", "the Café at the corner"),
        ("Café", "a cafe"),
        ("email", "her e-mail"),
        ("e-mail", "her email"),
        ("GPT4", "we use GPT-4"),
        ("max_size", "the maxSize option"),
        ("server", "raise HTTPServerError"),
        ("example.com", "see https://www.example.com/a?b=c"),
        ("ada@example.com", "write to <Ada@Example.com>."),
        ("lovelace", "ada.lovelace@example.com"),
        ("2023-05-08", "on 2023/5/8"),
        ("May 8", "2023-05-08"),
        ("3.14", "pi is 3.14."),
        ("1000000", "1,000,000 people"),
        ("Ada", "Ada's bike"),
        ("homme", "l'homme"),
        ("里斯本", "我五月搬到了里斯本。"),
        ("她住在哪里？", "我住在北京"),
        ("我的猫叫什么名字？", "我养了一只猫"),
        ("猫", "黑猫警长"),
        ("２０２３年", "2023年"),
        ("Ｐｙｔｈｏｎ", "我用Python写代码"),
        ("东京", "我去过东京塔"),
        ("タワー", "東京タワーへ行きました"),
        ("東京", "東京タワーへ行きました"),
        ("서울", "서울에서 친구를 만났다"),
        ("집", "집에 간다"),
        ("ไทย", "ภาษาไทย"),
        ("हिन्दी", "हिन्दी भाषा"),
        ("𠮷", "𠮷野家"),
        ("strasse", "Hauptstraße 5, Straße"),
        ("C++", "written in C++"),
    ],
)
def test_a_question_finds_the_text(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("314", "pi is 3.14"),
        ("news", "a new car"),
        ("hope", "hopping rabbits"),
        ("What did Ada do there?", "What is it? I did that there"),
        ("他说了什么？北京", "我们说了什么"),
        ("C# code", "C++ programs"),
        ("かき", "がぎ"),
    ],
)
def test_a_question_does_not_find_what_only_looks_alike(query: str, text: str) -> None:
    telling = [term for term in query_terms(query) if term != "c"]
    assert set(telling).isdisjoint(index_terms(text))


def test_compounds_give_the_whole_and_the_parts() -> None:
    assert index_terms("2023-05-08") == ["20230508", "2023", "05", "5", "08", "8"]
    assert set(index_terms("parse_HTMLDocument")) == {"parsehtmldocument", "pars", "html", "document", "htmldocument"}
    assert {"adaexamplecom", "ada", "examplecom", "com"} <= set(index_terms("ada@example.com"))
    assert {"3\u01c014", "3", "14"} == set(index_terms("3.14"))


def test_chinese_gives_characters_pairs_and_longer_words() -> None:
    assert sorted(index_terms("里斯本")) == sorted(["里", "斯", "本", "里斯", "斯本", "里斯本"])


def test_terms_repeat_in_the_index_and_not_in_a_question() -> None:
    assert index_terms("Cats, cat and CAT").count("cat") == 3
    assert query_terms("Cats, cat and CAT") == ["cat"]


# ── stop words ───────────────────────────────────────────────────────────────


def test_stop_words_leave_a_question_that_has_something_else() -> None:
    assert query_terms("Where did she live, and with whom?") == ["live"]
    assert query_terms("张伟的家乡是哪里？")[:2] == ["张伟", "家乡"]
    assert query_terms("she'll say that it's Ada's") == ["say", "ada"]


@pytest.mark.parametrize("query", ["who is he", "The Who", "是谁", "的", "我"])
def test_a_question_of_stop_words_alone_keeps_them(query: str) -> None:
    assert query_terms(query)
    assert finds(query, query)


def test_ill_shell_and_wed_are_not_taken_for_contractions() -> None:
    assert query_terms("was she ill when they wed") == ["ill", "wed"]


# ── what every text must respect ─────────────────────────────────────────────


@given(any_text)
def test_every_term_is_made_of_letters_and_digits(text: str) -> None:
    assert all(map(is_term, index_terms(text)))
    assert all(map(is_term, query_terms(text)))


@given(any_text)
def test_what_a_text_says_finds_the_text(text: str) -> None:
    assert set(query_terms(text)) <= set(index_terms(text))
    assert bool(query_terms(text)) == bool(index_terms(text))


@given(st.text(st.sampled_from("aB9中猫はカ한ก é.-_@'/:,+# \n"), max_size=40))
def test_busy_mixtures_keep_their_promises(text: str) -> None:
    assert all(map(is_term, index_terms(text)))
    assert set(query_terms(text)) <= set(index_terms(text))


def test_every_character_of_unicode_gives_clean_terms() -> None:
    for code in ALL_CODES:
        assert all(map(is_term, index_terms(f"a{chr(code)}"))), hex(code)


@pytest.mark.parametrize("text", ["", "   \n", "!?…", "😀👍🏽", "\x00", "\ud83d"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert index_terms(text) == []
    assert query_terms(text) == []


@pytest.mark.parametrize("unit", ["a.", "a'", "中", "x", "1,111", "我们喜欢", "a_B", "é"])
def test_a_long_text_is_no_trouble(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert all(len(term) <= 64 for term in index_terms(text))
    assert 0 < len(query_terms(text)) <= 256 + 4 * 64


# ── SQLite keeps each term as it is ──────────────────────────────────────────


@pytest.fixture(scope="module")
def full_text() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute("create virtual table t using fts5 (terms, tokenize = 'unicode61 remove_diacritics 0')")
    connection.execute("create virtual table v using fts5vocab (t, 'instance')")
    yield connection
    connection.close()


def kept_by_sqlite(connection: apsw.Connection, terms: list[str]) -> list[str]:
    connection.execute("delete from t")
    connection.execute("insert into t (terms) values (?)", (" ".join(terms),))
    return [str(term) for (term,) in connection.execute("select term from v order by offset")]


@given(text=any_text)
def test_sqlite_keeps_every_term_as_one_token(full_text: apsw.Connection, text: str) -> None:
    terms = index_terms(text)
    assert kept_by_sqlite(full_text, terms) == terms


def test_sqlite_keeps_the_terms_of_all_of_unicode(full_text: apsw.Connection) -> None:
    for codes in batched(ALL_CODES, 0x1000):
        terms = index_terms(" ".join(f"a{chr(code)}b" for code in codes))
        assert kept_by_sqlite(full_text, terms) == terms, hex(codes[0])


# ── loading ──────────────────────────────────────────────────────────────────


def test_the_segmenter_is_loaded_by_the_first_chinese_text_only() -> None:
    code = (
        "import sys; from remanent.text.terms import index_terms; index_terms('plain English');"
        "assert not {'rjieba', 'numpy'} & set(sys.modules); index_terms('中文'); assert 'rjieba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_segmenter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    chinese.segmenter.cache_clear()
    with pytest.raises(MissingDependency, match="pip install rjieba"):
        index_terms("中文")
    monkeypatch.undo()
    assert index_terms("中文") == ["中", "文", "中文"]


def test_chinese_is_cut_only_for_those_who_ask_for_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "我的牙医是 Dr. Okafor，在榆树街。"
    assert held_terms(text, {"okafor", "smith", "牙医", "榆树街"}) >= {"okafor", "牙医"}
    monkeypatch.setattr("remanent.text.terms.cut", None)  # the dictionary, which takes long to load
    assert held_terms(text, {"okafor", "smith"}) == {"okafor"}
    assert held_terms(text, {"okafor", "牙医", "猫", "图书馆"}) == {"okafor", "牙医"}


MIXED = st.text(st.sampled_from("榆树街图书馆的牙医日本語ひらカタ안녕ไทย aB1é-_.，Ａ ﷺ"), max_size=40)


@given(text=MIXED, other=MIXED)
def test_what_a_text_holds_is_what_it_is_indexed_under(text: str, other: str) -> None:
    pieces = {text[place : place + size] for place in range(len(text)) for size in (1, 2, 3, 4)}
    asked = {*pieces, *query_terms(other), *index_terms(other), *query_terms(text)}
    assert held_terms(text, asked) == asked.intersection(index_terms(text))


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("cities", "No city is like it."),
        ("making movies", "She makes a movie."),
        ("cafe", "Un café noir."),
        ("python", "我用Python写的。"),
        ("灯塔", "钥匙在灯塔里。"),
        ("Strasse", "Die Straße ist lang."),
        ("日本語", "これは日本語です。"),
    ],
)
def test_the_part_of_a_long_text_that_holds_what_is_asked_for_is_found_by_any_form_of_a_word(
    question: str, fact: str
) -> None:
    # What only contains the word, or holds less of the terms, is passed over.
    others = "felicity cafeteria 灯 pythonic movement remaking étrange. "
    text = others * 40 + fact + others * 40
    asked = query_terms(question)
    part = telling_part(text, dict.fromkeys(asked, 1.0), length=200)
    assert held_terms(part, asked) == held_terms(fact, asked) != set()
    assert len(part) < 300


def test_the_part_of_a_text_that_holds_the_most_is_taken_by_weight_and_else_its_beginning() -> None:
    text = "".join(f"{word:<1000}" for word in ("start", "tea", "tea and milk", "samovar", "tea and milk"))
    weights = {"tea": 1.0, "milk": 1.0, "samovar": 3.0}
    assert telling_part(text, weights, length=200).startswith("samovar")
    assert text.index(telling_part(text, {"tea": 1.0, "milk": 1.0}, length=200)) == 2000
    for nothing in ({}, {"coffe": 1.0}):
        assert telling_part(text, nothing, length=200).startswith("start")
