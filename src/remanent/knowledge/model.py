"""The words of the knowledge base: documents, their chunks, what a search finds and what an answer rests on."""

from typing import Annotated, Literal

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.loaders import Place
from remanent.model import Found, FoundItem, Maker, Model
from remanent.model.base import Count, JsonObject, Share, Text
from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.text.scripts import working_language

COLLECTION = "default"
"""The collection that is meant unless one is named."""

DocumentStatus = Literal["ready", "indexing", "failed"]
"""Whether all of a document is indexed, is about to be, or could not be read."""
ChunkState = Literal["made", "edited", "added", "outdated"]
"""Whether a chunk is as it was cut, was changed by hand, was written by hand, or was changed by hand before its place
in the document changed."""


_BETWEEN = Bilingual(", ", "，")
_BESIDE = Bilingual(" ({told})", "（{told}）")
_SHARED = Bilingual("shared", "共享")
_PAGE = Bilingual("p. {number}", "第 {number} 页")
_PAGES = Bilingual("pp. {number}", "第 {number} 页")
_SLIDE = Bilingual("slide {number}", "幻灯片 {number}")
_LINE = Bilingual("line {number}", "第 {number} 行")
_PARAGRAPH = Bilingual("¶ {number}", "第 {number} 段")


class Document(Model):
    """A document of a knowledge base, as it stands."""

    document_id: Id
    name: Text
    """What it is called; the name of a file, an address, or what the caller says."""
    title: Text = ""
    collection: Text = COLLECTION
    media_type: Text = ""
    source: Text = ""
    """Where it came from: an address, or the path of a file."""
    synced: bool = False
    """Whether it was taken from a folder that is kept in sync; only such documents go when their files do."""
    digest: Text = ""
    """The SHA-256 of its bytes."""
    size: Count = 0
    """Bytes."""
    characters: Count = 0
    sections: Count = 0
    chunks: Count = 0
    version: Count = 1
    added_at: Instant
    updated_at: Instant
    occurred_at: Instant
    """When it was written or fetched, as far as that is known."""
    metadata: JsonObject = Field(default_factory=dict)
    tags: tuple[Text, ...] = ()
    unread: Count = 0
    """Pages that are pictures and that nobody read, because no reader of pictures is installed."""
    status: DocumentStatus = "ready"
    indexed: Count = 0
    """Chunks that are found by their meaning as well, where a model embeds; all are found by their words."""
    error: Text = ""
    """Why it failed: of a document that was there before, its newer version; the one before is searched still."""
    error_zh: Text = ""
    """The same in Chinese."""


class Added(Model):
    """What adding a document did."""

    document: Document
    status: Literal["added", "changed", "unchanged"]
    embedded: Count = 0
    """Chunks that are new and need a vector."""
    kept: Count = 0
    """Chunks that were there already, with their vectors."""
    removed: Count = 0
    """Chunks of the version before that are gone."""


class Failure(Model):
    """A file that could not be added, and why."""

    name: Text
    reason: Text


class SyncReport(Model):
    """What bringing a folder and a collection together did."""

    added: tuple[Text, ...] = ()
    changed: tuple[Text, ...] = ()
    unchanged: Count = 0
    removed: tuple[Text, ...] = ()
    """Documents whose files are gone."""
    failed: tuple[Failure, ...] = ()
    embedded: Count = 0


class DocumentChunk(Model):
    """One chunk of a document, as people see it."""

    chunk_id: Id
    document_id: Id
    position: Count
    text: Text
    path: tuple[Text, ...] = ()
    """The headings above it."""
    place: Place = Place()
    """Where it stands in the original."""
    start: Count = 0
    """Where it begins and ends in the extracted text."""
    end: Count = 0
    state: ChunkState = "made"
    enabled: bool = True
    """Whether searches find it."""


class DocumentView(Model):
    """A document with its chunks and its versions."""

    document: Document
    chunks: tuple[DocumentChunk, ...] = ()
    versions: tuple[Instant, ...] = ()
    """When each version was written, oldest first; `as_of` reads one."""


class Technique(Model):
    """A technique that a search used: what it did, and how long it took."""

    name: Literal["rewrite", "hyde", "parents", "summaries", "twins"]
    detail: Text = ""
    milliseconds: float = 0.0
    engine: Text = ""
    """Who worded it, where words were needed: a model's name, or `offline`."""
    tokens: Count = 0
    """What that took of the model."""


