"""The words of a web page: its title and its text, without scripts, styles and what leads around the site."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from remanent.text.wordlists import word_set

_SILENT = word_set(
    "script style noscript template svg math iframe object canvas nav header footer aside form button select head"
)
_BREAKING = word_set(
    "p div section article main h1 h2 h3 h4 h5 h6 li ul ol dl dt dd table tr blockquote pre br hr figure figcaption "
    "caption"
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\s*\n\s*\n\s*")


@dataclass(frozen=True, slots=True)
class WebPage:
    """What a page says."""

    title: str
    text: str


def read_page(html: str) -> WebPage:
    """Return the words of a page, its paragraphs and headings kept apart; never fails, whatever the markup is."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return WebPage(title=" ".join("".join(reader.title).split()), text=_tidy("".join(reader.parts)))


class _Reader(HTMLParser):
    """Gathers text; what stands in silent elements is passed over."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._silent: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        elif tag == "body":
            self._silent.clear()  # a head that was never closed must not silence the page
        elif tag in _SILENT:
            self._silent.append(tag)
        elif not self._silent and tag in _BREAKING:
            mark = _HEADINGS.get(tag)
            self.parts.append(f"\n\n{mark} " if mark else "\n- " if tag == "li" else "\n" if tag == "br" else "\n\n")
        elif not self._silent and tag in {"td", "th"}:
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in self._silent:
            del self._silent[len(self._silent) - 1 - self._silent[::-1].index(tag) :]
        elif not self._silent and tag in _BREAKING and tag != "li":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._silent:
            self.parts.append(data.replace("\n", " "))


def _tidy(text: str) -> str:
    lines = (line.strip() for line in _SPACES.sub(" ", text).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
