"""The commands of a bank that no operation makes; what they show is drawn by `cli/bank.py`.

Nothing is imported here that help would have to wait for.
"""

from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual
from remanent.plugins import CommandParameter, HandMadeCommand


def _option(name: str, kind: Any, shown: str, english: str, chinese: str, *, is_file: bool = False) -> CommandParameter:
    return CommandParameter(name, kind, shown, Bilingual(english, chinese), None, is_file)


COMMANDS = (
    HandMadeCommand(
        "run",
        Bilingual(
            "Read, cross-check and answer. Everything is cleared at the end unless it is exported.",
            "阅读、交叉核对并作答。除非导出，否则结束时全部清除。",
        ),
        "remanent.cli.bank:run",
        "agents",
        (
            CommandParameter("task", str, "--task -t TEXT", Bilingual("The question or task.", "问题或任务。")),
            _option(
                "context", list[Path] | None, "--context -c FILE",
                "A text file to read; repeatable.", "要读的文本文件；可重复。", is_file=True,
            ),
            _option(
                "image", list[Path] | None, "--image -i FILE",
                "A picture or other file; repeatable.", "图片或其他文件；可重复。", is_file=True,
            ),
            _option(
                "export", Path | None, "--export FILE",
                "Write the whole bank to this file as JSON.", "将整个记忆库以 JSON 写入此文件。",
            ),
            _option(
                "bank_id", str | None, "--id NAME",
                "Keep the bank under this name until the task is done.", "以此名称保存记忆库，直到任务完成。",
            ),
        ),
    ),
    HandMadeCommand(
        "show",
        Bilingual(
            "Draw the Query Graph of an exported bank and print its Interaction Trees.",
            "绘制所导出记忆库的 Query Graph，并显示其 Interaction Tree。",
        ),
        "remanent.cli.bank:show",
        "machine",
        (
            CommandParameter("file", Path, "FILE", Bilingual("An exported bank.", "导出的记忆库。"), is_file=True),
            _option(
                "svg", Path | None, "--svg FILE",
                "The file to draw to; defaults to one beside the export.", "图的文件；默认与导出文件放在一起。",
            ),
        ),
    ),
)  # fmt: skip
