"""A model is spoken to in the language of the text at hand."""

import pytest

from remanent.bilingual import Language
from remanent.text.scripts import working_language


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (("小丽搬到了杭州",), "zh"),
        (("Lily moved to Leeds",), "en"),
        (("把 login page 的 bug 修好 before Friday please",), "zh"),
        (("12345", "小丽"), "zh"),
        (("", "???", "yes"), "en"),
        ((), "en"),
        (("Привет, как дела",), "en"),
    ],
)
def test_the_first_text_with_a_language_decides(texts: tuple[str, ...], language: Language) -> None:
    assert working_language(*texts) == language