class Passage(FoundItem):
    """A passage that was found, and where it stands."""

    document: Text
    """The name of its document."""
    document_id: Id
    collection: Text = COLLECTION
    agent: Text | None = None
    """The agent whose own document it is; `None` where the workspace shares it."""
    told_apart_by: tuple[Literal["agent", "collection"], ...] = ()
    """What a reference to it names beside the document, because another one of that name was found, too."""
    title: Text = ""
    """Of its document."""
    path: tuple[Text, ...] = ()
    """The headings above it."""
    place: Place = Place()
    """Where it stands in the original: page, line, slide, sheet, paragraph."""
    start: Count = 0
    end: Count = 0
    """Where it stands in the extracted text."""
    before: Text = ""
    """What stands before it, where that was asked for (`parents`)."""
    after: Text = ""
    source: Text = ""
    """The address or the path that its document came from."""

    @property
    def passage(self) -> str:
        """The words that were found."""
        return self.text

    @property
    def citation(self) -> str:
        """The document and the place in it, for people, in the language of the passage."""
        return self.cite(working_language(self.text))

    def cite(self, language: Language) -> str:
        """Return a reference that people can follow: the name, the place in the document, the headings."""
        place = self.place
        pages = None if place.last_page is None else f"{place.page}–{place.last_page}"
        numbered = (
            (_PAGES if pages else _PAGE, pages or place.page),
            (_SLIDE, place.slide),
            (_LINE, place.line),
            (_PARAGRAPH, place.paragraph),
        )
        page, slide, line, paragraph = (
            "" if number is None else word.say(language, number=number) for word, number in numbered
        )
        shown = [page, slide, place.sheet, place.part, line, paragraph, " › ".join(self.path)]
        whose = {"agent": self.agent or _SHARED.say(language), "collection": self.collection}
        beside = _BETWEEN.say(language).join(whose[told] for told in self.told_apart_by)
        name = self.document + (_BESIDE.say(language, told=beside) if beside else "")
        return _BETWEEN.say(language).join([name, *(part for part in shown if part)])


class KnowledgeFound(Found):
    """What a search found: passages, best first, and the techniques that were used."""

    items: tuple[Passage, ...] = ()
    techniques: tuple[Technique, ...] = ()
    queries: tuple[Text, ...] = ()
    """What was searched for: the question first, then its other wordings."""


class AnswerSentence(Model):
    """A sentence of an answer, and the passages that it rests on, by their numbers from 1; none: it is unsupported."""

    text: Text
    citations: tuple[Annotated[int, Field(ge=1)], ...] = ()

    @property
    def supported(self) -> bool:
        """Whether a passage bears it out."""
        return bool(self.citations)


class KnowledgeAnswer(Model):
    """An answer and what proves it; `answered` is false where nothing here answers the question."""

    question: Text
    answered: bool
    text: Text
    """The answer with its citations in brackets, and the mark of those sentences that no passage bears out; or that
    nothing here answers the question for certain, with the nearest passage as a quotation where one has its words."""
    sentences: tuple[AnswerSentence, ...] = ()
    passages: tuple[Passage, ...] = ()
    made_by: Maker = Maker(role="answering", engine="offline")
    """The model that wrote it; `offline` where the sentences are the documents' own."""


class CheckedSentence(Model):
    """What the knowledge base says of one sentence."""

    text: Text
    verdict: Literal["supported", "contradicted", "not_mentioned"]
    confidence: Share = 0.0
    evidence: Text = ""
    """The sentence that bears it out or contradicts it."""
    citation: Text = ""
    document: Text = ""


class Verification(Model):
    """What the knowledge base says of a text, sentence by sentence."""

    sentences: tuple[CheckedSentence, ...] = ()

    def count(self, verdict: str) -> int:
        """Return how many sentences got a verdict."""
        return sum(sentence.verdict == verdict for sentence in self.sentences)


class CollectionView(Model):
    """A collection: how its documents are cut, who may read it, and how much it holds."""

    name: Text
    chunk_size: Count
    agents: tuple[Text, ...] | None = None
    """The agents of the workspace that may search it; `None` for all."""
    documents: Count = 0
    chunks: Count = 0


class KnowledgeStats(Model):
    """How much a knowledge base holds."""

    documents: Count = 0
    chunks: Count = 0
    characters: Count = 0
    bytes: Count = 0
    unembedded: Count = 0
    """Chunks that wait for their vectors; until then they are found by their words."""
    finer_of: Count = 0
    """Parts of documents that a finer model reads a second time while it does so, else 0; they are searched by meaning
    meanwhile."""
    finer_read: Count = 0
    """How many of these it has read."""
    collections: tuple[CollectionView, ...] = ()


Documents = list[Document]
"""Aliases, because a method named `list` hides the builtin from annotations in its class."""
Additions = list[Added]
Chunks = list[DocumentChunk]
