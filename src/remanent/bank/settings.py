"""The settings of task banks."""

from typing import Annotated

from pydantic import Field

from remanent.settings import Chinese, Folder, Number, Section


class BankSettings(Section):
    """How a task's memory bank reads, searches and plans.

    `top_k`, `alpha` and `chunk_ratio` are the seed's values. The limits on merges, rounds and concurrency are ours,
    chosen by hand: far above what a healthy run takes, so that they only stop one that never ends.
    """

    top_k: Annotated[
        Annotated[int, Field(ge=1, le=50)],
        Field(description="Candidates that a search of a task's graph returns; their neighbours are added to them."),
        Chinese("检索任务图时选出的候选节点数，邻居另计。"),
    ] = 5
    alpha: Annotated[
        Annotated[float, Field(ge=0, le=1)],
        Field(description="Weight of words against meaning in a search: 1 is words alone, 0 is meaning alone."),
        Chinese("混合检索中关键词相对语义的权重：1 只看关键词，0 只看语义。"),
    ] = 0.5
    chunk_ratio: Annotated[
        Annotated[float, Field(gt=0, le=1)],
        Field(description="Share of a role's window that one chunk of a long text may fill."),
        Chinese("过长文本分块时，每块可占角色窗口的比例。"),
    ] = 0.9
    two_phase: Annotated[
        bool,
        Field(
            description="Whether related topics are judged in a second call, if the first found no conflict or merge."
        ),
        Chinese("是否在第一次调用未发现冲突或重叠后，另用一次调用判断相关关系。"),
    ] = False
    concurrency: Annotated[
        Annotated[int, Field(ge=1, le=64)],
        Field(description="Language calls that a bank makes at the same time where their order does not matter."),
        Chinese("顺序无关时同时调用的角色数。"),
    ] = 4
    max_rounds: Annotated[
        Number,
        Field(description="Rounds after which a run that has not ended is stopped."),
        Chinese("运行迟迟不结束时，达到多少轮后停止。"),
    ] = 50
    max_merges: Annotated[
        Number,
        Field(description="Merges in a row that one new node may trigger."),
        Chinese("一个新节点最多可连续引发的合并次数。"),
    ] = 8
    temp_dir: Annotated[
        Folder | None,
        Field(description="Where uploads wait until they are recognised; if unset, in the system's temporary folder."),
        Chinese("上传内容在识别完成前的临时目录；未设置时使用系统临时目录。"),
    ] = None
    storage_dir: Annotated[
        Folder | None,
        Field(description="Where recognised uploads are kept; if unset, under `home`."),
        Chinese("识别完成后的附件存放目录；未设置时位于 `home` 之下。"),
    ] = None
