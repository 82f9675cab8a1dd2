"""Small files that survive a power cut: written atomically, in folders whose entries are synced to disk.

A rename is atomic, but neither the content nor the new name is durable until both the file and its folder are synced.
Whatever keeps state in a file of its own (keys, run notes, spooled turns, model notes) writes it through here.
"""

import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from remanent.errors import StorageError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says when a disk, a quota or the size allowed for a file is used up: the user has to make room."""


def write_durably(
    path: Path, content: bytes, *, mode: int | None = None, check: Callable[[], None] | None = None
) -> None:
    """Write a small file so that after a crash it is there whole or as it was before, and on return for good.

    `mode` is what the file's permissions are to be, its owner's alone unless given. `check` is called at the last
    moment before the new content takes the place of the old, and stops that by raising.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)
            sync_file(file.fileno())
        if check is not None:
            check()
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each name durable before anything is put inside."""
    if not folder.is_dir():
        make_folder(folder.parent)
        # Memories are private: nobody but their owner may enter.
        folder.mkdir(exist_ok=True, mode=0o700)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError as error:  # Windows opens no folders; its names are durable with the file
        if os.name == "nt":
            return
        raise StorageError(f"cannot open {folder}") from error
    try:
        sync_file(handle)
    finally:
        os.close(handle)


def sync_file(descriptor: int) -> None:
    """Have everything written to a descriptor on the disk itself."""
    if sys.platform == "darwin":
        # There, fsync() leaves the bytes in the drive's own cache.
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
