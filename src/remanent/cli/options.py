"""The options that commands share, and those that some have beside their operation's fields.

Help must appear at once, so that nothing heavy is imported here: no settings, no model classes, no store.
"""

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from remanent.bilingual import Bilingual
from remanent.cli.words import HELP, NOT_A_MOMENT, locale_language
from remanent.values import dataclass

if TYPE_CHECKING:
    from remanent._sync import Memory
    from remanent.settings import Settings


def say(en: str, zh: str) -> str:
    """Return a help text in the user's language; help is made before any settings are read."""
    return zh if locale_language() == "zh" else en


def option(shown: str, en: str, zh: str, **more: Any) -> Any:
    """Declare an option by how help shows it: its flags, if any, then what stands for its value (`--agent -a NAME`)."""
    flags = [word for word in shown.split() if word.startswith("-")]
    value = [word for word in shown.split() if not word.startswith("-")]
    return typer.Option(*flags, metavar=value[0] if value else None, help=say(en, zh), **more)


def argument(shown: str, en: str, zh: str, **more: Any) -> Any:
    """Declare what is given by its place; `shown` stands for it in help."""
    return typer.Argument(metavar=shown, help=say(en, zh), **more)


Home = Annotated[
    Path | None,
    option(
        "--home FOLDER",
        "The folder that holds all memories (or set REMANENT_HOME).",
        "存放全部记忆的文件夹（也可设 REMANENT_HOME）。",
    ),
]
Org = Annotated[
    str | None, option("--org NAME", "The organisation (or set REMANENT_ORG).", "组织（也可设 REMANENT_ORG）。")
]
Workspace = Annotated[
    str | None,
    option("--workspace NAME", "The workspace (or set REMANENT_WORKSPACE).", "工作区（也可设 REMANENT_WORKSPACE）。"),
]
WhichAgent = Annotated[
    str, option("--agent -a NAME", "The agent whose memory to use.", "使用哪个智能体的记忆。", envvar="REMANENT_AGENT")
]
PerhapsAgent = Annotated[
    str | None,
    option("--agent -a NAME", "The agent whose memory to use.", "使用哪个智能体的记忆。", envvar="REMANENT_AGENT"),
]
AsJson = Annotated[
    bool, option("--json", "Print one JSON value; errors are JSON, too.", "输出一个 JSON 值；错误也是 JSON。")
]


Level = Literal["machine", "org", "workspace", "agent", "agents"]
"""What a command works on: `agents` is one agent if it is named, else all of a workspace."""


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """Which memory a command works on, and how it answers."""

    home: Path | None = None
    org: str | None = None
    workspace: str | None = None
    agent: str | None = None
    as_json: bool = False

    def overrides(self) -> dict[str, Any]:
        """Return the settings that were given as options."""
        return {"home": self.home, "org": self.org, "workspace": self.workspace}

    def open(self, settings: "Settings") -> AbstractContextManager["Memory"]:
        """Open the memory."""
        from remanent._sync import open as open_memory

        return open_memory(settings=settings)


