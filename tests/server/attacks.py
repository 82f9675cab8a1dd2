"""A hostile client with bare sockets against a real server: requests that no library would send, and what they get.

`python -m tests.server.attacks` prints the table of every attack and the status that it meets.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from remanent.operations.access.keys import KeyRing, Permission, Reach

AGENT = "/v1/orgs/acme/workspaces/lab/agents/ada"
EVIL = "http://evil.example"
HEADER = '{"a":1}\n'
CHAT = '{"model":"m","messages":[{"role":"user","content":"I live in Lisbon"}]}'
ENTRY = '{"messages":["planted"]}'


@dataclass(frozen=True, slots=True)
class Attack:
    """One request, byte for byte; `{port}` stands for the server's own."""

    name: str
    method: str
    path: str
    headers: tuple[str, ...] = ()
    body: str = ""
    host: tuple[str, ...] = ("Host: 127.0.0.1:{port}",)
    version: str = "1.1"

    def raw(self, port: int) -> bytes:
        """Return what is sent."""
        length = [f"Content-Length: {len(self.body.encode())}"] if self.body or self.method != "GET" else []
        lines = [f"{self.method} {self.path} HTTP/{self.version}", *self.host, *self.headers, *length]
        head = "\r\n".join([*lines, "Connection: close", "", ""]).replace("{port}", str(port))
        return head.encode("latin-1") + self.body.encode()


def _foreign(name: str, method: str, path: str, *headers: str, body: str = "") -> Attack:
    return Attack(f"another site's page: {name}", method, path, (f"Origin: {EVIL}", *headers), body)


def _simple(name: str, path: str, kind: str, body: str) -> Attack:
    headers = (f"Content-Type: {kind}",) if kind else ()
    return Attack(f"what a form can send: {name}", "POST", path, headers, body)


def _host(*lines: str, name: str = "", version: str = "1.1") -> Attack:
    told = name or " and ".join(lines).replace("Host: ", "") or "none"
    return Attack(f"host: {told}", "GET", f"{AGENT}/entries", host=lines, version=version)


