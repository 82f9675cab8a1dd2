import textwrap

from hypothesis import example, given
from hypothesis import strategies as st

from remanent.text.markdown import parse_markdown

PIECES = [
    "# One\n",
    "## 二 ##\n",
    "###\n",
    "text\n",
    "\n",
    "```\n",
    "~~~~\n",
    "---\n",
    "===\n",
    "Title\n",
    "    # code\n",
    "key: value\n",
]
any_markdown = st.text(st.characters()) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def titles(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in parse_markdown(text).sections]


@given(any_markdown)
@example("=\n=\n=")
def test_front_matter_and_sections_cover_the_text_exactly(text: str) -> None:
    parsed = parse_markdown(text)
    front = text[: parsed.sections[0].start] if parsed.sections else text
    assert not front or (front.startswith(("---", "\ufeff---")) and front.rstrip()[3:].endswith(("\n---", "\n...")))
    assert front + "".join(section.of(text) for section in parsed.sections) == text
    assert all(one.path[-1:] == ((one.title,) if one.level else ()) for one in parsed.sections)


def test_a_section_knows_its_path_and_what_stands_under_it() -> None:
    text = "intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"
    sections = {section.title: section for section in parse_markdown(text).sections}
    assert sections[""].of(text) == "intro\n"
    assert sections["C"].path == ("A", "B", "C")
    assert sections["D"].path == ("A", "D")
    assert sections["B"].of(text).endswith("\nb\n")


def test_headings_in_fenced_or_indented_code_are_code() -> None:
    text = "# Real\n```sh\n# no heading\n```\n    # neither\n~~~\n## nor this\n````\n~~~\n## Also real\n"
    assert titles(text) == [(1, "Real"), (2, "Also real")]


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert titles("# Real\n```\n# code\n") == [(1, "Real")]


def test_underlined_and_closed_headings_are_headings() -> None:
    assert titles("总览\n====\n\n细节\n----\ntext\n### C# and F# ###\n") == [(1, "总览"), (2, "细节"), (3, "C# and F#")]


def test_a_rule_and_a_table_are_no_headings() -> None:
    assert titles("text\nmore text\n---\n\n| a | b |\n|---|---|\n- item\n---\n#hashtag\n") == [(0, "")]


def test_front_matter_gives_its_fields() -> None:
    text = textwrap.dedent("""\
        ---
        title: "三月: notes"
        tags: [memory, 'agents']
        people:
          - Ada
          - 小明
        url: http://a.b/c
        ---
        # Body
        """)
    parsed = parse_markdown(text)
    front = parsed.fields
    assert front.get("title") == "三月: notes"
    assert front.get("tags") == ["memory", "agents"]
    assert front.get("people") == ["Ada", "小明"]
    assert front.get("url") == "http://a.b/c"
    assert front.get("none") is None
    assert text[parsed.sections[0].start :] == "# Body\n"


def test_dashes_later_in_the_text_are_no_front_matter() -> None:
    parsed = parse_markdown("text\n\n---\na: b\n---\n")
    assert parsed.fields == {}
