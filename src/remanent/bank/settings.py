"""The settings of task banks."""

from typing import Annotated, Literal

from pydantic import Field

from remanent.settings import Folder, Number, SettingsSection

MIN_PROMPT_TOKENS, MAX_PROMPT_TOKENS = 50, 1_000_000
"""From a sentence or two to the largest windows there are. Chosen by hand."""


class BankSettings(SettingsSection):
    """How a task's memory bank reads, searches and plans.

    `top_k`, `alpha` and `chunk_ratio` are the design's values. The limits on merges, rounds, tokens and concurrency are
    ours, chosen by hand: far above what a healthy run takes, so that they only stop one that never ends.

    top_k: How many nodes a search of a task's graph finds before their neighbours are added.
        检索任务图时选出的候选节点数，邻居另计。
    alpha: How much words count against meaning in a search: 1 is words alone, 0 is meaning alone.
        混合检索中关键词相对语义的权重：1 只看关键词，0 只看语义。
    prompt_tokens: The most tokens `<memory>` may take in the prompt of a step; `<task>` comes in addition.
        每一步提示词中 `<memory>` 最多占用的 token 数；`<task>` 另计。
    embeddings: Where embeddings are searched: `node` keeps them in memory with their nodes; `database` uses the store's
        vector database, for banks kept under a `bank_id`.
        语义向量在哪里检索：`node` 与节点一起放在内存中；`database` 使用存储的向量数据库，仅用于以 `bank_id` 保留的记忆
        库。
    chunk_ratio: The share of a role's window that a chunk of an over-long text may fill.
        过长文本分块时，每块可占角色窗口的比例。
    two_phase: Whether related topics are judged in a second call, made when the first one found no conflict.
        是否在第一次调用未发现冲突或重叠后，另用一次调用判断相关关系。
    concurrency: How many roles are called at the same time when their order does not matter.
        顺序无关时同时调用的角色数。
    max_rounds: The number of rounds after which an unfinished run is stopped.
        运行迟迟不结束时，达到多少轮后停止。
    max_tokens: The most model tokens (requests and answers) one task may use; after that its roles are done without a
        model, and the result says so.
        一个任务最多可用的模型 token 数（请求与回复合计）；用完后各角色改为离线完成，并在结果中说明。
    max_merges: The most merges in a row that one new node may trigger.
        一个新节点最多可连续引发的合并次数。
    temp_dir: Where uploads wait until they have been recognised; by default the system's temporary folder.
        上传内容在识别完成前的临时目录；未设置时使用系统临时目录。
    storage_dir: Where recognised uploads are kept; by default under `home`.
        识别完成后的附件存放目录；未设置时位于 `home` 之下。
    """

    top_k: Annotated[int, Field(ge=1, le=50)] = 5
    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    prompt_tokens: Annotated[int, Field(ge=MIN_PROMPT_TOKENS, le=MAX_PROMPT_TOKENS)] = 2000
    embeddings: Literal["node", "database"] = "node"
    chunk_ratio: Annotated[float, Field(gt=0, le=1)] = 0.9
    two_phase: bool = False
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    max_rounds: Number = 50
    max_tokens: Number = 1_000_000
    max_merges: Number = 8
    temp_dir: Folder | None = None
    storage_dir: Folder | None = None
