"""Plain copies of a damaged database with its log worked in, fit to be opened."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from remanent.stores.sqlite import connection as opening
from remanent.stores.sqlite import wal
from remanent.stores.sqlite.pages import PAGE_SIZE, file_chunks, is_sound, seal

FOLDER_PREFIX = ".repair-"


@contextmanager
def images_of(path: Path, *, fresh: Path) -> Iterator[list[Path]]:
    """Lend copies with the log worked in: as new as can be, then, if the log is damaged, as new as is consistent."""
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=FOLDER_PREFIX))
    try:
        log_path = path.with_name(f"{path.name}-wal")
        log = log_path.read_bytes() if log_path.exists() else b""
        whole = wal.examine(log)
        images = [folder / "newest.db"]
        _copy_database(path, images[0])
        if whole.damage:
            images.append(folder / "consistent.db")
            shutil.copyfile(images[0], images[1])
        frames = wal.readable_frames(log)
        if opening.checksums_available():  # pages get their checksum on the way from the log into the file
            frames = [(page, seal(content)) for page, content in frames]
        _work_in(images[0], frames)
        for image in images[1:]:
            _work_in(image, frames[: whole.recoverable])
        for image in images:
            _make_openable(image, fresh)
        yield images
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_database(path: Path, target: Path) -> None:
    with open(target, "wb") as copy:
        if path.exists():
            copy.writelines(file_chunks(str(path)))


def _work_in(image: Path, frames: Iterable[tuple[int, bytes]]) -> None:
    with open(image, "rb+") as file:
        for page, content in frames:
            file.seek((page - 1) * PAGE_SIZE)
            file.write(content)


def _make_openable(image: Path, fresh: Path) -> None:
    """Stretch the copy to whole pages, and put a fresh first page where the old one is damaged.

    The first page says where the tables begin, which is the same in every file that was made by the same steps.
    """
    with open(fresh, "rb") as file:
        first_page = file.read(PAGE_SIZE)
    with open(image, "rb+") as file:
        size = file.seek(0, os.SEEK_END)
        pages = -(-size // PAGE_SIZE)
        file.seek(0)
        head = file.read(PAGE_SIZE)
        if first_page[20]:  # bytes of every page are kept for its checksum
            if is_sound(head):
                pages = max(pages, int.from_bytes(head[28:32], "big"))
            else:
                head = first_page
            # As many pages as there are, and no list of free ones.
            head = seal(head[:28] + pages.to_bytes(4, "big") + bytes(8) + head[40:92] + head[24:28] + head[96:])
            file.seek(0)
            file.write(head)
        file.truncate(max(1, pages) * PAGE_SIZE)
