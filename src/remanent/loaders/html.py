"""HTML, by selectolax: headings, paragraphs, lists, tables and listings, without what leads around the site.

Trafilatura, from the extra `documents`, finds the article within a page, without menus, side columns and notices.

A footnote's number is kept apart from its word: "berth¹" was read as "berth1", which nobody finds by either; it is
"berth[1]".
"""

import re
from html import escape
from typing import TYPE_CHECKING

from remanent.loaders.document import LINE, PARAGRAPH, SPACE, DocumentBuilder, LoadedDocument, Place, Reading
from remanent.loaders.types import HTML, decoded
from remanent.text.escaping import bounded_references
from remanent.text.words import word_set

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_TWICE = re.compile(r"<(/?)pre>\s*<\1pre>")

NEXT_PARAGRAPH = "\u2028"
"""Stands in a listing between lines that are paragraphs of their own in the original."""
_NOTE = re.compile(r"noteref|footnote-?ref")
"""What programs call a link to a footnote."""
_LONGEST_NOTE = 4
"""Characters of a mark such as [12]: a longer link is part of the sentence."""
_BACK = "↩↑^\ufe0e\ufe0f "
"""What links say that lead back from a footnote to its place."""


def _article_of(html: str) -> str | None:
    """Return the part of a page that somebody wrote, as HTML; None where there is none, or nothing to find it with."""
    try:
        from trafilatura import extract
    except ImportError:
        return None
    found = extract(html, output_format="html", include_tables=True, include_comments=False, favor_recall=True)
    return _TWICE.sub(r"<\1pre>", found) if found else None


# What is not read out: code, pictures, and what leads around the site.
_SILENT = word_set(
    "script style noscript template svg math iframe object canvas nav footer aside form button select head -comment "
    "!doctype"
)
_BREAKING = word_set(
    "p div section article main header h1 h2 h3 h4 h5 h6 li ul ol dl dt dd table tr blockquote pre hr figure "
    "figcaption caption details summary address"
)
_PARAGRAPHS = word_set("p h1 h2 h3 h4 h5 h6 li pre dt dd")
_HEADINGS = word_set("h1 h2 h3 h4 h5 h6")
# Signs with a link to the heading itself, as manuals have them.
_ANCHORS = "¶\uf0c1 \n\t"
# A heading that is never closed has all that follows in it; no real one is as long.
_MAX_HEADING = 300
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*+)[^<>]*+>?")
# Elements that end without being closed, or have no end: many of them in a row make no page deep.
_SHALLOW = word_set(
    "p li td th tr dt dd option tbody thead tfoot colgroup area base br col embed hr img input link meta param source "
    "track wbr html body head"
)
# Browsers stop at 512. The parser looks through all open elements at every block, so that depth costs its square.
_MAX_DEPTH = 512
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|encoding=["']([\w.:-]{2,40})""", re.IGNORECASE
)
# An article shorter than this, or than this share of its page, was not found as a whole. Chosen by hand: menus and
# notices seldom make three quarters of a page, and lists and tables of all sorts are no articles.
_LEAST_ARTICLE = 500
_LEAST_SHARE = 0.25
_WHITE_SPACE = re.compile(r"\s+")


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a page that came as bytes: the article in it where there is one, else all of it."""
    charset = _CHARSET.search(data, 0, 2048)
    named = (charset[1] or charset[2]).decode("ascii") if charset else ""
    page = decoded(data, charset=reading.charset or named)
    whole = read_html(page)
    if len(whole.text) < _LEAST_ARTICLE:
        return whole
    article = read_html(_with_title(_article_of(page) or "", whole))
    is_whole = len(article.text) >= max(_LEAST_ARTICLE, len(whole.text) * _LEAST_SHARE)
    return article.model_copy(update={"title": whole.title}) if is_whole else whole


def _with_title(article: str, whole: LoadedDocument) -> str:
    """Return an article under the heading of its page, which extractors take for a part of the frame."""
    first = whole.sections[0] if whole.sections else None
    if first is None or not whole.text.startswith("# ", first.start) or first.title in article[:1000]:
        return article
    return f"<h1>{escape(first.title)}</h1>{article}"


def read_html(html: str) -> LoadedDocument:
    """Return the words of a page with its structure; never fails, whatever the markup is."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_of_bounded_depth(bounded_references(html)))
    draft = DocumentBuilder()
    title = tree.css_first("title")
    if tree.root is not None:
        _HtmlWalk(draft).through(tree.root)
    return draft.finish(HTML, title=title.text() if title is not None else None)


