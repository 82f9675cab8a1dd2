"""A full disk: questions are answered, writes are refused by name, and all goes on once there is room."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.chaos.support.places import ROOT, command, run

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(os.name != "posix", reason="needs limits on the size of files")]


def _own_mounts() -> list[str]:
    """Return the command that gives a process mounts of its own, or nothing where that is not allowed."""
    tool = shutil.which("unshare")
    for options in (["--mount"], ["--mount", "--user", "--map-root-user"]):
        attempt = [tool or "unshare", *options]
        probe = "mount -t tmpfs -o size=64k tmpfs /mnt"
        if tool and subprocess.run([*attempt, "sh", "-c", probe], capture_output=True, check=False).returncode == 0:
            return attempt
    return []


@pytest.mark.parametrize("level", ["store", "facade", "command"])
def test_a_file_that_may_not_grow_refuses_writes_and_answers_questions(tmp_path: Path, level: str) -> None:
    assert "acknowledged" in run("fulldisk", tmp_path, "limit", level)


@pytest.mark.parametrize("level", ["store", "facade", "command"])
def test_a_full_file_system_refuses_writes_and_answers_questions(tmp_path: Path, level: str) -> None:
    own_mounts = _own_mounts()
    if not own_mounts:
        pytest.skip("this user may not mount; the limit on file sizes is tested instead")
    done = subprocess.run(
        [*own_mounts, *command("fulldisk", tmp_path, "mount", level)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir()), "the small file system was not the process's own"
