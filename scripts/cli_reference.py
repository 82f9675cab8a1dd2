"""Write docs/cli.md from the commands and the table of exit codes; with --check, only say whether it is up to date."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command  # noqa: TID251 - the commands can only be asked through it
from typer.testing import CliRunner  # noqa: TID251

from remanent.cli.app import app
from remanent.cli.exits import EXIT_MEANINGS, ExitMeaning

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "cli.md"

HEAD = """\
# The command line · 命令行

Made by `scripts/cli_reference.py` from the commands themselves; change them there.

Data goes to standard output, everything else (progress, hints, errors) to standard error. `--json` gives one JSON
value; `export` gives JSON lines. Errors are one line; with `--json` one JSON object
`{"error": …, "message": …, "exit": …}`; `REMANENT_DEBUG=1` adds where they happened. The prose is Chinese when the
locale is (`LC_ALL`, `LC_MESSAGES`, `LANG`) or when the setting `language` is `zh`. A time without a zone is meant in
your own. Nothing is coloured unless it is shown on a terminal. `remanent --install-completion` teaches your shell the
commands.

数据写到标准输出，其余内容（进度、提示、错误）写到标准错误。`--json` 输出一个 JSON 值；`export` 输出 JSON 行。
错误只有一行；加 `--json` 时为一个 JSON 对象 `{"error": …, "message": …, "exit": …}`；`REMANENT_DEBUG=1`
会显示出错位置。区域设置（`LC_ALL`、`LC_MESSAGES`、`LANG`）为中文或设置项 `language` 为 `zh` 时，提示使用中文。
不带时区的时间按本地时区理解。不在终端上显示时不着色。`remanent --install-completion` 可安装命令补全。

## Exit codes · 退出码

| code · 退出码 | meaning | 含义 | errors · 错误 |
|---|---|---|---|
"""


@cache
def document() -> str:
    """Return the whole document."""
    commands = get_command(app)
    rows = [f"| {int(row.code)} | {row.meaning.en} | {row.meaning.zh} | {_errors(row)} |" for row in EXIT_MEANINGS]
    helps = [_section(commands, path) for path in _paths(commands)]
    return HEAD + "\n".join(rows) + "\n\n## Commands · 命令\n\n" + "\n".join(helps)


def _errors(row: ExitMeaning) -> str:
    return ", ".join(f"`{error.__name__}`" for error in row.errors)


def _paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words that lead to the program and to each of its commands; a mere group has no page of its own."""
    inner = getattr(command, "commands", {})
    if not path or not inner or command.invoke_without_command:
        yield path
    for name, below in inner.items():
        yield from _paths(below, (*path, name))


def _section(commands: Any, path: tuple[str, ...]) -> str:
    name = " ".join(("remanent", *path))
    with CliRunner().isolation() as (_, _, output):
        code = commands.main(args=[*path, "--help"], prog_name="remanent", standalone_mode=False)
        sys.stdout.flush()
        shown = output.getvalue().decode()
    if code:
        raise SystemExit(f"{name} --help failed: {shown}")
    return f"### {name}\n\n```text\n{shown.strip()}\n```\n"


def main(*, target: Path = DOCUMENT) -> int:
    """Write the document, or compare it."""
    wanted = document()
    if "--check" not in sys.argv[1:]:
        target.parent.mkdir(exist_ok=True)
        target.write_text(wanted, encoding="utf-8")
        return 0
    if target.is_file() and target.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{target.name} does not fit the commands. Run: python scripts/cli_reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
