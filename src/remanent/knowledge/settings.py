"""The settings of the knowledge base.

The numbers were chosen by hand; bench/knowledge.py measures what comes of them on public texts.
"""

from typing import Annotated

from pydantic import Field

from remanent.settings import SettingsSection, setting

ChunkSize = Annotated[int, Field(ge=100, le=8000)]


class KnowledgeSettings(SettingsSection):
    """How documents are cut into chunks, and which techniques a search uses unless it says otherwise."""

    chunk_size: ChunkSize = setting(
        600,
        "Characters of a chunk; a Chinese character counts for two. A collection may have its own.",
        "每个文本块的字符数，一个汉字计为两个。集合可另行设置。",
    )
    hybrid: bool = setting(
        True,
        "Whether a search goes by words and by meaning, not by meaning alone; without an embedder it goes by words.",
        "检索时是否同时依据关键词与语义，而非仅依据语义；没有嵌入模型时依据关键词。",
    )
    rewrite: bool = setting(
        False,
        "Whether a search also asks other wordings of the question.",
        "检索时是否同时使用改写后的问题。",
    )
    hyde: bool = setting(
        False,
        "Whether a search also looks for what an ideal answer would say (HyDE).",
        "检索时是否同时按假设的理想答案查找（HyDE）。",
    )
    parents: bool = setting(
        False,
        "Whether passages come with the chunks before and after them.",
        "返回的段落是否附带其前后的文本块。",
    )
    summaries: bool = setting(
        False,
        "Whether summaries of documents and sections are matched first, and chunks of the best ones after.",
        "是否先匹配文档与章节的摘要，再在最相关者中查找文本块。",
    )
    parent_budget: Annotated[int, Field(ge=0, le=100_000)] = setting(
        1200,
        "Characters that a passage and its neighbours take at most.",
        "段落连同其前后文最多占多少字符。",
    )
    watch_interval: Annotated[float, Field(ge=0.05, le=86_400)] = setting(
        5.0,
        "Seconds between two looks at a folder that is watched.",
        "监视文件夹时两次查看之间的秒数。",
    )
