"""The settings of the associative memory.

The defaults are those of the design's section 5 where it names one: focuses, decay, strengths, thresholds, slices,
slots, retries, time limits, depth, results, queue. `follow`, `batch_reach`, `schedule`, `compression` and `similarity`
are ours; the numbers among them were chosen by hand.
"""

from typing import Annotated, Literal

from pydantic import Field

from remanent.settings import Number, Seconds, SettingsSection


class AssociativeSettings(SettingsSection):
    """How the associative memory attends, forgets and searches.

    follow: Whether everything that is remembered also becomes associative memory.
        是否将所有写入的内容同时写入联想记忆。
    max_focus_count: Nodes in focus: where recall starts, and what is neither compressed nor weakened.
        关注点数量上限：回忆由此出发，关注点不被压缩，其出边不衰减。
    decay_rate: The factor by which a node's links are multiplied each time it is scanned; a smaller one forgets faster.
        节点每次被扫描时其关联强度的衰减系数；越小遗忘越快。
    link_initial_strength: The strength of a new link between nodes that were learned together.
        同批次节点间新建关联的初始强度。
    link_break_threshold: A link weaker than this is broken: it no longer counts for search and importance, and is
        removed at its node's next scan.
        关联断裂阈值：更弱的关联不参与搜索与重要性计算，并在节点下次扫描时删除。
    delete_threshold: A node that would be compressed to fewer characters is deleted and leaves a tombstone.
        删除阈值（字符数）：压缩后低于此值的节点被删除，并留下墓碑。
    batch_reach: How far apart two nodes of one batch may be and still be linked; limits the links of long batches.
        同批次两个节点相隔多远以内才建立关联；限制长批次的关联数量。
    schedule: Which nodes a compression picks: those scanned least often (B), or the least important of a sample, in a
        fixed number of slots (A).
        压缩调度方案：`least-scanned` 扫描次数少者优先（方案 B）；`fixed` 固定槽位、抽样取最不重要者（方案 A）。
    time_slice: Seconds after which a compression stops; the next one continues where it stopped.
        单次压缩的时间片（秒）；下次从中断处继续。
    compression_batch_size: How many nodes one compression processes with a fixed number of slots.
        方案 A 中每轮压缩处理的节点数。
    max_nodes: The number of slots in the fixed schedule; when all are taken, the least important of a sample is reused.
        方案 A 的节点槽位数；用尽时复用抽样中最不重要的槽位。
    compression: How a node's text is shortened: by the engine's annotation role, to its key sentences, or in steps of a
        fifth of its original length.
        压缩方式：`role` 由引擎的标注角色完成；`key-sentences` 抽取关键句；`levels` 按原长的五分之一逐级压缩。
    max_retries: How often a failed language task is retried; if it still fails, the node keeps its text.
        语言任务失败后的重试次数；最终失败时节点保留原内容。
    worker_timeout: The time limit for one language task, in seconds.
        单次语言任务的时限（秒）。
    search: How recall searches unless given a depth: `widening` can enter the graph anywhere by words and meaning, and
        says how far away each result is; `exact` goes `default_search_depth` hops from the focuses.
        未指定深度时的回忆方式：`widening` 可由词语和语义从图中任意处进入，并说明其远近；`exact` 只从关注点出发
        走 `default_search_depth` 跳。
    default_search_depth: How many hops from a focus an exact search goes by default; anything beyond counts as further
        away, unless it was said within a day of the focus.
        精确搜索的默认深度（跳数）；更远且早于最近一天谈话的记忆称为“较远”。
    max_search_results: The most nodes a recall returns; 0 means no limit.
        单次回忆返回的最大结果数；0 表示不限。
    similarity: The cosine similarity from which a node counts as close in meaning; by default measured for the
        embedding model.
        余弦相似度达到多少视为语义相近；未设置时按所用向量模型测定。
    max_queue_size: How many jobs may wait or run for the agent; beyond that, remember and recall are refused.
        任务队列最大长度；超出后拒绝新的写入与回忆，已排队的不会丢失。
    """

    follow: bool = False
    max_focus_count: Annotated[int, Field(ge=1, le=50)] = 5
    decay_rate: Annotated[float, Field(gt=0, le=1)] = 0.97
    link_initial_strength: Annotated[float, Field(gt=0, le=1)] = 0.5
    link_break_threshold: Annotated[float, Field(ge=0, lt=1)] = 0.01
    delete_threshold: Annotated[int, Field(ge=0, le=2**53)] = 5
    batch_reach: Number = 50
    schedule: Literal["least-scanned", "fixed"] = "least-scanned"
    time_slice: Seconds = 30.0
    compression_batch_size: Number = 100
    max_nodes: Number = 10_000
    compression: Literal["role", "key-sentences", "levels"] = "role"
    max_retries: Annotated[int, Field(ge=0, le=1000)] = 15
    worker_timeout: Seconds = 300.0
    search: Literal["widening", "exact"] = "widening"
    default_search_depth: Number = 2
    max_search_results: Annotated[int, Field(ge=0, le=2**53)] = 100
    similarity: Annotated[float, Field(ge=0, le=1)] | None = None
    max_queue_size: Number = 1000