def _of_bounded_depth(html: str) -> str:
    """Return a page without the tags that open more elements inside each other than any real page does."""
    if html.count("<") <= _MAX_DEPTH:
        return html
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _SHALLOW:
            return tag[0]
        depth = max(0, depth - 1) if tag[1] else depth + 1
        return tag[0] if depth <= _MAX_DEPTH else " "

    return _TAG.sub(kept, html)


def _reference(node: "LexborNode") -> str | None:
    """Return how a link to a footnote is written, nothing of one that leads back from it; `None` of other links.

    The bare number would become part of the word before it: "berth1".
    """
    attributes = node.attributes
    if not (attributes.get("href") or "").startswith("#"):
        return None
    text = node.text(deep=True).strip()
    if not 0 < len(text) <= _LONGEST_NOTE:
        return None
    if not text.strip(_BACK):
        return ""
    raised = "sup" in {node.parent.tag if node.parent is not None else "", *(one.tag for one in node.iter())}
    is_note = raised or any(_NOTE.search(attributes.get(name) or "") for name in ("class", "role", "epub:type"))
    return f"[{text}]" if is_note and text.isdecimal() else None


def _listing(node: "LexborNode") -> str:
    """Return the text of a listing with its white space; some break its lines by elements."""
    inside = node.traverse(include_text=True)
    return "".join("\n" if one.tag == "br" else one.text_content or "" if one.is_text_node else "" for one in inside)


class _HtmlWalk:
    """Goes through the elements in their order and writes down what they say, as Markdown marks it."""

    def __init__(self, draft: DocumentBuilder) -> None:
        self._draft = draft
        self._paragraph = 0
        self._articles = 0
        self._cells = 0
        self._bullet = ""

    def through(self, root: "LexborNode") -> None:
        """Visit every node below the root, without recursion: depth is the author's choice."""
        node, end = root, root.mem_id
        while True:
            inside = node.first_child if self._enter(node) else None
            if inside is not None:
                node = inside
                continue
            self._leave(node)
            while node.mem_id != end and node.next is None and node.parent is not None:
                node = node.parent
                self._leave(node)
            if node.mem_id == end or node.next is None:
                return
            node = node.next

    def _enter(self, node: "LexborNode") -> bool:
        """Write what an element begins with; say whether to go into it."""
        tag = node.tag or ""
        if node.is_text_node:
            self._write(node.text_content or "")
            return False
        if tag in _SILENT or (tag == "header" and not self._articles):
            return False
        if tag == "a" and (reference := _reference(node)) is not None:
            self._draft.write(reference)
            return False
        if tag in _PARAGRAPHS:
            self._paragraph += 1
            self._draft.mark(Place(paragraph=self._paragraph))
        if tag in _HEADINGS and len(title := node.text(deep=True)) <= _MAX_HEADING:
            self._draft.heading(int(tag[1]), title.rstrip(_ANCHORS), mark="#" * int(tag[1]) + " ")
            return False
        if tag in _BREAKING or tag == "br":
            self._break(LINE if tag in {"li", "tr", "br"} else PARAGRAPH)
        if tag == "pre":
            self._draft.open_block("code")
            listing = _listing(node)
            self._paragraph += listing.count(NEXT_PARAGRAPH)
            self._draft.write(listing.replace(NEXT_PARAGRAPH, "\n").strip("\n"))
        else:
            self._begin(tag)
        return tag != "pre"

    def _begin(self, tag: str) -> None:
        if tag in {"article", "main"}:
            self._articles += 1
        elif tag == "table":
            self._draft.open_block("table")
        elif tag == "tr":
            self._draft.border()
        elif tag == "li":
            self._bullet = "- "
        elif tag in {"td", "th"}:
            self._draft.gap(SPACE)
            self._draft.write("|")
            self._draft.gap(SPACE)
            self._cells += 1

    def _leave(self, node: "LexborNode") -> None:
        tag = node.tag or ""
        if tag in {"article", "main"}:
            self._articles -= 1
        elif tag in {"pre", "table"}:
            self._draft.close_block()
        elif tag in {"td", "th"}:
            self._cells -= 1
        if tag in _BREAKING and tag not in _HEADINGS:
            self._break(LINE if tag in {"li", "tr", "dt"} else PARAGRAPH)

    def _break(self, size: int) -> None:
        """Owe white space; what stands in a cell stays in its row."""
        self._draft.gap(SPACE if self._cells else size)

    def _write(self, text: str) -> None:
        """Write text; the white space of the source means one space."""
        if text[:1].isspace():
            self._draft.gap(SPACE)
        if words := _WHITE_SPACE.sub(" ", text.strip()):
            self._draft.write(self._bullet + words)
            self._bullet = ""
        if text[-1:].isspace():
            self._draft.gap(SPACE)
