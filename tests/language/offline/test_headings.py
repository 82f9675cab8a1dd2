"""Headings that say whose words follow, in both languages, and what only looks like one."""

import pytest

from remanent.language.offline.headings import is_source_heading, source_sections


@pytest.mark.parametrize(
    "said",
    [
        "From a magazine.",
        "From the survey office:",
        "A travel blog:",
        "## From a blog",
        "杂志报道。",
        "据《年鉴》记载：",
        "来源：人民日报",
    ],
)
def test_what_says_whose_words_follow_is_a_heading(said: str) -> None:
    assert is_source_heading(said)


@pytest.mark.parametrize(
    "said",
    [
        "From the hill you can see the sea.",
        "From 1999 to 2004.",
        "From there to the lake.",
        "来自北京。",
        "据《年鉴》记载：奥鲁有三家旅店。",
    ],
)
def test_what_says_something_itself_is_none(said: str) -> None:
    assert not is_source_heading(said)


def test_a_heading_opens_a_section_unless_nothing_follows_it() -> None:
    text = "Oru is old. From a blog. From a guide. Oru is dull.\n\nFrom a magazine."
    assert [(text[start:end], name) for start, end, name in source_sections(text)] == [
        ("Oru is old. ", ""),
        ("From a blog. From a guide. Oru is dull.\n\nFrom a magazine.", "From a blog"),
    ]
    many = "From a blog. Oru is dull.\n" * 40
    assert source_sections(many) == ((0, len(many), "From a blog"),)


def test_a_line_that_leads_to_the_first_heading_belongs_to_its_section() -> None:
    text = "What the document says:\nFrom a blog. Mount Kelt is high.\n\nFrom a paper. Mount Kelt is low."
    assert [name for _, _, name in source_sections(text)] == ["From a blog", "From a paper"]