def with_common_options(
    level: Level, *, agent: str = "default"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options of its level, and the agent that is meant where none is named.

    It gets them together as its first argument.
    """
    options: dict[str, tuple[Any, Any]] = {"home": (Home, None)}
    if level != "machine":
        options["org"] = (Org, None)
    if level in {"workspace", "agent", "agents"}:
        options["workspace"] = (Workspace, None)
    if level == "agent":
        options["agent"] = (WhichAgent, agent)
    elif level == "agents":
        options["agent"] = (PerhapsAgent, None)
    options["as_json"] = (AsJson, False)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        """Show typer one flat signature, and call the function with the common options as one object."""

        @wraps(function)
        def command(**values: Any) -> None:
            shared = {name: values.pop(name) for name in options}
            function(CommonOptions(**shared), **values)

        _, *own = inspect.signature(function).parameters.values()
        shown = [own_one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for own_one in own]
        shown += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in options.items()
        ]
        command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
        return command

    return decorate


def read_moment(text: str) -> datetime:
    """Return the moment of an ISO 8601 date or time; without a zone it is meant in the user's own."""
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else moment.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise typer.BadParameter(NOT_A_MOMENT.say(locale_language(), text=repr(text))) from error


# No markup: the styled help takes longer to load than to read.


class CommandGroup(TyperGroup):
    """Commands whose list tells the first sentence of each whole, in as many lines as it takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: D102
        found = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, _first_sentence(command.help or "")) for name, command in found if not command.hidden]
            )


def _first_sentence(text: str) -> str:
    first = re.split(r"(?<=\.)\s|(?<=[。；])|\n\n", text.strip())[0]
    return " ".join(first.replace("；", "。").split())


_UNBROKEN = re.compile(r"\s+|[（“《]*(?:[!-~]+|.)[，。、；：）》”！？…]*")
"""What stays in one line of Chinese: a word in Latin letters or a sign, with the marks that belong to it."""


def _lines(text: str, room: int) -> Iterator[str]:
    """Yield a Chinese text in lines of so many columns: its signs are two wide, and may be parted without a space."""
    line, left = "", room
    for part in _UNBROKEN.findall(text):
        width = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in part)
        if width > left and line:
            yield line.rstrip()
            line, left = "", room
        if line or not part.isspace():
            line, left = line + part, left - width
    yield line.rstrip()


_ParserContext: Any = CommandGroup.context_class
_Formatter: Any = _ParserContext.formatter_class
_NOTES = re.compile(r"\[[^][]*\]$")
"""What stands behind the help of an option: its default, its range, and whether it must be given."""


class HelpFormatter(_Formatter):  # type: ignore[misc]
    """Help in words for people: no types of Python, and what the parser itself says in Chinese, too."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: D102
        args = re.sub(r"\{(\w+)\}", r"\1", args)
        for word, zh in (("[OPTIONS]", "[选项]"), ("COMMAND", "命令"), ("[ARGS]", "[参数]")):
            args = args.replace(word, say(word, zh))
        super().write_usage(prog, args, prefix or say("Usage: ", "用法："))

    def section(self, name: str) -> Any:  # noqa: D102
        return super().section(self._said(name))

    def write_dl(self, rows: Iterable[tuple[str, str]], **options: Any) -> None:  # noqa: D102
        told = [(re.sub(r" <[^<>]+>$", "", name), self._said(text)) for name, text in rows]
        names = max((len(name) for name, _ in told), default=0)
        room = self.width - self.current_indent - min(names, options.get("col_max", 30)) - 4
        super().write_dl([(name, self._parted(text, room)) for name, text in told], **options)

    def write_text(self, text: str) -> None:  # noqa: D102
        room = self.width - self.current_indent
        super().write_text("\n\n".join(self._parted(one, room) for one in text.split("\n\n")))

    def _parted(self, text: str, room: int) -> str:
        """Part Chinese into lines, and mark them so that they stay as they are: help parts words, by letters."""
        if locale_language() != "zh" or text.startswith("\b"):
            return text
        return "\b\n" + "\n".join(_lines("".join(map(str.strip, text.split("\n"))), max(10, room)))

    def _said(self, text: str) -> str:
        """Return a text of the help in the user's language, the notes about defaults and bounds included."""
        if locale_language() != "zh":
            return text
        text = HELP.get(text, text)
        return _NOTES.sub(lambda notes: _in_chinese(notes[0]), text)


def _in_chinese(notes: str) -> str:
    for en, zh in (("default: ", "默认："), ("env var: ", "环境变量："), ("required", "必填")):
        notes = notes.replace(en, zh)
    return notes


class _Context(_ParserContext):  # type: ignore[misc]
    formatter_class = HelpFormatter


CommandGroup.context_class = _Context


class HelpfulCommand(TyperCommand):
    """A command whose help is in words for people."""

    context_class = _Context


PLAIN: dict[str, Any] = {"rich_markup_mode": None, "no_args_is_help": True, "cls": CommandGroup}

GROUPS = {
    "audit": Bilingual(
        "Audit the memories; show who did what, and verify that the log is intact.",
        "检查记忆状况；查看谁做过什么，并核对日志是否完好。",
    ),
    "conflicts": Bilingual("Look at contradictions between memories and settle them.", "查看并解决记忆之间的矛盾。"),
    "keys": Bilingual("Create, list, rotate and revoke the keys of a server.", "创建、列出、更换与吊销服务器的密钥。"),
    "memories": Bilingual(
        "Look at what was learned: list, explain, correct, confirm, forget.", "查看所学：列出、说明、更正、确认、忘记。"
    ),
    "shared": Bilingual("Propose and approve what a workspace shares.", "提议与批准工作区共享的内容。"),
    "scratchpad": Bilingual(
        "Read and write the small values an agent keeps at hand.", "读写智能体随手可用的小块内容。"
    ),
    "session": Bilingual("Begin, end and list sessions; show what one is at.", "开始、结束与列出会话，查看其状态。"),
}
"""What a group of commands is for; operations with a dot in their name stand in one. A discipline says its own."""


@dataclass(frozen=True, slots=True)
class GeneratedCommand:
    """A command that was made of an operation: its words, what it is for, and what it runs."""

    path: tuple[str, ...]
    help: str
    function: Callable[..., None]
    group: str = ""
    """What the group is for that it stands in."""
    discipline: str = ""
    """The discipline that it comes with; empty for those of every memory."""


def add_commands(app: typer.Typer, commands: Iterable[GeneratedCommand], *, groups: dict[str, typer.Typer]) -> None:
    """Add commands, those with two words in the group of the first; some groups are there already."""
    for made in commands:
        *above, name = made.path
        where = app
        if above:
            group = above[0]
            if group not in groups:
                groups[group] = typer.Typer(help=made.group, **PLAIN)
                app.add_typer(groups[group], name=group)
            where = groups[group]
        elif name in groups:
            purpose = groups[name].info.help
            groups[name].callback(invoke_without_command=True, no_args_is_help=False, help=purpose)(
                _alone(made.function)
            )
            continue
        where.command(name, help=made.help, cls=HelpfulCommand)(made.function)


def _alone(function: Callable[..., None]) -> Callable[..., None]:
    """Return what a group does when none of its commands is named."""

    @wraps(function)
    def run(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is None:
            function(**given)

    own = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    declared = inspect.signature(function)
    vars(run)["__signature__"] = declared.replace(parameters=[own, *declared.parameters.values()])
    run.__annotations__ = {**function.__annotations__, "context": typer.Context}
    return run


def choices(module: str, name: str) -> Callable[[str], list[str]]:
    """Return what completes a value of an enumeration, which is loaded only then."""

    def complete(incomplete: str) -> list[str]:
        from importlib import import_module

        return [str(one.value) for one in getattr(import_module(module), name) if one.value.startswith(incomplete)]

    return complete


Wait = Annotated[
    bool,
    option(
        "--wait/--no-wait",
        "Wait until background work is finished, or return at once.",
        "等待后台任务完成，或立即返回。",
    ),
]
WaitForFile = Annotated[
    bool | None,
    option(
        "--wait/--no-wait",
        "Wait until background work is finished, or return at once; unless given, only a file is waited for.",
        "等待后台任务完成，或立即返回；未指定时，仅在导入文件时等待。",
    ),
]
Yes = Annotated[bool, option("--yes -y", "Do not ask for confirmation.", "不再询问确认。")]
ExportFile = Annotated[
    Path, argument("FILE", "The file to write; defaults to standard output.", "写入的文件；默认为标准输出。")
]
ImportFile = Annotated[
    Path, argument("FILE", "The file to read; `-` is standard input.", "读取的文件；`-` 为标准输入。")
]
Words = Annotated[
    list[str] | None,
    argument(
        "TEXT", "The text of one message; `-` reads it from standard input.", "一条消息的内容；`-` 从标准输入读取。"
    ),
]
Role = Annotated[
    str, option("--role ROLE", "Who said it: user, assistant, tool …", "谁说的：user、assistant、tool 等。")
]
MessageId = Annotated[
    str | None,
    option(
        "--id ID",
        "Your own id; within a session, the same one is stored only once.",
        "自定的 id；同一会话中相同的只存一次。",
    ),
]
At = Annotated[
    datetime | None,
    option("--at WHEN", "When it was said; defaults to now.", "何时所说；默认为现在。", parser=read_moment),
]
MessagesFile = Annotated[
    Path | None,
    option(
        "--file FILE",
        "Messages as a JSON list or as JSON lines: role, content, id, occurred_at, metadata, session; `-` is "
        "standard input.",
        "JSON 列表或 JSON 行格式的消息：role、content、id、occurred_at、metadata、session；`-` 为标准输入。",
    ),
]
RequestFile = Annotated[
    Path, option("--file FILE", "The request as JSON; defaults to standard input.", "JSON 请求；默认为标准输入。")
]
QuestionsFile = Annotated[
    Path,
    argument(
        "FILE",
        "Questions as JSON lines: `question`, and the `ids` or `texts` that answer it; `-` is standard input.",
        "JSON 行格式的问题：question，以及答案的 ids 或 texts；`-` 为标准输入。",
    ),
]
Save = Annotated[
    Path | None,
    option("--save FILE", "Keep the answers in a file for --against.", "把回答存入文件，供 --against 使用。"),
]
Against = Annotated[
    Path | None,
    option(
        "--against FILE",
        "A file of --save: end with 1 if a question is answered otherwise, and name it.",
        "由 --save 存下的文件：若有问题的回答变了，列出该问题并以 1 退出。",
    ),
]
Minimum = Annotated[
    float | None,
    option(
        "--min SHARE",
        "End with 1 if fewer of the answerable questions have their answer among the first five (any@5).",
        "有答案的问题中，前五条命中答案的比例（any@5）低于此值时以 1 退出。",
        min=0,
        max=1,
    ),
]
Schema = Annotated[bool, option("--schema", "Only show the JSON schema of the request.", "只显示请求的 JSON schema。")]
Prompt = Annotated[
    bool, option("--prompt", "Only show the prompt that a model would get.", "只显示会发给模型的提示词。")
]
Explain = Annotated[bool, option("--explain", "Explain how each answer was ranked.", "说明每个答案为何排在此处。")]


# Take… are given to the function `take_…` of intakes.py, Show… to whoever shows the answer.


@dataclass
class TakeMessages:
    """What a command takes in place of messages."""

    text: Words = None
    role: Role = "user"
    message_id: MessageId = None
    at: At = None
    file: MessagesFile = None


@dataclass
class TakeRequest:
    """What a command takes in place of a request."""

    file: RequestFile = Path("-")
    schema: Schema = False
    prompt: Prompt = False


@dataclass
class TakeQuestions:
    """What a command takes in place of questions."""

    file: QuestionsFile
    save: Save = None
    against: Against = None
    minimum: Minimum = None


@dataclass
class TakeTargets:
    """A command that names what it works on must name something; it takes nothing else."""


@dataclass
class ShowExplained:
    """How an answer may be shown that can be explained."""

    explain: Explain = False
