"""What can be said about a text without asking anything else: its search terms, its language, a short excerpt."""

from remanent.text.excerpt import excerpt
from remanent.text.language import Language, language_of
from remanent.text.words import TERMS_VERSION, index_terms, query_terms

__all__ = ["TERMS_VERSION", "Language", "excerpt", "index_terms", "language_of", "query_terms"]
