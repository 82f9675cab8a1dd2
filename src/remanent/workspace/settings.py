"""The settings of the workspace. They stand under `memory`, where the design has `memory.backend` and `memory.path`.

The figures are those of the design where it names one: turns, messages, facts, sizes, the lengths of the recalled
section. `core_budget`, `max_file_size` and `max_changes` are ours and were chosen by hand.
"""

from typing import Annotated, Literal

from pydantic import Field

from remanent.settings import Folder, Number, SettingsSection

VAULT = "**/*.md"
"""What is indexed of a folder: every note that an agent or a person put there, but what lies in dot folders."""


class WorkspaceSettings(SettingsSection):
    """The folder of Markdown files that an agent and its user both read and write.

    backend: What stores the index: `sqlite`, or `postgresql` (with its address in `store`); `redis` only caches answers
        (with its address in `cache`) and needs one of the other two for the records.
        索引保存在何处：`sqlite`，或 `postgresql`（地址见 `store`）；`redis` 只短期保存答案（地址见 `cache`），记录仍由
        前两者之一保存。
    path: The folder of the workspace; by default `~/.remanent/workspace`, wherever `home` is.
        工作区目录；未设置时为 `~/.remanent/workspace`，与 `home` 无关。
    root: The same, but takes precedence over `path`: taken from `AGX_WORKSPACE_ROOT` or `REMANENT_WORKSPACE_ROOT`.
        同上，优先于 `path`：取自 `AGX_WORKSPACE_ROOT` 或 `REMANENT_WORKSPACE_ROOT`。
    project: A project whose AGENTS.md and CLAUDE.md, and those of its parent folders up to the repository root, are
        read in place and included in the prompt.
        项目目录：其中及其上级目录（直至代码仓库根目录）的 AGENTS.md 与 CLAUDE.md 原地读取并写入提示。
    shared: Whether all agents share that one folder; if not, it belongs to the first agent to use it, and the others
        have their own under `home`.
        是否所有智能体共用该目录；否则它归最先使用者，其他智能体在 `home` 下各有目录。
    include: Which files of the folder are indexed: patterns, separated by commas; `**/*.md` is every note outside of
        dot folders and `node_modules`. It can also be written as `workspace.include`.
        索引哪些文件：以逗号分隔的通配式；`**/*.md` 为点目录与 `node_modules` 以外的所有笔记。
        也可写作 `workspace.include`。
    follow: Whether facts are recorded automatically when a session of the agent ends, without calling a hook.
        智能体的会话结束时，是否自动记下其中的事实（无需调用钩子）。
    extractor: What finds the facts of a conversation: `rules` without a model, or the extraction role of the `engine`.
        从对话中找出事实的方式：`rules` 不用模型，`engine` 使用引擎的抽取角色。
    max_day_size: The most characters one day's file may have; facts that do not fit stay in the journal.
        单日文件的最大字符数；放不下的事实保留在日志（journal）中。
    compact_above: The number of characters above which the bullets Remanent wrote in a day's file are de-duplicated.
        单日文件超过多少字符后，对我们写下的条目去重。
    max_memory_size: The size of MEMORY.md, in characters, above which no more facts are added to it.
        MEMORY.md 超过多少字符后不再自动追加事实。
    core_budget: The most tokens of IDENTITY.md, SOUL.md and USER.md, which a system prompt always includes.
        系统提示中始终包含的 IDENTITY.md、SOUL.md、USER.md 最多占用的 token 数。
    max_file_size: The most characters a file written by an agent may have; larger files are not indexed.
        智能体可写入的单个文件的最大字符数；更大的文件不予索引。
    max_changes: How many of Remanent's changes can be undone; older ones are dropped.
        可撤销的改动数；更早的会被丢弃。
    """

    backend: Literal["sqlite", "postgresql", "redis"] = "sqlite"
    path: Folder | None = None
    root: Folder | None = None
    project: Folder | None = None
    shared: bool = False
    include: Annotated[str, Field(min_length=1)] = VAULT
    follow: bool = False
    extractor: Literal["rules", "engine"] = "rules"
    max_day_size: Number = 8000
    compact_above: Number = 2000
    max_memory_size: Number = 4000
    core_budget: Number = 1500
    max_file_size: Number = 100_000
    max_changes: Annotated[int, Field(ge=0, le=100_000)] = 1000
