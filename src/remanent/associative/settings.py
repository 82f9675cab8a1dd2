"""The settings of the associative memory.

The defaults are those of the seed's section 5 where it names one: focuses, decay, strengths, thresholds, slices, slots,
retries, time limits, depth, results, queue. `follow`, `batch_reach`, `schedule`, `compression` and `similarity` are
ours; the numbers among them were chosen by hand.
"""

from typing import Annotated, Literal

from pydantic import Field

from remanent.settings import Chinese, Number, Seconds, Section


class AssociativeSettings(Section):
    """How the associative memory attends, forgets and searches."""

    follow: Annotated[
        bool,
        Field(description="Whether everything that is remembered becomes associative memory, too."),
        Chinese("是否将所有写入的内容同时写入联想记忆。"),
    ] = False
    max_focus_count: Annotated[
        Annotated[int, Field(ge=1, le=50)],
        Field(description="Nodes in focus: where recall starts, and what is neither compressed nor weakened."),
        Chinese("关注点数量上限：回忆由此出发，关注点不被压缩，其出边不衰减。"),
    ] = 5
    decay_rate: Annotated[
        Annotated[float, Field(gt=0, le=1)],
        Field(description="What a node's links are multiplied with each time it is scanned; less forgets faster."),
        Chinese("节点每次被扫描时其关联强度的衰减系数；越小遗忘越快。"),
    ] = 0.97
    link_initial_strength: Annotated[
        Annotated[float, Field(gt=0, le=1)],
        Field(description="The strength of a new link between nodes that were learned together."),
        Chinese("同批次节点间新建关联的初始强度。"),
    ] = 0.5
    link_break_threshold: Annotated[
        Annotated[float, Field(ge=0, lt=1)],
        Field(description="A weaker link is broken: out of search and importance, removed at its node's next scan."),
        Chinese("关联断裂阈值：更弱的关联不参与搜索与重要性计算，并在节点下次扫描时删除。"),
    ] = 0.01
    delete_threshold: Annotated[
        Annotated[int, Field(ge=0, le=2**53)],
        Field(description="A node that would be compressed to fewer characters is deleted and leaves a tombstone."),
        Chinese("删除阈值（字符数）：压缩后低于此值的节点被删除，并留下墓碑。"),
    ] = 5
    batch_reach: Annotated[
        Number,
        Field(
            description="How far apart two nodes of one batch may stand to be linked; bounds the links of long ones."
        ),
        Chinese("同批次两个节点相隔多远以内才建立关联；限制长批次的关联数量。"),
    ] = 50
    schedule: Annotated[
        Literal["least-scanned", "fixed"],
        Field(
            description="Which nodes a compression takes: those scanned least often (B), or the least important of a "
            "sample, in a fixed number of slots (A)."
        ),
        Chinese(
            "压缩调度方案：`least-scanned` 扫描次数少者优先（方案 B）；`fixed` 固定槽位、抽样取最不重要者（方案 A）。"
        ),
    ] = "least-scanned"
    time_slice: Annotated[
        Seconds,
        Field(description="Seconds after which a compression stops; the next one goes on where it stopped."),
        Chinese("单次压缩的时间片（秒）；下次从中断处继续。"),
    ] = 30.0
    compression_batch_size: Annotated[
        Number,
        Field(description="Nodes that one compression takes with a fixed number of slots."),
        Chinese("方案 A 中每轮压缩处理的节点数。"),
    ] = 100
    max_nodes: Annotated[
        Number,
        Field(
            description="Slots of the fixed schedule; when all are taken, the least important of a sample is reused."
        ),
        Chinese("方案 A 的节点槽位数；用尽时复用抽样中最不重要的槽位。"),
    ] = 10_000
    compression: Annotated[
        Literal["role", "key-sentences", "levels"],
        Field(
            description="How a node's text is made shorter: by the annotation role of the engine, by its most telling "
            "sentences, or in steps of a fifth of its original length."
        ),
        Chinese(
            "压缩方式：`role` 由引擎的标注角色完成；`key-sentences` 抽取关键句；`levels` 按原长的五分之一逐级压缩。"
        ),
    ] = "role"
    max_retries: Annotated[
        Annotated[int, Field(ge=0, le=1000)],
        Field(description="Further attempts at language work that failed; in the end a node keeps its text."),
        Chinese("语言任务失败后的重试次数；最终失败时节点保留原内容。"),
    ] = 15
    worker_timeout: Annotated[
        Seconds,
        Field(description="Seconds that one piece of language work may take."),
        Chinese("单次语言任务的时限（秒）。"),
    ] = 300.0
    default_search_depth: Annotated[
        Number,
        Field(description="Hops from a focus that recall goes unless told otherwise."),
        Chinese("回忆的默认搜索深度（跳数）。"),
    ] = 2
    max_search_results: Annotated[
        Annotated[int, Field(ge=0, le=2**53)],
        Field(description="Nodes that a recall returns at most; 0 is no limit."),
        Chinese("单次回忆返回的最大结果数；0 表示不限。"),
    ] = 100
    similarity: Annotated[
        Annotated[float, Field(ge=0, le=1)],
        Field(description="The cosine from which a node counts as matching when recall by meaning is asked for."),
        Chinese("按语义回忆时，余弦相似度达到多少视为匹配。"),
    ] = 0.5
    max_queue_size: Annotated[
        Number,
        Field(description="Jobs that may wait or run for the agent; past it, remember is refused."),
        Chinese("任务队列最大长度；超出后拒绝新的写入，已排队的不会丢失。"),
    ] = 1000
