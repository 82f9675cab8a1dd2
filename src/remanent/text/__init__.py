"""What can be said about a text without asking anything else: its search terms, its language, a short excerpt."""

from remanent.text.boundaries import excerpt
from remanent.text.scripts import TextLanguage, language_of
from remanent.text.terms import index_terms, query_terms

__all__ = ["TextLanguage", "excerpt", "index_terms", "language_of", "query_terms"]
