"""How passages are found."""

from remanent.recall import PathUse, Recipe

KNOWLEDGE = Recipe(
    name="knowledge",
    paths={
        "keyword": PathUse(weight=0.4, limit=100, by_language={"zh": 0.7, "mixed": 0.6, "other": 0.2}),
        "vector": PathUse(weight=0.6, limit=100, by_language={"zh": 0.3, "mixed": 0.4, "other": 0.8}),
    },
    other=None,
    fusion="hybrid",
    flood_share=1.0,
)
"""Words and meaning by their scores. The weights for English were chosen on the pooled documents of multi-document
tasks that docs/guides/documents.md has figures of; those for Chinese, whose model knows less, by hand; those for a
question in another language than the documents ("other") on twenty such questions."""

MEANING = KNOWLEDGE.replace(name="knowledge_meaning", paths={"vector": PathUse(limit=100)})
"""By meaning alone: what is left where words are switched off (`hybrid`)."""
