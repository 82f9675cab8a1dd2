"""The commands and their options. Everything heavy is imported when a command runs, so that help is instant."""

import atexit
import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from remanent.cli.by_hand import make_command
from remanent.cli.commands import COMMANDS
from remanent.cli.exits import quiet_pipe, run_guarded
from remanent.cli.options import (
    PLAIN,
    CommandGroup,
    CommonOptions,
    GeneratedCommand,
    HelpfulCommand,
    Level,
    add_commands,
    argument,
    option,
    say,
    with_common_options,
)
from remanent.plugins import commands_of_ours, others_declared, ours_available


def commands() -> Iterator[GeneratedCommand]:
    """Yield every command that is made of an operation, and what disciplines have beside."""
    ours = ours_available()
    yield from (made for made in COMMANDS if made.discipline in {"", *ours})
    yield from (make_command(name, declared) for name in ours for declared in commands_of_ours(name))
    if others_declared():
        yield from _of_others()


def _of_others() -> list[GeneratedCommand]:
    """Make the commands of other distributions' disciplines."""
    from remanent.cli.generation import commands_text
    from remanent.discipline import registered
    from remanent.plugins import OURS

    others = [one for one in registered() if one.name not in OURS]
    operations = [operation for one in others for operation in one.operations()]
    names: dict[str, Any] = {"__name__": f"{__name__}.others"}
    exec(compile(commands_text(operations), "<commands of disciplines>", "exec"), names)
    by_hand = (make_command(one.name, declared) for one in others for declared in one.commands())
    return [*names["COMMANDS"], *by_hand]


HELP = say(
    "A memory that LLM agents can trust: durable, traceable, searchable, erasable, and local first.\n\n"
    "Data goes to standard output, everything else to standard error. The exit codes are listed in docs/cli.md.",
    "值得信赖的智能体记忆：持久、可追溯、可检索、可抹除，数据留在本机。\n\n"
    "数据写到标准输出，其余内容写到标准错误。退出码见 docs/cli.md。",
)


class Commands(CommandGroup):
    """The commands, with one border where every error becomes a line and an exit code."""

    def main(self, *args: Any, **options: Any) -> Any:  # noqa: D102
        standalone, options["standalone_mode"] = options.get("standalone_mode", True), False
        given = options.get("args", args[0] if args else None)
        arguments = sys.argv[1:] if given is None else list(given)
        code = run_guarded(lambda: super(Commands, self).main(*args, **options), arguments)
        if standalone:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:  # noqa: D102
        with quiet_pipe():
            return super().invoke(ctx)


app = typer.Typer(name="remanent", help=HELP, pretty_exceptions_enable=False, **(PLAIN | {"cls": Commands}))
mcp = typer.Typer(**PLAIN)
app.add_typer(mcp, name="mcp")
context = typer.Typer(help=say("Make a conversation fit.", "使对话适合窗口。"), **PLAIN)
app.add_typer(context, name="context")
hook = typer.Typer(
    help=say("Give a coding agent this memory by its hooks.", "通过钩子让编程智能体使用此记忆。"), **PLAIN
)
app.add_typer(hook, name="hook")


