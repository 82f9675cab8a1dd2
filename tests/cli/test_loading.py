"""What a command loads: to remember or recall takes no longer for what other commands can do."""

import subprocess
import sys

import pytest

_LOADED = """
import sys
import remanent.cli.execution
from remanent.language.offline import statements_chinese, statements_english
rules = [*statements_chinese.RULES, *statements_english.RULES]
print(sum("pattern" in vars(rule) for rule in rules))
print(*[name for name in sys.modules if name.startswith("remanent.") and name.endswith(".operations")])
"""


@pytest.mark.spec("USE-05")
def test_a_command_that_learns_nothing_compiles_no_form_of_statement_and_loads_no_other_operation() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    compiled, operations = done.stdout.splitlines()
    assert compiled == "0"
    assert operations == "remanent.operations"


@pytest.mark.spec("USE-05")
def test_only_the_command_that_is_named_is_prepared() -> None:
    code = "import sys; sys.argv = ['remanent', 'recall', '--help']; from remanent.cli import app; app.main()"
    ended = f"""
import atexit
from remanent.cli import app
atexit.register(lambda: print([one.name for one in app.app.registered_commands], app.app.registered_groups))
{code}
"""
    done = subprocess.run([sys.executable, "-c", ended], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['recall'] []"
    wrong = subprocess.run(
        [sys.executable, "-c", ended.replace("'recall'", "'recal'")], capture_output=True, text=True, check=False
    )
    assert "recall" in wrong.stderr, "what a mistyped word may have meant is still known"
