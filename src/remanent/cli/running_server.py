"""Running commands through a server already running on the same home, which has its models in memory.

Loading a model takes seconds, asking one that is loaded milliseconds. A server that a command started leaves a note in
its home: where it listens, and a word that opens it, new for each start and readable by its owner alone, who may read
the memory itself anyway. Nothing heavy is imported here: that is what it is for. Where there is no note, or nobody
listens, the command does its work itself; once something that changes the memory was sent, it does not, for the server
may have done it although its answer got lost.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from remanent import errors
from remanent.bilingual import locale_language
from remanent.cli.words import ANSWER_LOST
from remanent.lightweight import dataclass

if TYPE_CHECKING:
    from remanent.cli.options import CommonOptions
    from remanent.cli.screen import Terminal

NOTE = ".server.json"
"""The file of a home that tells where its server listens."""
_DIRECT = "REMANENT_DIRECT"
"""Set it to have commands never ask a server."""
_CONFIGURED = ("remanent.yaml", "remanent/config.yaml")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_ANSWER_TIMEOUT = 60.0
"""Seconds for the server to answer. No time-out leads to doing the work again here: it may have been done."""
_INDEXING_TIMEOUT = 30.0
"""Seconds to wait until what was told is indexed; the same as for whoever reads it back in the library."""
_POLL = 0.05
"""Seconds between looks at whether it is indexed."""
_PREFIX = "urn:remanent:error:"


@dataclass(frozen=True, slots=True)
class MemoryAddress:
    """Whose memory is meant."""

    home: Path | None = None
    org: str | None = None
    workspace: str | None = None
    agent: str | None = None


class Unreachable(Exception):
    """No server did it; the command does its work itself."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server listens, and the word that opens it."""

    host: str
    port: int
    token: str

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, Any] | None = None,
        changes: bool = False,
    ) -> Any:
        """Return the JSON that it answers, or raise the error that the library would raise.

        What `changes` something and was sent is never taken for not done.
        """
        import http.client
        from urllib.parse import quote, urlencode

        address = quote(path) + (f"?{urlencode(query, doseq=True)}" if query else "")
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=_ANSWER_TIMEOUT)
        try:
            try:
                connection.connect()
            except OSError as error:
                raise Unreachable from error
            connection.request(method, address, body=data, headers=headers)
            answer = connection.getresponse()
            text = answer.read()
            return _checked(answer.status, text)
        except (OSError, http.client.HTTPException, _Unclear) as error:
            if changes:
                raise errors.AnswerLost(ANSWER_LOST.say(locale_language())) from error
            raise Unreachable from error
        finally:
            connection.close()


class _Unclear(Exception):
    """An answer that does not tell what was done."""