def main() -> None:
    """Run the command that the arguments name."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")  # a terminal that cannot show a character must not end the command
    _keep_only(sys.argv[1:2])
    # All that a command makes ends with it: to look through it once more at the end takes a quarter of a second.
    atexit.register(gc.freeze)
    app(prog_name="remanent")


def _keep_only(named: list[str]) -> None:
    """Leave out all commands but the one that is named, if one is: to prepare the others takes as long as to run it."""
    kept = [one for one in app.registered_commands if [one.name] == named]
    groups = [one for one in app.registered_groups if [one.name] == named]
    if kept or groups:
        app.registered_commands, app.registered_groups = kept, groups


def _show_version(wanted: bool) -> None:
    """Print the version and end, before any other option is looked at."""
    if wanted:
        from importlib.metadata import version

        print(f"remanent {version('remanent')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, option("--version", "Show the version.", "显示版本。", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    del version


GROUPS: dict[str, typer.Typer] = {}
"""The groups of commands that are made of operations, by their first word."""
_generated = list(commands())
add_commands(app, (made for made in _generated if made.path != ("roles",)), groups=GROUPS)
_list_roles = next(made for made in _generated if made.path == ("roles",))
roles = typer.Typer(**PLAIN)
app.add_typer(roles, name="roles")


@roles.callback(invoke_without_command=True, no_args_is_help=False, help=_list_roles.help)
@with_common_options("workspace")
def show_roles(place: CommonOptions, *, ctx: typer.Context) -> None:
    """Show what handles each language task, unless a command of the group is named."""
    if ctx.invoked_subcommand is None:
        from remanent.cli.running_server import perform

        perform("roles", place, {})


def command(
    group: typer.Typer, name: str, level: Level, zh: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command with the shared options of its level; its docstring is the help in English."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        made = with_common_options(level)(function)
        return group.command(name, help=say(" ".join((function.__doc__ or "").split()), zh), cls=HelpfulCommand)(made)

    return add


@command(
    roles,
    "check",
    "machine",
    "用中英文考查所配置的模型能否胜任各个角色，与离线引擎对照显示成绩，并写入由它承担哪些角色。",
)
def check_roles(
    place: CommonOptions,
    *,
    minutes: Annotated[
        float,
        option(
            "--minutes",
            "Time for it; what is not reached stays offline.",
            "考查时限（分钟）；未考到的角色保持离线。",
            min=0.01,
        ),
    ] = 2.0,
    dry_run: Annotated[bool, option("--dry-run", "Write nothing.", "不写入任何文件。")] = False,
    file: Annotated[
        Path | None,
        option(
            "--file FILE",
            "The configuration file to write; defaults to the project's, else the user's.",
            "要写入的配置文件；默认为项目的，否则为用户的。",
        ),
    ] = None,
) -> None:
    """Examine the configured model in every role, in Chinese and English.

    Shows its marks beside those of the offline engine, and writes which roles it should do.
    """
    from remanent.cli import roles as examination

    examination.check(place, minutes=minutes, dry_run=dry_run, file=file)


@command(
    app, "doctor", "agents", "检查安装、本机以及数据目录中的每个智能体；可用 --org、--workspace、--agent 缩小范围。"
)
def doctor(
    place: CommonOptions,
    *,
    ctx: typer.Context,
    repair: Annotated[
        bool,
        option(
            "--repair",
            "Save what is readable of a damaged agent to a new file beside it.",
            "将损坏的智能体中可读的内容另存为新文件。",
        ),
    ] = False,
) -> None:
    """Check the installation, the machine and every agent in the home folder.

    Narrow it with --org, --workspace and --agent.
    """
    from remanent.cli import doctor as examination

    # The environment says whose memory to use; only the command line says to look at nobody else's.
    source = ctx.get_parameter_source("agent")
    is_asked_for = source is not None and source.name == "COMMANDLINE"
    examination.examine(place, repair=repair, only=place.agent if is_asked_for else None)


@command(app, "migrate", "machine", "将 `store` 所指服务器中的表更新到当前版本；内嵌存储会自行更新。")
def migrate(
    place: CommonOptions,
    *,
    dry_run: Annotated[bool, option("--dry-run", "Only say what would be done.", "只说明将要做什么。")] = False,
) -> None:
    """Bring the tables of the server that `store` names up to date; the embedded store does that by itself."""
    from remanent.cli import storing

    storing.migrate(place, dry_run=dry_run)


@command(
    app,
    "move",
    "machine",
    "将每个智能体及其文件从一个存储复制到另一个，并以数量与哈希证明两者一致。不删除任何内容；此前已复制的保持不变。",
)
def move(
    place: CommonOptions,
    *,
    source: Annotated[
        str, option("--from URL", "The store to copy from, such as sqlite:///folder.", "来源存储，如 sqlite:///目录。")
    ],
    target: Annotated[
        str,
        option(
            "--to URL",
            "The store to copy to, such as postgresql://user@host/name.",
            "目标存储，如 postgresql://user@host/name。",
        ),
    ],
) -> None:
    """Copy every agent with its files from one store to another, and prove by counts and hashes that both are alike.

    Nothing is removed; what was copied before is left as it is.
    """
    from remanent.cli import storing

    storing.move(place, source=source, target=target)


@command(app, "serve", "machine", "通过 HTTP 提供记忆服务：REST、MCP，以及面向任何 OpenAI 兼容模型的代理。")
def serve(
    place: CommonOptions,
    *,
    host: Annotated[
        str | None,
        option(
            "ADDRESS",
            "The address to listen on; any but loopback needs a key first.",
            "监听地址；除本机回环地址外，须先有密钥。",
        ),
    ] = None,
    port: Annotated[
        int | None, option("N", "The port; 0 picks a free one.", "端口；0 表示任选空闲端口。", min=0, max=65_535)
    ] = None,
    sample: Annotated[
        bool,
        option(
            "--sample",
            "Fill the workspace `sample` with a small bilingual sample if it is empty.",
            "若工作区 sample 为空，则填入一份中英双语示例。",
        ),
    ] = False,
) -> None:
    """Serve memory over HTTP: REST, MCP and a proxy for any OpenAI-compatible model."""
    from remanent.cli import serving

    serving.serve(place, host=host, port=port, sample=sample)


@mcp.callback(
    invoke_without_command=True,
    help=say(
        "Serve an agent that speaks MCP over standard input and output; its client starts this command itself.",
        "经标准输入输出为使用 MCP 的智能体提供服务；由其客户端自行启动。",
    ),
)
@with_common_options("agents")
def serve_mcp(place: CommonOptions, *, ctx: typer.Context) -> None:
    """Serve an agent that speaks MCP, over standard input and output."""
    if ctx.invoked_subcommand is None:
        from remanent.cli import serving

        serving.serve_mcp(place)


@command(mcp, "install", "agents", "显示让 MCP 客户端使用此记忆的配置，或直接写入。")
def install_mcp(
    place: CommonOptions,
    *,
    client: Annotated[
        str,
        option(
            "--for CLIENT",
            "The client: claude-desktop, claude-code, cursor, vscode, windsurf or gemini-cli.",
            "客户端：claude-desktop、claude-code、cursor、vscode、windsurf 或 gemini-cli。",
        ),
    ],
    write: Annotated[
        bool,
        option(
            "--write",
            "Write it into the client's file; other entries stay, and the old file is kept as a backup.",
            "写入客户端的配置文件；其他条目不变，原文件留作备份。",
        ),
    ] = False,
    file: Annotated[
        Path | None,
        option("--file PATH", "A file other than the client's usual one.", "改用其他文件，而非客户端的默认文件。"),
    ] = None,
) -> None:
    """Show the configuration that gives an MCP client this memory, or write it."""
    from remanent.cli import serving

    serving.install_mcp(place, name=client, write=write, file=file)


@command(context, "shrink", "agents", "缩短文件中的消息（OpenAI 或 Anthropic 格式）并输出，或显示各策略节省了多少。")
def shrink_context(
    place: CommonOptions,
    *,
    file: Annotated[
        Path, argument("FILE", "JSON or JSON lines; - is standard input.", "JSON 或 JSON 行；- 为标准输入。")
    ],
    level: Annotated[
        int | None,
        option(
            "--level N",
            "How far: 1 trims, 2 summarises ten messages at a time, 3 makes one digest.",
            "缩短到何种程度：1 修剪，2 每十条合为摘要，3 合为一份概要。",
            min=0,
            max=3,
        ),
    ] = None,
    budget: Annotated[
        int | None, option("--budget TOKENS", "Tokens that it may have.", "允许的 token 数。", min=1)
    ] = None,
    report: Annotated[bool, option("--report", "Show a table of what was saved.", "显示节省情况的表格。")] = False,
) -> None:
    """Shorten the messages of a file (OpenAI's or Anthropic's form) and print them, or what was saved by what."""
    from remanent.cli import context as shrinking

    shrinking.shrink(place, file, level=level, budget=budget, report=report)


HookFile = Annotated[
    Path | None, option("--file PATH", "A settings file other than the usual one.", "改用其他设置文件。")
]
HookAgent = Annotated[
    str, option("--for TOOL", "The tool: claude-code, codex or generic.", "工具：claude-code、codex 或 generic。")
]
DryRun = Annotated[bool, option("--dry-run", "Only show what the file would hold.", "只显示文件将有的内容。")]


@command(hook, "install", "agents", "通过钩子让编程智能体记住并得到提醒；其设置中原有内容保持不变。")
def install_hooks(place: CommonOptions, *, tool: HookAgent, dry_run: DryRun = False, file: HookFile = None) -> None:
    """Have a coding agent remember and be reminded by its hooks; what its settings hold stays."""
    from remanent.cli import hooks

    hooks.install_for(place, tool, file=file, dry_run=dry_run)


@command(hook, "remove", "machine", "将钩子从编程智能体的设置中原样移除。")
def remove_hooks(place: CommonOptions, *, tool: HookAgent, dry_run: DryRun = False, file: HookFile = None) -> None:
    """Take the hooks out of a coding agent's settings again, exactly."""
    from remanent.cli import hooks

    hooks.remove_from(place, tool, file=file, dry_run=dry_run)


@command(
    hook,
    "run",
    "agents",
    "钩子所做的事：session-start、prompt-submit、pre-compact、stop、session-end。从标准输入读取工具的 JSON，"
    "总以成功结束；设 REMANENT_HOOK_DEBUG 可查看出错原因。",
)
def run_hook(place: CommonOptions, *, event: Annotated[str, argument("EVENT", "Which.", "哪个。")]) -> None:
    """What a hook does: session-start, prompt-submit, pre-compact, stop, session-end.

    It reads the tool's JSON from standard input and always succeeds; set REMANENT_HOOK_DEBUG to see what went wrong.
    """
    from remanent.cli.hook_run import main as run

    named = {"--home": place.home, "--org": place.org, "--workspace": place.workspace, "--agent": place.agent}
    run([event, *(word for name, value in named.items() if value for word in (name, str(value)))])


@command(app, "demo", "machine", "用一份中英双语示例演示。不给 --home 时使用临时文件夹，结束后删除。")
def demo(place: CommonOptions) -> None:
    """Show it working on a small bilingual sample. Without --home, in a folder that is removed at the end."""
    from remanent.cli import demo as show

    show.run(place)
