"""The command of the associative memory that no operation makes; what it shows is drawn by `cli/associative.py`."""

from pathlib import Path

from remanent.bilingual import Bilingual
from remanent.plugins import CommandParameter, HandMadeCommand

COMMANDS = (
    HandMadeCommand(
        "show",
        Bilingual(
            "Show an agent's associative memory: its size, what is in focus, or a drawing of the graph.",
            "显示智能体的联想记忆：规模、关注点，或图的绘制。",
        ),
        "remanent.cli.associative:show",
        parameters=(
            CommandParameter(
                "svg",
                bool,
                "--svg",
                Bilingual(
                    "Draw it as SVG: focuses, strengths and dangling links.", "绘制成 SVG：关注点、强度与悬空的关联。"
                ),
                False,
            ),
            CommandParameter(
                "html",
                bool,
                "--html",
                Bilingual("Draw it as a page that can be searched and zoomed.", "绘制成可查找、可缩放的网页。"),
                False,
            ),
            CommandParameter(
                "file",
                Path | None,
                "--file FILE",
                Bilingual("The file to draw to; defaults to standard output.", "图的文件；默认为标准输出。"),
                None,
            ),
        ),
    ),
)
