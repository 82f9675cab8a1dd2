"""What the engine may take of the process's memory."""

import subprocess
import sys

_LOOK = """
import apsw, pathlib, sys
from remanent.stores.sqlite import SqliteStore
apsw.soft_heap_limit(int(sys.argv[1]))
SqliteStore(pathlib.Path("nowhere"))
print(apsw.soft_heap_limit(-1))
"""


def limit_after(own: int) -> int:
    done = subprocess.run([sys.executable, "-c", _LOOK, str(own)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def test_all_open_files_together_have_a_bound() -> None:
    assert limit_after(0) == 512 * 2**20


def test_a_bound_that_somebody_set_stays() -> None:
    assert limit_after(10**9) == 10**9