def _checked(status: int, text: bytes) -> Any:
    """Return the server's answer, or raise its error as if the work had been done here."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _Unclear from error
    if status < 300:
        return value
    if not isinstance(value, dict):
        raise _Unclear
    name = str(value.get("type", "")).removeprefix(_PREFIX)
    kind = getattr(errors, name, None)
    # What only concerns the way through the server, such as its limits, does not concern the command.
    if status in {401, 403, 404, 405, 429, 503} and name != "NotFound":
        raise Unreachable
    if not (isinstance(kind, type) and issubclass(kind, errors.RemanentError)):
        # What is refused as a request was not done; what failed while it was done may have been.
        raise _Unclear if status >= 500 else Unreachable
    raise kind(str(value.get("detail", "")))


def find_server(place: "MemoryAddress | CommonOptions") -> Server | None:
    """Return the server of the home that a command means, if one says that it is there and is ours."""
    from urllib.parse import urlsplit

    user = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    # A configuration file has a say in which home is meant, and takes longer to read than asking saves.
    if os.environ.get(_DIRECT) or (Path.cwd() / _CONFIGURED[0]).exists() or (user / _CONFIGURED[1]).exists():
        return None
    try:
        note = home_of(place) / NOTE
        about = note.stat()
        if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
            return None  # somebody else could have written it, and would be told what is remembered
        noted = json.loads(note.read_text(encoding="utf-8"))
        url = urlsplit(str(noted["url"]))
        if url.hostname not in _LOOPBACK or url.port is None:
            return None
        return Server(url.hostname, url.port, str(noted["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def home_of(place: "MemoryAddress | CommonOptions") -> Path:
    """Return the home that is meant where no configuration file says otherwise."""
    if place.home is not None or os.environ.get("REMANENT_HOME"):
        return Path(place.home or os.environ["REMANENT_HOME"]).expanduser().absolute()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "remanent"


def address_of(place: "MemoryAddress | CommonOptions", rest: str) -> str:
    """Return where an operation on the agent that is meant is asked for."""
    org = place.org or os.environ.get("REMANENT_ORG") or "default"
    workspace = place.workspace or os.environ.get("REMANENT_WORKSPACE") or "default"
    return f"/v1/orgs/{org}/workspaces/{workspace}/agents/{place.agent}/{rest}"


# ── commands ─────────────────────────────────────────────────────────────────


def perform(name: str, place: "CommonOptions", fields: Mapping[str, Any], **more: Any) -> None:
    """Do an operation through the server of this home, where there is one and the command is one of the usual ones."""
    server = find_server(place) if name in _DONE else None
    if server is not None:
        given = {field: _plain(value) for field, value in fields.items() if value is not None and value != []}
        try:
            done = _DONE[name](server, place, given, more)
        except Unreachable:
            done = False
        if done:
            return
    from remanent.cli.execution import perform as perform_here

    perform_here(name, place, fields, **more)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _object(value: dict[str, Any]) -> SimpleNamespace:
    """Return an object of JSON as one with attributes, moments as moments."""
    return SimpleNamespace(
        **{
            key: datetime.fromisoformat(one) if key.endswith("_at") and isinstance(one, str) else one
            for key, one in value.items()
        }
    )


def _shown(place: "CommonOptions", answer: Any) -> "tuple[Terminal, Any]":
    """Return where to show an answer, and the answer; a program is given it as it came."""
    from remanent.cli.screen import Terminal

    screen = Terminal(as_json=place.as_json, language=locale_language())
    if place.as_json:
        print(json.dumps(answer, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
    return screen, json.loads(json.dumps(answer), object_hook=_object)


def _remember(server: Server, place: "CommonOptions", given: dict[str, Any], more: Mapping[str, Any]) -> bool:
    """Remember one text; a file of many, or standard input, is left to the command itself."""
    told = more["intake"]
    if told["file"] is not None or not told["text"] or list(told["text"]) == ["-"] or "metadata" in given:
        return False
    message = {"role": told["role"], "content": " ".join(told["text"]), "id": told["message_id"]}
    message |= {"occurred_at": told["at"]}
    named = {name: _plain(value) for name, value in message.items() if value is not None}
    receipt = server.ask("POST", address_of(place, "entries"), body={**given, "messages": [named]}, changes=True)
    screen, answer = _shown(place, receipt)
    if not place.as_json:
        from remanent.cli.screen import show_receipt

        show_receipt(screen, answer)
    if more["wait"]:
        _wait_for_index(server, place)
    return True


def _wait_for_index(server: Server, place: "CommonOptions") -> None:
    """Wait until what was told is indexed, as long as the server says so: it is stored in any case."""
    ends = time.monotonic() + _INDEXING_TIMEOUT
    while time.monotonic() < ends:
        try:
            queue = server.ask("GET", address_of(place, "queue"))
        except Unreachable:
            return
        if not queue["pending"] and not queue["running"]:
            return
        time.sleep(_POLL)


def _recall(server: Server, place: "CommonOptions", given: dict[str, Any], more: Mapping[str, Any]) -> bool:
    """Recall; how an answer came about is explained by the command itself."""
    if more["options"]["explain"] or "where" in given:
        return False
    from remanent.cli.screen import show_found, tell_found

    screen, found = _shown(place, server.ask("POST", address_of(place, "recall"), body=given))
    code = tell_found(screen, found, agent=place.agent)
    if not place.as_json:
        show_found(screen, found, now=datetime.now(UTC))
    if code:
        import typer

        raise typer.Exit(code)
    return True


_DONE: Mapping[str, Callable[[Server, "CommonOptions", dict[str, Any], Mapping[str, Any]], bool]] = {
    "remember": _remember,
    "recall": _recall,
}
"""What is done through a server: the commands that need its models."""
