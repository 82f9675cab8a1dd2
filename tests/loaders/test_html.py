import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.loaders.html import read_html

PAGE = """<!doctype html><html><head><title> The  bridge &amp; the river </title><style>p { color: red }</style>
<script>steal("cookies")</script></head><body><nav><a href="/">Home</a></nav>
<h1>The bridge</h1><p>It was opened in <b>1932</b>,
after ten years.</p><ul><li>steel</li><li>stone</li></ul>
<table><tr><th>span</th><td>503 m</td></tr></table><footer>imprint</footer></body></html>"""


def test_the_title_and_the_words_of_a_page_are_kept_and_nothing_else() -> None:
    page = read_html(PAGE)
    assert page.title == "The bridge & the river"
    assert page.text == "# The bridge\n\nIt was opened in 1932, after ten years.\n\n- steel\n- stone\n\n| span | 503 m"


def test_a_head_that_is_never_closed_does_not_silence_the_page() -> None:
    assert read_html("<head><title>t</title><body><p>said</p>").text == "said"


def test_chinese_pages_are_read_like_others() -> None:
    page = read_html("<title>长江大桥</title><p>大桥于&#19968;九五七年通车。</p>")
    assert (page.title, page.text) == ("长江大桥", "大桥于一九五七年通车。")


@given(st.text(alphabet="<>/ap script!-=\"'&;\n\0长", max_size=200))
def test_no_markup_makes_the_reader_fail_or_puts_a_script_into_the_text(html: str) -> None:
    page = read_html(f"<script>canary</script>{html}")
    assert "canary" not in page.text


@pytest.mark.spec("SAFE-07")
def test_a_reference_to_a_huge_number_is_no_character() -> None:
    assert read_html("<p>a &#" + "1" * 5_000 + "; b").text == "a \ufffd b"
    assert read_html("<p>&#00000000065;&#x0000000042;").text == "AB"


def test_attributes_may_hold_brackets_and_comments_may_hold_tags() -> None:
    page = '<p title="a > b">one<!-- <nav> --> <a href="<x>">two</a> <br/>3 < 4</p>'
    assert read_html(page).text == "one two\n3 < 4"
