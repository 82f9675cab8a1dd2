"""Commands of our disciplines that no operation makes: they show work as it goes on, or read files where they lie.

Everything heavy is imported when a command runs, and a discipline that is missing takes its commands along.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from remanent.cli.options import CommonOptions, GeneratedCommand, Level, argument, option, say, with_common_options

HAND_MADE: list[GeneratedCommand] = []


def _command(
    discipline: str, name: str, level: Level, zh: str, *, agent: str = "default"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a command of a discipline; its docstring is the help in English."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        made = with_common_options(level, agent=agent)(function)
        help_text = say(" ".join((function.__doc__ or "").split()), zh)
        HAND_MADE.append(GeneratedCommand((discipline, name), help_text, made, discipline=discipline))
        return made

    return add


@_command("bank", "run", "agents", "阅读、交叉核对并作答。除非导出，否则结束时全部清除。")
def run_bank(
    place: CommonOptions,
    *,
    task: Annotated[str, option("--task -t TEXT", "The question or task.", "问题或任务。")],
    context: Annotated[
        list[Path] | None,
        option(
            "--context -c FILE",
            "A text file to read; repeatable.",
            "要读的文本文件；可重复。",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    image: Annotated[
        list[Path] | None,
        option(
            "--image -i FILE",
            "A picture or other file; repeatable.",
            "图片或其他文件；可重复。",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    export: Annotated[
        Path | None,
        option("--export FILE", "Write the whole bank to this file as JSON.", "将整个记忆库以 JSON 写入此文件。"),
    ] = None,
    bank_id: Annotated[
        str | None,
        option(
            "--id NAME", "Keep the bank under this name until the task is done.", "以此名称保存记忆库，直到任务完成。"
        ),
    ] = None,
) -> None:
    """Read, cross-check and answer. Everything is cleared at the end unless it is exported."""
    from remanent.cli import bank

    bank.run(place, task=task, context=context or [], images=image or [], export=export, bank_id=bank_id)


@_command("bank", "show", "machine", "绘制所导出记忆库的 Query Graph，并显示其 Interaction Tree。")
def show_bank(
    place: CommonOptions,
    *,
    file: Annotated[Path, argument("FILE", "An exported bank.", "导出的记忆库。", exists=True, dir_okay=False)],
    svg: Annotated[
        Path | None,
        option(
            "--svg FILE", "The drawing; defaults to a file beside the export.", "图的文件；默认与导出文件放在一起。"
        ),
    ] = None,
) -> None:
    """Draw the Query Graph of an exported bank and print its Interaction Trees."""
    from remanent.cli import bank

    bank.show(place, file, svg=svg)


@_command("knowledge", "sync", "agent", "使集合与文件夹一致：添加变化的文件，移除已不存在的。", agent="shared")
def sync_knowledge(
    place: CommonOptions,
    *,
    folder: Annotated[Path, argument("FOLDER", "The folder.", "文件夹。")],
    collection: Annotated[str, option("--collection NAME", "The collection.", "集合。")] = "default",
    force: Annotated[
        bool,
        option(
            "--force", "Remove all documents of a folder that is empty now.", "文件夹已空时，仍移除来自它的全部文档。"
        ),
    ] = False,
    watch: Annotated[
        bool,
        option(
            "--watch", "Go on doing so whenever files change, until Ctrl+C.", "持续监视文件变化并同步，按 Ctrl+C 结束。"
        ),
    ] = False,
) -> None:
    """Bring a folder and a collection together: add what changed, remove what is gone."""
    from remanent.cli.execution import perform_folder, watch_folder
    from remanent.knowledge.operations import FOLDER

    if watch:
        watch_folder(
            place, FOLDER, folder, lambda memory: memory.knowledge(collection, agent=place.agent).watch(folder)
        )
        return
    perform_folder(place, FOLDER, folder, {"collection": collection, "remove": "all" if force else "gone"})


@_command("associative", "show", "agent", "显示智能体的联想记忆：规模、关注点，或图的绘制。")
def show_associative(
    place: CommonOptions,
    *,
    svg: Annotated[
        bool,
        option(
            "--svg", "Draw it as SVG: focuses, strengths and dangling links.", "绘制成 SVG：关注点、强度与悬空的关联。"
        ),
    ] = False,
    html: Annotated[
        bool, option("--html", "Draw it as a page to search and zoom in.", "绘制成可查找、可缩放的网页。")
    ] = False,
    file: Annotated[
        Path | None,
        option("--file FILE", "The file of the drawing; defaults to standard output.", "图的文件；默认为标准输出。"),
    ] = None,
) -> None:
    """Show an agent's associative memory: its size, what is in focus, or a drawing of the graph."""
    from remanent.cli import associative

    associative.show(place, svg=svg, html=html, file=file)
