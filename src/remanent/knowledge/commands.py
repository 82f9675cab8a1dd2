"""The command of knowledge bases that no operation makes: the folder is read where it lies."""

from pathlib import Path

from remanent.bilingual import Bilingual
from remanent.plugins import CommandParameter, HandMadeCommand

COMMANDS = (
    HandMadeCommand(
        "sync",
        Bilingual(
            "Sync a collection with a folder: add what changed, remove what is gone.",
            "使集合与文件夹一致：添加变化的文件，移除已不存在的。",
        ),
        "remanent.knowledge.operations:SYNC",
        parameters=(
            CommandParameter("folder", Path, "FOLDER", Bilingual("The folder.", "文件夹。")),
            CommandParameter("collection", str, "--collection NAME", Bilingual("The collection.", "集合。"), "default"),
            CommandParameter(
                "force",
                bool,
                "--force",
                Bilingual(
                    "Remove all of a folder's documents even if the folder is now empty.",
                    "文件夹已空时，仍移除来自它的全部文档。",
                ),
                False,
            ),
            CommandParameter(
                "watch",
                bool,
                "--watch",
                Bilingual(
                    "Keep watching and sync whenever files change, until Ctrl+C.",
                    "持续监视文件变化并同步，按 Ctrl+C 结束。",
                ),
                False,
            ),
        ),
        agent="shared",
    ),
)
