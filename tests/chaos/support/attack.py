"""Uses every door with hostile names and notes each path that is touched: `… attack <folder>`.

Prints as JSON what was accepted, what was refused wrongly, and what was touched outside the home.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw

from remanent.errors import InvalidInput, RemanentError
from remanent.memory import AsyncMemory, aopen
from remanent.model import Scope

HOSTILE: dict[str, Any] = {
    "nothing": None,
    "empty": "",
    "star": "*",
    "percent": "%",
    "like": "a%",
    "glob": "ad?",
    "parent": "..",
    "parent and more": "../x",
    "here": ".",
    "inside and out": "ada/../../x",
    "absolute": "/etc/x",
    "backslash": "..\\x",
    "encoded parent": "%2e%2e",
    "nul": "\0",
    "nul inside": "ada\0x",
    "10 kB": "a" * 10_240,
    "too many bytes": "\U00020000" * 64,
    "full width": "ａｄａ",
    "half Cyrillic": "аda",
    "all Cyrillic": "асе",
    "half Greek": "adα",
    "zero width": "ada\u200b",
    "joiner": "a\u200dda",
    "turned around": "\u202eada",
    "combining": "ada\u0301",
    "composed otherwise": "ådа",
    "blank before": " ada",
    "blank behind": "ada ",
    "line break": "ada\n",
    "dot behind": "ada.",
    "hidden": ".ada",
    "option": "-rf",
    "device": "CON",
    "device with ending": "nul.txt",
    "half a surrogate": "ada\ud800",
    "bytes": b"ada",
    "number": 7,
    "truth": True,
    "list": ["ada"],
}
HARMLESS_AS_A_LABEL = {
    "nothing", "here", "absolute", "dot behind", "hidden", "option", "device", "device with ending", "too many bytes",
}  # fmt: skip
"""Sessions and tasks never become part of a path."""


def is_meant(what: str, field: str, door: str) -> bool:
    """Return whether a name is no attack there: left out it means the default, and a label may look like a path."""
    if field in {"session", "task"}:
        return what in HARMLESS_AS_A_LABEL
    return what == "nothing" and field != "agent" and door == "agent"


class Watch:
    """Notes every path under the folder that Python or SQLite opens, makes or removes."""

    EVENTS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate")

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder)
        self.touched: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in self.EVENTS:
            for argument in arguments[:2]:
                if isinstance(argument, str | bytes | os.PathLike):
                    self.note(os.fsdecode(argument))

    def note(self, path: str) -> None:
        """Keep a path if it lies under the folder."""
        full = os.path.abspath(path.split("\0", maxsplit=1)[0])
        if full.startswith(self._folder):
            self.touched.add(full)


class WatchedVFS(apsw.VFS):
    """Tells the watch what SQLite opens and removes."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        super().__init__("watched", "unix", makedefault=True)

    def xOpen(self, name: "str | apsw.URIFilename | None", flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Note the name, then open."""
        if name is not None:
            self._watch.note(name.filename() if isinstance(name, apsw.URIFilename) else name)
        return apsw.VFSFile("unix", name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Note the name, then remove."""
        self._watch.note(filename)
        super().xDelete(filename, syncdir)


def doors(memory: AsyncMemory, field: str, value: Any) -> dict[str, Callable[[], Awaitable[Any]]]:
    """Return every way in for a name, each with everything that could be done behind it."""
    names = {"org": "org", "workspace": "lab", "agent": "ada"}

    async def by_scope() -> None:
        Scope(**{**names, field: value})

    async def by_json() -> None:
        Scope.from_json(json.dumps({**names, field: value}, default=repr))

    async def by_agent() -> None:
        given = {**names, field: value}
        agent = memory.agent(given["agent"], workspace=given["workspace"], org=given["org"])
        await agent.remember("hello")
        await agent.attach(b"file")

    async def by_label() -> None:
        agent = memory.agent("ada", workspace="lab", org="org")
        await agent.remember("hello", **{field: value})

    if field in {"session", "task"}:
        return {"scope": by_scope, "label": by_label}
    return {"scope": by_scope, "json": by_json, "agent": by_agent}


async def attack(home: Path) -> tuple[list[str], list[str]]:
    """Try every name at every door; return what was accepted and what failed in another way than it should."""
    accepted, strange = [], []
    async with aopen(home, embedder="none") as memory:
        for field in ("org", "workspace", "agent", "session", "task"):
            for what, value in HOSTILE.items():
                for door, enter in doors(memory, field, value).items():
                    try:
                        await enter()
                    except InvalidInput:  # of which `InvalidScope` is one kind, and malformed JSON another
                        continue
                    except RemanentError as error:
                        strange.append(f"{what} as {field} by {door}: {error!r}")
                    else:
                        if not is_meant(what, field, door):
                            accepted.append(f"{what} as {field} by {door}")
    return accepted, strange


def main(folder: Path) -> None:
    """Attack a home inside the folder and report."""
    home = folder / "home"
    watch = Watch(folder)
    vfs = WatchedVFS(watch)
    accepted, strange = asyncio.run(attack(home))
    # The folder above is opened to make the name of the home durable.
    ours = {str(home), str(folder)}
    # Before there is a home, opening looks whether one could be made, under a name of its own choice.
    known = (f"{home}{os.sep}", f"{folder}{os.sep}.remanent-")
    outside = sorted(path for path in watch.touched - ours if not path.startswith(known))
    vfs.unregister()
    print(json.dumps({"accepted": accepted, "strange": strange, "outside": outside, "touched": len(watch.touched)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
