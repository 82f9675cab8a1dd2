"""The settings of the knowledge base, and the recipes by which passages are found.

The numbers were chosen by hand; bench/knowledge.py measures what comes of them on public texts.
"""

from typing import Annotated

from pydantic import Field

from remanent.recall import PathUse, Recipe
from remanent.settings import SettingsSection

ChunkSize = Annotated[int, Field(ge=100, le=8000)]


class KnowledgeSettings(SettingsSection):
    """How documents are cut into chunks, and which techniques a search uses unless it says otherwise.

    chunk_size: Characters per chunk; a Chinese character counts as two. A collection may set its own.
        每个文本块的字符数，一个汉字计为两个。集合可另行设置。
    hybrid: Whether to search by words and by meaning, not by meaning alone; without an embedder it is by words.
        检索时是否同时依据关键词与语义，而非仅依据语义；没有向量模型时依据关键词。
    rewrite: Whether to also search with other wordings of the question.
        检索时是否同时使用改写后的问题。
    hyde: Whether to also search for what an ideal answer would say (HyDE).
        检索时是否同时按假设的理想答案查找（HyDE）。
    parents: Whether passages come with the chunks before and after them.
        返回的段落是否附带其前后的文本块。
    summaries: Whether summaries of documents and sections are matched first, and chunks of the best ones after.
        是否先匹配文档与章节的摘要，再在最相关者中查找文本块。
    parent_budget: The most characters that a passage and its neighbours may take.
        段落连同其前后文最多占多少字符。
    watch_interval: Seconds between two checks of a watched folder.
        监视文件夹时两次查看之间的秒数。
    """

    chunk_size: ChunkSize = 600
    hybrid: bool = True
    rewrite: bool = False
    hyde: bool = False
    parents: bool = False
    summaries: bool = False
    parent_budget: Annotated[int, Field(ge=0, le=100_000)] = 1200
    watch_interval: Annotated[float, Field(ge=0.05, le=86_400)] = 5.0


# ── recipes ──────────────────────────────────────────────────────────────────

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
