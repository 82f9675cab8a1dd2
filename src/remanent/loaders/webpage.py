"""The words of a web page: its title and its text, without scripts, styles and what leads around the site."""

import re
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser

from remanent.text.escaping import bounded_references
from remanent.text.wordlists import word_set

# What is not read out: code, pictures, and what leads around the site.
_SILENT = word_set(
    "script style noscript template svg math iframe object canvas nav header footer aside form button select head"
)
_BREAKING = word_set(
    "p div section article main h1 h2 h3 h4 h5 h6 li ul ol dl dt dd table tr blockquote pre br hr figure figcaption "
    "caption"
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_SPACES = re.compile(r"[^\S\n]+")
_WHITE_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_QUOTED = r"""[^"'<>]++|"[^"]{0,1000}+"|'[^']{0,1000}+'"""
# A tag, whatever its attributes say, as far as a quoted value has up to so many characters; else up to its bracket.
_TAG = re.compile(rf"<(?:(?P<name>/?[A-Za-z][^\s/<>]*+)(?:(?:{_QUOTED})*+>|[^<>]*+>)|[!?][^<>]*+>|(?P<open>))")


@dataclass(frozen=True, slots=True)
class WebPage:
    """What a page says."""

    title: str
    text: str


def read_page(html: str) -> WebPage:
    """Return the words of a page, its paragraphs and headings kept apart; never fails, whatever the markup is."""
    reader = _TextExtractor()
    reader.feed(bounded_references(_plain_tags(html)))
    reader.close()
    return WebPage(title=" ".join("".join(reader.title).split()), text=_tidy("".join(reader.parts)))


def _plain_tags(html: str) -> str:
    """Return a page without comments, declarations and attributes, and with every bracket that opens no tag as text.

    The parser looks for the end of each of these anew, which takes the square of the page where they have none.
    """
    end = html.rfind("-->") + 3
    return _TAG.sub(_plain_tag, _COMMENT.sub("", html[:end]) + html[end:] if end > 2 else html)


def _plain_tag(tag: re.Match[str]) -> str:
    """Return a tag without attributes; a bracket that opens none as text."""
    if tag["name"]:
        return f"<{tag['name']}/>" if tag[0].endswith("/>") else f"<{tag['name']}>"
    return "" if tag["open"] is None else "&lt;"


class _TextExtractor(HTMLParser):
    """Gathers text; what stands in silent elements is passed over."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._silent: list[str] = []
        self._silenced: Counter[str] = Counter()
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Break lines before blocks and mark headings and list items as Markdown does."""
        if tag == "title" and not self.title:
            self._in_title = True
        elif tag == "body":
            self._silent.clear()
            self._silenced.clear()  # a head that was never closed must not silence the page
        elif tag in _SILENT:
            self._silent.append(tag)
            self._silenced[tag] += 1
        elif not self._silent and tag in _BREAKING:
            mark = _HEADINGS.get(tag)
            self.parts.append(f"\n\n{mark} " if mark else "\n- " if tag == "li" else "\n" if tag == "br" else "\n\n")
        elif not self._silent and tag in {"td", "th"}:
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        """Leave a silent element with all that was opened inside and never closed."""
        if tag == "title":
            self._in_title = False
        elif self._silenced[tag]:
            while (last := self._silent.pop()) != tag:
                self._silenced[last] -= 1
            self._silenced[tag] -= 1
        elif not self._silent and tag in _BREAKING and tag != "li":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        """Gather text; line breaks of the source mean nothing in HTML."""
        if self._in_title:
            self.title.append(data)
        elif not self._silent:
            self.parts.append(data.replace("\n", " "))


def _tidy(text: str) -> str:
    """Return the text with single spaces and at most one blank line in a row."""
    lines = (line.strip() for line in _SPACES.sub(" ", text).split("\n"))
    return _WHITE_SPACE.sub(_at_most_one_blank_line, "\n".join(lines)).strip()


def _at_most_one_blank_line(space: re.Match[str]) -> str:
    return "\n\n" if space[0].count("\n") > 1 else space[0]