JSON = "Content-Type: application/json"
CROSS_SITE: tuple[Attack, ...] = (
    _foreign("chat", "POST", "/v1/chat/completions", JSON, body=CHAT),
    _foreign("chat as text/plain", "POST", "/v1/chat/completions", "Content-Type: text/plain", body=CHAT),
    _foreign("embeddings", "POST", "/v1/embeddings", JSON, body='{"input":"x"}'),
    _foreign("responses", "POST", "/v1/responses", JSON, body='{"model":"m","input":"x"}'),
    _foreign("messages", "POST", "/v1/messages", JSON, body=CHAT),
    _foreign("count tokens", "POST", "/v1/messages/count_tokens", JSON, body=CHAT),
    _foreign("an address the proxy does not have", "POST", "/v1/nothing", JSON, body="{}"),
    _foreign("an address nobody has", "GET", "/nothing"),
    _foreign("health", "GET", "/readyz"),
    _foreign("a method nobody has", "FROB", "/"),
    _foreign("models", "GET", "/v1/models"),
    _foreign("entries", "GET", f"{AGENT}/entries"),
    _foreign("remember", "POST", f"{AGENT}/entries", JSON, body=ENTRY),
    _foreign("import as text/plain", "POST", f"{AGENT}/import", "Content-Type: text/plain", body=HEADER),
    _foreign("attachment as text/plain", "POST", f"{AGENT}/attachments", "Content-Type: text/plain", body="x"),
    _foreign("forget without a body", "POST", f"{AGENT}/records/none/forget"),
    _foreign("revoke a key", "DELETE", "/v1/orgs/acme/keys/000000000000"),
    _foreign("runs", "GET", "/v1/orgs/acme/runs"),
    _foreign("MCP", "POST", "/mcp", JSON, "Accept: application/json, text/event-stream", body="{}"),
    _foreign("figures", "GET", "/metrics"),
    _foreign("preflight", "OPTIONS", f"{AGENT}/entries", "Access-Control-Request-Method: POST"),
    Attack("another port of this machine", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:1",)),
    Attack("a sandboxed page", "GET", f"{AGENT}/entries", ("Origin: null",)),
    Attack("an origin with a user in it", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:{port}@evil.example",)),
    Attack(
        "an own and a foreign origin", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:{port}", f"Origin: {EVIL}")
    ),
    Attack(
        "fetched across sites", "GET", f"{AGENT}/entries", ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors")
    ),
    Attack("fetched within the site", "GET", f"{AGENT}/entries", ("Sec-Fetch-Site: same-site",)),
    Attack(
        "a link to an interface",
        "GET",
        f"{AGENT}/entries",
        ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
    ),
    Attack(
        "the page of documents in a frame",
        "GET",
        "/docs",
        ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"),
    ),
)
"""Requests that a page of another site can have a browser send; each must get 403."""

FORMS: tuple[Attack, ...] = (
    _simple("chat as text/plain", "/v1/chat/completions", "text/plain", CHAT),
    _simple("chat as a form", "/v1/chat/completions", "application/x-www-form-urlencoded", CHAT),
    _simple("chat without a type", "/v1/chat/completions", "", CHAT),
    _simple("embeddings as text/plain", "/v1/embeddings", "text/plain;charset=UTF-8", '{"input":"x"}'),
    _simple("import as text/plain", f"{AGENT}/import", "text/plain", HEADER),
    _simple("import without a type", f"{AGENT}/import", "", HEADER),
    _simple("triples as a form", f"{AGENT}/associative/triples", "multipart/form-data; boundary=x", "x"),
    _simple("attachment as text/plain", f"{AGENT}/attachments", "Text/Plain", "x"),
    _simple("attachment without a type", f"{AGENT}/attachments", "", "x"),
    _simple("forget as text/plain", f"{AGENT}/records/none/forget", "text/plain", ""),
    _simple("remember as text/plain", f"{AGENT}/entries", "text/plain", ENTRY),
    _simple("MCP as text/plain", "/mcp", "text/plain", "{}"),
    Attack(
        "what a form can send: two types",
        "POST",
        f"{AGENT}/entries",
        (JSON, "Content-Type: text/plain"),
        ENTRY,
    ),
)
"""Requests of types for which a browser asks no permission first; each must get 415."""

HOSTS: tuple[Attack, ...] = (
    _host("Host: evil.example"),
    _host("Host: 127.0.0.1:1@evil"),
    _host("Host: 127.0.0.1@evil"),
    _host("Host: [::1]evil"),
    _host("Host: [::1]:1@evil"),
    _host("Host: [::1"),
    _host("Host: 127.0.0.1:"),
    _host("Host: 127.0.0.1:0"),
    _host("Host: 127.0.0.1:65536"),
    _host("Host: 127.0.0.1:80:80"),
    _host("Host: 127.0.0.1:+80"),
    _host("Host: 127.0.0.1.:80"),
    _host("Host: localhost."),
    _host("Host: localhost, evil.example"),
    _host("Host: localhost/evil"),
    _host("Host: localhost#evil"),
    _host("Host:"),
    _host(name="none, as in HTTP/1.0", version="1.0"),
    _host("Host: 127.0.0.1", "Host: evil.example"),
)
"""Requests for names that only look like the server's own; each must get 400 or 421."""


def _raw(name: str, path: str = f"{AGENT}/entries", *headers: str, body: str = "", method: str = "POST") -> Attack:
    return Attack(name, method, path, (JSON, *headers), body)


_CHUNKED = "Transfer-Encoding: chunked"
MALFORMED: tuple[Attack, ...] = (
    _raw("two lengths", f"{AGENT}/entries", "Content-Length: 7", body="{}"),
    _raw("a length and chunks", f"{AGENT}/entries", _CHUNKED, body="0\r\n\r\n"),
    _raw("a coding nobody has", f"{AGENT}/entries", "Transfer-Encoding: gzip, chunked", body="0\r\n\r\n"),
    _raw("a space before the colon", f"{AGENT}/entries", "X-A : b"),
    _raw("NUL in a header", f"{AGENT}/entries", "X-A: a\0b"),
    _raw("a thousand headers", f"{AGENT}/entries", *["X-A: b"] * 1000),
    _raw("a header of 40 kB", f"{AGENT}/entries", f"X-A: {'a' * 40_000}"),
    _raw("an address of 40 kB", f"/{'a' * 40_000}", method="GET"),
    _raw("deep lists", f"{AGENT}/recall", body='{"query":' + "[" * 10_000 + "]" * 10_000 + "}"),
    _raw("deep objects", f"{AGENT}/recall", body='{"a":' * 10_000 + "1" + "}" * 10_000),
    _raw("a number of many digits", f"{AGENT}/recall", body='{"query":"x","limit":' + "9" * 10_000 + "}"),
    _raw("no number", f"{AGENT}/recall", body='{"query":"x","limit":NaN}'),
    _raw("half a character", f"{AGENT}/entries", body='{"messages":["\\ud800"]}'),
    _raw("a list", f"{AGENT}/entries", body="[]"),
    _raw("deep lists to MCP", "/mcp", "Accept: application/json, text/event-stream", body="[" * 10_000 + "]" * 10_000),
    _raw("a key of 5 kB for repeating", f"{AGENT}/entries", f"Idempotency-Key: {'k' * 5000}", body=ENTRY),
    _raw("a name with a path in a header", "/v1/chat/completions", "x-remanent-agent: ..%2f..%2fetc", body=CHAT),
    *(
        _raw(f"a path in a name: {name[:20]}", f"/v1/orgs/{name}/workspaces/lab/agents/ada/entries", method="GET")
        for name in ("%2e%2e", "..", "a%2fb", "a%00b", "%c0%ae%c0%ae", ".access", "a" * 300)
    ),
    _raw("a path in a run", "/v1/orgs/acme/runs/%2e%2e%2f%2e%2e%2fkeys", method="GET"),
    _raw("another server's address", "http://evil.example/v1/orgs/acme/runs", method="GET"),
)
"""Requests that no client sends by mistake; each must get a 4xx, and the server go on."""

PROXIED: tuple[Attack, ...] = tuple(
    Attack(f"through a proxy: {line}", "GET", f"{AGENT}/entries", (line,))
    for line in (
        "X-Forwarded-For: 203.0.113.9",
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: memory.example",
        "X_Forwarded_For: 127.0.0.1",
        "Forwarded: for=127.0.0.1",
        "X-Real-IP: 127.0.0.1",
        "Via: 1.1 proxy",
        "CF-Connecting-IP: 203.0.113.9",
        "X-Forwarded-For:",
    )
)
"""Requests that came through a reverse proxy on this machine; each must get 401 while there is no key."""

KEYLESS: tuple[Attack, ...] = (
    Attack("read", "GET", f"{AGENT}/entries"),
    Attack("write", "POST", f"{AGENT}/entries", (JSON,), ENTRY),
    Attack("chat", "POST", "/v1/chat/completions", (JSON,), CHAT),
    Attack("MCP", "POST", "/mcp", (JSON, "Accept: application/json, text/event-stream"), "{}"),
    Attack("runs", "GET", "/v1/orgs/acme/runs"),
    Attack("figures", "GET", "/metrics"),
    Attack("make an admin's key", "POST", "/v1/orgs/acme/keys", (JSON,), '{"name":"mine","permissions":["admin"]}'),
)
"""Requests without a key, to be sent when keys were made once: each must get 401, or 500 while the keys are damaged."""


def _ring(home: Path) -> KeyRing:
    return KeyRing(home)


def _made_and_revoked(home: Path) -> None:
    key, _ = _ring(home).create("k", reach=Reach(), permissions=(Permission.ADMIN,))
    _ring(home).revoke(key.key_id)


def _made_and_expired(home: Path) -> None:
    (home / ".access" / "keys.json").unlink()
    over = datetime.now(UTC) - timedelta(days=1)
    _ring(home).create("k", reach=Reach(), permissions=(Permission.ADMIN,), expires_at=over)


def _file_deleted(home: Path) -> None:
    (home / ".access" / "keys.json").unlink()


def _file_damaged(home: Path) -> None:
    (home / ".access" / "keys.json").write_text("{", encoding="utf-8")


def _file_emptied(home: Path) -> None:
    (home / ".access" / "keys.json").write_text('{"format": 1, "keys": []}', encoding="utf-8")


def _folder_deleted(home: Path) -> None:
    (home / ".access").rename(home.with_name("gone"))


STATES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("the last key is revoked", _made_and_revoked),
    ("the last key is expired", _made_and_expired),
    ("the file of keys is deleted", _file_deleted),
    ("the file of keys is damaged", _file_damaged),
    ("the file of keys is emptied", _file_emptied),
    ("the folder of keys is deleted", _folder_deleted),
)
"""What is done to the keys of a home, one after the other, while its server runs."""


def send(raw: bytes, *, port: int) -> tuple[int, bytes]:
    """Send bytes to the server and return the status and all that was answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(raw)
        answered = b""
        while piece := connection.recv(65536):
            answered += piece
    return int(answered.split(b" ", 2)[1]), answered


@contextmanager
def serving(home: Path) -> Iterator[int]:
    """Run the real program on a home of its own and give its port."""
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", "REMANENT_HOME": str(home)}
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as running:
        try:
            assert running.stdout is not None
            yield int(json.loads(running.stdout.readline())["url"].rpartition(":")[2])
        finally:
            running.kill()


def main() -> None:
    """Print what every attack meets."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with serving(home) as port:
            for attack in (*CROSS_SITE, *FORMS, *HOSTS, *MALFORMED, *PROXIED):
                print(send(attack.raw(port), port=port)[0], attack.name, sep="\t")
            for state, reach in STATES:
                reach(home)
                for attack in KEYLESS:
                    print(send(attack.raw(port), port=port)[0], f"{state}: {attack.name}", sep="\t")


if __name__ == "__main__":
    main()
